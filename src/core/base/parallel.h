// Loops whose turns are independent, on several threads.  Every number is computed by one thread from begin to end,
// so that no answer depends on how many there are.
#pragma once

#include <functional>

#include "base/types.h"

namespace zeronorm {

// How many threads loops may use, as long as it lives; one without it.
class UseThreads {
 public:
  explicit UseThreads(int count);
  ~UseThreads();
  UseThreads(const UseThreads&) = delete;
  UseThreads& operator=(const UseThreads&) = delete;

 private:
  int before_;
};

// Whether they may use none but the caller's.
bool alone();

// work(from, to) for parts of [0, count) that together are all of it, begun at multiples of `step`.  Where its
// `operations` in all cost less than further threads, the caller does it alone.  What a part throws, the caller gets.
void in_parts(Index count, double operations, const std::function<void(Index, Index)>& work, Index step = 1);

}  // namespace zeronorm
