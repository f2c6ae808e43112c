// Tests the span estimate against its definition by bordered inverses, repeated rows against weights, and the slopes
// of the estimate and of the error on held-out rows by finite differences.
#include <testthat/vendor/catch.h>

#include <Eigen/LU>

#include "instances.h"
#include "methods/ranking/error_estimates.h"
#include "methods/ranking/span.h"

using namespace zeronorm;

namespace {

// Returns 1 / (M^-1)_kk minus the smoothing.
double bordered(const Mat& k, const Vec& d, const Vec& a) {
  const Index m = k.rows();
  Mat border = Mat::Zero(m + 1, m + 1);
  border.topLeftCorner(m, m) = k;
  border.diagonal().head(m) += d;
  border.col(m).head(m).setOnes();
  border.row(m).head(m).setOnes();
  const Mat inverse = border.inverse();
  double sum = 0;
  for (Index i = 0; i < m; ++i) sum += a[i] * (1 / inverse(i, i) - d[i]);
  return sum;
}

// Returns multipliers of both signs that sum to zero.
Vec balanced(Index n, Random& random) {
  Vec v = gaussian(n, random).cwiseAbs().array() + 0.1;
  for (Index i = 0; i < n; i += 2) v[i] = -v[i];
  v[n - 1] -= v.sum();
  return v;
}

void check_slopes(ScaleCriterion& criterion, Vec theta, double ridge) {
  const Index d = theta.size();
  REQUIRE(criterion.evaluate(theta, ridge, {}) == Status::optimal);
  const Vec slopes = criterion.slopes();
  const double size = slopes.head(d).cwiseAbs().maxCoeff();
  auto at = [&](const Vec& t, double r) {
    REQUIRE(criterion.evaluate(t, r, {}) == Status::optimal);
    return criterion.value();
  };
  auto difference = [&](double step, const std::function<double(double)>& value) {
    return (8 * (value(step) - value(-step)) - value(2 * step) + value(-2 * step)) / (12 * step);
  };
  for (Index j : {Index(0), Index(1), d - 1}) {
    const double found = difference(1e-4, [&](double step) {
      Vec moved = theta;
      moved[j] += step;
      return at(moved, ridge);
    });
    CHECK(std::abs(found - slopes[j]) <= 1e-6 * size);
  }
  if (ridge == 0) return;
  const double found = difference(1e-4 * ridge, [&](double step) { return at(theta, ridge + step); });
  CHECK(found == Approx(slopes[d]).epsilon(1e-6));
}

}  // namespace

TEST_CASE("span: the estimate is that of bordered inverses", "[span]") {
  Random random(1);
  const Index n = 8;
  const Mat x = gaussian(n, 20, random), k = x * x.transpose();
  const Vec v = balanced(n, random), y = v.array().sign(), ones = Vec::Ones(n);
  for (double ridge : {0.0, 0.7})
    for (double smoothing : {0.0, 0.1}) {
      const Span span(k, ridge, ones, Mat::Ones(n, 1), y, v, smoothing);
      Mat ridged = k;
      ridged.diagonal().array() += ridge;
      const Vec d = smoothing * v.cwiseAbs().cwiseInverse();
      CHECK(span.value() == Approx(bordered(ridged, d, v.cwiseAbs())).epsilon(1e-8));
    }
}

TEST_CASE("span: a weight is so many rows", "[span]") {
  Random random(2);
  const Mat x = gaussian(6, 9, random);
  Vec v = balanced(6, random), weights = Vec::Ones(6);
  weights[2] = 3;
  IndexList rows = {0, 1, 2, 2, 2, 3, 4, 5};
  Mat copied(8, 9);
  Vec shared(8);
  for (Index i = 0; i < 8; ++i) {
    copied.row(i) = x.row(rows[i]);
    shared[i] = v[rows[i]] / weights[rows[i]];
  }
  const Span one(x * x.transpose(), 0.4, weights, Mat::Ones(6, 1), v.array().sign(), v, 0.1);
  const Span many(copied * copied.transpose(), 0.4, Vec::Ones(8), Mat::Ones(8, 1), shared.array().sign(),
                  shared, 0.1);
  CHECK(one.value() == Approx(many.value()).epsilon(1e-8));
}

TEST_CASE("span: what losing a feature leaves", "[span]") {
  Random random(3);
  const Mat x = gaussian(7, 12, random), k = x * x.transpose();
  const Vec v = balanced(7, random);
  const Span span(k, 0.3, Vec::Ones(7), Mat::Ones(7, 1), v.array().sign(), v);
  const Vec lost = span.losing(x);
  for (Index j = 0; j < 12; ++j)
    CHECK(lost[j] == Approx(span.with(k - x.col(j) * x.col(j).transpose())).epsilon(1e-8));
}

TEST_CASE("span: slopes of the estimates are those of finite differences", "[span]") {
  Random random(4);
  const Index n = 24, d = 30;
  const Mat x = shifted(n, d, 1.0, random);
  const Vec y = alternating(n);
  const Mat equalities = Mat::Ones(n, 1);
  Vec weights = Vec::Ones(n);
  weights[3] = 2;
  std::vector<char> held_out(n, 0);
  for (Index i = 0; i < n; i += 3) held_out[i] = 1;
  using Kind = KernelForm::Kind;
  std::vector<std::unique_ptr<GramMap>> grams;
  grams.push_back(linear_gram(view(x)));
  grams.push_back(kernel_gram({Kind::gaussian, 3}, x));
  grams.push_back(kernel_gram({Kind::poly_power, 2}, x));
  for (const auto& gram : grams)
    for (double ridge : {0.0, 0.3, 5.0}) {
      const Vec theta = 0.5 + 0.5 * gaussian(d, random).cwiseAbs().array();
      SpanEstimate span(*gram, y, weights, equalities);
      check_slopes(span, theta, ridge);
      HeldOutError error(*gram, y, weights, equalities, held_out);
      check_slopes(error, theta, ridge);
    }
}

TEST_CASE("span: the error on rows held out is that of the machine on the others", "[span]") {
  Random random(5);
  const Mat x = shifted(20, 6, 0.5, random);
  const Vec y = alternating(20);
  std::vector<char> held_out(20, 0);
  for (Index i = 0; i < 8; ++i) held_out[i] = 1;
  const auto gram = linear_gram(view(x));
  const Vec ones = Vec::Ones(20);
  const Mat equalities = Mat::Ones(20, 1);
  HeldOutError error(*gram, y, ones, equalities, held_out);
  REQUIRE(error.evaluate(Vec::Ones(6), 0.5, {}) == Status::optimal);
  const Mat train = x.bottomRows(12);
  Problem problem = svm_problem(train, y.tail(12), 2);
  problem.loss = Loss::squared_hinge;
  const auto engine = make_engine("dual");
  engine->setup(problem);
  const Solution s = solve(*engine, problem, surrogate(6, 0, 1));
  double mean = 0;
  for (Index i = 0; i < 8; ++i)
    mean += 1 / (1 + std::exp(5 * y[i] * (x.row(i).dot(s.w.col(0)) + s.b[0]))) / 8;
  CHECK(error.value() == Approx(mean).epsilon(1e-7));
}
