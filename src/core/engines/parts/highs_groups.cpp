#include "engines/parts/highs_groups.h"

#include <algorithm>
#include <cmath>

#include "grade/certificate.h"
#include "problem/margins.h"

namespace zeronorm {
namespace {

// Fewest columns that enter at a time.
constexpr Index kBatch = 32;
// A bound v_f below this value, in its unit, counts as zero: it moves no margin.
constexpr double kZeroBound = 1e-11;
// The classes count as inseparable if the least sum of violations is above this value.
constexpr double kMinViolationSum = 1e-6;
// The last vertex is used as the start for at most rows / 3 pivots.
constexpr long kRowsPerPivot = 3;
// Error of X'(y a) that is tolerated, relative to its largest entry.
constexpr double kPriceTol = 1e-10;
// Limit of interior-point steps: if all costs vanish, the method may not end.
constexpr HighsInt kMaxInteriorSteps = 300;

Vec balanced(const Vec& y) {
  const double positive = double((y.array() > 0).count()), negative = double(y.size()) - positive;
  return y.unaryExpr([=](double label) { return label > 0 ? 1 / positive : -1 / negative; });
}

double geometric_mean(const Vec& v) {
  double sum = 0;
  Index count = 0;
  for (Index f = 0; f < v.size(); ++f)
    if (v[f] > 0) sum += std::log(v[f]), ++count;
  return count ? std::exp(sum / double(count)) : 0.0;
}

}  // namespace

// Takes O(nd).
GroupProgram::GroupProgram(const Problem& problem, const Surrogate& s)
    : problem_(problem), groups_(s.groups), sign_(Vec::Zero(problem.x->cols())),
      norms_(problem.x->squared_norms().cwiseSqrt()), is_active_(groups_.size(), 0) {
  const Vec g = problem_.x->transposed_times(balanced(problem_.y.col(0)));
  for (Index j = 0; j < columns(); ++j) {
    if (s.scale[j] == 0) continue;
    sign_[j] = g[j] >= 0 ? 1 : -1;
    if (features(j).empty()) free_.push_back(j);
    linked_ = linked_ || features(j).size() > 1;
  }
  set_live(std::vector<char>(std::size_t(s.l1.size()), 1));
}

bool GroupProgram::fits(const Surrogate& s) const {
  return Index(live_.size()) == s.l1.size() && groups_ == s.groups &&
         ((sign_.array() == 0) == (s.scale.array() == 0)).all();
}

bool GroupProgram::in_programme(Index j) const {
  return sign_[j] != 0 && std::all_of(features(j).begin(), features(j).end(),
                                      [&](Index f) { return live_[std::size_t(f)] != 0; });
}

// Sets the features whose columns are in the programme and rebuilds it. O(nd).
void GroupProgram::set_live(std::vector<char> live) {
  live_ = std::move(live);
  basis_.valid = false;
  base_ = Mat::Zero(rows(), Index(live_.size()));
  if (linked_) active_.clear();
  Vec x(rows());
  for (Index j = 0; j < columns(); ++j) {
    if (features(j).empty() || !in_programme(j)) continue;
    problem_.x->column(j, x.data());
    base_.col(features(j)[0]) += sign_[j] * x;
    if (linked_) active_.push_back(j);
  }
  const Vec norms = base_.colwise().norm();
  unit_ = norms.unaryExpr([&](double norm) { return norm > 0 ? std::sqrt(double(rows())) / norm : 1.0; });
}

void GroupProgram::solve(const Surrogate& s, const Limits& limits, double span, Solution& out) {
  if (span != span_) basis_.valid = false;
  span_ = span;
  Prices prices;
  if (problem_.hard()) {
    // The least sum of violations comes first: if it is not zero, its multipliers are a Farkas ray.
    prices = {Vec::Zero(s.l1.size()), Vec::Ones(rows()), kInf, 1.0};
    out.status = optimise(prices, limits, out.iterations);
    if (out.status == Status::optimal && slack_sum_ > kMinViolationSum) {
      out.status = Status::infeasible;
      out.dual = a_;
    }
    if (out.status != Status::optimal) return;
    const double typical = geometric_mean(s.l1.cwiseProduct(unit_));
    prices = {s.l1, Vec::Zero(rows()), 0.0, typical > 0 ? 1 / typical : 1.0};
    prices.l1 *= prices.unit;
  } else {
    if (linked_ && v_.size()) {
      std::vector<char> used(live_.size());
      for (std::size_t f = 0; f < used.size(); ++f) used[f] = v_[Index(f)] > 0;
      if (used != live_) set_live(std::move(used));
    }
    prices = soft_prices(s);
  }
  out.status = optimise(prices, limits, out.iterations);
  if (out.status != Status::optimal) return;
  out.w = w_;
  out.b = Vec::Constant(1, b_);
  out.dual = a_.cwiseMin(problem_.cost);
}

// Returns the costs in units that suit the absolute tolerances of HiGHS. If features cost almost nothing beside
// violations, their costs decide among the solutions without violations, so the unit makes these costs one.
GroupProgram::Prices GroupProgram::soft_prices(const Surrogate& s) const {
  const double slack = std::max(problem_.cost.maxCoeff(), 1e-300);
  const double typical = geometric_mean(s.l1.cwiseProduct(unit_));
  const double unit = 1 / (typical > 0 ? std::min(slack, std::max(typical, slack / span_)) : slack);
  return {s.l1 * unit, problem_.cost * unit, kInf, unit};
}

Status GroupProgram::optimise(const Prices& prices, const Limits& limits, long& iterations) {
  for (;;) {
    const Status status = linked_ ? run_linked(prices, limits, iterations) : run(prices, limits, iterations);
    if (status != Status::optimal) return status;
    if (!(linked_ ? revive(prices) : activate())) return status;
  }
}

// Tries a few pivots from the last vertex and otherwise runs the interior-point method.
Status GroupProgram::run_linked(const Prices& prices, const Limits& limits, long& iterations) {
  if (basis_.valid) {
    Limits few = limits;
    few.iterations = static_cast<long>(basis_.rows.size()) / kRowsPerPivot;
    const Status status = run(prices, few, iterations);
    if (status == Status::optimal || status == Status::interrupted) return status;
    basis_.valid = false;
  }
  return run(prices, limits, iterations);
}

// Starts from the last vertex if there is one. All costs are nonnegative and violations can meet every margin, so
// "unbounded" and "infeasible" are failures: of the old vertex, of the simplex method if costs differ by too many
// orders of magnitude, or of the interior-point method if nothing with a cost is needed.
Status GroupProgram::run(const Prices& prices, const Limits& limits, long& iterations) {
  const char* quickest = linked_ ? "ipm" : "simplex";
  const char* other = linked_ ? "simplex" : "ipm";
  auto failed = [&](Status s) {
    return s == Status::unbounded || s == Status::numerical || (s == Status::infeasible && !problem_.hard());
  };
  Status status = attempt(basis_.valid ? "simplex" : quickest, prices, limits, iterations);
  if (failed(status) && basis_.valid) {
    basis_.valid = false;
    status = attempt(quickest, prices, limits, iterations);
  }
  if (failed(status)) status = attempt(other, prices, limits, iterations);
  return failed(status) ? Status::numerical : status;
}

Status GroupProgram::attempt(const char* solver, const Prices& prices, const Limits& limits,
                             long& iterations) {
  HighsModel model;
  model.option("solver", solver);
  model.option("ipm_iteration_limit", kMaxInteriorSteps);
  pass(prices, model);
  const Status status = model.run(limits);
  iterations += model.iterations();
  if (status == Status::optimal) read(model, prices);
  return status == Status::limit && solver != std::string("simplex") ? Status::numerical : status;
}

// Columns: intercept, violations, v, unpenalised columns, r. Rows: margins; then r <= 2 v_f for each active column,
// and |v_f - r| <= v_k for its other features k. O(n |active|).
void GroupProgram::pass(const Prices& prices, HighsModel& model) const {
  const Index n = rows();
  const Vec y = problem_.y.col(0);
  Columns c;
  const Vec rhs = Margins(problem_).rhs;
  std::vector<double> lower(rhs.data(), rhs.data() + n);
  auto margins = [&](const Vec& x, double factor) {
    for (Index i = 0; i < n; ++i) c.entry(i, factor * y[i] * x[i]);
  };
  if (problem_.intercept) {
    c.begin(0, -kInf, kInf);
    margins(Vec::Ones(n), 1);
  }
  for (Index i = 0; i < n; ++i) {
    c.begin(prices.slack[i], 0, prices.slack_upper);
    c.entry(i, 1);
  }

  struct Link {
    Index row;
    double value;
  };
  std::vector<std::vector<Link>> of_feature(live_.size()), of_active(active_.size());
  for (std::size_t k = 0; k < active_.size(); ++k) {
    const IndexList& f = features(active_[k]);
    auto row = [&](Index other, double v_other, double v_first, double r) {
      of_feature[std::size_t(f[0])].push_back({Index(lower.size()), v_first * unit_[f[0]]});
      if (v_other != 0)
        of_feature[std::size_t(other)].push_back({Index(lower.size()), v_other * unit_[other]});
      of_active[k].push_back({Index(lower.size()), r * unit_[f[0]]});
      lower.push_back(0);
    };
    row(f[0], 0, 2, -1);
    for (std::size_t e = 1; e < f.size(); ++e) {
      row(f[e], 1, -1, 1);
      row(f[e], 1, 1, -1);
    }
  }
  for (Index f = 0; f < base_.cols(); ++f) {
    c.begin(prices.l1[f] * unit_[f], 0, kInf);
    margins(base_.col(f), unit_[f]);
    for (const Link& link : of_feature[std::size_t(f)]) c.entry(link.row, link.value);
  }
  Vec x(n);
  for (Index j : free_) {
    c.begin(0, -kInf, kInf);
    problem_.x->column(j, x.data());
    margins(x, 1);
  }
  for (std::size_t k = 0; k < active_.size(); ++k) {
    const Index j = active_[k];
    c.begin(0, 0, kInf);
    problem_.x->column(j, x.data());
    margins(x, -sign_[j] * unit_[features(j)[0]]);
    for (const Link& link : of_active[k]) c.entry(link.row, link.value);
  }
  model.pass(c, lower);
  if (!basis_.valid) return;
  // Columns added since are at zero, and the slack variables of their rows are basic.
  HighsModel::Basis basis = basis_;
  basis.cols.resize(std::size_t(c.size()), kHighsBasisStatusLower);
  basis.rows.resize(lower.size(), kHighsBasisStatusBasic);
  model.start_from(basis);
}

void GroupProgram::read(const HighsModel& model, const Prices& prices) {
  const Index n = rows(), first = first_feature(), nf = base_.cols();
  const HighsModel::Vertex vertex = model.vertex();
  basis_ = model.basis();
  b_ = problem_.intercept ? vertex.x[0] : 0.0;
  slack_sum_ = vertex.x.segment(first - n, n).sum();
  a_ = vertex.duals.head(n).cwiseMax(0.0) / prices.unit;
  v_ = vertex.x.segment(first, nf);
  for (Index f = 0; f < nf; ++f) v_[f] = v_[f] > kZeroBound ? v_[f] * unit_[f] : 0.0;
  w_ = Vec::Zero(columns());
  for (Index j = 0; j < columns(); ++j)
    if (!features(j).empty() && in_programme(j)) w_[j] = sign_[j] * v_[features(j)[0]];
  for (std::size_t k = 0; k < free_.size(); ++k) w_[free_[k]] = vertex.x[first + nf + Index(k)];
  const Index first_r = first + nf + Index(free_.size());
  for (std::size_t k = 0; k < active_.size(); ++k) {
    const Index j = active_[k], f = features(j)[0];
    const bool pinned =
        std::any_of(features(j).begin(), features(j).end(), [&](Index e) { return v_[e] == 0; });
    w_[j] = pinned ? 0.0 : w_[j] - sign_[j] * vertex.x[first_r + Index(k)] * unit_[f];
  }
}

// Adds the columns whose reduced costs are most negative; returns false if there is none. O(nd).
bool GroupProgram::activate() {
  const Vec ya = problem_.y.col(0).cwiseProduct(a_);
  const Vec g = problem_.x->transposed_times(ya);
  const double noise = 1e-13 * ya.norm(), error = kPriceTol * (g.size() ? g.cwiseAbs().maxCoeff() : 0.0);
  std::vector<std::pair<double, Index>> found;
  for (Index j = 0; j < columns(); ++j) {
    if (sign_[j] == 0 || features(j).empty() || is_active_[std::size_t(j)]) continue;
    const double excess = -sign_[j] * g[j];
    if (excess > error + noise * norms_[j]) found.push_back({excess / norms_[j], j});
  }
  std::stable_sort(found.begin(), found.end(), [](auto& p, auto& q) { return p.first > q.first; });
  const std::size_t batch = std::size_t(std::max(kBatch, rows()));
  for (std::size_t k = 0; k < std::min(batch, found.size()); ++k) {
    active_.push_back(found[k].second);
    is_active_[std::size_t(found[k].second)] = 1;
  }
  return !found.empty();
}

// Returns whether columns outside the programme would enter; all of them are then put back. Costs can be distributed
// over features in several ways, so the excess may appear at a column inside the programme. O(nd).
bool GroupProgram::revive(const Prices& prices) {
  if (std::all_of(live_.begin(), live_.end(), [](char live) { return live != 0; })) return false;
  const Vec ya = problem_.y.col(0).cwiseProduct(a_);
  Vec g = problem_.x->transposed_times(ya);
  for (Index j = 0; j < g.size(); ++j)
    if (sign_[j] == 0) g[j] = 0;
  const Vec l1 = prices.l1 / prices.unit, left = uncovered(groups_, l1, g);
  const double error = kPriceTol * l1.maxCoeff(), noise = 1e-13 * ya.norm();
  for (Index j = 0; j < g.size(); ++j)
    if (left[j] > error + noise * norms_[j]) {
      set_live(std::vector<char>(live_.size(), 1));
      return true;
    }
  return false;
}

}  // namespace zeronorm
