// Estimates of the error of the SVM on scaled features, with a hard margin or squared violations, as functions of the
// scales: the span estimate and the error on held-out rows, both smoothed.
#pragma once

#include "methods/scales/radius_margin.h"
#include "methods/scales/scale_criterion.h"

namespace zeronorm {

// The estimate sum_k a_k S_k^2, with the smoothing of Span that makes it continuous in the scales.
class SpanEstimate : public ScaleCriterion {
 public:
  // Takes the same arguments as RadiusMargin.
  SpanEstimate(GramMap& gram, const Vec& y, const Vec& weights, const Mat& equalities);
  // Takes O(n^2 d), a warm-started quadratic programme, and O(m^3 + m^2 d) for m support vectors.
  Status evaluate(const Vec& theta, double ridge, const Limits& limits) override;
  double value() const override { return value_; }
  Vec slopes() const override { return slopes_; }
  Vec nearness() const override;
  double descent(Vec& slopes) const override;
  bool rough() const override { return true; }

 private:
  GramMap& gram_;
  const Vec &y_, &weights_;
  const Mat& equalities_;
  BoxQp svm_;
  double value_ = 0;
  Vec slopes_;
};

// The mean of 1 / (1 + exp(5 y f)) over the held-out rows, where f is trained on the others.
class HeldOutError : public ScaleCriterion {
 public:
  // The arguments gram, y, weights and equalities refer to all rows.
  HeldOutError(GramMap& gram, const Vec& y, const Vec& weights, const Mat& equalities,
               const std::vector<char>& held_out);
  // Takes O(n^2 d), a warm-started quadratic programme, and O(m^3 + n m).
  Status evaluate(const Vec& theta, double ridge, const Limits& limits) override;
  double value() const override { return value_; }
  Vec slopes() const override { return slopes_; }
  Vec nearness() const override;
  double descent(Vec& slopes) const override;
  bool rough() const override { return true; }

 private:
  GramMap& gram_;
  const Vec& y_;
  const Mat& equalities_;
  IndexList train_, judge_;
  Mat train_equalities_;
  Vec train_inverse_, share_;
  BoxQp svm_;
  double value_ = 0;
  Vec slopes_;
};

}  // namespace zeronorm
