// AROM on the images phi(x_i) of a polynomial kernel without their coordinates. The scales are an expansion z = sum_i
// b_i phi(x_i), and coordinate-wise products of images are images of products:
//   K_z(x, y) = (z * phi(x))'(z * phi(y)) = sum_ij b_i b_j k(x_i * x, x_j * y).
// After the first iteration z * |w| leaves the span of the images and is projected onto it.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

class Project : public Rule {
 public:
  // rescaled: returns the kernel matrix K_z of the observations for the expansion b of z.
  explicit Project(std::function<Mat(const Vec& b)> rescaled) : rescaled_(std::move(rescaled)) {}
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  // Returns regulariser and violations with the kernel of the iteration, which need not decrease.
  double objective(const Problem&, const Surrogate&, const Solution& s) const override {
    return s.certificate.primal;
  }
  const Problem& restated(const Problem& problem) const override { return b_.size() ? now_ : problem; }
  StopReason reason() const override { return reason_; }
  // Returns b of the last iteration that was solved; empty if all scales are one.
  const Vec& expansion() const { return solved_b_; }

 private:
  Vec project(const Vec& products) const;

  std::function<Mat(const Vec& b)> rescaled_;
  Vec b_;
  // The kernel of the last iteration.
  Mat kernel_;
  // The eigenvectors of the first kernel with nonzero eigenvalues.
  Mat vectors_;
  // These eigenvalues.
  Vec values_;
  Problem now_;
  Vec solved_b_;
  StopReason reason_ = StopReason::converged;
};

}  // namespace zeronorm
