// The driver of all methods: it sets up the problem and offers what methods share.
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

// The objective at one step of the path:
//   l1 * sum_j costs_j phi(|w_j|) + ridge/2 |w|^2 + loss * sum_i weights_i xi_i
struct PathStep {
  double l1 = 0, ridge = 0, loss = 1;
};

// The type of y: two classes (n x 1), a column of -1/+1 per class or per label, or numbers (n x 1).
enum class Task { two_class, k_class, multi_label, regression };

// The observations, features and path that every method gets.
struct CommonOptions {
  Task task = Task::two_class;
  // Whether several classes use the Weston-Watkins loss; otherwise one-against-rest.
  bool joint = true;
  // Half the width of the tube in regression; negative means no tube.
  double epsilon = -1;
  // Bounds of each decision value, in place of y.
  Vec lower, upper;
  Loss loss = Loss::hinge;
  bool hard = false;
  // Whether a hard margin means the limit of large C, which also exists for classes that are not separable.
  bool limit = false;
  bool intercept = true;
  // The weights of the rows.
  Vec weights;
  // The weights of the rows in means and variances.
  Vec case_weights;
  // Factors of the l1 cost; empty means ones.
  Vec costs;
  // The features that share the cost of each column, to which costs then refer; empty means none.
  std::vector<IndexList> sharing;
  // Weights of the held-out rows that select an iteration of a search; empty means that the last iteration is used.
  Vec held_out;
  // The columns outside the regulariser.
  IndexList unpenalized;
  // The features that are never dropped.
  IndexList keep;
  // The constant columns, which are left out.
  IndexList constant;
  // The observations that are no points of an expansion.
  IndexList left_out;
  EngineChoice engine;
  std::vector<PathStep> path;
  // Whether x is a kernel matrix.
  bool kernel = false;
  // Whether x holds the points at which the kernel of this form is evaluated.
  bool points = false;
  KernelForm form;
  // Target numbers of features, each followed by a refit.
  IndexList sizes;
  bool refit = true;
  // The classifier of the refit; C = 0 means that of the step.
  ClassifierSpec refit_model;
  Stop stop;
  // Called with the share of the path that is done.
  std::function<void(double)> progress;
};

CommonOptions read_common(const Options& options);
Loss read_loss(const Options& options);

// Returns the first surrogate. Costs are per unit of loss: along a path only the surrogate changes, so that engines
// keep their warm start.
Surrogate first_surrogate(const CommonOptions& common, const PathStep& step, Index d);

struct Fitted {
  // The solution on the standardised columns, without the columns of margin violations.
  Solution solution;
  // The scales theta of features in a kernel; w is then the expansion.
  Vec scales;
  // The iterations of the search that led to the solution.
  std::vector<Round> rounds;
  StopReason stop = StopReason::converged;
  std::size_t step = 0;
  // The target number of features, or -1.
  Index size = -1;
  // Whether the certificate is not that of the objective of the method.
  bool stationary = false;
  // The value that the method chose: C or a multiplier.
  double C = kInf;
  // The importance of the features if it is not |w|.
  Vec importance;
  // The weights of a network, if the solution is one; see network.h.
  Vec network;
  // The number of hidden units of the network.
  Index hidden = 0;
  // All features, the best first; only with the first solution of a step.
  IndexList ranking;
  // The expansion of the scales in the projected form of AROM.
  Vec expansion;
  // The number of features as the method counts them.
  Index nonzero = 0;
  Index support_vectors = 0;
  // Whether only differences between outputs matter, so that all intercepts may move together.
  bool relative = false;
};

class Fitting {
 public:
  // Sets up the problem; x holds the standardised data.
  Fitting(std::shared_ptr<const Design> x, const Mat& y, const CommonOptions& common, Method& method);
  // Returns one solution per step and size, in this order.
  std::vector<Fitted> all();

  // --- what a method reads ---
  const CommonOptions& common() const { return common_; }
  const Design& x() const { return *x_; }
  const Mat& y() const { return y_; }
  Index columns() const { return d_; }
  // The weights of the rows of the problems.
  const Vec& row_weights() const { return weights_; }
  // The problem of the search.
  const Problem& problem() const { return problem_; }
  // The problem without columns of margin violations.
  const Problem& plain() const { return plain_; }
  Engine& engine() { return *engine_; }
  void restore_engine() { engine_->setup(problem_); }
  std::size_t step_number() const { return step_; }
  PathStep step() const;
  const PathStep& given_step() const { return common_.path[step_]; }
  Surrogate start() const { return first_surrogate(common_, step(), d_); }
  IndexList forced() const;
  // Returns the problem on the rows of positive weight.
  Problem rows_that_count() const;

  // --- what methods share ---
  // Runs minimise() with this rule; with held-out rows it returns the iteration that predicts them best.
  Trace run(Rule& rule, int patience = 1, double coarse = 1);
  // Adds the last solution of a search as the result.
  Fitted& last_solution(const Trace& trace, bool stationary = false);
  // Adds the classifiers on the features that a search selected.
  void refits(const Trace& trace, const Selection& selection);
  // Trains classifiers on sets of features, from the smallest set on; a null pointer means no classifier.
  std::vector<Solution> train(const std::vector<const IndexList*>& chosen, const ClassifierSpec& spec) const;
  // Trains the kernel classifier on features with these scales.
  void train_kernel(const Vec& theta, double C, Fitted& f) const;
  std::unique_ptr<GramMap> gram_of(const Problem& part) const;
  // Returns the columns that add the same value to the kernel of every pair.
  IndexList void_columns(const Design& x) const;
  // Adds a solution: scales the objectives of the iterations, sets zeros, and counts features and support vectors.
  Fitted& finish(Fitted f, bool costs_in_rounds = true);
  // Returns the solutions of this step so far.
  std::vector<Fitted*> of_step();
  Fitted& first_of_step() { return *of_step().front(); }
  // Returns the search without its vectors of length d.
  Fitted summary(const Trace& trace) const;
  static void one_round(Fitted& f);
  static void multiply(Certificate& c, double factor);
  // Adds a refusal and returns true if an engine other than the own one of the method (empty: none) was named.
  bool refuses_engine(const std::string& own, const std::string& why);
  // Returns a vector with 1 at the features and 0 elsewhere.
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
  // A basis of the unpenalised columns, which replaces them in x.
  FreeColumns free_;
  std::shared_ptr<const Design> x_;
  Mat y_;
  // Bounds of the decision values in regression.
  Vec lower_, upper_;
  // The observation of each row of the problems; empty if the rows are the observations.
  IndexList observation_;
  Index d_;
  Vec weights_;
  bool slack_columns_;
  Problem problem_, plain_;
  // Used if features are selected and classifiers trained on them.
  std::unique_ptr<KeptGram> kept_;
  std::unique_ptr<Engine> engine_;
  std::size_t step_ = 0;
  std::vector<Fitted> found_;
};

}  // namespace zeronorm
