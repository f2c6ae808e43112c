#include "convert.h"
#include "core/grade/certificate.h"
#include "core/methods/fitting.h"
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

HighsSettings read_highs(const Rcpp::List& list) {
  HighsSettings settings;
  if (list.containsElementNamed("column_generation"))
    settings.column_generation = Rcpp::as<bool>(list["column_generation"]);
  if (list.containsElementNamed("presolve"))
    settings.presolve = Options::meaning<std::string>("presolve", Rcpp::as<std::string>(list["presolve"]),
                                                      {{"off", "off"}, {"on", "on"}, {"choose", "choose"}});
  if (list.containsElementNamed("simplex_strategy"))
    settings.simplex_strategy = Rcpp::as<int>(list["simplex_strategy"]);
  return settings;
}

void to_user_scale(const Design& x, Solution& s) {
  for (Index j = 0; j < s.w.rows(); ++j) {
    s.w(j, 0) /= x.scale(j);
    s.b[0] -= s.w(j, 0) * x.center(j);
  }
}

}  // namespace

// Runs one engine on a sequence of surrogates, each warm-started from the previous one, for tests and benches.
// problem holds weights, standardize, intercept, cost, loss and margin (ones if missing). Engine seconds do not
// include the certificate.
// [[Rcpp::export(rng = false)]]
Rcpp::List solve_surrogates(SEXP x, const Eigen::VectorXd& y, const Rcpp::List& problem,
                            const Rcpp::List& surrogates, const std::string& engine,
                            const Rcpp::List& highs) {
  const bool intercept = Rcpp::as<bool>(problem["intercept"]);
  const Data data = read_data(x, Vec::Ones(y.size()), Rcpp::as<bool>(problem["standardize"]), intercept);
  Problem p;
  p.x = data.x;
  p.y = y;
  p.cost = Rcpp::as<Vec>(problem["cost"]);
  p.intercept = intercept;
  if (problem.containsElementNamed("margin")) p.margin = Rcpp::as<Vec>(problem["margin"]);
  p.loss = read_loss(read_options(problem));
  Interrupt interrupt;
  Limits limits;
  limits.interrupted = [&interrupt]() { return interrupt(); };
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto solver = make_engine({engine, read_highs(highs)});
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
    to_user_scale(*p.x, solution);
    out[k] = Rcpp::List::create(_["w"] = solution.w, _["b"] = solution.b, _["dual"] = solution.dual,
                                _["status"] = std::string(message(solution.status)),
                                _["engine"] = solution.engine, _["fallback"] = solution.fallback,
                                _["primal"] = c.primal, _["lower"] = c.dual, _["gap"] = c.gap,
                                _["kkt"] = c.kkt, _["seconds"] = seconds.count(), _["setup"] = setup.count(),
                                _["iterations"] = static_cast<double>(solution.iterations));
  }
  if (interrupt.ask()) throw Rcpp::internal::InterruptedException();
  return out;
}
