#include "methods/scales/scaling.h"

#include <algorithm>
#include <cmath>

#include "engines/parts/minimise_box.h"
#include "loop/refit.h"
#include "methods/ranking/error_estimates.h"

namespace zeronorm {
namespace {

// Relative step of the second differences.
constexpr double kDifferenceStep = 1e-4;
// Relative gap at which no further descent is made.
constexpr double kSufficientGap = 1e-8;
// Weight of the proximal term that smooths R^2, as a share of R^2.
constexpr double kProximalShare = 0.01;
// Largest number of descents on the smoothed criterion with a linear kernel; a fifth of it with other kernels.
constexpr int kMaxProximalDescents = 50;
// Steps of a descent on a criterion that is not smooth or has no bound.
constexpr long kMaxRoughSteps = 200;
// Variance of a column, relative to its mean square, below which it counts as constant.
constexpr double kRounding = 1e-12;
// Largest slope of log R^2 |w|^2 at which the scales count as optimal.
constexpr double kMaxSlope = 1e-3;

std::unique_ptr<ScaleCriterion> make_criterion(GramMap& gram, const Vec& y, const Vec& weights,
                                               const Mat& equalities, const Scaling& scaling) {
  switch (scaling.criterion) {
    case Criterion::span: return std::make_unique<SpanEstimate>(gram, y, weights, equalities);
    case Criterion::validation:
      return std::make_unique<HeldOutError>(gram, y, weights, equalities, scaling.held_out);
    default: break;
  }
  const Spread spread = scaling.criterion == Criterion::ball ? Spread::ball : Spread::variance;
  return std::make_unique<RadiusMargin>(gram, y, weights, equalities, spread);
}

class Search {
 public:
  Search(GramMap& gram, const Vec& y, const Vec& weights, const Mat& equalities, const Scaling& scaling,
         const IndexList& sizes, const Stop& stop)
      : gram_(gram), scaling_(scaling), sizes_(sizes), stop_(stop),
        criterion_(make_criterion(gram, y, weights, equalities, scaling)), d_(gram.features()),
        kind_(d_, Kind::present) {
    discarded_ = Vec::Constant(d_, -static_cast<double>(d_ + 1));
    for (Index j : scaling.keep) kind_[j] = Kind::kept;
    for (Index j : scaling.empty) kind_[j] = Kind::gone;
    for (Index j : scaling.free) kind_[j] = Kind::free;
    point_ = Vec::Zero(d_ + 1);
    measure_columns(weights);
    ridge_ = scaling.C < kInf ? 1 / scaling.C : 0.0;
    // With the linear kernel the units of columns do not affect the start, unless a ridge gives them a meaning.
    const bool fixed = ridge_ > 0 && !scaling.tune && !criterion_->bounded();
    for (Index j = 0; j < d_; ++j)
      if (scaled(j)) point_[j] = fixed ? 1.0 : unit_[j];
    point_[d_] = ridge_;
    if (gram.linear() && !fixed && (scaling.tune || ridge_ > 0)) point_[d_] = ridge_to_try();
    ridge_free_ = scaling.tune && point_[d_] > 0;
  }

  ScaleSearch run() {
    out_.trace.solution.status = Status::optimal;
    out_.chosen = Selection(sizes_.empty() ? IndexList{0} : sizes_, forced());
    bool changed = true;
    while (!changed || !failed(optimise())) {
      if (sizes_.empty()) out_.chosen = Selection({with_scale()}, forced());
      Vec worth;
      if (failed(weigh(worth))) break;
      out_.chosen.observe(worth, order_of_zeros(), count());
      const Index target = next_count();
      if (target == 0) {
        finish(worth);
        break;
      }
      changed = shrink_to(target, worth);
    }
    out_.C = point_[d_] > 0 ? 1 / point_[d_] : kInf;
    return std::move(out_);
  }

 private:
  enum class Kind { present, kept, free, gone };

  GramMap& gram_;
  const Scaling& scaling_;
  const IndexList& sizes_;
  const Stop& stop_;
  std::unique_ptr<ScaleCriterion> criterion_;
  Index d_;
  std::vector<Kind> kind_;
  // The scales theta, then the ridge.
  Vec point_;
  // The units of the descent: the point is unit times its coordinates.
  Vec unit_;
  // The weights of the last ball.
  Vec center_;
  // The ridge that was requested.
  double ridge_ = 0;
  // Whether the criterion chooses the ridge.
  bool ridge_free_ = false;
  // A negative number for each discarded feature; larger for those discarded later.
  Vec discarded_;
  double discards_ = 0;
  ScaleSearch out_;

  bool scaled(Index j) const { return kind_[j] == Kind::present || kind_[j] == Kind::kept; }
  bool homogeneous() const { return gram_.linear() && (ridge_free_ || point_[d_] == 0); }

  IndexList forced() const {
    IndexList both = scaling_.keep;
    both.insert(both.end(), scaling_.free.begin(), scaling_.free.end());
    return both;
  }

  Index count() const { return d_ - static_cast<Index>(std::count(kind_.begin(), kind_.end(), Kind::gone)); }

  void measure_columns(const Vec& weights) {
    unit_ = Vec::Ones(d_ + 1);
    if (!gram_.linear()) return;
    const Vec mean = weights / weights.sum(), variance = gram_.slopes(mean, mean, stop_.limits),
              squares = gram_.slopes(mean, Vec::Zero(mean.size()), stop_.limits);
    // Without an intercept columns may be constant.
    for (Index j = 0; j < d_; ++j) {
      const bool varies = variance[j] > kRounding * squares[j];
      if (squares[j] > 0) unit_[j] = 1 / (varies ? variance[j] : squares[j]);
    }
  }

  double ridge_to_try() const {
    const double variance = point_.head(d_).cwiseQuotient(unit_.head(d_)).sum();
    return variance > 0 ? 0.1 * variance : 1.0;
  }

  Vec upper() const {
    const bool open = homogeneous() || scaling_.tune;
    Vec upper = Vec::Zero(d_ + 1);
    for (Index j = 0; j < d_; ++j)
      if (scaled(j)) upper[j] = open ? kInf : 1.0;
    upper[d_] = ridge_free_ ? kInf : point_[d_];
    return upper;
  }

  // Evaluates the criterion at the present point.
  Status look() { return criterion_->evaluate(point_.head(d_), point_[d_], stop_.limits); }

  // The coordinates of the descent are in units of variance, so that units of features do not matter. A ridge on a
  // kernel spans orders of magnitude and is represented by its logarithm.
  Vec point_of(const Vec& t) const {
    Vec point = t.cwiseProduct(unit_);
    if (log_ridge()) point[d_] = std::exp(t[d_]);
    return point;
  }
  Vec place_of(const Vec& point) const {
    Vec t = point.cwiseQuotient(unit_);
    if (log_ridge()) t[d_] = std::log(point[d_]);
    return t;
  }
  bool log_ridge() const { return ridge_free_ && !gram_.linear(); }

  BoxSmooth box() {
    BoxSmooth box;
    box.lower = Vec::Zero(d_ + 1);
    box.upper = place_of(upper());
    if (!ridge_free_) box.lower[d_] = box.upper[d_];
    if (log_ridge()) box.lower[d_] = -kInf;
    criterion_->begin(homogeneous());
    box.value = [=](const Vec& t, Vec& gradient) {
      const Vec point = point_of(t);
      if (criterion_->evaluate(point.head(d_), point[d_], stop_.limits) != Status::optimal) return kInf;
      const double value = criterion_->descent(gradient);
      gradient = gradient.cwiseProduct(unit_);
      if (log_ridge()) gradient[d_] *= point[d_];
      return value;
    };
    return box;
  }

  // Finds new scales for the remaining features, with a ridge as soon as they do not separate the classes.
  Status optimise() {
    // With the linear kernel only the ratio of scales to ridge matters. If the best ratio meets no bound, it is found
    // with a free ridge.
    const bool relaxed = criterion_->bounded() && !ridge_free_ && ridge_ > 0;
    if (relaxed) ridge_free_ = true;
    Status status = look();
    if (status != Status::optimal && status != Status::interrupted && point_[d_] == 0) {
      ridge_free_ = true;
      point_[d_] = ridge_to_try();
      status = look();
    }
    if (status != Status::optimal) return status;
    Round round{0, count(), kInf, "box"};
    if (criterion_->value() == 0)
      round.gap = 0;  // Unpenalised columns separate the classes, so scales do not matter.
    else
      status = settle(round);
    if (relaxed) {
      ridge_free_ = false;
      if (status == Status::optimal && !within_bounds()) status = settle_within(round);
    }
    if (status != Status::optimal) return status;
    if (homogeneous()) normalise();
    if (!criterion_->rough() && !(round.gap <= (criterion_->bounded() ? kProof : kMaxSlope)))
      out_.trace.solution.note = "The scales of the features are not quite at their minimum: see trace().";
    out_.trace.rounds.push_back(round);
    return look();
  }

  // Rescales to the requested ridge; returns whether all scales are then within their bounds.
  bool within_bounds() {
    if (point_[d_] > 0)
      point_ *= ridge_ / point_[d_];
    else
      normalise();
    const bool within = point_[d_] > 0 && point_.head(d_).maxCoeff() <= 1;
    point_[d_] = ridge_;
    return within;
  }

  Status settle_within(Round& round) {
    point_.head(d_) = point_.head(d_).cwiseMin(1.0);
    const Status status = look();
    return status == Status::optimal ? settle(round) : status;
  }

  // Runs several descents, the later ones on a smoothed criterion that converges to the true one.
  Status settle(Round& round) {
    bool settled = false;
    Status status = descend(0, Vec(), round, settled);
    const int pulls = gram_.linear() ? kMaxProximalDescents : kMaxProximalDescents / 5;
    for (int k = 0; k < pulls && criterion_->kinked() && !settled && status == Status::optimal; ++k)
      status = descend(kProximalShare, center_, round, settled);
    return status;
  }

  // Descends from the present point with a proximal term around the weights of a ball; the term is removed
  // afterwards.
  Status descend(double pull, const Vec& center, Round& round, bool& settled) {
    if (homogeneous()) point_ *= criterion_->stretch();
    criterion_->set_pull(pull, center);
    Status status = look();
    if (status != Status::optimal) return status;
    Limits limits = stop_.limits;
    if (!criterion_->bounded() || (criterion_->kinked() && pull == 0)) limits.iterations = kMaxRoughSteps;
    const BoxResult r = minimise_box(box(), place_of(point_), limits);
    if (stop_.limits.stop_now()) return Status::interrupted;
    point_ = point_of(r.x);
    status = look();
    if (status != Status::optimal) return status;
    center_ = criterion_->center();
    const double bound = criterion_->bound(upper(), !ridge_free_ && point_[d_] > 0);
    criterion_->set_pull(0, Vec());
    status = look();
    round.objective = criterion_->value();
    const bool bounded = criterion_->bounded();
    round.gap = bounded ? std::max(0.0, 1 - bound / round.objective) : r.projected_gradient;
    settled = bounded ? round.gap <= kSufficientGap : r.status == Status::optimal;
    return status;
  }

  // Scales the largest theta to 1.
  void normalise() {
    const double largest = d_ > 0 ? point_.head(d_).maxCoeff() : 0.0;
    if (largest > 0) point_ /= largest;
  }

  void finish(const Vec& worth) {
    if (!sizes_.empty()) out_.trace.stop = StopReason::reached;
    out_.order = largest(worth, order_of_zeros(), forced(), d_);
  }

  bool failed(Status status) {
    if (status == Status::optimal) return false;
    out_.trace.solution.status = status;
    out_.trace.stop = status == Status::interrupted ? StopReason::interrupted : StopReason::failed;
    return true;
  }

  // Computes the importance of each feature without rounding errors: 0 without a scale, infinite if the classes
  // cannot be separated without the feature.
  Status weigh(Vec& worth) {
    worth = point_.head(d_).cwiseSqrt().unaryExpr(&without_rounding);
    if (scaling_.discard == Discard::scale) return Status::optimal;
    const double here = criterion_->value();
    for (Index j = 0; j < d_; ++j) {
      if (point_[j] == 0) continue;
      const double kept = point_[j];
      const bool retrain = scaling_.discard == Discard::retrain;
      const Status status = retrain ? rise_without(j, here, worth[j]) : curvature(j, here, worth[j]);
      point_[j] = kept;
      if (status == Status::interrupted) return status;
      if (status != Status::optimal) worth[j] = kInf;
    }
    worth = worth.unaryExpr(&without_rounding);
    return look();
  }

  // Computes the relative increase of the criterion without feature j.
  Status rise_without(Index j, double here, double& rise) {
    point_[j] = 0;
    const Status status = look();
    rise = std::max(0.0, criterion_->value() / here - 1);
    return status;
  }

  // Computes sigma^2 times the second derivative in sigma, relative to the criterion, from differences of exact
  // slopes.
  Status curvature(Index j, double here, double& curvature) {
    const double sigma = std::sqrt(point_[j]);
    double slope[2];
    for (int side = 0; side < 2; ++side) {
      const double at = sigma * (side ? 1 + kDifferenceStep : 1 - kDifferenceStep);
      point_[j] = at * at;
      const Status status = look();
      if (status != Status::optimal) return status;
      slope[side] = 2 * at * criterion_->slopes()[j];
    }
    curvature = std::max(0.0, sigma * (slope[1] - slope[0]) / (2 * kDifferenceStep * here));
    return Status::optimal;
  }

  // Orders the features without a scale: first those nearest to having one, then the discarded ones, the last first,
  // then empty columns.
  Vec order_of_zeros() const {
    Vec order = criterion_->nearness().unaryExpr(&without_rounding);
    for (Index j = 0; j < d_; ++j)
      if (kind_[j] == Kind::gone) order[j] = discarded_[j];
    return order;
  }

  // Returns the number of features with a scale, including forced ones.
  Index with_scale() const {
    Index n = 0;
    for (Index j = 0; j < d_; ++j)
      n += kind_[j] == Kind::kept || kind_[j] == Kind::free || (kind_[j] == Kind::present && point_[j] > 0);
    return n;
  }

  // Returns the number of features after the next step, not below the next requested size; 0 at the end.
  Index next_count() const {
    if (sizes_.empty() || scaling_.step == kInf) return 0;
    const Index now = count();
    const double left = scaling_.step < 1 ? std::floor((1 - scaling_.step) * now) : now - scaling_.step;
    Index target = left > 0 ? std::min(now - 1, static_cast<Index>(left)) : 0;
    for (Index size : sizes_)
      if (size < now) target = std::max(target, size);
    return target > *std::min_element(sizes_.begin(), sizes_.end()) ? target : 0;
  }

  // Discards features; returns true if one of them had a scale.
  bool shrink_to(Index target, const Vec& worth) {
    const IndexList order = largest(worth, order_of_zeros(), forced(), d_);
    const double never = -static_cast<double>(d_ + 1);
    bool changed = false;
    for (Index k = d_ - 1; k >= target; --k) {
      const Index j = order[k];
      if (kind_[j] == Kind::gone) continue;
      kind_[j] = Kind::gone;
      discarded_[j] = never + ++discards_;
      changed = changed || point_[j] > 0;
      point_[j] = 0;
    }
    return changed;
  }
};

}  // namespace

ScaleSearch search_scales(GramMap& gram, const Vec& y, const Vec& weights, const Mat& equalities,
                          const Scaling& scaling, const IndexList& sizes, const Stop& stop) {
  return Search(gram, y, weights, equalities, scaling, sizes, stop).run();
}

}  // namespace zeronorm
