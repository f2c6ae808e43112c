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

smaller_class <- function(y) min(sum(y > 0), sum(y < 0))

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

# --- the data ---

# The data of a proof, as list(x, y, names, features, unpenalized, request): x a double matrix without missing
# values, made of the features, and y in {-1, +1}. Data of a fit are encoded as the fit encoded its own, and
# come with the request that made it.
proof_data <- function(fit, x, y) {
  if (is.null(fit)) {
    source <- if (inherits(x, "formula")) read_source(formula_source(x, if (missing(y)) NULL else y))
              else read_source(x, y)
    features <- source$x
    labels <- encode_y(source$y, nrow(features$x), "classification")
    check_names_of_rows(source$y, "y", rownames(features$x))
    if (labels$task != "two-class") stop_zeronorm("y", "has several classes.", "Give labels of two classes.")
    request <- NULL
  } else {
    request <- request_of(fit, x, y)
    if (observations(request) != fit$n) {
      stop_zeronorm("x", paste("has", observations(request), "rows, but the fit saw", fit$n, "observations."),
                    "Give the data of the fit.")
    }
    features <- request$x
    labels <- request$labels
    check_both_present(labels)
    if (!is.null(fit$imputation)) features$x <- fill_in(features$x, fit$imputation)
  }
  if (is_delayed(features$x)) stop_zeronorm("x", "is on a disk.", "Give a matrix in memory.")
  if (!all_finite(features$x)) stop_not_finite(features$x, "x")
  values <- as.matrix(features$x)
  storage.mode(values) <- "double"
  dimnames(values) <- NULL
  list(x = values, y = as.double(labels$y), names = features$names, features = features,
       unpenalized = fit$unpenalized, request = request)
}

# What the core is asked. Its columns are those of the data in the order `columns`: the first `always` belong
# to every set and count for nothing.
new_proof_task <- function(data, errors, hinge, always = data$unpenalized) {
  d <- ncol(data$x)
  columns <- c(always, setdiff(seq_len(d), always))
  if (length(always) == d) stop_zeronorm("x", "has no penalised features.", "There is nothing to prove.")
  list(x = if (length(always)) data$x[, columns, drop = FALSE] else data$x, y = data$y,
       always = length(always), columns = columns, names = data$names, errors = errors,
       hinge = if (is.null(hinge)) 0 else check_number(hinge, "hinge", lower = 0))
}

core_task <- function(task, y = task$y) {
  list(x = task$x, y = y, always = task$always, errors = task$errors, hinge = task$hinge)
}

# Columns of the data as those of the core, without the ones that belong to every set.
as_core_columns <- function(columns, task) {
  at <- match(columns, task$columns)
  sort(at[at > task$always])
}

# The task on the columns of some sets alone: list(task, sets), with the position of each column in the whole
# task.
narrowed <- function(task, sets) {
  used <- c(seq_len(task$always), sort(unique(unlist(sets))))
  task$x <- task$x[, used, drop = FALSE]
  list(task = core_task(task), sets = lapply(sets, match, used), used = used)
}

# The answer for each set, with what proves it. nodes: how many sub-problems may be spent on errors.
decide <- function(task, sets, seconds = Inf, precise = FALSE, nodes = 0) {
  part <- narrowed(task, sets)
  found <- decide_core(part$task, part$sets, precise, as.integer(nodes), seconds)
  Map(function(one, set) replace(one, "set", list(set)), found, sets)
}

answers <- function(decisions) vapply(decisions, `[[`, "", "answer")

# Those of the sets that separate.
separating <- function(task, sets, seconds = Inf, ...) {
  if (!length(sets)) return(list())
  decisions <- decide(task, sets, seconds, ...)
  decisions[answers(decisions) == "yes"]
}

# Whether the weights of sets that were found prove that they separate.
proven_by_weights <- function(task, found) {
  if (!length(found)) return(logical())
  part <- narrowed(task, lapply(found, `[[`, "set"))
  proves_core(part$task, Map(function(one, set) replace(one, "set", list(set)), found, part$sets))
}

# Solution k of a fit on its data: its columns, weights and the observations on the wrong side.
own_solution <- function(fit, k, data) {
  w <- dense_column(fit$coefficients, k)
  f <- as.vector(data$x %*% w) + fit$intercept[k]
  list(columns = selected_columns(fit, k), w = w, f = f, errors = which((f > 0) != (data$y > 0)))
}

# The set of a solution, where its own weights prove that it separates.
found_by_weights <- function(task, own) {
  set <- as_core_columns(own$columns, task)
  whole <- c(seq_len(task$always), set)
  if (!length(whole) || length(own$errors) >= smaller_class(task$y)) return(list())
  x <- task$x[, whole, drop = FALSE]
  weights <- own$w[task$columns[whole]] * (apply(x, 2, max) - apply(x, 2, min))
  right <- setdiff(seq_along(task$y), own$errors)
  f <- own$f[right]
  gap <- min(f[task$y[right] > 0]) - max(f[task$y[right] < 0])
  found <- list(list(set = set, answer = "yes", weights = cbind(weights, 0), intercept = matrix(0, 1, 2),
                     errors = own$errors, margin = gap / sqrt(sum(weights^2))))
  found[proven_by_weights(task, found)]
}

# --- time ---

new_clock <- function(seconds) list(begun = proc.time()[[3]], seconds = seconds)

elapsed <- function(clock) proc.time()[[3]] - clock$begun

seconds_left <- function(clock) max(0, clock$seconds - elapsed(clock))

# A clock that stops after a share of the time that is left.
share_of <- function(clock, share) replace(clock, "seconds", elapsed(clock) + share * seconds_left(clock))

# A fit, or NULL where it failed or the time was up. It has `least` seconds whatever the clock says. In the
# core the deadline is an interrupt, which is told from one by the user by the time at which it comes.
try_fit <- function(code, clock, least = 0.2) {
  limit <- new_clock(max(least, seconds_left(clock)))
  set_deadline_core(limit$seconds)
  on.exit(set_deadline_core(Inf))
  withRestarts(
    withCallingHandlers(
      tryCatch(suppressWarnings(suppressMessages(code)), zeronorm_error = function(e) NULL),
      interrupt = function(e) if (seconds_left(limit) < 0.01) invokeRestart("out_of_time")
    ),
    out_of_time = function() NULL
  )
}

# An interrupt that the core took note of goes on to whoever waits for it.
signal_interrupt <- function() signalCondition(structure(class = c("interrupt", "condition"), list()))

# --- the ladder ---

# The state is kept aside, so that whatever stops the work leaves the bounds so far.
prove <- function(task, clock) {
  state <- new_state(clock)
  tryCatch({
    if (needs_no_feature(task)) {
      note_bounds(state, 0, 0)
    } else {
      note_bounds(state, least_size(task))
      climb(task, state)
    }
    if (!is.null(task[["box"]])) state$box <- bound_in_box(task, state)
    if (!is.null(task$ridge)) state$ridge <- prove_with_ridge(task, state)
    state$calibration <- calibrate_labels(task, state)
  }, interrupt = function(e) state$stopped <- "interrupted")
  recheck(task, state)
  new_proof(task, state)
}

# Quick scans first, which may settle all; then sets from above, and what time allows of the longer scans.
climb <- function(task, state) {
  quick <- if (task$hinge > 0) 0 else if (task$errors > 0) 1 else 2
  scan_sizes(task, state, min(quick, task$largest), share_of(state$clock, 0.25), last = FALSE)
  if (state$lower < state$upper) bound_above(task, state)
  scan_sizes(task, state)
}

# known: sets that separate, with what proves it; lower: what is proven; scanned: the part of it that scans
# proved; listed: whether all sets of the upper size were looked at.
new_state <- function(clock) {
  list2env(list(clock = clock, lower = 0, upper = Inf, known = list(), scans = list(), scanned = 0,
                listed = FALSE))
}

# Without any feature no two observations differ.
least_size <- function(task) if (task$always > 0) 0 else 1

# Whether a constant keeps within what is forgiven.
needs_no_feature <- function(task) {
  smaller <- smaller_class(task$y)
  task$errors >= smaller || task$hinge * (1 + 1e-9) >= 2 * smaller
}

note_bounds <- function(state, lower = state$lower, upper = state$upper) {
  state$lower <- lower
  state$upper <- upper
  now <- data.frame(seconds = elapsed(state$clock), lower = lower, upper = upper)
  state$history <- rbind(state$history, now)
}

improve_upper <- function(state, found) {
  if (!length(found)) return(invisible())
  state$known <- c(state$known, found)
  least <- min(lengths(lapply(found, `[[`, "set")))
  if (least < state$upper) note_bounds(state, upper = least)
}

# Sets from several methods, without the features that they can do without. Half of the time is for the scans.
bound_above <- function(task, state) {
  clock <- share_of(state$clock, 0.5)
  improve_upper(state, task$given)
  improve_upper(state, separating(task, task$start, seconds_left(clock), nodes = 1000))
  for (method in searches(task)) {
    if (seconds_left(clock) == 0) return(state$stopped <- "time")
    fit <- try_fit(zeronorm(task$x, task$y, method, unpenalized = seq_len(task$always)), clock)
    if (is.null(fit)) {
      refute_all(task, state, clock)
      if (state$lower == Inf) return(invisible())
      next
    }
    good <- smallest_separating(task, fit, clock)
    improve_upper(state, good)
    if (!length(good) || state$upper <= 1) next
    fewer <- shrink_core(core_task(task), good[[1]]$set, min(10, seconds_left(clock)))$set
    if (length(fewer) < length(good[[1]]$set)) improve_upper(state, separating(task, list(fewer)))
  }
}

searches <- function(task) {
  soft <- task$errors > 0 || task$hinge > 0
  sizes <- unique(pmin(count_features(task), c(2^(0:6), nrow(task$x))))
  if (soft) {
    list(fsv(lambda = c(0.02, 0.05, 0.1, 0.2, 0.3)), l1_svm(C = c(0.1, 1, 10, 1000)),
         arom("l2", nonzero = sizes, errors = "l2"))
  } else {
    list(l1_svm(C = Inf), arom("l1"), fw1(), arom("l2", nonzero = sizes))
  }
}

# The solution of a fit with the fewest features that separate, as a list of one or none.
smallest_separating <- function(task, fit, clock) {
  sets <- lapply(which(is_optimal(fit)), selected_columns, fit = fit)
  sets <- unique(sets[lengths(sets) > 0])
  for (set in sets[order(lengths(sets))]) {
    good <- separating(task, list(sort(set)), seconds_left(clock), nodes = 1000)
    if (length(good)) return(good)
  }
  list()
}

# Whether all features together separate, asked once: only a checked conflict says that they do not.
refute_all <- function(task, state, clock) {
  if (!is.null(state$all)) return(invisible())
  state$all <- decide(task, list(every_feature(task)), seconds_left(clock), nodes = 1000)[[1]]
  if (state$all$answer == "yes") improve_upper(state, list(state$all))
  if (state$all$answer == "no") note_bounds(state, lower = Inf)
}

every_feature <- function(task) task$always + seq_len(count_features(task))

count_features <- function(task) ncol(task$x) - task$always


# From the smallest size up that was not scanned yet, until a set separates, or the bounds meet and listing
# the sets would take long. last: whether what time does not allow now will not be tried again.
scan_sizes <- function(task, state, largest = task$largest, clock = state$clock, last = TRUE) {
  d <- count_features(task)
  rate <- 1e-8 * (1 + task$errors)
  size <- max(least_size(task), state$scanned)
  done <- function() state$listed || !is.null(state$unclear) || state$lower == Inf
  while (!done() && size <= min(state$upper, largest, d)) {
    expected <- choose(d, size) * rate * if (size > 2) 4 else 1
    met <- state$lower == state$upper
    left <- seconds_left(clock)
    if (expected > left || met && expected > 10) {
      if (!met && last) state$stopped <- if (left > 0) "too long" else "time"
      return(invisible())
    }
    if (expected > 2) {
      inform("zeronorm: ", said_count(choose(d, size)), " sets of ", size, " features: about ",
             format(round(expected)), " s.")
    }
    scan <- scan_size(task, size, max(1000, task$most), left)
    if (scan$complete || last) state$scans[[size + 1]] <- scan
    improve_upper(state, Filter(function(one) one$answer == "yes", scan$found))
    if (isTRUE(scan$interrupted)) signal_interrupt()
    if (!scan$complete) {
      if (last) state$stopped <- "time"
      return(invisible())
    }
    if (scan$separating > 0) state$listed <- TRUE
    else if (scan$unclear > 0) state$unclear <- size
    if (done()) return(invisible())
    state$scanned <- min(d, size + 1)
    note_bounds(state, lower = if (size == d) Inf else size + 1)
    if (size > 1) rate <- scan$seconds / scan$sets
    size <- size + 1
  }
}

scan_size <- function(task, size, most, seconds) {
  progress <- fit_progress(paste("sets of", plural(size, "feature")))
  if (!is.null(progress)) on.exit(progress$close())
  scan_core(core_task(task), as.integer(size), as.integer(most), seconds, progress$tell)
}

check_largest <- function(value) {
  if (identical(value, Inf)) value else check_count(value, "largest", lower = 0)
}

# --- once more ---

# Checks every claim again before it is returned, and withdraws what fails: sets by their weights, the lower
# bound by new conflicts of smaller sets. What time does not allow to be checked again stays as it was proven
# first.
recheck <- function(task, state) {
  if (needs_no_feature(task)) return(invisible())
  state$known <- state$known[proven_by_weights(task, state$known)]
  upper <- min(Inf, lengths(lapply(state$known, `[[`, "set")))
  lower <- state$lower
  # A set that separates and a proof that none of its size does contradict each other, and the set is certain.
  if (lower > upper) lower <- least_size(task)
  while (lower > least_size(task)) {
    size <- if (lower == Inf) count_features(task) else lower - 1
    found <- decide(task, sets_of_size(task, state, size), seconds_to_recheck(state), precise = TRUE)
    if (all(answers(found) %in% c("no", "time"))) break
    good <- found[answers(found) == "yes"]
    state$known <- c(state$known, good)
    if (length(good)) upper <- size
    lower <- if (lower == Inf) state$scanned else size
  }
  state$withdrawn <- if (lower < state$lower) state$lower
  if (lower != state$lower || upper != state$upper) note_bounds(state, lower, upper)
}

seconds_to_recheck <- function(state) min(2, max(0.2, 0.05 * elapsed(state$clock)))

# At most 1,000 sets of a size: all of them, or parts of the known sets and others from everywhere.
sets_of_size <- function(task, state, size, most = 1000) {
  features <- every_feature(task)
  d <- length(features)
  if (choose(d, size) <= most) return(utils::combn(d, size, function(set) features[set], simplify = FALSE))
  known <- Filter(function(set) length(set) > size && choose(length(set), size) <= 100,
                  lapply(state$known, `[[`, "set"))
  parts <- unlist(lapply(utils::head(known, 5), utils::combn, size, simplify = FALSE), recursive = FALSE)
  unique(c(parts, spread_sets(features, size, most - length(parts))))
}

# About so many sets that are spread evenly: multiples of square roots of primes fill the cube of positions.
spread_sets <- function(features, size, most) {
  primes <- c(2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
  if (size > length(primes)) return(list())
  at <- 1 + floor(length(features) * (outer(seq_len(most), sqrt(primes[seq_len(size)])) %% 1))
  at <- matrix(at[order(row(at), at)], ncol = size, byrow = TRUE)
  distinct <- rowSums(at[, -1, drop = FALSE] == at[, -size, drop = FALSE]) == 0
  lapply(which(distinct), function(k) features[at[k, ]])
}

# Where all weights of standardised columns stay in the box.
bound_in_box <- function(task, state) {
  if (state$lower == Inf) return(NULL)
  known <- smallest_known(state)
  start <- if (length(known)) known[[1]]$set else integer()
  found <- box_core(standardised(task$x), task$y, task$box$size, start,
                    min(task$box$seconds, max(0.2, seconds_left(state$clock))))
  if (length(found$set)) improve_upper(state, separating(task, list(sort(found$set))))
  found$lower <- max(found$by_norm, found$by_dual, found$by_program, state$lower, na.rm = TRUE)
  found
}

# The known sets of the smallest size.
smallest_known <- function(state) {
  sizes <- lengths(lapply(state$known, `[[`, "set"))
  state$known[sizes == min(Inf, sizes)]
}

# The penalised model on standardised columns.
prove_with_ridge <- function(task, state) {
  x <- standardised(task$x)
  what <- task$ridge
  # A feature at the kink of the relaxation costs sqrt(2 lambda ridge) for a weight of one.
  cost <- sqrt(2 * what$lambda * what$ridge)
  start <- lapply(c(0.05, 0.2, 0.5), function(share) {
    fit <- try_fit(zeronorm(x, task$y, l1_svm(C = what$C / (share * cost))), state$clock)
    if (!is.null(fit) && is_optimal(fit)[1]) selected_columns(fit, 1) else integer()
  })
  found <- ridge_core(x, task$y, rep(what$C, nrow(x)), what$lambda, what$ridge, start,
                      max(0.2, seconds_left(state$clock)))
  if (found$interrupted) state$stopped <- "interrupted"
  c(what, found[c("lower", "upper", "set", "fixed", "nodes", "complete", "seconds")])
}

standardised <- function(x) {
  spread <- apply(x, 2, stats::sd)
  scale(x, colMeans(x), ifelse(spread > 0, spread, 1))[, , drop = FALSE]
}

# --- chance ---

# How many sets of the size found would separate random labels.
calibrate_labels <- function(task, state) {
  if (state$lower == Inf || needs_no_feature(task)) return(NULL)
  size <- if (is.finite(state$upper)) state$upper else NA
  list(size = size, expected = expected_by_chance(task, size), permuted = permuted_labels(task, state))
}

# For points in general position; every choice of the forgiven observations counts, which can only add.
expected_by_chance <- function(task, size) {
  if (is.na(size) || task$hinge > 0) return(NA_real_)
  n <- nrow(task$x)
  always <- max(0, task$always)
  cover <- function(n) log(2) * (1 - n) + log(sum(choose(n - 1, 0:min(size + always, n - 1))))
  e <- 0:task$errors
  exp(lchoose(ncol(task$x) - always, size) + log(sum(exp(lchoose(n, e) + vapply(n - e, cover, 0)))))
}

# How often a single feature or a pair separates permuted labels.
permuted_labels <- function(task, state) {
  clock <- state$clock
  pairs <- state$scans[3][[1]]
  cost <- if (is.null(pairs)) 1e-8 * choose(ncol(task$x), 2) * (1 + task$errors) else pairs$seconds
  affordable <- floor(min(60, seconds_left(clock)) / max(cost, 1e-3))
  times <- min(task$permutations, affordable)
  if (times < 1 || task$hinge > 0) return(NULL)
  separated <- NULL
  for (k in seq_len(times)) {
    here <- permuted_once(core_task(task, sample(task$y)), seconds_left(clock))
    if (is.null(here)) break
    separated <- c(separated, here)
  }
  if (!length(separated)) return(NULL)
  list(times = as.double(length(separated)), asked = task$permutations, one = sum(separated == 1),
       two = sum(separated <= 2))
}

# The size that separates, Inf above two; NULL where time was up.
permuted_once <- function(task, seconds) {
  for (size in 1:2) {
    scan <- scan_core(task, size, 1L, seconds, NULL)
    if (scan$interrupted) signal_interrupt()
    if (!scan$complete) return(NULL)
    if (scan$separating > 0) return(size)
  }
  Inf
}

# --- the result ---

new_proof <- function(task, state) {
  known <- if (state$upper > 0) smallest_known(state) else list()
  sets <- lapply(known, function(one) sort(task$columns[one$set]))
  margin <- vapply(known, `[[`, 0, "margin")
  margin[!(margin > 0)] <- NA_real_
  order <- order(-margin, vapply(sets, paste, "", collapse = " "))
  order <- utils::head(order[!duplicated(sets[order])], task$most)
  sets <- if (state$upper == 0) list(integer()) else sets[order]
  if (!is.null(task$names)) sets <- lapply(sets, function(set) task$names[set])
  seconds <- elapsed(state$clock)
  now <- data.frame(seconds = seconds, lower = state$lower, upper = state$upper)
  new_result(list(
    lower = state$lower, upper = state$upper, sets = sets,
    margin = if (state$upper == 0) NA_real_ else margin[order], assumptions = assumptions(task, state),
    seconds = seconds, scans = scan_table(state), box = state$box,
    ridge = in_columns_of_data(state$ridge, task), features = task$names, calibration = state$calibration,
    local = NULL, history = rbind(state$history, now),
    stopped = state$stopped, errors = task$errors, hinge = if (task$hinge > 0) task$hinge, n = nrow(task$x),
    d = ncol(task$x)
  ), "zeronorm_proof")
}

in_columns_of_data <- function(found, task) {
  if (is.null(found)) NULL else replace(found, "set", list(sort(task$columns[found$set])))
}

scan_table <- function(state) {
  done <- Filter(Negate(is.null), state$scans)
  columns <- c("size", "sets", "separating", "unclear", "complete", "seconds")
  as.data.frame(lapply(stats::setNames(columns, columns), function(name) {
    unlist(lapply(done, `[[`, name))
  }))
}

assumptions <- function(task, state) {
  above <- if (is.null(task$names)) task$columns else task$names[task$columns]
  c("A set separates if it does so with a relative margin above 1e-9 (columns scaled to range one).",
    if (task$always > 0) {
      paste0("Every set includes the unpenalised ", if (task$always > 1) "features " else "feature ",
             enumerate(utils::head(above, task$always)), ", which ", if (task$always > 1) "do" else "does",
             " not count.")
    },
    if (task$errors > 0) paste0("Up to ", plural(task$errors, "observation"), " may be on the wrong side."),
    if (task$hinge > 0) {
      paste0("The hinge losses may sum up to ", format(task$hinge), " (and a relative 1e-9 more), for ",
             "weights of at most 2e9 in columns scaled to range one.")
    },
    if (!is.null(state$unclear)) {
      paste0("Rounding left sets of ", state$unclear, " features undecided: the lower bound stops there.")
    },
    if (!is.null(state$withdrawn)) {
      paste0("A proof that at least ", state$withdrawn, " features are needed failed when it was checked ",
             "again, and was withdrawn.")
    },
    if (!is.null(state$box)) {
      paste0("The bound in $box holds for |w_j| <= ", format(task$box$size), " only (standardised columns, ",
             "margins of one); its part by integer programming is that of HiGHS, which is not checked again.")
    })
}
