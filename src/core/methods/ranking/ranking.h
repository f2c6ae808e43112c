// Methods that rank the features and refit on the best of them.
#pragma once

#include <functional>

#include "methods/fitting.h"
#include "methods/ranking/network_engine.h"

namespace zeronorm {

struct Ranking {
  // All features, the best first; ties are in the order of the columns.
  IndexList order;
  // The iterations of the search, if there was one.
  Trace trace;
  // The features for each size, or those that the method selected.
  std::vector<IndexList> chosen;
  // The classifiers on these features before the refit.
  std::vector<Solution> classifiers;
  // The C of the last classifier, if the method chooses it.
  double C = kInf;
  // The networks, if the classifiers are networks.
  Networks networks;
};

class RankingMethod : public Method {
 public:
  void fit_step(Fitting& fitting) override;

 protected:
  virtual Ranking find(Fitting& fitting) = 0;
  // Returns why no engine can be named; empty if the search uses one.
  virtual std::string without_engine() const { return ""; }
  // Whether the importance of a feature is that of the ranking instead of its weight.
  virtual bool own_importance() const { return false; }
  // Whether objectives of the iterations are in units of the loss.
  virtual bool costs_in_rounds() const { return true; }
  // With a kernel: whether the classifiers have the C of the refit instead of that of the search.
  virtual bool kernel_at_refit_C() const { return false; }
  // Returns the number of hidden units of a network.
  virtual Index hidden() const { return 0; }
};

// Returns the SVM that ranks: its norm and its C.
ClassifierSpec searching(const Fitting& fitting);
// Returns the problem on the rows of positive weight for which take() is true, with their weights as costs.
Problem counting_rows(
    const Fitting& fitting, const std::function<bool(Index)>& take = [](Index) { return true; });
// Runs a search without a limit on its iterations.
Trace search(const Problem& problem, Rule& rule, Engine& engine, const Fitting& fitting);
// Returns the engine for classifiers of any C, up to the limit of large C.
std::unique_ptr<Engine> ranking_engine(const Problem& problem, const Fitting& fitting);
// Orders features by `score`, then by `second`; constant columns have score zero.
IndexList order_of(Vec score, Vec second, const Fitting& fitting);
// Ranks by the weights of one classifier, and zero weights by their prices, the nearest to entering first. The order
// is empty if the classifier fails. O(nd).
Ranking rank_by_weights(const Problem& problem, const Fitting& fitting);
// Selects the best features for one more size.
void choose(Index size, const Solution& classifier, Ranking& r);

// Returns (difference of the class means)^2 / (sum of the class variances) for each column: 0 if the column is
// constant, infinite if only the variances are zero. O(nd), or O(nonzeros) if sparse.
Vec correlation_scores(const Design& x, const Vec& y, const Vec& weights);

}  // namespace zeronorm
