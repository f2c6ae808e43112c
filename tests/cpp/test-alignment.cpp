// Tests kernel-target alignment against its objective term by term and the conditions of a stationary point.
#include <testthat/vendor/catch.h>

#include "instances.h"
#include "methods/scales/alignment.h"

using namespace zeronorm;

namespace {

// Returns the objective by its definition, with weights as repeated rows.
double objective(const KernelForm& form, const Mat& x, const Vec& y, const Vec& weights, const Vec& theta,
                 const Alignment& what) {
  ScaledKernel kernel(form, x, x);
  const Mat k = kernel.at(theta, {});
  Vec share(y.size());
  for (Index i = 0; i < y.size(); ++i) {
    double total = 0;
    for (Index j = 0; j < y.size(); ++j) total += y[j] == y[i] ? weights[j] : 0.0;
    share[i] = y[i] * weights[i] / total;
  }
  const double penalty = (1 - (-what.alpha * theta).array().exp()).sum() / static_cast<double>(theta.size());
  return -0.5 * (1 - what.lambda) * share.dot(k * share) + what.lambda * penalty;
}

// Labels of two by two squares of a chess board on the first two columns.
struct Board {
  Mat x;
  Vec y;
  explicit Board(unsigned seed) {
    Random random(seed);
    x = Mat::NullaryExpr(64, 4, [&] { return 4 * uniform(random); });
    y.resize(64);
    for (Index i = 0; i < 64; ++i) y[i] = (x(i, 0) > 2) != (x(i, 1) > 2) ? 1 : -1;
  }
};

}  // namespace

TEST_CASE("alignment: finds the features of a chess board and never rises", "[alignment]") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Board board(seed);
    for (double lambda : {0.0, 0.1}) {
      Alignment what;
      what.lambda = lambda;
      const KernelForm form{KernelForm::Kind::gaussian, 1};
      const Vec weights = Vec::Ones(64);
      const Aligned found = align(form, board.x, board.y, weights, what, Stop());
      REQUIRE(found.status == Status::optimal);
      REQUIRE(found.stop == StopReason::converged);
      CHECK(found.theta[0] > 0.1);
      CHECK(found.theta[1] > 0.1);
      CHECK(found.theta.tail(2).maxCoeff() <= what.threshold);
      CHECK(found.certificate.gap <= 1e-6);
      double before = objective(form, board.x, board.y, weights, Vec::Constant(4, 0.5), what);
      for (const Round& round : found.rounds) {
        CHECK(round.objective <= before + 1e-12);
        before = round.objective;
      }
      CHECK(
          before ==
          Approx(objective(form, board.x, board.y, weights, found.theta, what)).epsilon(1e-10).margin(1e-12));
    }
  }
}

TEST_CASE("alignment: ends where no slope leads further down", "[alignment]") {
  Random random(4);
  const Mat x = shifted(40, 6, 1.0, random);
  const Vec y = alternating(40);
  Vec weights = Vec::Ones(40);
  weights[5] = 3;
  weights[6] = 0;
  for (const KernelForm form :
       {KernelForm{KernelForm::Kind::gaussian, 1.2}, KernelForm{KernelForm::Kind::chi2, 0.3}})
    for (double lambda : {0.0, 0.05, 0.3}) {
      Alignment what;
      what.lambda = lambda;
      what.tol = 1e-9;
      const Mat points = form.kind == KernelForm::Kind::chi2 ? Mat(x.cwiseAbs()) : x;
      const Aligned found = align(form, points, y, weights, what, Stop());
      REQUIRE(found.status == Status::optimal);
      for (Index j = 0; j < 6; ++j) {
        Vec up = found.theta, down = found.theta;
        up[j] += 1e-5;
        down[j] -= 1e-5;
        const double slope = (objective(form, points, y, weights, up, what) -
                              objective(form, points, y, weights, down, what)) /
                             2e-5;
        if (found.theta[j] > 0) CHECK(slope <= 1e-5);
        if (found.theta[j] < 1) CHECK(slope >= -1e-5);
      }
    }
}

TEST_CASE("alignment: constant features get no scale", "[alignment]") {
  Board board(3);
  board.x.col(2).setConstant(7);
  const Aligned found =
      align({KernelForm::Kind::gaussian, 1}, board.x, board.y, Vec::Ones(64), Alignment(), Stop());
  REQUIRE(found.status == Status::optimal);
  CHECK(found.theta[2] == 0);
}

TEST_CASE("alignment: can be interrupted", "[alignment]") {
  const Board board(1);
  Stop stop;
  stop.limits.interrupted = [] { return true; };
  const Aligned found =
      align({KernelForm::Kind::gaussian, 1}, board.x, board.y, Vec::Ones(64), Alignment(), stop);
  CHECK(found.status == Status::interrupted);
  CHECK(found.stop == StopReason::interrupted);
}
