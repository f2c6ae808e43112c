// Which few features separate two classes, and proofs that fewer cannot.
//
// A few conflicts of a set S refute nearly every j of nearly every S and j, at a few operations each; the
// other sets are decided one by one.
#pragma once

#include "proofs/conflicts.h"

namespace zeronorm {

struct SizeScan {
  Index size = 0;
  double sets = 0, separating = 0, unclear = 0;  // looked at; of these
  bool complete = false;
  std::vector<IndexList> found;     // at most `most` of those that separate
  std::vector<Decision> decisions;  // what proves it, for each of them
};

// Sets are lists of columns without the first `always` ones, which belong to every set and count for nothing.
class Separation {
 public:
  // As for the hulls of the classes. x has to outlive this object.
  Separation(const Eigen::Ref<const Mat>& x, const Vec& y, const Forgiven& forgiven, Index always = 0);

  Answer answer(const IndexList& set, const Limits& limits, const Care& care = Care()) const {
    return hulls_.apart(whole(set), limits, care);
  }
  // Its weights begin with those of the columns that are always there.
  Decision decide(const IndexList& set, const Limits& limits, const Care& care = Care()) const {
    return hulls_.decide(whole(set), limits, care);
  }

  // All sets of this size. Smaller ones should not separate. O(C(d, size)) refutations of some 40 operations.
  SizeScan scan(Index size, std::size_t most, const Limits& limits,
                const std::function<void(double)>& progress = nullptr);

  // Drops features one at a time, then puts one in the place of two, until neither is possible.
  // O(|S|^2 d) for each feature gained.
  IndexList shrink(IndexList set, const Limits& limits);

 private:
  Index features() const { return hulls_.x().cols(); }
  IndexList whole(const IndexList& set) const;
  std::vector<IndexList> groups() const;
  std::vector<char> standing(const std::vector<Conflicts>& base) const;
  void scan_from(IndexList& prefix, const std::vector<Conflicts>& base, Index more, SizeScan& scan);
  void scan_single(const std::vector<Conflicts>& base, SizeScan& scan);
  void scan_pairs(const IndexList& prefix, const std::vector<Conflicts>& base, SizeScan& scan);
  void judge(const IndexList& whole, SizeScan& scan);
  bool stopped();

  Hulls hulls_;
  Index always_;
  std::vector<IndexList> groups_;  // of observations: each alone shows that something must go wrong
  // Of the scan under way.
  const Limits* limits_ = nullptr;
  std::size_t most_ = 0;
  double all_ = 0;
  std::function<void(double)> progress_;
  bool stopped_ = false;
};

}  // namespace zeronorm
