// The types that all parts of the core share. Nothing below src/core/ depends on R.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace zeronorm {

using Vec = Eigen::VectorXd;
using Mat = Eigen::MatrixXd;
using Index = Eigen::Index;
using IndexList = std::vector<Index>;

// Infinity: hard margins, removed bounds, and columns without a ridge.
constexpr double kInf = std::numeric_limits<double>::infinity();

class Design;

// The losses of row i:
//   hinge: c_i (m_i - y_i f_i)_+ , with margins m_i that are usually one; squared_hinge: c_i/2 (m_i - y_i f_i)_+^2 ;
//   squared: c_i/2 (y_i - f_i)^2 for any y; logistic: c_i log(1 + exp(-y_i f_i)); probit: -c_i log Phi(y_i f_i);
//   weston_watkins: c_i sum over k != class(i) of (2 - f_class(i) + f_k)_+ , where y has a column per class.
enum class Loss { hinge, squared_hinge, squared, logistic, probit, weston_watkins };

// The quadratic term 1/2 w'Qw beside the scaled ridge: none, or the kernel matrix of an expansion.
enum class Quadratic { none, kernel };

// The part of the objective that stays fixed while surrogates change:  sum_i c_i h(y_i f(x_i)),  f = x w + b. A tube
// |t - f| <= eps consists of two rows with equal x, (y, m) = (1, t - eps) and (-1, -t - eps); constraints lower <= Av
// <= upper are the same with hard margins and no intercept. The caller leaves out rows that constrain nothing.
struct Problem {
  std::shared_ptr<const Design> x;
  // Labels in {-1, +1}, n x k; k = 1 for two classes.
  Mat y;
  // Costs c_i >= 0; all infinite for a hard margin.
  Vec cost;
  // Margins m_i, finite and of any sign; empty means ones.
  Vec margin;
  Loss loss = Loss::hinge;
  bool intercept = true;
  Quadratic quadratic = Quadratic::none;

  bool hard() const { return cost.size() > 0 && cost[0] == kInf; }
  double margin_of(Index i) const { return margin.size() ? margin[i] : 1.0; }
  Vec margins() const { return margin.size() ? margin : Vec(Vec::Ones(y.rows())); }
};

// The convex regulariser of this iteration:
//   sum_j l1_j |w_j| + 1/2 sum_j (w_j / scale_j)^2 - linear'w
// A scale of 0 removes the column (w_j = 0), and an infinite one means no ridge; with l1 = 0 the column is then
// unpenalised. With groups, column j belongs to the features groups[j], and l1 has an entry per feature that
// multiplies the largest |w_jk| among the columns of that feature and all outputs (linking rows).
struct Surrogate {
  Vec l1;
  Vec scale;
  // The linear term; empty means zero.
  Vec linear;
  std::vector<IndexList> groups;

  double cost_up(Index j) const { return l1[j] - (linear.size() ? linear[j] : 0.0); }
  double cost_down(Index j) const { return l1[j] + (linear.size() ? linear[j] : 0.0); }
  bool has_ridge() const {
    if (scale.size() == 0 || scale.minCoeff() == kInf) return false;  // This common case is tested fast.
    for (Index j = 0; j < scale.size(); ++j)
      if (scale[j] > 0 && scale[j] < kInf) return true;
    return false;
  }
  bool has_l1() const { return l1.maxCoeff() > 0 || (linear.size() && linear.cwiseAbs().maxCoeff() > 0); }
};

// The only convention for the cost parameter C. Beside C times the loss, an l1 norm of weight l1 and a ridge of weight
// ridge enter a surrogate per unit of loss. These functions return the resulting cost and scale.
inline double l1_per_loss(double l1, double C) { return l1 / C; }
inline double scale_per_loss(double ridge, double C) { return ridge > 0 ? std::sqrt(C / ridge) : kInf; }

enum class Status { optimal, infeasible, unbounded, limit, numerical, interrupted, refused };
const char* message(Status status);

// Computed from data and solution by certify(), never taken from an engine. gap = (primal - dual) / max(|primal|,
// |dual|, 1e-4 sum of costs); kkt is the largest relative violation.
struct Certificate {
  double primal = kInf;
  double dual = -kInf;
  double gap = kInf;
  double kkt = kInf;
  bool holds(double tol) const { return gap <= tol; }
  bool known() const { return primal < kInf || dual > -kInf; }
};

// The coefficients w are d x k, and b has k entries. dual is n x k: the multipliers a_i in [0, c_i] of the margins,
// so that the regulariser balances the gradient X'(y a); for the squared loss it is c_i (y_i - f_i) itself, without
// y. If the status is infeasible, dual is a Farkas ray.
struct Solution {
  Mat w;
  Vec b;
  Mat dual;
  Status status = Status::numerical;
  Certificate certificate;
  std::string engine;
  bool fallback = false;
  long iterations = 0;
  // One sentence if the status needs an explanation.
  std::string note;
  // The importance of the features if it is not |w|.
  Vec importance;
  // All weights of a network in the order of problem/network.h; w then holds their sizes by feature.
  Vec network;
};

struct Limits {
  // The tolerance on the relative gap.
  double tol = 1e-9;
  // The largest number of iterations; 0 means the limit of the engine itself.
  long iterations = 0;
  std::function<bool()> interrupted;

  bool stop_now() const { return interrupted && interrupted(); }
};

// Largest relative gap at which a solution counts as proven.
constexpr double kProof = 1e-6;

// Relative size at or below which a magnitude counts as zero; nonzeros() is the only function that decides this.
constexpr double kZero = 1e-12;
IndexList nonzeros(const Vec& magnitude, double relative = kZero);

// Returns the size of the coefficients of each feature: sum_k |w_jk| over the outputs.
Vec magnitudes(const Mat& w);

// Returns the magnitudes that l1 multiplies: the same, or with groups the largest |w_jk| of the columns of each
// feature.
Vec magnitudes(const Surrogate& surrogate, const Mat& w);

}  // namespace zeronorm
