// The l2-regularised Weston-Watkins SVM on rescaled columns (m_svm, joint l2-AROM), solved by its dual; see
// push_qp.h.
#include <algorithm>
#include <cmath>

#include "engines/engine.h"
#include "engines/parts/push_qp.h"
#include "engines/parts/scaled_gram.h"
#include "engines/sizes.h"
#include "grade/certificate.h"
#include "problem/free_columns.h"
#include "problem/margins.h"

namespace zeronorm {
namespace {

class WestonWatkinsEngine final : public BareEngine {
 public:
  WestonWatkinsEngine() : BareEngine(kWestonWatkinsEngine) {}

  static std::string refusal(const Problem& p, const Surrogate& s) {
    if (p.loss != Loss::weston_watkins) return "The Weston-Watkins engine takes its own loss only.";
    if (p.quadratic != Quadratic::none) return "The Weston-Watkins engine takes no kernel.";
    if (!s.groups.empty()) return "The Weston-Watkins engine takes no groups of columns.";
    if (s.l1.size() > 0 && s.has_l1()) return "The Weston-Watkins engine takes no l1 or linear term.";
    if (p.x->rows() > kMostRowsOfDual)
      return "The Weston-Watkins engine keeps a number for each pair of rows, which " +
             std::to_string(p.x->rows()) + " rows make too many.";
    const Index infinite = (p.cost.array() == kInf).count();
    if (infinite > 0 && infinite + (p.cost.array() == 0).count() < p.cost.size())
      return "The Weston-Watkins engine takes finite costs or hard margins, not a mixture.";
    return "";
  }

  void setup(const Problem& problem) override {
    problem_ = &problem;
    qp_.setup(problem.y, problem.cost);
    gram_.setup(problem.x);
  }

  Solution solve(const Surrogate& surrogate, const Limits& limits) override {
    Solution out;
    out.engine = name();
    out.w = Mat::Zero(problem_->x->cols(), problem_->y.cols());
    out.b = Vec::Zero(problem_->y.cols());
    out.dual = Mat::Zero(problem_->x->rows(), problem_->y.cols());
    out.note = refusal(*problem_, surrogate);
    if (!out.note.empty()) {
      out.status = Status::refused;
      return out;
    }
    const Mat& k = gram_.gram(surrogate.scale, limits);
    if (limits.stop_now()) {
      gram_.forget();
      out.status = Status::interrupted;
      return out;
    }
    const Vec moves = (problem_->cost.array() > 0).cast<double>();
    const FreeColumns free(*problem_->x, problem_->intercept, free_columns(surrogate), moves);
    const WestonWatkinsDual::Outcome outcome = qp_.solve(k, free.basis(), limits);
    out.iterations = qp_.steps;
    if (outcome == WestonWatkinsDual::Outcome::interrupted) {
      out.status = Status::interrupted;
      return out;
    }
    if (outcome == WestonWatkinsDual::Outcome::ray) return not_separable(surrogate, out);
    const double gap = recover(surrogate, free, limits.tol, out);
    if (gap <= std::max(limits.tol, kProof))
      out.status = Status::optimal;
    else if (outcome == WestonWatkinsDual::Outcome::limit)
      out.status = Status::limit;
    else
      out.note = "Rounding kept the Weston-Watkins engine from the tolerance.";
    return out;
  }

 private:
  const Problem* problem_ = nullptr;
  WestonWatkinsDual qp_;
  ScaledGram gram_;

  // Returns w_jk = z_j^2 x_j'm_k. O(ndk) over the columns present.
  Mat coefficients(const Surrogate& s, const Mat& beta) const {
    Mat w(problem_->x->cols(), beta.cols());
    for (Index k = 0; k < beta.cols(); ++k) w.col(k) = gram_.coefficients(beta.col(k), s.scale);
    return w;
  }

  Mat values(const Mat& w) const { return decision_values(*problem_->x, w, Vec()); }

  // The multipliers of the margins are minus the signed multipliers of the other classes.
  static Mat multipliers(const Mat& beta) { return (-beta).cwiseMax(0.0); }

  // The dual is unbounded along the ray. Every column has to confirm this, because rounding in K can hide small
  // columns.
  Solution not_separable(const Surrogate& s, Solution out) {
    out.dual = multipliers(qp_.ray);
    if (!proves_inseparable(*problem_, s, out) && qp_.sharpen_ray(even_gram(s)))
      out.dual = multipliers(qp_.ray);
    out.dual /= out.dual.sum();
    qp_.beta.setZero();
    const bool proof = proves_inseparable(*problem_, s, out);
    out.status = proof ? Status::infeasible : Status::numerical;
    out.note = proof ? "The classes are not separable by these columns."
                     : "Rounding hides whether the classes are separable.";
    return out;
  }

  // Returns the Gram matrix with all columns scaled to one norm, of unit mean diagonal. O(n^2 d).
  Mat even_gram(const Surrogate& s) const {
    Vec z = problem_->x->squared_norms();
    for (Index j = 0; j < z.size(); ++j)
      z[j] = z[j] > 0 && s.scale[j] > 0 && s.scale[j] < kInf ? 1 / std::sqrt(z[j]) : 0.0;
    const Mat k = problem_->x->gram(z);
    return k / std::max(k.diagonal().mean(), 1e-300);
  }

  // Computes w by its formula, the unpenalised columns and b from the equality multipliers, and centres b in its
  // optimal interval. Returns the relative gap. One pass over X; three if K has lost digits.
  double recover(const Surrogate& s, const FreeColumns& free, double tol, Solution& out) {
    out.w = coefficients(s, qp_.beta);
    Mat fit = values(out.w);
    for (int round = 0; round < 2 && !(gap_of(fit, free) <= tol); ++round) {
      out.w += coefficients(s, qp_.refine(fit));
      fit = values(out.w);
    }
    // A part common to all classes does not change the classifier, so it is removed.
    const Mat theta = qp_.theta.colwise() - qp_.theta.rowwise().mean();
    fit = values(out.w);
    fit += free.put(theta, out);
    out.dual = multipliers(qp_.beta);
    if (problem_->intercept) out.b = best_intercepts(*problem_, fit, out.dual, qp_.theta.row(0).transpose());
    stretch(fit, out);
    const double gap = qp_.gap(fit.rowwise() + out.b.transpose());
    out = free.leave(std::move(out));
    return gap;
  }

  double gap_of(const Mat& fit, const FreeColumns& free) const {
    return qp_.gap(fit + free.basis() * qp_.theta);
  }

  // Scales the solution up to meet the margins exactly if only rounding violates them: a large cost would magnify
  // even these violations. O(nk).
  void stretch(Mat& fit, Solution& out) const {
    const Margins margins(*problem_);
    const Vec slack = margins.rhs - margins.margins(fit.rowwise() + out.b.transpose());
    double worst = 0;
    for (Index r = 0; r < slack.size(); ++r)
      if (problem_->cost[margins.rows[std::size_t(r)].sample] > 0) worst = std::max(worst, slack[r]);
    if (worst <= 0 || worst > 1e-10) return;
    out.w *= 1 + worst;
    out.b *= 1 + worst;
    fit *= 1 + worst;
  }
};

}  // namespace

std::unique_ptr<Engine> make_weston_watkins() { return std::make_unique<WestonWatkinsEngine>(); }

const EngineKind kWestonWatkinsEngine{"weston_watkins", WestonWatkinsEngine::refusal,
                                      [](const HighsSettings&) { return make_weston_watkins(); }};

}  // namespace zeronorm
