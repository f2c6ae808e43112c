// R's side of separation.h.
#include "core/separation.h"

#include <RcppEigen.h>

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
  const SizeScan scan = separation.scan(size, most, watch.limits, [&watch](double share) { watch.done(share); });
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
    answers.push_back(answer == Separation::Answer::yes   ? "yes"
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
