#' Importance of features in a decision tree
#'
#' Grows a decision tree: each node is split by the feature and threshold, \eqn{x_j \le t}, that lower its
#' impurity most, as long as any does. The importance of a feature is what its splits lower the mean
#' impurity by,
#' \deqn{\sum_{nodes\ split\ on\ j} \frac{n_{node}}{n} \left( H(Y) - H(Y | x_j \le t) \right)}
#' which for `split = "information"` is the mutual information, in bits, between Y and the answers to the
#' questions about \eqn{x_j}; for `split = "error"` H is the share of rows that are not of the most frequent
#' class, and in regression the mean squared deviation. The features of the tree are the ones selected; the
#' classifier is trained on them.
#'
#' Features that no split uses follow in the [feature_ranking()] by what they would have lowered the impurity of
#' all rows by as the first question of the tree. Of equally good splits the first column and the lowest
#' threshold are taken. Of several labels the impurities are summed. [feature_importance()] of the fit is that of
#' the tree, and the objective in [rounds()] is the mean impurity left at each depth.
#'
#' @param nonzero target numbers of features, the most important first; `"path"`: all, half of them, a
#'   quarter, ..., 1; NULL: those that the tree uses. Features named `keep` or `unpenalized` in [zeronorm()]
#'   count and come first.
#' @param split impurity: `"information"`, the entropy of the classes, or `"error"`.
#' @param depth of the tree: the largest number of questions one after the other; 1 ranks features by their
#'   mutual information with y.
#' @param leaf least number of observations (sum of weights) of a leaf.
#' @inheritParams correlation_filter
#' @param refit the machine trained on the selected features: `"l2"`, `"l1"`, or least squares, `"ls"`. In
#'   regression `"l2"` and `"l1"` are least squares with that norm.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). *Classification and Regression
#' Trees*. Wadsworth and Brooks.
#'
#' Quinlan, J. R. (1986). Induction of decision trees. *Machine Learning* 1, 81-106.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, 137-165. Springer.
#' @examples
#' fit <- zeronorm(iris[1:4], iris$Species, tree_importance(depth = 2))
#' selected(fit)
#' feature_importance(fit)
#' feature_ranking(fit)
#' @concept methods by adding features
#' @export
tree_importance <- function(nonzero = NULL, split = "information", depth = Inf, leaf = 1, refit = "l2",
                            refit_C = Inf, refit_multiclass = "ovr") {
  args <- arguments()
  split <- check_choice(split, "split", c("information", "error"))
  # 0 stands for any.
  depth <- if (identical(depth, Inf)) 0L else check_count(depth, "depth")
  new_method("tree_importance", "tree importance", args, tuning = data.frame(row.names = 1L),
             steps = new_steps(0, 1, 1), reference = "Breiman, Friedman, Olshen and Stone (1984)",
             family = "tree", model = new_model(loss = "squared"),
             selection = new_selection(args, c("l2", "l1", "ls")),
             core = list(split = split, depth = depth, leaf = check_number(leaf, "leaf", open_lower = TRUE)),
             declares = declare(all_tasks, c(class_tasks, if (split == "error") "regression"), first = TRUE))
}
