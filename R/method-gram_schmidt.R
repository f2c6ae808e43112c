# Features that join a least-squares fit one at a time.

#' Forward selection by least squares
#'
#' `forward_ls()` regresses the residuals on each feature alone, adds the feature that explains most of
#' them, fits all features chosen anew by least squares, and repeats (orthogonal matching pursuit):
#' \deqn{j = \arg\max_j \cos^2(r, x_j), \quad r = y - \hat y_S, \quad S \leftarrow S \cup \{j\}}
#' `gram_schmidt()` first takes out of every feature what the chosen ones explain,
#' \deqn{j = \arg\max_j \cos^2(r, P_S x_j)}
#' with the projection \eqn{P_S} on what the features of S cannot explain: the feature is added that leaves
#' the least residual sum of squares (stepwise least squares).
#'
#' Two classes are fitted as -1 and +1; of several classes, or labels, each is one target against the rest,
#' and the squared cosines of all targets are summed. With an intercept, cosines are those of centred
#' columns, so that the scale of features is of no account. A feature that the chosen ones explain to one
#' part in 1e7 never joins. Once nothing of y is left, no feature joins either, and larger numbers in
#' `nonzero` give the same model. Of equally good features the first column joins.
#'
#' @section Stopping:
#' Without a test there is a model for each number in `nonzero`. With k directions in the model (the
#' intercept counts) and \eqn{\nu = n - k}, the squared cosine of a random feature follows
#' \eqn{\mbox{Beta}(1/2, (\nu - 1)/2)}; p is the probability that it exceeds that of the best feature.
#'
#' `"probe"`: features join as long as the probability that a random feature would have joined before,
#' \eqn{1 - \prod (1 - p)} over all steps so far, is at most `level`. The steps are taken to be independent,
#' which makes it a little too large. With `probes = m` it is tried, not computed: m normal columns are drawn
#' with R's random numbers, and their share that would have joined counts.
#'
#' `"fisher"`: as long as p, which is the p-value of the F test of the feature, is at most `level`.
#'
#' `"loo"`: as long as the mean squared leave-one-out residual, the mean of \eqn{(r_i / (1 - h_{ii}))^2},
#' falls.
#'
#' n is the sum of the weights: an observation of weight 2 counts as two, also when one is left out.
#'
#' `backward` then drops features of each model one at a time, each time the one without which the residual
#' sum of squares rises least: as long as its F test has a p-value above `level` (`"fisher"`), or as long as
#' the leave-one-out residual does not rise (`"loo"`). The model has fewer features than `nonzero` asks for.
#'
#' @param nonzero target numbers of features, or `"path"`: all, half of them, a quarter, ..., 1. Features
#'   named `keep` or `unpenalized` in [zeronorm()] count, and are in the model from the start. With a test
#'   in `stop` it may be left out, and is the largest number of features.
#' @param refit the machine trained on the selected features: `"ls"`, least squares, or a support vector
#'   machine `"l2"` or `"l1"` (in regression least squares with that norm).
#' @param refit_C its C; for support vector machines Inf means the smallest sum of margin violations first,
#'   then the
#'   smallest norm.
#' @param refit_multiclass for several classes and `refit = "l2"` or `"l1"`: `"ovr"`, each against the rest,
#'   or `"m_svm"`, see [m_svm()].
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()]. The objective in [rounds()] is
#'   the residual sum of squares.
#' @references
#' Chen, S., Billings, S. A. and Luo, W. (1989). Orthogonal least squares methods and their application to
#' non-linear system identification. *International Journal of Control* 50, 1873-1896.
#'
#' Stoppiglia, H., Dreyfus, G., Dubois, R. and Oussar, Y. (2003). Ranking a random feature for variable and
#' feature selection. *JMLR* 3, 1399-1414.
#'
#' Rivals, I. and Personnaz, L. (2003). MLPs (mono-layer polynomials and multi-layer perceptrons) for
#' nonlinear modeling. *JMLR* 3, 1383-1398.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction:
#' Foundations and Applications*, 137-165. Springer.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 50), 60)
#' y <- x[, 1] - x[, 2] + rnorm(60)
#' fit <- zeronorm(x, y, gram_schmidt(nonzero = c(4, 2)))
#' coef(fit, nonzero = 2)[1:3]
#' selected(zeronorm(x, y > 0, forward_ls(nonzero = 2)))
#'
#' # As many features as are better than a random one.
#' selected(zeronorm(x, y, gram_schmidt(stop = "probe")))
#'
#' # Products of features, those that do not help dropped again.
#' z <- x[, 1:5]
#' y <- z[, 1] * z[, 2] + 0.1 * rnorm(60)
#' selected(zeronorm(z, y, gram_schmidt(5, degree = 2, backward = "loo")))
#' @export
forward_ls <- function(nonzero, refit = "ls", refit_C = Inf, refit_multiclass = "ovr") {
  args <- arguments(needed_sizes)
  new_forward("forward_ls", "forward least squares", args,
              core = list(residualise = FALSE, stop = "none", backward = "none", level = 1, most = 0L, probes = 0L))
}

#' @rdname forward_ls
#' @param stop what ends the search: `"none"`, `"probe"`, `"fisher"` or `"loo"`, see below.
#' @param level of `"probe"` and `"fisher"`.
#' @param probes for `stop = "probe"`: how many random columns to draw; 0 takes their distribution. With
#'   several classes or labels only drawn ones and `stop = "loo"` are to be had.
#' @param degree above 1: the features are all monomials of the standardised features up to this degree, see
#'   [quadratic_fsv()].
#' @param backward whether features are dropped again: `"none"`, `"fisher"` or `"loo"`.
#' @concept methods by adding features
#' @export
gram_schmidt <- function(nonzero, stop = "none", level = 0.05, probes = 0, degree = 1, backward = "none",
                         refit = "ls", refit_C = Inf, refit_multiclass = "ovr") {
  check_argument_names()
  stop <- check_choice(stop, "stop", c("none", "probe", "fisher", "loo"))
  if (missing(nonzero) && stop != "none") nonzero <- NULL
  args <- arguments(needed_sizes)
  backward <- check_choice(backward, "backward", c("none", "fisher", "loo"))
  probes <- check_count(probes, "probes", lower = 0)
  most <- if (stop == "none") 0L else check_most(nonzero)
  single <- stop == "fisher" || backward == "fisher" || (stop == "probe" && probes == 0)
  degree <- expansion_degree(degree)
  new_forward("gram_schmidt", "Gram-Schmidt orthogonalisation", args,
              core = list(residualise = TRUE, stop = stop, backward = backward, most = most,
                          level = check_number(level, "level", upper = 1),
                          probes = if (stop == "probe") probes else 0L),
              degree = degree, takes = if (single) c("two-class", "regression") else all_tasks)
}

# Where a test ends the search, `nonzero` is its limit and no number to cut to.
new_forward <- function(name, label, args, core, degree = NULL, takes = all_tasks) {
  tested <- core$stop != "none"
  new_method(name, label, args, tuning = data.frame(row.names = 1L), steps = new_steps(0, 1, 1),
             reference = "Lal, Chapelle, Weston and Elisseeff (2006)", family = "forward",
             model = new_model(loss = "squared", degree = degree),
             selection = new_selection(if (tested) args[names(args) != "nonzero"] else args, c("ls", "l2", "l1"),
                                       path = !tested),
             core = core,
             declares = declare(all_tasks, takes, first = TRUE, max_features = most_expandable(degree)))
}

# The largest number of features where a test ends the search.
check_most <- function(nonzero) {
  if (is.null(nonzero) || identical(nonzero, "path")) return(.Machine$integer.max)
  check_count(nonzero, "nonzero")
}

# With random columns that compete with the features.
prepare_problem.zeronorm_forward <- function(method, problem) {
  count <- method$core$probes
  if (count > 0) problem$probes <- matrix(stats::rnorm(problem$n * count), problem$n)
  problem
}

core_options.zeronorm_forward <- function(method, problem, steps) {
  utils::modifyList(method$core, list(probes = problem$probes))
}
