# What can be asked of a fit, and what every answer has to be.  A verb takes a run (see cells.R) and gives complaints, a
# character vector that is empty where all is well.  Its errors are judged in cells.R.

core <- asNamespace("zeronorm")  # for the encoding of data alone

# Rows of whatever a user brings.
some_rows <- function(x, rows) {
  if (inherits(x, "SummarizedExperiment")) return(x[, rows])
  if (inherits(x, "data.table")) return(x[rows, ])
  x[rows, , drop = FALSE]
}

count_rows <- function(x) if (inherits(x, "SummarizedExperiment")) ncol(x) else nrow(x)

row_names <- function(x) if (inherits(x, "SummarizedExperiment")) colnames(x) else if (!is.data.frame(x)) rownames(x)

solutions <- function(fit) seq_len(nrow(certificate(fit)))

solved <- function(fit) which(certificate(fit)$status == "optimal")

# At most three: the ends and the middle.
some_solutions <- function(run) {
  k <- solved(run$fit)
  unique(k[unique(round(seq(1, length(k), length.out = min(3, length(k)))))])
}

linear <- function(fit) is.null(fit$machine) && is.null(fit$polynomial) && is.null(fit$networks)

has_weights <- function(fit) is.null(fit$machine) || isTRUE(fit$machine$scaled)

# Whether a fit draws folds, starts or random columns of its own.
draws_numbers <- function(method) {
  length(method$folds) > 0 || isTRUE(method$core$starts > 1) || isTRUE(method$core$probes > 0)
}

for_each <- function(run, check) unlist(lapply(some_solutions(run), check))

one_index <- function(run) tail(solved(run$fit), 1)

shown <- function(code) utils::capture.output(code)

# A verb that takes the fit and its training data; a formula names its labels itself.
with_training <- function(verb, run, ...) {
  data <- if (inherits(run$s$x, "formula")) list(x = run$s$y) else list(x = run$s$x, y = run$s$y)
  do.call(verb, c(list(run$fit), data, list(...)), quote = TRUE)
}

# The same where the data are called newdata.
drawn_on_training <- function(verb, run, ...) {
  data <- if (inherits(run$s$x, "formula")) list(newdata = run$s$y) else list(newdata = run$s$x, y = run$s$y)
  do.call(verb, c(list(run$fit, ...), data, list(index = one_index(run))), quote = TRUE)
}

# --- reading ---

check_certificate <- function(run) {
  t <- certificate(run$fit)
  ok <- t[t$status == "optimal", ]
  graded <- ok$kind != "none"
  c(complain(!nrow(t), "no solution"),
    complain(!all(is.finite(c(ok$primal, ok$dual)[rep(graded, 2)])), "primal or dual value not finite"),
    complain(!all((ok$dual <= ok$primal + 1e-7 * abs(ok$primal) + 1e-9)[graded]), "dual above primal value"),
    complain(!all(ok$gap[graded] <= 1e-6), "optimal with a gap of ", format(max(ok$gap))),
    complain(has_weights(run$fit) && is.null(run$fit$polynomial) && !all(ok$nonzero %in% 0:ncol(run$x)),
             "impossible number of features"),
    complain(!all(t$kind %in% c("gap", "stationarity", "none")), "unknown kind"),
    complain(!identical(nobs(run$fit), nrow(run$x)), "nobs() is not the number of rows"))
}

check_print <- function(run) {
  text <- shown(print(run$fit))
  c(complain(length(text) < 3, "prints ", length(text), " lines"),
    complain(any(nchar(text, "width") > 120), "prints a line of ", max(nchar(text, "width")), " characters"),
    # Solutions that failed have no size.
    complain(any(grepl("NaN|NULL|\\bNA\\b", text[-1]) & !grepl("failed", text[-1])), "prints ",
             grep("NaN|NULL|\\bNA\\b", text, value = TRUE)[1]))
}

check_summary <- function(run) {
  for_each(run, function(k) {
    s <- summary(run$fit, index = k)
    text <- shown(print(s))
    c(complain(length(text) < 5, "prints ", length(text), " lines"),
      if (!is.null(s$features)) complain(is.unsorted(-s$features$importance), "features are not in order"))
  })
}

check_coef <- function(run) {
  if (!is.null(run$fit$networks)) return(expect_refusal(coef(run$fit), "object"))
  for_each(run, function(k) {
    parts <- coef(run$fit, index = k)
    numbers <- unlist(parts, use.names = FALSE)
    each <- if (is.list(parts)) parts else list(parts)
    c(complain(!all(is.finite(numbers)), "coefficients not finite"),
      complain(is.list(parts) && !identical(names(parts), run$fit$outputs), "not named by class"),
      complain(!all(vapply(each, function(v) names(v)[1] == "(Intercept)", NA)), "no intercept"),
      if (linear(run$fit)) {
        f <- vapply(each, function(v) drop(run$x %*% v[-1]) + v[[1]], numeric(nrow(run$x)))
        size <- vapply(each, function(v) drop(abs(run$x) %*% abs(v[-1])) + abs(v[[1]]), numeric(nrow(run$x)))
        link <- as.matrix(predict(run$fit, run$s$newdata, "link", index = k))
        complain(!all(abs(f - link) <= 1e-11 * size + 1e-300), "decision values are not those of the coefficients")
      })
  })
}

check_selected <- function(run) {
  fit <- run$fit
  for_each(run, function(k) {
    set <- selected(fit, index = k)
    observations <- identical(fit$method$declares$selects, "observations") && !is.null(fit$machine)
    known <- if (observations) NULL else if (!is.null(fit$polynomial)) NULL else colnames(run$x)
    free <- colnames(run$x)[fit$unpenalized]
    c(complain(anyNA(set) && !anyNA(known), "selects NA"),
      complain(!observations && anyDuplicated(set) > 0 && !anyDuplicated(known), "selects a feature twice"),
      complain(!observations && length(set) != certificate(fit)$nonzero[k] && is.null(fit$polynomial),
               length(set), " selected, but the certificate has ", certificate(fit)$nonzero[k]),
      if (!is.null(known)) complain(!all(set %in% known), "selects what is no feature"),
      if (is.null(known) && !observations && is.null(fit$polynomial)) {
        complain(!all(set %in% seq_len(ncol(run$x))), "selects what is no column")
      },
      complain(length(free) && any(set %in% free) && !anyDuplicated(known), "selects an unpenalised feature"),
      complain(!identical(set, predict(fit, type = "features", index = k)), "predict(type = \"features\") differs"))
  })
}

check_importance <- function(run) {
  fit <- run$fit
  if (!has_weights(fit)) return(expect_refusal(feature_importance(fit, index = one_index(run)), "object"))
  for_each(run, function(k) {
    v <- feature_importance(fit, index = k)
    names <- if (is.null(fit$polynomial)) colnames(run$x)
    c(complain(!all(is.finite(v)) || any(v < 0), "importance below zero or not finite"),
      complain(is.unsorted(-v), "not in decreasing order"),
      complain(!is.null(names) && !setequal(names(v), names), "names are not those of the features"),
      # Of a tree, features that were asked for beyond those that it splits by have none.
      complain(sum(v > 0) < certificate(fit)$nonzero[k] && is.null(fit$polynomial) && run$name != "tree_importance",
               "fewer important features than selected ones"))
  })
}

check_rounds <- function(run) {
  t <- rounds(run$fit)
  c(complain(!is.data.frame(t), "is no data frame"),
    complain(!all(t$solution %in% solutions(run$fit)), "names other solutions"),
    complain(any(t$gap < -1e-9, na.rm = TRUE), "a negative gap"))
}

check_ranking <- function(run) {
  if (is.null(run$fit$ranking)) return(expect_refusal(feature_ranking(run$fit), "object"))
  each <- feature_ranking(run$fit)
  each <- if (is.list(each)) each else list(each)
  twice <- any(vapply(each, anyDuplicated, 0L) > 0)
  complain(twice && !anyDuplicated(colnames(run$x)), "ranks a feature twice")
}

# Every way to point at a solution leads to it.
check_pointing <- function(run) {
  t <- certificate(run$fit)
  k <- one_index(run)
  parameters <- setdiff(run$fit$tuning, "target")
  size <- if (has_weights(run$fit) && t$nonzero[k] > 0) suppressMessages(core$pick(run$fit, nonzero = t$nonzero[k]))
  found <- if (length(parameters)) core$pick(run$fit, s = as.list(t[k, parameters, drop = FALSE]))
  c(complain(length(size) > 0 && !all(t$nonzero[size] <= t$nonzero[k]), "nonzero = points at a larger solution"),
    complain(length(parameters) > 0 && !k %in% found, "s = does not find its solution"))
}

# --- predicting ---

check_link <- function(run) {
  fit <- run$fit
  n <- count_rows(run$s$newdata)
  for_each(run, function(k) {
    link <- predict(fit, run$s$newdata, "link", index = k)
    names <- if (is.matrix(link)) rownames(link) else names(link)
    rows <- row_names(run$s$newdata)
    c(complain(NROW(link) != n, NROW(link), " values for ", n, " rows"),
      complain(!all(is.finite(link)), "decision values not finite"),
      complain(!is.null(rows) && !identical(names, rows), "names are not those of the rows"),
      complain(is.matrix(link) && !identical(colnames(link), fit$outputs), "columns are not the outputs"))
  })
}

# Values that are zero or tied but for rounding have no class to speak of.
doubtful <- function(link) {
  link <- as.matrix(link)
  size <- 1e-9 * max(1e-300, abs(link))
  lead <- if (ncol(link) == 1) abs(link[, 1]) else apply(link, 1, function(v) min(diff(sort(v)), abs(v)))
  lead <= size | lead <= 1e-9
}

check_class <- function(run) {
  fit <- run$fit
  if (fit$task == "regression") return(expect_refusal(predict(fit, run$s$newdata, "class"), "type"))
  for_each(run, function(k) {
    class <- predict(fit, run$s$newdata, "class", index = k)
    link <- as.matrix(predict(fit, run$s$newdata, "link", index = k))
    unsure <- doubtful(link)
    errors <- certificate(fit)$errors[k]
    if (fit$task == "multi-label") {
      wrong <- rowSums((class > 0) != (run$labels$y > 0)) > 0
      return(c(complain(!all(class %in% 0:1), "labels are not 0 and 1"),
               complain(any((class > 0) != (link > 0)), "labels are not the signs of the decision values"),
               complain(abs(sum(wrong) - errors) > sum(unsure), "errors are not those of predict()")))
    }
    code <- as.integer(class)
    own <- if (ncol(link) == 1) 1 + (link[, 1] > 0) else if (is.null(fit$pairs)) max.col(link, "first") else code
    wrong <- sum(code != run$labels$class)
    c(complain(!identical(levels(class), fit$levels), "levels are not those of the fit"),
      complain(anyNA(class), "a class is missing"),
      complain(any(code != own), "classes are not those of the decision values"),
      complain(abs(wrong - errors) > sum(unsure), "errors: ", errors, " but ", wrong, " counted"))
  })
}

# Rows in another order, columns in another order, further columns: the same answers.
check_reordered <- function(run) {
  fit <- run$fit
  x <- run$s$newdata
  k <- one_index(run)
  link <- function(x) as.matrix(predict(fit, x, "link", index = k))
  own <- link(x)
  order <- rev(seq_len(count_rows(x)))
  same <- function(a, b) isTRUE(all.equal(unname(a), unname(b), tolerance = 1e-9))
  names <- colnames(x)
  movable <- !inherits(x, "SummarizedExperiment") && !is.null(names) && !anyNA(names) &&
    !anyDuplicated(names) && !any(names == "") && ncol(x) > 1
  c(complain(!same(own[order, , drop = FALSE], link(some_rows(x, order))), "rows in another order change predictions"),
    if (movable) {
      turned <- if (inherits(x, "data.table")) as.data.frame(x)[rev(names)] else x[, rev(names)]
      complain(!same(own, link(turned)), "columns in another order change predictions")
    },
    if (movable && is.matrix(x)) {
      complain(!same(own, link(cbind(other = NA, x))), "a further column changes predictions")
    },
    if (is.matrix(x) && !anyNA(x)) {
      complain(!same(own, link(methods::as(x + 0, "CsparseMatrix"))), "sparse rows are predicted otherwise")
    },
    if (is.matrix(x) && is.null(fit$encoding) && movable) {
      complain(!same(own, link(as.data.frame(x, optional = TRUE))), "a data frame is predicted otherwise")
    })
}

check_one_row <- function(run) {
  k <- one_index(run)
  own <- as.matrix(predict(run$fit, run$s$newdata, "link", index = k))
  one <- as.matrix(predict(run$fit, some_rows(run$s$newdata, 2), "link", index = k))
  if (run$fit$task != "regression") predict(run$fit, some_rows(run$s$newdata, 2), "class", index = k)
  complain(!isTRUE(all.equal(unname(own[2, ]), unname(one[1, ]), tolerance = 1e-9)),
           "a row alone is predicted otherwise")
}

check_no_rows <- function(run) {
  x <- some_rows(run$s$newdata, integer())
  k <- one_index(run)
  link <- predict(run$fit, x, "link", index = k)
  c(complain(NROW(link) != 0, NROW(link), " values for no rows"),
    if (run$fit$task != "regression") {
      complain(NROW(predict(run$fit, x, "class", index = k)) != 0, "classes for no rows")
    })
}

check_missing_column <- function(run) {
  x <- run$s$newdata
  if (inherits(x, "SummarizedExperiment") || inherits(x, "data.table") || is.null(colnames(x))) return(NULL)
  if (anyDuplicated(colnames(x)) || anyNA(colnames(x)) || any(colnames(x) == "")) return(NULL)
  fit <- run$fit
  k <- one_index(run)
  # With imputation a feature may be missing altogether.
  used <- if (linear(fit) && is.null(fit$encoding) && is.null(fit$imputation)) head(selected(fit, index = k), 1)
  if (!length(used)) return(NULL)
  kept <- setdiff(colnames(x), used)
  expect_refusal(predict(fit, x[, kept, drop = FALSE], index = k), "newdata")
}

check_saved <- function(run) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(run$fit, file)
  read <- readRDS(file)
  k <- one_index(run)
  c(complain(!identical(predict(read, run$s$newdata, "link", index = k),
                        predict(run$fit, run$s$newdata, "link", index = k)), "predicts otherwise once read back"),
    complain(!identical(certificate(read), certificate(run$fit)), "has another certificate once read back"))
}

# --- tables and pictures ---

check_tidy <- function(run) {
  if (!is.null(run$fit$networks)) return(expect_refusal(tidy(run$fit), "object"))
  t <- tidy(run$fit)
  all <- tidy(run$fit, return_zeros = TRUE)
  c(complain(!inherits(t, "data.frame"), "is no data frame"),
    complain(!all(t$solution %in% solutions(run$fit)), "names other solutions"),
    complain(any(t$estimate == 0, na.rm = TRUE), "has zeros"),
    complain(nrow(all) < nrow(t), "fewer rows with zeros than without"),
    complain(!is.data.frame(t[, 1]) && inherits(t, "tbl_df"), "is a tibble only by its class"))
}

check_glance <- function(run) {
  g <- glance(run$fit)
  c(complain(nrow(g) != 1, nrow(g), " rows"), complain(!identical(as.integer(g$nobs), nrow(run$x)), "nobs is wrong"))
}

check_augment <- function(run) {
  k <- one_index(run)
  a <- augment(run$fit, run$s$newdata, index = k)
  class <- if (run$fit$task %in% c("two-class", "k-class")) predict(run$fit, run$s$newdata, "class", index = k)
  c(complain(nrow(a) != count_rows(run$s$newdata), nrow(a), " rows"),
    if (!is.null(class)) complain(!identical(a$.pred_class, unname(class)), ".pred_class is not predict()"))
}

# pdf(NULL) warns of letters that its fonts lack.
on_nothing <- function(code) {
  file <- tempfile(fileext = ".png")
  grDevices::png(file, type = "cairo")
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  code
}

picture <- function(type, data = FALSE) {
  force(data)
  function(run) {
    on_nothing(if (data) drawn_on_training(plot, run, type)
               else if (type == "weights") plot(run$fit, type, index = one_index(run))
               else plot(run$fit, type))
    character()
  }
}

second_picture <- function(type, data = FALSE) {
  force(data)
  function(run) {
    if (!requireNamespace("ggplot2", quietly = TRUE)) return(NULL)
    drawn <- if (data) drawn_on_training(ggplot2::autoplot, run, type)
             else if (type == "weights") ggplot2::autoplot(run$fit, type, index = one_index(run))
             else ggplot2::autoplot(run$fit, type)
    on_nothing(ggplot2::ggplot_build(drawn))
    character()
  }
}

check_report <- function(run) {
  file <- tempfile(fileext = ".html")
  on.exit(unlink(file))
  with_training(report, run, file = file, index = one_index(run))
  text <- paste(readLines(file, warn = FALSE, encoding = "UTF-8"), collapse = "\n")
  c(complain(!grepl("</html>", text), "the page has no end"),
    complain(grepl(">NaN<|>NULL<", text), "the page shows NaN or NULL"))
}

# --- fitting again ---

check_update <- function(run) {
  fit <- if (inherits(run$s$x, "formula")) with_draws(run, update(run$fit, data = run$s$y))
         else with_draws(run, update(run$fit, run$s$x, run$s$y))
  c(complain(!identical(fit$coefficients, run$fit$coefficients) || !identical(fit$machine$alpha, run$fit$machine$alpha),
             "the same call gives another answer"),
    complain(!identical(fit$certificate, run$fit$certificate), "the same call gives another certificate"))
}

check_calibrated <- function(run) {
  fit <- with_training(calibrate_zeronorm, run, folds = 2)
  k <- one_index(run)
  p <- predict(fit, run$s$newdata, "prob", index = k)
  class <- if (fit$task %in% c("two-class", "k-class")) {
    predict(fit, run$s$newdata, "class", index = k, cutoff = "calibrated")
  }
  check_probabilities(p, class, fit, predict(fit, run$s$newdata, "link", index = k))
}

check_probabilities <- function(p, class, fit, link) {
  c(complain(!all(is.finite(p)) || any(p < 0 | p > 1), "probabilities outside 0 and 1"),
    if (fit$task == "k-class") {
      c(complain(any(abs(rowSums(p) - 1) > 1e-9), "probabilities do not sum to one"),
        complain(!identical(colnames(p), fit$levels), "columns are not the classes"))
    },
    if (fit$task == "two-class") {
      complain(is.unsorted(p[order(link)] + 1e-9 * seq_along(p)), "probabilities fall where decision values rise")
    },
    if (fit$task %in% c("two-class", "k-class")) {
      most <- if (is.matrix(p)) max.col(p, "first") else 1 + (p > 0.5)
      lead <- if (is.matrix(p)) apply(p, 1, function(v) diff(tail(sort(v), 2))) else abs(p - 0.5)
      complain(any(most != as.integer(class) & lead > 1e-9),
               "the class of cutoff = \"calibrated\" is not the most probable")
    })
}

training_errors <- function(fit, run, k) {
  sum(as.integer(predict(fit, run$s$newdata, "class", index = k)) != run$labels$class)
}

check_polish <- function(run) {
  k <- one_index(run)
  fit <- with_training(polish, run, index = k, seconds = 0.3, largest = 1)
  before <- selected(run$fit, index = k)
  unsure <- sum(doubtful(predict(run$fit, run$s$newdata, "link", index = k)))
  c(complain(length(selected(fit)) > length(before), "more features than before"),
    complain(training_errors(fit, run, 1) > training_errors(run$fit, run, k) + unsure,
             "more errors than before"),
    complain(!all(selected(fit) %in% c(before, colnames(run$x))), "other features than before"),
    complain(!all(run$fit$settings$keep %in% c(selected(fit), match(selected(fit), colnames(run$x)))),
             "a kept feature is gone"))
}

check_proof <- function(run) {
  k <- one_index(run)
  proof <- with_training(certify_zero_norm, run, index = k, seconds = 0.3, largest = 2, permutations = 2)
  shown(print(proof))
  on_nothing(plot(proof))
  errors <- training_errors(run$fit, run, k)
  c(complain(proof$lower > proof$upper, "lower bound above the upper one"),
    complain(any(lengths(proof$sets) != proof$upper), "sets of another size than the upper bound"),
    complain(is.finite(proof$upper) && !length(proof$sets), "an upper bound without a set"),
    if (is.finite(proof$upper) && proof$errors == 0) unlist(lapply(head(proof$sets, 2), function(set) {
      columns <- if (is.character(set)) match(set, colnames(run$x)) else set
      columns <- union(columns, run$fit$unpenalized)  # these are there in any case
      z <- scale(run$x[, columns, drop = FALSE])
      own <- tryCatch(zeronorm(z, factor(run$labels$class), l1_svm(Inf), standardize = FALSE),
                      zeronorm_error = function(e) NULL)
      complain(is.null(own) || certificate(own)$errors > 0, "a set does not separate")
    })))
}

check_cv <- function(run) {
  cv <- with_verb(cv_zeronorm, run, folds = 2)
  shown(print(cv))
  on_nothing(plot(cv))
  t <- cv$summary
  x <- run$s$newdata
  picked <- cv$best[["1se"]]
  measured <- t$mean[cv$best]
  link <- predict(cv, x, type = "link")
  c(complain(cv$measure %in% c("error", "balanced") && any(measured < 0 | measured > 1), "errors outside 0 and 1"),
    complain(anyNA(measured), "the loss of a choice is not known"),
    complain(!identical(link, predict(cv$fit, x, "link", index = picked)), "does not predict by its choice"),
    complain(nrow(glance(cv)) != 1, "glance() has ", nrow(glance(cv)), " rows"),
    complain(nrow(tidy(cv)) != nrow(t), "tidy() has ", nrow(tidy(cv)), " rows"),
    complain(nrow(augment(cv, x)) != count_rows(x), "augment() has ", nrow(augment(cv, x)), " rows"),
    if (cv$fit$task != "regression") {
      class <- if (cv$fit$task != "multi-label") predict(cv, x, cutoff = "calibrated")
      check_probabilities(predict(cv, x, type = "prob"), class, cv$fit, link)
    })
}

# Whatever else can be asked of a cross-validation.
check_cv_verbs <- function(run) {
  cv <- with_verb(cv_zeronorm, run, folds = 3, repeats = 2, predictions = TRUE)
  k <- cv$best[["1se"]]
  text <- shown(print(summary(cv)))
  drawn <- function(type, ...) {
    on_nothing(plot(cv, type, ...))
    if (requireNamespace("ggplot2", quietly = TRUE)) on_nothing(ggplot2::ggplot_build(ggplot2::autoplot(cv, type, ...)))
  }
  drawn("error")
  drawn("gap")
  if (run$unit %% 4 == 0) {
    file <- tempfile(fileext = ".html")
    on.exit(unlink(file))
    data <- if (inherits(run$s$x, "formula")) list(run$s$y) else list(run$s$x, run$s$y)
    do.call(report, c(list(cv), data, list(file = file)), quote = TRUE)
  }
  other <- with_verb(cv_zeronorm, run, foldid = cv$splits)
  t <- compare_cv(one = cv, other = other)
  c(complain(!length(text), "summary() prints nothing"),
    complain(!identical(certificate(cv), certificate(cv$fit)), "has another certificate than its fit"),
    if (has_weights(cv$fit)) {
      complain(!identical(selected(cv), selected(cv$fit, index = k)), "does not select by its choice")
    },
    if (is.null(cv$fit$networks)) complain(!identical(coef(cv), coef(cv$fit, index = k)), "coef() is not its choice"),
    if (cv$fit$task %in% c("two-class", "k-class")) {
      counts <- confusion_table(cv)
      shown(print(counts))
      drop <- length(dim(counts)) == 2
      # Folds may fail.
      complain(drop && sum(counts) > 2 * nrow(run$x) + 1e-6, "the confusion table counts ", sum(counts),
               " in two repeats")
    },
    # Methods that draw folds of their own draw others.
    if (!draws_numbers(run$method)) {
      c(complain(!identical(cv$summary$mean, other$summary$mean), "the same folds give another loss"),
        complain(!isTRUE(all.equal(t$difference, 0)), "compare_cv() finds a difference between the same"))
    })
}

# All solutions at once are each by itself.
check_together <- function(run) {
  fit <- run$fit
  m <- nrow(certificate(fit))
  if (m == 1) return(NULL)
  x <- run$s$newdata
  apart <- lapply(seq_len(m), function(k) as.matrix(predict(fit, x, "link", index = k)))
  together <- predict(fit, x, "link")
  together <- if (is.list(together)) together else lapply(seq_len(m), function(k) together[, k, drop = FALSE])
  same <- function(a, b) isTRUE(all.equal(unname(a), unname(b), tolerance = 1e-12))
  c(complain(!all(mapply(same, apart, together)), "decision values of all solutions are not those of each"),
    if (has_weights(fit)) {
      complain(!identical(unname(selected(fit)), lapply(seq_len(m), function(k) selected(fit, index = k))),
               "selected() of all solutions is not that of each")
    },
    if (fit$task != "regression") {
      class <- predict(fit, x, "class")
      complain(length(class) != m, length(class), " classifications of ", m, " solutions")
    })
}

# One argument of the method changed by update(), as in the constructor.
check_changed <- function(run) {
  known <- c("C", "lambda", "refit_C", "epsilon")
  name <- known[known %in% names(run$fit$method$args)][1]
  if (is.na(name) || !is.numeric(run$fit$method$args[[name]])) return(NULL)
  value <- pmin(2 * run$fit$method$args[[name]], if (name == "lambda") 0.9 else Inf)
  changes <- structure(list(value), names = name)
  data <- if (inherits(run$s$x, "formula")) list(data = run$s$y) else list(run$s$x, run$s$y)
  fit <- with_draws(run, do.call(update, c(list(run$fit), data, changes), quote = TRUE))
  method <- do.call(get(run$name), replace(run$fit$method$args, name, list(value)), quote = TRUE)
  hand <- with_draws(run, do.call(zeronorm, c(list(run$s$x, run$s$y, method = method), run$settings), quote = TRUE))
  complain(!identical(fit$coefficients, hand$coefficients) || !identical(fit$certificate, hand$certificate),
           "update() with another ", name, " is not the fit with it")
}

# The same data in another container, twice the weight, or with the labels named otherwise: the same fit.
check_equivalent <- function(run) {
  if (!is.matrix(run$s$x) || !is.numeric(run$s$x) || anyNA(run$s$x) || is.null(colnames(run$s$x))) return(NULL)
  if (anyDuplicated(colnames(run$s$x)) || any(colnames(run$s$x) == "")) return(NULL)
  again <- function(x) {
    with_draws(run, do.call(zeronorm, c(list(x, run$s$y, method = run$method), run$settings), quote = TRUE))
  }
  frame <- again(as.data.frame(run$s$x, optional = TRUE))
  complain(!identical(frame$coefficients@x, run$fit$coefficients@x) || !identical(frame$intercept, run$fit$intercept),
           "a data frame of the same numbers gives another fit")
}

check_nested <- function(run) {
  nested <- with_verb(nested_zeronorm, run, folds = 2, inner_folds = 2)
  shown(print(nested))
  shown(print(summary(nested)))
  on_nothing(plot(nested))
  shown(print(confint(nested)))
  tidy(nested)
  glance(nested)
  value <- nested$summary$mean[nested$summary$measure == nested$measure]
  c(complain(anyNA(value), "the loss is not known"),
    complain(nested$measure == "error" && (value < 0 || value > 1), "errors outside 0 and 1"),
    complain(dim(nested$link)[1] != nrow(run$x), "decision values for ", dim(nested$link)[1], " rows"))
}

check_stability <- function(run) {
  stable <- with_verb(stability_selection, run, resamples = 4)
  shown(print(stable))
  on_nothing(plot(stable))
  f <- stable$frequency
  c(complain(any(f@x < 0 | f@x > 1 + 1e-12), "shares outside 0 and 1"),
    complain(max(abs(Matrix::colSums(f) - stable$summary$mean_size)) > 1e-9, "shares do not sum to the mean size"),
    complain(any(stable$summary$index > 1 + 1e-9, na.rm = TRUE), "an index above one"),
    complain(length(selected(stable)) != stable$summary$stable[1], "selected() has another number of features"))
}

check_permutation <- function(run) {
  test <- with_verb(permutation_test, run, permutations = 2, folds = 2)
  shown(print(test))
  on_nothing(plot(test))
  complain(test$p <= 0 || test$p > 1, "a p-value of ", test$p)
}

check_curve <- function(run) {
  curve <- with_verb(learning_curve, run, sizes = c(0.6, 1), folds = 2)
  shown(print(curve))
  on_nothing(plot(curve))
  c(complain(!nrow(curve$summary) %in% 1:2, nrow(curve$summary), " rows"),
    complain(anyNA(curve$summary$mean), "a loss is not known"))
}

# A verb on the data and with the settings of the run.
with_verb <- function(verb, run, ...) {
  settings <- run$settings
  if (!identical(verb, stability_selection)) settings$foldid <- NULL  # theirs is that of the outer folds
  do.call(verb, c(list(run$s$x, run$s$y, method = run$method), settings, list(...)), quote = TRUE)
}

verbs <- list(
  certificate = check_certificate, print = check_print, summary = check_summary, coef = check_coef,
  selected = check_selected, feature_importance = check_importance, rounds = check_rounds,
  feature_ranking = check_ranking, pointing = check_pointing, "predict link" = check_link,
  "predict class" = check_class,
  "predict reordered" = check_reordered, "predict one row" = check_one_row, "predict no rows" = check_no_rows,
  "predict without a column" = check_missing_column, saveRDS = check_saved, tidy = check_tidy, glance = check_glance,
  augment = check_augment, "plot path" = picture("path"), "plot weights" = picture("weights"),
  "plot convergence" = picture("convergence"), "plot gap" = picture("gap"),
  "plot heatmap" = picture("heatmap", TRUE), "plot boundary" = picture("boundary", TRUE),
  "autoplot path" = second_picture("path"), "autoplot weights" = second_picture("weights"),
  "autoplot convergence" = second_picture("convergence"), "autoplot heatmap" = second_picture("heatmap", TRUE),
  "autoplot boundary" = second_picture("boundary", TRUE), report = check_report, update = check_update,
  calibrate_zeronorm = check_calibrated, polish = check_polish, certify_zero_norm = check_proof,
  cv_zeronorm = check_cv, nested_zeronorm = check_nested, stability_selection = check_stability,
  permutation_test = check_permutation, learning_curve = check_curve, "cv_zeronorm verbs" = check_cv_verbs,
  "all solutions" = check_together, "update changed" = check_changed, "data frame" = check_equivalent
)

# Not where a fit takes long.
fitting_again <- c("update", "calibrate_zeronorm", "polish", "certify_zero_norm", "cv_zeronorm", "nested_zeronorm",
                   "stability_selection", "permutation_test", "learning_curve", "report", "cv_zeronorm verbs",
                   "update changed", "data frame")
