#include "engines/highs.h"

#include <algorithm>
#include <cmath>

#include "engines/engine.h"
#include "engines/parts/highs_groups.h"
#include "grade/certificate.h"
#include "problem/loss.h"
#include "problem/margins.h"

namespace zeronorm {
namespace {

// Largest number of columns that one pricing pass adds.
constexpr Index kBatch = 32;
// Factors by which units of columns may deviate from 1 / norm to make costs equal; tried in this order.
constexpr double kUnitRanges[] = {1e7, 1e3, 1};
// A Farkas ray with multipliers of at most one proves inseparability if its weighted margin is above this value.
constexpr double kMinRayMargin = 1e-6;

// The positive or negative part of one weight, in units that make its cost about one.
struct Atom {
  Index column, output;
  double sign, unit;  // The weight is w += sign * unit * u.
};

double geometric_mean(const Vec& v) {
  double sum = 0;
  Index count = 0;
  for (Index i = 0; i < v.size(); ++i)
    if (v[i] > 0 && v[i] < kInf) sum += std::log(v[i]), ++count;
  return count ? std::exp(sum / double(count)) : 1.0;
}

class HighsEngine final : public BareEngine {
 public:
  explicit HighsEngine(const HighsSettings& settings) : BareEngine(kHighsEngine), settings_(settings) {}

  static std::string refusal(const Problem& p, const Surrogate& s) {
    if (is_smooth(p.loss)) return "HiGHS solves linear programs: a smooth loss is not one";
    if (p.quadratic != Quadratic::none || s.has_ridge())
      return "HiGHS solves linear programs: a ridge or kernel term is not one";
    const Index infinite = (p.cost.array() == kInf).count();
    if (infinite > 0 && infinite < p.cost.size())
      return "HiGHS takes finite costs or hard margins, not a mixture";
    if (p.loss == Loss::weston_watkins && !s.groups.empty())
      return "HiGHS has no linking rows for several outputs";
    if (!s.groups.empty() && s.linear.size())
      return "HiGHS takes no linear term beside costs that columns share";
    if (p.loss == Loss::weston_watkins && s.linear.size())
      return "HiGHS takes no linear term for several outputs";
    return "";
  }

  void setup(const Problem& problem) override {
    problem_ = &problem;
    margins_ = Margins(problem);
    row_costs_ = margins_.costs(problem);
    norms_ = problem.x->squared_norms().cwiseSqrt();
    atoms_.clear();
    present_.assign(std::size_t(2 * problem.x->cols() * margins_.outputs), 0);
    model_.reset();
    grouped_.reset();
  }

  Solution solve(const Surrogate& s, const Limits& limits) override {
    Solution out;
    out.engine = name();
    out.note = refusal(*problem_, s);
    if (!out.note.empty()) {
      out.status = Status::refused;
      return out;
    }
    return s.groups.empty() ? solve_scaled(s, limits, out) : solve_grouped(s, limits, out);
  }

 private:
  Index columns() const { return problem_->x->cols(); }
  char& present(const Atom& a) {
    return present_[std::size_t(2 * (a.output * columns() + a.column) + (a.sign > 0))];
  }
  static double cost(const Surrogate& s, const Atom& a) {
    return a.sign > 0 ? s.cost_up(a.column) : s.cost_down(a.column);
  }
  HighsInt leading() const {
    return HighsInt((problem_->intercept ? margins_.outputs : 0) + (problem_->hard() ? 0 : margins_.size()));
  }

  // --- separable costs by column generation; the full LP starts with all columns ---

  Solution solve_scaled(const Surrogate& s, const Limits& limits, const Solution& blank) {
    return try_spans(s, limits, blank, [&](double span, Solution& next) {
      if (span != span_) model_.reset();
      span_ = span;
      solve_separable(s, limits, next);
    });
  }

  // Units that make all costs equal give the most accurate solution, but large matrix entries may mislead HiGHS. If
  // the certificate does not hold, the next smaller range of units is tried.
  template <class Attempt>
  Solution try_spans(const Surrogate& s, const Limits& limits, const Solution& blank, Attempt attempt) {
    Solution best;
    for (double span : kUnitRanges) {
      Solution next = blank;
      attempt(span, next);
      next.iterations += best.iterations;
      if (next.status == Status::optimal) next.certificate = certify(*problem_, s, next);
      const bool better = next.status == Status::optimal && !(next.certificate.gap > best.certificate.gap);
      if (better || best.status != Status::optimal)
        best = std::move(next);
      else
        best.iterations = next.iterations;
      if (best.status == Status::optimal ? best.certificate.holds(std::max(limits.tol, kProof))
                                         : !doubtful(best.status, s))
        return best;
    }
    if (best.status != Status::optimal) {
      best.status = Status::numerical;
      best.note = "HiGHS found no solution in any scaling of the columns.";
    }
    return best;
  }

  // Returns whether a status is implausible: a programme whose costs are all nonnegative cannot be unbounded.
  static bool doubtful(Status status, const Surrogate& s) {
    const double most = s.linear.size() ? (s.linear.cwiseAbs() - s.l1).maxCoeff() : 0.0;
    return status == Status::numerical || (status == Status::unbounded && most <= 0);
  }

  Solution solve_separable(const Surrogate& s, const Limits& limits, Solution& out) {
    if (!model_)
      start(s);
    else
      reprice(s);
    for (;;) {
      Vec a;
      out.status = run(s, limits, a, out.iterations);
      const bool ray = out.status == Status::infeasible;
      if (out.status != Status::optimal && !ray) return out;
      if (add(violators(a, s, ray), s)) continue;
      if (ray)
        out.dual = margins_.scatter(a);
      else
        read(vertex_.x, a, out);
      return out;
    }
  }

  // Solves the programme and returns in a the multipliers, or a Farkas ray if it is infeasible.
  Status run(const Surrogate& s, const Limits& limits, Vec& a, long& iterations) {
    Status status = model_->run(limits);
    iterations += model_->iterations();
    if (status == Status::optimal) {
      vertex_ = model_->vertex();
      a = vertex_.duals.head(margins_.size()).cwiseMax(0.0) / objective_unit_;
    }
    if (!problem_->hard() || (status != Status::infeasible && status != Status::numerical)) return status;
    return least_slack(s, limits, a);
  }

  // Returns whether the columns separate the classes, by the least sum of margin violations: if it is positive, its
  // multipliers are a Farkas ray. HiGHS does not always return rays of its own.
  Status least_slack(const Surrogate& s, const Limits& limits, Vec& a) const {
    Columns c = intercept_columns();
    for (Index r = 0; r < margins_.size(); ++r) {
      c.begin(1, 0, kInf);
      c.entry(r, 1);
    }
    for (Atom atom : atoms_) {
      if (s.scale[atom.column] == 0) continue;
      atom.unit = 1 / std::max(norms_[atom.column], 1e-300);
      append(c, atom, 0.0, kInf);
    }
    HighsModel model;
    model.pass(c, margin_rows());
    const Status status = model.run(limits);
    if (status != Status::optimal) return status;
    a = model.vertex().duals.cwiseMax(0.0);
    return margins_.rhs.dot(a) > kMinRayMargin ? Status::infeasible : Status::numerical;
  }

  // Loads the first columns: all, or those that correlate best with the classes. O(ndk).
  void start(const Surrogate& s) {
    atoms_.clear();
    std::fill(present_.begin(), present_.end(), 0);
    set_objective_unit(s);
    std::vector<std::pair<double, Atom>> ranked;
    const Mat g = transposed_times(*problem_->x, margins_.signed_multipliers(margins_.balanced()));
    for (Index k = 0; k < margins_.outputs; ++k)
      for (Index j = 0; j < columns(); ++j) {
        if (s.scale[j] == 0) continue;
        for (double sign : {1.0, -1.0}) {
          const Atom atom{j, k, sign, 1.0};
          const double c = cost(s, atom);
          const bool free = s.l1[j] == 0;
          if (settings_.column_generation && !free && sign * g(j, k) <= 0) continue;
          ranked.push_back({free ? kInf : sign * g(j, k) / std::max(c, 1e-300), atom});
        }
      }
    const auto all = Index(ranked.size());
    const Index free = std::count_if(ranked.begin(), ranked.end(), [](auto& r) { return r.first == kInf; });
    const Index keep = settings_.column_generation ? std::min(all, free + kBatch) : all;
    std::stable_sort(ranked.begin(), ranked.end(), [](auto& p, auto& q) { return p.first > q.first; });
    for (Index r = 0; r < keep; ++r) remember(ranked[std::size_t(r)].second);
    load(s, {});
  }

  // Scales the objective so that the largest cost of a violation, or the typical cost of a column, is one, because
  // tolerances of HiGHS are absolute.
  void set_objective_unit(const Surrogate& s) {
    objective_unit_ = 1 / (problem_->hard() ? geometric_mean(s.l1) : std::max(row_costs_.maxCoeff(), 1e-300));
  }

  void remember(const Atom& atom) {
    atoms_.push_back(atom);
    present(atom) = 1;
  }

  // Returns the unit that makes the cost one, within the range that the norm of the column allows.
  double best_unit(const Surrogate& s, const Atom& a) const {
    const double norm = std::max(norms_[a.column], 1e-300), c = std::abs(cost(s, a)) * objective_unit_;
    if (c == 0) return 1 / norm;
    return std::min(std::max(1 / c, 1 / (span_ * norm)), span_ / norm);
  }

  void append(Columns& to, const Atom& a, const Surrogate& s) const {
    append(to, a, cost(s, a) * objective_unit_ * a.unit, s.scale[a.column] == 0 ? 0.0 : kInf);
  }
  void append(Columns& to, const Atom& a, double cost, double upper) const {
    to.begin(cost, 0.0, upper);
    Vec x(margins_.samples);
    problem_->x->column(a.column, x.data());
    for (Index r = 0; r < margins_.size(); ++r) {
      const MarginRow& row = margins_.rows[std::size_t(r)];
      const double sign = row.sign(a.output);
      if (sign != 0) to.entry(r, a.sign * a.unit * sign * x[row.sample]);
    }
  }

  Columns intercept_columns() const {
    Columns c;
    for (Index k = 0; problem_->intercept && k < margins_.outputs; ++k) {
      c.begin(0, -kInf, kInf);
      for (Index r = 0; r < margins_.size(); ++r) c.entry(r, margins_.rows[std::size_t(r)].sign(k));
    }
    return c;
  }

  // Returns the intercepts and the variables of margin violations, with which every programme begins.
  Columns leading_columns() const {
    Columns c = intercept_columns();
    for (Index r = 0; !problem_->hard() && r < margins_.size(); ++r) {
      c.begin(row_costs_[r] * objective_unit_, 0, kInf);
      c.entry(r, 1);
    }
    return c;
  }

  // Loads all atoms in new units and keeps the basis.
  void load(const Surrogate& s, const HighsModel::Basis& basis) {
    Columns c = leading_columns();
    for (Atom& atom : atoms_) {
      atom.unit = best_unit(s, atom);
      append(c, atom, s);
    }
    fresh_model();
    model_->pass(c, margin_rows());
    model_->start_from(basis);
  }

  // Changes the costs of the columns, and their units only if costs changed by more than a factor of 10,000.
  void reprice(const Surrogate& s) {
    std::vector<double> costs, lower(atoms_.size(), 0.0), upper;
    bool stale = false;
    for (const Atom& atom : atoms_) {
      costs.push_back(cost(s, atom) * objective_unit_ * atom.unit);
      upper.push_back(s.scale[atom.column] == 0 ? 0.0 : kInf);
      const double now = best_unit(s, atom) / atom.unit;
      stale = stale || now > 1e4 || now < 1e-4;
    }
    if (stale)
      load(s, model_->basis());
    else
      model_->change(leading(), costs, lower, upper);
  }

  // Returns at most kBatch absent columns whose cost the multipliers a violate most. O(ndk).
  std::vector<Atom> violators(const Vec& a, const Surrogate& s, bool ray) {
    std::vector<std::pair<double, Atom>> found;
    const Mat m = margins_.signed_multipliers(a);
    for (Index k = 0; k < margins_.outputs; ++k) {
      const Vec g = problem_->x->transposed_times(m.col(k));
      const double noise = (ray ? 1e-9 : 1e-13) * m.col(k).norm();
      for (Index j = 0; j < columns(); ++j) {
        if (s.scale[j] == 0 || norms_[j] == 0) continue;
        Atom atom{j, k, g[j] > 0 ? 1.0 : -1.0, 1.0};
        for (int side = 0; side < 2; ++side, atom.sign = -atom.sign) {
          const double c = ray ? 0.0 : cost(s, atom);
          const double excess = atom.sign * g[j] - c;
          if (excess > 1e-9 * std::abs(c) + noise * norms_[j] && !present(atom))
            found.push_back({excess / norms_[j], atom});
        }
      }
    }
    std::stable_sort(found.begin(), found.end(), [](auto& p, auto& q) { return p.first > q.first; });
    std::vector<Atom> worst;
    for (const auto& f : found)
      if (Index(worst.size()) < kBatch) worst.push_back(f.second);
    return worst;
  }

  bool add(const std::vector<Atom>& atoms, const Surrogate& s) {
    Columns c;
    for (Atom atom : atoms) {
      atom.unit = best_unit(s, atom);
      append(c, atom, s);
      remember(atom);
    }
    return !atoms.empty() && model_->add(c);
  }

  void read(const Vec& x, const Vec& a, Solution& out) const {
    out.w = Mat::Zero(columns(), margins_.outputs);
    for (std::size_t t = 0; t < atoms_.size(); ++t) {
      const double u = x[leading() + Index(t)];
      if (u > 0) out.w(atoms_[t].column, atoms_[t].output) += atoms_[t].sign * atoms_[t].unit * u;
    }
    out.dual = margins_.scatter(a.cwiseMin(row_costs_));
    out.b = Vec::Zero(margins_.outputs);
    if (!problem_->intercept) return;
    if (margins_.outputs > 1)
      out.b = best_intercepts(*problem_, decision_values(*problem_->x, out.w, Vec()), out.dual,
                              x.head(margins_.outputs));
    else
      out.b[0] = best_b(out.w.col(0), x[0]);
  }

  // Returns the midpoint of the optimal intercepts; for hard margins with one class only, b itself.
  double best_b(const Vec& w, double b) const {
    const Vec f = problem_->x->times(w);
    const double middle =
        best_intercept(f, problem_->y.col(0), problem_->cost, problem_->loss, problem_->margin);
    return std::isfinite(middle) ? middle : b;
  }

  // --- costs that several columns share ---

  Solution solve_grouped(const Surrogate& s, const Limits& limits, const Solution& blank) {
    if (!grouped_ || !grouped_->fits(s)) grouped_ = std::make_unique<GroupProgram>(*problem_, s);
    return try_spans(s, limits, blank, [&](double span, Solution& next) {
      grouped_->solve(s, limits, span, next);
      if (next.status == Status::optimal && problem_->intercept) next.b[0] = best_b(next.w.col(0), next.b[0]);
    });
  }

  std::vector<double> margin_rows() const {
    return {margins_.rhs.data(), margins_.rhs.data() + margins_.size()};
  }

  void fresh_model() {
    model_ = std::make_unique<HighsModel>();
    model_->option("presolve", settings_.presolve.c_str());
    model_->option("simplex_strategy", HighsInt(settings_.simplex_strategy));
  }

  HighsSettings settings_;
  const Problem* problem_ = nullptr;
  Margins margins_;
  Vec row_costs_, norms_;
  double objective_unit_ = 1, span_ = kUnitRanges[0];
  std::vector<Atom> atoms_;
  std::vector<char> present_;
  std::unique_ptr<HighsModel> model_;
  std::unique_ptr<GroupProgram> grouped_;
  // The vertex at which model_ last ended.
  HighsModel::Vertex vertex_;
};

// --- mixed-integer bound ---

// Columns: b (optional), w, z. Rows: margins, then box z_j - w_j >= 0 and box z_j + w_j >= 0.
bool pass_support_mip(HighsModel& model, const Problem& p, double box) {
  const Margins margins(p);
  const Index n = margins.size(), d = p.x->cols();
  Columns c;
  if (p.intercept) {
    c.begin(0, -kInf, kInf);
    for (Index r = 0; r < n; ++r) c.entry(r, margins.rows[std::size_t(r)].sign(0));
  }
  Vec x(n);
  for (Index j = 0; j < d; ++j) {
    c.begin(0, -box, box);
    p.x->column(j, x.data());
    for (Index r = 0; r < n; ++r) c.entry(r, margins.rows[std::size_t(r)].sign(0) * x[r]);
    c.entry(n + 2 * j, -1), c.entry(n + 2 * j + 1, 1);
  }
  for (Index j = 0; j < d; ++j) {
    c.begin(1, 0, 1);
    c.entry(n + 2 * j, box), c.entry(n + 2 * j + 1, box);
  }
  std::vector<double> rows(std::size_t(n + 2 * d), 0.0);
  std::copy_n(margins.rhs.data(), n, rows.begin());
  std::vector<HighsInt> integer(std::size_t(c.size()), kHighsVarTypeContinuous);
  std::fill(integer.end() - d, integer.end(), kHighsVarTypeInteger);
  return model.pass(c, rows, integer);
}

// Returns whether the support separates within the box, by one small LP that fills w and b. The point of the MIP
// proves nothing, because indicators that are only nearly zero admit small weights.
bool separates(const Problem& p, double box, const Limits& limits, MipResult& result) {
  HighsModel model;
  const Margins margins(p);
  Columns c;
  if (p.intercept) {
    c.begin(0, -kInf, kInf);
    for (Index r = 0; r < margins.size(); ++r) c.entry(r, margins.rows[std::size_t(r)].sign(0));
  }
  Vec x(margins.size());
  for (Index j : result.support) {
    c.begin(0, -box, box);
    p.x->column(j, x.data());
    for (Index r = 0; r < margins.size(); ++r) c.entry(r, margins.rows[std::size_t(r)].sign(0) * x[r]);
  }
  if (c.size() == 0) return false;
  if (!model.pass(c, {margins.rhs.data(), margins.rhs.data() + margins.size()}) ||
      model.run(limits) != Status::optimal)
    return false;
  const Vec found = model.primal();
  const Index shift = p.intercept ? 1 : 0;
  result.w = Vec::Zero(p.x->cols());
  for (std::size_t k = 0; k < result.support.size(); ++k)
    result.w[result.support[k]] = found[shift + Index(k)];
  result.b = p.intercept ? found[0] : 0.0;
  return true;
}

}  // namespace

std::unique_ptr<Engine> make_highs(const HighsSettings& settings) {
  return std::make_unique<HighsEngine>(settings);
}

const EngineKind kHighsEngine{"highs", HighsEngine::refusal,
                              [](const HighsSettings& settings) { return make_highs(settings); }};

MipResult min_support_mip(const Problem& problem, double box, const Limits& limits, const IndexList& start,
                          double seconds) {
  MipResult result;
  if (problem.y.cols() != 1 || problem.quadratic != Quadratic::none || !(box > 0) || box > 1e3) {
    result.status = Status::refused;
    result.note = "the mixed-integer bound is for two classes, a linear SVM and a box of at most 1000";
    return result;
  }
  HighsModel model;
  model.option("presolve", "choose");
  model.option("primal_feasibility_tolerance", 1e-9);
  model.option("dual_feasibility_tolerance", 1e-9);
  model.option("mip_feasibility_tolerance", 1e-9);
  model.option("mip_rel_gap", 0.0);
  model.option("mip_abs_gap", 0.999);  // Valid because the optimum is a whole number.
  if (seconds < kInf) model.option("time_limit", seconds);
  // This heuristic ignores the time limit and interrupts, and takes a minute for 3,000 columns.
  model.option("mip_heuristic_run_feasibility_jump", false);
  if (!pass_support_mip(model, problem, box)) return result;
  MipResult known;
  known.support = start;
  if (separates(problem, box, limits, known)) {
    const Index d = problem.x->cols(), shift = problem.intercept ? 1 : 0;
    Vec x = Vec::Zero(shift + 2 * d);
    if (shift) x[0] = known.b;
    x.segment(shift, d) = known.w;
    for (Index j : start) x[shift + d + j] = 1;
    model.start_at(x);
  }
  result.status = model.run(limits);
  result.nodes = model.nodes();
  if (result.status == Status::infeasible || result.status == Status::numerical) return result;
  const double bound = model.info("mip_dual_bound");
  if (std::isfinite(bound)) result.lower_bound = std::max(0L, long(std::ceil(bound - 1e-6)));
  const Index d = problem.x->cols();
  const Vec x = model.primal();
  for (Index j = 0; j < d; ++j)
    if (x[x.size() - d + j] > 0.5) result.support.push_back(j);
  // The confirming LP is small and also runs after the time limit.
  Limits patient = limits;
  patient.interrupted = nullptr;
  const bool confirmed = separates(problem, box, patient, result);
  if (known.w.size() && (!confirmed || known.support.size() < result.support.size())) {
    result.support = known.support;
    result.w = known.w;
    result.b = known.b;
  } else if (!confirmed) {
    result.support.clear();
    if (result.status == Status::optimal) result.status = Status::numerical;
    result.note = "no separating support was confirmed; the bound still holds";
    return result;
  }
  const double size = static_cast<double>(result.support.size());
  result.gap = std::max(0.0, (size - static_cast<double>(result.lower_bound)) / std::max(size, 1.0));
  if (result.status == Status::optimal && result.gap > 0) {
    result.status = Status::numerical;
    result.note = "the support found and the bound differ";
  }
  return result;
}

}  // namespace zeronorm
