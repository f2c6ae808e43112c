// Finds the small sets of features that separate two classes, and proves that smaller ones cannot.
//
// A few conflicts of a set S refute almost every j for almost every S, at a few operations each; the other sets are
// decided one by one.
#pragma once

#include "proofs/conflicts.h"

namespace zeronorm {

struct SizeScan {
  Index size = 0;
  // The numbers of sets scanned and, among them, of those that separate and that are unclear.
  double sets = 0, separating = 0, unclear = 0;
  bool complete = false;
  // At most the requested number of sets that separate.
  std::vector<IndexList> found;
  // The evidence for each of these sets.
  std::vector<Decision> decisions;
};

// Sets are lists of columns without the first `always` columns, which belong to every set and are not counted.
class Separation {
 public:
  // Takes the arguments of Hulls; x has to outlive this object.
  Separation(const Eigen::Ref<const Mat>& x, const Vec& y, const Forgiven& forgiven, Index always = 0);

  Answer answer(const IndexList& set, const Limits& limits, const Care& care = Care()) const {
    return hulls_.apart(whole(set), limits, care);
  }
  // Returns the decision; its weights begin with those of the columns in every set.
  Decision decide(const IndexList& set, const Limits& limits, const Care& care = Care()) const {
    return hulls_.decide(whole(set), limits, care);
  }

  // Scans all sets of this size. Smaller ones should not separate. O(C(d, size)) refutations of about 40 operations.
  SizeScan scan(Index size, std::size_t most, const Limits& limits,
                const std::function<void(double)>& progress = nullptr);

  // Drops features one at a time, then replaces two by one, until neither is possible. O(|S|^2 d) for each feature
  // saved.
  IndexList shrink(IndexList set, const Limits& limits);

 private:
  Index features() const { return hulls_.x().cols(); }
  IndexList whole(const IndexList& set) const;
  std::vector<IndexList> groups() const;
  std::vector<char> standing(const std::vector<Conflicts>& base) const;
  void scan_from(IndexList& prefix, const std::vector<Conflicts>& base, Index more, SizeScan& scan);
  void scan_single(const std::vector<Conflicts>& base, SizeScan& scan);
  void scan_pairs(const IndexList& prefix, const std::vector<Conflicts>& base, SizeScan& scan);
  void decide_and_count(const IndexList& whole, SizeScan& scan);
  bool stopped();

  Hulls hulls_;
  Index always_;
  // Groups of observations, each of which alone shows that there must be an error.
  std::vector<IndexList> groups_;
  // The state of the present scan.
  const Limits* limits_ = nullptr;
  std::size_t most_ = 0;
  double all_ = 0;
  std::function<void(double)> progress_;
  bool stopped_ = false;
};

}  // namespace zeronorm
