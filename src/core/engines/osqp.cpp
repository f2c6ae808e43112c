#include <osqp.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <new>

#include "engines/engine.h"
#include "engines/sizes.h"
#include "grade/certificate.h"
#include "problem/loss.h"
#include "problem/margins.h"

namespace zeronorm {
namespace {

// Relative gap at which no further attempt is made.
constexpr double kSufficientGap = 1e-7;
// OSQP iterations between two checks for an interrupt.
constexpr int kIterationsPerCheck = 2000;

using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, OSQPInt>;
using Triplets = std::vector<Eigen::Triplet<double, OSQPInt>>;

// The quadratic programme  min 1/2 v'Pv + q'v,  lower <= Av <= upper; P holds the upper triangle.
struct Program {
  Sparse p, a;
  Vec q, lower, upper;
};

struct Accuracy {
  double eps, rho;
  long iterations;
  // Whether rho adapts every 50 iterations: this is fast, but occasionally it never settles.
  bool adaptive;
};
// Tolerances, rho and iteration limits of the attempts, in order; the last three do not adapt rho.
constexpr Accuracy kAttempts[] = {{1e-9, 0.1, 20000, true},
                                  {1e-11, 0.1, 200000, false},
                                  {1e-11, 1e-3, 200000, false},
                                  {1e-11, 10, 200000, false}};

class Osqp {
 public:
  Osqp(Program& program, const Accuracy& accuracy) {
    program.p.makeCompressed();
    program.a.makeCompressed();
    check_room(program);
    OSQPCscMatrix p = view(program.p), a = view(program.a);
    settings_.reset(OSQPSettings_new());
    if (!settings_) throw std::bad_alloc();
    osqp_set_default_settings(settings_.get());
    settings_->verbose = 0;
    settings_->eps_abs = settings_->eps_rel = accuracy.eps;
    settings_->eps_prim_inf = settings_->eps_dual_inf = 1e-9;
    settings_->rho = accuracy.rho;
    settings_->max_iter = kIterationsPerCheck;
    settings_->polishing = 1;
    settings_->polish_refine_iter = 20;
    settings_->delta = 1e-9;
    settings_->adaptive_rho =
        accuracy.adaptive ? OSQP_ADAPTIVE_RHO_UPDATE_ITERATIONS : OSQP_ADAPTIVE_RHO_UPDATE_DISABLED;
    settings_->adaptive_rho_interval = 50;
    settings_->check_dualgap = 1;
    OSQPSolver* solver = nullptr;
    const OSQPInt error =
        osqp_setup(&solver, &p, program.q.data(), &a, program.lower.data(), program.upper.data(),
                   OSQPInt(program.a.rows()), OSQPInt(program.a.cols()), settings_.get());
    solver_.reset(solver);
    if (error == OSQP_MEM_ALLOC_ERROR) throw std::bad_alloc();
    failed_ = error != 0;
  }

  void start_from(const Vec& v) {
    if (!failed_) osqp_warm_start(solver_.get(), v.data(), nullptr);
  }

  Status run(const Limits& limits, long most) {
    if (failed_) return Status::numerical;
    for (;;) {
      if (limits.stop_now()) return Status::interrupted;
      const bool failed = osqp_solve(solver_.get()) != 0;
      iterations_ += solver_->info->iter;
      const OSQPInt status = solver_->info->status_val;
      if (status == OSQP_SIGINT) {  // OSQP caught the signal, so it is raised again.
        std::raise(SIGINT);
        return Status::interrupted;
      }
      if (failed) return Status::numerical;
      if (status == OSQP_SOLVED) return Status::optimal;
      if (status == OSQP_DUAL_INFEASIBLE) return Status::infeasible;  // The dual of our problem is unbounded.
      if (status == OSQP_PRIMAL_INFEASIBLE) return Status::unbounded;
      if (status != OSQP_MAX_ITER_REACHED) return Status::limit;
      if (iterations_ >= most) return Status::limit;
    }
  }

  long iterations() const { return iterations_; }
  Vec primal() const { return Eigen::Map<const Vec>(solver_->solution->x, columns()); }
  Vec multipliers() const { return Eigen::Map<const Vec>(solver_->solution->y, rows()); }
  Vec unbounded_direction() const {
    return Eigen::Map<const Vec>(solver_->solution->dual_inf_cert, columns());
  }

 private:
  struct Free {
    void operator()(OSQPSettings* s) const { OSQPSettings_free(s); }
    void operator()(OSQPSolver* s) const { osqp_cleanup(s); }
  };

  static OSQPCscMatrix view(Sparse& m) {
    OSQPCscMatrix csc;
    OSQPCscMatrix_set_data(&csc, OSQPInt(m.rows()), OSQPInt(m.cols()), OSQPInt(m.nonZeros()), m.valuePtr(),
                           m.innerIndexPtr(), m.outerIndexPtr());
    return csc;
  }

  // Tests whether the memory that OSQP needs is available, because OSQP does not check what malloc() returns for its
  // factor: copies of the matrices, the KKT matrix and its permutation, the factor, and all again for polishing.
  static void check_room(const Program& program) {
    const std::size_t n = std::size_t(program.p.rows()), both = n + std::size_t(program.a.rows());
    const std::size_t entries = std::size_t(program.p.nonZeros() + program.a.nonZeros());
    const std::size_t factor = std::min(n * (n + 1) / 2, 4 * entries) + entries + both;
    // Bytes of a nonzero, and of the vectors for each variable and constraint.
    constexpr std::size_t kEntry = sizeof(OSQPFloat) + sizeof(OSQPInt), kVectors = 50 * sizeof(OSQPFloat);
    void* volatile room = std::malloc(2 * kEntry * (3 * (entries + both) + factor) + kVectors * both);
    if (!room) throw std::bad_alloc();
    std::free(room);
  }

  OSQPInt rows() const {
    OSQPInt m, n;
    osqp_get_dimensions(solver_.get(), &m, &n);
    return m;
  }
  OSQPInt columns() const {
    OSQPInt m, n;
    osqp_get_dimensions(solver_.get(), &m, &n);
    return n;
  }

  std::unique_ptr<OSQPSettings, Free> settings_;
  std::unique_ptr<OSQPSolver, Free> solver_;
  bool failed_ = false;
  long iterations_ = 0;
};

// How a column enters the dual: not at all, in the quadratic form, or by a row of its own.
enum class Kind { removed, gram, row };

// A row of the dual programme, x_j'm_k, for output k of column j; column -1 is the intercept.
struct Row {
  Index column, output;
  // The factor of the row.
  double unit;
  // Whether the row has a variable t of its own.
  bool ridge;
};

// Every problem is solved by its dual in the multipliers a of the margins:
//   min 1/2 a'(Q + diag(1/c))a + 1/2 t't - rhs'a,   0 <= a <= c,
//   -l1 <= x_j'm(a) <= l1  (columns without a ridge),  |z_j x_j'm(a) - t_j| <= z_j l1  (l1 and ridge)
// Q comes from the columns that have only a ridge, or from the kernel. Columns with an l1 cost that is not exceeded
// are left out until pricing admits them.
class OsqpEngine final : public BareEngine {
 public:
  OsqpEngine() : BareEngine(kOsqpEngine) {}

  static std::string refusal(const Problem& p, const Surrogate& s) {
    if (!has_slacks(p.loss)) return "OSQP takes the hinge, squared hinge and Weston-Watkins losses";
    if (!s.groups.empty()) return "OSQP takes no linking rows";
    const bool kernel = p.quadratic == Quadratic::kernel;
    if (p.loss != Loss::squared_hinge && !kernel && !s.has_ridge())
      return "OSQP takes quadratic programs: this one is linear";
    if (p.loss == Loss::squared_hinge && p.hard() && !kernel && !s.has_ridge())
      return "OSQP takes quadratic programs: this one is linear";
    const Index infinite = (p.cost.array() == kInf).count();
    if (infinite > 0 && infinite < p.cost.size())
      return "OSQP takes finite costs or hard margins, not a mixture";
    if (p.loss == Loss::weston_watkins && s.linear.size())
      return "OSQP takes no linear term for several outputs";
    if (p.loss == Loss::weston_watkins && p.y.rows() * (p.y.cols() - 1) > kMostMarginsOfOsqp)
      return "OSQP works on a dense form, too large with more than 2000 pairs of a sample and a foreign "
             "class";
    if (kernel && s.has_l1()) return "OSQP takes no l1 term on a kernel expansion";
    if (kernel && s.has_ridge() && (s.scale.array() == kInf).any())
      return "OSQP takes a kernel expansion with a ridge on all coefficients or on none";
    return "";
  }

  void setup(const Problem& problem) override {
    problem_ = &problem;
    margins_ = Margins(problem);
    cost_ = margins_.costs(problem);
    norms_ = problem.x->squared_norms().cwiseSqrt();
    working_.assign(std::size_t(problem.x->cols()), 0);
    last_ = Vec();
  }

  Solution solve(const Surrogate& s, const Limits& limits) override {
    Solution out;
    out.engine = name();
    out.note = refusal(*problem_, s);
    if (!out.note.empty()) {
      out.status = Status::refused;
      return out;
    }
    prepare(s);
    do {
      solve_working_set(s, limits, out);
    } while (priceable(out.status) && enlarge(s, out));
    if (out.status == Status::optimal) last_ = margins_.gather(out.dual);
    return out;
  }

 private:
  static bool priceable(Status status) {
    return status == Status::optimal || status == Status::limit || status == Status::infeasible;
  }
  Index columns() const { return problem_->x->cols(); }
  bool kernel() const { return problem_->quadratic == Quadratic::kernel; }
  bool squared() const { return problem_->loss == Loss::squared_hinge && !problem_->hard(); }
  bool working(Index j) const { return working_[std::size_t(j)] != 0; }

  static bool plain(const Surrogate& s, Index j) { return s.cost_up(j) == 0 && s.cost_down(j) == 0; }
  Kind kind(const Surrogate& s, Index j) const {
    if (s.scale[j] == 0) return Kind::removed;
    if (kernel()) return Kind::gram;
    return s.scale[j] < kInf && plain(s, j) ? Kind::gram : Kind::row;
  }

  // Computes the quadratic form of the columns with only a ridge, and the first working set. O(n^2 d).
  void prepare(const Surrogate& s) {
    if (kernel()) {
      prepare_kernel(s);
    } else {
      Vec z = Vec::Zero(columns());
      for (Index j = 0; j < columns(); ++j)
        if (kind(s, j) == Kind::gram) z[j] = s.scale[j];
      gram_ = z.maxCoeff() > 0 ? problem_->x->gram(z) : Mat::Zero(margins_.samples, margins_.samples);
    }
    for (Index j = 0; j < columns(); ++j)
      // Unpenalised columns are always in the working set.
      if (kind(s, j) == Kind::row && s.l1[j] == 0) working_[std::size_t(j)] = 1;
    admit(s, margins_.signed_multipliers(margins_.balanced()), -kInf,
          std::max<Index>(64, 2 * margins_.samples));
  }

  // Admits the columns whose x_j'm exceeds their cost most, by more than the given noise for columns of unit norm, at
  // most the given number. Returns false if there is none. O(ndk).
  bool admit(const Surrogate& s, const Mat& m, double noise, Index most, bool free_of_cost = false) {
    const Mat g = transposed_times(*problem_->x, m);
    std::vector<std::pair<double, Index>> found;
    for (Index j = 0; j < columns(); ++j) {
      if (kind(s, j) != Kind::row || working(j) || norms_[j] == 0) continue;
      double worst = -kInf;
      for (Index k = 0; k < g.cols(); ++k) {
        const double cost = free_of_cost ? 0.0 : g(j, k) > 0 ? s.cost_up(j) : s.cost_down(j);
        worst = std::max(worst, (std::abs(g(j, k)) - (1 + 1e-9) * cost) / norms_[j]);
      }
      if (worst > noise) found.push_back({worst, j});
    }
    std::stable_sort(found.begin(), found.end(), [](auto& p, auto& q) { return p.first > q.first; });
    found.resize(std::min(found.size(), std::size_t(most)));
    for (const auto& f : found) working_[std::size_t(f.second)] = 1;
    return !found.empty();
  }

  // With the ridge Z = diag(z), w = Z (ZKZ + I)^-1 Z K m and Q = K w(m); without a ridge, w = m and Q = K. O(n^3).
  void prepare_kernel(const Surrogate& s) {
    const Mat k = problem_->x->gram(Vec::Ones(columns()));
    if (!s.has_ridge()) {
      expand_ = Mat();
      gram_ = k;
      return;
    }
    const Mat zk = s.scale.asDiagonal() * k;
    Mat inner = zk * s.scale.asDiagonal();
    inner.diagonal().array() += 1;
    expand_ = s.scale.asDiagonal() * inner.llt().solve(zk);
    gram_ = k * expand_;
    gram_ = (0.5 * (gram_ + gram_.transpose())).eval();
  }

  // Returns the dual programme on the working set in alpha = unit * a, which gives the quadratic form unit size.
  Program program(const Surrogate& s) {
    const Index n = margins_.size();
    std::vector<Vec> x_rows;
    rows_.clear();
    double form = 0;
    for (const MarginRow& r : margins_.rows)
      form += gram_(r.sample, r.sample) * ((r.plus >= 0) + (r.minus >= 0));
    if (squared())
      for (Index r = 0; r < n; ++r) form += cost_[r] > 0 ? 1 / cost_[r] : 0.0;
    for (Index k = 0; k < margins_.outputs; ++k)
      for (Index j = 0; j < columns(); ++j)
        if (kind(s, j) == Kind::row && working(j)) {
          const bool ridge = s.scale[j] < kInf;
          if (ridge) form += std::pow(s.scale[j] * norms_[j], 2);
          rows_.push_back({j, k, 1.0, ridge});
        }
    if (problem_->intercept)
      // The sums of y a over the outputs add up to zero, so the last one is implied.
      for (Index k = 0; k < std::max<Index>(1, margins_.outputs - 1); ++k)
        rows_.push_back({-1, k, 1.0, false});
    unit_ = form > 0 ? form / double(n) : 1.0;

    const Index ridges = std::count_if(rows_.begin(), rows_.end(), [](const Row& r) { return r.ridge; });
    const Index m = n + Index(rows_.size()) + 1, last = n + ridges;
    Program q;
    q.q = Vec::Zero(last + 1);
    q.q.head(n) = -margins_.rhs;
    q.lower = Vec::Zero(m);
    q.upper = Vec::Zero(m);
    Triplets p, a;
    fill_form(p);
    for (Index r = 0; r < n; ++r) {
      a.emplace_back(r, r, 1.0);
      q.upper[r] = squared() && cost_[r] > 0 ? OSQP_INFTY : std::min(cost_[r] * unit_, double(OSQP_INFTY));
    }
    Index t = n;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      fill_row(s, Index(n + Index(i)), rows_[i], q, a);
      if (!rows_[i].ridge) continue;
      a.emplace_back(n + Index(i), t, -1.0);
      p.emplace_back(t, t, 1.0);
      ++t;
    }
    // This row, min v^2/2 - v with v <= 0, is always active: without an active row OSQP prints messages and does not
    // polish.
    p.emplace_back(last, last, 1.0);
    a.emplace_back(m - 1, last, 1.0);
    q.q[last] = -1;
    q.lower[m - 1] = -OSQP_INFTY;
    q.p.resize(last + 1, last + 1);
    q.p.setFromTriplets(p.begin(), p.end());
    q.a.resize(m, last + 1);
    q.a.setFromTriplets(a.begin(), a.end());
    return q;
  }

  // Returns entry (l, r) of the form sum_k M_k' K M_k in the multipliers.
  double inner(Index l, Index r, const Mat& k) const {
    const MarginRow &u = margins_.rows[std::size_t(l)], &v = margins_.rows[std::size_t(r)];
    double shared = 0;
    if (v.plus >= 0) shared += u.sign(v.plus);
    if (v.minus >= 0) shared -= u.sign(v.minus);
    return shared == 0 ? 0.0 : shared * k(u.sample, v.sample);
  }

  // Fills the upper triangle of sum_k M_k' G M_k + diag(1/c) in units of unit_. O((n k)^2).
  void fill_form(Triplets& p) const {
    for (Index r = 0; r < margins_.size(); ++r)
      for (Index l = 0; l <= r; ++l) {
        double value = inner(l, r, gram_);
        if (l == r && squared() && cost_[r] > 0) value += 1 / cost_[r];
        if (value != 0) p.emplace_back(l, r, value / unit_);
      }
  }

  void fill_row(const Surrogate& s, Index at, Row& row, Program& q, Triplets& a) const {
    Vec x = Vec::Ones(margins_.samples);
    double up = 0, down = 0;
    if (row.column >= 0) {
      problem_->x->column(row.column, x.data());
      up = s.cost_up(row.column);
      down = s.cost_down(row.column);
    }
    // With m = alpha / unit_ and t = tau / sqrt(unit_), this factor makes the entries of alpha about one.
    const double norm = std::max(x.norm() / std::sqrt(double(x.size())), 1e-300);
    row.unit = row.ridge ? s.scale[row.column] / std::sqrt(unit_) : 1 / norm;
    q.lower[at] = -down * unit_ * row.unit;
    q.upper[at] = up * unit_ * row.unit;
    for (Index r = 0; r < margins_.size(); ++r) {
      const MarginRow& margin = margins_.rows[std::size_t(r)];
      const double v = margin.sign(row.output) * x[margin.sample] * row.unit;
      if (v != 0) a.emplace_back(at, r, v);
    }
  }

  void solve_working_set(const Surrogate& s, const Limits& limits, Solution& out) {
    Program q = program(s);
    Solution best;
    for (const Accuracy& accuracy : kAttempts) {
      Osqp solver(q, accuracy);
      if (last_.size()) solver.start_from(start(q));
      const Status status =
          solver.run(limits, limits.iterations > 0 ? limits.iterations : accuracy.iterations);
      out.iterations += solver.iterations();
      if (status == Status::interrupted || status == Status::numerical || status == Status::unbounded) {
        out.status = status;
        return;
      }
      // If hard margins cannot be met, the multipliers diverge along a ray, whether or not OSQP reports it.
      if (status == Status::limit && read_ray(s, solver.primal().head(margins_.size()), out)) return;
      if (status == Status::infeasible) {
        if (read_ray(s, solver.unbounded_direction().head(margins_.size()), out)) return;
        continue;
      }
      Solution found;
      read(s, solver.primal(), solver.multipliers(), found);
      found.certificate = certify_working(s, found);
      if (!(best.certificate.gap <= found.certificate.gap)) best = found;
      if (best.certificate.gap <= kSufficientGap) break;
    }
    const bool good = best.certificate.gap <= kSufficientGap;
    out.status = good ? Status::optimal : Status::limit;
    out.note = good ? "" : "OSQP stopped short of the accuracy asked for";
    if (!best.w.size()) {
      out.status = Status::numerical;
      return;
    }
    out.w = best.w;
    out.b = best.b;
    out.dual = best.dual;
  }

  Vec start(const Program& q) const {
    const Index n = margins_.size();
    Vec v = Vec::Zero(q.q.size());
    v.head(n) = last_ * unit_;
    const Vec product = q.a * v;
    Index t = n;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Index at = n + Index(i);
      if (rows_[i].ridge) v[t++] = product[at] - std::min(std::max(product[at], q.lower[at]), q.upper[at]);
    }
    return v;
  }

  // Certifies the problem without the columns outside the working set.
  Certificate certify_working(const Surrogate& s, const Solution& found) const {
    Surrogate inside = s;
    for (Index j = 0; j < columns(); ++j)
      if (kind(s, j) == Kind::row && !working(j)) inside.scale[j] = 0;
    return certify(*problem_, inside, found);
  }

  // Computes the exact zeros and the exact w of the multipliers: weights with a ridge from the conjugate of their
  // cost, the others from the multipliers of OSQP.
  void read(const Surrogate& s, const Vec& v, const Vec& y, Solution& out) const {
    const Index n = margins_.size();
    Vec a = (v.head(n) / unit_).cwiseMax(0.0);
    if (!squared()) a = a.cwiseMin(cost_);
    a = balanced_exactly(a);
    const Mat m = margins_.signed_multipliers(a);
    out.dual = margins_.scatter(a);
    out.b = Vec::Zero(margins_.outputs);
    out.w = kernel() ? (expand_.size() ? Mat(expand_ * m) : m) : ridge_weights(s, m);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      const double weight = y[n + Index(i)] * row.unit;
      if (row.column < 0)
        out.b[row.output] = weight;
      else if (!row.ridge)
        out.w(row.column, row.output) = at_bound(y[n + Index(i)]) ? weight : 0.0;
    }
    read_intercept(out);
  }

  // The multipliers of inactive rows are exactly zero after polishing and noise before it.
  static bool at_bound(double multiplier) { return std::abs(multiplier) > 1e-11; }

  Mat ridge_weights(const Surrogate& s, const Mat& m) const {
    Mat w = transposed_times(*problem_->x, m);
    for (Index j = 0; j < columns(); ++j) {
      const double z = kind(s, j) == Kind::row && !working(j) ? 0.0 : s.scale[j];
      const double up = s.cost_up(j), down = s.cost_down(j);
      for (Index k = 0; k < w.cols(); ++k) {
        const double g = w(j, k);
        const double beyond = g > up ? g - up : g < -down ? g + down : 0.0;
        w(j, k) = z > 0 && z < kInf ? z * z * beyond : 0.0;
      }
    }
    return w;
  }

  // For binary problems, moves the multipliers inside the box so that y'a = 0 to the last digits. O(n).
  Vec balanced_exactly(Vec a) const {
    if (margins_.outputs > 1 || !problem_->intercept) return a;
    for (int pass = 0; pass < 3; ++pass) {
      double sum = 0;
      for (Index r = 0; r < a.size(); ++r) sum += margins_.rows[std::size_t(r)].sign(0) * a[r];
      Vec room(a.size());
      for (Index r = 0; r < a.size(); ++r) {
        const bool down = margins_.rows[std::size_t(r)].sign(0) * sum > 0;
        room[r] = down || squared() ? a[r] : std::min(a[r], cost_[r] - a[r]);
      }
      if (sum == 0 || room.sum() <= std::abs(sum)) break;
      const double share = sum / room.sum();
      for (Index r = 0; r < a.size(); ++r) a[r] -= margins_.rows[std::size_t(r)].sign(0) * share * room[r];
    }
    return a;
  }

  void read_intercept(Solution& out) const {
    if (!problem_->intercept) return;
    if (margins_.outputs > 1) {
      out.b = best_intercepts(*problem_, decision_values(*problem_->x, out.w, Vec()), out.dual, out.b);
      return;
    }
    const Vec f = problem_->x->times(out.w.col(0));
    const double b = best_intercept(f, problem_->y.col(0), problem_->cost, problem_->loss, problem_->margin);
    if (std::isfinite(b)) out.b[0] = b;
  }

  // Projects the direction of OSQP to a Farkas ray (a >= 0, balanced, X'm = 0) and accepts it if the projection is
  // close: a direction with a quadratic form below eps can be sqrt(eps) away from the null space. O(n^3 k^3).
  bool read_ray(const Surrogate& s, const Vec& direction, Solution& out) const {
    if (!problem_->hard() || !(direction.maxCoeff() > 0)) return false;
    Vec z = Vec::Zero(columns());
    for (Index j = 0; j < columns(); ++j)
      if (norms_[j] > 0 && (kind(s, j) == Kind::gram || (kind(s, j) == Kind::row && working(j))))
        z[j] = 1 / norms_[j];
    Mat k = kernel() ? gram_ : problem_->x->gram(z);
    k /= std::max(k.diagonal().maxCoeff(), 1e-300);
    if (problem_->intercept) k.array() += 1;
    for (double least : {1e-3, 1e-6, 0.0}) {
      const Vec a = project_ray(k, direction / direction.maxCoeff(), least);
      if (!a.size() || !(margins_.rhs.dot(a) > 0)) continue;
      out.dual = margins_.scatter(a);
      out.status = Status::infeasible;
      return true;
    }
    return false;
  }

  // Returns the projection of the multipliers above least to the null space of their quadratic form; multipliers that
  // become negative are removed one set after another. The result is empty if nothing remains.
  Vec project_ray(const Mat& k, Vec ray, double least) const {
    for (;;) {
      IndexList kept;
      for (Index r = 0; r < ray.size(); ++r)
        if (ray[r] > least) kept.push_back(r);
      const Index m = Index(kept.size());
      if (m == 0) return Vec();
      Mat q(m, m);
      Vec a(m);
      for (Index r = 0; r < m; ++r) {
        a[r] = ray[kept[std::size_t(r)]];
        for (Index l = 0; l < m; ++l) q(l, r) = inner(kept[std::size_t(l)], kept[std::size_t(r)], k);
      }
      const Eigen::SelfAdjointEigenSolver<Mat> eigen(q);
      const Index null = (eigen.eigenvalues().array() <= 1e-12 * eigen.eigenvalues().maxCoeff()).count();
      const auto basis = eigen.eigenvectors().leftCols(null);
      a = basis * (basis.transpose() * a).eval();
      if (null == 0 || !(a.maxCoeff() > 0.1)) return Vec();
      const bool done = a.minCoeff() > -1e-12;
      ray.setZero();
      for (Index r = 0; r < m; ++r) ray[kept[std::size_t(r)]] = std::max(0.0, a[r]);
      if (done) return ray;
    }
  }

  // Prices all columns and at most doubles the working set. O(ndk).
  bool enlarge(const Surrogate& s, const Solution& out) {
    const bool ray = out.status == Status::infeasible;
    const Mat m = margins_.signed_multipliers(margins_.gather(out.dual));
    const Index inside = std::count(working_.begin(), working_.end(), 1);
    return admit(s, m, (ray ? 1e-9 : 1e-13) * m.norm(), std::max<Index>(32, inside), ray);
  }

  const Problem* problem_ = nullptr;
  Margins margins_;
  Vec cost_, norms_, last_;
  std::vector<char> working_;
  std::vector<Row> rows_;
  // X Z^2 X' or the kernel matrix (n x n), and the map from m to w for a kernel with a ridge.
  Mat gram_, expand_;
  double unit_ = 1;
};

}  // namespace

std::unique_ptr<Engine> make_osqp() { return std::make_unique<OsqpEngine>(); }

const EngineKind kOsqpEngine{"osqp", OsqpEngine::refusal, [](const HighsSettings&) { return make_osqp(); }};

}  // namespace zeronorm
