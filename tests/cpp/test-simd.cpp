// Tests the inner loops against plain sums by their definitions, over all remainders of a vector and unaligned
// starts. The makefile runs this file twice: with the other tests under the sanitizers, and once more without them,
// as users have it, so that the clone of the compiler for the vectors of the processor is selected at load time.
#include "base/simd.h"

#include <testthat/vendor/catch.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

using namespace zeronorm;
using simd::Size;

namespace {

using Numbers = std::vector<double>;
using Places = std::vector<Size>;

class Draw {
 public:
  double operator()() { return normal_(random_); }
  Numbers operator()(Size n) {
    Numbers v(static_cast<std::size_t>(n));
    for (double& x : v) x = (*this)();
    return v;
  }

 private:
  std::mt19937 random_{7};
  std::normal_distribution<double> normal_;
};

// A sum of terms, and the error that rounding in any order may cause.
struct Sum {
  long double value = 0, size = 0;
  void add(long double term) { value += term, size += std::abs(term); }
  bool is(double found) const { return std::abs(found - value) <= 1e-14L * size; }
};

// Lengths around multiples of 2, 4, 8 and 16, and a long one.
const Size kLengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1003};

// Calls check(n, x, y, z) with three times n unaligned numbers.
void each_length(const std::function<void(Size, const double*, const double*, const double*)>& check) {
  Draw draw;
  for (Size n : kLengths) {
    const Numbers x = draw(n + 1), y = draw(n + 1), z = draw(n + 1);
    check(n, x.data() + 1, y.data() + 1, z.data() + 1);
  }
}

// Checks whether run adds term(i) to entry i of n numbers or, if it writes, leaves term(i) there.
void check_entries(Size n, bool adds, const std::function<void(double*)>& run,
                   const std::function<long double(Size)>& term) {
  Draw draw;
  const Numbers before = draw(n + 2);
  Numbers after = before;
  run(after.data() + 1);
  CHECK(after.front() == before.front());
  CHECK(after.back() == before.back());
  Size wrong = 0;
  for (Size i = 0; i < n; ++i) {
    Sum sum;
    if (adds) sum.add(before[i + 1]);
    sum.add(term(i));
    sum.size += std::abs(term(i)) + 4;  // The terms may cancel.
    wrong += !sum.is(after[i + 1]);
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("kernels: sums") {
  each_length([](Size n, const double* x, const double* y, const double* z) {
    Sum dot, centered, squares;
    for (Size i = 0; i < n; ++i) {
      const long double away = static_cast<long double>(x[i]) - 0.75L;
      dot.add(static_cast<long double>(x[i]) * y[i]);
      centered.add(y[i] * away);
      squares.add(y[i] * away * away);
    }
    CHECK(dot.is(simd::dot(x, y, n)));
    CHECK(centered.is(simd::centered_dot(x, 0.75, y, n)));
    CHECK(squares.is(simd::centered_squares(x, 0.75, y, n)));
    for (double t : {0.0, 0.3, -2.0}) {
      Sum slope;
      for (Size i = 0; i < n; ++i) {
        const long double share = (x[i] - static_cast<long double>(t) * y[i]) / 0.5L;
        slope.add(static_cast<long double>(z[i]) * y[i] * (share < 0 ? 0 : share > 1 ? 1 : share));
      }
      slope.size += 10;
      CHECK(slope.is(simd::clipped_slope(z, x, y, t, 0.5, n)));
      Numbers caps(static_cast<std::size_t>(n));
      Sum capped;
      for (Size i = 0; i < n; ++i) {
        caps[i] = i % 3 == 0 ? HUGE_VAL : i % 3 == 1 ? 0.4 : 0;
        const long double at = x[i] + static_cast<long double>(t) * y[i];
        capped.add(z[i] * (at < 0 ? 0 : at < caps[i] ? at : static_cast<long double>(caps[i])));
      }
      capped.size += 10;
      CHECK(capped.is(simd::capped_slope(x, y, caps.data(), z, t, n)));
    }
  });
}

TEST_CASE("kernels: products with columns of a matrix") {
  Draw draw;
  const Numbers center = {0.75, -2, 0, 1e3, 3}, factor = {1, 0.5, -3, 1e-3, 0};
  const Places all = {3, 0, 4, 1, 1, 2, 3};
  for (Size n : kLengths) {
    const Size ld = n + 1;
    const Numbers x = draw(5 * ld), v = draw(n);
    for (Size count = 0; count <= 7; ++count) {
      Numbers found(static_cast<std::size_t>(count) + 1, 0.25);
      simd::centered_dots(x.data(), ld, all.data(), count, center.data(), factor.data(), v.data(), n,
                          found.data());
      for (Size k = 0; k < count; ++k) {
        const Size c = all[k];
        Sum sum;
        for (Size i = 0; i < n; ++i)
          sum.add(factor[c] * (v[i] * (static_cast<long double>(x[c * ld + i]) - center[c])));
        CHECK(sum.is(found[k]));
      }
      CHECK(found[count] == 0.25);
    }
  }
}

TEST_CASE("kernels: what is added to a vector, or written over it") {
  each_length([](Size n, const double* x, const double* b, const double* z) {
    const auto entries = [&](bool adds, const std::function<void(double*)>& run,
                             const std::function<long double(Size)>& term) {
      check_entries(n, adds, run, term);
    };
    entries(
        true, [&](double* y) { simd::axpy(1.5, x, y, n); }, [&](Size i) { return 1.5L * x[i]; });
    entries(
        true,
        [&](double* y) {
          Numbers size(static_cast<std::size_t>(n));
          simd::add_terms(1.5, x, y, size.data(), n);
        },
        [&](Size i) { return 1.5L * x[i]; });
    entries(
        true,
        [&](double* size) {
          Numbers y(static_cast<std::size_t>(n));
          simd::add_terms(-1.5, x, y.data(), size, n);
        },
        [&](Size i) { return std::abs(1.5L * x[i]); });
    entries(
        true, [&](double* y) { simd::centered_axpy(1.5, x, 0.25, y, n); },
        [&](Size i) { return 1.5L * (x[i] - 0.25L); });
    entries(
        true, [&](double* y) { simd::weighted_axpy(-2.5, b, x, y, n); },
        [&](Size i) { return -2.5L * b[i] * x[i]; });
    const double c[] = {1, -2, 0.5, 3};
    entries(
        true, [&](double* y) { simd::axpy4(c, x, b, z, x, y, n); },
        [&](Size i) { return 1.0L * x[i] - 2.0L * b[i] + 0.5L * z[i] + 3.0L * x[i]; });
    const double* four[] = {x, b, z, x};
    const double center[] = {0.25, 0, -1, 0.5};
    entries(
        true, [&](double* y) { simd::centered_axpy4(c, four, center, y, n); },
        [&](Size i) {
          return 1.0L * (x[i] - 0.25L) - 2.0L * b[i] + 0.5L * (z[i] + 1.0L) + 3.0L * (x[i] - 0.5L);
        });
    entries(
        false, [&](double* y) { simd::center_scale(x, 0.25, -3, y, n); },
        [&](Size i) { return -3.0L * (x[i] - 0.25L); });
  });
}

TEST_CASE("kernels: small matrices by rows") {
  Draw draw;
  const Size rows = 3, gap = 2;
  for (Size n : kLengths) {
    const Size stride = n + gap;
    const Numbers a = draw(rows * stride), x = draw(n), c = {2, 0, -0.5};
    Numbers out(rows);
    simd::rows_dot(a.data(), rows, stride, x.data(), n, out.data());
    for (Size k = 0; k < rows; ++k) {
      Sum sum;
      for (Size i = 0; i < n; ++i) sum.add(static_cast<long double>(a[k * stride + i]) * x[i]);
      CHECK(sum.is(out[k]));
    }
    check_entries(
        n, true, [&](double* y) { simd::add_rows(c.data(), a.data(), rows, stride, y, n); },
        [&](Size i) { return 2.0L * a[i] - 0.5L * a[2 * stride + i]; });
    check_entries(
        n, true, [&](double* y) { simd::add_squares(a.data(), rows, stride, y, n); },
        [&](Size i) {
          long double sum = 0;
          for (Size k = 0; k < rows; ++k)
            sum += static_cast<long double>(a[k * stride + i]) * a[k * stride + i];
          return sum;
        });
    // Entries of the rows of a beyond n belong to others.
    check_entries(
        rows * stride, true, [&](double* m) { simd::add_outer(c.data(), x.data(), m, rows, stride, n); },
        [&](Size at) {
          const Size i = at % stride;
          return i < n ? static_cast<long double>(c[at / stride]) * x[i] : 0.0L;
        });
  }
}

TEST_CASE("kernels: entries beyond their costs") {
  Draw draw;
  for (Size n : kLengths)
    for (double share : {0.5, 2.0, 8.0}) {
      Numbers g = draw(n), up = draw(n), down = draw(n);
      for (Size i = 0; i < n; ++i) up[i] = std::abs(up[i]), down[i] = std::abs(down[i]);
      // A value equal to the threshold counts as beyond it.
      if (n > 2) g[n / 2] = share * up[n / 2], g[n - 1] = -share * down[n - 1];
      Places wanted, found(n);
      for (Size i = 0; i < n; ++i)
        if (g[i] >= share * up[i] || -g[i] >= share * down[i]) wanted.push_back(i);
      found.resize(simd::collect_beyond(g.data(), up.data(), down.data(), share, n, found.data()));
      CHECK(found == wanted);
    }
}

TEST_CASE("kernels: entries that may reach their costs") {
  Draw draw;
  const Numbers share = {1, 0.5, -2}, apart = {0.25, 0, 1};
  for (Size n : kLengths)
    for (Size first : {Size(0), n / 3})
      for (double near : {0.5, 2.0, 8.0})
        for (Size period : {Size(1), Size(40)}) {  // Kinds change with each entry, or rarely.
          const Numbers g = draw(n);
          Numbers norm = draw(n), up = draw(n), down = draw(n);
          std::vector<unsigned char> kind(static_cast<std::size_t>(n));
          Places wanted, found(n - first);
          for (Size i = 0; i < n; ++i) {
            norm[i] = std::abs(norm[i]), up[i] = std::abs(up[i]), down[i] = std::abs(down[i]);
            kind[i] = static_cast<unsigned char>(i / period % 3);
            if (i % 5 == 0) up[i] = down[i] = 1e9;
          }
          for (Size i = first; i < n; ++i) {
            const double price = share[kind[i]] * g[i], spread = apart[kind[i]] * norm[i];
            if (price + spread >= near * up[i] || spread - price >= near * down[i]) wanted.push_back(i);
          }
          found.resize(simd::collect_reaching(g.data(), norm.data(), up.data(), down.data(), kind.data(),
                                              share.data(), apart.data(), near, first, n, found.data()));
          CHECK(found == wanted);
        }
}

TEST_CASE("kernels: Gram matrices of columns in panels") {
  Draw draw;
  for (Size n : {1, 3, 4, 6, 8, 63, 64, 65, 130, 135})
    for (Size width : {0, 1, 4, 7, 40}) {
      const Numbers x = draw(n * width), center = draw(width), factor = draw(width);
      const Size stride = (width + 2) * simd::kPanel;
      Numbers panels((n + simd::kPanel - 1) / simd::kPanel * stride, 99.0), k(n * n, 0.5);
      for (Size t = 0; t < width; ++t)
        simd::into_panels(x.data() + t * n, center[t], factor[t], n, panels.data() + t * simd::kPanel,
                          stride);
      Size wrong = 0;
      for (Size at = 0; at < static_cast<Size>(panels.size()); ++at) {
        const Size i = at / stride * simd::kPanel + at % simd::kPanel, t = at % stride / simd::kPanel;
        const double wanted = i < n && t < width ? factor[t] * (x[t * n + i] - center[t]) : 99.0;
        wrong += !(std::abs(panels[at] - wanted) <= 1e-14 * (1 + std::abs(wanted)));
      }
      CHECK(wrong == 0);
      for (Size from = 0; from < n; from += simd::kGramBlock)
        simd::add_panels(panels.data(), stride, n, width, k.data(), from,
                         std::min(n, from + simd::kGramBlock));
      wrong = 0;
      for (Size j = 0; j < n; ++j)
        for (Size i = j; i < n; ++i) {
          Sum sum;
          sum.add(0.5);
          for (Size t = 0; t < width; ++t)
            sum.add(factor[t] * (static_cast<long double>(x[t * n + i]) - center[t]) * factor[t] *
                    (static_cast<long double>(x[t * n + j]) - center[t]));
          wrong += !sum.is(k[j * n + i]);
        }
      CHECK(wrong == 0);
    }
}

TEST_CASE("kernels: Gram matrices by blocks, and their mirror image") {
  Draw draw;
  for (Size n : {1, 3, 4, 6, 63, 64, 65, 130, 135})
    for (Size width : {0, 1, 4, 7, 40}) {
      const Numbers rows = draw(n * width);
      const Size ld = n + 1;
      Numbers k(ld * n, 0.5);
      for (Size from = 0; from < n; from += simd::kGramBlock)
        simd::add_gram(rows.data(), n, width, k.data(), ld, from, std::min(n, from + simd::kGramBlock));
      Size wrong = 0;
      for (Size j = 0; j < n; ++j) {
        wrong += k[j * ld + n] != 0.5;  // This entry is below the matrix.
        for (Size i = j; i < n; ++i) {
          Sum sum;
          sum.add(0.5);
          for (Size t = 0; t < width; ++t)
            sum.add(static_cast<long double>(rows[i * width + t]) * rows[j * width + t]);
          wrong += !sum.is(k[j * ld + i]);
        }
      }
      CHECK(wrong == 0);
      Numbers square = draw(n * n);
      const Numbers before = square;
      simd::mirror_lower(square.data(), n);
      wrong = 0;
      for (Size j = 0; j < n; ++j)
        for (Size i = 0; i < n; ++i)
          wrong += square[j * n + i] != before[std::min(i, j) * n + std::max(i, j)];
      CHECK(wrong == 0);
    }
}

TEST_CASE("kernels: columns of one sign") {
  Draw draw;
  for (Size n : kLengths)
    for (Size m : {0, 1, 2, 5}) {
      std::vector<Numbers> first, second;
      std::vector<const double*> a, b;
      for (Size k = 0; k < m; ++k) first.push_back(draw(n)), second.push_back(draw(n));
      for (Size k = 0; k < m; ++k) a.push_back(first[k].data()), b.push_back(second[k].data());
      const Numbers c = draw(m), e = draw(m);
      for (double zero : {0.0, 0.5}) {
        Places wanted, found(n);
        for (Size j = 0; j < n; ++j) {
          bool up = false, down = false;
          for (Size k = 0; k < m; ++k) {
            const double v = c[k] * a[k][j] + e[k] * b[k][j];
            up = up || v > zero, down = down || v < -zero;
          }
          if (!(up && down)) wanted.push_back(j);
        }
        found.resize(simd::one_sided(a.data(), b.data(), c.data(), e.data(), m, n, zero, found.data()));
        CHECK(found == wanted);
      }
    }
}
