// Columns that lie elsewhere, as a rule on a disk, and are read in blocks when they are needed.
#pragma once

#include "data/design.h"

namespace zeronorm {

// How the matrix is had: rectangles within the tiles of the grid it is stored in.
struct Blocks {
  Index rows = 0, cols = 0;
  Index tile_rows = 0, tile_cols = 0;
  // Entries [row, row + rows) x [col, col + cols), column after column.  May throw.
  std::function<void(Index row, Index rows, Index col, Index cols, double* out)> read;
  std::size_t room = 4000000;    // numbers that may stay in memory: columns in use
  std::size_t panel = 15000000;  // and those held for a moment where whole columns are needed
};

// The blocks and the columns in memory, shared by all views.  For one thread.
class BlockStore;
std::shared_ptr<BlockStore> open_blocks(Blocks blocks);

// In one pass over the blocks; what squared_norms() is computed from is remembered.
Moments block_moments(BlockStore& store, const Vec& weights);

// Products are a pass over the columns that are not in memory, and none where the same was asked before; gram()
// is a pass by whole columns.  A subset of few columns is read once and stays in memory.
std::shared_ptr<const Design> block_design(std::shared_ptr<BlockStore> store, Vec center, Vec scale);

}  // namespace zeronorm
