// The inner loops that determine the speed, compiled for AVX2 as well if the compiler supports the choice at load
// time. Sums run in a fixed order, so results do not depend on the tiling of the caller.
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
// Returns sum_i v_i (x_i - center).
double centered_dot(const double* x, double center, const double* v, Size n);
// Sets out_k to factor_c times the centred dot product of column c = columns_k of x, for k < `count`. Four columns at a
// time hide the latency of each sum.
void centered_dots(const double* x, Size ld, const Size* columns, Size count, const double* center,
                   const double* factor, const double* v, Size n, double* out);
// Returns sum_i v_i (x_i - center)^2.
double centered_squares(const double* x, double center, const double* v, Size n);
// Computes y += c x.
void axpy(double c, const double* x, double* y, Size n);
// Computes y += c x and size += |c x|.
void add_terms(double c, const double* x, double* y, double* size, Size n);
// Computes y += c (x - center).
void centered_axpy(double c, const double* x, double center, double* y, Size n);
// Does the same for four columns at once.
void centered_axpy4(const double* c, const double* const* x, const double* center, double* y, Size n);
// Computes y += c b x, entry by entry.
void weighted_axpy(double c, const double* b, const double* x, double* y, Size n);
// Returns sum_i c_i f_i min(1, max(0, (r_i - t f_i) / width)).
double clipped_slope(const double* c, const double* r, const double* f, double t, double width, Size n);
// Returns sum_i f_i min(cap_i, max(0, a_i + t move_i)).
double capped_slope(const double* a, const double* move, const double* cap, const double* f, double t,
                    Size n);
// Computes y += c0 x0 + c1 x1 + c2 x2 + c3 x3.
void axpy4(const double* c, const double* x0, const double* x1, const double* x2, const double* x3, double* y,
           Size n);
// For small matrices of `rows` rows, `stride` apart: out_k = a_k'x; y += sum_k c_k a_k; a_k += c_k x; and y += the
// squares of all a_k, entry by entry.
void rows_dot(const double* a, Size rows, Size stride, const double* x, Size n, double* out);
void add_rows(const double* c, const double* a, Size rows, Size stride, double* y, Size n);
void add_outer(const double* c, const double* x, double* a, Size rows, Size stride, Size n);
void add_squares(const double* a, Size rows, Size stride, double* y, Size n);
// Writes the positions with g >= share * up or -g >= share * down to out and returns their number.
Size collect_beyond(const double* g, const double* up, const double* down, double share, Size n, Size* out);
// Does the same for first <= k < last and share[kind_k] g_k, which may be wrong by apart[kind_k] norm_k in either
// direction.
Size collect_reaching(const double* g, const double* norm, const double* up, const double* down,
                      const unsigned char* kind, const double* share, const double* apart, double near,
                      Size first, Size last, Size* out);
// Columns of k that are computed together; their rows stay in cache.
constexpr Size kGramBlock = 64;
// Adds sum_t rows(i, t) rows(j, t) to k(i, j) for j <= i and first <= j < last. Rows have `width` contiguous entries, k
// is column-major, and first and last are multiples of kGramBlock or n.
void add_gram(const double* rows, Size n, Size width, double* k, Size ld, Size first, Size last);
// Rows in a panel.
constexpr Size kPanel = 8;
// Writes c (x - center) to out[i / kPanel * stride + i % kPanel]: the rows of a matrix in panels of eight, one column
// after the other in each.
void into_panels(const double* x, double center, double c, Size n, double* out, Size stride);
// Does the same as add_gram() for n rows of `width` columns in panels `stride` apart and an n x n matrix k.
void add_panels(const double* panels, Size stride, Size n, Size width, double* k, Size first, Size last);
// Copies the lower triangle of the n x n matrix k to the upper one.
void mirror_lower(double* k, Size n);
// Writes to out the columns among 0 .. n-1 in which the m rows c_k a_k + e_k b_k do not have both signs; returns
// their number.
Size one_sided(const double* const* a, const double* const* b, const double* c, const double* e, Size m,
               Size n, double zero, Size* out);
// Computes out = c (x - center).
void center_scale(const double* x, double center, double c, double* out, Size n);

}  // namespace simd
}  // namespace zeronorm
