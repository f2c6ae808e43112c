// Tests copies of rows against the matrix itself.
#include "data/row_copy.h"

#include <testthat/vendor/catch.h>

#include <algorithm>
#include <numeric>

#include "data/row_entries.h"
#include "instances.h"

using namespace zeronorm;

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Mat sparse_gaussian(Index n, Index d, double density, Random& random) {
  return Mat::NullaryExpr(n, d, [&] { return uniform(random) < density ? normal(random) : 0.0; });
}

// Returns counts, in units of their row.
Mat counts(Index n, Index d, double density, Random& random) {
  Mat x = Mat::NullaryExpr(
      n, d, [&] { return uniform(random) < density ? 1 + std::floor(std::abs(normal(random))) : 0.0; });
  for (Index i = 0; i < n; ++i) x.row(i) /= 1 + uniform(random);
  return x;
}

Vec in_order(const Vec& v, const IndexList& columns) {
  return Vec::NullaryExpr(Index(columns.size()), [&](Index k) { return v[columns[at(k)]]; });
}

// Compares results of the copy on some rows with x, whose columns are those of the copy.
void agrees(const RowCopy& rows, const Mat& x, double tol, Random& random) {
  const Index n = x.rows(), p = rows.cols();
  REQUIRE(x.cols() == p);
  IndexList some;
  for (Index i = 0; i < n; i += 3) some.push_back(i);
  const Vec d = gaussian(n, random).cwiseAbs(), shift = gaussian(n, random), v = gaussian(p, random);
  Vec product = Vec::Zero(p), sums = Vec::Zero(p), squares = Vec::Zero(p), s, q;
  double entries = 0;
  for (Index i : some) {
    const Vec row = x.row(i).transpose();
    product += d[i] * (row.dot(v) - shift[i]) * row;
    sums += d[i] * row;
    squares += d[i] * row.cwiseAbs2();
    entries += static_cast<double>((row.array() != 0).count());
  }
  CHECK((rows.square_times(some, d, shift, v) - product).norm() <= tol * product.norm());
  CHECK((rows.weighted_sum(some, d) - sums).norm() <= tol * sums.norm());
  rows.weighted_sums(some, d, s, q);
  CHECK((s - sums).norm() <= tol * sums.norm());
  CHECK((q - squares).norm() <= tol * squares.norm());
  CHECK((rows.times(v) - x * v).norm() <= tol * (x * v).norm());
  CHECK(rows.entries(some) == entries);
  for (const Vec& factors : {Vec(Vec::Constant(p, 0.5)), Vec(gaussian(p, random).cwiseAbs())}) {
    CHECK((rows.squares(factors) - x.cwiseAbs2() * factors).norm() <= tol * (x.cwiseAbs2() * factors).norm());
    // Each row uses the changes by the rows before it; rows that are not visited do not change v.
    Vec swept = v, wanted = v, products(n), seen(n);
    Index asked = 0;
    rows.sweep(some, factors, swept, [&](Index i, double product) {
      seen[asked++] = product;
      return i % 2 ? 0.0 : 0.01 * d[i];
    });
    Index k = 0;
    for (Index i : some) {
      products[k++] = x.row(i).dot(wanted);
      if (i % 2 == 0) wanted += 0.01 * d[i] * factors.cwiseProduct(x.row(i).transpose());
    }
    REQUIRE(asked == k);
    CHECK((swept - wanted).norm() <= tol * wanted.norm());
    CHECK((seen.head(k) - products.head(k)).norm() <= tol * products.head(k).norm());
  }
}

Mat columns_of(const Mat& x, const IndexList& columns) {
  Mat part(x.rows(), Index(columns.size()));
  for (Index k = 0; k < part.cols(); ++k) part.col(k) = x.col(columns[at(k)]);
  return part;
}

}  // namespace

TEST_CASE("a copy of rows multiplies like the matrix") {
  Random random(79);
  for (const double density : {0.1, 1.0}) {
    const Mat x = sparse_gaussian(70, 23, density, random);
    const Compressed compressed(x);
    const auto rows =
        copy_rows(density < 1 ? *compressed.view(70, Vec::Ones(23)) : *view(x), {3, 0, 22, 10, 11});
    CHECK(rows->cols() == 5);
    CHECK_FALSE(rows->rounded());
    agrees(*rows, columns_of(x, rows->columns()), 1e-12, random);
    const Vec d = gaussian(70, random).cwiseAbs();
    Mat gram = Mat::Zero(5, 5);
    IndexList some;
    for (Index i = 0; i < 70; i += 3) {
      some.push_back(i);
      const Vec row = in_order(x.row(i).transpose(), rows->columns());
      gram += d[i] * row * row.transpose();
    }
    const Mat found = rows->gram(some, d);
    CHECK((Mat(found.triangularView<Eigen::Lower>()) - Mat(gram.triangularView<Eigen::Lower>())).norm() <=
          1e-12 * gram.norm());

    // Some columns of the copy are kept, then one.
    for (const std::vector<char>& kept : {std::vector<char>{1, 0, 1, 1, 0}, std::vector<char>{0, 0, 1}}) {
      IndexList left;
      for (std::size_t k = 0; k < kept.size(); ++k)
        if (kept[k]) left.push_back(rows->columns()[k]);
      double of_left = 0, of_all = 0;
      for (Index j : left) of_left += double((x.col(j).array() != 0).count());
      for (Index j : rows->columns()) of_all += double((x.col(j).array() != 0).count());
      CHECK(rows->share(kept) == Approx(of_left / of_all).epsilon(1e-14));
      rows->keep(kept);
      CHECK_FALSE(rows->worn(true));
      CHECK(rows->columns() == left);
      agrees(*rows, columns_of(x, left), 1e-12, random);
    }
  }
}

TEST_CASE("a large copy of rows is rounded, and worn where few entries are left that deserve all digits") {
  Random random(80);
  const Index n = 4096, d = 4800;
  for (const std::string kind : {"numbers", "counts", "dense"}) {
    const Mat x = kind == "counts"    ? counts(n, d, 0.3, random)
                  : kind == "numbers" ? sparse_gaussian(n, d, 0.3, random)
                                      : gaussian(n, d / 4, random);
    const Index p = x.cols();
    const Compressed compressed(x);
    // Columns have units of their own, which must not hide that counts recur.
    const Vec scale =
        Vec::NullaryExpr(p, [&](Index j) { return kind == "dense" ? 1.0 : 0.5 + double(j % 7); });
    IndexList columns(at(p));
    std::iota(columns.begin(), columns.end(), Index(0));
    const auto rows = copy_rows(kind == "dense" ? *view(x) : *compressed.view(n, scale), columns);
    CHECK(rows->rounded());
    const Mat scaled = x * scale.cwiseInverse().asDiagonal();
    agrees(*rows, columns_of(scaled, rows->columns()), 1e-5, random);
    std::vector<char> kept(at(p), 1);
    for (std::size_t k = 0; k < kept.size(); k += 9) kept[k] = 0;
    rows->keep(kept);
    agrees(*rows, columns_of(scaled, rows->columns()), 1e-5, random);
    CHECK_FALSE(rows->worn(true));
    kept.assign(at(rows->cols()), 0);
    for (std::size_t k = 1; k < 60; k += 2) kept[k] = 1;
    rows->keep(kept);
    CHECK(rows->cols() == 30);
    CHECK(rows->worn(true));
    CHECK(rows->worn(false) == (kind == "counts"));  // A group now has one or two columns.
    agrees(*rows, columns_of(scaled, rows->columns()), 1e-5, random);
  }
}

TEST_CASE("a Gram matrix of rows, of few entries or many") {
  Random random(82);
  const Index n = 60, d = 40;
  for (const double density : {0.05, 0.49}) {
    const Mat x = sparse_gaussian(n, d, density, random);
    const Compressed compressed(x);
    IndexList columns(at(d));
    std::iota(columns.begin(), columns.end(), Index(0));
    const auto rows = copy_rows(*compressed.view(n, Vec::Ones(d)), columns);
    IndexList some, none;
    Mat gram = Mat::Zero(d, d);
    const Vec weights = gaussian(n, random).cwiseAbs();
    double squares = 0;
    for (Index i = 0; i < n; i += 2) {
      some.push_back(i);
      const Vec row = in_order(x.row(i).transpose(), rows->columns());
      gram += weights[i] * row * row.transpose();
      squares += std::pow(double((row.array() != 0).count()), 2);
    }
    const Mat found = rows->gram(some, weights);
    CHECK((Mat(found.triangularView<Eigen::Lower>()) - Mat(gram.triangularView<Eigen::Lower>())).norm() <=
          1e-12 * gram.norm());
    CHECK(rows->gram(none, weights).norm() == 0);
    const double dense = double(some.size()) * double(d * d);
    CHECK(rows->gram_work(some) <= dense);
    CHECK((rows->gram_work(some) < dense) == (density < 0.1));
    CHECK(rows->gram_work(some) >= squares);
  }
}

TEST_CASE("rows of counts are held in groups, others not") {
  Random random(81);
  const Index n = 300, d = 150;
  for (const bool counted : {true, false}) {
    Mat x = counted ? counts(n, d, 0.6, random) : sparse_gaussian(n, d, 0.6, random);
    if (counted)
      for (Index i = 0; i < n; ++i) x.row(i) *= 1 + double(i % 5);  // Rows of large values are included.
    const Compressed compressed(x);
    const Vec ones = Vec::Ones(d);
    IndexList columns(at(d));
    std::iota(columns.begin(), columns.end(), Index(0));
    const auto design = compressed.view(n, ones);
    auto groups = Groups::of(*design, columns, ones);
    REQUIRE(groups.has_value() == counted);
    IndexList again;
    for (Index k = 0; k < 65537; ++k) again.push_back(k % d);
    CHECK_FALSE(Groups::of(*design, again, Vec::Ones(65537)));
    if (!counted) continue;
    CHECK_FALSE(groups->worn());
    // The same holds for a design whose columns are not available as stored.
    IndexList turned(at(n));
    for (Index i = 0; i < n; ++i) turned[at(i)] = n - 1 - i;
    const auto other = Groups::of(*design->subset(turned, columns), columns, ones);
    REQUIRE(other.has_value());
    std::vector<std::int32_t> place(at(d));
    std::iota(place.begin(), place.end(), 0);
    for (const bool all : {true, false}) {
      if (!all) {
        for (std::size_t j = 0, next = 0; j < place.size(); ++j)
          place[j] = j % 4 == 1 ? -1 : static_cast<std::int32_t>(next++);
        groups->keep(place);
      }
      Mat back = Mat::Zero(n, d), expected = Mat::Zero(n, d), mirrored = Mat::Zero(n, d);
      for (Index i = 0; i < n; ++i) {
        groups->each(at(i), [&](Index column, float value) { back(i, column) += value; });
        other->each(at(n - 1 - i), [&](Index column, float value) { mirrored(i, column) += value; });
        std::size_t entries = 0;
        for (Index j = 0; j < d; ++j)
          if (place[at(j)] >= 0 && x(i, j) != 0)
            expected(i, place[at(j)]) = static_cast<float>(x(i, j)), ++entries;
        CHECK(groups->entries(at(i)) == entries);
      }
      CHECK((back.array() == expected.array()).all());
      if (all) CHECK((mirrored.array() == expected.array()).all());
    }
  }
}

TEST_CASE("rows whose first ones alone have values that come again are no groups") {
  Random random(83);
  const Index n = 400, d = 120;
  Mat x = Mat::NullaryExpr(n, d, [&] { return normal(random); });
  x.topRows(64).setOnes();
  const Compressed compressed(x);
  IndexList columns(at(d));
  std::iota(columns.begin(), columns.end(), Index(0));
  CHECK_FALSE(Groups::of(*compressed.view(n, Vec::Ones(d)), columns, Vec::Ones(d)));
}
