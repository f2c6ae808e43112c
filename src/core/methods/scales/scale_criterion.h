// A criterion for scales of features, as a function of theta = sigma^2 and of the ridge on the kernel matrix.
#pragma once

#include "base/types.h"

namespace zeronorm {

class ScaleCriterion {
 public:
  virtual ~ScaleCriterion() = default;

  // Evaluates the criterion. The status is infeasible if there is no ridge and the classes cannot be separated.
  virtual Status evaluate(const Vec& theta, double ridge, const Limits& limits) = 0;

  // The results of the last evaluate(): the value, its slopes with that of the ridge last, and the nearness of
  // features without a scale to having one; larger is nearer.
  virtual double value() const = 0;
  virtual Vec slopes() const = 0;
  virtual Vec nearness() const = 0;

  // An increasing function of the value for a descent that begins after the last evaluate(), and its slopes.
  virtual void begin(bool homogeneous) { (void)homogeneous; }
  virtual double descent(Vec& slopes) const = 0;
  // The factor of theta and ridge at which such a descent starts if the value does not depend on it.
  virtual double stretch() const { return 1; }

  // A lower bound of the value for all 0 <= theta, ridge <= upper, if bounded().
  virtual bool bounded() const { return false; }
  virtual double bound(const Vec& upper, bool fixed_ridge) const {
    (void)upper;
    (void)fixed_ridge;
    return -kInf;
  }

  // Whether the criterion has kinks, which a descent may smooth by a proximal term of this share around the center.
  virtual bool kinked() const { return false; }
  virtual void set_pull(double share, const Vec& center) {
    (void)share;
    (void)center;
  }
  virtual Vec center() const { return Vec(); }
  // Whether the slopes are discontinuous, so that a descent may end at a jump.
  virtual bool rough() const { return false; }
};

}  // namespace zeronorm
