// Decides whether a few features separate two classes: whether the convex hulls of the classes are disjoint in their
// columns.
//
// A "yes" comes with weights and a "no" with conflicts that were verified (relative_margin.h). If a margin is within
// rounding of the least margin, double-double arithmetic decides; the answer may still be "unclear".
#pragma once

#include "base/types.h"
#include "proofs/relative_margin.h"

namespace zeronorm {

// Entries of a conflict in other columns that are smaller count as zero.
constexpr double kSign = 1e-12;

// Conflicts of a set may refute larger sets if they vanish on it up to this norm, which leaves room below the least
// relative margin for kSign in every further column.
constexpr double kVanishing = 1e-11;

// The errors that are allowed for a set of features: a number of observations, or a sum of hinge losses for weights
// of at most kLargestWeight.
struct Forgiven {
  Index errors = 0;
  double hinge = 0;

  // The budget of hinge losses allows for rounding in the programme that minimises them.
  double budget() const { return hinge * (1 + 1e-9); }
};

enum class Answer { no, yes, unclear };

// Options for a decision.
struct Care {
  // Whether a "yes" should come with weights of the widest margin that is found.
  bool widest = false;
  // Whether everything is computed in double-double arithmetic, without shortcuts.
  bool precise = false;
  // Number of sub-problems for errors before the answer is unclear; 0 means no limit.
  long nodes = 0;
};

// The answer for a set, with the evidence of a "yes".
struct Decision {
  Answer answer = Answer::unclear;
  // The weights in columns of range one.
  DoubleDoubleVec w;
  // The intercept, only with a budget of hinge losses.
  DoubleDouble b;
  // The rows of x on the wrong side.
  IndexList errors;
  // The distance of the classes along w in columns of range one.
  double margin = 0;
};

class Hulls {
 public:
  // Takes columns in any units. Keeps a scaled copy and reads x again if rounding matters: x has to outlive this
  // object.
  Hulls(const Eigen::Ref<const Mat>& x, const Vec& y, const Forgiven& forgiven);

  // Returns the answer only, in the fastest way.
  Answer apart(const IndexList& set, const Limits& limits, const Care& care = Care()) const;
  // Returns the answer with the evidence of a "yes".
  Decision decide(const IndexList& set, const Limits& limits, const Care& care = Care()) const;

  // The answer for some of the rows, without errors.
  struct Verdict {
    Answer answer = Answer::unclear;
    // For "yes": the weights.
    DoubleDoubleVec w;
    // For "yes": the margin of w, as in Decision.
    double margin = 0;
    // For "no": a conflict with one entry per row, which sums to one in each class.
    Vec a;
    // For "no": the norm of the conflict in the columns of the set.
    double norm = kInf;
  };
  Verdict without_errors(const IndexList& set, const IndexList& rows, const Limits& limits,
                         const Care& care = Care()) const;

  const Mat& x() const { return x_; }
  const Vec& y() const { return y_; }
  Index up() const { return up_; }
  const Forgiven& forgiven() const { return forgiven_; }

 private:
  Verdict nearest(const IndexList& set, const IndexList& rows, const Care& care) const;
  Verdict by_dual(const IndexList& set, const IndexList& rows, const Limits& limits) const;
  Verdict by_programme(const IndexList& set, const IndexList& rows, const Limits& limits) const;
  Verdict by_simplex(const IndexList& set, const IndexList& rows, const Limits& limits) const;
  Verdict verified(const IndexList& set, const IndexList& rows, const DoubleDoubleVec& w,
                   const DoubleDoubleVec& a) const;
  Verdict verified(const IndexList& set, const IndexList& rows, const Vec& w, const Vec& a) const;

  Answer pair(Index i, Index j) const;
  Answer widest(const double* fixed, double sign, const double* moving) const;

  struct Threshold {
    Index errors = 0;
    // The rows in error.
    IndexList rows;
    double sign = 1;
  };
  Threshold threshold(Index j) const;
  Decision yes(const Verdict& v, const IndexList& rows) const;

  bool packed(const IndexList& set, IndexList rows, Verdict v, Index errors, const Limits& limits,
              const Care& care) const;
  Decision within_errors(const IndexList& set, const IndexList& rows, Index errors, const Limits& limits,
                         const Care& care, long& nodes) const;
  bool dropping_the_worst(const IndexList& set, const IndexList& rows, Index errors, const Limits& limits,
                          const Care& care, Decision& decision) const;
  Decision within_hinge(const IndexList& set, const Limits& limits, const Care& care) const;
  Solution least_hinge(const IndexList& set, const IndexList& rows, const Limits& limits) const;
  DoubleDoubleVec balanced(const IndexList& set, const Vec& a) const;
  IndexList original(const IndexList& rows) const;

  // Centred columns of range one, with the rows of class +1 first.
  Mat x_;
  Vec y_;
  // The rows of x in this order.
  IndexList order_;
  Index up_ = 0;
  Forgiven forgiven_;
  // The margins by rows of x.
  RelativeMargin exact_;
};

// Returns whether the evidence of a decision proves a "yes" for data with this number of rows. O(n |S|).
bool proves(const RelativeMargin& exact, const Forgiven& forgiven, Index rows, const IndexList& set,
            const Decision& decision);

}  // namespace zeronorm
