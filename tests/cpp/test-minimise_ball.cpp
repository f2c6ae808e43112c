// Tests the smallest ball against its optimality conditions, and against all balls through two and three points.
#include <testthat/vendor/catch.h>

#include <Eigen/LU>

#include "engines/parts/minimise_ball.h"
#include "instances.h"

using namespace zeronorm;

namespace {

Mat inner_products(const Mat& x) { return x * x.transpose(); }

// The ball is optimal if its centre is in the hull of points at distance R and no point is farther away.
void is_smallest(const Mat& x, const Vec& beta, double square) {
  CHECK(beta.minCoeff() >= 0);
  CHECK(beta.sum() == Approx(1).epsilon(1e-12));
  const Vec center = x.transpose() * beta;
  const Vec distance = (x.rowwise() - center.transpose()).rowwise().squaredNorm();
  CHECK(distance.maxCoeff() <= square * (1 + 1e-9));
  for (Index i = 0; i < beta.size(); ++i)
    if (beta[i] > 1e-9) CHECK(distance[i] == Approx(square).epsilon(1e-7));
}

// Returns the smallest ball in the plane through two or three points that contains all points.
double by_enumeration(const Mat& x) {
  double best = kInf;
  const auto holds_all = [&](const Eigen::Vector2d& c, double square) {
    return ((x.rowwise() - c.transpose()).rowwise().squaredNorm().array() <= square * (1 + 1e-9)).all();
  };
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < i; ++j) {
      const Eigen::Vector2d a = x.row(i), b = x.row(j), middle = (a + b) / 2;
      if (holds_all(middle, (a - middle).squaredNorm())) best = std::min(best, (a - middle).squaredNorm());
      for (Index k = 0; k < j; ++k) {
        const Eigen::Vector2d c = x.row(k);
        Eigen::Matrix2d m;
        m << (b - a).transpose(), (c - a).transpose();
        if (std::abs(m.determinant()) < 1e-9) continue;
        const Eigen::Vector2d right(0.5 * (b - a).squaredNorm(), 0.5 * (c - a).squaredNorm());
        const Eigen::Vector2d offset = m.inverse() * right;
        if (holds_all(a + offset, offset.squaredNorm())) best = std::min(best, offset.squaredNorm());
      }
    }
  return best;
}

}  // namespace

TEST_CASE("ball: smallest in many dimensions, cold and warm", "[ball]") {
  Random random(1);
  for (Index d : {1, 2, 5, 40}) {
    for (Index n : {2, 9, 60, 200}) {
      Ball ball;
      for (int warm = 0; warm < 3; ++warm) {
        const Mat x = gaussian(n, d, random);
        const Mat k = inner_products(x);
        const double square = ball.solve(k, k.diagonal(), {});
        is_smallest(x, ball.beta, square);
      }
    }
  }
}

TEST_CASE("ball: as enumeration finds it in the plane", "[ball]") {
  Random random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const Mat x = gaussian(3 + trial % 6, 2, random);
    Ball ball;
    CHECK(ball.solve(inner_products(x), x.rowwise().squaredNorm(), {}) ==
          Approx(by_enumeration(x)).epsilon(1e-9));
  }
}

TEST_CASE("ball: far away, tiny, huge, repeated and lying on the ball", "[ball]") {
  Random random(3);
  const Mat x = gaussian(30, 4, random);
  Ball plain;
  const double square = plain.solve(inner_products(x), x.rowwise().squaredNorm(), {});
  for (double scale : {1e-6, 1e6}) {
    const Mat y = scale * x;
    Ball ball;
    CHECK(ball.solve(inner_products(y), y.rowwise().squaredNorm(), {}) ==
          Approx(scale * scale * square).epsilon(1e-9));
  }
  const Mat away = x.array() + 1000.0;
  Ball ball;
  CHECK(ball.solve(inner_products(away), away.rowwise().squaredNorm(), {}) == Approx(square).epsilon(1e-6));
  Mat twice(60, 4);
  twice << x, x;
  Ball again;
  CHECK(again.solve(inner_products(twice), twice.rowwise().squaredNorm(), {}) ==
        Approx(square).epsilon(1e-9));
  const Mat circle = x.rowwise().normalized();
  Ball round;
  CHECK(round.solve(inner_products(circle), Vec::Ones(30), {}) == Approx(1).epsilon(1e-9));
  const Mat one = Mat::Ones(5, 3);
  Ball point;
  CHECK(point.solve(inner_products(one), one.rowwise().squaredNorm(), {}) == Approx(0).margin(1e-12));
}
