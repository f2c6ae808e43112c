// Which few features tell two classes apart, and proofs that fewer cannot.
//
// A few conflicts of a set S refute nearly every j of nearly every S and j, at a few flops each; the rest is solved.
#pragma once

#include "conflicts.h"

namespace zeronorm {

struct SizeScan {
  Index size = 0;
  double sets = 0, separating = 0, unclear = 0;  // looked at; of these
  bool complete = false;
  std::vector<IndexList> found;  // at most `most` of those that separate
  std::vector<double> margin;    // theirs, with columns of range one
};

class Separation {
 public:
  // As for the hulls of the classes.
  Separation(const Mat& x, const Vec& y, const Forgiven& forgiven);

  using Answer = Hulls::Answer;
  Answer fits(const IndexList& set, const Limits& limits) const { return hulls_.apart(set, limits); }

  // All sets of this size.  Smaller ones should not separate.  O(C(d, size)) refutations of some 40 flops.
  SizeScan scan(Index size, std::size_t most, const Limits& limits,
                const std::function<void(double)>& progress = nullptr);

  // Drops features one at a time, then puts one in the place of two, until neither goes.
  // O(|S|^2 d) for each feature gained.
  IndexList shrink(IndexList set, const Limits& limits);

 private:
  Index features() const { return hulls_.x().cols(); }
  std::vector<IndexList> groups() const;
  void scan_from(IndexList& prefix, const std::vector<Conflicts>& base, Index more, SizeScan& scan);
  void scan_pairs(const IndexList& prefix, const std::vector<Conflicts>& base, SizeScan& scan);
  void judge(const IndexList& set, SizeScan& scan);
  bool stopped();

  Hulls hulls_;
  std::vector<IndexList> groups_;  // of observations: each alone shows that something must go wrong
  // of the scan under way
  const Limits* limits_ = nullptr;
  std::size_t most_ = 0;
  double all_ = 0;
  std::function<void(double)> progress_;
  bool stopped_ = false;
};

}  // namespace zeronorm
