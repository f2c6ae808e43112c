// Methods that put the features in an order; the best of them go to the refit.
#pragma once

#include <functional>

#include "methods/fitting.h"
#include "methods/ranking/network_engine.h"

namespace zeronorm {

struct Ranking {
  IndexList order;                    // of all features, the best first; ties in the order of the columns
  Trace trace;                        // of the search, where there was one
  std::vector<IndexList> chosen;      // for each size, or those that the method chose itself
  std::vector<Solution> classifiers;  // on them before the refit
  double C = kInf;                    // of the last classifier, where the method chooses it
  Networks networks;                  // where the classifiers are such
};

class RankingMethod : public Method {
 public:
  void fit_step(Fitting& fitting) override;

 protected:
  virtual Ranking find(Fitting& fitting) = 0;
  // Why no engine can be named; empty where the search has one.
  virtual std::string without_engine() const { return ""; }
  // Whether the importance of a feature is that of the ranking, not its weight.
  virtual bool own_importance() const { return false; }
  // Whether rounds of the trace are in units of the loss.
  virtual bool costs_in_rounds() const { return true; }
  // With a kernel: whether the classifiers have the C of the refit, not of the search.
  virtual bool kernel_at_refit_C() const { return false; }
  // Hidden units of networks.
  virtual Index hidden() const { return 0; }
};

// The SVM that ranks: its norm, and its C.
Machine searching(const Fitting& fitting);
// The rows of some weight for which this is true, their weights as costs.
Problem counting_rows(
    const Fitting& fitting, const std::function<bool(Index)>& take = [](Index) { return true; });
// A search that ends by itself.
Trace search(const Problem& problem, Rule& rule, Engine& engine, const Fitting& fitting);
// The engine of classifiers of any C, up to its limit.
std::unique_ptr<Engine> ranking_engine(const Problem& problem, const Fitting& fitting);
// Features by score, then by second; constant columns score nothing.
IndexList order_of(Vec score, Vec second, const Fitting& fitting);
// By the weights of one classifier, its zeros in the order of their prices: the nearest to entering first.
// Without order where it fails. O(nd).
Ranking rank_by_weights(const Problem& problem, const Fitting& fitting);
// The best features for one more size.
void choose(Index size, const Solution& classifier, Ranking& r);

// (mean of the one class - mean of the other)^2 / (sum of their variances) for each column: 0 where it is
// constant, infinite where only the variances are zero. O(nd), or O(nonzeros) when sparse.
Vec correlation_scores(const Design& x, const Vec& y, const Vec& weights);

}  // namespace zeronorm
