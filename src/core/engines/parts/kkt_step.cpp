#include "engines/parts/kkt_step.h"

#include <Eigen/LU>
#include <Eigen/QR>

namespace zeronorm {
namespace {

Vec solve_all(const Mat& m, const Mat& f, const Vec& bend, const Vec& left, const Vec& balance,
              bool singular) {
  const Index r = left.size();
  Mat system = Mat::Zero(r + f.cols(), r + f.cols());
  if (m.size() > 0) system.topLeftCorner(r, r) = m * m.transpose();
  system.topLeftCorner(r, r).diagonal() += bend;
  system.topRightCorner(r, f.cols()) = f;
  system.bottomLeftCorner(f.cols(), r) = f.transpose();
  Vec rhs(r + f.cols());
  rhs << left, balance;
  if (singular) return system.completeOrthogonalDecomposition().solve(rhs);
  return system.partialPivLu().solve(rhs);
}

}  // namespace

Vec kkt_step(const Mat& m, const Mat& f, const Vec& bend, const Vec& left, const Vec& balance,
             bool singular) {
  const Index r = left.size(), columns = m.cols() + f.cols();
  if (r <= columns || !bend.isZero(0)) return solve_all(m, f, bend, left, balance, singular);
  Mat all(r, columns);
  all << m, f;
  if (all.isZero(0)) return Vec::Zero(r + f.cols());
  const Eigen::ColPivHouseholderQR<Mat> qr(all);
  const Mat basis = qr.householderQ() * Mat::Identity(r, qr.rank());
  const Mat within = basis.transpose() * all;
  const Vec step = solve_all(within.leftCols(m.cols()), within.rightCols(f.cols()), Vec::Zero(qr.rank()),
                             basis.transpose() * left, balance, singular);
  Vec whole(r + f.cols());
  whole << basis * step.head(qr.rank()), step.tail(f.cols());
  return whole;
}

}  // namespace zeronorm
