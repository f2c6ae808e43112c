# Splits of the observations into training and test rows: a list of tasks list(run, fold, train, test), the
# one representation of folds, repeats, Monte Carlo splits and bootstraps. Test rows of the same run do not
# overlap; the folds of one repeat are one run.

#' Monte Carlo splits
#'
#' In place of a number of folds, `folds = monte_carlo(times, test)` draws the test observations anew for each
#' split, independently of the other splits. Every class keeps its proportion, and blocks stay whole. Use it
#' where more test observations, or more splits, are wanted than K folds have.
#'
#' K folds test every observation once in each repeat, Monte Carlo splits some observations more often than
#' others. Standard errors take into account that test sets overlap: see [cv_zeronorm()].
#'
#' @param times number of splits.
#' @param test share of the observations that are held out in each split.
#' @return An object for the argument `folds` of [cv_zeronorm()], [nested_zeronorm()], [calibrate_zeronorm()],
#'   [learning_curve()] and [permutation_test()].
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' cv_zeronorm(x, y, l1_svm(C = c(0.1, 1)), folds = monte_carlo(10, test = 0.3))
#' @export
monte_carlo <- function(times = 25, test = 0.25) {
  test <- check_number(test, "test", upper = 1, open_lower = TRUE)
  if (test == 1) stop_zeronorm("test", "is 1, which leaves nothing for training.", "Use a share below 1.")
  structure(class = "zeronorm_monte_carlo", list(times = check_count(times, "times", lower = 2), test = test))
}

#' @export
format.zeronorm_monte_carlo <- function(x, ...) {
  paste0("monte_carlo(", x$times, ", test = ", format(x$test), ")")
}

#' @export
print.zeronorm_monte_carlo <- function(x, ...) {
  cat(format(x), "\n")
  invisible(x)
}

check_block <- function(block, n) {
  if (is.null(block)) return(NULL)
  if (!is.atomic(block) || length(block) != n || anyNA(block)) {
    stop_zeronorm("block", paste0("is ", describe(block), if (anyNA(block)) " with missing values", "."),
                  "Give one value for every row, the same for rows that belong together.")
  }
  match(block, unique(block))
}

# The splits that a user asks for by `folds` and `repeats`, or gives as `foldid`.
make_splits <- function(request, folds = 10, repeats = 1, foldid = NULL) {
  if (!is.null(foldid)) return(given_splits(foldid, request))
  check_class_sizes(request$labels)
  repeats <- check_count(repeats, "repeats")
  if (!inherits(folds, "zeronorm_monte_carlo")) return(draw_splits(request, folds, repeats))
  if (repeats != 1) {
    stop_zeronorm("repeats", paste0("is ", repeats, " with Monte Carlo splits."),
                  "Use monte_carlo(times = ).")
  }
  class <- request$labels$class
  tasks <- lapply(seq_len(folds$times), function(run) {
    test <- draw_test(class, request$block, folds$test)
    list(run = run, fold = 1L, train = setdiff(seq_along(class), test), test = test)
  })
  new_splits(tasks, request, "monte_carlo", if (is.null(request$block)) "folds" else "block", drawn = TRUE)
}

# `kind`: how the splits were made; `argument`: what a user changes where they do not serve.
new_splits <- function(tasks, request, kind, argument, drawn = FALSE) {
  check_splits(tasks, request, argument)
  structure(tasks, class = "zeronorm_splits", n = observations(request), kind = kind,
            stratified = drawn && request$labels$task %in% c("two-class", "k-class"),
            blocked = !is.null(request$block))
}

#' @export
print.zeronorm_splits <- function(x, ...) {
  cat("<zeronorm_splits> ", plural(attr(x, "n"), "observation"), ", ", describe_splits(x), "\n", sep = "")
  invisible(x)
}

run_count <- function(tasks) max(vapply(tasks, function(task) as.integer(task$run), 0L))

# "10 folds x 5 repeats, stratified"
describe_splits <- function(splits) {
  runs <- run_count(splits)
  per_run <- tabulate(vapply(splits, function(task) as.integer(task$run), 0L))
  whole <- if (attr(splits, "blocked")) " of whole blocks"
           else if (attr(splits, "stratified")) ", stratified"
  what <- if (attr(splits, "kind") == "monte_carlo") {
    share <- mean(lengths(lapply(splits, `[[`, "test"))) / attr(splits, "n")
    paste0(length(splits), " Monte Carlo splits with ", round(100 * share), " % held out")
  } else if (all(per_run == 1)) {
    paste(plural(length(splits), "split"), "given by `foldid`")
  } else {
    counts <- paste(unique(range(per_run)), collapse = " to ")
    paste0(counts, " folds", if (runs > 1) paste(" x", runs, "repeats"),
           if (attr(splits, "kind") == "foldid") ", given by `foldid`")
  }
  paste0(what, whole)
}

# --- drawn ---

check_class_sizes <- function(labels) {
  if (labels$task %in% c("two-class", "k-class") && min(table(labels$class)) < 2) {
    stop_zeronorm("y", "has a class with one observation.", "Two of each class are needed.")
  }
}

draw_splits <- function(request, folds, repeats) {
  folds <- check_count(folds, "folds", lower = 2)
  units <- unit_count(request)
  if (folds > units) {
    stop_zeronorm("folds", paste0("is ", folds, " but there are ", units,
                                  if (is.null(request$block)) " observations." else " blocks."),
                  paste0("Use at most ", units, "."))
  }
  class <- request$labels$class
  columns <- lapply(seq_len(repeats), function(run) {
    if (is.null(request$block)) draw_folds(class, folds) else draw_block_folds(class, request$block, folds)
  })
  new_splits(fold_tasks(columns), request, "folds", if (is.null(request$block)) "folds" else "block",
             drawn = TRUE)
}

# How many observations, or blocks of them, can be told apart by folds.
unit_count <- function(request) {
  if (is.null(request$block)) observations(request) else length(unique(request$block))
}

# Whole blocks, the large ones first, each to the fold with the fewest observations of its class.
draw_block_folds <- function(class, block, folds) {
  block <- match(block, unique(block))
  counts <- table(block, class)
  main <- max.col(counts, "first")
  size <- rowSums(counts)
  filled <- matrix(0, folds, ncol(counts))
  fold <- integer(length(size))
  shuffled <- sample.int(length(size))
  for (b in shuffled[order(-size[shuffled])]) {
    fold[b] <- order(filled[, main[b]], rowSums(filled))[1]
    filled[fold[b], ] <- filled[fold[b], ] + counts[b, ]
  }
  fold[block]
}

# Test rows that are about a share of each class: of the units whose main class it is, in a random order, as
# many as come nearest to the share; one unit of a class is always left for training.
draw_test <- function(class, block, share) {
  unit <- if (is.null(block)) seq_along(class) else match(block, unique(block))
  main <- if (is.null(block)) class else unname(apply(table(unit, class), 1, which.max))
  size <- tabulate(unit)
  chosen <- unlist(lapply(unique(main), function(k) {
    own <- which(main == k)
    own <- own[sample.int(length(own))]
    reached <- cumsum(c(0, size[own]))[seq_along(own)]
    own[seq_len(which.min(abs(reached - share * sum(size[own]))) - 1)]
  }))
  which(unit %in% chosen)
}

# Random rows for training, about a share of each class and whole blocks, for loops that hold nobody out.
draw_share <- function(class, block, share) {
  test <- draw_test(class, block, 1 - share)
  setdiff(seq_along(class), test)
}

# --- given ---

# `foldid`: fold numbers, a column for each repeat; splits of an earlier result; or an rset of package
# rsample.
given_splits <- function(foldid, request) {
  if (inherits(foldid, "rset")) return(rset_splits(foldid, request))
  if (inherits(foldid, "zeronorm_splits")) {
    check_rows(attr(foldid, "n"), request)
    return(new_splits(unclass(foldid)[seq_along(foldid)], request, attr(foldid, "kind"), "foldid"))
  }
  if (is.list(foldid) || is.function(foldid)) {
    stop_zeronorm("foldid", paste0("is ", describe(foldid), "."),
                  "Give fold numbers, an rset of package rsample, or the `$splits` of another result.")
  }
  check_names_of_rows(foldid, "foldid", rownames(request$x$x))
  foldid <- as.matrix(foldid)
  columns <- lapply(seq_len(ncol(foldid)), function(run) check_folds(foldid[, run], request$labels$class))
  new_splits(fold_tasks(columns), request, "foldid", "foldid")
}

check_rows <- function(n, request) {
  if (n == observations(request)) return(invisible())
  stop_zeronorm("foldid", paste0("was made for ", n, " observations, but `x` has ", observations(request),
                                 "."),
                "Make the splits of these rows.")
}

# Columns of fold numbers -> tasks.
fold_tasks <- function(columns) {
  tasks <- lapply(seq_along(columns), function(run) {
    fold <- columns[[run]]
    lapply(seq_len(max(fold)), function(k) {
      list(run = run, fold = k, train = which(fold != k), test = which(fold == k))
    })
  })
  do.call(c, tasks)
}

# Any rset of package rsample, its rows matched by position.  Splits of one repeat whose test rows are all
# observations once are one run; any other split is a run of its own.
rset_splits <- function(rset, request) {
  need_package("rsample", "foldid")
  n <- observations(request)
  check_rows(nrow(rset$splits[[1]]$data), request)
  parts <- lapply(rset$splits, function(split) {
    list(train = as.integer(split, data = "analysis"), test = as.integer(split, data = "assessment"))
  })
  group <- if ("id2" %in% names(rset)) match(rset$id, unique(rset$id)) else rep(1L, length(parts))
  folds <- all(vapply(split(parts, group), function(run) {
    identical(sort(unlist(lapply(run, `[[`, "test"))), seq_len(n))
  }, NA))
  run <- if (folds) group else seq_along(parts)
  fold <- if (folds) stats::ave(group, group, FUN = seq_along) else rep(1L, length(parts))
  tasks <- Map(function(run, fold, part) c(list(run = run, fold = fold), part), run, fold, parts)
  new_splits(unname(tasks), request, class(rset)[1], "foldid")
}

# --- checked ---

# Every split has somebody to test and every class to train; nobody is on both sides, and no block.
check_splits <- function(tasks, request, argument) {
  class <- request$labels$class
  several <- run_count(tasks) > 1
  for (task in tasks) {
    which <- paste0(" of split ", if (several) paste0(task$run, "-"), task$fold)
    if (!length(task$test) || !length(task$train)) {
      stop_zeronorm(argument, paste0("leaves no observation for the ",
                                     if (length(task$test)) "training" else "test",
                                     " part", which, "."), "Use other splits.")
    }
    shared <- intersect(task$train, task$test)
    if (length(shared)) {
      stop_zeronorm(argument, paste0("has observation ", shared[1], " in both parts", which, "."),
                    "Hold out observations that are not in training.")
    }
    split <- intersect(request$block[task$train], request$block[task$test])
    if (length(split)) {
      stop_zeronorm(argument, paste0("divides the block of observation ", match(split[1], request$block),
                                     " between both parts", which, "."),
                    "Keep the observations of a block in one fold, or leave out `block`.")
    }
    lacking <- setdiff(class, class[task$train])
    if (length(lacking)) {
      stop_zeronorm(argument, paste0("leaves no observation of class ",
                                     enumerate(request$labels$levels[lacking]), " in the training part",
                                     which, "."),
                    if (argument == "block") "Every class needs two blocks or more."
                    else "Spread all classes over the folds.")
    }
  }
}

# Stratified fold numbers; the only place that draws random numbers.
draw_folds <- function(class, folds) {
  fold <- integer(length(class))
  used <- 0
  for (k in sort(unique(class))) {
    rows <- which(class == k)
    # A class goes on where the one before stopped, which keeps the folds of nearly equal size.
    labels <- (used + seq_along(rows) - 1) %% folds + 1
    fold[rows[sample.int(length(rows))]] <- as.integer(labels)
    used <- used + length(rows)
  }
  fold
}

check_folds <- function(foldid, class) {
  advice <- "Give one whole number for every row."
  if (!is.numeric(foldid)) stop_zeronorm("foldid", paste0("is ", describe(foldid), "."), advice)
  if (length(foldid) != length(class)) {
    stop_zeronorm("foldid", paste0("has length ", length(foldid), " but `x` has ", length(class), " rows."),
                  advice)
  }
  if (!all(is.finite(foldid)) || any(foldid != round(foldid))) {
    stop_zeronorm("foldid", "has values that are missing or not whole.", advice)
  }
  fold <- match(foldid, sort(unique(foldid)))
  if (max(fold) < 2) stop_zeronorm("foldid", "names one fold only.", "Use two folds or more.")
  classes <- length(unique(class))
  for (k in seq_len(max(fold))) {
    if (length(unique(class[fold != k])) < classes) {
      stop_zeronorm("foldid", paste0("leaves ", if (classes == 2) "one class only" else "a class out",
                                     " when fold ", foldid[match(k, fold)], " is held out."),
                    "Spread all classes over the folds.")
    }
  }
  fold
}
