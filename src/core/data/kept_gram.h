// The Gram matrix of one set of columns made from that of another.
#pragma once

#include "data/design.h"

namespace zeronorm {

// Where machines are trained on larger and larger sets of columns, each Gram matrix is the last one and what columns that
// came add to it: all of them together cost no more than the last alone.  For one thread.
class KeptGram {
 public:
  explicit KeptGram(std::shared_ptr<const Design> base);

  // base, of which the Gram matrix of all columns is kept where it is made.
  std::shared_ptr<const Design> whole() const { return whole_; }
  // base, of which subsets with all rows make their Gram matrices from the last, and keep them.
  std::shared_ptr<const Design> parts() const { return parts_; }
  // Columns that the kept matrix is of.
  Index columns() const;
  struct Store;

 private:
  std::shared_ptr<Store> store_;
  std::shared_ptr<const Design> whole_, parts_;
};

}  // namespace zeronorm
