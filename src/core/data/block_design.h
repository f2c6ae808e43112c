// Columns that are stored elsewhere, usually on a disk, and read in blocks on demand.
#pragma once

#include "data/design.h"

namespace zeronorm {

// Access to the matrix by rectangles within the tiles in which it is stored.
struct Blocks {
  Index rows = 0, cols = 0;
  Index tile_rows = 0, tile_cols = 0;
  // Reads entries [row, row + rows) x [col, col + cols), column by column. May throw.
  std::function<void(Index row, Index rows, Index col, Index cols, double* out)> read;
  // The number of entries of columns in use that may stay in memory.
  std::size_t room = 4000000;
  // The number of entries that are held temporarily if whole columns are needed.
  std::size_t panel = 15000000;
};

// The blocks and the columns in memory, which all views share. For use by one thread.
class BlockStore;
std::shared_ptr<BlockStore> open_blocks(Blocks blocks);

// Computes the moments in one pass over the blocks and stores what squared_norms() needs.
Moments block_moments(BlockStore& store, const Vec& weights);

// Products take one pass over the columns that are not in memory, and none if the same product was requested before.
// gram() takes one pass by whole columns. A subset of few columns is read once and stays in memory.
std::shared_ptr<const Design> block_design(std::shared_ptr<BlockStore> store, Vec center, Vec scale);

}  // namespace zeronorm
