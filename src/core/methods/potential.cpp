#include "methods/potential.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "data/design.h"
#include "grade/certificate.h"
#include "loop/minimise.h"
#include "problem/loss.h"
#include "problem/problem.h"

namespace zeronorm {
namespace {

// Up to this number of columns the dual engine solves the problem with their Gram matrix.
constexpr Index kMaxGramColumns = 500;
// A column counts as zero if its projection is shorter than this fraction of its length.
constexpr double kDependent = 1e-10;

// The problem after projecting intercept and unpenalised columns out of the weighted rows.
struct Projected {
  // The projected columns that are not zero.
  Mat columns;
  // The numbers of these columns.
  IndexList used;
  Vec y;
  double floor = 0;
};

Projected project(const Problem& p, const Surrogate& s, const Mat& out) {
  const Vec root = p.cost.cwiseSqrt();
  const Mat basis = root.asDiagonal() * out;
  Mat q(basis.rows(), 0);
  if (basis.cols() > 0) {
    const Eigen::ColPivHouseholderQR<Mat> qr(basis);
    q = Mat(qr.householderQ()).leftCols(qr.rank());
  }
  const auto residual = [&](const Vec& v) -> Vec {
    const Vec once = v - q * (q.transpose() * v);
    return once - q * (q.transpose() * once);
  };
  Projected left;
  left.floor = gap_floor(p);
  left.y = residual(root.cwiseProduct(p.y.col(0)));
  left.columns.resize(p.x->rows(), p.x->cols());
  Vec column(p.x->rows());
  for (Index j = 0; j < p.x->cols(); ++j) {
    if (s.scale[j] == 0) continue;
    p.x->column(j, column.data());
    const Vec weighted = root.cwiseProduct(column), rest = residual(weighted);
    if (!(rest.norm() > kDependent * weighted.norm())) continue;
    left.columns.col(left.used.size()) = rest;
    left.used.push_back(j);
  }
  left.columns.conservativeResize(Eigen::NoChange, left.used.size());
  return left;
}

// Solves  min over w:  1/2 |w|^2 + C sum_j (|x_j'(w + y)| - l1_j)_+ ,  whose multipliers are the coefficients.
Solution solve_tube(const Projected& left, const Vec& l1, double C, const EngineChoice& engine,
                    const Limits& limits) {
  const Mat rows = left.columns.transpose();
  const Vec products = rows * left.y;
  Problem tube;
  tube.x =
      dense_design(rows.data(), rows.rows(), rows.cols(), Vec::Zero(rows.cols()), Vec::Ones(rows.cols()));
  tube.intercept = false;
  const IndexList column = bound_decisions(tube, -l1 - products, l1 - products);
  tube.cost *= C;
  Surrogate ridge;
  ridge.l1 = Vec::Zero(rows.cols());
  ridge.scale = Vec::Ones(rows.cols());
  const auto solver =
      make_engine(!engine.named() && rows.rows() > kMaxGramColumns ? engine.other("active_set") : engine);
  solver->setup(tube);
  Solution s = solve_certified(*solver, tube, ridge, limits);
  if (s.status != Status::optimal) return s;
  Vec a = Vec::Zero(rows.rows());
  for (std::size_t i = 0; i < column.size(); ++i) a[column[i]] -= tube.y(i, 0) * s.dual(i, 0);
  s.w = a.cwiseMax(-C).cwiseMin(C);
  return s;
}

// Solves the problem without bounds on the coefficients, which is the lasso.
Solution solve_unbounded(const Projected& left, const Vec& l1, const EngineChoice& engine,
                         const Limits& limits) {
  Problem lasso;
  const Mat& x = left.columns;
  lasso.x = dense_design(x.data(), x.rows(), x.cols(), Vec::Zero(x.cols()), Vec::Ones(x.cols()));
  lasso.y = left.y;
  lasso.cost = Vec::Ones(x.rows());
  lasso.loss = Loss::squared;
  lasso.intercept = false;
  Surrogate costs;
  costs.l1 = l1;
  costs.scale = Vec::Constant(x.cols(), kInf);
  const auto solver = make_engine(engine);
  solver->setup(lasso);
  return solve_certified(*solver, lasso, costs, limits);
}

// Computes the certificate. The dual point is the residual: either shrunk until no column exceeds its cost, or as it
// is, with the excess of each column multiplied by its bound or, if that is smaller, by its reach.
Certificate grade(const Projected& left, const Vec& l1, double C, const Vec& a) {
  const Vec fitted = left.columns * a, r = left.y - fitted;
  const Vec earned = (left.columns.transpose() * r).cwiseAbs(), norms = left.columns.colwise().norm();
  const double squares = 0.5 * left.y.squaredNorm(), size = left.y.norm();
  Certificate c;
  c.primal = 0.5 * fitted.squaredNorm() - left.y.dot(fitted) + l1.dot(a.cwiseAbs());
  double shrink = 1, excess = 0;
  for (Index j = 0; j < l1.size(); ++j) {
    if (earned[j] <= l1[j]) continue;
    shrink = std::min(shrink, l1[j] / earned[j]);
    double reach = kReach * std::max(std::abs(a[j]), size / std::max(norms[j], 1e-300));
    if (l1[j] > kDependent * norms[j] * size) reach = (c.primal + squares) / l1[j];
    excess += std::min(C, reach) * (earned[j] - l1[j]);
  }
  const auto dual_value = [&](double t) {
    return t * left.y.dot(r) - 0.5 * t * t * r.squaredNorm() - squares;
  };
  c.dual = std::max(dual_value(shrink), dual_value(1) - excess);
  c.gap = std::abs(c.primal - c.dual) / std::max({std::abs(c.primal), std::abs(c.dual), left.floor});
  c.kkt = 0;
  for (Index j = 0; j < a.size(); ++j) {
    const double unit = std::max(l1[j], 1e-6 * norms[j] * size);
    if (std::abs(a[j]) < C) c.kkt = std::max(c.kkt, (earned[j] - l1[j]) / unit);
    if (a[j] != 0) c.kkt = std::max(c.kkt, (l1[j] - earned[j]) / unit);
  }
  return c;
}

}  // namespace

Solution solve_potential_svm(const Problem& problem, const Surrogate& surrogate, double C,
                             const IndexList& free, const EngineChoice& engine, const Limits& limits) {
  const Index d = problem.x->cols();
  const Mat out = equality_columns(*problem.x, problem.intercept, free);
  Surrogate boxed = surrogate;
  for (Index j : free) boxed.scale[j] = 0;
  const Projected left = project(problem, boxed, out);
  Vec l1(left.used.size());
  for (std::size_t k = 0; k < left.used.size(); ++k) l1[k] = surrogate.l1[left.used[k]];
  // The lasso is solved first, because it is the solution if no bound is active, unless the named engine cannot solve
  // it.
  Solution s;
  if (C == kInf || !engine.named() || engine.name == "smooth") s = solve_unbounded(left, l1, engine, limits);
  const bool bound = s.status == Status::optimal ? (s.w.size() && s.w.cwiseAbs().maxCoeff() > C)
                                                 : C < kInf && s.status != Status::interrupted;
  if (bound) s = solve_tube(left, l1, C, engine, limits);
  if (s.status != Status::optimal) return s;
  s.certificate = grade(left, l1, C, s.w.col(0));
  if (!s.certificate.holds(std::max(limits.tol, kProof))) {
    s.status = Status::numerical;
    s.note = "The duality gap does not prove the solution.";
    return s;
  }
  Mat w = Mat::Zero(d, 1);
  for (std::size_t k = 0; k < left.used.size(); ++k) w(left.used[k], 0) = s.w(k, 0);
  // Intercept and unpenalised columns follow by least squares on the residual.
  const Vec root = problem.cost.cwiseSqrt();
  const Vec rest = root.cwiseProduct(problem.y.col(0) - problem.x->times(w.col(0)));
  s.b = Vec::Zero(1);
  if (out.cols() > 0) {
    const Mat basis = root.asDiagonal() * out;  // This basis is zero if the unpenalised columns are.
    const Vec u = basis.completeOrthogonalDecomposition().solve(rest);
    if (problem.intercept) s.b[0] = u[0];
    for (std::size_t k = 0; k < free.size(); ++k) w(free[k], 0) = u[problem.intercept + k];
  }
  s.w = w;
  const Vec f = problem.x->times(w.col(0)).array() + s.b[0];
  s.dual = problem.cost.cwiseProduct(problem.y.col(0) - f);
  return s;
}

}  // namespace zeronorm
