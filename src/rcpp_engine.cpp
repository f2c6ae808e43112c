#include "convert.h"
#include "core/certificate.h"
#include "interrupt.h"

using namespace zeronorm;

namespace {

Surrogate read_surrogate(const Rcpp::List& list, Index d) {
  Surrogate s;
  s.l1 = Rcpp::as<Vec>(list["l1"]);
  s.scale = list.containsElementNamed("scale") ? Rcpp::as<Vec>(list["scale"]) : Vec(Vec::Constant(d, kInf));
  if (list.containsElementNamed("linear")) s.linear = Rcpp::as<Vec>(list["linear"]);
  return s;
}

}  // namespace

// One engine on a row of surrogates, warm from each to the next: what tests grade and benches time.
// problem: weights, standardize, intercept, cost, loss. Engine seconds leave out the certificate.
// [[Rcpp::export]]
Rcpp::List solve_surrogates(SEXP x, const Eigen::VectorXd& y, const Rcpp::List& problem,
                            const Rcpp::List& surrogates, const std::string& engine, bool column_generation) {
  const bool intercept = Rcpp::as<bool>(problem["intercept"]);
  const Data data = read_data(x, Vec::Ones(y.size()), Rcpp::as<bool>(problem["standardize"]), intercept);
  Problem p;
  p.x = data.x;
  p.y = y;
  p.cost = Rcpp::as<Vec>(problem["cost"]);
  p.intercept = intercept;
  p.loss = Rcpp::as<std::string>(problem["loss"]) == "squared_hinge" ? Loss::squared_hinge : Loss::hinge;
  Interrupt interrupt;
  Limits limits;
  limits.interrupted = [&interrupt]() { return interrupt(); };
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto solver = make_engine(engine, column_generation);
  solver->setup(p);
  const std::chrono::duration<double> setup = Clock::now() - begin;
  Rcpp::List out(surrogates.size());
  using Rcpp::_;
  for (R_xlen_t k = 0; k < surrogates.size(); ++k) {
    const Surrogate s = read_surrogate(surrogates[k], p.x->cols());
    const std::string refusal = solver->refuses(p, s);
    if (!refusal.empty()) throw std::invalid_argument("engine: " + refusal);
    const auto start = Clock::now();
    Solution solution = solver->solve(s, limits);
    const std::chrono::duration<double> seconds = Clock::now() - start;
    const Certificate c = solution.status == Status::optimal ? certify(p, s, solution) : Certificate();
    out[k] = Rcpp::List::create(_["w"] = solution.w, _["b"] = solution.b, _["dual"] = solution.dual,
                                _["status"] = std::string(message(solution.status)), _["engine"] = solution.engine,
                                _["fallback"] = solution.fallback, _["primal"] = c.primal, _["lower"] = c.dual,
                                _["gap"] = c.gap, _["kkt"] = c.kkt, _["seconds"] = seconds.count(),
                                _["setup"] = setup.count(), _["iterations"] = static_cast<double>(solution.iterations));
  }
  if (interrupt()) throw Rcpp::internal::InterruptedException();
  return out;
}
