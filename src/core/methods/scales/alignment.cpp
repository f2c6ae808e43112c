#include "methods/scales/alignment.h"

#include <cmath>

#include "engines/parts/minimise_box.h"

namespace zeronorm {
namespace {

// Iterations for each one that the limits allow, because they are ten times cheaper than those of other methods.
constexpr int kIterationFactor = 10;

// One class: its points and the entries of |y_n| on them.
struct Class {
  Mat x;
  Vec share;
};

Class take_class(const Mat& x, const Vec& y, const Vec& weights, double label) {
  IndexList rows;
  for (Index i = 0; i < y.size(); ++i)
    if (y[i] == label && weights[i] > 0) rows.push_back(i);
  Class c;
  c.x.resize(rows.size(), x.cols());
  c.share.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    c.x.row(i) = x.row(rows[i]);
    c.share[i] = weights[rows[i]];
  }
  c.share /= c.share.sum();
  return c;
}

class Aligner {
 public:
  Aligner(const KernelForm& form, const Class& up, const Class& down, const Alignment& what, const Stop& stop)
      : what_(what), stop_(stop), d_(up.x.cols()), across_(form, up.x, down.x), up_(form, up.x, up.x),
        down_(form, down.x, down.x), across_weight_(up.share * down.share.transpose()),
        up_weight_(up.share * up.share.transpose()), down_weight_(down.share * down.share.transpose()) {
    upper_ = Vec::Ones(d_);
    for (Index j = 0; j < d_; ++j)
      if (constant(up.x, down.x, j)) upper_[j] = 0;
  }

  Aligned run() {
    out_.theta = 0.5 * upper_;
    Vec slope = tangent();
    while (true) {
      if (static_cast<int>(out_.rounds.size()) == kIterationFactor * stop_.rounds)
        return stopped(StopReason::rounds);
      const Vec before = out_.theta;
      const double level = slope.dot(before) - concave_;  // The value of the tangent at zero.
      const BoxResult r = minimise_box(convex_part(slope), before, stop_.limits);
      if (stop_.limits.stop_now()) return failed(Status::interrupted);
      if (r.status != Status::optimal && !(r.gap <= kProof * size_of(r.value + level)))
        return failed(r.status);
      out_.theta = r.x;
      const double primal = r.value + level;
      slope = tangent();
      record(primal, r.gap);
      if (stop_.limits.stop_now()) return failed(Status::interrupted);
      if (still(before, out_.theta)) return stopped(StopReason::converged);
    }
  }

 private:
  const Alignment& what_;
  const Stop& stop_;
  Index d_;
  ScaledKernel across_, up_, down_;
  Mat across_weight_, up_weight_, down_weight_;
  // Upper bounds of theta; 0 for features that are equal for all pairs.
  Vec upper_;
  // The value of h at theta.
  double concave_ = 0;
  Aligned out_;

  static bool constant(const Mat& a, const Mat& b, Index j) {
    const double first = a(0, j);
    return (a.col(j).array() == first).all() && (b.col(j).array() == first).all();
  }

  double weight() const { return 1 - what_.lambda; }
  double penalty_weight() const { return what_.lambda / static_cast<double>(d_); }

  // Returns the gradient of h at theta and stores its value. O(n^2 d).
  Vec tangent() {
    const Vec& theta = out_.theta;
    const Vec fading = (-what_.alpha * theta).array().exp();
    concave_ = 0.5 * weight() *
                   (up_weight_.cwiseProduct(up_.at(theta, stop_.limits)).sum() +
                    down_weight_.cwiseProduct(down_.at(theta, stop_.limits)).sum()) -
               penalty_weight() * (1 - fading.array()).sum();
    return 0.5 * weight() *
               (up_.slopes(up_weight_, stop_.limits) + down_.slopes(down_weight_, stop_.limits)) -
           penalty_weight() * what_.alpha * fading;
  }

  // Returns the box problem of g(theta) - slope'theta. O(n+ n- d) per evaluation.
  BoxSmooth convex_part(const Vec& slope) {
    BoxSmooth box;
    box.lower = Vec::Zero(d_);
    box.upper = upper_;
    box.value = [this, &slope](const Vec& theta, Vec& gradient) {
      const double value = weight() * across_weight_.cwiseProduct(across_.at(theta, stop_.limits)).sum();
      gradient = weight() * across_.slopes(across_weight_, stop_.limits) - slope;
      return stop_.limits.stop_now() ? kInf : value - slope.dot(theta);
    };
    return box;
  }

  void record(double primal, double gap) {
    const double g = weight() * across_weight_.cwiseProduct(across_.at(out_.theta, stop_.limits)).sum();
    const double size = size_of(primal);
    out_.certificate = {primal, primal - gap, gap / size, gap / size};
    const Index kept = (out_.theta.array() > what_.threshold).count();
    out_.rounds.push_back({g - concave_, kept, gap / size, "box"});
  }

  // Returns the size of the objective, whose terms are at most 1.
  static double size_of(double value) { return std::max(std::abs(value), 1e-4); }

  bool still(const Vec& before, const Vec& after) const {
    for (Index j = 0; j < d_; ++j) {
      const double change = std::abs(after[j] - before[j]);
      if (change > what_.tol && change > what_.tol * before[j]) return false;
    }
    return true;
  }

  Aligned stopped(StopReason reason) {
    out_.stop = reason;
    return std::move(out_);
  }

  Aligned failed(Status status) {
    out_.status = status;
    return stopped(status == Status::interrupted ? StopReason::interrupted : StopReason::failed);
  }
};

}  // namespace

Aligned align(const KernelForm& form, const Mat& x, const Vec& y, const Vec& weights, const Alignment& what,
              const Stop& stop) {
  return Aligner(form, take_class(x, y, weights, 1), take_class(x, y, weights, -1), what, stop).run();
}

}  // namespace zeronorm
