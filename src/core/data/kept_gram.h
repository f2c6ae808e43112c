// A Gram matrix that is updated from one set of columns to the next.
#pragma once

#include "data/design.h"

namespace zeronorm {

// For SVMs on larger and larger sets of columns: each Gram matrix is the previous one plus the contribution of the
// added columns, so that all of them together cost no more than the last. For use by one thread.
class KeptGram {
 public:
  explicit KeptGram(std::shared_ptr<const Design> base);

  // Returns base with the Gram matrix of all columns kept.
  std::shared_ptr<const Design> whole() const { return whole_; }
  // Returns base with subsets of all rows that update the last Gram matrix and keep it.
  std::shared_ptr<const Design> parts() const { return parts_; }
  // Returns the number of columns of the kept matrix.
  Index columns() const;
  struct Store;

 private:
  std::shared_ptr<Store> store_;
  std::shared_ptr<const Design> whole_, parts_;
};

}  // namespace zeronorm
