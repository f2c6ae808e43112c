// The few types that everything else speaks in.  No R below src/core/.
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

constexpr double kInf = std::numeric_limits<double>::infinity();

class Design;

// hinge: c_i (m_i - y_i f_i)_+ ; squared_hinge: c_i/2 (m_i - y_i f_i)_+^2 , margins m_i usually one;
// squared: c_i/2 (y_i - f_i)^2, y any number; logistic: c_i log(1 + exp(-y_i f_i)); probit: -c_i log Phi(y_i f_i);
// weston_watkins: c_i sum over k != class(i) of (2 - f_class(i) + f_k)_+ (y has a column per class).
enum class Loss { hinge, squared_hinge, squared, logistic, probit, weston_watkins };

// What 1/2 w'Qw stands beside the scaled ridge: nothing, or the kernel matrix on an expansion.
enum class Quadratic { none, kernel };

// What stays fixed while surrogates change:  sum_i c_i h(y_i f(x_i)),  f = x w + b.
// A tube |t - f| <= eps is two rows of x, (y, m) = (1, t - eps) and (-1, -t - eps); lower <= Av <= upper the
// same with hard margins and no intercept.  Who makes the problem leaves out rows that bound nothing.
struct Problem {
  std::shared_ptr<const Design> x;
  Mat y;       // n x k labels in {-1, +1}; k = 1 for two classes
  Vec cost;    // c_i >= 0; all infinite: hard margin
  Vec margin;  // m_i, finite, of any sign; empty: ones
  Loss loss = Loss::hinge;
  bool intercept = true;
  Quadratic quadratic = Quadratic::none;

  bool hard() const { return cost.size() > 0 && cost[0] == kInf; }
  double margin_of(Index i) const { return margin.size() ? margin[i] : 1.0; }
  Vec margins() const { return margin.size() ? margin : Vec(Vec::Ones(y.rows())); }
};

// This round's convex regulariser:
//   sum_j l1_j |w_j| + 1/2 sum_j (w_j / scale_j)^2 - linear'w.
// scale 0: column removed (w_j = 0); scale Inf: no ridge; l1 0 and scale Inf: a free column.
// With groups, column j belongs to the features groups[j], l1 has an entry per feature and costs the
// largest |w_jk| among the columns of that feature and all outputs (linking rows).
struct Surrogate {
  Vec l1;
  Vec scale;
  Vec linear;  // empty: zero
  std::vector<IndexList> groups;

  double cost_up(Index j) const { return l1[j] - (linear.size() ? linear[j] : 0.0); }
  double cost_down(Index j) const { return l1[j] + (linear.size() ? linear[j] : 0.0); }
  bool has_ridge() const {
    if (scale.size() == 0 || scale.minCoeff() == kInf) return false;  // the common case, fast
    for (Index j = 0; j < scale.size(); ++j)
      if (scale[j] > 0 && scale[j] < kInf) return true;
    return false;
  }
  bool has_l1() const { return l1.maxCoeff() > 0 || (linear.size() && linear.cwiseAbs().maxCoeff() > 0); }
};

// The one convention for the cost parameter C. Beside C times the loss, an l1 norm of weight `l1` and a ridge of weight
// `ridge` enter a surrogate per unit of loss: with these costs and scales.
inline double l1_per_loss(double l1, double C) { return l1 / C; }
inline double scale_per_loss(double ridge, double C) { return ridge > 0 ? std::sqrt(C / ridge) : kInf; }

enum class Status { optimal, infeasible, unbounded, limit, numerical, interrupted, refused };
const char* message(Status status);

// Recomputed from data and solution by certify(), never taken from an engine.
// gap = (primal - dual) / max(|primal|, |dual|, 1e-4 sum of costs); kkt is the largest relative violation.
struct Certificate {
  double primal = kInf;
  double dual = -kInf;
  double gap = kInf;
  double kkt = kInf;
  bool holds(double tol) const { return gap <= tol; }
  bool known() const { return primal < kInf || dual > -kInf; }
};

// w is d x k, b has k entries.  dual is n x k: multipliers a_i in [0, c_i] of the slack rows, so that
// X'(y a) is the gradient the regulariser must balance (squared loss: c_i (y_i - f_i) itself, without y).
// Status infeasible: dual is a Farkas ray.
struct Solution {
  Mat w;
  Vec b;
  Mat dual;
  Status status = Status::numerical;
  Certificate certificate;
  std::string engine;
  bool fallback = false;
  long iterations = 0;
  std::string note;  // one sentence where the status needs it
  Vec importance;    // of the features, where it is not |w|
  Vec network;  // of a network: all its weights, as problem/network.h orders them; w holds their sizes by feature
};

struct Limits {
  double tol = 1e-9;    // relative
  long iterations = 0;  // 0: the engine's own limit
  std::function<bool()> interrupted;

  bool stop_now() const { return interrupted && interrupted(); }
};

// A gap above this proves nothing.
constexpr double kProof = 1e-6;

// The only place that decides what zero is.
constexpr double kZero = 1e-12;
IndexList nonzeros(const Vec& magnitude, double relative = kZero);

// What a feature's coefficients amount to: sum_k |w_jk| over the outputs.
Vec magnitudes(const Mat& w);

// What each entry of l1 is the price of: the same, or with groups the largest |w_jk| of each feature's columns.
Vec magnitudes(const Surrogate& surrogate, const Mat& w);

}  // namespace zeronorm
