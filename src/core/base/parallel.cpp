#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>

namespace zeronorm {
namespace {

// Fewest operations for which threads are started: one to two milliseconds, about fifty times the cost of a thread.
constexpr double kMinOperations = 4e6;
// Parts for each thread, because parts may take different times.
constexpr Index kPartsPerThread = 8;

int allowed = 1;

// Threads that are joined in every case, because a thread that is not joined ends the process.
class Joined {
 public:
  ~Joined() { join(); }
  // Starts a thread; throws if there is none available, and the other threads continue.
  void start(const std::function<void()>& work) {
    threads_.emplace_back();
    threads_.back() = std::thread(work);
  }
  void join() {
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace

UseThreads::UseThreads(int count) : before_(allowed) { allowed = std::max(1, count); }
UseThreads::~UseThreads() { allowed = before_; }

bool alone() { return allowed < 2; }

// Threads end with the loop, so that a process that is forked later has none to wait for.
void in_parts(Index count, double operations, const std::function<void(Index, Index)>& work, Index step) {
  const Index steps = (count + step - 1) / step;
  const Index threads = std::min<Index>(allowed, steps);
  if (threads < 2 || operations < kMinOperations) {
    if (count > 0) work(0, count);
    return;
  }
  const Index width = std::max<Index>(1, steps / (threads * kPartsPerThread)) * step;
  std::atomic<Index> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  const auto turns = [&]() {
    for (Index from; !failed && (from = next.fetch_add(width)) < count;) {
      try {
        work(from, std::min(count, from + width));
      } catch (...) {
        if (!failed.exchange(true)) error = std::current_exception();
      }
    }
  };
  Joined others;
  // If the system has no more threads, or no memory for one, fewer threads do the work.
  try {
    for (Index k = 1; k < threads; ++k) others.start(turns);
  } catch (const std::exception&) {
  }
  turns();
  others.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace zeronorm
