// From a method's description to its fitted solutions: what the R side asks for, and what it gets back.
#pragma once

#include "adaptive.h"
#include "alignment.h"
#include "forward.h"
#include "judge.h"
#include "minimise.h"
#include "network.h"
#include "penalty.h"
#include "refit.h"
#include "rules/arbitrary_norm.h"
#include "scaling.h"
#include "tree.h"

namespace zeronorm {

// l1 * sum_j costs_j phi(|w_j|) + ridge/2 |w|^2 + loss * sum_i weights_i xi_i
struct PathStep {
  double l1 = 0, ridge = 0, loss = 1;
};

// ranking: the features of the largest scores; admit: as many of them as serve held-out rows; forward: by
// least squares, one at a time; graft: by the slopes of the loss; constrain: what a multiplier of l1 leads to.
enum class RuleKind {
  convex,
  reweight,
  rescale,
  project,
  fs_svmcp,
  norm,
  relevance,
  eliminate,
  ranking,
  admit,
  forward,
  graft,
  alma,
  scaling,
  alignment,
  constrain,
  potential,
  discriminate,
  adaptive,
  joint
};

// What y is: two classes (n x 1), a column of -1/+1 per class or per label, or numbers (n x 1).
enum class Task { two_class, k_class, multi_label, regression };

struct FitSpec {
  RuleKind rule = RuleKind::convex;
  Task task = Task::two_class;
  bool joint = true;    // k classes: Weston-Watkins; else one against the rest
  double epsilon = -1;  // regression: half the width of the tube; negative: none
  Vec lower, upper;     // or bounds of each decision value in place of y
  Loss loss = Loss::hinge;
  bool hard = false;
  bool limit = false;  // a hard margin stands for the limit of large C, which data not separable have too
  bool intercept = true;
  Vec weights;  // of the rows
  Vec costs;    // multipliers of l1; empty: ones
  std::vector<IndexList>
      sharing;   // features that share the price of each column; costs are theirs; empty: none
  Vec held_out;  // weights of rows that judge the rounds of reweight and rescale; empty: the last round counts
  IndexList unpenalized;  // outside the regulariser
  IndexList keep;         // never dropped
  IndexList constant;     // columns that carry nothing
  EngineChoice engine;
  std::vector<PathStep> path;
  bool kernel = false;

  // reweight
  std::vector<Penalty> schedule;
  std::vector<Vec> starts;  // of the magnitudes; the best end counts
  double settled = 0;       // moves of magnitudes that end the rounds
  // exactly so many features, then a machine on them (its C 0: that of the step); machine: of the limit too
  IndexList sizes;
  bool refit = true;
  Machine machine;
  // rescale
  bool l1_step = false;
  Vec multiplicity;  // of the columns; empty: ones
  Index switch_features = 0;
  int switch_round = 0;
  bool rescale_features = true;
  std::string errors = "none";  // none, zero, l1, l2
  double lambda = 1;
  bool literal = true;
  // project
  std::function<Mat(const Vec&)> rescaled_kernel;
  // fs_svmcp
  std::vector<double> C_grid;
  std::vector<int> folds;
  // norm: one for each step; norm and relevance: observations that are no points of an expansion
  std::vector<NormPenalty> norms;
  IndexList left_out;
  // eliminate
  double drop = 0.5;  // the share or number of features that go in a round
  IndexList group;    // of each feature; empty: none
  bool group_mean = false;
  bool retrain = false;  // without each feature
  Judge judge = Judge::weight;
  Bounding bounding;
  bool saliency = false;  // features count by second derivatives, of a network where it has hidden units
  Network network;
  // ranking
  std::string score = "weights";  // of the machine of the path; or correlation, or tree
  Vec case_weights;               // of the rows in moments
  // admit: the first fold judges
  int patience = 5;
  double tolerance = 0;
  // forward; a ranking by a tree
  Forward forward;
  Tree tree;
  // graft
  double l0 = 0, norm = 0;  // prices of a feature, and of |w|
  // alma
  std::vector<double> accuracies;  // one for each step
  // scaling
  Scaling scaling;
  // one for each step: bounds of the norm for constrain, of each coefficient for potential, C for discriminate,
  // whose prior is the price of l1, and the price of scales for joint
  std::vector<double> targets;
  bool fisher = false;
  // alignment, joint, and scaling with a kernel: x holds the points as the kernel sees them
  bool points = false;
  KernelForm form;
  std::vector<Alignment> alignments;  // one for each step, and
  std::vector<Adaptive> adaptives;    // so here

  Stop stop;
  std::function<void(double)> progress;  // told which share of the path is done
};

struct Fitted {
  Solution solution;          // on the standardised columns, without slack columns
  Vec scales;                 // theta where a kernel scales features: then w is the expansion
  std::vector<Round> rounds;  // of the search that led to it
  StopReason stop = StopReason::converged;
  std::size_t step = 0;
  Index size = -1;          // asked for, or -1
  bool stationary = false;  // the certificate is not that of the method's objective
  double C = kInf;          // chosen by fs_svmcp and scaling; by constrain the multiplier
  Vec importance;           // of the features, where it is not |w|
  Vec network;              // where the machine is one: its numbers, see network.h
  IndexList ranking;        // of the features, the best first; only with the first solution of a step
  Vec expansion;            // of the scales, found by project
  Index nonzero = 0;        // features that the method counts
  Index support_vectors = 0;
  bool relative =
      false;  // of several outputs only differences count, so that intercepts are free to move together
};

// Costs per unit of loss, so that a path changes the surrogate and every engine stays warm.
Surrogate first_surrogate(const FitSpec& spec, const PathStep& step, Index d);

// x: the standardised data. One Fitted per step and size, in this order.
std::vector<Fitted> fit(std::shared_ptr<const Design> x, const Mat& y, const FitSpec& spec);

}  // namespace zeronorm
