# Bounds on the number of features that two classes need, each with its proof.

#' Prove how few features can separate two classes
#'
#' Bounds the smallest number of features that separate two classes,
#' \deqn{\min_{w, b} |w|_0 \quad \textrm{subject to} \quad y_i (x_i'w + b) > 0 \textrm{ for all } i,}
#' or all but `errors` observations, or with a sum of hinge losses of at most `hinge`: from below by a proof,
#' and from above by a set of features that does it. Use it to learn whether a fit with few features could
#' have fewer still. It says nothing about new observations; see [cv_zeronorm()] for that.
#'
#' All single features are looked at, then all pairs, all triples and so on, as far as `seconds` reach. A set
#' is refuted by a *conflict*: \eqn{a \ge 0} that sums to one in each class and whose \eqn{X'(y a)} vanishes
#' on the set, so that the convex hulls of the classes meet there. A few conflicts of a set refute nearly
#' every feature that could be added to it, at a few operations each, so that all pairs of 7,129 genes take
#' 0.3 s. The remaining sets are decided one by one. Sets from above come from AROM, a concave penalty and the
#' l1 norm, with superfluous features dropped.
#'
#' Few features always separate few observations. To keep you from taking five perfect genes of two thousand
#' for biology, the result reports how many sets of that size are expected to separate *random* labels of
#' points in general position (Cover 1965),
#' \deqn{{d \choose k} \, 2^{1 - n} \sum_{i=0}^{k} {n - 1 \choose i},}
#' and how often permuted labels were separated by a single feature or a pair.
#'
#' @param object the features, as a matrix, a data frame or a Bioconductor object; a formula; or a fit of a
#'   linear model by [zeronorm()], whose training data `x` and `y` then are.
#' @param x,y features and labels of two classes. With a formula `x` is the data frame. With a fit, features
#'   are matched by name and encoded as they were for the fit.
#' @param errors number of observations that may end up on the wrong side: none, or as many as for the fit.
#' @param hinge instead: a budget for the sum of the hinge losses \eqn{\sum_i (1 - y_i f(x_i))_+}.
#' @param box bound of all \eqn{|w_j|} with standardised columns and margins of one: further lower bounds,
#'   which hold in this box only (see the section).
#' @param start sets of features to begin with, as a list of names or indices.
#' @param largest the largest number of features of which all sets are looked at.
#' @param permutations how many times the labels are permuted, with random numbers from the user's stream.
#' @param seconds time limit of the whole call. The bounds found by then are returned, as they are after an
#'   interrupt.
#' @param most how many sets to return.
#' @param nonzero,s,index which solution of the fit, as in [coef.zeronorm()].
#' @param box_seconds time limit of the mixed-integer programme for `box`.
#' @param ridge,lambda,C with a `ridge`, the minimum of \eqn{\lambda |w|_0 + \frac{ridge}{2} |w|^2 + C
#'   \sum_i (1 - y_i f(x_i))_+}{lambda |w|_0 + ridge/2 |w|^2 + C sum_i (1 - y_i f(x_i))_+} with standardised
#'   columns is bounded as well, by branch and bound on the perspective relaxation: `$ridge$lower` and
#'   `$ridge$upper` bound its value, `$ridge$set` reaches the upper one. `lambda` and `C` are 1 unless given.
#' @section What is proven:
#' `$assumptions` lists what the bounds rest on. A set separates if its *relative margin* is larger than 1e-9:
#' in columns scaled to range one, for some \eqn{\max_j |w_j| = 1}, the decision values of the classes are
#' further apart than that. Where a margin is so near to 1e-9 that rounding could decide, it is computed in
#' double-double arithmetic (about 31 digits); a set that remains undecided stops the lower bound. A failed
#' search proves nothing and never raises it. Before the result is returned, every set is checked again by its
#' weights and the lower bound by new conflicts of up to 1,000 smaller sets, those next to the known sets
#' first. What fails is withdrawn.
#'
#' With a budget of hinge losses, weights are at most 2e9 in columns scaled to range one, which is what
#' margins of one take at the least relative margin. Unpenalised features of a fit are part of every set and
#' do not count.
#'
#' Bounds in a `box` are in `$box`: \eqn{\lceil \min |w|_1 / M \rceil}; the least k such that the k largest
#' \eqn{M |X'(y a)|_j} reach \eqn{1'a} for the dual solution a; and the bound of a mixed-integer programme
#' solved by HiGHS, which is not checked again and takes boxes up to 1000. `$box$lower` is the largest of
#' them, `$box$set` the programme's set, which is checked, and `$box$gap` the relative distance of its size
#' from the programme's bound (`Inf` without a set).
#' @section A strict local minimum:
#' For an SVM with hinge loss and a penalty on single features, such as [fsv()], [fw1()], [dca()], [l1_svm()]
#' or `arom("l1")` (the latter among the features it has left), \eqn{(w, b)} is a strict local minimum
#' if the linear programme with the slopes of the penalty at w as costs has no other solution: the
#' observations at the margin determine \eqn{(w, b)}, and multipliers strictly within their bounds balance
#' the costs, with a cost above \eqn{|X'(y a)|_j} for every other feature. At a kink of the penalty this has
#' to hold for its slopes on both sides. `margin` is the smallest of these distances, relative to the
#' multipliers and costs. A slope below 1e-9 of the mean slope from zero counts as none. `FALSE` means not
#' shown, `NA` that there is no such programme.
#' @return An object of class `zeronorm_proof`: `$lower` and `$upper`, the bounds (`Inf` where no set
#'   separates); `$sets`, the known sets of `$upper` features, those with the widest margin first;
#'   `$margin`, the distance of the classes along the weights of each set, in columns of range one;
#'   `$assumptions`; `$seconds`; `$scans`, a row for each number of features looked at;
#'   `$calibration`; `$history`, the bounds over time; and of a fit `$local`: its `gap`; `irreducible`,
#'   whether each of its features is needed (`NA` where that was not decided); `polished`, the size of a
#'   smaller set in its neighbourhood; `strict`, whether it is proven to be a strict local minimum (see the
#'   section), with the `margin` of that, or `why` not.
#' @references
#' Cover, T. M. (1965). Geometrical and statistical properties of systems of linear inequalities with
#' applications in pattern recognition. *IEEE Transactions on Electronic Computers* 14, 326-334.
#' @examples
#' set.seed(1)
#' proof <- certify_zero_norm(log(colon$x), colon$y, largest = 2, permutations = 5)
#' proof
#' @export
certify_zero_norm <- function(object, x, y, errors = NULL, hinge = NULL, box = NULL, start = NULL,
                              largest = Inf, permutations = 100, seconds = 60, most = 100, box_seconds = 10,
                              ridge = NULL, lambda = NULL, C = NULL, nonzero = NULL, s = NULL, index = NULL) {
  clock <- new_clock(check_number(seconds, "seconds", open_lower = TRUE))
  fit <- if (!missing(object) && inherits(object, "zeronorm")) check_result(object)
  if (is.null(fit)) {
    refuse_without("a fit", list(nonzero = nonzero, s = s, index = index))
    # certify_zero_norm(x, y) by place.
    if (!missing(object) && !missing(y)) {
      stop_zeronorm("object", paste0("is ", describe(object), "."), "Give a fit, or leave it out.")
    }
    data <- if (missing(object)) proof_data(NULL, x, y) else proof_data(NULL, object, x)
  } else {
    k <- one_solution(fit, nonzero, s, index, "certify_zero_norm()")
    check_polishable(fit, k, "certify_zero_norm()")
    data <- proof_data(fit, x, y)
  }
  if (!is.null(hinge) && !is.null(errors)) {
    stop_zeronorm("hinge", "is given together with `errors`.", "Use one of them.")
  }
  own <- if (!is.null(fit)) own_solution(fit, k, data)
  task <- new_proof_task(data, check_errors(errors, hinge, data, own), hinge)
  task$start <- lapply(if (is.null(start) || is.list(start)) start else list(start), check_variables, "start",
                       data$features)
  task$start <- lapply(task$start, as_core_columns, task)
  task$largest <- check_largest(largest)
  task$permutations <- check_count(permutations, "permutations", lower = 0)
  task$most <- check_count(most, "most")
  task[["box"]] <- check_box(box, if (!missing(box_seconds)) box_seconds, task)
  task$ridge <- check_ridge(ridge, lambda, C)
  if (!is.null(own)) {
    task$start <- c(list(as_core_columns(own$columns, task)), task$start)
    task$given <- found_by_weights(task, own)
  }
  proof <- in_memory_left(prove(task, clock))
  if (!is.null(fit)) {
    proof$local <- in_memory_left(local_certificate(fit, k, task, own, data$request, clock))
  }
  proof$seconds <- elapsed(clock)
  proof
}

# Arguments that say nothing without another one are refused.
refuse_without <- function(what, given) {
  given <- names(Filter(Negate(is.null), given))
  if (length(given)) stop_zeronorm(given[1], paste0("is given without ", what, "."), "Leave it out.")
}

check_box <- function(box, seconds, task) {
  if (is.null(box)) {
    refuse_without("`box`", list(box_seconds = seconds))
    return(NULL)
  }
  if (task$errors > 0 || task$hinge > 0 || task$always > 0) {
    stop_zeronorm("box", "is given together with `errors`, `hinge` or unpenalised features.",
                  "The bound in a box is one for separation by selected features.")
  }
  list(size = check_number(box, "box", open_lower = TRUE),
       seconds = if (is.null(seconds)) 10 else check_number(seconds, "box_seconds", open_lower = TRUE))
}

check_ridge <- function(ridge, lambda, C) {
  if (is.null(ridge)) {
    refuse_without("`ridge`", list(lambda = lambda, C = C))
    return(NULL)
  }
  list(ridge = check_number(ridge, "ridge", open_lower = TRUE),
       lambda = if (is.null(lambda)) 1 else check_number(lambda, "lambda", open_lower = TRUE),
       C = if (is.null(C)) 1 else check_number(C, "C", open_lower = TRUE))
}

# Errors that are forgiven: as given, or those of the fit.
check_errors <- function(errors, hinge, data, own) {
  if (is.null(errors)) return(if (is.null(own) || !is.null(hinge)) 0 else length(own$errors))
  errors <- check_count(errors, "errors", lower = 0)
  if (errors < smaller_class(data$y)) return(errors)
  stop_zeronorm("errors", paste0("is ", errors, ", but the smaller class has ", smaller_class(data$y),
                                 " observations."), "Forgive fewer: nothing would be left to separate.")
}

# Solution k has to be a linear model of two classes.
check_polishable <- function(fit, k, verb) {
  linear <- fit$task == "two-class" && has_features(fit) && is.null(fit$machine) && is.null(fit$polynomial) &&
    is.null(fit$networks)
  if (!linear) {
    stop_zeronorm("object", paste0("is ", fit$method$label, " for the task ", fit$task, "."),
                  paste0(verb, " takes linear models of two classes."))
  }
  if (!is_optimal(fit)[k]) {
    stop_zeronorm("object", paste0("has a solution that failed: ", fit$certificate$status[k], "."),
                  "Choose another one.")
  }
}
