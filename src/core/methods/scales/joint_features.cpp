#include "methods/scales/joint_features.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/indices.h"
#include "data/design.h"
#include "engines/parts/minimise_box.h"
#include "grade/certificate.h"
#include "problem/loss.h"

namespace zeronorm {
namespace {

class Search {
 public:
  Search(const KernelForm& form, const Mat& x, const Problem& problem, const Vec& weights, double gamma1,
         double gamma2, const Stop& stop)
      : form_(form), x_(x), stop_(stop), gamma2_(gamma2), points_(counted(x, weights)),
        kernel_(form, points_, points_), engine_(make_engine("auto")) {
    const Index n = static_cast<Index>(rows_.size());
    problem_.y.resize(n, 1);
    problem_.cost.resize(n);
    for (Index i = 0; i < n; ++i) {
      problem_.y(i, 0) = problem.y(rows_[i], 0);
      problem_.cost[i] = weights[rows_[i]];
    }
    problem_.loss = Loss::probit;
    problem_.intercept = problem.intercept;
    surrogate_.l1 = Vec::Constant(n, gamma1);
    surrogate_.scale = Vec::Constant(n, kInf);
  }

  JointFeatures run() {
    BoxSmooth box;
    const Index d = x_.cols();
    box.lower = Vec::Zero(d);
    box.upper = Vec::Constant(d, kInf);
    box.value = [this](const Vec& sigma, Vec& gradient) { return value(sigma, gradient); };
    const BoxResult best = minimise_box(box, Vec::Ones(d), stop_.limits);
    JointFeatures found;
    found.sigma = best.x;
    for (double v : best.values) found.rounds.push_back({v, used_[v], 0, "box"});
    found.stop = StopReason::converged;
    Vec gradient(d);
    const double at = value(best.x, gradient);
    Solution s = last_;
    if (stop_.limits.stop_now()) s.status = Status::interrupted;
    if (s.status == Status::optimal) {
      Certificate& c = s.certificate;
      c = certify(problem_, surrogate_, s);
      c.primal += gamma2_ * best.x.sum();
      c.dual += gamma2_ * best.x.sum();
      c.gap = std::max(c.gap, unrest(best.x, gradient) / std::max(at, gap_floor(problem_)));
      if (!found.rounds.empty()) found.rounds.back().gap = c.gap;
      if (!c.holds(kStationaryTol)) {
        s.status = best.status == Status::optimal ? Status::numerical : best.status;
        s.note = "The search for scales ended before its gradient vanished.";
      }
    }
    if (s.status != Status::optimal)
      found.stop = s.status == Status::interrupted ? StopReason::interrupted : StopReason::failed;
    spread(s, found);
    return found;
  }

 private:
  // Largest relative gap, including the first-order decrease in sigma, at which the solution counts as stationary.
  static constexpr double kStationaryTol = 1e-6;

  const KernelForm& form_;
  const Mat& x_;
  const Stop& stop_;
  double gamma2_;
  // The rows with a positive weight.
  IndexList rows_;
  Mat points_;
  ScaledKernel kernel_;
  Problem problem_;
  Surrogate surrogate_;
  std::unique_ptr<Engine> engine_;
  Mat values_;
  Solution last_;
  // The number of features at each value of the search.
  std::map<double, Index> used_;

  Mat counted(const Mat& x, const Vec& weights) {
    rows_ = nonzero_entries(weights);
    Mat points(rows_.size(), x.cols());
    for (std::size_t i = 0; i < rows_.size(); ++i) points.row(i) = x.row(rows_[i]);
    return points;
  }

  // Returns the minimum over a and b, and its gradient in sigma, which is that at the best a and b.
  double value(const Vec& sigma, Vec& gradient) {
    values_ = kernel_.at(sigma.cwiseAbs2(), stop_.limits);
    const Index n = values_.rows();
    if (stop_.limits.stop_now() || !values_.allFinite()) return kInf;
    problem_.x = dense_design(values_.data(), n, n, Vec::Zero(n), Vec::Ones(n));
    engine_->setup(problem_);
    last_ = engine_->solve(surrogate_, stop_.limits);
    if (last_.status != Status::optimal) return kInf;
    const Vec a = last_.w.col(0), f = (values_ * a).array() + last_.b[0];
    double sum = gamma2_ * sigma.sum() + surrogate_.l1.dot(a.cwiseAbs());
    for (Index i = 0; i < n; ++i) sum += problem_.cost[i] * loss_value(Loss::probit, problem_.y(i, 0), f[i]);
    const Vec force = forces(problem_, last_.dual).col(0);
    gradient = gamma2_ - 2 * sigma.array() * kernel_.slopes(force * a.transpose(), stop_.limits).array();
    used_[sum] = (sigma.array() > 0).count();
    return sum;
  }

  // Returns the first-order decrease by a change of each scale by its own size, or by one at zero.
  static double unrest(const Vec& sigma, const Vec& gradient) {
    double sum = 0;
    for (Index j = 0; j < sigma.size(); ++j) {
      if (sigma[j] > 0)
        sum += std::abs(gradient[j]) * sigma[j];
      else
        sum += std::max(0.0, -gradient[j]);
    }
    return sum;
  }

  void spread(const Solution& s, JointFeatures& found) {
    found.solution = s;
    found.solution.w = found.solution.dual = Mat::Zero(x_.rows(), 1);
    found.solution.importance = found.sigma;
    if (s.status != Status::optimal) return;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      found.solution.w(rows_[i], 0) = found.solution.dual(rows_[i], 0) = s.w(i, 0);
  }
};

}  // namespace

JointFeatures find_joint_features(const KernelForm& form, const Mat& x, const Problem& problem,
                                  const Vec& weights, double gamma1, double gamma2, const Stop& stop) {
  return Search(form, x, problem, weights, gamma1, gamma2, stop).run();
}

}  // namespace zeronorm
