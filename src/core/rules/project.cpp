#include "rules/project.h"

#include <Eigen/Eigenvalues>

#include "data/design.h"

namespace zeronorm {
namespace {

// Largest change of the kernel at the fixed point, relative to its entries.
constexpr double kSettledChange = 1e-6;
// Eigenvalues below this fraction of the largest one count as zero.
constexpr double kRankTol = 1e-12;

}  // namespace

// Returns the coefficients of the point of the span with these products with the images. O(n^2).
Vec Project::project(const Vec& products) const {
  return vectors_ * (vectors_.transpose() * products).cwiseQuotient(values_);
}

// Solves K b' = K_z a, because phi(x_q)'(z * w) = (z * phi(x_q))'w with w = z * sum_i a_i phi(x_i). O(n^2), plus
// O(n^3) in the first iteration, and the cost of the new kernel.
bool Project::next(const Problem& problem, const Trace& trace, Surrogate&) {
  if (trace.rounds.empty()) return true;
  solved_b_ = b_;
  const Vec a = trace.solution.w.col(0);
  if (!b_.size()) {
    kernel_ = problem.x->gram(Vec());
    const Eigen::SelfAdjointEigenSolver<Mat> eigen(kernel_);
    const double least = kRankTol * eigen.eigenvalues().maxCoeff();
    const Index rank = (eigen.eigenvalues().array() > least).count();
    vectors_ = eigen.eigenvectors().rightCols(rank);
    values_ = eigen.eigenvalues().tail(rank);
    now_ = problem;
  }
  const Vec b = project(kernel_ * a);
  const Mat next = rescaled_(b);
  // If all scales have vanished there is no model; as in other forms of AROM, the previous iteration is the result.
  if (next.cwiseAbs().maxCoeff() == 0) {
    reason_ = StopReason::collapsed;
    return false;
  }
  if ((next - kernel_).cwiseAbs().maxCoeff() <= kSettledChange * next.cwiseAbs().maxCoeff()) return false;
  b_ = b;
  kernel_ = next;
  now_.x = kernel_design(kernel_);
  return true;
}

}  // namespace zeronorm
