#include "rules/fs_svmcp.h"

#include <algorithm>
#include <set>

#include "data/design.h"
#include "problem/problem.h"

namespace zeronorm {
namespace {

bool two_classes(const Mat& y) { return y.size() > 0 && y.minCoeff() < 0 && y.maxCoeff() > 0; }

}  // namespace

void FsSvmcp::write(Surrogate& s) const {
  for (std::size_t j = 0; j < active_.size(); ++j) s.scale[j] = active_[j] ? scale_per_loss(1, C_) : 0.0;
  s.l1.setZero();
  for (Index j : settings_.free) s.scale[j] = kInf;
}

bool FsSvmcp::next(const Problem& problem, const Trace& trace, Surrogate& surrogate) {
  const Index d = problem.x->cols();
  if (trace.rounds.empty()) {
    active_.assign(d, 1);
    for (Index j = 0; j < d; ++j) active_[j] = surrogate.scale[j] > 0;
    is_free_.assign(d, 0);
    for (Index j : settings_.free) is_free_[j] = 1;
    fixed_ = is_free_;
    for (Index j : settings_.keep) fixed_[j] = 1;
  } else if (!shrink(problem, trace.solution)) {
    return false;
  }
  C_ = choose_C(problem);
  write(surrogate);
  return true;
}

// Takes one Frank-Wolfe step on sum phi(|w_j|) over {y f >= 1 on the points with violation below 1}, from the SVM.
// The problem is feasible, because the scaled SVM is. Returns false if nothing was dropped.
bool FsSvmcp::shrink(const Problem& problem, const Solution& svm) {
  const Vec w = svm.w.col(0), y = problem.y.col(0);
  const Vec f = problem.x->times(w).array() + (problem.intercept ? svm.b[0] : 0.0);
  IndexList rows, cols;
  for (Index i = 0; i < y.size(); ++i)
    if (settings_.weights[i] > 0 && 1.0 - y[i] * f[i] < 1.0) rows.push_back(i);
  for (std::size_t j = 0; j < active_.size(); ++j)
    if (active_[j]) cols.push_back(static_cast<Index>(j));
  Problem part = restrict_to(problem, rows, cols);
  part.cost.setConstant(kInf);
  if (!two_classes(part.y)) return false;

  Surrogate lp;
  lp.scale = Vec::Constant(cols.size(), kInf);
  lp.l1.resize(cols.size());
  for (std::size_t c = 0; c < cols.size(); ++c)
    lp.l1[c] = fixed_[cols[c]] ? 0.0 : settings_.penalty.slope(std::abs(w[cols[c]]));
  const auto engine = make_engine(settings_.engine.other("auto"));
  engine->setup(part);
  const Solution solution = solve_certified(*engine, part, lp, settings_.limits);
  if (solution.status != Status::optimal) {
    reason_ = solution.status == Status::interrupted ? StopReason::interrupted : StopReason::failed;
    return false;
  }
  // Zeros are determined in units of cost: u_j = c_j v_j.
  Vec u(cols.size());
  for (std::size_t c = 0; c < cols.size(); ++c) u[c] = std::max(lp.l1[c], 0.0) * std::abs(solution.w(c, 0));
  std::vector<char> kept(active_.size(), 0);
  Index count = 0, before = 0;
  for (Index c : nonzeros(u)) kept[cols[c]] = 1;
  for (std::size_t c = 0; c < cols.size(); ++c) {
    if (fixed_[cols[c]]) kept[cols[c]] = 1;
    count += kept[cols[c]];
    ++before;
  }
  const bool all_zero = solution.w.cwiseAbs().maxCoeff() == 0;
  if (count >= before || all_zero) return false;
  active_ = kept;
  return true;
}

// Returns the smallest C with the lowest weighted number of validation errors. O(n^2 d) per fold for its Gram matrix,
// then a warm-started dual programme and O(nd) for each C.
double FsSvmcp::choose_C(const Problem& problem) const {
  const auto& grid = settings_.C_grid;
  if (grid.size() == 1) return grid[0];
  std::vector<double> errors(grid.size(), 0.0);
  const std::set<int> folds(settings_.folds.begin(), settings_.folds.end());
  for (int fold : folds) {
    if (settings_.limits.stop_now()) break;
    add_validation_errors(problem, fold, errors);
  }
  std::size_t best = 0;
  for (std::size_t k = 1; k < grid.size(); ++k)
    if (errors[k] < errors[best] - 1e-9) best = k;
  return grid[best];
}

void FsSvmcp::add_validation_errors(const Problem& problem, int fold, std::vector<double>& errors) const {
  IndexList in, out, cols;
  for (std::size_t i = 0; i < settings_.folds.size(); ++i)
    (settings_.folds[i] == fold ? out : in).push_back(static_cast<Index>(i));
  for (std::size_t j = 0; j < active_.size(); ++j)
    if (active_[j]) cols.push_back(static_cast<Index>(j));
  Problem train = restrict_to(problem, in, cols);
  for (std::size_t i = 0; i < in.size(); ++i) train.cost[i] = settings_.weights[in[i]];
  if (!two_classes(train.y)) return;
  const auto test = problem.x->subset(out, cols);
  const auto engine = make_engine(settings_.engine);
  engine->setup(train);
  Surrogate s;
  s.l1 = Vec::Zero(cols.size());
  for (std::size_t k = 0; k < errors.size(); ++k) {
    s.scale = Vec::Constant(cols.size(), std::sqrt(settings_.C_grid[k]));
    for (std::size_t c = 0; c < cols.size(); ++c)
      if (is_free_[cols[c]]) s.scale[c] = kInf;
    const Solution svm = engine->solve(s, settings_.limits);
    if (svm.status == Status::interrupted || settings_.limits.stop_now()) return;
    if (svm.status != Status::optimal) {
      errors[k] = kInf;
      continue;
    }
    const Vec f = test->times(svm.w.col(0)).array() + (problem.intercept ? svm.b[0] : 0.0);
    for (std::size_t i = 0; i < out.size(); ++i)
      if ((f[i] > 0 ? 1.0 : -1.0) != problem.y(out[i], 0)) errors[k] += settings_.weights[out[i]];
  }
}

double FsSvmcp::objective(const Problem&, const Surrogate&, const Solution& solution) const {
  return solution.certificate.primal;
}

}  // namespace zeronorm
