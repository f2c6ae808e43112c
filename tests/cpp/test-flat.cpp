// Tests several outputs as one problem: rows, costs and values against those of the outputs, written out.
#include <testthat/vendor/catch.h>

#include "grade/flat.h"
#include "instances.h"

using namespace zeronorm;

namespace {

// Returns a problem with three classes in turn and four features.
Problem outputs(const Mat& x, Loss loss, bool intercept) {
  Problem p = svm_problem(x, alternating(x.rows()), 1, intercept);
  p.loss = loss;
  p.y = Mat::Constant(x.rows(), 3, -1);
  for (Index i = 0; i < x.rows(); ++i) p.y(i, i % 3) = 1;
  p.cost = Vec::LinSpaced(x.rows(), 0.5, 2);
  return p;
}

double cost_of(const Mat& x, const Problem& p, const Surrogate& s, const Solution& out) {
  double value = 0;
  for (Index j = 0; j < x.cols(); ++j) value += s.l1[j] * out.w.row(j).cwiseAbs().maxCoeff();
  for (Index i = 0; i < x.rows(); ++i) {
    Vec f = out.w.transpose() * x.row(i).transpose();
    if (p.intercept) f += out.b;
    for (Index k = 0; k < 3; ++k) {
      if (p.loss == Loss::hinge)
        value += p.cost[i] * std::max(0.0, 1 - p.y(i, k) * f[k]);
      else if (k != i % 3)
        value += p.cost[i] * std::max(0.0, 2 - f[i % 3] + f[k]);
    }
  }
  return value;
}

}  // namespace

TEST_CASE("flat: any solution costs what its outputs cost, and comes back") {
  Random random(91);
  const Mat x = gaussian(12, 4, random);
  for (Loss loss : {Loss::hinge, Loss::weston_watkins})
    for (bool intercept : {true, false}) {
      INFO("loss " << int(loss) << ", intercept " << intercept);
      const Problem p = outputs(x, loss, intercept);
      Surrogate s = surrogate(4, 1, kInf);
      s.l1 << 1, 2, 3, 0.5;
      for (Index j = 0; j < 4; ++j) s.groups.push_back({j});
      Solution out;
      out.w = gaussian(4, 3, random);
      out.b = intercept ? gaussian(3, random) : Vec(Vec::Zero(3));
      out.dual = Mat::Zero(12, 3);
      CHECK(certify(p, s, out).primal == Approx(cost_of(x, p, s, out)));
      const Flat flat(p);
      const Solution back = flat.leave(flat.enter(out));
      CHECK(back.w == out.w);
      CHECK(back.b == out.b);
    }
}

TEST_CASE("flat: the design is the matrix of its columns") {
  Random random(92);
  const Mat x = gaussian(9, 4, random);
  for (Loss loss : {Loss::hinge, Loss::weston_watkins}) {
    const Problem p = outputs(x, loss, true);
    const Flat flat(p);
    const Design& all = *flat.problem().x;
    Mat m(all.rows(), all.cols());
    for (Index j = 0; j < m.cols(); ++j) all.column(j, m.col(j).data());
    CHECK(m.cols() == 4 * 3 + 3);
    CHECK(m.rows() == (loss == Loss::hinge ? 9 * 3 : 9 * 2));
    const Vec w = gaussian(m.cols(), random), v = gaussian(m.rows(), random);
    CHECK((all.times(w) - m * w).norm() <= 1e-12 * (m * w).norm());
    CHECK((all.transposed_times(v) - m.transpose() * v).norm() <= 1e-12 * v.norm() * m.norm());
    CHECK((all.squared_norms() - m.colwise().squaredNorm().transpose()).norm() <= 1e-12 * m.squaredNorm());
    Vec z = Vec::LinSpaced(m.cols(), 0, 2);
    const Mat gram = m * z.cwiseAbs2().asDiagonal() * m.transpose();
    z[5] = kInf;  // This column is not part of a Gram matrix.
    const Mat less = gram - 25.0 / 49 * m.col(5) * m.col(5).transpose();
    CHECK((all.gram(z, Limits()) - less).norm() <= 1e-12 * gram.norm());
  }
}
