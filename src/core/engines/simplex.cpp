// A piecewise-linear primal simplex with column generation for
//   min over w, b:  sum_j (up_j w_j^+ + down_j w_j^-) + sum_i c_i (m_i - y_i (x_i w + b))_+ .
// Pivots use only the working columns W (vertex.h); passes over all d columns add the columns that violate their
// cost.
#include <algorithm>
#include <cmath>

#include "data/design.h"
#include "engines/engine.h"
#include "engines/parts/hinge_start.h"
#include "engines/parts/pricing.h"
#include "engines/parts/vertex.h"
#include "grade/certificate.h"

namespace zeronorm {
namespace {

// Size of the perturbation of the right-hand sides, which breaks degenerate ties.
constexpr double kPerturbation = 1e-7;
// Cost added to every column to choose among optimal vertices, relative to the multipliers and the mean norm.
constexpr double kTieCost = 1e-7;

// Number of working columns that are kept for the next call.
constexpr Index kKeptColumns = 64;

// From this number of rows on, pivots are so expensive that the first vertex is guessed.
constexpr Index kManyRows = 1000;

class Simplex final : public BareEngine {
 public:
  Simplex() : BareEngine(kSimplexEngine) {}

  static std::string refusal(const Problem& problem, const Surrogate& s) {
    if (problem.y.cols() != 1 || problem.loss != Loss::hinge)
      return "The simplex solves two-class problems with the hinge loss.";
    if (problem.quadratic != Quadratic::none)
      return "The simplex solves linear programs, not kernel machines.";
    if (!s.groups.empty()) return "The simplex has no linking rows between columns.";
    if (s.has_ridge()) return "The simplex solves linear programs: no ridge.";
    const bool signs = s.linear.size() > 0 || (s.l1.size() > 0 && s.l1.minCoeff() < 0);
    for (Index j = 0; signs && j < s.scale.size(); ++j)
      if (s.scale[j] > 0 && (s.cost_up(j) < 0 || s.cost_down(j) < 0))
        return "The linear term exceeds the l1 cost: the problem has no minimum.";
    return "";
  }

  void setup(const Problem& problem) override {
    problem_ = &problem;
    n_ = problem.x->rows();
    d_ = problem.x->cols();
    y_ = problem.y.col(0);
    margin_ = problem.margins();
    // Margins of any sign are relaxed: if they were tightened, the two opposite rows of a tube of width zero would
    // conflict.
    perturbation_ = problem.margin.size() ? -kPerturbation : kPerturbation;
    pricing_.setup(problem.x);
    norms_ = pricing_.norms();
    has_empty_ = (norms_.array() == 0).any();
    g_ = Vec::Zero(d_);
    up_ = Vec::Zero(d_);
    skewed_ = false;
    cost_ = Vec();
    slack_cost_ = 0;
    restart();
  }

  Solution solve(const Surrogate& surrogate, const Limits& limits) override {
    limits_ = &limits;
    const long before = vertex_.pivots();
    tied_ = false;
    set_costs(surrogate);
    forget_removed();
    Solution solution;
    solution.engine = name();
    solution.status = problem_->hard() ? solve_hard(surrogate) : solve_soft(surrogate);
    solution.iterations = vertex_.pivots() - before;
    if (solution.status == Status::infeasible) return farkas(std::move(solution));
    read_point(solution);
    keep_promising(kKeptColumns);
    return solution;
  }

 private:
  // Returns the number of columns that one pricing pass adds; it grows with the cost of a pass over all columns.
  Index batch() const { return !problem_->x->in_memory() ? 256 : d_ < 4000 ? 32 : 64; }
  bool is_intercept(Index j) const { return j == d_; }
  double norm(Index j) const { return is_intercept(j) ? std::sqrt(static_cast<double>(n_)) : norms_[j]; }
  const Vec& down() const { return skewed_ ? down_ : up_; }
  bool usable(Index j) const { return up_[j] < kInf; }

  // Sets the costs, which are infinite for removed and empty columns. A positive tie adds the rule for ties: the
  // smallest |w|_1.
  void set_costs(const Surrogate& s, double tie = 0) {
    std::copy_n(s.l1.data(), d_, up_.data());
    skewed_ = s.linear.size() > 0;
    if (skewed_) {
      down_ = s.l1 + s.linear;
      up_ -= s.linear;
    }
    if (tie > 0) {
      up_.array() += tie;
      if (skewed_) down_.array() += tie;
    }
    if (has_empty_ || (d_ > 0 && s.scale.minCoeff() == 0))
      for (Index j = 0; j < d_; ++j)
        if (s.scale[j] == 0 || norms_[j] == 0) remove(j);
    for (Index k = 0; k < vertex_.size(); ++k) price(k);
  }

  void remove(Index j) {
    up_[j] = kInf;
    if (skewed_) down_[j] = kInf;
  }

  // Working columns have unit norm, so their costs are divided by the norm.
  double cost_up(Index j) const { return is_intercept(j) ? 0.0 : up_[j] / norms_[j]; }
  double cost_down(Index j) const { return is_intercept(j) ? 0.0 : down()[j] / norms_[j]; }
  void price(Index k) { vertex_.set_cost(k, cost_up(vertex_.member(k)), cost_down(vertex_.member(k))); }

  void add(Index j, const Eigen::Ref<const Vec>& x) {
    column_ = x.cwiseProduct(y_) / norm(j);
    at_[j] = vertex_.size();
    vertex_.add_column(j, column_);
    price(at_[j]);
  }

  void restart() {
    vertex_.setup(margin_);
    at_.assign(d_ + 1, -1);
    if (problem_->intercept) add(d_, Vec::Ones(n_));
    if (cost_.size() == n_) vertex_.set_row_costs(cost_);
  }

  // Drops removed columns from W. If one of them is basic, the vertex is lost and the simplex starts again.
  void forget_removed() {
    std::vector<char> keep(vertex_.size(), 1);
    bool any = false;
    for (Index k = 0; k < vertex_.size(); ++k) {
      const Index j = vertex_.member(k);
      if (is_intercept(j) || usable(j)) continue;
      if (vertex_.is_basic(k)) return restart();
      keep[k] = 0;
      any = true;
    }
    if (any) prune(keep);
  }

  void prune(const std::vector<char>& keep) {
    for (Index k = 0; k < vertex_.size(); ++k)
      if (!keep[k]) at_[vertex_.member(k)] = -1;
    vertex_.prune(keep);
    for (Index k = 0; k < vertex_.size(); ++k) at_[vertex_.member(k)] = k;
  }

  // Adds the columns with the largest violation per unit norm and returns true if no column violates its cost. Also
  // notes whether a column outside W has a price equal to its cost. O(nd) at most.
  bool price_all(const Vec& a) {
    const Vec v = a.cwiseProduct(y_);
    collect_violators(pricing_.promising(v, up_, down(), 1.0 - kDualTol, g_), at_, a.norm());
    if (violators_.empty())
      collect_violators(pricing_.update(v, up_, down(), 1.0 - kDualTol, g_), at_, a.norm());
    return !add_violators();
  }

  // Collects the candidates that have no place yet and violate their cost.
  void collect_violators(const IndexList& candidates, const std::vector<Index>& place, double force) {
    const double rounding = 1e-12 * force;
    violators_.clear();
    tied_outside_ = false;
    for (Index j : candidates) {
      if (place[j] >= 0) continue;
      const double excess = g_[j] > 0 ? g_[j] - up_[j] : -g_[j] - down()[j];
      if (excess > kDualTol * std::min(up_[j], down()[j]) + rounding * norms_[j])
        violators_.push_back({excess / norms_[j], j});
      else
        tied_outside_ = true;
    }
  }

  bool add_violators() {
    const IndexList columns = worst(violators_, batch());
    if (!problem_->x->in_memory()) keep_promising(vertex_.basis_size() + 2 * batch());
    entering_.resize(n_, columns.size());
    pricing_.columns(columns, entering_.data());
    for (std::size_t q = 0; q < columns.size(); ++q) add(columns[q], entering_.col(q));
    return !columns.empty();
  }

  // Guesses the vertex next to the minimum of a rounded hinge, which is computed on working columns of its own.
  // Pivots continue from any vertex, so the guess need not be good.
  void guess_vertex() {
    std::vector<std::pair<double, Index>> order;
    IndexList columns;
    const IndexList rows = guess(order);
    std::sort(order.begin(), order.end());
    vertex_.reserve(static_cast<Index>(order.size()) + 2 * batch());
    Vec x(n_);
    for (const auto& item : order) {
      const Index j = item.second;
      if (at_[j] < 0) read_column(j, x), add(j, x);
      columns.push_back(at_[j]);
    }
    if (!vertex_.start_at(columns, rows)) restart();
  }

  // Returns the rows between their bounds, and in order the columns with nonzero coefficients and minus their size.
  // Both are empty if the guess fails.
  IndexList guess(std::vector<std::pair<double, Index>>& order) {
    HingeStart smooth(margin_, cost_);
    IndexList members;
    std::vector<Index> place(d_ + 1, -1);
    Vec x(n_);
    const auto join = [&](Index j) {
      place[j] = smooth.size();
      members.push_back(j);
      read_column(j, x);
      smooth.add_column(x.cwiseProduct(y_) / norm(j), cost_up(j), cost_down(j));
    };
    if (problem_->intercept) join(d_);
    const auto violators = [&](const Vec& a) -> Violators& {
      collect_violators(pricing_.update(a.cwiseProduct(y_), up_, down(), 1.0 - kDualTol, g_), place,
                        a.norm());
      return violators_;
    };
    if (!approach(smooth, balanced(), {violators, join, batch(), d_ + 1}, *limits_)) return {};
    for (Index k = 0; k < smooth.size(); ++k)
      if (smooth.coefficient(k) != 0) order.push_back({-std::abs(smooth.coefficient(k)), members[k]});
    return smooth.band();
  }

  void read_column(Index j, Vec& x) const {
    if (is_intercept(j))
      x.setOnes();
    else
      pricing_.column(j, x.data());
  }

  // Returns multipliers with equal sums over both classes on the rows where w = 0 violates the margin. They price the
  // first columns.
  Vec balanced() const {
    Vec a = (margin_.array() > 0).select(cost_, 0.0);
    double plus = 0, minus = 0;
    for (Index i = 0; i < n_; ++i) (y_[i] > 0 ? plus : minus) += a[i];
    if (problem_->intercept && plus > 0 && minus > 0)
      for (Index i = 0; i < n_; ++i) a[i] *= std::min(plus, minus) / (y_[i] > 0 ? plus : minus);
    return a;
  }

  // Alternates pivots in W with passes over all columns until no column violates its cost. The right-hand sides are
  // perturbed until then; afterwards the optimum is proven for the true ones.
  Status generate(double eps, long budget) {
    if (vertex_.size() <= 1 && n_ >= kManyRows && problem_->x->in_memory() && !problem_->hard())
      guess_vertex();
    if (vertex_.size() <= 1) price_all(balanced());
    if (!move_point(eps)) return Status::numerical;
    bool perturbed = eps != 0;
    for (;;) {
      const Step step = vertex_.optimise(*limits_, budget);
      if (step == Step::interrupted || limits_->stop_now()) return Status::interrupted;
      if (step == Step::limit) return Status::limit;
      if (step != Step::optimal) return Status::numerical;
      // With the true right-hand sides a residual may change its sign without a pivot, so the multipliers decide.
      if (restored_ && (vertex_.duals() - priced_).norm() <= 1e-12 * priced_.norm()) return Status::optimal;
      restored_ = false;
      priced_ = vertex_.duals();
      if (!price_all(priced_)) continue;
      if (!perturbed) return Status::optimal;
      if (!move_point(0)) return Status::numerical;
      perturbed = false;
      // All columns have been priced, so equal multipliers now mean that the vertex is optimal.
      restored_ = true;
    }
  }

  bool move_point(double eps) {
    restored_ = false;
    return vertex_.set_perturbation(eps) || (vertex_.refresh() && vertex_.set_perturbation(eps));
  }

  static bool unsettled(Status status) { return status == Status::numerical || status == Status::limit; }

  // Solves from the present vertex: few pivots lead on from the optimum for other costs, and a perturbation would
  // cost more than it saves. If this fails, solves with perturbations.
  Status optimum() {
    const long budget = 50 * (n_ + 100) + 20000;
    Status status = Status::limit;
    if (vertex_.basis_size() > 1) status = generate(0, 4 * vertex_.basis_size() + 50);
    if (unsettled(status)) status = generate(perturbation_, budget);
    if (unsettled(status)) {
      restart();
      status = generate(100 * perturbation_, budget);
    }
    return status;
  }

  // Solves the problem. Only if another optimal vertex may exist, it then moves along the optimal face to the vertex
  // that the rule for ties selects, and proves it for the true costs. A problem whose costs are all zero is only
  // solved with the rule for ties, because its vertex would be arbitrary.
  Status with_ties(const Surrogate& s) {
    const bool bare = !any_cost();
    if (!bare) {
      const Status status = optimum();
      if (status != Status::optimal || !(tied_outside_ || vertex_.tied())) return status;
    }
    tied_ = true;
    const double unit = bare ? cost_.norm() : std::max(vertex_.duals().norm(), 1e-3 * cost_.norm());
    set_costs(s, kTieCost * unit / std::max(norms_.sum() / std::max<Index>(d_, 1), 1e-300));
    const Status status = optimum();
    set_costs(s);
    return status == Status::interrupted ? status : optimum();
  }

  bool any_cost() const {
    for (Index j = 0; j < d_; ++j)
      if (usable(j) && (up_[j] > 0 || down()[j] > 0)) return true;
    return false;
  }

  void set_slack_costs(const Vec& cost) {
    cost_ = cost;
    vertex_.set_row_costs(cost_);
  }

  Status solve_soft(const Surrogate& s) {
    if (cost_.size() == 0) set_slack_costs(problem_->cost);
    return with_ties(s);
  }

  // Raises a finite cost of violations until none is left; from then on the solution is that of the hard margin.
  Status solve_hard(const Surrogate& s) {
    if (slack_cost_ == 0) slack_cost_ = first_slack_cost();
    bool proven = false;
    for (int raised = 0; slack_cost_ < 1e18; ++raised, slack_cost_ *= 100) {
      if (raised == 3 && !proven) {
        const Status least = least_slack(s);
        if (least != Status::optimal) return least;
        proven = true;
      }
      set_slack_costs(Vec::Constant(n_, slack_cost_));
      const Status status = with_ties(s);
      if (status != Status::optimal || vertex_.residuals().maxCoeff() <= 1e-9) return status;
    }
    return Status::numerical;
  }

  // Derives the first cost of violations from the cheaper half of the columns, because expensive columns would make
  // it, and so the first multipliers, too large.
  double first_slack_cost() const {
    std::vector<double> costs;
    for (Index j = 0; j < d_; ++j)
      if (usable(j)) costs.push_back(std::max(up_[j], down()[j]) / norms_[j]);
    if (costs.empty()) return 1.0;
    std::nth_element(costs.begin(), costs.begin() + costs.size() / 2, costs.end());
    return std::max(10.0 * std::sqrt(static_cast<double>(n_)) * costs[costs.size() / 2], 1e-6);
  }

  // Returns optimal if the classes can be separated. If it returns infeasible, the multipliers of the least sum of
  // violations are a Farkas ray of the hard margin.
  Status least_slack(const Surrogate& s) {
    Surrogate nothing;
    nothing.l1 = Vec::Zero(d_);
    nothing.scale = s.scale;
    set_costs(nothing);
    set_slack_costs(Vec::Ones(n_));
    Status status = optimum();
    if (status == Status::optimal && vertex_.residuals().cwiseMax(0.0).sum() > 1e-9 * n_) {
      ray_ = vertex_.duals().cwiseMax(0.0);
      status = Status::infeasible;
    }
    set_costs(s);
    return status;
  }

  Solution farkas(Solution solution) {
    solution.w = Mat::Zero(d_, 1);
    solution.b = Vec::Zero(1);
    solution.dual = ray_;
    solution.note = "The multipliers prove that no weights meet all margins.";
    slack_cost_ = 0;
    return solution;
  }

  void read_point(Solution& solution) {
    solution.w.resize(d_, 1);
    std::fill_n(solution.w.data(), d_, 0.0);
    solution.b = Vec::Zero(1);
    for (Index k = 0; k < vertex_.size(); ++k) {
      const Index j = vertex_.member(k);
      const double value = vertex_.coefficient(k) / norm(j);
      if (is_intercept(j))
        solution.b[0] = value;
      else
        solution.w(j, 0) = value;
    }
    if (tied_) prefer_lowest(solution.w);
    solution.dual = vertex_.duals().cwiseMax(0.0).cwiseMin(cost_);
    if (problem_->intercept && solution.status == Status::optimal && !vertex_.pinned()) {
      const Vec f = y_.array() * (margin_ - vertex_.residuals()).array() - solution.b[0];
      solution.b[0] = best_intercept(f, y_, problem_->cost, Loss::hinge, problem_->margin);
    }
  }

  // Gives the weight of identical columns with equal costs to the lowest of them, because no harmless cost for ties
  // is large enough to distinguish neighbours among 100,000 columns. Identical columns have equal prices. O(d) per
  // nonzero weight.
  void prefer_lowest(Mat& w) const {
    const double rounding = 1e-10 * priced_.norm();
    Vec mine(n_), other(n_);
    for (Index k = 0; k < vertex_.size(); ++k) {
      const Index j = vertex_.member(k);
      if (is_intercept(j) || w(j, 0) == 0) continue;
      pricing_.column(j, mine.data());
      for (Index l = 0; l < j; ++l) {
        if (std::abs(norms_[l] - norms_[j]) > 1e-12 * norms_[j] || up_[l] != up_[j] || down()[l] != down()[j])
          continue;
        if (std::abs(g_[l] - g_[j]) > rounding * norms_[j]) continue;
        pricing_.column(l, other.data());
        if (mine != other) continue;
        std::swap(w(l, 0), w(j, 0));
        break;
      }
    }
  }

  // Keeps basic columns and those nearest to entering, once there are 1.5 times as many columns as wanted.
  void keep_promising(Index wanted) {
    if (2 * vertex_.size() <= 3 * wanted) return;
    std::vector<std::pair<double, Index>> order;
    std::vector<char> keep(vertex_.size(), 0);
    Index kept = 0;
    for (Index k = 0; k < vertex_.size(); ++k) {
      const Index j = vertex_.member(k);
      if (is_intercept(j) || vertex_.is_basic(k)) {
        keep[k] = 1;
        ++kept;
      } else {
        order.push_back({-std::abs(g_[j]) / std::max(std::min(up_[j], down()[j]), 1e-300), k});
      }
    }
    std::sort(order.begin(), order.end());
    for (const auto& item : order) {
      if (kept >= wanted) break;
      keep[item.second] = 1;
      ++kept;
    }
    prune(keep);
  }

  const Problem* problem_ = nullptr;
  const Limits* limits_ = nullptr;
  Index n_ = 0, d_ = 0;
  Vec y_, margin_, cost_, norms_, up_, down_, g_, ray_, column_, priced_;
  Mat entering_;
  Pricing pricing_;
  Vertex vertex_;
  // The place of each column in W, or -1; index d_ is the intercept.
  std::vector<Index> at_;
  Violators violators_;
  double slack_cost_ = 0, perturbation_ = kPerturbation;
  // Whether down_ holds separate costs; otherwise the costs of negative weights are those in up_.
  bool skewed_ = false;
  // Whether other optimal vertices may exist.
  bool tied_ = false;
  // Whether there are columns of norm zero.
  bool has_empty_ = false;
  // Whether a column outside W had a price equal to its cost in the last pass.
  bool tied_outside_ = false;
  // Whether the true right-hand sides are restored and no column violated its cost before that.
  bool restored_ = false;
};

}  // namespace

std::unique_ptr<Engine> make_simplex() { return std::make_unique<Simplex>(); }

const EngineKind kSimplexEngine{"simplex", Simplex::refusal,
                                [](const HighsSettings&) { return make_simplex(); }, true};

}  // namespace zeronorm
