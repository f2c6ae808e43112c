#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>

namespace zeronorm {
namespace {

constexpr double kWorthwhile = 4e6;  // operations: a millisecond or two, some fifty times what a thread costs
constexpr Index kParts = 8;          // for each thread, since parts are not alike

int allowed = 1;

// Threads that are joined whatever happens: one that is not ends the process.
class Joined {
 public:
  ~Joined() { join(); }
  // Throws where there is no thread to be had; the others go on.
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

// Threads are made for the loop and end with it: none is left behind for a forked process to wait for.
void in_parts(Index count, double operations, const std::function<void(Index, Index)>& work, Index step) {
  const Index steps = (count + step - 1) / step;
  const Index threads = std::min<Index>(allowed, steps);
  if (threads < 2 || operations < kWorthwhile) {
    if (count > 0) work(0, count);
    return;
  }
  const Index width = std::max<Index>(1, steps / (threads * kParts)) * step;
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
  // Where the system has no more threads, or no memory for one, fewer do the work.
  try {
    for (Index k = 1; k < threads; ++k) others.start(turns);
  } catch (const std::exception&) {
  }
  turns();
  others.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace zeronorm
