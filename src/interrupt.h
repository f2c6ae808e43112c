// Ctrl-C without a longjmp across C++ frames: asked for inside R_ToplevelExec, answered as a bool.
#pragma once

#include <R_ext/Utils.h>
#include <Rinternals.h>

#include <chrono>

namespace zeronorm {

inline void check_interrupt(void*) { R_CheckUserInterrupt(); }

// Asks R at most every 50 ms; once the answer was yes it stays yes.
class Interrupt {
 public:
  bool operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ <= std::chrono::milliseconds(50)) return pending_;
    last_ = now;
    return ask();
  }

  bool ask() {
    pending_ = pending_ || R_ToplevelExec(check_interrupt, nullptr) == FALSE;
    return pending_;
  }

 private:
  bool pending_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace zeronorm
