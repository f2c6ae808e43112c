// Tests Newton's equations against known solutions: full rank, nearly dependent columns, copies, columns of zeros.
#include "engines/parts/semidefinite.h"

#include <testthat/vendor/catch.h>

#include <Eigen/QR>

#include "instances.h"

using namespace zeronorm;

namespace {

// Orthogonal columns of ones and +-1, and a third that differs from the first by apart in an orthogonal direction.
Mat beside(double apart) {
  Mat x(4, 3);
  x << 1, 1, 1 + apart,  //
      1, -1, 1 - apart,  //
      1, 1, 1 - apart,   //
      1, -1, 1 + apart;
  return x;
}

}  // namespace

TEST_CASE("Newton's equations: full rank, with and without bends") {
  Random random(1);
  const Mat x = gaussian(20, 3, random);
  const Vec bend = Vec::LinSpaced(3, 0, 2), wanted = gaussian(3, random), otherwise = Vec::Ones(3);
  for (const Vec& b : {Vec(Vec::Zero(3)), bend}) {
    Mat h = x.transpose() * x;
    h.diagonal() += b;
    const Vec rhs = h * wanted;
    CHECK((solve_normal(x, b, rhs, otherwise) - wanted).norm() < 1e-13 * wanted.norm());
    // Only the lower half is given; the upper half must not be read.
    Mat lower = h;
    lower.triangularView<Eigen::StrictlyUpper>().setConstant(1e9);
    CHECK((solve_semidefinite(lower, rhs, otherwise, 1e-15) - wanted).norm() < 1e-11 * wanted.norm());
  }
}

TEST_CASE("Newton's equations: nearly the same columns keep what jitter would take") {
  // The factor is a power of two, so that every product below is exact. The smallest eigenvalue is 2 apart^2 = 3e-11,
  // and the rounding error of the right-hand side is 1e-15.
  const double apart = std::ldexp(1.0, -18);
  const Mat x = beside(apart);
  Vec wanted(3);
  wanted << 2, -1, 0.5;
  const Vec rhs = x.transpose() * (x * wanted);
  const Vec step = solve_normal(x, Vec::Zero(3), rhs, Vec::Ones(3));
  CHECK((step - wanted).norm() < 1e-3);
  CHECK(std::abs(step[1] - wanted[1]) < 1e-14);
}

TEST_CASE("Newton's equations: by rows and by columns they are the same step") {
  Random random(3);
  const Index n = 6, p = 9, q = 2;
  const Mat ridges = gaussian(n, p, random), b = gaussian(n, q, random);
  const Vec curve = Vec::LinSpaced(n, 0, 2), g = gaussian(p, random), r = gaussian(q, random);
  // All columns at once: (X'DX + ridge) (w, v) = (g, r) with ridges of one.
  Mat x(n, p + q);
  x << ridges, b;
  Mat h = x.transpose() * curve.asDiagonal() * x;
  h.diagonal().head(p).array() += 1;
  Vec rhs(p + q);
  rhs << g, r;
  const Vec step = h.colPivHouseholderQr().solve(rhs);
  for (bool others : {true, false}) {
    const Mat left = others ? b : Mat(n, 0);
    const Vec priced = others ? r : Vec();
    const RowStep found = solve_by_rows(ridges * ridges.transpose(), curve, left, priced, ridges * g,
                                        Vec::Ones(left.cols()), 1e-15);
    const Vec w = g - ridges.transpose() * found.force;
    if (others) {
      CHECK((found.v - step.tail(q)).norm() < 1e-11);
      CHECK((found.f - b * step.tail(q)).norm() < 1e-11);
      CHECK((w - step.head(p)).norm() < 1e-11);
    } else {
      CHECK((h.topLeftCorner(p, p) * w - g).norm() < 1e-11);
      CHECK(found.f == Vec::Zero(n));
    }
  }
}

TEST_CASE("Newton's equations: copies and columns of zeros get a finite step that meets the others") {
  Mat x = beside(0);
  x.conservativeResize(4, 4);
  x.col(3).setZero();
  Vec rhs(4);
  rhs << 4, 8, 4, 0;
  const Vec otherwise = Vec::Ones(4);
  Vec fit(4);
  fit << 3, -1, 3, -1;  // This is one times the first or third column and two times the second.
  for (const Vec& step : {solve_normal(x, Vec::Zero(4), rhs, otherwise),
                          solve_semidefinite(x.transpose() * x, rhs, otherwise, 1e-15)}) {
    CHECK(step.allFinite());
    CHECK((x * step - fit).norm() < 1e-10);
    CHECK(step[3] == 0);
  }
}
