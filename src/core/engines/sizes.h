// The sizes of problems at which one engine takes over from another. bench/engine-sizes.R measures both sides of
// each row; a change here is to be measured there.
#pragma once

#include "base/types.h"

namespace zeronorm {

// From this many rows on, and with at most this many columns for each of them, Newton steps on products with x are
// faster than the dual engine's n x n matrix.
struct NewtonSizes {
  Index rows;
  double columns_per_row;
};

// Where columns outnumber rows, a hinge loss is nearly a hard margin, for which Newton takes many steps. The squared
// hinge has no such case.
constexpr NewtonSizes kNewtonOnHinge[] = {{500, 0.25}, {1501, 1.0}, {4001, kInf}};
constexpr NewtonSizes kNewtonOnSquaredHinge[] = {{500, 0.5}, {1001, kInf}};

inline bool newton_is_faster(Index rows, Index columns, bool squared_hinge) {
  const auto at_one_of = [&](const auto& sizes) {
    for (const NewtonSizes& size : sizes)
      if (rows >= size.rows &&
          static_cast<double>(columns) <= size.columns_per_row * static_cast<double>(rows))
        return true;
    return false;
  };
  return squared_hinge ? at_one_of(kNewtonOnSquaredHinge) : at_one_of(kNewtonOnHinge);
}

// The engines of a dual keep an n x n matrix: 7 GB at this many rows.
constexpr Index kMostRowsOfDual = 30000;

// With more rows a Weston-Watkins SVM is solved without the n x n matrix of its dual.
constexpr Index kMostRowsOfWestonWatkinsDual = 300;

// OSQP works on a dense matrix of the margins of a Weston-Watkins SVM; with more of them it takes minutes.
constexpr Index kMostMarginsOfOsqp = 2000;

// Where rows outnumber columns by more than this factor, a hard margin is rarely possible, and the limit of a growing C
// is sought at once.
constexpr Index kRowsPerColumnWithoutMargin = 10;

}  // namespace zeronorm
