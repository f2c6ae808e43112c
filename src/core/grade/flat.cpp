#include "grade/flat.h"

#include <cmath>
#include <stdexcept>

#include "grade/certificate.h"

namespace zeronorm {
namespace {

class FlatDesign : public Design {
 public:
  FlatDesign(std::shared_ptr<const Design> base, Margins margins, bool intercept)
      : base_(std::move(base)), margins_(std::move(margins)), d_(base_->cols()), outputs_(margins_.outputs),
        intercept_(intercept) {}

  Index rows() const override { return margins_.size(); }
  Index cols() const override { return weights() + (intercept_ ? outputs_ : 0); }
  bool in_memory() const override { return base_->in_memory(); }
  double center(Index j) const override { return j < weights() ? base_->center(j % d_) : 0.0; }
  double scale(Index j) const override { return j < weights() ? base_->scale(j % d_) : 1.0; }

  void column(Index j, double* out) const override {
    Vec x = Vec::Ones(base_->rows());
    if (j < weights()) base_->column(j % d_, x.data());
    const Index output = j < weights() ? j / d_ : j - weights();
    for (const MarginRow& row : margins_.rows) *out++ = row.sign(output) * x[row.sample];
  }
  Vec times(const Vec& w) const override {
    const Vec b = intercept_ ? Vec(w.tail(outputs_)) : Vec();
    return margins_.margins(decision_values(*base_, Eigen::Map<const Mat>(w.data(), d_, outputs_), b));
  }
  Vec transposed_times(const Vec& v) const override {
    const Mat push = margins_.signed_multipliers(v), g = zeronorm::transposed_times(*base_, push);
    Vec all(cols());
    all.head(weights()) = Eigen::Map<const Vec>(g.data(), g.size());
    if (intercept_) all.tail(outputs_) = push.colwise().sum().transpose();
    return all;
  }
  Vec squared_norms() const override {
    Mat count = Mat::Zero(base_->rows(), outputs_);
    for (const MarginRow& row : margins_.rows)
      for (Index output : {row.plus, row.minus})
        if (output >= 0) count(row.sample, output) += 1;
    Vec squares(cols());
    for (Index k = 0; k < outputs_; ++k) squares.segment(k * d_, d_) = base_->weighted_squares(count.col(k));
    if (intercept_) squares.tail(outputs_) = count.colwise().sum().transpose();
    return squares;
  }
  // Takes O(rows^2) for each column.
  Mat gram(const Vec& z, const Limits& limits) const override {
    Mat k = Mat::Zero(rows(), rows());
    Vec x(rows());
    for (Index j = 0; j < cols() && !limits.stop_now(); ++j) {
      if (!(z[j] > 0) || z[j] == kInf) continue;
      column(j, x.data());
      k.noalias() += z[j] * z[j] * x * x.transpose();
    }
    return k;
  }
  std::shared_ptr<const Design> subset(const IndexList&, const IndexList&) const override {
    throw std::logic_error("x: outputs side by side have no parts");
  }

 private:
  Index weights() const { return d_ * outputs_; }

  std::shared_ptr<const Design> base_;
  Margins margins_;
  Index d_, outputs_;
  bool intercept_;
};

Index dual_output(const MarginRow& row) { return row.minus >= 0 ? row.minus : row.plus; }

}  // namespace

// Takes O(nk).
Flat::Flat(const Problem& problem) : original_(problem) {
  flat_.intercept = false;
  if (problem.loss == Loss::weston_watkins) {
    margins_ = Margins(problem);
    flat_.y = Mat::Ones(margins_.size(), 1);
    flat_.margin = margins_.rhs;
  } else {
    if (problem.loss != Loss::hinge) throw std::invalid_argument("loss: this one is no hinge");
    margins_.samples = problem.y.rows();
    margins_.outputs = outputs();
    for (Index k = 0; k < outputs(); ++k)
      for (Index i = 0; i < margins_.samples; ++i) margins_.rows.push_back({i, k, -1});
    flat_.y = Eigen::Map<const Mat>(problem.y.data(), problem.y.size(), 1);
    if (problem.margin.size()) flat_.margin = problem.margin.replicate(outputs(), 1);
  }
  flat_.cost = margins_.costs(problem);
  flat_.x = std::make_shared<FlatDesign>(problem.x, margins_, problem.intercept);
}

// Intercepts have no cost.
Surrogate Flat::enter(const Surrogate& s) const {
  Surrogate flat;
  flat.l1 = s.l1;
  flat.scale = Vec::Constant(flat_.x->cols(), kInf);
  flat.groups.resize(std::size_t(flat_.x->cols()));
  for (Index j = 0; j < features() * outputs(); ++j) {
    flat.scale[j] = s.scale[j % features()];
    flat.groups[std::size_t(j)] = s.groups[std::size_t(j % features())];
  }
  return flat;
}

Solution Flat::enter(const Solution& s) const {
  Solution flat = s;
  flat.w = Mat::Zero(flat_.x->cols(), 1);
  flat.w.topRows(s.w.size()) = Eigen::Map<const Vec>(s.w.data(), s.w.size());
  if (original_.intercept) flat.w.bottomRows(outputs()) = s.b;
  flat.b = Vec::Zero(1);
  flat.dual = Mat(margins_.size(), 1);
  Index r = 0;
  for (const MarginRow& row : margins_.rows) flat.dual(r++, 0) = s.dual(row.sample, dual_output(row));
  return flat;
}

Solution Flat::leave(const Solution& flat) const {
  Solution s = flat;
  s.b = Vec::Zero(outputs());
  if (flat.w.rows() == flat_.x->cols()) {
    s.w = Eigen::Map<const Mat>(flat.w.data(), features(), outputs());
    if (original_.intercept) s.b = flat.w.bottomRows(outputs());
  }
  s.dual = Mat::Zero(original_.y.rows(), outputs());
  Index r = 0;
  if (flat.dual.rows() == margins_.size())
    for (const MarginRow& row : margins_.rows) s.dual(row.sample, dual_output(row)) = flat.dual(r++, 0);
  if (s.status == Status::optimal && original_.intercept) s.b = middle_intercepts(s);
  return s;
}

Vec Flat::middle_intercepts(const Solution& s) const {
  const Mat f = decision_values(*original_.x, s.w, Vec());
  if (original_.loss == Loss::weston_watkins) return best_intercepts(original_, f, s.dual, s.b);
  Vec b = s.b;
  for (Index k = 0; k < outputs(); ++k) {
    const double middle =
        best_intercept(f.col(k), original_.y.col(k), original_.cost, original_.loss, original_.margin);
    if (std::isfinite(middle)) b[k] = middle;
  }
  return b;
}

}  // namespace zeronorm
