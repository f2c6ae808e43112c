#include "base/simd.h"

namespace zeronorm {
namespace simd {

namespace {

// If the columns of a call span more entries than kPrefetchSpan, no cache holds them. The first kPrefetchEntries
// entries of the next four columns are then prefetched while four are summed; the hardware prefetches the rest.
constexpr Size kPrefetchSpan = Size(1) << 21, kPrefetchEntries = 256;

}  // namespace

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

ZERONORM_CLONES void centered_dots(const double* x, Size ld, const Size* columns, Size count,
                                   const double* center, const double* factor, const double* v, Size n,
                                   double* out) {
  const bool far = count > 0 && (columns[count - 1] - columns[0]) * ld > kPrefetchSpan;
  for (Size k = 0; k < count; k += 4) {
    for (Size c = k + 4; far && c < k + 8 && c < count; ++c)
      for (Size i = 0; i < n && i < kPrefetchEntries; i += 8) __builtin_prefetch(x + columns[c] * ld + i);
    // If fewer than four columns are left, the last one is repeated, so that every sum is rounded in the same way.
    const Size last = count - 1;
    const Size j0 = columns[k], j1 = columns[k + 1 < last ? k + 1 : last],
               j2 = columns[k + 2 < last ? k + 2 : last], j3 = columns[k + 3 < last ? k + 3 : last];
    const double *x0 = x + j0 * ld, *x1 = x + j1 * ld, *x2 = x + j2 * ld, *x3 = x + j3 * ld;
    const double c0 = center[j0], c1 = center[j1], c2 = center[j2], c3 = center[j3];
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (Size i = 0; i < n; ++i) {
      s0 += v[i] * (x0[i] - c0);
      s1 += v[i] * (x1[i] - c1);
      s2 += v[i] * (x2[i] - c2);
      s3 += v[i] * (x3[i] - c3);
    }
    out[k] = s0 * factor[j0];
    if (k + 1 < count) out[k + 1] = s1 * factor[j1];
    if (k + 2 < count) out[k + 2] = s2 * factor[j2];
    if (k + 3 < count) out[k + 3] = s3 * factor[j3];
  }
}

ZERONORM_CLONES double centered_squares(const double* x, double center, const double* v, Size n) {
  double s = 0;
#pragma omp simd reduction(+ : s)
  for (Size i = 0; i < n; ++i) s += v[i] * (x[i] - center) * (x[i] - center);
  return s;
}

ZERONORM_CLONES void axpy(double c, const double* x, double* y, Size n) {
#pragma omp simd
  for (Size i = 0; i < n; ++i) y[i] += c * x[i];
}

ZERONORM_CLONES void add_terms(double c, const double* x, double* y, double* size, Size n) {
#pragma omp simd
  for (Size i = 0; i < n; ++i) {
    const double term = c * x[i];
    y[i] += term;
    size[i] += term < 0 ? -term : term;
  }
}

ZERONORM_CLONES void centered_axpy(double c, const double* x, double center, double* y, Size n) {
#pragma omp simd
  for (Size i = 0; i < n; ++i) y[i] += c * (x[i] - center);
}

ZERONORM_CLONES void centered_axpy4(const double* c, const double* const* x, const double* center, double* y,
                                    Size n) {
  const double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  const double m0 = center[0], m1 = center[1], m2 = center[2], m3 = center[3];
  const double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
#pragma omp simd
  for (Size i = 0; i < n; ++i)
    y[i] += (c0 * (x0[i] - m0) + c1 * (x1[i] - m1)) + (c2 * (x2[i] - m2) + c3 * (x3[i] - m3));
}

ZERONORM_CLONES void weighted_axpy(double c, const double* b, const double* x, double* y, Size n) {
#pragma omp simd
  for (Size i = 0; i < n; ++i) y[i] += c * b[i] * x[i];
}

ZERONORM_CLONES double clipped_slope(const double* c, const double* r, const double* f, double t,
                                     double width, Size n) {
  double s = 0;
#pragma omp simd reduction(+ : s)
  for (Size i = 0; i < n; ++i) {
    double share = (r[i] - t * f[i]) / width;
    share = share > 0 ? share : 0;
    share = share < 1 ? share : 1;
    s += c[i] * f[i] * share;
  }
  return s;
}

ZERONORM_CLONES double capped_slope(const double* a, const double* move, const double* cap, const double* f,
                                    double t, Size n) {
  double s = 0;
#pragma omp simd reduction(+ : s)
  for (Size i = 0; i < n; ++i) {
    double at = a[i] + t * move[i];
    at = at > 0 ? at : 0;
    at = at < cap[i] ? at : cap[i];
    s += f[i] * at;
  }
  return s;
}

ZERONORM_CLONES void axpy4(const double* c, const double* x0, const double* x1, const double* x2,
                           const double* x3, double* y, Size n) {
  const double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
#pragma omp simd
  for (Size i = 0; i < n; ++i) y[i] += (c0 * x0[i] + c1 * x1[i]) + (c2 * x2[i] + c3 * x3[i]);
}

ZERONORM_CLONES void rows_dot(const double* a, Size rows, Size stride, const double* x, Size n, double* out) {
  for (Size k = 0; k < rows; ++k, a += stride) {
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (Size i = 0; i < n; ++i) s += a[i] * x[i];
    out[k] = s;
  }
}

ZERONORM_CLONES void add_rows(const double* c, const double* a, Size rows, Size stride, double* y, Size n) {
  for (Size k = 0; k < rows; ++k, a += stride) {
    const double ck = c[k];
    if (ck == 0) continue;
#pragma omp simd
    for (Size i = 0; i < n; ++i) y[i] += ck * a[i];
  }
}

ZERONORM_CLONES void add_outer(const double* c, const double* x, double* a, Size rows, Size stride, Size n) {
  for (Size k = 0; k < rows; ++k, a += stride) {
    const double ck = c[k];
    if (ck == 0) continue;
#pragma omp simd
    for (Size i = 0; i < n; ++i) a[i] += ck * x[i];
  }
}

ZERONORM_CLONES void add_squares(const double* a, Size rows, Size stride, double* y, Size n) {
  for (Size k = 0; k < rows; ++k, a += stride) {
#pragma omp simd
    for (Size i = 0; i < n; ++i) y[i] += a[i] * a[i];
  }
}

// Tests sixteen entries at a time, because nearly all are within the bounds.
ZERONORM_CLONES Size collect_beyond(const double* g, const double* up, const double* down, double share,
                                    Size n, Size* out) {
  Size count = 0, i = 0;
  for (; i + 16 <= n; i += 16) {
    long long any = 0;
#pragma omp simd reduction(| : any)
    for (int c = 0; c < 16; ++c) any |= (g[i + c] >= share * up[i + c]) | (-g[i + c] >= share * down[i + c]);
    if (any == 0) continue;
    for (int c = 0; c < 16; ++c)
      if (g[i + c] >= share * up[i + c] || -g[i + c] >= share * down[i + c]) out[count++] = i + c;
  }
  for (; i < n; ++i)
    if (g[i] >= share * up[i] || -g[i] >= share * down[i]) out[count++] = i;
  return count;
}

// Tests sixteen entries of one kind at once, as nearly all are; mixed ones are tested one by one.
ZERONORM_CLONES Size collect_reaching(const double* g, const double* norm, const double* up,
                                      const double* down, const unsigned char* kind, const double* share,
                                      const double* apart, double near, Size first, Size last, Size* out) {
  Size count = 0;
  for (Size i = first; i < last; i += 16) {
    const Size width = last - i < 16 ? last - i : 16;
    int mixed = width < 16;
    for (Size c = 1; c < width; ++c) mixed |= kind[i + c] ^ kind[i];
    if (mixed == 0) {
      const double s = share[kind[i]], a = apart[kind[i]];
      long long any = 0;
#pragma omp simd reduction(| : any)
      for (int c = 0; c < 16; ++c) {
        const double price = s * g[i + c], spread = a * norm[i + c];
        any |= (price + spread >= near * up[i + c]) | (spread - price >= near * down[i + c]);
      }
      if (any == 0) continue;
    }
    for (Size k = i; k < i + width; ++k) {
      const double price = share[kind[k]] * g[k], spread = apart[kind[k]] * norm[k];
      out[count] = k;
      count += (price + spread >= near * up[k]) | (spread - price >= near * down[k]);
    }
  }
  return count;
}

// Four rows by two: eight sums stay in registers, and blocks of the second rows stay in cache.
ZERONORM_CLONES void add_gram(const double* rows, Size n, Size width, double* k, Size ld, Size first,
                              Size last) {
  const Size full = n - n % 4;
  for (Size block = first; block < full && block < last; block += kGramBlock)
    for (Size i = block; i < full; i += 4) {
      const double *a0 = rows + i * width, *a1 = a0 + width, *a2 = a1 + width, *a3 = a2 + width;
      const Size end = i + 4 < block + kGramBlock ? i + 4 : block + kGramBlock;
      for (Size j = block; j < end; j += 2) {
        const double *b0 = rows + j * width, *b1 = b0 + width;
        double s00 = 0, s10 = 0, s20 = 0, s30 = 0, s01 = 0, s11 = 0, s21 = 0, s31 = 0;
#pragma omp simd reduction(+ : s00, s10, s20, s30, s01, s11, s21, s31)
        for (Size t = 0; t < width; ++t) {
          const double x = b0[t], z = b1[t];
          s00 += a0[t] * x;
          s10 += a1[t] * x;
          s20 += a2[t] * x;
          s30 += a3[t] * x;
          s01 += a0[t] * z;
          s11 += a1[t] * z;
          s21 += a2[t] * z;
          s31 += a3[t] * z;
        }
        double *left = k + j * ld + i, *right = left + ld;
        left[0] += s00, left[1] += s10, left[2] += s20, left[3] += s30;
        right[0] += s01, right[1] += s11, right[2] += s21, right[3] += s31;
      }
    }
  for (Size i = full; i < n; ++i)
    for (Size j = first; j <= i && j < last; ++j) {
      const double *a = rows + i * width, *b = rows + j * width;
      double s = 0;
#pragma omp simd reduction(+ : s)
      for (Size t = 0; t < width; ++t) s += a[t] * b[t];
      k[j * ld + i] += s;
    }
}

namespace {

// Four contiguous doubles of any alignment.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

}  // namespace

ZERONORM_CLONES void into_panels(const double* x, double center, double c, Size n, double* out, Size stride) {
  Size i = 0;
  for (; i + kPanel <= n; i += kPanel, out += stride) {
#pragma omp simd
    for (Size r = 0; r < kPanel; ++r) out[r] = c * (x[i + r] - center);
  }
  for (Size r = 0; i + r < n; ++r) out[r] = c * (x[i + r] - center);
}

// Eight rows by four: eight vectors of four sums stay in registers and do not depend on each other.
ZERONORM_CLONES void add_panels(const double* panels, Size stride, Size n, Size width, double* k, Size first,
                                Size last) {
  for (Size block = first; block < last; block += kGramBlock) {
    const Size over = block + kGramBlock < last ? block + kGramBlock : last;
    for (Size i = block; i < n; i += kPanel) {
      const double* a = panels + i / kPanel * stride;
      const Size rows = n - i < kPanel ? n - i : kPanel, end = i + rows < over ? i + rows : over;
      for (Size j = block; j < end; j += 4) {
        const double* b = panels + j / kPanel * stride + j % kPanel;
        Four s0 = {0, 0, 0, 0}, s1 = s0, s2 = s0, s3 = s0, r0 = s0, r1 = s0, r2 = s0, r3 = s0;
        for (Size t = 0; t < width * kPanel; t += kPanel) {
          const Four u = *reinterpret_cast<const Four*>(a + t), v = *reinterpret_cast<const Four*>(a + t + 4);
          const Four b0 = {b[t], b[t], b[t], b[t]}, b1 = {b[t + 1], b[t + 1], b[t + 1], b[t + 1]};
          const Four b2 = {b[t + 2], b[t + 2], b[t + 2], b[t + 2]},
                     b3 = {b[t + 3], b[t + 3], b[t + 3], b[t + 3]};
          s0 += u * b0, r0 += v * b0;
          s1 += u * b1, r1 += v * b1;
          s2 += u * b2, r2 += v * b2;
          s3 += u * b3, r3 += v * b3;
        }
        const Four sums[] = {s0, r0, s1, r1, s2, r2, s3, r3};
        const double* sum = reinterpret_cast<const double*>(sums);
        for (Size c = 0; c < 4 && j + c < end; ++c)
          for (Size r = 0; r < rows; ++r) k[(j + c) * n + i + r] += sum[c * kPanel + r];
      }
    }
  }
}

// Mirrors squares that stay in cache.
void mirror_lower(double* k, Size n) {
  const Size side = 64;
  for (Size first = 0; first < n; first += side)
    for (Size from = first; from < n; from += side)
      for (Size j = first; j < n && j < first + side; ++j)
        for (Size i = from > j ? from : j + 1; i < n && i < from + side; ++i) k[i * n + j] = k[j * n + i];
}

// Sixteen columns keep their extremes in registers. 6 m n / 4 instructions.
ZERONORM_CLONES Size one_sided(const double* const* a, const double* const* b, const double* c,
                               const double* e, Size m, Size n, double zero, Size* out) {
  const Size lanes = 16, parts = 4;
  Size found = 0;
  for (Size j = 0; j + lanes <= n; j += lanes) {
    Four low[parts], high[parts];
    for (Size u = 0; u < parts; ++u) low[u] = high[u] = Four{0, 0, 0, 0};
    for (Size k = 0; k < m; ++k) {
      const Four ck = {c[k], c[k], c[k], c[k]}, ek = {e[k], e[k], e[k], e[k]};
      const Four* ak = reinterpret_cast<const Four*>(a[k] + j);
      const Four* bk = reinterpret_cast<const Four*>(b[k] + j);
      for (Size u = 0; u < parts; ++u) {
        const Four v = ck * ak[u] + ek * bk[u];
        low[u] = v < low[u] ? v : low[u];
        high[u] = v > high[u] ? v : high[u];
      }
    }
    const double* lowest = reinterpret_cast<const double*>(low);
    const double* highest = reinterpret_cast<const double*>(high);
    for (Size t = 0; t < lanes; ++t) {
      out[found] = j + t;
      found += !(highest[t] > zero && lowest[t] < -zero);
    }
  }
  for (Size j = n - n % lanes; j < n; ++j) {
    double low = 0, high = 0;
    for (Size k = 0; k < m; ++k) {
      const double v = c[k] * a[k][j] + e[k] * b[k][j];
      low = v < low ? v : low;
      high = v > high ? v : high;
    }
    out[found] = j;
    found += !(high > zero && low < -zero);
  }
  return found;
}

ZERONORM_CLONES void center_scale(const double* x, double center, double c, double* out, Size n) {
#pragma omp simd
  for (Size i = 0; i < n; ++i) out[i] = c * (x[i] - center);
}

}  // namespace simd
}  // namespace zeronorm
