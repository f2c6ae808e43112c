// What scales of features minimise, as a function of theta = sigma^2 and of the ridge on the kernel matrix.
#pragma once

#include "base/types.h"

namespace zeronorm {

class ScaleCriterion {
 public:
  virtual ~ScaleCriterion() = default;

  // infeasible: without a ridge, the classes cannot be separated.
  virtual Status evaluate(const Vec& theta, double ridge, const Limits& limits) = 0;

  // Of the last evaluate(): the value, its slopes, those of the ridge last, and of what is near to a scale among
  // features that have none, the larger the nearer.
  virtual double value() const = 0;
  virtual Vec slopes() const = 0;
  virtual Vec nearness() const = 0;

  // What a descent sees, a growing function of the value, from the last evaluate() on; with its slopes.
  virtual void begin(bool homogeneous) { (void)homogeneous; }
  virtual double descent(Vec& slopes) const = 0;
  // The factor of theta and ridge that such a descent starts with, where the value does not depend on it.
  virtual double stretch() const { return 1; }

  // A lower bound on the value for all 0 <= theta, ridge <= upper, where bounded().
  virtual bool bounded() const { return false; }
  virtual double bound(const Vec& upper, bool fixed_ridge) const {
    (void)upper;
    (void)fixed_ridge;
    return -kInf;
  }

  // Kinks that a descent may smooth by a pull of this share to a center, which is that of the last evaluate().
  virtual bool kinked() const { return false; }
  virtual void set_pull(double share, const Vec& center) {
    (void)share;
    (void)center;
  }
  virtual Vec center() const { return Vec(); }
  // The slopes jump, and a descent may end where they do.
  virtual bool rough() const { return false; }
};

}  // namespace zeronorm
