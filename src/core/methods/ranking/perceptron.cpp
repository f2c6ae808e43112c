#include "methods/ranking/perceptron.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/design.h"
#include "loop/refit.h"

namespace zeronorm {
namespace {

// Largest number of updates of one perceptron.
constexpr long kMaxUpdates = 5000000;
// Updates between two checks of the limits.
constexpr long kUpdatesPerCheck = 64;

double p_norm(const Eigen::Ref<const Vec>& x, double p) {
  const double largest = x.size() ? x.cwiseAbs().maxCoeff() : 0.0;
  return largest > 0 ? largest * std::pow((x / largest).cwiseAbs().array().pow(p).sum(), 1 / p) : 0.0;
}

// theta with its norm and w = grad 1/2 |theta|_p^2, for which |w|_q = |theta|_p; one power is computed per entry.
class Dual {
 public:
  Dual(Index d, double p) : theta(Vec::Zero(d)), w(Vec::Zero(d)), p_(p) {}
  Vec theta, w;
  double norm = 0;
  // Adds x to theta. O(d).
  void add(const Eigen::Ref<const Vec>& x) {
    theta += x;
    const double unit = theta.cwiseAbs().maxCoeff();
    if (!(unit > 0)) {
      w.setZero();
      norm = 0;
      return;
    }
    const Eigen::ArrayXd size = theta.array().abs() / unit;
    const Eigen::ArrayXd power = p_ == 2 ? size : ((p_ - 1) * size.log()).exp();
    const double root = std::pow((size * power).sum(), 1 / p_);
    norm = unit * root;
    w = theta.array().sign() * power * (norm * std::pow(root, 1 - p_));
  }
  // Scales theta to norm 1.
  void shrink() {
    theta /= norm;
    w /= norm;
    norm = 1;
  }

 private:
  double p_;
};

class AlmaElimination {
 public:
  AlmaElimination(const Problem& problem, double a, const IndexList& forced, const IndexList& empty,
                  const Limits& limits)
      : problem_(problem), a_(a), limits_(limits), d_(problem.x->cols()), forced_(d_, 0) {
    std::vector<char> out(d_, 0);
    for (Index j : empty) out[j] = 1;
    for (Index j : forced) forced_[j] = 1;
    for (Index j = 0; j < d_; ++j)
      if (!out[j]) present_.push_back(j);
    for (Index j = d_ - 1; j >= 0; --j)
      if (out[j]) worst_.push_back(j);
  }

  AlmaSearch run() {
    AlmaSearch found;
    bool dropped = true;
    while (dropped) {
      const double n = static_cast<double>(present_.size());
      const double p = std::max(2.0, 2 * std::log(std::max(1.0, n)));
      const Perceptron perceptron = alma(rows(p), p, a_, limits_);
      found.trace.solution.status = perceptron.status;
      if (perceptron.status != Status::optimal) {
        const bool asked = perceptron.status == Status::interrupted;
        found.trace.stop = asked ? StopReason::interrupted : StopReason::failed;
        found.trace.solution.note = asked ? "" : "The margin is so small that ALMA takes too many updates.";
        return found;
      }
      found.trace.rounds.push_back({perceptron.margin, static_cast<Index>(present_.size()),
                                    std::max(0.0, 1 - perceptron.margin / perceptron.bound), "alma"});
      dropped = drop(perceptron, p / (p - 1));
    }
    found.chosen = present_;
    std::sort(found.chosen.begin(), found.chosen.end());
    found.order = present_;
    found.order.insert(found.order.end(), worst_.rbegin(), worst_.rend());
    return found;
  }

 private:
  const Problem& problem_;
  double a_;
  const Limits& limits_;
  Index d_;
  std::vector<char> forced_;
  // The remaining features, the best first once they are ranked.
  IndexList present_;
  // The eliminated features, the first eliminated first.
  IndexList worst_;

  // Returns the normalised rows. O(nd).
  Mat rows(double p) const {
    const Index n = problem_.x->rows(), m = static_cast<Index>(present_.size());
    Mat rows(n, m + (problem_.intercept ? 1 : 0));
    for (Index k = 0; k < m; ++k) {
      problem_.x->column(present_[k], rows.col(k).data());
      if (problem_.intercept) rows.col(k).array() -= rows.col(k).mean();  // Sparse designs are not centred.
    }
    if (problem_.intercept) rows.col(m).setOnes();
    for (Index i = 0; i < n; ++i) {
      const double norm = p_norm(rows.row(i).transpose(), p);
      if (norm > 0) rows.row(i) *= problem_.y(i, 0) / norm;
    }
    return rows;
  }

  // Drops features and returns whether there were any. O(d log d).
  bool drop(const Perceptron& perceptron, double q) {
    const std::size_t m = present_.size();
    IndexList place(m);
    std::iota(place.begin(), place.end(), Index(0));
    Vec weight(m);
    for (std::size_t k = 0; k < m; ++k) weight[k] = without_rounding(std::abs(perceptron.w[k]));
    std::sort(place.begin(), place.end(), [&](Index a, Index b) {
      const char fa = forced_[present_[a]], fb = forced_[present_[b]];
      if (fa != fb) return fa > fb;
      return weight[a] != weight[b] ? weight[a] > weight[b] : present_[a] < present_[b];
    });
    // The sum that may be dropped; rounding errors of the sums are excluded.
    const double room = std::pow(a_ * (1 - a_) * perceptron.margin, q) * (1 - 1e-12);
    double gone = 0;
    std::size_t stay = m;
    while (stay > 0 && !forced_[present_[place[stay - 1]]]) {
      gone += std::pow(std::abs(perceptron.w[place[stay - 1]]), q);
      if (gone > room) break;
      --stay;
    }
    IndexList kept;
    for (std::size_t k = 0; k < stay; ++k) kept.push_back(present_[place[k]]);
    for (std::size_t k = m; k-- > stay;) worst_.push_back(present_[place[k]]);
    present_ = std::move(kept);
    return stay < m;
  }
};

}  // namespace

Perceptron alma(const Mat& rows, double p, double a, const Limits& limits) {
  Perceptron found;
  Dual dual(rows.cols(), p);
  const Mat columns = rows.transpose();
  const Vec towards = -columns.rowwise().mean();  // The first update uses the row nearest to all.
  // The total weight of the rows in theta.
  double steps = 0;
  for (long k = 1; k <= kMaxUpdates; ++k) {
    if (k % kUpdatesPerCheck == 0 && limits.stop_now()) {
      found.status = Status::interrupted;
      return found;
    }
    Index at = 0;
    const Vec margins = columns.transpose() * (k > 1 ? dual.w : towards);
    const double margin = margins.minCoeff(&at);
    const double level = std::sqrt(8 * (p - 1) / static_cast<double>(k)) / a;
    if (dual.norm > 0 && margin > (1 - a) * level) {
      found.bound = dual.norm / steps;
      dual.shrink();
      found.w = dual.w;
      found.margin = (rows * found.w).minCoeff();
      found.status = Status::optimal;
      return found;
    }
    const double eta = std::sqrt(2 / ((p - 1) * static_cast<double>(k)));
    dual.add(eta * columns.col(at));
    steps += eta;
    if (dual.norm > 1) {
      steps /= dual.norm;
      dual.shrink();
    }
  }
  found.status = Status::limit;
  return found;
}

AlmaSearch search_alma(const Problem& problem, double a, const IndexList& forced, const IndexList& empty,
                       const Limits& limits) {
  return AlmaElimination(problem, a, forced, empty, limits).run();
}

}  // namespace zeronorm
