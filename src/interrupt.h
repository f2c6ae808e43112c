// Communication with R during a fit, without a longjmp across C++ frames.
#pragma once

#include <R_ext/Utils.h>
#include <Rinternals.h>

#include <chrono>

namespace zeronorm {

inline void check_interrupt(void*) { R_CheckUserInterrupt(); }

// The time at which work has to stop as after an interrupt; set_deadline_core() changes it.
inline std::chrono::steady_clock::time_point& deadline() {
  static std::chrono::steady_clock::time_point when = std::chrono::steady_clock::time_point::max();
  return when;
}

// Checks for Ctrl-C at most every 50 ms; once interrupted, it stays so. If `tell` is a function, it is called twice a
// second with the share that is done.
class Interrupt {
 public:
  explicit Interrupt(SEXP tell = R_NilValue) : tell_(tell) {}

  bool operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ <= std::chrono::milliseconds(50)) return pending_ || late_;
    last_ = now;
    late_ = late_ || now >= deadline();
    if (tell_ != R_NilValue && now - told_ > std::chrono::milliseconds(500)) {
      told_ = now;
      say();
    }
    return ask();
  }

  // Returns whether Ctrl-C stopped the work, and not the deadline.
  bool pending() const { return pending_; }

  bool ask() {
    pending_ = pending_ || R_ToplevelExec(check_interrupt, nullptr) == FALSE;
    return pending_ || late_;
  }

  void done(double share) { share_ = share; }

 private:
  // Calls the display function; its failure does not stop the fit.
  void say() const {
    int failed = 0;
    SEXP share = PROTECT(Rf_ScalarReal(share_));
    SEXP call = PROTECT(Rf_lang2(tell_, share));
    R_tryEvalSilent(call, R_GlobalEnv, &failed);
    UNPROTECT(2);
  }

  SEXP tell_;
  double share_ = 0;
  bool pending_ = false, late_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now(), told_ = last_;
};

}  // namespace zeronorm
