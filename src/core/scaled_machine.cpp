#include "scaled_machine.h"

#include "certificate.h"
#include "design.h"
#include "minimise.h"

namespace zeronorm {
namespace {

Solution train(Problem& problem, const Vec& cost, const std::string& engine, const Limits& limits) {
  problem.cost = cost;
  const Index n = problem.x->cols();
  Surrogate surrogate;
  surrogate.l1 = Vec::Zero(n);
  surrogate.scale = Vec::Constant(n, kInf);
  const auto solver = make_engine(engine);
  solver->setup(problem);
  return solve_certified(*solver, problem, surrogate, limits);
}

Solution train_limit(Problem& problem, const Vec& weights, const std::string& engine, const Limits& limits) {
  Solution last;
  double before = kInf;
  for (double C = 1; C < 1e10; C *= 10) {
    Solution s = train(problem, C * weights, engine, limits);
    if (s.status != Status::optimal) return last.status == Status::optimal ? last : s;
    const double sum = weights.dot(slacks(problem, s.w.col(0), problem.intercept ? s.b[0] : 0.0));
    last = std::move(s);
    if (sum > (1 - 1e-6) * before) return last;
    before = sum;
  }
  last.note = "The machine stopped before the limit of C.";
  return last;
}

}  // namespace

ScaledMachine scaled_machine(const KernelForm& form, const Mat& x, const Vec& theta, Problem problem,
                             const Vec& weights, double C, const std::string& engine, const Limits& limits) {
  ScaledMachine machine;
  Solution& s = machine.solution;
  const Mat k = ScaledKernel(form, x, x).at(theta, limits);
  if (limits.stop_now()) {
    s.status = Status::interrupted;
    return machine;
  }
  problem.x = kernel_design(k);
  problem.quadratic = Quadratic::kernel;
  const Vec cost = C < kInf ? Vec(C * weights) : Vec::Constant(weights.size(), kInf);
  s = train(problem, cost, engine, limits);
  if (s.status == Status::infeasible) s = train_limit(problem, weights, engine, limits);
  if (s.status == Status::optimal)
    machine.decision = (k * s.w.col(0)).array() + (problem.intercept ? s.b[0] : 0.0);
  return machine;
}

}  // namespace zeronorm
