// Loops over independent parts on several threads. Every number is computed by one thread from begin to end, so that
// no result depends on the number of threads.
#pragma once

#include <functional>

#include "base/types.h"

namespace zeronorm {

// Sets the number of threads that loops may use during its lifetime; without it loops use one.
class UseThreads {
 public:
  explicit UseThreads(int count);
  ~UseThreads();
  UseThreads(const UseThreads&) = delete;
  UseThreads& operator=(const UseThreads&) = delete;

 private:
  int before_;
};

// Returns whether loops may use only the calling thread.
bool alone();

// Calls work(from, to) for parts that together make up [0, count) and begin at multiples of `step`. If all `operations`
// together cost less than starting threads, the caller does all the work. Exceptions of the parts are rethrown to the
// caller.
void in_parts(Index count, double operations, const std::function<void(Index, Index)>& work, Index step = 1);

}  // namespace zeronorm
