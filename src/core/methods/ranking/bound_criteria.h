// SVMs whose features are scored by a bound on the leave-one-out error: 4 R^2 |w|^2, where R is the radius of the
// smallest ball around the points, or the span estimate.
#pragma once

#include "engines/engine.h"
#include "engines/parts/minimise_ball.h"
#include "engines/parts/scaled_gram.h"
#include "methods/ranking/judge.h"
#include "methods/ranking/span.h"
#include "methods/scales/radius_margin.h"
#include "rules/eliminate.h"

namespace zeronorm {

// An engine whose solutions contain the importance of each feature: by how much the bound rises without it (or
// without its unit), or the absolute slope of the bound. At the first set of features that has no hard margin a ridge
// is added, a tenth of the mean squared distance of the points from their mean; it is kept from then on.
class BoundEngine : public Engine {
 public:
  // Linear, or with a kernel on the rows of the design. units: the units to train without; may be empty.
  BoundEngine(FeatureScore judge, BoundOptions what, bool kernel, KernelForm form, const EngineChoice& engine,
              std::vector<IndexList> units)
      : judge_(judge), order_(what.order), kernel_(kernel), form_(form), named_(engine.name),
        units_(std::move(units)), ridge_(what.C < kInf ? 1 / what.C : 0.0) {}
  std::string name() const override { return "dual"; }
  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override;
  // The costs of the problem are the weights of its rows.
  void setup(const Problem& problem) override;
  // Solves one SVM and a ball, or inverts a kernel matrix. In addition, for the linear kernel, O(nd) for the radius
  // with fixed multipliers or slopes, and O(m^2 d) for the span with m support vectors. With a kernel O(n^2 d), and
  // O(m^3) per feature for the span with fixed multipliers.
  Solution solve(const Surrogate& surrogate, const Limits& limits) override;

  // The bound of the last SVM.
  double bound() const { return bound_; }
  double C() const { return ridge_ > 0 ? 1 / ridge_ : kInf; }

 private:
  FeatureScore judge_;
  int order_;
  bool kernel_;
  KernelForm form_;
  std::string named_;
  std::vector<IndexList> units_;
  double ridge_;
  // The problem with the costs of the SVM.
  Problem problem_;
  Vec weights_, inverse_;
  std::unique_ptr<Engine> engine_;
  // The Gram matrix of the linear SVM.
  ScaledGram gram_;
  std::unique_ptr<GramMap> map_;
  // The columns on which the map is defined.
  IndexList columns_;
  Mat points_;
  Ball ball_;
  double bound_ = 0;

  // A trained SVM with its kernel matrix and the terms of its bound.
  struct Trained {
    Solution solution;
    // The kernel matrix without the ridge.
    Mat k;
    // The signed multipliers.
    Vec v;
    // The columns of the intercept and of unpenalised features.
    Mat f;
    double norm2 = 0, radius2 = 0, bound = 0;
    std::unique_ptr<Span> span;
  };

  void choose_svm();
  void soften(const Mat& k);
  void narrow(const Surrogate& surrogate);
  Trained train(const Surrogate& surrogate, const Limits& limits);
  Solution solve_kernel(const Mat& k, const Limits& limits) const;
  void grade(Trained& svm, const Limits& limits);
  Vec rises(const Trained& svm, const Vec& theta, const Limits& limits) const;
  Vec radius_rises(const Trained& svm, const Vec& theta, const Limits& limits) const;
  Vec span_rises(const Trained& svm, const Vec& theta, const Limits& limits) const;
  Vec slopes(const Trained& svm, const Limits& limits) const;
  Status weigh_by_retraining(const Surrogate& surrogate, double bound, const Limits& limits, Vec& importance);
};

// Elimination whose objective is that bound.
class EliminateByBound : public Eliminate {
 public:
  EliminateByBound(Elimination what, const BoundEngine& engine)
      : Eliminate(std::move(what)), engine_(engine) {}
  double objective(const Problem&, const Surrogate&, const Solution&) const override {
    return engine_.bound();
  }

 private:
  const BoundEngine& engine_;
};

}  // namespace zeronorm
