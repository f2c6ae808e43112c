// The dual of a Weston-Watkins SVM in signed multipliers m (n x k): m_ik = -a_ik for another class k and m_i,own =
// sum_k a_ik, where a are the multipliers of the margins:
//   max  2 sum_i m_i,own - 1/2 sum_k m_k'K m_k   over  m_i in P_i,  F'm_k = 0,
//   P_i = {sum_k m_ik = 0, -c_i <= m_ik <= 0 for every other class k},
// where K is a Gram matrix and F = [1, unpenalised columns]. This is a proximal method of multipliers. Near the last
// multipliers the dual is strongly concave, so its own dual is a smooth, piecewise quadratic function of the decision
// values, which semismooth Newton steps minimise. A step solves for the multipliers between their bounds. Only one
// equation per sample couples the classes, so it takes K on the free samples of each class and one Schur complement,
// not a matrix of all free multipliers. Once the set of free multipliers is known, they are solved for exactly. Large
// costs are reached by way of smaller ones.
#pragma once

#include <Eigen/Cholesky>

#include "base/types.h"

namespace zeronorm {

// The factors for the free multipliers, those between their bounds, in the equations of solve().
class WestonWatkinsFactor {
 public:
  using Marks = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic>;

  // Factors the system. free is n x k; if a multiplier of a sample is free, that of its own class is, too. Returns
  // false if K is not positive semidefinite. O(sum_k |R_k|^3 + |R|^3), where R_k are the free samples of class k and
  // R those of any.
  bool compute(const Mat& k, const Mat& f, const Marks& free, double delta, double epsilon);

  // Computes d (n x k) on the free multipliers and turn, with levels t_i such that
  //   (K + delta) d_k + F turn_k - t = r_k,  sum_k d_ik = 0,  F'd_k - epsilon turn_k = imbalance_k,
  // where the last two equations hold to the last digits. O(sum_k |R_k|^2).
  void solve(const Mat& r, const Mat& imbalance);
  Mat d, turn;

 private:
  // For one class: its free samples, (K + delta)^-1 on them, this inverse times F, and F' times the product.
  struct Block {
    IndexList rows;
    Mat inverse, g, fg;
  };
  Marks free_;
  Mat f_;
  double epsilon_ = 1;
  std::vector<Block> blocks_;
  // The place of each sample in the Schur complement; -1 if none of its multipliers is free.
  IndexList place_;
  Index active_ = 0;
  // The factor for the levels.
  Eigen::LLT<Mat> schur_;
  Mat coupling_;
  // The factor for turn.
  Eigen::LDLT<Mat> border_;

  static bool invert(const Mat& k, const Mat& f, double delta, Block& b);
  void add_solution(const Mat& r, const Vec& excess, const Mat& imbalance);
  Index place(const Block& b, Index c) const { return place_[std::size_t(b.rows[std::size_t(c)])]; }
};

class WestonWatkinsDual {
 public:
  enum class Outcome { optimal, ray, limit, interrupted };

  // The signed multipliers (n x k), kept between calls.
  Mat beta;
  // The multipliers of F'm_k = 0, one row per column of F: intercepts and unpenalised coefficients.
  Mat theta;
  // A direction in which the dual is unbounded.
  Mat ray;
  long steps = 0;

  // Takes labels in {-1, +1} with one +1 per row, and costs: finite, or infinite unless zero.
  void setup(const Mat& y, const Vec& cost);

  // Solves the dual from beta and theta. O(n^2 k) per step plus its factor.
  Outcome solve(const Mat& k, const Mat& equalities, const Limits& limits);

  // Returns K beta + F theta. O(nk).
  Mat decision() const { return values_ + f_ * theta_; }
  // Returns the gap of the multipliers and these decision values, relative to the optimal value. Hard margins, and
  // soft ones that are met up to rounding, count by their violation. O(nk).
  double gap(const Mat& decision) const;
  // Returns the rounding error of a decision value computed from K. O(nk).
  double noise() const;

  // Solves for the ray on its own entries and returns whether k, of unit mean diagonal, vanishes on it.
  bool sharpen_ray(const Mat& k);

  // Takes one step of iterative refinement with K beta computed from the data. Returns the correction of the
  // multipliers without rounding and updates beta and theta. O(sum_k |R_k|^2).
  Mat refine(const Mat& exact);

 private:
  // The class and the cost of each sample.
  IndexList own_;
  Vec cost_;
  // In units that make the mean diagonal of K one: k_ = K / unit_ and m_ = unit_ * beta.
  double unit_ = 1;
  // The columns of f_ have unit mean square.
  Mat k_, f_;
  Vec f_scale_, cap_, full_cap_;
  // The product K m is values_.
  Mat m_, theta_, values_;

  // The proximal terms are delta/2 |m - anchor|^2 and epsilon/2 |theta - theta_anchor|^2. The smooth function is
  // evaluated at the decision values K U + F theta, where U is carrier_.
  double delta_ = 1, epsilon_ = 1;
  // The product K U is carried_.
  Mat anchor_, theta_anchor_, carrier_, carried_;
  Mat d_carrier_, d_theta_, d_carried_, d_decision_;
  // The multipliers between their bounds, and those for which the last exact solve was made.
  WestonWatkinsFactor::Marks free_, tried_;
  WestonWatkinsFactor factor_;

  // The state to which a failed attempt returns.
  struct State {
    Mat m, theta, values;
    Vec cap;
    WestonWatkinsFactor::Marks free;
    double gap = kInf;
  };
  double tol_ = 0;

  Index samples() const { return Index(own_.size()); }
  Index classes() const { return beta.cols(); }
  Index own(Index i) const { return own_[std::size_t(i)]; }
  bool hard() const { return full_cap_.maxCoeff() == kInf; }
  double largest_multiplier() const { return std::max(1.0, m_.cwiseAbs().maxCoeff()); }

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
