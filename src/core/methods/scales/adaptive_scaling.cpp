// Adaptive scaling: scales of a given norm that minimise the objective of the SVM itself.
#include "methods/scales/adaptive.h"

#include <algorithm>

#include "grade/certificate.h"
#include "methods/scales/scaled_features.h"

#include "methods/fitting.h"

namespace zeronorm {
namespace {

class AdaptiveScaling : public Method {
 public:
  explicit AdaptiveScaling(const Options& options)
      : p_(options.numbers("p")), sigma0_(options.numbers("sigma0")) {}

  // Computes the scales of the features, then the SVM on the scaled features.
  void fit_step(Fitting& fitting) override {
    if (refuses_scales(fitting)) return;
    const CommonOptions& common = fitting.common();
    const double tol = common.stop.limits.tol;
    const double C = common.hard ? kInf : fitting.given_step().loss;
    Problem part = fitting.rows_that_count();
    if (!common.hard) part.cost *= C;
    Adaptive what;
    what.p = p_[static_cast<Index>(fitting.step_number())];
    what.sigma0 = sigma0_[static_cast<Index>(fitting.step_number())];
    what.fixed = common.keep;
    what.empty = common.points ? fitting.void_columns(*part.x) : common.constant;
    what.empty.insert(what.empty.end(), common.unpenalized.begin(), common.unpenalized.end());
    const auto gram = fitting.gram_of(part);
    const Mat equalities = equality_columns(*part.x, common.intercept, common.unpenalized);
    const AdaptiveScales a =
        adapt_scales(*gram, part.y.col(0), part.cost, equalities, what, common.stop.limits);
    Fitted f;
    f.rounds = {a.round};
    f.solution.status = a.status;
    if (a.status == Status::optimal) {
      if (common.points)
        fitting.train_kernel(a.theta, C, f);
      else
        f.solution = scaled_solution(fitting, a.theta, C);
      Certificate& c = f.solution.certificate;
      c = {c.primal, std::min(c.dual, a.certificate.dual), std::max(a.certificate.gap, c.gap),
           std::max(a.certificate.kkt, c.kkt)};
      if (c.gap > tol && what.p == 2 && !common.points) settle_by_costs(fitting, what, C, f.solution);
      if (!(c.gap <= kProof)) {
        f.solution.note = "The scales of the features are not quite at their minimum.";
        f.solution.status = Status::numerical;
      }
    }
    f.stationary = common.points || what.p < 2;
    f.stop = f.solution.status == Status::optimal       ? StopReason::converged
             : f.solution.status == Status::interrupted ? StopReason::interrupted
                                                        : StopReason::failed;
    fitting.finish(std::move(f));
  }

  bool costs_in_rows() const override { return true; }

 private:
  // Trains the linear SVM on columns multiplied by the root of theta.
  static Solution scaled_solution(const Fitting& fitting, const Vec& theta, double C) {
    const CommonOptions& common = fitting.common();
    Problem problem = fitting.plain();
    if (!common.hard) problem.cost = C * fitting.row_weights();
    Surrogate surrogate;
    surrogate.l1 = Vec::Zero(fitting.columns());
    surrogate.scale = theta.cwiseSqrt();
    for (Index j : common.unpenalized) surrogate.scale[j] = kInf;
    for (Index j : common.constant) surrogate.scale[j] = 0;
    const auto engine = make_engine(common.engine);
    engine->setup(problem);
    return solve_certified(*engine, problem, surrogate, common.stop.limits);
  }

  // For p = 2 the objective is  (sum_j |w_j|)^2 / (2 sigma0^2) + C sum xi . If scales are zero, slopes in the scales
  // depend on which of several optimal multipliers were found. The SVM with cost |w|_1 / sigma0^2 for every |w_j|
  // touches the objective at w: its value is a lower bound, and the direction to its solution is one of descent until
  // the two meet.
  static void settle_by_costs(const Fitting& fitting, const Adaptive& what, double C, Solution& s) {
    // This bounds the number of SVMs with l1 costs.
    constexpr int max_iterations = 50;
    const CommonOptions& common = fitting.common();
    const Limits& limits = common.stop.limits;
    const Index d = fitting.columns();
    const double level = what.sigma0 * what.sigma0;
    Problem problem = fitting.plain();
    const Vec& weights = fitting.row_weights();
    problem.cost = C < kInf ? Vec(C * weights) : Vec(Vec::Constant(weights.size(), kInf));
    problem.loss = Loss::hinge;
    Surrogate costs;
    costs.l1 = Vec::Ones(d);
    costs.scale = Vec::Constant(d, kInf);
    for (Index j : what.fixed) costs.l1[j] = 0, costs.scale[j] = what.sigma0;
    for (Index j : what.empty) costs.l1[j] = 0;
    for (Index j : common.constant) costs.scale[j] = 0;
    const Vec open = costs.l1;
    const auto value = [&](const Vec& w, double b) {
      const double norm = open.dot(w.cwiseAbs());
      double sum = norm * norm / (2 * level);
      for (Index j : what.fixed) sum += w[j] * w[j] / (2 * level);
      return C < kInf ? sum + problem.cost.dot(slacks(problem, w, b)) : sum;
    };
    const auto engine = make_engine(common.engine.other("auto"));
    engine->setup(problem);
    Vec w = s.w.col(0);
    double b = common.intercept ? s.b[0] : 0.0, primal = value(w, b), dual = s.certificate.dual;
    const double size = std::max(std::abs(primal), C < kInf ? gap_floor(problem) : 0.0);
    for (int round = 0; round < max_iterations && primal - dual > limits.tol * size; ++round) {
      const double cost = open.dot(w.cwiseAbs()) / level;
      costs.l1 = cost * open;
      const Solution next = solve_certified(*engine, problem, costs, limits);
      if (next.status != Status::optimal) break;
      if (next.certificate.dual - 0.5 * level * cost * cost > dual) {
        dual = next.certificate.dual - 0.5 * level * cost * cost;
        s.dual = next.dual;
      }
      const Vec along = next.w.col(0) - w;
      const double onward = (common.intercept ? next.b[0] : 0.0) - b;
      double low = 0, high = 1;  // The objective is a convex function of the step.
      const auto at = [&](double t) { return value(w + t * along, b + t * onward); };
      for (int k = 0; k < 80; ++k) {
        const double left = low + (high - low) / 3, right = high - (high - low) / 3;
        if (at(left) <= at(right))
          high = right;
        else
          low = left;
      }
      const double step = 0.5 * (low + high), now = at(step);
      if (!(now < primal)) break;
      w += step * along;
      b += step * onward;
      primal = now;
    }
    s.w.col(0) = w;
    s.b[0] = b;
    const double gap = std::max(0.0, primal - dual) / std::max({std::abs(primal), std::abs(dual), size});
    s.certificate = {primal, dual, gap, gap};
  }

  // One entry for each step.
  Vec p_, sigma0_;
};

const RegisteredMethod registered("adaptive_scaling", make_from_options<AdaptiveScaling>);

}  // namespace

}  // namespace zeronorm
