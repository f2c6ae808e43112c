// Tests loops on several threads: every part runs once, and the numbers are equal for any number of threads.
#include <testthat/vendor/catch.h>

#include <cstdlib>
#include <new>
#include <numeric>
#include <stdexcept>

#include "base/parallel.h"
#include "data/row_copy.h"
#include "instances.h"

using namespace zeronorm;

namespace {

// Number of allocations of this thread that succeed before one fails; a negative number lets all succeed.
thread_local int allocations_left = -1;

}  // namespace

void* operator new(std::size_t size) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
// Sorting allocates its buffer by this operator and frees it by the others.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size ? size : 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("no memory for a further thread: the threads that run do the work, and the process goes on") {
  const UseThreads use(5);
  for (int allocations = 0; allocations < 20; ++allocations) {
    std::vector<int> done(1000, 0);
    const std::function<void(Index, Index)> work = [&](Index from, Index to) {
      for (Index i = from; i < to; ++i) ++done[std::size_t(i)];
    };
    allocations_left = allocations;
    in_parts(1000, 1e9, work);
    allocations_left = -1;
    CHECK(done == std::vector<int>(1000, 1));
  }
}

TEST_CASE("parts are done once each, whatever the threads, steps and cost") {
  for (int threads : {1, 2, 5})
    for (Index count : {0, 1, 7, 1000})
      for (Index step : {1, 64})
        for (double operations : {0.0, 1e9}) {
          const UseThreads use(threads);
          std::vector<int> done(count, 0);
          in_parts(
              count, operations,
              [&](Index from, Index to) {
                CHECK_FALSE(from % step);
                for (Index i = from; i < to; ++i) ++done[i];
              },
              step);
          CHECK(done == std::vector<int>(count, 1));
        }
}

TEST_CASE("what a part throws reaches the caller, and the next loop works") {
  const UseThreads use(3);
  const auto fail = [](Index from, Index) {
    if (from >= 100) throw std::runtime_error("part");
  };
  CHECK_THROWS_AS(in_parts(1000, 1e9, fail), std::runtime_error);
  std::vector<int> done(1000, 0);
  in_parts(1000, 1e9, [&](Index from, Index to) { std::fill(done.begin() + from, done.begin() + to, 1); });
  CHECK(std::accumulate(done.begin(), done.end(), 0) == 1000);
}

TEST_CASE("products with large data do not depend on the number of threads") {
  const Index n = 3000, d = 1500;
  Mat values = Mat::Random(n, d);
  std::vector<int> p = {0}, i;
  std::vector<double> x;
  for (Index j = 0; j < d; ++j) {
    for (Index r = j % 2; r < n; r += 2) i.push_back(int(r)), x.push_back(values(r, j));
    p.push_back(int(i.size()));
  }
  const std::shared_ptr<const Design> dense = dense_design(values.data(), n, d, Vec::Random(d), Vec::Ones(d)),
                                      sparse =
                                          sparse_design(p.data(), i.data(), x.data(), n, d, Vec::Ones(d));
  const Vec v = Vec::Random(n), w = Vec::Random(d), weights = v.cwiseAbs();
  IndexList rows(n), some;
  std::iota(rows.begin(), rows.end(), 0);
  for (Index j = 0; j < d; ++j) some.push_back(j);
  for (const auto& design : {dense, sparse}) {
    const auto all = [&](int threads) {
      const UseThreads use(threads);
      const auto copy = copy_rows(*design, some);
      Vec part = Vec::Zero(d);
      design->products(some, v, part.data());
      const Moments moments = design->moments(weights);
      std::vector<Mat> numbers = {design->transposed_times(v),
                                  part,
                                  design->squared_norms(),
                                  moments.mean,
                                  moments.sd,
                                  design->weighted_squares(v),
                                  copy->square_times(rows, weights, v, w)};
      numbers.push_back(copy->gram({rows.begin(), rows.begin() + 300}, weights));
      if (!design->is_sparse()) numbers.push_back(design->gram(Vec::Ones(d)));
      return numbers;
    };
    const std::vector<Mat> one = all(1), four = all(4);
    for (std::size_t k = 0; k < one.size(); ++k) CHECK((one[k].array() == four[k].array()).all());
    // The sums are those of plain products.
    CHECK(one[0].isApprox(matrix(*design).transpose() * v, 1e-12));
    const Mat full = matrix(*design);
    const Vec square = full.transpose() * weights.cwiseProduct(full * w - v);
    // The copy has its own order of columns and single precision.
    const auto copy = copy_rows(*design, some);
    Vec moved(d), back(d);
    for (Index k = 0; k < d; ++k) moved[k] = w[copy->columns()[k]];
    const Vec product = copy->square_times(rows, weights, v, moved);
    for (Index k = 0; k < d; ++k) back[copy->columns()[k]] = product[k];
    CHECK((back - square).norm() <= 1e-5 * square.norm());
  }
}
