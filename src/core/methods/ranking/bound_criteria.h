// Machines whose features are judged by a bound on the leave-one-out error: 4 R^2 |w|^2, R the radius of the
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

// An engine whose solutions carry importances: by how much the bound rises without the feature (or the unit
// it belongs to), or the size of its slope.  The first features on which no hard margin is found bring a
// ridge, a tenth of the mean squared distance of the points from their mean, which then stays.
class BoundEngine : public Engine {
 public:
  // Linear, or with a kernel on the rows of the design; units: empty, or those to train without.
  BoundEngine(Judge judge, Bounding what, bool kernel, KernelForm form, const EngineChoice& engine,
              std::vector<IndexList> units)
      : judge_(judge), order_(what.order), kernel_(kernel), form_(form), named_(engine.name),
        units_(std::move(units)), ridge_(what.C < kInf ? 1 / what.C : 0.0) {}
  std::string name() const override { return "dual"; }
  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override;
  // Costs are the weights of the rows.
  void setup(const Problem& problem) override;
  // A machine, a ball or the inverse of a kernel matrix, and O(nd) for the radius, linear, and fixed
  // multipliers or slopes; O(m^2 d) for the span and m support vectors.  With a kernel O(n^2 d), for the span
  // at fixed multipliers O(m^3) for each feature.
  Solution solve(const Surrogate& surrogate, const Limits& limits) override;

  double bound() const { return bound_; }  // of the last machine
  double C() const { return ridge_ > 0 ? 1 / ridge_ : kInf; }

 private:
  Judge judge_;
  int order_;
  bool kernel_;
  KernelForm form_;
  std::string named_;
  std::vector<IndexList> units_;
  double ridge_;
  Problem problem_;  // with the costs of the machine
  Vec weights_, inverse_;
  std::unique_ptr<Engine> machine_;
  ScaledGram gram_;  // of the linear machine
  std::unique_ptr<GramMap> map_;
  IndexList columns_;  // that the map still sees
  Mat points_;
  Ball ball_;
  double bound_ = 0;

  // A machine with its kernel matrix, and what its bound is made of.
  struct Trained {
    Solution solution;
    Mat k;  // without the ridge
    Vec v;  // signed multipliers
    Mat f;  // columns of intercept and unpenalised features
    double norm2 = 0, radius2 = 0, bound = 0;
    std::unique_ptr<Span> span;
  };

  void choose_machine();
  void soften(const Mat& k);
  void narrow(const Surrogate& surrogate);
  Trained train(const Surrogate& surrogate, const Limits& limits);
  Solution solve_kernel(const Mat& k, const Limits& limits) const;
  void grade(Trained& machine, const Limits& limits);
  Vec rises(const Trained& machine, const Vec& theta, const Limits& limits) const;
  Vec radius_rises(const Trained& machine, const Vec& theta, const Limits& limits) const;
  Vec span_rises(const Trained& machine, const Vec& theta, const Limits& limits) const;
  Vec slopes(const Trained& machine, const Limits& limits) const;
  Status weigh_by_machines(const Surrogate& surrogate, double bound, const Limits& limits, Vec& importance);
};

// Elimination whose rounds are graded by that bound.
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
