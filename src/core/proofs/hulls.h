// Whether a few features separate two classes: whether the hulls of the classes are apart in their columns.
//
// A "yes" comes with weights and a "no" with conflicts that were checked (relative_margin.h). Where a margin
// lies within rounding of the least one, double-double arithmetic decides; what remains is "unclear".
#pragma once

#include "base/types.h"
#include "proofs/relative_margin.h"

namespace zeronorm {

// Entries of a conflict in other columns that are smaller count as zero.
constexpr double kSign = 1e-12;

// Conflicts of a set may refute larger sets where they vanish on it up to this norm, which leaves room for
// kSign in every further column below the least relative margin.
constexpr double kVanishing = 1e-11;

// What a set of features may get wrong: so many observations, or a sum of hinge losses for weights of at most
// kLargestWeight.
struct Forgiven {
  Index errors = 0;
  double hinge = 0;

  // The budget of hinge losses is kept up to rounding of the programme that minimises them.
  double budget() const { return hinge * (1 + 1e-9); }
};

enum class Answer { no, yes, unclear };

// How a set is decided.
struct Care {
  bool widest = false;   // yes: by weights of the widest margin, as far as they are found
  bool precise = false;  // everything in double-double arithmetic, and nothing by shortcuts
  long nodes = 0;        // sub-problems spent on errors before the answer is unclear; 0: no limit
};

// The answer for a set and what proves a "yes".
struct Decision {
  Answer answer = Answer::unclear;
  DoubleDoubleVec w;  // weights in columns of range one
  DoubleDouble b;     // with a budget of hinge losses only
  IndexList errors;   // rows of x that stay on the wrong side
  double margin = 0;  // distance of the classes along w, in columns of range one
};

class Hulls {
 public:
  // Columns in any units. Keeps a scaled copy and reads x again where rounding matters: x has to outlive this
  // object.
  Hulls(const Eigen::Ref<const Mat>& x, const Vec& y, const Forgiven& forgiven);

  // The answer alone, by the fastest way.
  Answer apart(const IndexList& set, const Limits& limits, const Care& care = Care()) const;
  // With what proves a yes.
  Decision decide(const IndexList& set, const Limits& limits, const Care& care = Care()) const;

  // The same for some of the rows, without errors.
  struct Verdict {
    Answer answer = Answer::unclear;
    DoubleDoubleVec w;   // yes
    double margin = 0;   // yes: of w, as in Decision
    Vec a;               // no: a conflict, an entry for each row; one in each class adds up to one
    double norm = kInf;  // no: what the conflict leaves in the columns of the set
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
  Verdict judged(const IndexList& set, const IndexList& rows, const DoubleDoubleVec& w,
                 const DoubleDoubleVec& a) const;
  Verdict judged(const IndexList& set, const IndexList& rows, const Vec& w, const Vec& a) const;

  Answer pair(Index i, Index j) const;
  Answer widest(const double* fixed, double sign, const double* moving) const;

  struct Threshold {
    Index errors = 0;
    IndexList rows;  // in error
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

  Mat x_;  // centred columns of range one; rows of class +1 first
  Vec y_;
  IndexList order_;  // the rows of x in that order
  Index up_ = 0;
  Forgiven forgiven_;
  RelativeMargin exact_;  // by rows of x
};

// Whether what a decision has to show for a "yes" proves it, of data with so many rows. O(n |S|).
bool proves(const RelativeMargin& exact, const Forgiven& forgiven, Index rows, const IndexList& set,
            const Decision& decision);

}  // namespace zeronorm
