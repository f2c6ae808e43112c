#include "rules/project.h"

#include <Eigen/Eigenvalues>

#include "data/design.h"

namespace zeronorm {
namespace {

constexpr double kStill = 1e-6;  // largest change of the kernel at the fixed point, relative to its entries
constexpr double kSingular = 1e-12;  // eigenvalues below this share of the largest are none

}  // namespace

// Coefficients of the point of the span whose products with the images are these. O(n^2).
Vec Project::project(const Vec& products) const {
  return vectors_ * (vectors_.transpose() * products).cwiseQuotient(values_);
}

// K b' = K_z a, because phi(x_q)'(z * w) = (z * phi(x_q))'w with w = z * sum_i a_i phi(x_i). O(n^2), the first
// time O(n^3), and the new kernel.
bool Project::next(const Problem& problem, const Trace& trace, Surrogate&) {
  if (trace.rounds.empty()) return true;
  solved_b_ = b_;
  const Vec a = trace.solution.w.col(0);
  if (!b_.size()) {
    kernel_ = problem.x->gram(Vec());
    const Eigen::SelfAdjointEigenSolver<Mat> eigen(kernel_);
    const double least = kSingular * eigen.eigenvalues().maxCoeff();
    const Index rank = (eigen.eigenvalues().array() > least).count();
    vectors_ = eigen.eigenvectors().rightCols(rank);
    values_ = eigen.eigenvalues().tail(rank);
    now_ = problem;
  }
  const Vec b = project(kernel_ * a);
  const Mat next = rescaled_(b);
  // Where all scales have vanished there is no model: as in other forms of AROM, the round before is the answer.
  if (next.cwiseAbs().maxCoeff() == 0) {
    reason_ = StopReason::collapsed;
    return false;
  }
  if ((next - kernel_).cwiseAbs().maxCoeff() <= kStill * next.cwiseAbs().maxCoeff()) return false;
  b_ = b;
  kernel_ = next;
  now_.x = kernel_design(kernel_);
  return true;
}

}  // namespace zeronorm
