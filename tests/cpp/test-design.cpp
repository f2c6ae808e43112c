// Tests every view of the data against a plain dense matrix, entry by entry, and moments against repeated rows, sums
// in long double and values by hand.
#include <testthat/vendor/catch.h>

#include "base/parallel.h"
#include "instances.h"

using namespace zeronorm;

namespace {

double off(const Mat& found, const Mat& expected) {
  REQUIRE(found.rows() == expected.rows());
  REQUIRE(found.cols() == expected.cols());
  return (found - expected).cwiseAbs().maxCoeff() / std::max(1.0, expected.cwiseAbs().maxCoeff());
}

Mat pick(const Mat& m, const IndexList& rows, const IndexList& cols) {
  return Mat::NullaryExpr(Index(rows.size()), Index(cols.size()),
                          [&](Index i, Index j) { return m(rows[std::size_t(i)], cols[std::size_t(j)]); });
}

void check_products(const Design& x, const Mat& m, Random& random) {
  REQUIRE(x.rows() == m.rows());
  REQUIRE(x.cols() == m.cols());
  Vec w = gaussian(m.cols(), random);
  for (Index j = 0; j < w.size(); j += 3) w[j] = 0;
  const Vec v = gaussian(m.rows(), random);
  CHECK(off(x.times(w), m * w) < 1e-13);
  CHECK(off(x.transposed_times(v), m.transpose() * v) < 1e-13);
  for (const int threads : {1, 2}) {
    const UseThreads use(threads);
    Vec g;
    CHECK(off(x.both_products(w, v, g), m * w) < 1e-13);
    CHECK(off(g, m.transpose() * v) < 1e-13);
  }
  CHECK(off(x.squared_norms(), m.colwise().squaredNorm().transpose()) < 1e-13);
  Vec column(m.rows());
  for (Index j = 0; j < m.cols(); ++j) {
    x.column(j, column.data());
    CHECK(off(column, m.col(j)) < 1e-14);
    Vec values(m.rows()), scattered = Vec::Zero(m.rows());
    IndexList rows(std::size_t(m.rows()));
    const Index count = x.entries(j, rows.data(), values.data());
    REQUIRE(count <= m.rows());
    for (Index k = 0; k < count; ++k) scattered[rows[std::size_t(k)]] += values[k];
    CHECK(off(scattered, m.col(j)) < 1e-14);
  }
  Vec some = Vec::Zero(m.cols()), wanted = some;
  IndexList every_third;
  for (Index j = m.cols() - 1; j >= 0; j -= 3) {
    every_third.push_back(j);
    wanted[j] = m.col(j).dot(v);
  }
  x.products(every_third, v, some.data());
  CHECK(off(some, wanted) < 1e-13);
}

// Columns of scale zero are removed, and unpenalised columns are not part of the ridge.
void check_gram(const Design& x, const Mat& m, Random& random) {
  Vec z = gaussian(m.cols(), random).cwiseAbs();
  Mat expected = Mat::Zero(m.rows(), m.rows());
  for (Index j = 0; j < z.size(); ++j) {
    if (j % 4 == 1)
      z[j] = 0;
    else if (j % 4 == 2)
      z[j] = kInf;
    else
      expected += z[j] * z[j] * m.col(j) * m.col(j).transpose();
  }
  CHECK(off(x.gram(z), expected) < 1e-13);
}

void check(const Design& x, const Mat& m, Random& random) {
  check_products(x, m, random);
  check_gram(x, m, random);
}

const IndexList kRows = {7, 0, 3, 11, 4}, kCols = {12, 2, 5, 3, 0, 9, 8, 1, 10};

void check_with_subsets(const Design& x, const Mat& m, Random& random) {
  check(x, m, random);
  check(*x.subset(kRows, kCols), pick(m, kRows, kCols), random);
  const IndexList inner_rows = {4, 0, 2}, inner_cols = {8, 1, 0, 3};
  const Mat inner = pick(pick(m, kRows, kCols), inner_rows, inner_cols);
  check(*x.subset(kRows, kCols)->subset(inner_rows, inner_cols), inner, random);
  // These rows and columns are as a bootstrap draws them.
  const IndexList rows = {5, 0, 5, 5, 2, 0}, cols = {3, 7, 3}, again = {2, 0, 2};
  check(*x.subset(rows, cols), pick(m, rows, cols), random);
  check(*x.subset(rows, cols)->subset(again, again), pick(pick(m, rows, cols), again, again), random);
}

struct Sparse {
  std::vector<int> p, i;
  std::vector<double> x;
  explicit Sparse(const Mat& m) : p{0} {
    for (Index j = 0; j < m.cols(); ++j) {
      for (Index r = 0; r < m.rows(); ++r)
        if (m(r, j) != 0 || (r + j) % 7 == 0) {  // Some zeros are stored.
          i.push_back(int(r));
          x.push_back(m(r, j));
        }
      p.push_back(int(i.size()));
    }
  }
};

Mat with_zeros(Index n, Index d, Random& random) {
  return gaussian(n, d, random).unaryExpr([&](double v) { return random() % 3 ? 0.0 : v; });
}

Mat standardised(const Mat& raw, const Vec& center, const Vec& scale) {
  return Mat::NullaryExpr(raw.rows(), raw.cols(), [&](Index i, Index j) {
    return scale[j] > 0 ? (raw(i, j) - center[j]) / scale[j] : 0.0;
  });
}

void check_moments(const Moments& found, const Mat& x, const std::vector<long double>& weight,
                   long double freedom, double accuracy) {
  long double sum = 0;
  for (long double v : weight) sum += v;
  for (Index j = 0; j < x.cols(); ++j) {
    long double mean = 0, squares = 0;
    for (Index i = 0; i < x.rows(); ++i) mean += weight[std::size_t(i)] * x(i, j);
    mean /= sum;
    for (Index i = 0; i < x.rows(); ++i)
      squares += weight[std::size_t(i)] * (x(i, j) - mean) * (x(i, j) - mean);
    CHECK(found.mean[j] == Approx(double(mean)).epsilon(1e-14).margin(1e-14));
    CHECK(found.sd[j] == Approx(double(std::sqrt(squares / freedom))).epsilon(accuracy));
  }
}

}  // namespace

TEST_CASE("dense designs are centred and scaled views") {
  Random random(1);
  const Mat raw = gaussian(12, 13, random);
  Vec center = gaussian(13, random), scale = gaussian(13, random).cwiseAbs().array() + 0.1;
  scale[5] = 0;  // A constant column is empty.
  const auto x = dense_design(raw.data(), 12, 13, center, scale);
  check_with_subsets(*x, standardised(raw, center, scale), random);
  const auto part = x->subset(kRows, kCols);
  for (std::size_t j = 0; j < kCols.size(); ++j) {
    CHECK(part->center(Index(j)) == center[kCols[j]]);
    CHECK(part->scale(Index(j)) == scale[kCols[j]]);
  }
}

TEST_CASE("dense designs: more columns than a tile of the gram matrix, fewer than a block of rows") {
  Random random(2);
  const Mat wide = gaussian(9, 600, random), narrow = gaussian(30, 3, random);
  check(*view(wide), wide, random);
  check(*view(narrow), narrow, random);
}

TEST_CASE("sparse designs are scaled views") {
  Random random(3);
  const Mat raw = with_zeros(12, 13, random);
  Vec scale = gaussian(13, random).cwiseAbs().array() + 0.1;
  scale[3] = 0;
  const Sparse s(raw);
  const auto x = sparse_design(s.p.data(), s.i.data(), s.x.data(), 12, 13, scale);
  check_with_subsets(*x, standardised(raw, Vec::Zero(13), scale), random);
  CHECK(x->subset(kRows, kCols)->scale(1) == scale[kCols[1]]);
  CHECK(x->center(2) == 0);
}

TEST_CASE("sparse columns whose rows are all stored can be centred") {
  Random random(13);
  Mat raw = with_zeros(12, 13, random);
  Vec center = Vec::Zero(13), scale = gaussian(13, random).cwiseAbs().array() + 0.1;
  for (Index j : {1, 5, 12}) {
    raw.col(j) = gaussian(12, random);
    center[j] = raw.col(j).mean();
  }
  const Sparse s(raw);
  const auto x = sparse_design(s.p.data(), s.i.data(), s.x.data(), 12, 13, center, scale);
  check_with_subsets(*x, standardised(raw, center, scale), random);
  CHECK(x->center(5) == center[5]);
  CHECK(x->subset(kRows, kCols)->center(2) == center[kCols[2]]);
  CHECK(x->stored_column(5).rows == nullptr);
  CHECK(x->stored_column(0).rows != nullptr);
  center[0] = 1;
  CHECK_THROWS_AS(sparse_design(s.p.data(), s.i.data(), s.x.data(), 12, 13, center, scale),
                  std::invalid_argument);
}

TEST_CASE("kernel designs are the matrix itself") {
  Random random(4);
  const Mat half = gaussian(13, 6, random), k = half * half.transpose();
  const auto x = kernel_design(k);
  check_products(*x, k, random);
  CHECK(off(x->gram(Vec::Ones(13)), k) == 0);
  const Mat part = pick(k, kRows, kCols);
  check_products(*x->subset(kRows, kCols), part, random);
  // In a part the columns are no longer those of the rows, even if there are as many.
  const IndexList rows = {2, 0, 0}, all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  check_products(*x->subset(kRows, all)->subset(rows, all), pick(pick(k, kRows, all), rows, all), random);
  const IndexList first_cols(all.begin(), all.begin() + kCols.size());
  check_products(*x->subset(kRows, kCols)->subset(rows, first_cols), pick(part, rows, first_cols), random);
  const IndexList three = {3, 4, 5};
  check_products(*x->subset(rows, three)->subset({1, 0}, {0, 1, 2}),
                 pick(pick(k, rows, three), {1, 0}, {0, 1, 2}), random);
}

TEST_CASE("extended designs carry a column per slack") {
  Random random(5);
  const Mat raw = gaussian(12, 4, random), few = with_zeros(12, 4, random);
  const Sparse s(few);
  const auto dense = extended_design(view(raw), 2.5);
  const auto sparse =
      extended_design(sparse_design(s.p.data(), s.i.data(), s.x.data(), 12, 4, Vec::Ones(4)), 2.5);
  Mat whole(12, 16);
  whole << raw, Mat::Identity(12, 12) / 2.5;
  check(*dense, whole, random);
  // Of the selected columns of violations, those of the remaining rows are kept.
  const IndexList cols = {4 + 11, 2, 4 + 5, 0, 4 + 7, 4 + 2, 3}, left = {4 + 11, 2, 0, 4 + 7, 3};
  check(*dense->subset(kRows, cols), pick(whole, kRows, left), random);
  whole.leftCols(4) = few;
  check(*sparse, whole, random);
  check(*sparse->subset(kRows, cols), pick(whole, kRows, left), random);
  CHECK_THROWS(dense->subset({3, 3}, cols));
  const IndexList inner_rows = {3, 0}, inner_cols = {0, 1, 3, 4}, inner_left = {0, 1, 3, 4};
  check(*sparse->subset(kRows, cols)->subset(inner_rows, inner_cols),
        pick(pick(whole, kRows, left), inner_rows, inner_left), random);
}

TEST_CASE("moments: a weight of two is the row twice") {
  Random random(6);
  const Mat x = with_zeros(15, 6, random);
  std::vector<long double> weight;
  Vec weights(15);
  IndexList rows, cols = {0, 1, 2, 3, 4, 5};
  for (Index i = 0; i < 15; ++i) {
    weights[i] = double(i % 3);
    weight.push_back(i % 3);
    for (Index copy = 0; copy < i % 3; ++copy) rows.push_back(i);
  }
  const Mat copies = pick(x, rows, cols);
  const Sparse s(x);
  const Moments dense = dense_moments(x.data(), 15, 6, weights);
  const Moments repeated = dense_moments(copies.data(), copies.rows(), 6, Vec::Ones(copies.rows()));
  const Moments sparse = sparse_moments(s.p.data(), s.i.data(), s.x.data(), 15, 6, weights);
  check_moments(dense, x, weight, rows.size() - 1, 1e-14);
  CHECK(off(repeated.mean, dense.mean) < 1e-15);
  CHECK(off(repeated.sd, dense.sd) < 1e-15);
  CHECK(off(sparse.mean, dense.mean) < 1e-15);
  CHECK(off(sparse.sd, dense.sd) < 1e-14);
  CHECK((dense.finite && sparse.finite));
}

TEST_CASE("moments: fractional weights have an effective size") {
  const Vec x = Eigen::Vector3d(1, 2, 4), weights = Eigen::Vector3d(0.5, 0.25, 0.25);
  const Moments m = dense_moments(x.data(), 3, 1, weights);
  CHECK(m.mean[0] == Approx(2).epsilon(1e-15));
  CHECK(m.sd[0] == Approx(std::sqrt(1.5 / 0.625)).epsilon(1e-15));  // The divisor is 1 - (1/4 + 2/16).
  // A common factor of the weights changes nothing.
  const Moments ones = dense_moments(x.data(), 3, 1, Vec::Ones(3));
  const Moments halves = dense_moments(x.data(), 3, 1, Vec::Constant(3, 0.5));
  CHECK(halves.sd[0] == Approx(ones.sd[0]).epsilon(1e-15));
}

TEST_CASE("moments: a mean of a million spreads leaves nine digits") {
  Random random(7);
  for (double ratio : {1e3, 1e6}) {
    const Mat x = gaussian(500, 4, random).array() + ratio;
    const std::vector<long double> ones(500, 1.0L);
    check_moments(dense_moments(x.data(), 500, 4, Vec::Ones(500)), x, ones, 499, 1e-9);
    const Sparse s(x);
    check_moments(sparse_moments(s.p.data(), s.i.data(), s.x.data(), 500, 4, Vec::Ones(500)), x, ones, 499,
                  1e-9);
  }
}

TEST_CASE("moments: constant columns have no spread, narrow ones do") {
  Random random(8);
  Mat x(1000, 5);
  x.col(0).setConstant(0.1);
  x.col(1).setConstant(-1e9 / 3);
  x.col(2).setZero();
  x.col(3).setConstant(1e-200);
  x.col(4) = (1 + 1e-9 * gaussian(1000, random).array()).matrix();
  const Sparse s(x);
  for (const Vec& weights : {Vec(Vec::Ones(1000)), Vec(gaussian(1000, random).cwiseAbs())}) {
    const Moments dense = dense_moments(x.data(), 1000, 5, weights);
    const Moments sparse = sparse_moments(s.p.data(), s.i.data(), s.x.data(), 1000, 5, weights);
    for (const Moments& m : {dense, sparse}) {
      CHECK(m.sd.head(4).maxCoeff() == 0);
      CHECK(m.sd[4] == Approx(1e-9).epsilon(0.2));
    }
  }
}

TEST_CASE("moments: entries that are not finite are noticed wherever they are") {
  Random random(9);
  const double nan = std::nan("");
  for (double bad : {nan, kInf, -kInf}) {
    for (Index at : {0, 4, 9}) {
      Mat x = gaussian(10, 3, random);
      x(at, at % 3) = bad;
      Vec weights = Vec::Ones(10);
      for (double weight : {1.0, 0.0}) {
        weights[at] = weight;
        const Sparse s(x);
        CHECK_FALSE(dense_moments(x.data(), 10, 3, weights).finite);
        CHECK_FALSE(sparse_moments(s.p.data(), s.i.data(), s.x.data(), 10, 3, weights).finite);
      }
    }
  }
}

TEST_CASE("moments: squares that overflow or vanish leave no spread that could be taken for one") {
  Random random(10);
  const Mat z = gaussian(10, 2, random);
  for (double unit : {1e-300, 1e-200, 1e-155, 1e155, 1e200, 1e300}) {
    CAPTURE(unit);
    const Mat x = unit * z;
    const Sparse s(x);
    for (const Moments& m : {dense_moments(x.data(), 10, 2, Vec::Ones(10)),
                             sparse_moments(s.p.data(), s.i.data(), s.x.data(), 10, 2, Vec::Ones(10))}) {
      CHECK(m.finite);  // The entries are finite.
      CHECK_FALSE(std::isfinite(m.sd[0]));
    }
  }
  const Vec plain = dense_moments(z.data(), 10, 2, Vec::Ones(10)).sd;
  for (double unit : {1e-140, 1e150}) {
    const Mat x = unit * z;
    CHECK(off(dense_moments(x.data(), 10, 2, Vec::Ones(10)).sd / unit, plain) < 1e-13);
  }
  // Zeros are a column without variance.
  const Mat zeros = Mat::Zero(10, 1);
  CHECK(dense_moments(zeros.data(), 10, 1, Vec::Ones(10)).sd[0] == 0);
}

TEST_CASE("sparse designs: rows taken more than once are there as often") {
  const int starts[] = {0, 2, 3}, rows[] = {0, 1, 1};
  const double values[] = {2, 3, 5};
  const auto whole = sparse_design(starts, rows, values, 3, 2, Vec::Ones(2));
  const auto part = whole->subset({1, 1, 2, 0, 1}, {1, 0});
  Mat expected(5, 2);
  expected << 5, 3, 5, 3, 0, 0, 0, 2, 5, 3;
  const Vec v = Vec::LinSpaced(5, 1, 5), w = Eigen::Vector2d(2, -1);
  CHECK(matrix(*part) == expected);
  CHECK(part->times(w) == expected * w);
  CHECK(part->transposed_times(v) == expected.transpose() * v);
  CHECK(part->squared_norms() == Vec(expected.colwise().squaredNorm().transpose()));
  CHECK(part->gram(Vec::Ones(2), Limits()) == expected * expected.transpose());
}
