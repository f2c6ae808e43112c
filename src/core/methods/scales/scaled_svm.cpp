#include "methods/scales/scaled_svm.h"

#include "base/indices.h"
#include "data/design.h"
#include "engines/solve_certified.h"
#include "grade/certificate.h"

namespace zeronorm {
namespace {

Solution train(Problem& problem, const Vec& cost, const EngineChoice& engine, const Limits& limits) {
  problem.cost = cost;
  const Index n = problem.x->cols();
  Surrogate surrogate;
  surrogate.l1 = Vec::Zero(n);
  surrogate.scale = Vec::Constant(n, kInf);
  const auto solver = make_engine(engine);
  solver->setup(problem);
  return solve_certified(*solver, problem, surrogate, limits);
}

// Raises C until there are no violations or they no longer decrease.
Solution train_limit(Problem& problem, const Vec& weights, const EngineChoice& engine, const Limits& limits) {
  Solution last;
  double before = kInf;
  for (double C = 1; C < 1e10; C *= 10) {
    Solution s = train(problem, C * weights, engine, limits);
    if (s.status == Status::interrupted) return s;
    if (s.status != Status::optimal) {
      if (last.status != Status::optimal) return s;
      break;
    }
    const double sum = weights.dot(slacks(problem, s.w.col(0), problem.intercept ? s.b[0] : 0.0));
    last = std::move(s);
    if (sum > (1 - 1e-6) * before || sum <= 1e-10 * weights.sum()) return last;
    before = sum;
  }
  last.note = "The SVM was trained with the largest C that could be solved, before the limit of large C.";
  return last;
}

}  // namespace

ScaledSvm train_scaled_svm(const KernelForm& form, const Mat& x, const Vec& theta, Problem problem,
                           const Vec& weights, double C, const EngineChoice& engine, const Limits& limits) {
  const IndexList rows = nonzero_entries(weights);  // Rows without weight are left out.
  const Index n = static_cast<Index>(rows.size());
  Mat points(n, x.cols()), y(n, 1);
  Vec counted(n);
  for (Index i = 0; i < n; ++i) {
    points.row(i) = x.row(rows[i]);
    y(i, 0) = problem.y(rows[i], 0);
    counted[i] = weights[rows[i]];
  }
  ScaledSvm svm;
  Solution& s = svm.solution;
  const Mat k = ScaledKernel(form, x, points).at(theta, limits);
  if (limits.stop_now()) {
    s.status = Status::interrupted;
    return svm;
  }
  Mat square(n, n);
  for (Index i = 0; i < n; ++i) square.row(i) = k.row(rows[i]);
  problem.x = kernel_design(square);
  problem.y = y;
  problem.quadratic = Quadratic::kernel;
  if (C < kInf) {
    s = train(problem, C * counted, engine, limits);
  } else {
    // A hard margin of huge norm is easier to reach by increasing C.
    const EngineChoice exact = engine.named() ? engine : engine.other("dual");
    s = train(problem, Vec::Constant(n, kInf), exact, limits);
    const bool settled = s.status == Status::optimal || s.status == Status::interrupted;
    if (!settled) s = train_limit(problem, counted, exact, limits);
  }
  if (s.status != Status::optimal) return svm;
  svm.decision = (k * s.w.col(0)).array() + (problem.intercept ? s.b[0] : 0.0);
  Mat w = Mat::Zero(x.rows(), 1), dual = w;
  for (Index i = 0; i < n; ++i) {
    w(rows[i], 0) = s.w(i, 0);
    dual(rows[i], 0) = s.dual(i, 0);
  }
  s.w = w;
  s.dual = dual;
  return svm;
}

}  // namespace zeronorm
