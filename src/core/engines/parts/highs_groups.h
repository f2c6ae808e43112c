// Linear programmes whose columns share costs, solved by HiGHS; only highs.cpp includes this file.
#pragma once

#include "data/design.h"
#include "engines/parts/highs_model.h"

namespace zeronorm {

// The programme
//   min sum_f l1_f v_f + sum_i c_i xi_i   subject to  |w_j| <= v_f for every feature f of column j.
// At a vertex nearly all w_j are at a bound, so this is the start: w_j = sign_j (v_f - r_j), where f is the first
// feature of column j and r_j = 0 unless the column is active. Columns without a feature are unpenalised.
//
// If no column has several features, r_j enters when its reduced cost is negative: sign_j x_j'(ya) < 0. Otherwise all
// columns of live features are active. At first all features are live, then those that the last solution used, and
// all again if their costs do not cover the prices of the remaining columns. For these programmes the interior-point
// method of HiGHS with crossover is fastest, except for the last iterations of a concave method.
class GroupProgram {
 public:
  GroupProgram(const Problem& problem, const Surrogate& surrogate);

  // Returns whether the programme has the groups and the columns of this surrogate.
  bool fits(const Surrogate& surrogate) const;

  // Solves the programme; fills status, w, dual, iterations and in b the intercept before it is centred. Costs of
  // features are raised to at least 1 / span of the costs of violations.
  void solve(const Surrogate& surrogate, const Limits& limits, double span, Solution& out);

 private:
  // The costs multiplied by unit, which makes them of order one.
  struct Prices {
    Vec l1, slack;
    double slack_upper, unit;
  };

  Prices soft_prices(const Surrogate& surrogate) const;
  Status optimise(const Prices& prices, const Limits& limits, long& iterations);
  Status run_linked(const Prices& prices, const Limits& limits, long& iterations);
  Status run(const Prices& prices, const Limits& limits, long& iterations);
  Status attempt(const char* solver, const Prices& prices, const Limits& limits, long& iterations);
  void pass(const Prices& prices, HighsModel& model) const;
  void read(const HighsModel& model, const Prices& prices);
  bool activate();
  bool revive(const Prices& prices);
  void set_live(std::vector<char> live);
  bool in_programme(Index j) const;

  Index rows() const { return problem_.x->rows(); }
  Index columns() const { return problem_.x->cols(); }
  Index first_feature() const { return rows() + (problem_.intercept ? 1 : 0); }
  const IndexList& features(Index j) const { return groups_[std::size_t(j)]; }

  const Problem& problem_;
  const std::vector<IndexList> groups_;
  // Whether a column has several features.
  bool linked_ = false;
  // The sign of each column at its bound; 0 for removed columns.
  Vec sign_;
  // The norms of the columns.
  Vec norms_;
  // The columns without a feature.
  IndexList free_;
  std::vector<char> live_;
  // The n x features matrix with the sums of sign_j x_j over the columns that start at the bound of feature f.
  Mat base_;
  // The bound v_f is unit_f times its variable in the programme.
  Vec unit_;
  IndexList active_;
  std::vector<char> is_active_;
  HighsModel::Basis basis_;

  double span_ = 0;

  // The last vertex.
  Vec v_, w_, a_;
  double b_ = 0, slack_sum_ = 0;
};

}  // namespace zeronorm
