// Which few features tell two classes apart, and proofs that fewer cannot.
//
// A conflict of a set S of features is an a >= 0 with y'a = 0 whose g = X'(y a) vanishes on S: there the hulls of
// the classes meet.  Where S and j together separate, w_j g_j > 0 for every conflict of S: two conflicts with g_j
// of both signs refute j.  A few of them refute nearly every j of nearly every S, at a few flops each; the rest is
// solved.  Conflicts of S and i are combinations of two conflicts of S that cancel at i.
#pragma once

#include "engines/box_qp.h"

namespace zeronorm {

// What a set of features may get wrong: so many observations, or a sum of hinge losses for some w of any size.
struct Forgiven {
  Index errors = 0;
  double hinge = 0;
};

struct SizeScan {
  Index size = 0;
  double sets = 0, separating = 0, unclear = 0;  // looked at; of these
  bool complete = false;
  std::vector<IndexList> found;  // at most `most` of those that separate
  std::vector<double> margin;    // theirs, with columns of range one
};

class Separation {
 public:
  // Columns in any units; a column counts by the margin it gives relative to its range.
  Separation(const Mat& x, const Vec& y, const Forgiven& forgiven);

  Index features() const { return x_.cols(); }

  // yes: a relative margin above 1e-9, checked on the data; no: a proof; else rounding has the last word.
  enum class Answer { no, yes, unclear };
  Answer fits(const IndexList& set, const Limits& limits) const;

  // All sets of this size.  Smaller ones should not separate.  O(C(d, size)) refutations of some 40 flops.
  SizeScan scan(Index size, std::size_t most, const Limits& limits,
                const std::function<void(double)>& progress = nullptr);

  // Drops features one at a time, then puts one in the place of two, until neither goes.
  // O(|S|^2 d) for each feature gained.
  IndexList shrink(IndexList set, const Limits& limits);

  // 1 / |w|_2 of the widest margin of the observations that are not in error; 0 where it does not fit.
  double margin(const IndexList& set, const Limits& limits) const;

 private:
  // Conflicts of a set, one row each, over all features.
  struct Conflicts {
    Index rows = 0;
    std::vector<double> values;
  };
  struct Pairing {
    Index a = 0, b = 0;
    double alpha = 1, beta = 0;
  };
  struct Machine {
    Answer answer = Answer::unclear;
    double margin = 0;
    Vec w, a;  // a: the conflict where it is none
  };

  const double* row(const Conflicts& c, Index t) const { return c.values.data() + t * x_.cols(); }
  std::vector<IndexList> groups() const;
  Conflicts differences(const IndexList& rows) const;
  Conflicts extend(const Conflicts& base, const IndexList& set, const IndexList& rows, const Limits& limits);
  Conflicts solved(const IndexList& set, IndexList rows, const Limits& limits);
  std::vector<Pairing> pairings(const Conflicts& base, Index i, std::size_t most) const;
  void add(Conflicts& to, const Conflicts& base, const Pairing& p) const;

  Machine nearest(const IndexList& set, const IndexList& rows, bool widest) const;
  Machine machine(const IndexList& set, const IndexList& rows, const Limits& limits,
                  bool widest = false) const;
  bool pair_fits(Index i, Index j) const;
  double widest(const double* fixed, double sign, const double* moving) const;
  Index threshold_errors(Index j) const;
  bool packed(const IndexList& set, IndexList rows, Machine m, Index errors, const Limits& limits) const;
  Answer within_errors(const IndexList& set, const IndexList& rows, Index errors, const Limits& limits,
                       double* margin = nullptr) const;
  Answer within_hinge(const IndexList& set, const Limits& limits) const;
  double least_hinge(const IndexList& set, const Limits& limits) const;

  void scan_from(IndexList& prefix, const std::vector<Conflicts>& base, Index more, SizeScan& scan);
  void scan_pairs(const IndexList& prefix, const std::vector<Conflicts>& base, SizeScan& scan);
  void judge(const IndexList& set, SizeScan& scan);
  bool stopped();

  Mat x_;  // centred columns of range one; rows of class +1 first
  Vec y_;
  Index up_ = 0;
  Forgiven forgiven_;
  std::vector<IndexList> groups_;  // of observations: each alone shows that something must go wrong
  // of the scan under way
  const Limits* limits_ = nullptr;
  std::size_t most_ = 0;
  double all_ = 0;
  std::function<void(double)> progress_;
  bool stopped_ = false;
};

}  // namespace zeronorm
