// The R interface of separation.h.
#include <RcppEigen.h>

#include <algorithm>

#include "core/base/indices.h"
#include "core/data/design.h"
#include "core/engines/engine.h"
#include "core/engines/highs.h"
#include "core/grade/certificate.h"
#include "core/proofs/perspective.h"
#include "core/proofs/separation.h"
#include "interrupt.h"

namespace {

using namespace zeronorm;

// Stops at Ctrl-C and at a deadline and stores which of them it was, because the bounds so far are a result.
class Watch {
 public:
  Watch(double seconds, SEXP tell) : interrupt_(tell), start_(now()), seconds_(seconds) {
    limits.interrupted = [this]() { return interrupt_() || elapsed() > seconds_; };
  }
  Limits limits;
  double elapsed() const { return std::chrono::duration<double>(now() - start_).count(); }
  bool interrupted() { return interrupt_.pending(); }
  void done(double share) { interrupt_.done(share); }

 private:
  static std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }
  Interrupt interrupt_;
  std::chrono::steady_clock::time_point start_;
  double seconds_;
};

// The data and the requirements on sets of their columns. x is not copied from the memory of R.
struct Task {
  explicit Task(const Rcpp::List& spec)
      : x(Rcpp::as<Eigen::Map<Mat>>(spec["x"])), y(Rcpp::as<Vec>(spec["y"])),
        always(Rcpp::as<int>(spec["always"])) {
    forgiven.errors = Rcpp::as<int>(spec["errors"]);
    forgiven.hinge = Rcpp::as<double>(spec["hinge"]);
    if (y.size() != x.rows()) throw std::invalid_argument("y: has another length than `x` has rows");
    if (always < 0 || always > x.cols())
      throw std::invalid_argument("always: is no number of columns of `x`");
  }
  Separation separation() const { return Separation(x, y, forgiven, always); }

  Eigen::Map<Mat> x;
  Vec y;
  Forgiven forgiven;
  Index always;
};

// Returns zero-based positions of columns between `begin` and `end`.
IndexList from_r(const Rcpp::IntegerVector& set, Index begin, Index end) {
  IndexList out;
  for (int j : set) {
    if (j == NA_INTEGER || j - 1 < begin || j - 1 >= end)
      throw std::invalid_argument("set: names a column that there is not");
    out.push_back(j - 1);
  }
  return out;
}

Rcpp::IntegerVector to_r(const IndexList& set) {
  Rcpp::IntegerVector out(set.begin(), set.end());
  return out + 1;
}

// Returns double-double numbers, one per row.
Rcpp::NumericMatrix to_r(const DoubleDoubleVec& v) {
  Rcpp::NumericMatrix out(static_cast<int>(v.size()), 2);
  for (std::size_t k = 0; k < v.size(); ++k) {
    out(static_cast<int>(k), 0) = v[k].high;
    out(static_cast<int>(k), 1) = v[k].low;
  }
  return out;
}

const char* word(Answer answer) {
  return answer == Answer::yes ? "yes" : answer == Answer::no ? "no" : "unclear";
}

// Returns a set, the answer and the evidence of a "yes"; see proves_core().
Rcpp::List to_r(const IndexList& set, const Decision& d) {
  return Rcpp::List::create(Rcpp::_["set"] = to_r(set), Rcpp::_["answer"] = word(d.answer),
                            Rcpp::_["weights"] = to_r(d.w), Rcpp::_["intercept"] = to_r(DoubleDoubleVec{d.b}),
                            Rcpp::_["errors"] = to_r(d.errors), Rcpp::_["margin"] = d.margin);
}

}  // namespace

// Sets the time in seconds that later fits and searches may take; Inf means no limit.
// [[Rcpp::export(rng = false)]]
void set_deadline_core(double seconds) {
  using Clock = std::chrono::steady_clock;
  deadline() = seconds < 1e9
                   ? Clock::now() + std::chrono::milliseconds(static_cast<long long>(1000 * seconds))
                   : Clock::time_point::max();
}

// Returns how many sets of `size` features separate, and which.
// [[Rcpp::export(rng = false)]]
Rcpp::List scan_core(const Rcpp::List& spec, int size, int most, double seconds, SEXP tell) {
  const Task task(spec);
  Separation separation = task.separation();
  Watch watch(seconds, tell);
  const SizeScan scan =
      separation.scan(size, most, watch.limits, [&watch](double share) { watch.done(share); });
  Rcpp::List found;
  for (std::size_t k = 0; k < scan.found.size(); ++k) found.push_back(to_r(scan.found[k], scan.decisions[k]));
  return Rcpp::List::create(
      Rcpp::_["size"] = size, Rcpp::_["sets"] = scan.sets, Rcpp::_["separating"] = scan.separating,
      Rcpp::_["unclear"] = scan.unclear, Rcpp::_["complete"] = scan.complete, Rcpp::_["found"] = found,
      Rcpp::_["seconds"] = watch.elapsed(), Rcpp::_["interrupted"] = watch.interrupted());
}

// Returns "yes", "no" or "unclear" for each set, with the evidence of a "yes", or "time" if time was up before.
// precise: everything in double-double arithmetic. nodes: sub-problems for errors, 0 for no limit.
// [[Rcpp::export(rng = false)]]
Rcpp::List decide_core(const Rcpp::List& spec, const Rcpp::List& sets, bool precise, int nodes,
                       double seconds) {
  const Task task(spec);
  const Separation separation = task.separation();
  Watch watch(seconds, R_NilValue);
  Care care;
  care.widest = !precise;
  care.precise = precise;
  care.nodes = nodes;
  Rcpp::List out;
  for (SEXP given : sets) {
    const IndexList set = from_r(given, task.always, task.x.cols());
    const bool late = watch.limits.stop_now();
    Rcpp::List here = to_r(set, late ? Decision() : separation.decide(set, watch.limits, care));
    if (late || (watch.limits.stop_now() && Rcpp::as<std::string>(here["answer"]) == "unclear"))
      here["answer"] = "time";
    out.push_back(here);
  }
  return out;
}

// Returns whether the weights that came with each set prove on the data, in double-double arithmetic, that it
// separates.
// [[Rcpp::export(rng = false)]]
Rcpp::LogicalVector proves_core(const Rcpp::List& spec, const Rcpp::List& found) {
  const Task task(spec);
  const RelativeMargin exact(task.x, task.y);
  Rcpp::LogicalVector good;
  for (SEXP entry : found) {
    const Rcpp::List given(entry);
    IndexList set = first(task.always);
    for (Index j : from_r(given["set"], task.always, task.x.cols())) set.push_back(j);
    Decision decision;
    const Rcpp::NumericMatrix weights = given["weights"], intercept = given["intercept"];
    for (int k = 0; k < weights.nrow(); ++k) decision.w.push_back(exact_sum(weights(k, 0), weights(k, 1)));
    decision.b = exact_sum(intercept(0, 0), intercept(0, 1));
    decision.errors = from_r(given["errors"], 0, task.x.rows());
    good.push_back(proves(exact, task.forgiven, task.x.rows(), set, decision));
  }
  return good;
}

// Returns a set without the features that it does not need.
// [[Rcpp::export(rng = false)]]
Rcpp::List shrink_core(const Rcpp::List& spec, const Rcpp::IntegerVector& set, double seconds) {
  const Task task(spec);
  Separation separation = task.separation();
  Watch watch(seconds, R_NilValue);
  const IndexList fewer = separation.shrink(from_r(set, task.always, task.x.cols()), watch.limits);
  return Rcpp::List::create(Rcpp::_["set"] = to_r(fewer), Rcpp::_["interrupted"] = watch.interrupted(),
                            Rcpp::_["seconds"] = watch.elapsed());
}

// Bounds on the number of nonzeros of w with |w_j| <= box and margins of one. Two of them use multipliers a >= 0 with
// y'a = 0 and g = X'(y a): |w|_1 max |g_j| >= 1'a, and for k nonzeros, box times the sum of the k largest |g_j| is at
// least 1'a; infinite if no w in the box separates. The third is that of the mixed-integer programme, whose set is
// one more that separates; NA if it does not accept the box.
// [[Rcpp::export(rng = false)]]
Rcpp::List box_core(const Eigen::Map<Eigen::MatrixXd>& x, const Eigen::VectorXd& y, double box,
                    const Rcpp::IntegerVector& start, double seconds) {
  const Index n = x.rows(), d = x.cols();
  Watch watch(seconds, R_NilValue);
  Problem problem;
  problem.x = dense_design(x.data(), n, d, Vec::Zero(d), Vec::Ones(d));
  problem.y = y;
  problem.cost = Vec::Constant(n, kInf);
  Surrogate l1;
  l1.l1 = Vec::Ones(d);
  l1.scale = Vec::Constant(d, kInf);
  const auto engine = make_engine("auto");
  engine->setup(problem);
  const Solution s = engine->solve(l1, watch.limits);
  double by_norm = 1, by_dual = 1;
  if (s.dual.size() == n) {
    // The rounding error of the sums is far below this share.
    constexpr double allowance = 1e-6;
    Vec a = s.dual.col(0).cwiseMax(0.0);
    const double up = (y.array() > 0).select(a, 0.0).sum(), down = a.sum() - up, least = std::min(up, down);
    if (least > 0) {
      for (Index i = 0; i < n; ++i) a[i] *= least / (y[i] > 0 ? up : down);
      const double worth = a.sum() * (1 - allowance);
      Vec price = box * problem.x->transposed_times(a.cwiseProduct(y)).cwiseAbs();
      std::sort(price.data(), price.data() + d, std::greater<double>());
      by_norm = std::max(1.0, std::ceil(worth / price[0] - allowance));
      double sum = 0;
      by_dual = 0;
      while (by_dual < d && sum < worth) sum += price[static_cast<Index>(by_dual++)];
      if (sum < worth) by_dual = kInf;
      by_dual = std::max(1.0, by_dual);
    }
  }
  const MipResult mip = min_support_mip(problem, box, watch.limits, from_r(start, 0, d),
                                        std::max(0.1, seconds - watch.elapsed()));
  const double by_program = mip.status == Status::refused      ? NA_REAL
                            : mip.status == Status::infeasible ? kInf
                                                               : static_cast<double>(mip.lower_bound);
  return Rcpp::List::create(
      Rcpp::_["box"] = box, Rcpp::_["by_norm"] = by_norm, Rcpp::_["by_dual"] = by_dual,
      Rcpp::_["by_program"] = by_program, Rcpp::_["gap"] = mip.gap, Rcpp::_["set"] = to_r(mip.support),
      Rcpp::_["nodes"] = static_cast<double>(mip.nodes), Rcpp::_["seconds"] = watch.elapsed());
}

// Minimises lambda |w|_0 + ridge/2 |w|^2 + sum_i cost_i hinge and proves the result as far as time allows.
// [[Rcpp::export(rng = false)]]
Rcpp::List ridge_core(const Eigen::Map<Eigen::MatrixXd>& x, const Eigen::VectorXd& y,
                      const Eigen::VectorXd& cost, double lambda, double ridge, const Rcpp::List& start,
                      double seconds) {
  const Index n = x.rows(), d = x.cols();
  Watch watch(seconds, R_NilValue);
  Problem problem;
  problem.x = dense_design(x.data(), n, d, Vec::Zero(d), Vec::Ones(d));
  problem.y = y;
  problem.cost = cost;
  RidgeProblem what;
  what.lambda = lambda;
  what.ridge = ridge;
  std::vector<IndexList> sets;
  for (SEXP set : start) sets.push_back(from_r(set, 0, d));
  const RidgeProof proof = prove_ridge(problem, what, sets, watch.limits);
  return Rcpp::List::create(
      Rcpp::_["lower"] = proof.lower, Rcpp::_["upper"] = proof.upper, Rcpp::_["set"] = to_r(proof.support),
      Rcpp::_["w"] = proof.w, Rcpp::_["b"] = proof.b, Rcpp::_["fixed"] = static_cast<double>(proof.fixed),
      Rcpp::_["nodes"] = static_cast<double>(proof.nodes), Rcpp::_["complete"] = proof.complete,
      Rcpp::_["interrupted"] = watch.interrupted(), Rcpp::_["seconds"] = watch.elapsed());
}
