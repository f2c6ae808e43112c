// The radius-margin criterion R^2 |w|^2 of an SVM on scaled features, as a function of theta = sigma^2 and of the
// ridge on the kernel matrix, with its gradient (envelope theorem) and, for the linear kernel, a lower bound on its
// minimum.
//
// With the linear kernel R^2 and |w|^2 are maxima of functions linear in (theta, ridge), hence convex, and
// homogeneous of degree 1 and -1. So {R^2 |w|^2 <= c} is a convex cone, no local minimum is worse than another, and
// min R^2 + |w|^2 = 2 min sqrt(R^2 |w|^2) is a convex problem with the same rays as solutions.
#pragma once

#include "data/design.h"
#include "engines/parts/minimise_ball.h"
#include "engines/parts/svm_dual.h"
#include "methods/scales/scale_criterion.h"
#include "methods/scales/scaled_kernel.h"

namespace zeronorm {

// The map from theta to the kernel matrix of the training points.
class GramMap {
 public:
  virtual ~GramMap() = default;
  virtual Index rows() const = 0;
  virtual Index features() const = 0;
  virtual bool linear() const = 0;
  virtual Mat at(const Vec& theta, const Limits& limits) = 0;
  // Returns sum_i d_i K'_ii - u'K'u with K' = dK/dtheta_j for every j, at the theta of at().
  virtual Vec slopes(const Vec& d, const Vec& u, const Limits& limits) const = 0;
  // Returns the same for d = u = b, weights that sum to one, without the rounding errors of constant columns.
  virtual Vec variances(const Vec& b, const Limits& limits) const { return slopes(b, b, limits); }
  // Returns sum_ik weight_ik K'_ik over pairs of these rows for a symmetric weight. O(m^2 d) for m rows.
  virtual Vec slopes(const Mat& weight, const IndexList& rows, const Limits& limits) const = 0;
  // Returns sum_i d_i L_ii - u'L u for every j, where L is K minus K without feature j, at the theta of at().
  virtual Vec losses(const Vec& d, const Vec& u, const Vec& theta, const Limits& limits) const = 0;
  // Returns K without feature j, at the theta of at(). O(n^2).
  virtual Mat without(Index j, const Vec& theta) const = 0;
};
std::unique_ptr<GramMap> linear_gram(std::shared_ptr<const Design> x);
std::unique_ptr<GramMap> kernel_gram(KernelForm form, const Mat& x);

// Returns the status of the SVM with kernel matrix k at theta on these rows (empty: all), and resets multipliers that
// are not optimal. A linear SVM is infeasible if the ray is orthogonal to every column with a scale; otherwise
// rounding errors of k ended the search. O(nd) with a ray.
Status svm_status(BoxQp& svm, BoxQp::Outcome outcome, const Mat& k, const GramMap& gram, const Vec& theta,
                  const IndexList& rows = {});

// The meaning of R^2: the squared radius of the smallest ball, or the mean squared distance from the mean.
enum class Spread { ball, variance };

class RadiusMargin : public ScaleCriterion {
 public:
  // Weights count rows: an entry of 2 means that the row occurs twice; 0 is not allowed. equalities: the columns of
  // the intercept and of the unpenalised features. All arguments must outlive this object.
  RadiusMargin(GramMap& gram, const Vec& y, const Vec& weights, const Mat& equalities, Spread spread);

  // Computes a kernel matrix, two warm-started quadratic programmes and the slopes. O(n^2 d) in all.
  Status evaluate(const Vec& theta, double ridge, const Limits& limits) override;

  // The results of the last evaluate(); the slope of the ridge comes last.
  double radius2() const { return radius2_; }
  double norm2() const { return norm2_; }
  double value() const override { return radius2_ * norm2_; }
  Vec slopes() const override { return norm2_ * radius_slopes_ + radius2_ * norm_slopes_; }
  const Vec& radius_slopes() const { return radius_slopes_; }
  const Vec& norm_slopes() const { return norm_slopes_; }
  Vec nearness() const override;

  // The descent minimises R^2 + |w|^2 relative to its first value if both are homogeneous, otherwise log R^2 |w|^2.
  void begin(bool homogeneous) override;
  double descent(Vec& slopes) const override;
  double stretch() const override;

  // From now on R^2 is  max over b of  (R^2 at weights b) - pull |b - center|^2,  which is smooth if many points lie
  // on the ball. pull is this share of the last R^2; zero restores R^2.
  bool kinked() const override { return spread_ == Spread::ball; }
  void set_pull(double share, const Vec& center) override;
  Vec center() const override { return ball_.beta; }

  // The bound exists for the linear kernel and costs one pass over x.
  bool bounded() const override { return gram_.linear(); }
  double bound(const Vec& upper, bool fixed_ridge) const override;

 private:
  GramMap& gram_;
  const Vec& y_;
  const Mat& equalities_;
  Spread spread_;
  // The reciprocals of the weights.
  Vec inverse_;
  // The weights divided by their sum.
  Vec mean_;
  double pull_ = 0;
  Vec center_;
  BoxQp svm_;
  Ball ball_;
  double radius2_ = 0, norm2_ = 0, sum_ = 0;
  // The unit of the sum at the start; 0 if the descent is on the product.
  double level_ = 0;
  Vec radius_slopes_, norm_slopes_;

  double radius2_of(const Mat& k, const Vec& squares, const Limits& limits);
};

}  // namespace zeronorm
