// AROM on the images phi(x_i) of a polynomial kernel without their coordinates.  The scales are an expansion
// z = sum_i b_i phi(x_i), and products of images, coordinate by coordinate, are images of products:
//   K_z(x, y) = (z * phi(x))'(z * phi(y)) = sum_ij b_i b_j k(x_i * x, x_j * y).
// After the first round z * |w| leaves the span of the images and is projected on it again.
#pragma once

#include "loop/minimise.h"

namespace zeronorm {

class Project : public Rule {
 public:
  // rescaled: the kernel matrix K_z of the observations for the expansion b of z.
  explicit Project(std::function<Mat(const Vec& b)> rescaled) : rescaled_(std::move(rescaled)) {}
  bool next(const Problem& problem, const Trace& trace, Surrogate& surrogate) override;
  // The regulariser and slacks of the round's own kernel; nothing says that they fall.
  double objective(const Problem&, const Surrogate&, const Solution& s) const override {
    return s.certificate.primal;
  }
  const Problem& restated(const Problem& problem) const override { return b_.size() ? now_ : problem; }
  StopReason reason() const override { return reason_; }
  // b of the last round solved (empty: all scales one).
  const Vec& expansion() const { return solved_b_; }

 private:
  Vec project(const Vec& products) const;

  std::function<Mat(const Vec& b)> rescaled_;
  Vec b_;
  Mat kernel_;   // of the last round
  Mat vectors_;  // eigenvectors of the first kernel where it is not singular,
  Vec values_;   // and their eigenvalues
  Problem now_;
  Vec solved_b_;
  StopReason reason_ = StopReason::converged;
};

}  // namespace zeronorm
