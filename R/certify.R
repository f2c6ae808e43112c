# Bounds on the number of features that two classes need, and fits with fewer.

#' How far from the fewest features?
#'
#' The smallest number of features that separate two classes,
#' \deqn{\min_{w, b} |w|_0 \quad \textrm{subject to} \quad y_i (x_i'w + b) > 0 \textrm{ for all } i,}
#' or for all but `errors` observations, or with a sum of hinge losses of at most `hinge`: bounded from below
#' by a proof and from above by a set of features. All single features are looked at, then all pairs, all
#' triples and so on, as far as `seconds` reach. A set is refuted by *conflicts*: \eqn{a \ge 0} with \eqn{y'a
#' = 0} whose \eqn{X'(y a)} vanishes on it, so that the hulls of the classes meet there. A few conflicts of a
#' set refute nearly every feature that could be added to it, at a few operations each, so that millions of
#' pairs take well under a second. What they leave is solved. The set above comes from AROM, a concave penalty
#' and the l1 norm, shortened as by [polish()].
#'
#' Few features always separate few observations. So that nobody takes five perfect genes of two thousand for
#' biology, the result says how many sets of that size would separate *random* labels: as expected for points
#' in general position (Cover 1965),
#' \deqn{{d \choose k} \, 2^{1 - n} \sum_{i=0}^{k} {n - 1 \choose i},}
#' and how often permuted labels were separated by a single feature or a pair.
#'
#' @param object `x`, or a fit of a linear machine, whose training data `x` and `y` then are.
#' @param x,y a matrix or data frame, and labels of two classes.
#' @param errors observations that may end up on the wrong side: none, or as many as for the fit.
#' @param hinge instead: a budget for the sum of the hinge losses \eqn{\sum_i (1 - y_i f(x_i))_+}, for w of
#'   any size.
#' @param box bound of all \eqn{|w_j|} with standardised columns and margins of one: a further lower bound,
#'   which holds in this box alone (see the section). `box_seconds` may go into the integer programme.
#' @param start sets of features to begin with, as a list of names or indices.
#' @param largest the largest number of features of which all sets are looked at.
#' @param permutations how many times the labels are permuted, with random numbers from the user's stream.
#' @param seconds when to stop; the bounds so far are the answer. So they are after an interrupt.
#' @param most how many sets to return.
#' @param nonzero,s,index which solution of the fit, as in [coef.zeronorm()].
#' @param box_seconds see `box`.
#' @param ridge,lambda,C with a `ridge`, also the minimum of \eqn{\lambda |w|_0 + \frac{ridge}{2} |w|^2 + C
#'   \sum_i (1 - y_i f(x_i))_+}{lambda |w|_0 + ridge/2 |w|^2 + C sum_i (1 - y_i f(x_i))_+} with standardised
#'   columns, by branch and bound on the perspective relaxation, is proven in `$ridge`: `lower` and `upper`
#'   bound its value, `set` reaches the upper one.
#' @section What is proven:
#' `$assumptions` names all of it. Separation means a relative margin above 1e-9: in columns scaled to range
#' one, for some \eqn{\max_j |w_j| = 1}, no observation of a class comes closer than that to the other. The
#' lower bound needs nothing else; bounds in a `box` are apart in `$box`, with the box beside them. In the box
#' they are the largest of \eqn{\lceil \min |w|_1 / M \rceil}, of the least k such that the k largest \eqn{M
#' |X'(y a)|_j} reach \eqn{1'a} for the dual solution a, and of the mixed-integer programme, whose set is
#' checked again by solving for it: `$box` has the three bounds, this `set` and the `gap` between it and the
#' programme's bound, relative to its size (`Inf` without a set).
#' @section A strict local minimum:
#' Of a machine with hinge loss and prices of single features, such as [fsv()], [fw1()], [dca()], [l1_svm()]
#' or `arom("l1")` (the latter among the features it has left), \eqn{(w, b)} is a strict local minimum
#' where the linear programme with the slopes of the penalty at w as prices has no other solution: the
#' observations at the margin determine \eqn{(w, b)}, and multipliers strictly within their bounds balance
#' the prices, with a price above its pull \eqn{|X'(y a)|_j} for every other feature. At a kink of the
#' penalty this has to hold for its slopes on both sides. `margin` is the smallest of these distances,
#' relative to the multipliers and prices. A slope below 1e-9 of what the penalty has risen by on the way from
#' zero counts as none. `FALSE` means not shown, `NA` that there is no such programme.
#' @return An object of class `zeronorm_proof`: `$lower` and `$upper`, the bounds (`Inf` where no set
#'   separates); `$sets`, the sets of `$upper` features that are known, those with the widest margin first;
#'   `$margin`, theirs; `$assumptions`; `$seconds`; `$scans`, a row for each number of features looked at;
#'   `$calibration`; `$history`, the bounds over time; and of a fit `$local`: its `gap`; `irreducible`,
#'   whether each of its features is needed; `polished`, the size of a smaller set in its neighbourhood;
#'   `strict`, whether it is proven to be a strict local minimum (see the section), with the `margin` of that,
#'   or `why` not.
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
                              ridge = NULL, lambda = 1, C = 1, nonzero = NULL, s = NULL, index = NULL) {
  fit <- if (!missing(object) && inherits(object, "zeronorm")) object
  # certify_zero_norm(x, y) by place.
  if (is.null(fit) && !missing(object)) {
    if (missing(y) && !missing(x)) y <- x
    x <- object
  }
  if (missing(x)) stop_zeronorm("x", "is missing.", "Give a matrix with a row for every observation.")
  if (missing(y)) stop_zeronorm("y", "is missing.", "Give one label for every row of `x`.")
  if (!is.null(fit)) {
    check_result(fit)
    k <- one_solution(fit, nonzero, s, index, "certify_zero_norm()")
    check_polishable(fit, "certify_zero_norm()")
    columns <- selected_columns(fit, k)
    if (is.null(errors) && is.null(hinge)) errors <- training_errors(fit, x, y, k)
  }
  task <- new_proof_task(x, y, if (is.null(errors)) 0 else errors, hinge)
  task$start <- lapply(if (is.null(start) || is.list(start)) start else list(start), check_columns, "start",
                       task$names, ncol(task$x))
  if (!is.null(box)) task[["box"]] <- check_number(box, "box", open_lower = TRUE)
  task$largest <- check_largest(largest)
  task$permutations <- check_count(permutations, "permutations", lower = 0)
  task$seconds <- check_number(seconds, "seconds", open_lower = TRUE)
  task$box_seconds <- check_number(box_seconds, "box_seconds", open_lower = TRUE)
  task$most <- check_count(most, "most")
  if (!is.null(ridge)) {
    task$ridge <- list(ridge = check_number(ridge, "ridge", open_lower = TRUE),
                       lambda = check_number(lambda, "lambda", open_lower = TRUE),
                       C = check_number(C, "C", open_lower = TRUE))
  }
  if (is.null(fit)) return(in_memory_left(prove(task)))
  task$start <- c(list(columns), task$start)
  proof <- in_memory_left(prove(task))
  proof$local <- in_memory_left(local_certificate(fit, k, task, columns, x, y))
  proof
}

# Observations on the wrong side, of any weight.
training_errors <- function(fit, x, y, k) {
  link <- predict(fit, x, "link", index = k)
  class <- encode_y(y, length(link), "auto")$y
  sum(link * class <= 0)
}

check_polishable <- function(fit, verb) {
  linear <- fit$task == "two-class" && has_features(fit) && is.null(fit$machine) && is.null(fit$polynomial) &&
    is.null(fit$networks)
  if (linear) return(invisible())
  stop_zeronorm("object", paste0("is ", fit$method$label, " for the task ", fit$task, "."),
                paste0(verb, " takes linear machines of two classes."))
}

# The data as the core takes them.
new_proof_task <- function(x, y, errors, hinge) {
  x <- encode_x(x)
  if (is_delayed(x$x)) stop_zeronorm("x", "is on a disk.", "Give a matrix in memory.")
  labels <- encode_y(y, nrow(x$x), "classification")
  if (labels$task != "two-class") stop_zeronorm("y", "has several classes.", "Give labels of two classes.")
  if (!is.null(hinge) && errors > 0) {
    stop_zeronorm("hinge", "is given together with `errors`.", "Use one of them.")
  }
  errors <- check_count(errors, "errors", lower = 0)
  hinge <- if (is.null(hinge)) 0 else check_number(hinge, "hinge", lower = 0)
  values <- as.matrix(x$x)
  storage.mode(values) <- "double"
  dimnames(values) <- NULL
  if (min(sum(labels$y > 0), sum(labels$y < 0)) <= errors) {
    stop_zeronorm("errors", paste0("is ", errors, ", as many as the smaller class has observations."),
                  "Forgive fewer: nothing would be left to separate.")
  }
  list(x = values, y = as.double(labels$y), names = x$names, errors = errors, hinge = hinge)
}

core_task <- function(task, y = task$y) list(x = task$x, y = y, errors = task$errors, hinge = task$hinge)

fits <- function(task, sets, seconds = Inf) fits_core(core_task(task), sets, seconds)

# --- the ladder ---

# The state is kept aside, so that whatever stops the work leaves the bounds so far.
prove <- function(task) {
  state <- new.env()
  state$clock <- proc.time()[[3]]
  state$lower <- 1
  state$upper <- Inf
  state$sets <- list()
  state$scans <- list()
  state$history <- NULL
  state$stopped <- NULL
  tryCatch({
    note_bounds(state)
    bound_above(task, state)
    scan_sizes(task, state)
    if (!is.null(task[["box"]])) state$box <- bound_in_box(task, state)
    if (!is.null(task$ridge)) state$ridge <- prove_with_ridge(task, state)
    state$calibration <- calibrate_labels(task, state)
  }, interrupt = function(e) state$stopped <- "interrupted")
  new_proof(task, state)
}

elapsed <- function(state) proc.time()[[3]] - state$clock

seconds_left <- function(task, state) max(0, task$seconds - elapsed(state))

note_bounds <- function(state, lower = state$lower, upper = state$upper) {
  state$lower <- lower
  state$upper <- upper
  state$history <- rbind(state$history, data.frame(seconds = elapsed(state), lower = lower, upper = upper))
}

improve_upper <- function(state, sets) {
  sizes <- lengths(sets)
  if (!length(sets) || min(sizes) > state$upper) return(invisible())
  least <- sets[sizes == min(sizes)]
  state$sets <- unique(lapply(c(if (min(sizes) == state$upper) state$sets, least), sort))
  note_bounds(state, upper = min(sizes))
}

# Sets from several methods, shortened.
bound_above <- function(task, state) {
  if (length(task$start)) improve_upper(state, task$start[fits(task, task$start) == "yes"])
  soft <- task$errors > 0 || task$hinge > 0
  sizes <- unique(pmin(ncol(task$x), c(2^(0:6), nrow(task$x))))
  methods <- if (soft) {
    list(fsv(lambda = c(0.02, 0.05, 0.1, 0.2, 0.3)), l1_svm(C = c(0.1, 1, 10, 1000)),
         arom("l2", nonzero = sizes, errors = "l2"))
  } else {
    list(l1_svm(C = Inf), arom("l1"), fw1(), arom("l2", nonzero = sizes))
  }
  for (method in methods) {
    if (seconds_left(task, state) == 0) return(state$stopped <- "time")
    fit <- tryCatch(suppressWarnings(suppressMessages(zeronorm(task$x, task$y, method))),
                    zeronorm_error = function(e) conditionMessage(e))
    if (is.character(fit)) {
      if (!soft && grepl("not separable", fit)) return(note_bounds(state, lower = Inf))
      next
    }
    sets <- lapply(which(is_optimal(fit)), selected_columns, fit = fit)
    sets <- unique(sets[lengths(sets) > 0])
    sets <- sets[order(lengths(sets))]
    good <- sets[fits(task, sets, seconds_left(task, state)) == "yes"]
    improve_upper(state, good)
    if (!length(good) || state$upper == 1) next
    improve_upper(state, list(shrink_core(core_task(task), good[[1]],
                                          min(10, seconds_left(task, state)))$set))
  }
}

# From single features up, until a set fits, or the bounds meet and listing the sets would take long.
scan_sizes <- function(task, state) {
  d <- ncol(task$x)
  rate <- 1e-8 * (1 + task$errors)
  size <- 1
  while (size <= min(state$upper, task$largest, d) && state$lower < Inf) {
    expected <- choose(d, size) * rate * if (size > 2) 4 else 1
    met <- state$lower == state$upper
    left <- seconds_left(task, state)
    if (expected > left || met && expected > 10) {
      if (!met) state$stopped <- if (left > 0) "too long" else "time"
      return(invisible())
    }
    if (expected > 2) {
      inform("zeronorm: ", said_count(choose(d, size)), " sets of ", size, " features: about ",
             format(round(expected)), " s.")
    }
    progress <- fit_progress(paste("sets of", plural(size, "feature")))
    scan <- scan_core(core_task(task), size, as.integer(max(1000, task$most)), seconds_left(task, state),
                      progress$tell)
    if (!is.null(progress)) progress$close()
    state$scans[[size]] <- scan
    if (length(scan$found)) improve_upper(state, scan$found)
    if (!scan$complete) {
      state$stopped <- if (scan$interrupted) "interrupted" else "time"
      return(invisible())
    }
    if (scan$separating > 0) {
      note_bounds(state, lower = if (state$lower == size) size else state$lower)
      return(invisible())
    }
    if (scan$unclear > 0) return(state$unclear <- size)
    note_bounds(state, lower = if (size == d) Inf else size + 1)
    if (size > 1) rate <- scan$seconds / scan$sets
    size <- size + 1
  }
}

check_largest <- function(value) {
  if (identical(value, Inf)) value else check_count(value, "largest", lower = 0)
}

# Where all weights of standardised columns stay in the box.
bound_in_box <- function(task, state) {
  if (task$errors > 0 || task$hinge > 0) {
    stop_zeronorm("box", "is given together with `errors` or `hinge`.",
                  "The bound in a box is one for separation.")
  }
  if (state$lower == Inf) return(NULL)
  known <- if (length(state$sets)) state$sets[[1]] else integer()
  found <- box_core(standardised(task$x), task$y, task[["box"]], known,
                    min(task$box_seconds, max(1, seconds_left(task, state))))
  if (length(found$set)) improve_upper(state, list(found$set)[fits(task, list(found$set)) == "yes"])
  bounds <- c(found$by_norm, found$by_dual, found$by_program, state$lower)
  found$lower <- if (found$infeasible) Inf else max(bounds)
  found
}

# The penalised machine on standardised columns.
prove_with_ridge <- function(task, state) {
  x <- standardised(task$x)
  what <- task$ridge
  # A feature at the kink of the relaxation pays sqrt(2 lambda ridge) for its weight.
  price <- sqrt(2 * what$lambda * what$ridge)
  start <- lapply(c(0.05, 0.2, 0.5), function(share) {
    method <- l1_svm(C = what$C / (share * price))
    fit <- tryCatch(suppressWarnings(zeronorm(x, task$y, method)), zeronorm_error = function(e) NULL)
    if (!is.null(fit) && is_optimal(fit)[1]) selected_columns(fit, 1) else integer()
  })
  found <- ridge_core(x, task$y, rep(what$C, nrow(x)), what$lambda, what$ridge, start,
                      max(1, seconds_left(task, state)))
  if (found$interrupted) state$stopped <- "interrupted"
  c(what, found[c("lower", "upper", "set", "fixed", "nodes", "complete", "seconds")])
}

standardised <- function(x) {
  spread <- apply(x, 2, stats::sd)
  scale(x, colMeans(x), ifelse(spread > 0, spread, 1))[, , drop = FALSE]
}

# --- chance ---

# Sets of the size found that random labels would be separated by.
calibrate_labels <- function(task, state) {
  if (state$lower == Inf) return(NULL)
  size <- if (is.finite(state$upper)) state$upper else NA
  list(size = size, expected = expected_by_chance(task, size), permuted = permuted_labels(task, state))
}

# Points in general position; every choice of the forgiven observations counts apart, which can only add.
expected_by_chance <- function(task, size) {
  if (is.na(size) || task$hinge > 0) return(NA_real_)
  n <- nrow(task$x)
  cover <- function(n) log(2) * (1 - n) + log(sum(choose(n - 1, 0:min(size, n - 1))))
  e <- 0:task$errors
  exp(lchoose(ncol(task$x), size) + log(sum(exp(lchoose(n, e) + vapply(n - e, cover, 0)))))
}

# How often a single feature or a pair separates permuted labels.
permuted_labels <- function(task, state) {
  pairs <- state$scans[2][[1]]
  cost <- if (is.null(pairs)) 1e-8 * choose(ncol(task$x), 2) * (1 + task$errors) else pairs$seconds
  affordable <- floor(min(60, seconds_left(task, state)) / max(cost, 1e-3))
  times <- min(task$permutations, affordable)
  if (times < 1 || task$hinge > 0) return(NULL)
  separated <- vapply(seq_len(times), function(k) {
    y <- sample(task$y)
    if (scan_core(core_task(task, y), 1L, 1L, Inf, NULL)$separating > 0) return(c(1, NA))
    scan <- scan_core(core_task(task, y), 2L, 1L, Inf, NULL)
    # An interrupt that the core took note of goes on to prove().
    if (scan$interrupted) signalCondition(structure(class = c("interrupt", "condition"), list()))
    c(if (scan$separating > 0) 2 else Inf, scan$separating)
  }, numeric(2))
  list(times = times, asked = task$permutations, one = sum(separated[1, ] == 1),
       two = sum(separated[1, ] <= 2))
}

# --- the result ---

new_proof <- function(task, state) {
  sets <- state$sets
  margin <- proof_margins(sets, state)
  order <- order(-margin, vapply(sets, paste, "", collapse = " "))
  sets <- utils::head(sets[order], task$most)
  if (!is.null(task$names)) sets <- lapply(sets, function(set) task$names[set])
  seconds <- elapsed(state)
  new_result(list(
    lower = min(state$lower, state$upper), upper = if (state$lower == Inf) Inf else state$upper, sets = sets,
    margin = utils::head(margin[order], task$most), assumptions = assumptions(task, state), seconds = seconds,
    scans = scan_table(state), box = state$box, ridge = state$ridge, features = task$names,
    calibration = state$calibration, local = NULL,
    history = rbind(state$history, data.frame(seconds = seconds, lower = min(state$lower, state$upper),
                                              upper = state$upper)),
    stopped = state$stopped, errors = task$errors, hinge = if (task$hinge > 0) task$hinge, n = nrow(task$x),
    d = ncol(task$x)
  ), "zeronorm_proof")
}

# Known of sets that a scan found.
proof_margins <- function(sets, state) {
  found <- do.call(c, lapply(state$scans, `[[`, "found"))
  margin <- unlist(lapply(state$scans, `[[`, "margin"))
  keys <- vapply(found, paste, "", collapse = " ")
  at <- match(vapply(sets, function(set) paste(sort(set), collapse = " "), ""), keys)
  ifelse(is.na(at), NA_real_, margin[at])
}

scan_table <- function(state) {
  done <- Filter(Negate(is.null), state$scans)
  columns <- c("size", "sets", "separating", "unclear", "complete", "seconds")
  as.data.frame(lapply(stats::setNames(columns, columns), function(name) {
    unlist(lapply(done, `[[`, name))
  }))
}

assumptions <- function(task, state) {
  c("A set separates if it does so with a relative margin above 1e-9 (columns scaled to range one).",
    if (task$errors > 0) paste0("Up to ", plural(task$errors, "observation"), " may be on the wrong side."),
    if (task$hinge > 0) {
      paste0("The hinge losses may sum up to ", format(task$hinge), ", for weights of any size.")
    },
    if (!is.null(state$unclear)) {
      paste0("Rounding left sets of ", state$unclear, " features undecided: the lower bound stops there.")
    },
    if (!is.null(task[["box"]])) {
      paste0("The bound in $box holds for |w_j| <= ", format(task[["box"]]),
             " alone (standardised columns, margins of one).")
    })
}
