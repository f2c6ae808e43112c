// The driver of all methods: it sets the problem up, and offers what methods share.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/kept_gram.h"
#include "loop/minimise.h"
#include "loop/refit.h"
#include "loop/selection.h"
#include "methods/method.h"
#include "methods/scales/radius_margin.h"
#include "methods/scales/scaled_kernel.h"
#include "problem/free_columns.h"
#include "problem/problem.h"

namespace zeronorm {

// l1 * sum_j costs_j phi(|w_j|) + ridge/2 |w|^2 + loss * sum_i weights_i xi_i
struct PathStep {
  double l1 = 0, ridge = 0, loss = 1;
};

// What y is: two classes (n x 1), a column of -1/+1 per class or per label, or numbers (n x 1).
enum class Task { two_class, k_class, multi_label, regression };

// What every method is told of the observations, the features and the path.
struct CommonOptions {
  Task task = Task::two_class;
  bool joint = true;    // several classes: Weston-Watkins; else one against the rest
  double epsilon = -1;  // regression: half the width of the tube; negative: none
  Vec lower, upper;     // or bounds of each decision value in place of y
  Loss loss = Loss::hinge;
  bool hard = false;
  bool limit = false;  // a hard margin stands for the limit of large C, which data not separable have too
  bool intercept = true;
  Vec weights;       // of the rows
  Vec case_weights;  // of the rows in moments
  Vec costs;         // multipliers of l1; empty: ones
  std::vector<IndexList>
      sharing;            // features that share the cost of each column; costs are theirs; empty: none
  Vec held_out;           // weights of rows that judge the rounds of a search; empty: the last round counts
  IndexList unpenalized;  // outside the regulariser
  IndexList keep;         // never dropped
  IndexList constant;     // columns that carry nothing
  IndexList left_out;     // observations that are no points of an expansion
  EngineChoice engine;
  std::vector<PathStep> path;
  bool kernel = false;  // x is a kernel matrix
  bool points = false;  // x holds the points as the kernel of this form sees them
  KernelForm form;
  IndexList sizes;  // exactly so many features, then a refit on them
  bool refit = true;
  Machine machine;  // of the refit; its C 0: that of the step
  Stop stop;
  std::function<void(double)> progress;  // told which share of the path is done
};

CommonOptions read_common(const Options& options);
Loss read_loss(const Options& options);

// Costs per unit of loss, so that a path changes the surrogate and every engine stays warm.
Surrogate first_surrogate(const CommonOptions& common, const PathStep& step, Index d);

struct Fitted {
  Solution solution;          // on the standardised columns, without slack columns
  Vec scales;                 // theta where a kernel scales features: then w is the expansion
  std::vector<Round> rounds;  // of the search that led to it
  StopReason stop = StopReason::converged;
  std::size_t step = 0;
  Index size = -1;          // asked for, or -1
  bool stationary = false;  // the certificate is not that of the method's objective
  double C = kInf;          // what the method chose: C, or a multiplier
  Vec importance;           // of the features, where it is not |w|
  Vec network;              // where the solution is a network: its numbers, see network.h, and
  Index hidden = 0;         // its hidden units
  IndexList ranking;        // of the features, the best first; only with the first solution of a step
  Vec expansion;            // of the scales, in the projected form of AROM
  Index nonzero = 0;        // features that the method counts
  Index support_vectors = 0;
  // Only differences between outputs count, so that all intercepts may move together.
  bool relative = false;
};

class Fitting {
 public:
  // x: the standardised data.
  Fitting(std::shared_ptr<const Design> x, const Mat& y, const CommonOptions& common, Method& method);
  // One solution per step and size, in this order.
  std::vector<Fitted> all();

  // --- what a method sees ---
  const CommonOptions& common() const { return common_; }
  const Design& x() const { return *x_; }
  const Mat& y() const { return y_; }
  Index columns() const { return d_; }
  const Vec& row_weights() const { return weights_; }  // of the rows of the problems
  const Problem& problem() const { return problem_; }  // of the search
  const Problem& plain() const { return plain_; }      // without slack columns
  Engine& engine() { return *engine_; }
  void restore_engine() { engine_->setup(problem_); }
  std::size_t step_number() const { return step_; }
  PathStep step() const;
  const PathStep& given_step() const { return common_.path[step_]; }
  Surrogate start() const { return first_surrogate(common_, step(), d_); }
  IndexList forced() const;
  // The rows of positive weight.
  Problem rows_that_count() const;

  // --- what methods share ---
  // The loop with this rule; with rows held out, the iteration that predicts them best.
  Trace run(Rule& rule, int patience = 1, double coarse = 1);
  // The last solution of a search is the answer.
  Fitted& last_solution(const Trace& trace, bool stationary = false);
  // The classifiers on the features that a search has selected.
  void refits(const Trace& trace, const Selection& selection);
  // Classifiers on sets of features, from the smallest set on; a null pointer: none.
  std::vector<Solution> train(const std::vector<const IndexList*>& chosen, const Machine& machine) const;
  // The kernel classifier on features with these scales.
  void train_kernel(const Vec& theta, double C, Fitted& f) const;
  std::unique_ptr<GramMap> gram_of(const Problem& part) const;
  // Columns that add the same to the kernel of every pair.
  IndexList void_columns(const Design& x) const;
  // Adds a solution: rounds on the scale of the objective, zeros, errors and support vectors.
  Fitted& finish(Fitted f, bool costs_in_rounds = true);
  // The solutions of this step so far.
  std::vector<Fitted*> of_step();
  Fitted& first_of_step() { return *of_step().front(); }
  // The search without its vectors of length d.
  Fitted summary(const Trace& trace) const;
  static void one_round(Fitted& f);
  static void multiply(Certificate& c, double factor);
  // Where an engine is named other than the one that the method has (empty: none), the answer is a refusal.
  bool refuses_engine(const std::string& own, const std::string& why);
  // 1 at the features, 0 elsewhere.
  Vec indicator(const IndexList& features) const;

 private:
  Problem held_out() const;
  void price_rows();
  bool rows_carry_cost() const;
  bool keeps_gram() const;
  void leave_basis(Solution& s) const;
  Index nonzero(const Solution& s) const;
  Index support_vectors(const Solution& s) const;

  const CommonOptions& common_;
  Method& method_;
  FreeColumns free_;  // what the unpenalised columns of x are a basis of
  std::shared_ptr<const Design> x_;
  Mat y_;
  Vec lower_, upper_;      // of the decision values, in regression
  IndexList observation_;  // that the rows of the problems come from; empty: one each
  Index d_;
  Vec weights_;
  bool slack_columns_;
  Problem problem_, plain_;
  std::unique_ptr<KeptGram> kept_;  // where features are selected and classifiers trained on them
  std::unique_ptr<Engine> engine_;
  std::size_t step_ = 0;
  std::vector<Fitted> found_;
};

}  // namespace zeronorm
