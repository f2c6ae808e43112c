// The inner loops that decide the speed, compiled for AVX2 as well where the compiler can choose at
// load time.  Sums run in a fixed order, so results do not depend on the caller's tiling.
#pragma once

#include <cstddef>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && \
    !defined(ZERONORM_NO_CLONES)
#define ZERONORM_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define ZERONORM_CLONES
#endif

namespace zeronorm {
namespace simd {

using Size = std::ptrdiff_t;

double dot(const double* x, const double* y, Size n);
// sum_i v_i (x_i - center)
double centered_dot(const double* x, double center, const double* v, Size n);
// out_k = factor_c times the same of column c = columns_k of x, for k below count; four at once, which hides the
// wait for each sum.
void centered_dots(const double* x, Size ld, const Size* columns, Size count, const double* center,
                   const double* factor, const double* v, Size n, double* out);
// sum_i v_i (x_i - center)^2
double centered_squares(const double* x, double center, const double* v, Size n);
// y += c x
void axpy(double c, const double* x, double* y, Size n);
// y += c x, and size += |c x|
void add_terms(double c, const double* x, double* y, double* size, Size n);
// y += c (x - center)
void centered_axpy(double c, const double* x, double center, double* y, Size n);
// y += the same for four columns
void centered_axpy4(const double* c, const double* const* x, const double* center, double* y, Size n);
// y += c b x, entry by entry
void weighted_axpy(double c, const double* b, const double* x, double* y, Size n);
// sum_i c_i f_i min(1, max(0, (r_i - t f_i) / width))
double clipped_slope(const double* c, const double* r, const double* f, double t, double width, Size n);
// sum f min(cap, max(0, a + t move))
double capped_slope(const double* a, const double* move, const double* cap, const double* f, double t,
                    Size n);
// y += c0 x0 + c1 x1 + c2 x2 + c3 x3
void axpy4(const double* c, const double* x0, const double* x1, const double* x2, const double* x3, double* y,
           Size n);
// For small matrices of `rows` rows, `stride` apart: out_k = a_k'x, y += sum_k c_k a_k, a_k += c_k x, and y += the
// squares of all a_k, entry by entry.
void rows_dot(const double* a, Size rows, Size stride, const double* x, Size n, double* out);
void add_rows(const double* c, const double* a, Size rows, Size stride, double* y, Size n);
void add_outer(const double* c, const double* x, double* a, Size rows, Size stride, Size n);
void add_squares(const double* a, Size rows, Size stride, double* y, Size n);
// Where g >= share * up or -g >= share * down: their number, and which, into out.
Size collect_beyond(const double* g, const double* up, const double* down, double share, Size n, Size* out);
// The same for first <= k < last, of share[kind_k] g_k where that may be off by apart[kind_k] norm_k either way.
Size collect_reaching(const double* g, const double* norm, const double* up, const double* down,
                      const unsigned char* kind, const double* share, const double* apart, double near,
                      Size first, Size last, Size* out);
// k(i, j) += sum_t rows(i, t) rows(j, t) for j <= i, first <= j < last; rows has `width` neighbours a row, k is
// column-major, first and last are multiples of kGramBlock or n.
constexpr Size kGramBlock = 64;
void add_gram(const double* rows, Size n, Size width, double* k, Size ld, Size first, Size last);
// c (x - center) at out[i / kPanel * stride + i % kPanel]: the rows of a matrix in panels of eight, a column after the
// other in each.
constexpr Size kPanel = 8;
void into_panels(const double* x, double center, double c, Size n, double* out, Size stride);
// The same as add_gram() for n rows of `width` columns in panels `stride` apart, and a k of n x n.
void add_panels(const double* panels, Size stride, Size n, Size width, double* k, Size first, Size last);
// The upper triangle of the n x n matrix k becomes the mirror image of the lower.
void mirror_lower(double* k, Size n);
// Columns 0 .. n-1 where the m rows c_k a_k + e_k b_k do not have both signs: their number, and which, into out.
Size one_sided(const double* const* a, const double* const* b, const double* c, const double* e, Size m,
               Size n, double zero, Size* out);
// out = c (x - center)
void center_scale(const double* x, double center, double c, double* out, Size n);

}  // namespace simd
}  // namespace zeronorm
