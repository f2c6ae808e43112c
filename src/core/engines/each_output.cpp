// Solves problems whose outputs share only rows, columns and the regulariser (one-against-rest, labels) one output at
// a time and puts the solutions side by side. Costs that link outputs make one problem of all of them; see Flat.
#include <algorithm>

#include "data/design.h"
#include "engines/engine.h"
#include "grade/flat.h"
#include "problem/outputs.h"

namespace zeronorm {
namespace {

class EachOutput : public Engine {
 public:
  explicit EachOutput(EngineMaker make) : make_(std::move(make)), engines_(1) { engines_[0] = make_(); }

  std::string name() const override { return engines_[0]->name(); }

  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override {
    if (linked(problem, surrogate)) {
      Problem flat = one_output(problem, 0);
      if (flat.loss == Loss::weston_watkins) flat.loss = Loss::hinge;
      if (flat.loss != Loss::hinge) return "Only hinge losses take an l1 cost that outputs share.";
      return engines_[0]->refuses(flat, surrogate);
    }
    if (!independent(problem)) return engines_[0]->refuses(problem, surrogate);
    return engines_[0]->refuses(one_output(problem, 0), surrogate);
  }

  void setup(const Problem& problem) override {
    problem_ = &problem;
    flat_.reset();
    outputs_.clear();
    if (!independent(problem)) {
      engines_.resize(1);
      return engines_[0]->setup(problem);
    }
    engines_.resize(problem.y.cols());
    outputs_.reserve(engines_.size());
    const auto x = cached_design(problem.x);  // The outputs need the same Gram matrix one after another.
    for (std::size_t k = 0; k < engines_.size(); ++k) {
      outputs_.push_back(one_output(problem, Index(k)));
      outputs_[k].x = x;
      if (!engines_[k]) engines_[k] = make_();
      engines_[k]->setup(outputs_[k]);
    }
  }

  // Ends at the first output that is not solved and returns only its multipliers: a ray if it cannot be separated.
  Solution solve(const Surrogate& surrogate, const Limits& limits) override {
    if (linked(*problem_, surrogate)) return solve_linked(surrogate, limits);
    if (outputs_.empty()) return engines_[0]->solve(surrogate, limits);
    Solution all;
    for (std::size_t k = 0; k < engines_.size(); ++k) {
      Solution one = engines_[k]->solve(surrogate, limits);
      if (k == 0) all = wide(one);
      if (one.status != Status::optimal) {
        all.dual.setZero();
        if (one.dual.rows() == all.dual.rows()) all.dual.col(Index(k)) = one.dual.col(0);
        all.status = one.status;
        all.note = one.note;
        return all;
      }
      all.w.col(Index(k)) = one.w.col(0);
      all.b[Index(k)] = one.b[0];
      all.dual.col(Index(k)) = one.dual.col(0);
      all.fallback = all.fallback || one.fallback;
      all.iterations += one.iterations;
      if (!one.note.empty()) all.note = one.note;
      add(one.certificate, all.certificate);
    }
    if (!(all.certificate.gap < kInf)) all.certificate = Certificate();
    return all;
  }

 private:
  Solution solve_linked(const Surrogate& surrogate, const Limits& limits) {
    if (!flat_) {
      flat_ = std::make_unique<Flat>(*problem_);
      linked_ = make_();
      linked_->setup(flat_->problem());
    }
    return flat_->leave(linked_->solve(flat_->enter(surrogate), limits));
  }

  // Returns the solution of the first output with room for the weights of all outputs.
  Solution wide(const Solution& one) const {
    const Problem& p = outputs_[0];
    const Index k = Index(outputs_.size());
    Solution all = one;
    all.w = Mat::Zero(p.x->cols(), k);
    all.b = Vec::Zero(k);
    all.dual = Mat::Zero(p.y.rows(), k);
    all.certificate.primal = all.certificate.dual = all.certificate.gap = all.certificate.kkt = 0;
    all.iterations = 0;
    return all;
  }

  // Adds the certificate of an engine that certifies its own solution; the sum is unknown if any certificate is.
  static void add(const Certificate& one, Certificate& all) {
    all.primal += one.primal;
    all.dual += one.dual;
    all.gap = std::max(all.gap, one.gap);
    all.kkt = std::max(all.kkt, one.kkt);
  }

  EngineMaker make_;
  const Problem* problem_ = nullptr;
  // Empty if the problem has one output or if its outputs are coupled.
  std::vector<Problem> outputs_;
  std::vector<std::unique_ptr<Engine>> engines_;
  // All outputs as one problem, for costs that link them.
  std::unique_ptr<Flat> flat_;
  std::unique_ptr<Engine> linked_;
};

}  // namespace

std::unique_ptr<Engine> make_each_output(EngineMaker make) {
  return std::make_unique<EachOutput>(std::move(make));
}

}  // namespace zeronorm
