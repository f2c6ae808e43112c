#include "simd.h"

namespace zeronorm {
namespace simd {

ZERONORM_CLONES double dot(const double* x, const double* y, Size n) {
  double s = 0;
#pragma omp simd reduction(+ : s)
  for (Size i = 0; i < n; ++i) s += x[i] * y[i];
  return s;
}

ZERONORM_CLONES double centered_dot(const double* x, double center, const double* v, Size n) {
  double s = 0;
#pragma omp simd reduction(+ : s)
  for (Size i = 0; i < n; ++i) s += v[i] * (x[i] - center);
  return s;
}

ZERONORM_CLONES void axpy(double c, const double* x, double* y, Size n) {
#pragma omp simd
  for (Size i = 0; i < n; ++i) y[i] += c * x[i];
}

ZERONORM_CLONES void centered_axpy(double c, const double* x, double center, double* y, Size n) {
#pragma omp simd
  for (Size i = 0; i < n; ++i) y[i] += c * (x[i] - center);
}

ZERONORM_CLONES void axpy4(const double* c, const double* x0, const double* x1, const double* x2,
                           const double* x3, double* y, Size n) {
  const double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
#pragma omp simd
  for (Size i = 0; i < n; ++i) y[i] += (c0 * x0[i] + c1 * x1[i]) + (c2 * x2[i] + c3 * x3[i]);
}

ZERONORM_CLONES void add_squares(const double* x, double* y, Size n) {
#pragma omp simd
  for (Size i = 0; i < n; ++i) y[i] += x[i] * x[i];
}

ZERONORM_CLONES void center_scale(const double* x, double center, double c, double* out, Size n) {
#pragma omp simd
  for (Size i = 0; i < n; ++i) out[i] = c * (x[i] - center);
}

}  // namespace simd
}  // namespace zeronorm
