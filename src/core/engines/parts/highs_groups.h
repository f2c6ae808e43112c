// Linear programmes whose columns share costs, inside HiGHS; only highs.cpp includes this.
#pragma once

#include "data/design.h"
#include "engines/parts/highs_model.h"

namespace zeronorm {

// min sum_f l1_f v_f + slacks, |w_j| <= v_f for every feature f of column j.  At a vertex nearly all w_j are at
// a bound, so that is where they start: w_j = sign_j (v_f - r_j), f the first of j's features, with r_j = 0
// unless column j is active.  Columns of no feature are free.
//
// Where no column has several features, r_j enters when its price asks for it: sign_j x_j'(ya) < 0.  Otherwise
// all columns of live features are active: first all features are live, then those that the last solution
// used, and all again where their costs do not cover the prices of the columns left out.  There HiGHS's
// interior point method and crossover is quickest, save for the last rounds of a concave method.
class GroupProgram {
 public:
  GroupProgram(const Problem& problem, const Surrogate& surrogate);

  // Whether it has the groups of this surrogate, and its columns.
  bool fits(const Surrogate& surrogate) const;

  // Fills status, w, the raw intercept in b, dual and iterations.  Costs of features are lifted to
  // 1 / span of those of slacks.
  void solve(const Surrogate& surrogate, const Limits& limits, double span, Solution& out);

 private:
  // Times `unit`, which makes them of the order of one.
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
  bool linked_ = false;  // some column has several features
  Vec sign_;             // 0: column removed
  Vec norms_;            // of the columns
  IndexList free_;       // columns of no feature
  std::vector<char> live_;
  Mat base_;  // n x features: the sum of sign_j x_j over the columns that start at the bound of feature f
  Vec unit_;  // v_f is unit_f times its column in the programme
  IndexList active_;
  std::vector<char> is_active_;
  HighsModel::Basis basis_;

  double span_ = 0;

  // The last vertex.
  Vec v_, w_, a_;
  double b_ = 0, slack_sum_ = 0;
};

}  // namespace zeronorm
