// Whether a few features tell two classes apart: whether the hulls of the classes are apart in their columns.
#pragma once

#include "types.h"

namespace zeronorm {

constexpr double kSign = 1e-12;  // entries of a conflict below are none

// What a set of features may get wrong: so many observations, or a sum of hinge losses for some w of any size.
struct Forgiven {
  Index errors = 0;
  double hinge = 0;
};

class Hulls {
 public:
  // Columns in any units; a column counts by the margin it gives relative to its range.
  Hulls(const Mat& x, const Vec& y, const Forgiven& forgiven);

  // yes: a relative margin above 1e-9, checked on the data; no: a proof; else rounding has the last word.
  enum class Answer { no, yes, unclear };
  Answer apart(const IndexList& set, const Limits& limits) const;

  // 1 / |w|_2 of the widest margin of the observations that are not in error; 0 where it does not fit.
  double margin(const IndexList& set, const Limits& limits) const;

  // Of these rows, without errors.
  struct Machine {
    Answer answer = Answer::unclear;
    double margin = 0;
    Vec w, a;  // a: the conflict where it is none
  };
  Machine machine(const IndexList& set, const IndexList& rows, const Limits& limits,
                  bool widest = false) const;

  const Mat& x() const { return x_; }
  const Vec& y() const { return y_; }
  Index up() const { return up_; }
  const Forgiven& forgiven() const { return forgiven_; }

 private:
  Machine nearest(const IndexList& set, const IndexList& rows, bool widest) const;
  bool pair_fits(Index i, Index j) const;
  double widest(const double* fixed, double sign, const double* moving) const;
  Index threshold_errors(Index j) const;
  bool packed(const IndexList& set, IndexList rows, Machine m, Index errors, const Limits& limits) const;
  Answer within_errors(const IndexList& set, const IndexList& rows, Index errors, const Limits& limits,
                       double* margin = nullptr) const;
  Answer within_hinge(const IndexList& set, const Limits& limits) const;
  double least_hinge(const IndexList& set, const Limits& limits) const;

  Mat x_;  // centred columns of range one; rows of class +1 first
  Vec y_;
  Index up_ = 0;
  Forgiven forgiven_;
};

}  // namespace zeronorm
