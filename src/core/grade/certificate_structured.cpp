// Certificates for several outputs, independent or coupled (Weston-Watkins), and for coupled features (linking rows).
#include "grade/certificate.h"

#include <algorithm>
#include <cmath>

#include "data/design.h"
#include "problem/free_columns.h"
#include "problem/margins.h"
#include "problem/outputs.h"

namespace zeronorm {
namespace {

// Smallest divisor, which avoids divisions by zero.
constexpr double kTiny = 1e-300;

// The terms that the certificates share: margins, residuals, multipliers and gradients.
struct MarginTerms {
  Margins margins;
  // By margin row.
  Vec cost, slack, a;
  // The gradients, d x k.
  Mat g;
  // By output, the sum that the intercept requires to be zero.
  Vec balance;
  double hinge = 0;

  // Computes all terms. O(ndk).
  MarginTerms(const Problem& p, const Solution& s) : margins(p), cost(margins.costs(p)) {
    const Mat f = decision_values(*p.x, s.w, p.intercept ? s.b : Vec());
    slack = margins.rhs - margins.margins(f);
    a = margins.gather(s.dual).cwiseMax(0.0).cwiseMin(cost);
    const Mat m = margins.signed_multipliers(a);
    g = transposed_times(*p.x, m);
    balance = p.intercept ? Vec(m.colwise().sum().transpose()) : Vec::Zero(margins.outputs);
    for (Index r = 0; r < slack.size() && !p.hard(); ++r) hinge += cost[r] * std::max(0.0, slack[r]);
  }

  // Returns the primal value. Violations of hard margins are charged as in certify(): by the multipliers or, if all
  // margins are equal, by scaling with 1 / (1 - worst violation / rhs), which makes (w, b) feasible to the last
  // digit.
  double primal(const Problem& p, double linear, double square) const {
    if (!p.hard()) return linear + square + hinge;
    if (p.margin.size())
      return slack.maxCoeff() > kProof ? kInf : linear + square + a.dot(slack.cwiseMax(0.0));
    if (lacks() > 0.01) return kInf;
    const double t = 1 / (1 - lacks());
    return linear * t + square * t * t;
  }

  // Returns the largest violation of equal hard margins, relative to them.
  double lacks() const {
    double worst = 0;
    for (Index r = 0; r < slack.size(); ++r)
      if (cost[r] > 0) worst = std::max(worst, slack[r] / margins.rhs[r]);
    return worst;
  }

  // Returns the violation of complementarity between residuals and multipliers.
  double row_violation() const {
    const double r_scale = std::max(1.0, slack.cwiseAbs().maxCoeff());
    const double a_scale = std::max(a.maxCoeff(), kTiny);
    double worst = balance.cwiseAbs().maxCoeff() / std::max(a.sum(), kTiny);
    for (Index r = 0; r < slack.size(); ++r) {
      if (cost[r] == 0) continue;
      const double short_of = cost[r] == kInf ? 1.0 : (cost[r] - a[r]) / cost[r];
      worst = std::max(worst, slack[r] > 0 ? std::min(slack[r] / r_scale, short_of)
                                           : std::min(-slack[r] / r_scale, a[r] / a_scale));
    }
    return worst;
  }

  // Returns the reduction of the bound at multipliers t a if the intercept is not balanced.
  double intercept_cost(const Solution& s, double t) const {
    double cost_of = 0;
    for (Index k = 0; k < balance.size() && s.b.size(); ++k)
      cost_of += std::abs(t * balance[k]) * kReach * std::max(1.0, s.b.cwiseAbs().maxCoeff());
    return cost_of;
  }
};

double largest(const Mat& w) { return w.size() ? w.cwiseAbs().maxCoeff() : 0.0; }

// Sets the gap, relative to no less than a share of the cost of violating all margins.
void close(const Problem& p, const Surrogate& s, const Solution& out, Certificate& c) {
  // If hard margins hold without any cost, only rounding errors are left to compare.
  const double floor = p.hard() ? 1e-9 * largest(s.l1) * largest(out.w) : 1e-4 * p.cost.sum();
  c.gap = relative_gap(c.primal, c.dual, floor);
}

// Returns the dual value at t a: ridges by their conjugate, violations of hard bounds on g by the reach of the
// weight. O(dk), plus O(n) for each weight beyond its bound.
double multiclass_dual(const Design& x, const MarginTerms& z, const Surrogate& s, const Solution& out,
                       double primal, double t) {
  const double most = largest(out.w);
  double value = t * z.margins.rhs.dot(z.a) - z.intercept_cost(out, t);
  for (Index j = 0; j < z.g.rows(); ++j) {
    if (s.scale[j] == 0) continue;
    for (Index k = 0; k < z.g.cols(); ++k) {
      const double e = std::max(0.0, std::abs(t * z.g(j, k)) - s.l1[j]);
      if (e == 0) continue;
      const double found = out.w(j, k) != 0 ? std::abs(out.w(j, k)) : most;
      value -= s.scale[j] < kInf ? 0.5 * std::pow(s.scale[j] * e, 2)
                                 : e * reach(column_of(x, j), found, s.l1[j], primal);
    }
  }
  return value;
}

double multiclass_column_violation(const MarginTerms& z, const Surrogate& s, const Mat& w) {
  const double g_scale = std::max({largest(z.g), largest(s.l1), kTiny}),
               w_scale = std::max(largest(w), kTiny);
  double worst = 0;
  for (Index j = 0; j < w.rows(); ++j) {
    if (s.scale[j] == 0) continue;
    for (Index k = 0; k < w.cols(); ++k) {
      const double e = std::max(0.0, std::abs(z.g(j, k)) - s.l1[j]);
      if (s.scale[j] < kInf) {
        const double target = std::copysign(s.scale[j] * s.scale[j] * e, z.g(j, k));
        worst = std::max(worst, std::abs(w(j, k) - target) / w_scale);
        continue;
      }
      const double unit = std::max(s.l1[j], 1e-6 * g_scale);
      const double short_of = std::max(0.0, s.l1[j] - std::copysign(1.0, w(j, k)) * z.g(j, k)) / unit;
      worst = std::max({worst, e / unit, std::min(std::abs(w(j, k)) / w_scale, short_of)});
    }
  }
  return worst;
}

// For Quadratic::kernel without a further ridge: w_k = m_k, and the conjugate is 1/2 m'Km.
double kernel_energy(const Problem& p, const Mat& m) {
  return 0.5 * m.cwiseProduct(transposed_times(*p.x, m)).sum();
}

// A flow from columns to the features that share their costs: |g_j| is distributed over groups[j] with at most l1_f
// arriving at each feature. Dinic's algorithm; O(edges) per phase, and few phases.
class CostFlow {
 public:
  CostFlow(const std::vector<IndexList>& groups, const Vec& room, Vec supply)
      : groups_(groups), supply_(std::move(supply)), room_(room), flow_(groups.size()),
        users_(std::size_t(room.size())) {
    tiny_ = 1e-14 * std::max(largest(supply_), largest(room_));
    for (std::size_t j = 0; j < groups_.size(); ++j) {
      flow_[j].assign(groups_[j].size(), 0.0);
      for (std::size_t e = 0; e < groups_[j].size(); ++e)
        users_[std::size_t(groups_[j][e])].push_back({j, e});
    }
    while (levels()) {
      next_column_.assign(groups_.size(), 0);
      next_feature_.assign(users_.size(), 0);
      for (std::size_t j = 0; j < groups_.size(); ++j)
        while (supply_[Index(j)] > tiny_) {
          const double sent = from_column(j, supply_[Index(j)]);
          if (sent <= tiny_) break;
          supply_[Index(j)] -= sent;
        }
    }
  }
  // Returns the undistributed part of each column.
  const Vec& left() const { return supply_; }

 private:
  struct User {
    std::size_t column, edge;
  };

  // Computes distances from the columns with remaining supply; returns false if no feature with room is reached.
  bool levels() {
    column_level_.assign(groups_.size(), -1);
    feature_level_.assign(users_.size(), -1);
    std::vector<std::size_t> queue;
    for (std::size_t j = 0; j < groups_.size(); ++j)
      if (supply_[Index(j)] > tiny_) column_level_[j] = 0, queue.push_back(j);
    bool reached = false;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const std::size_t j = queue[head];
      for (Index feature : groups_[j]) {
        const std::size_t f = std::size_t(feature);
        if (feature_level_[f] >= 0) continue;
        feature_level_[f] = column_level_[j] + 1;
        reached = reached || room_[feature] > tiny_;
        for (const User& u : users_[f])
          if (column_level_[u.column] < 0 && flow_[u.column][u.edge] > tiny_)
            column_level_[u.column] = feature_level_[f] + 1, queue.push_back(u.column);
      }
    }
    return reached;
  }

  double from_column(std::size_t j, double most) {
    for (std::size_t& e = next_column_[j]; e < groups_[j].size(); ++e) {
      const std::size_t f = std::size_t(groups_[j][e]);
      if (feature_level_[f] != column_level_[j] + 1) continue;
      const double sent = from_feature(f, most);
      if (sent > tiny_) {
        flow_[j][e] += sent;
        return sent;
      }
    }
    return 0;
  }

  // Sends flow to the room of the feature itself, or sends back the flow of another column.
  double from_feature(std::size_t f, double most) {
    if (room_[Index(f)] > tiny_) {
      const double sent = std::min(most, room_[Index(f)]);
      room_[Index(f)] -= sent;
      return sent;
    }
    for (std::size_t& e = next_feature_[f]; e < users_[f].size(); ++e) {
      const User u = users_[f][e];
      double& there = flow_[u.column][u.edge];
      if (column_level_[u.column] != feature_level_[f] + 1 || there <= tiny_) continue;
      const double sent = from_column(u.column, std::min(most, there));
      if (sent > tiny_) {
        there -= sent;
        return sent;
      }
    }
    return 0;
  }

  const std::vector<IndexList>& groups_;
  Vec supply_, room_;
  std::vector<std::vector<double>> flow_;
  std::vector<std::vector<User>> users_;
  std::vector<long> column_level_, feature_level_;
  std::vector<std::size_t> next_column_, next_feature_;
  double tiny_ = 0;
};

// Returns the cost of the violations at these intercepts, or the largest violation for hard margins. O(nk).
double slack_cost(const Problem& p, const Margins& margins, const Mat& f, const Vec& b) {
  const Vec slack = margins.rhs - margins.margins(f.rowwise() + b.transpose());
  double sum = 0, worst = 0;
  for (Index r = 0; r < slack.size(); ++r) {
    const double cost = p.cost[margins.rows[std::size_t(r)].sample];
    if (cost == 0 || slack[r] <= 0) continue;
    worst = std::max(worst, slack[r]);
    if (cost < kInf) sum += cost * slack[r];
  }
  return p.hard() ? worst : sum;
}

// Returns the set of optimal intercepts as upper bounds on b_l - b_k in entry (k, l), by complementarity with the
// multipliers. The set contains b in spite of rounding errors. O(nk).
Mat intercept_bounds(const Problem& p, const Margins& margins, const Mat& f, const Mat& dual, const Vec& b) {
  Mat bounds = Mat::Constant(b.size(), b.size(), kInf);
  const double tiny = 1e-9 * largest(dual);
  for (const MarginRow& row : margins.rows) {
    const double cost = p.cost[row.sample], a = dual(row.sample, row.minus);
    if (cost == 0) continue;
    const double rest = margins.rhs[0] - f(row.sample, row.plus) + f(row.sample, row.minus);
    const bool at_zero = a <= (cost < kInf ? 1e-9 * cost : tiny), at_cost = a >= (1 - 1e-9) * cost;
    if (!at_cost) bounds(row.plus, row.minus) = std::min(bounds(row.plus, row.minus), -rest);
    if (!at_zero) bounds(row.minus, row.plus) = std::min(bounds(row.minus, row.plus), rest);
  }
  for (Index k = 0; k < b.size(); ++k)
    for (Index l = 0; l < b.size(); ++l) bounds(k, l) = std::max(bounds(k, l), b[l] - b[k]);
  return bounds;
}

// Computes shortest paths: the bounds that all bounds on differences imply together. O(k^3).
void close_bounds(Mat& bounds) {
  for (Index via = 0; via < bounds.rows(); ++via)
    for (Index k = 0; k < bounds.rows(); ++k)
      for (Index l = 0; l < bounds.rows(); ++l)
        bounds(k, l) = std::min(bounds(k, l), bounds(k, via) + bounds(via, l));
}

}  // namespace

Vec best_intercepts(const Problem& p, const Mat& f, const Mat& dual, const Vec& b) {
  const Margins margins(p);
  Mat bounds = intercept_bounds(p, margins, f, dual, b);
  close_bounds(bounds);
  double most = 0;
  for (Index e = 0; e < bounds.size(); ++e)
    if (bounds(e) < kInf) most = std::max(most, std::abs(bounds(e)));
  bounds = bounds.cwiseMin(most);
  close_bounds(bounds);
  const Vec middle = (bounds.colwise().sum().transpose() - bounds.rowwise().sum()) / double(2 * b.size());
  const double before = slack_cost(p, margins, f, b), after = slack_cost(p, margins, f, middle);
  return after <= before * (1 + 1e-12) + 1e-13 * margins.rhs[0] ? middle : Vec(b.array() - b.mean());
}

bool proves_inseparable(const Problem& p, const Surrogate& s, const Solution& solution) {
  const FreeColumns free = free_basis(p, s);
  if (free.near()) return proves_inseparable(on_basis(p, free), s, solution);
  const Mat& dual = solution.dual;
  if (p.loss != Loss::weston_watkins) {
    for (Index k = 0; k < dual.cols(); ++k)
      if (proves_inseparable(one_output(p, k), s, Vec(dual.col(k)))) return true;
    return false;
  }
  // Violations of the conditions of a ray up to this value, relative to its size, count as rounding errors.
  constexpr double near = 1e-6;
  const double size = dual.norm();
  if (!(size > 0) || dual.minCoeff() < -near * size) return false;
  for (Index i = 0; i < dual.rows(); ++i)
    if (p.cost[i] == 0 && dual.row(i).maxCoeff() > 0) return false;
  const Margins margins(p);
  const Mat push = margins.signed_multipliers(margins.gather(dual));
  if (p.intercept && push.colwise().sum().cwiseAbs().maxCoeff() > near * dual.sum()) return false;
  const Mat g = transposed_times(*p.x, push);
  const Vec squares = p.x->squared_norms();
  for (Index j = 0; j < g.rows(); ++j)
    if (s.scale[j] > 0 && g.row(j).cwiseAbs().maxCoeff() > near * size * std::sqrt(squares[j])) return false;
  return true;
}

Certificate certify_separate(const Problem& p, const Surrogate& s, const Solution& out) {
  Certificate sum;
  sum.primal = sum.dual = sum.kkt = 0;
  for (Index k = 0; k < p.y.cols(); ++k) {
    const Certificate c = certify(one_output(p, k), s, one_output(out, k));
    sum.primal += c.primal;
    sum.dual += c.dual;
    sum.kkt = std::max(sum.kkt, c.kkt);
  }
  close(p, s, out, sum);
  for (Index k = 0; p.hard() && k < p.y.cols(); ++k)
    sum.gap =
        std::max(sum.gap, slacks(one_output(p, k), out.w.col(k), p.intercept ? out.b[k] : 0).maxCoeff());
  return sum;
}

Certificate certify_multiclass(const Problem& p, const Surrogate& s, const Solution& out) {
  const MarginTerms z(p, out);
  const bool kernel = p.quadratic == Quadratic::kernel;
  double linear = 0, square = kernel ? kernel_energy(p, out.w) : 0.0, t = 1;
  for (Index j = 0; j < out.w.rows(); ++j)
    for (Index k = 0; k < out.w.cols(); ++k) {
      linear += s.l1[j] * std::abs(out.w(j, k));
      if (s.scale[j] > 0 && s.scale[j] < kInf) square += 0.5 * std::pow(out.w(j, k) / s.scale[j], 2);
      const double g = std::abs(z.g(j, k));
      if (s.scale[j] == kInf && s.l1[j] > 0 && g > s.l1[j]) t = std::min(t, s.l1[j] / g);
    }
  Certificate c;
  c.primal = z.primal(p, linear, square);
  if (kernel)
    c.dual = z.margins.rhs.dot(z.a) - kernel_energy(p, z.margins.signed_multipliers(z.a)) -
             z.intercept_cost(out, 1);
  else
    c.dual = std::max(multiclass_dual(*p.x, z, s, out, c.primal, 1),
                      multiclass_dual(*p.x, z, s, out, c.primal, t));
  close(p, s, out, c);
  if (p.hard() && p.margin.size() == 0) c.gap = std::max(c.gap, z.lacks());
  c.kkt = std::max(z.row_violation(), kernel ? 0.0 : multiclass_column_violation(z, s, out.w));
  return c;
}

namespace {

// Returns the gradient at w of the kernel term and the ridges.
Vec quadratic_pull(const Problem& p, const Surrogate& s, const Vec& w) {
  Vec pull = p.quadratic == Quadratic::kernel ? kernel_times(*p.x, w) : Vec(Vec::Zero(w.size()));
  for (Index j = 0; j < w.size(); ++j)
    if (w[j] != 0) pull[j] += w[j] / s.scale[j] / s.scale[j];
  return pull;
}

// The term 1/2 w'Qw is no less than its tangent at any point.
struct Tangent {
  // The tangent at zero, with the opposite sign.
  double below = 0;
  // The residual of g.
  Vec rest;
};

// Returns the tangent at w. If the residual exceeds the single cost, the point moves as far as necessary towards the
// point that balances all of g that a ridge can balance. O(n^2).
Tangent tangent(const Problem& p, const Surrogate& s, const Vec& signed_multipliers, const Vec& g,
                const Vec& w) {
  const bool kernel = p.quadratic == Quadratic::kernel, ridge = s.has_ridge();
  const Vec pull = quadratic_pull(p, s, w);
  Tangent t{0.5 * w.dot(pull), g - pull};
  for (Index j = 0; j < w.size(); ++j)
    if (s.scale[j] == 0) t.rest[j] = 0;
  const Vec bent = kernel ? t.rest : Vec((s.scale.array() < kInf).select(t.rest, 0.0));
  const double most = bent.cwiseAbs().sum(), straight = t.rest.cwiseAbs().sum() - most;
  if (s.l1.size() != 1 || most + straight <= s.l1[0] || straight >= s.l1[0] || kernel == ridge) return t;
  Vec towards = Vec::Zero(w.size());
  for (Index j = 0; j < w.size(); ++j)
    if (kernel || bent[j] != 0) towards[j] = kernel ? -w[j] : bent[j] * s.scale[j] * s.scale[j];
  const IndexList points = p.x->points();
  for (Index i = 0; kernel && i < signed_multipliers.size(); ++i)
    towards[points.empty() ? i : points[std::size_t(i)]] += signed_multipliers[i];
  const double share = (s.l1[0] - straight) / most * (1 - 1e-15);
  t.below += (1 - share) * towards.dot(pull) + 0.5 * (1 - share) * (1 - share) * towards.dot(bent);
  t.rest -= (1 - share) * bent;
  return t;
}

}  // namespace

Vec uncovered(const std::vector<IndexList>& groups, const Vec& l1, const Vec& g) {
  return CostFlow(groups, l1, g.cwiseAbs()).left();
}

Certificate certify_groups(const Problem& p, const Surrogate& s, const Solution& out) {
  const MarginTerms z(p, out);
  const Vec w = out.w.col(0);
  Vec peak = Vec::Zero(s.l1.size()), g = z.g.col(0);
  if (s.linear.size()) g += s.linear;
  double linear = s.linear.size() ? -s.linear.dot(w) : 0.0;
  for (Index j = 0; j < w.size(); ++j) {
    if (s.scale[j] == 0) g[j] = 0;
    for (Index f : s.groups[std::size_t(j)]) peak[f] = std::max(peak[f], std::abs(w[j]));
  }
  linear += s.l1.dot(peak);
  const double energy = 0.5 * w.dot(quadratic_pull(p, s, w));
  const Tangent t = tangent(p, s, z.margins.signed_multipliers(z.a).col(0), g, w);
  g = t.rest;

  Certificate c;
  c.primal = z.primal(p, linear, energy);
  // The part of g that no feature covers is multiplied by the reach of its weight.
  const Vec left = uncovered(s.groups, s.l1, g);
  c.dual = z.margins.rhs.dot(z.a) - z.intercept_cost(out, 1) - t.below;
  c.kkt = z.row_violation();
  const double g_scale = std::max({largest(g), s.l1.maxCoeff(), kTiny});
  for (Index j = 0; j < w.size(); ++j) {
    double cost = 0;
    for (Index f : s.groups[std::size_t(j)]) cost = std::max(cost, s.l1[f]);
    const double found = w[j] != 0 ? std::abs(w[j]) : largest(w);
    if (left[j] > 0)
      c.dual -= left[j] * reach(column_of(*p.x, j), found, s.linear.size() ? 0.0 : cost, c.primal);
    c.kkt = std::max(c.kkt, left[j] / std::max(cost, 1e-6 * g_scale));
  }
  // If every cost is met, the weights are optimal exactly if g'w equals their cost.
  c.kkt = std::max(c.kkt, std::abs(s.l1.dot(peak) - g.dot(w)) / std::max(std::abs(c.primal), kTiny));
  close(p, s, out, c);
  if (p.hard() && p.margin.size() == 0) c.gap = std::max(c.gap, z.lacks());
  return c;
}

}  // namespace zeronorm
