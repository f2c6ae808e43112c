// The engine libraries print through R; these stubs let the tests run without it.
#include <cstdarg>
#include <cstdio>

extern "C" {

void Rvprintf(const char* format, va_list args) { std::vprintf(format, args); }
void REvprintf(const char* format, va_list args) { std::vfprintf(stderr, format, args); }

void Rprintf(const char* format, ...) {
  va_list args;
  va_start(args, format);
  Rvprintf(format, args);
  va_end(args);
}

void REprintf(const char* format, ...) {
  va_list args;
  va_start(args, format);
  REvprintf(format, args);
  va_end(args);
}

}  // extern "C"
