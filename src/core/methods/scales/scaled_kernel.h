// Kernels of scaled features as functions of theta = sigma^2,
//   k_theta(x, z) = f(s),  s = sum_j theta_j s_j(x_j, z_j),
// where s_j is the squared difference (gaussian), (x - z)^2 / (x + z) (chi2) or the product (polynomials).
#pragma once

#include "base/types.h"

namespace zeronorm {

struct KernelForm {
  enum class Kind { gaussian, chi2, poly_sum, poly_power } kind = Kind::gaussian;
  // The width, rho or degree, as in the R constructors.
  double parameter = 1;

  bool distance() const { return kind == Kind::gaussian || kind == Kind::chi2; }
};

// The values between two sets of points, with observations in rows.
class ScaledKernel {
 public:
  ScaledKernel(KernelForm form, Mat rows, Mat cols);

  Index features() const { return rows_.cols(); }
  // Returns the values at theta; they are unfinished if the limits stop it. O(n m d) for n rows and m columns.
  const Mat& at(const Vec& theta, const Limits& limits);
  // Returns sum_ik weight_ik dk_ik/dtheta_j for every j, at the theta of at(). O(n m d).
  Vec slopes(const Mat& weight, const Limits& limits) const;
  // For a kernel matrix K of one set of points, returns v'Kv minus the same without feature j for every j, at the
  // theta of at(). O(d) for each pair of nonzeros of v.
  Vec losses(const Vec& v, const Vec& theta, const Limits& limits) const;
  // Returns sum_i d_i (K_ii minus K_ii without feature j) for every j. O(n d).
  Vec diagonal_losses(const Vec& d, const Vec& theta) const;
  // Returns K without feature j. O(n^2).
  Mat without(Index j, const Vec& theta) const;
  // For f(x) = sum_i v_i k(x_i, x), returns the derivatives df/dx_j over all points: the weighted sum of absolute
  // values, or the root of that of squares. Not for chi2. O(n^2 d).
  Vec sensitivity(const Vec& v, const Vec& theta, const Vec& weights, bool squares,
                  const Limits& limits) const;

 private:
  KernelForm form_;
  Mat rows_, cols_;
  // The values s and f(s).
  Mat sums_, values_;

  void add_sums(const Vec& theta, Index from, Index width);
  void add_chi2_sums(const Vec& theta, Index from, Index width);
  void add_slopes(const Mat& weight, Index from, Index width, Vec& slopes) const;
  void add_chi2_slopes(const Mat& weight, Index from, Index width, Vec& slopes) const;
  Mat outer(const Mat& s) const;
  Mat outer_slope(Index from, Index width) const;
  Mat part(Index j) const;
  Eigen::ArrayXd outer_loss(double sum, const Eigen::ArrayXd& part) const;
};

}  // namespace zeronorm
