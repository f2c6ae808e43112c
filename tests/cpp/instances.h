// Instances that several tests share: matrices as designs, labels, costs, and objectives computed term by term from
// their definition.
#pragma once

#include <cmath>
#include <random>

#include "data/design.h"
#include "engines/engine.h"
#include "grade/certificate.h"

namespace zeronorm {

using Random = std::mt19937;

inline double normal(Random& random) { return std::normal_distribution<double>()(random); }
inline double uniform(Random& random) { return std::uniform_real_distribution<double>()(random); }

inline Mat gaussian(Index n, Index d, Random& random) {
  return Mat::NullaryExpr(n, d, [&] { return normal(random); });
}
inline Vec gaussian(Index n, Random& random) { return gaussian(n, 1, random).col(0); }

// Returns labels of both classes in turn.
inline Vec alternating(Index n) {
  return Vec::NullaryExpr(n, [](Index i) { return i % 2 ? -1.0 : 1.0; });
}

// Returns data whose first two columns separate alternating classes by 2 * shift, up to noise.
inline Mat shifted(Index n, Index d, double shift, Random& random) {
  Mat x = gaussian(n, d, random);
  for (Index j = 0; j < std::min<Index>(2, d); ++j) x.col(j) += shift * alternating(n);
  return x;
}

// Returns a design of x, which must outlive it.
inline std::shared_ptr<const Design> view(const Mat& x) {
  return dense_design(x.data(), x.rows(), x.cols(), Vec::Zero(x.cols()), Vec::Ones(x.cols()));
}

// Compressed columns without zeros.
struct Compressed {
  std::vector<int> start{0}, row;
  std::vector<double> value;
  explicit Compressed(const Mat& x) {
    for (Index j = 0; j < x.cols(); ++j) {
      for (Index i = 0; i < x.rows(); ++i)
        if (x(i, j) != 0) row.push_back(static_cast<int>(i)), value.push_back(x(i, j));
      start.push_back(static_cast<int>(row.size()));
    }
  }
  // Returns a design of this object, which must outlive it.
  std::shared_ptr<const Design> view(Index rows, const Vec& scale) const {
    return sparse_design(start.data(), row.data(), value.data(), rows, scale.size(), scale);
  }
};

inline Problem svm_problem(const Mat& x, const Vec& y, double cost, bool intercept = true) {
  Problem p;
  p.x = view(x);
  p.y = y;
  p.cost = Vec::Constant(x.rows(), cost);
  p.intercept = intercept;
  return p;
}

inline Surrogate surrogate(Index d, double l1, double scale) {
  Surrogate s;
  s.l1 = Vec::Constant(d, l1);
  s.scale = Vec::Constant(d, scale);
  return s;
}

inline Solution solve(Engine& engine, const Problem& p, const Surrogate& s, double tol = 1e-9) {
  Limits limits;
  limits.tol = tol;
  Solution out = engine.solve(s, limits);
  if (out.status == Status::optimal) out.certificate = certify(p, s, out);
  return out;
}

inline Solution solve(std::unique_ptr<Engine> engine, const Problem& p, const Surrogate& s,
                      double tol = 1e-9) {
  engine->setup(p);
  return solve(*engine, p, s, tol);
}

// Returns the objective of a binary soft-margin SVM.
inline double objective(const Mat& x, const Problem& p, const Surrogate& s, const Vec& w, double b) {
  double value = 0;
  for (Index j = 0; j < w.size(); ++j) {
    if (w[j] == 0) continue;
    value += s.l1[j] * std::abs(w[j]) - (s.linear.size() ? s.linear[j] * w[j] : 0.0);
    if (s.scale[j] < kInf) value += 0.5 * std::pow(w[j] / s.scale[j], 2);
  }
  for (Index i = 0; i < x.rows() && !p.hard(); ++i) {
    const double slack = std::max(0.0, p.margin_of(i) - p.y(i, 0) * (x.row(i).dot(w) + b));
    value += p.cost[i] * (p.loss == Loss::squared_hinge ? 0.5 * slack * slack : slack);
  }
  return value;
}
inline double objective(const Mat& x, const Problem& p, const Surrogate& s, const Solution& out) {
  return objective(x, p, s, out.w.col(0), p.intercept ? out.b[0] : 0.0);
}

inline double largest_slack(const Mat& x, const Problem& p, const Vec& w, double b) {
  return (p.margins().array() - p.y.col(0).array() * ((x * w).array() + b)).maxCoeff();
}

}  // namespace zeronorm
