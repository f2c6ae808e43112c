// The dual of a Weston-Watkins machine in its pushes m (n x k): m_ik = -a_ik for a foreign class k and
// m_i,own = sum_k a_ik, a the multipliers of the margins:
//   max  2 sum_i m_i,own - 1/2 sum_k m_k'K m_k   over  m_i in P_i,  F'm_k = 0,
//   P_i = {sum_k m_ik = 0, -c_i <= m_ik <= 0 for every foreign k},
// K a Gram matrix, F = [1, free columns].  A proximal method of multipliers: near the last pushes the dual
// is strongly concave, so its own dual is a smooth, piecewise quadratic function of the decision values, and
// semismooth Newton minimises that.  A Newton step solves for the multipliers between their bounds; only one
// equation for each sample couples the classes, so it takes K on the free samples of each class and one
// Schur complement, not a matrix of all free multipliers.  Once their set is known they are solved for
// exactly.  Large costs are reached over smaller ones.
#pragma once

#include <Eigen/Cholesky>

#include "base/types.h"

namespace zeronorm {

// Factors for the free pushes, in the equations of add_solution() below.
class PushFactor {
 public:
  using Marks = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic>;

  // free: n x k; where a foreign push of a sample is free so is its own. False where K is not positive
  // semidefinite. O(sum_k |R_k|^3 + |R|^3), R_k the free samples of class k, R those of any.
  bool compute(const Mat& k, const Mat& f, const Marks& free, double delta, double epsilon);

  // d (n x k) on the free pushes and turn, with levels t_i such that
  //   (K + delta) d_k + F turn_k - t = r_k,  sum_k d_ik = 0,  F'd_k - epsilon turn_k = imbalance_k,
  // the last two to the last bits. O(sum_k |R_k|^2).
  void solve(const Mat& r, const Mat& imbalance);
  Mat d, turn;

 private:
  // One class: its free samples, (K + delta)^-1 on them, that times F, and F' times that.
  struct Block {
    IndexList rows;
    Mat inverse, g, fg;
  };
  Marks free_;
  Mat f_;
  double epsilon_ = 1;
  std::vector<Block> blocks_;
  IndexList place_;  // of a sample in the Schur complement, -1: none of its pushes is free
  Index active_ = 0;
  Eigen::LLT<Mat> schur_;  // of the levels
  Mat coupling_;
  Eigen::LDLT<Mat> border_;  // of turn

  static bool invert(const Mat& k, const Mat& f, double delta, Block& b);
  void add_solution(const Mat& r, const Vec& excess, const Mat& imbalance);
  Index place(const Block& b, Index c) const { return place_[std::size_t(b.rows[std::size_t(c)])]; }
};

class PushQp {
 public:
  enum class Outcome { optimal, ray, limit, interrupted };

  Mat push;   // n x k, kept between calls
  Mat theta;  // multipliers of F'm_k = 0, a row for each column of F: intercepts and free coefficients
  Mat ray;    // where the dual is unbounded
  long steps = 0;

  // y in {-1, +1} with one +1 in each row; costs finite, or all that are not zero infinite.
  void setup(const Mat& y, const Vec& cost);

  // Warm from push and theta. O(n^2 k) a step beside its factor.
  Outcome solve(const Mat& k, const Mat& equalities, const Limits& limits);

  // K push + F theta. O(nk).
  Mat decision() const { return values_ + f_ * theta_; }
  // By how much the pushes and these decision values fall short of the optimum, relative to its value; hard
  // margins, and soft ones that hold but for rounding, count by their violation. O(nk).
  double gap(const Mat& decision) const;
  // Rounding in a decision value formed from K. O(nk).
  double noise() const;

  // Solves for the ray on its own entries: whether k, of unit mean diagonal, does not see it.
  bool sharpen_ray(const Mat& k);

  // One step of iterative refinement against K push formed from the data: the correction of the pushes,
  // unrounded; push and theta follow. O(sum_k |R_k|^2).
  Mat refine(const Mat& exact);

 private:
  // As given, by sample.
  IndexList own_;
  Vec cost_;
  // In units that make the mean of K's diagonal one: k_ = K / unit_, m_ = unit_ * push.
  double unit_ = 1;
  Mat k_, f_;  // f_: to unit mean square
  Vec f_scale_, cap_, full_cap_;
  Mat m_, theta_, values_;  // values_: K m

  // The proximal terms delta/2 |m - anchor|^2 and epsilon/2 |theta - theta_anchor|^2, and U of the
  // decision values K U + F theta at which the smooth function stands.
  double delta_ = 1, epsilon_ = 1;
  Mat anchor_, theta_anchor_, carrier_, carried_;  // carried_: K U
  Mat d_carrier_, d_theta_, d_carried_, d_decision_;
  PushFactor::Marks free_, tried_;  // pushes between their bounds; those last solved for exactly
  PushFactor factor_;

  // What a failed attempt returns to.
  struct State {
    Mat m, theta, values;
    Vec cap;
    PushFactor::Marks free;
    double gap = kInf;
  };
  double tol_ = 0;

  Index samples() const { return Index(own_.size()); }
  Index classes() const { return push.cols(); }
  Index own(Index i) const { return own_[std::size_t(i)]; }
  bool hard() const { return full_cap_.maxCoeff() == kInf; }
  double largest_push() const { return std::max(1.0, m_.cwiseAbs().maxCoeff()); }

  void take(const Mat& k, const Mat& equalities);
  void warm_start();
  bool still_optimal();
  State state() const;
  void restore(const State& s);
  double tolerance() const;
  void finish();
  void near(double delta);
  double damping(const Mat& imbalance) const;

  void project_sample(Index i, Vec& q, Mat& m);
  Mat project(const Mat& decision);
  bool minimise_smooth(const Limits& limits);
  double slope_at(double s, const Mat& decision);
  double search(const Mat& decision);

  Mat residual(const Mat& decision) const;
  void clip(Mat& m) const;
  bool polish();
  void solve_exactly();
  void forget_rounding();
  bool reaches_caps() const;
  bool raise_caps();
  bool jump(const Vec& caps);
  bool found_ray(const Mat& moved);
  double worst_slack(const Mat& decision) const;
};

}  // namespace zeronorm
