#include "engines/parts/semidefinite.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>

namespace zeronorm {
namespace {

// A column whose part independent of the others is below this fraction of its length counts as dependent.
constexpr double kDependent = 1e-13;

}  // namespace

Vec solve_semidefinite(Mat h, const Vec& rhs, const Vec& otherwise, double jitter) {
  Vec unit = h.diagonal();
  for (Index k = 0; k < unit.size(); ++k) unit[k] = 1 / std::sqrt(unit[k] > 0 ? unit[k] : otherwise[k]);
  h = unit.asDiagonal() * h * unit.asDiagonal();
  const Vec diagonal = h.diagonal();
  for (; jitter < 1; jitter *= 100) {
    h.diagonal() = diagonal.array() + jitter;
    const Eigen::LLT<Mat> llt(h);
    if (llt.info() == Eigen::Success) return unit.cwiseProduct(llt.solve(unit.cwiseProduct(rhs)));
  }
  return unit.cwiseProduct(unit).cwiseProduct(rhs);
}

Vec solve_normal(const Mat& x, const Vec& bend, const Vec& rhs, const Vec& otherwise) {
  const Index n = x.rows(), p = x.cols();
  const bool bent = (bend.array() > 0).any();
  Mat a = Mat::Zero(bent ? n + p : n, p);
  a.topRows(n) = x;
  if (bent) a.bottomRows(p) = bend.cwiseSqrt().asDiagonal();
  Vec unit(p);
  for (Index k = 0; k < p; ++k) {
    const double length = a.col(k).norm();
    unit[k] = 1 / (length > 0 ? length : std::sqrt(otherwise[k]));
    a.col(k) *= unit[k];
  }
  Eigen::ColPivHouseholderQR<Mat> qr;
  qr.setThreshold(kDependent);
  qr.compute(a);
  const Index rank = qr.rank();
  const auto r = qr.matrixR().topLeftCorner(rank, rank).template triangularView<Eigen::Upper>();
  const auto solve = [&](const Vec& wanted) {
    const Vec in_order = qr.colsPermutation().transpose() * wanted;
    Vec step = Vec::Zero(p);
    step.head(rank) = r.solve(r.transpose().solve(in_order.head(rank)));
    return Vec(qr.colsPermutation() * step);
  };
  const Vec wanted = unit.cwiseProduct(rhs);
  Vec step = solve(wanted);
  step += solve(wanted - a.transpose() * (a * step));
  return unit.cwiseProduct(step);
}

RowStep solve_by_rows(Mat m, const Vec& curve, const Mat& b, const Vec& r, const Vec& rho,
                      const Vec& otherwise, double jitter) {
  const Vec root = curve.cwiseSqrt();
  m = root.asDiagonal() * m * root.asDiagonal();
  m.diagonal().array() += 1;
  const Eigen::LLT<Mat> llt(m);
  const auto apply = [&](const Mat& v) -> Mat {
    return root.asDiagonal() * llt.solve(Mat(root.asDiagonal() * v));
  };
  RowStep step{Vec(), Vec::Zero(rho.size()), Vec()};
  if (b.cols() > 0) {
    const Mat nb = apply(b);
    step.v = solve_semidefinite(b.transpose() * nb, r - nb.transpose() * rho, otherwise, jitter);
    step.f = b * step.v;
  }
  step.force = apply(rho + step.f);
  return step;
}

}  // namespace zeronorm
