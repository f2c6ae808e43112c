// Tests the equations of an active set against their left-hand sides and a solution by pseudo-inverse.
#include <testthat/vendor/catch.h>

#include <Eigen/QR>

#include "engines/parts/kkt_step.h"
#include "instances.h"

using namespace zeronorm;

namespace {

Mat whole_system(const Mat& m, const Mat& f, const Vec& bend) {
  const Index r = bend.size();
  Mat system = Mat::Zero(r + f.cols(), r + f.cols());
  system.topLeftCorner(r, r) = m * m.transpose();
  system.topLeftCorner(r, r).diagonal() += bend;
  system.topRightCorner(r, f.cols()) = f;
  system.bottomLeftCorner(f.cols(), r) = f.transpose();
  return system;
}

}  // namespace

TEST_CASE("kkt_step: few rows, or squared slacks, meet the equations") {
  Random random(71);
  for (Index r : {1, 4, 9}) {
    const Mat m = gaussian(r, 12, random), f = gaussian(r, 1, random);
    for (double slack : {0.0, 0.5}) {
      const Vec bend = Vec::Constant(r, slack), left = gaussian(r, random), balance = gaussian(1, random);
      Vec rhs(r + 1);
      rhs << left, balance;
      CHECK((whole_system(m, f, bend) * kkt_step(m, f, bend, left, balance, false) - rhs).norm() <= 1e-9);
    }
  }
}

TEST_CASE("kkt_step: many rows give the smallest solution of the whole system") {
  Random random(72);
  for (Index columns : {0, 2, 5}) {
    const Index r = 30;
    Mat m = gaussian(r, columns, random);
    if (columns == 5) m.col(4) = m.col(3);
    const Mat f = gaussian(r, 2, random);
    const Vec none = Vec::Zero(r), left = gaussian(r, random), balance = gaussian(2, random);
    Vec rhs(r + 2);
    rhs << left, balance;
    const Vec smallest = whole_system(m, f, none).completeOrthogonalDecomposition().solve(rhs);
    CHECK((kkt_step(m, f, none, left, balance, true) - smallest).norm() <= 1e-8 * (1 + smallest.norm()));
  }
  const Mat nothing(30, 0);
  CHECK(kkt_step(nothing, nothing, Vec::Zero(30), Vec::Ones(30), Vec(), false).isZero(0));
}
