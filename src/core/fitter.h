// From a spec to its solutions: what all methods go through, and the methods by family.
#pragma once

#include "fit.h"
#include "free_columns.h"
#include "kept_gram.h"
#include "ranking.h"
#include "rules/constrain.h"
#include "rules/rescale.h"
#include "rules/reweight.h"

namespace zeronorm {

class Fitter {
 public:
  // free: what the unpenalised columns of x are a basis of.
  Fitter(std::shared_ptr<const Design> x, const Mat& y, const FitSpec& spec, const FreeColumns& free);
  std::vector<Fitted> all();

 private:
  void one_step(std::vector<Fitted>& found);
  bool rows_carry_price() const;
  IndexList forced() const;
  PathStep step() const;
  void price_rows();
  Trace run(Rule& rule, int patience = 1, double coarse = 1);
  Problem held_out() const;
  static void multiply(Certificate& c, double factor);
  Fitted summary(const Trace& trace) const;
  void last_solution(const Trace& trace, std::vector<Fitted>& found);
  void finish(Fitted& f, std::vector<Fitted>& found);
  void leave_basis(Solution& s) const;
  Index nonzero(const Solution& s) const;
  Index support_vectors(const Solution& s) const;
  bool refuses_engine(const std::string& own, const std::string& why, std::vector<Fitted>& found);

  // fit_rounds.cpp: a sequence of surrogates
  void reweight(std::vector<Fitted>& found);
  static bool lower(const Trace& one, const Trace& other);
  Reweighting reweighting(const Vec& start) const;
  Rescaling rescaling() const;
  void rescale(std::vector<Fitted>& found);
  void project(std::vector<Fitted>& found);
  void fs_svmcp(std::vector<Fitted>& found);
  void norm(std::vector<Fitted>& found);
  void relevance(std::vector<Fitted>& found);
  void constrained(std::vector<Fitted>& found);
  void graft(std::vector<Fitted>& found);

  // fit_selections.cpp: features are chosen, then machines trained on them
  void limit_solution(std::vector<Fitted>& found);
  static void one_round(Fitted& f);
  bool keeps_gram() const;
  std::vector<Solution> machines(const std::vector<const IndexList*>& chosen, const Machine& machine) const;
  void refits(const Trace& trace, const Selection& selection, std::vector<Fitted>& found);
  Vec indicator(const IndexList& features) const;
  void rank(std::vector<Fitted>& found);
  static void take_network(const Ranking& ranking, std::size_t k, Fitted& f);
  void boxed(std::vector<Fitted>& found);
  void discriminated(std::vector<Fitted>& found);

  // fit_scales.cpp: features are scaled
  bool refuses_scales(std::vector<Fitted>& found);
  Problem rows_that_count() const;
  std::unique_ptr<GramMap> gram_of(const Problem& part) const;
  void scaled_features(std::vector<Fitted>& found);
  IndexList void_columns(const Design& x) const;
  void aligned_features(std::vector<Fitted>& found);
  void adapted_features(std::vector<Fitted>& found);
  Solution scaled_solution(const Vec& theta, double C) const;
  void settle_by_prices(const Adaptive& what, double C, Solution& s) const;
  void joint_features(std::vector<Fitted>& found);
  void train_kernel(const Vec& theta, double C, Fitted& f) const;

  const FitSpec& spec_;
  const FreeColumns& free_;
  std::shared_ptr<const Design> x_;  // as given, and y; problems may have further rows and columns
  Mat y_;
  Vec lower_, upper_;      // of the decision values, in regression
  IndexList observation_;  // that the rows of the problems come from; empty: one each
  Index d_;
  Vec weights_;  // of the rows of the problems
  bool slack_columns_;
  Problem problem_, plain_;
  std::unique_ptr<KeptGram> kept_;  // where features are chosen and machines trained on them
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Constrain> constrain_;
  std::size_t step_ = 0;
  IndexList grafted_;  // features of the last step
};

}  // namespace zeronorm
