// R's side of separation.h.
#include <RcppEigen.h>

#include <algorithm>

#include "core/certificate.h"
#include "core/design.h"
#include "core/engines/engine.h"
#include "core/engines/highs.h"
#include "core/perspective.h"
#include "core/separation.h"
#include "interrupt.h"

namespace {

using namespace zeronorm;

// Stops by Ctrl-C and at a deadline; which of them is remembered, since the bounds so far are an answer.
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

Separation read_separation(const Rcpp::List& spec) {
  Forgiven forgiven;
  forgiven.errors = Rcpp::as<int>(spec["errors"]);
  forgiven.hinge = Rcpp::as<double>(spec["hinge"]);
  return Separation(Rcpp::as<Mat>(spec["x"]), Rcpp::as<Vec>(spec["y"]), forgiven);
}

IndexList from_r(const Rcpp::IntegerVector& set) {
  IndexList out;
  for (int j : set) out.push_back(j - 1);
  return out;
}

Rcpp::IntegerVector to_r(const IndexList& set) {
  Rcpp::IntegerVector out;
  for (Index j : set) out.push_back(static_cast<int>(j) + 1);
  return out;
}

}  // namespace

// All sets of `size` features: how many separate, and which.
// [[Rcpp::export(rng = false)]]
Rcpp::List scan_core(const Rcpp::List& spec, int size, int most, double seconds, SEXP tell) {
  Separation separation = read_separation(spec);
  Watch watch(seconds, tell);
  const SizeScan scan =
      separation.scan(size, most, watch.limits, [&watch](double share) { watch.done(share); });
  Rcpp::List found;
  for (const IndexList& set : scan.found) found.push_back(to_r(set));
  return Rcpp::List::create(Rcpp::_["size"] = size, Rcpp::_["sets"] = scan.sets,
                            Rcpp::_["separating"] = scan.separating, Rcpp::_["unclear"] = scan.unclear,
                            Rcpp::_["complete"] = scan.complete, Rcpp::_["found"] = found,
                            Rcpp::_["margin"] = scan.margin, Rcpp::_["seconds"] = watch.elapsed(),
                            Rcpp::_["interrupted"] = watch.interrupted());
}

// "yes", "no" or "unclear" for each set.
// [[Rcpp::export(rng = false)]]
Rcpp::CharacterVector fits_core(const Rcpp::List& spec, const Rcpp::List& sets, double seconds) {
  Separation separation = read_separation(spec);
  Watch watch(seconds, R_NilValue);
  Rcpp::CharacterVector answers;
  for (SEXP set : sets) {
    const Separation::Answer answer = separation.fits(from_r(set), watch.limits);
    answers.push_back(answer == Separation::Answer::yes  ? "yes"
                      : answer == Separation::Answer::no ? "no"
                                                         : "unclear");
  }
  return answers;
}

// A set without what it can do without.
// [[Rcpp::export(rng = false)]]
Rcpp::List shrink_core(const Rcpp::List& spec, const Rcpp::IntegerVector& set, double seconds) {
  Separation separation = read_separation(spec);
  Watch watch(seconds, R_NilValue);
  const IndexList fewer = separation.shrink(from_r(set), watch.limits);
  return Rcpp::List::create(Rcpp::_["set"] = to_r(fewer), Rcpp::_["interrupted"] = watch.interrupted(),
                            Rcpp::_["seconds"] = watch.elapsed());
}

// Bounds on the number of nonzeros of w within |w_j| <= box, margins of one: by the l1 norm, by its dual, and by the
// mixed-integer programme, whose set is one more that separates.
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
  Solution s = engine->solve(l1, watch.limits);
  s.certificate = certify(problem, l1, s);
  double by_norm = 1, by_dual = 1;
  if (s.status == Status::optimal && s.certificate.holds(kProof)) {
    by_norm = std::ceil(s.certificate.dual / box - 1e-6);
    // sum_j |w_j| |g_j| >= 1'a for every w in question.
    const Vec a = s.dual.col(0).cwiseMax(0.0);
    Vec price = box * problem.x->transposed_times(a.cwiseProduct(y)).cwiseAbs();
    std::sort(price.data(), price.data() + d, std::greater<double>());
    double sum = 0;
    by_dual = 0;
    while (by_dual < d && sum < a.sum() * (1 - 1e-6)) sum += price[static_cast<Index>(by_dual++)];
  }
  const MipResult mip = min_support_mip(problem, box, watch.limits, 0, from_r(start));
  return Rcpp::List::create(
      Rcpp::_["box"] = box, Rcpp::_["by_norm"] = by_norm, Rcpp::_["by_dual"] = by_dual,
      Rcpp::_["by_program"] = static_cast<double>(mip.lower_bound), Rcpp::_["gap"] = mip.gap,
      Rcpp::_["infeasible"] = mip.status == Status::infeasible, Rcpp::_["set"] = to_r(mip.support),
      Rcpp::_["nodes"] = static_cast<double>(mip.nodes), Rcpp::_["seconds"] = watch.elapsed());
}

// min lambda |w|_0 + ridge/2 |w|^2 + sum_i cost_i hinge, proven as far as time goes.
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
  for (SEXP set : start) sets.push_back(from_r(set));
  const RidgeProof proof = prove_ridge(problem, what, sets, watch.limits);
  return Rcpp::List::create(
      Rcpp::_["lower"] = proof.lower, Rcpp::_["upper"] = proof.upper, Rcpp::_["set"] = to_r(proof.support),
      Rcpp::_["w"] = proof.w, Rcpp::_["b"] = proof.b, Rcpp::_["fixed"] = static_cast<double>(proof.fixed),
      Rcpp::_["nodes"] = static_cast<double>(proof.nodes), Rcpp::_["complete"] = proof.complete,
      Rcpp::_["interrupted"] = watch.interrupted(), Rcpp::_["seconds"] = watch.elapsed());
}
