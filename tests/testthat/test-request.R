# One request for all verbs that fit again: every argument of zeronorm() and of every method reaches every fit that a
# verb makes.  The tables of arguments are in helper-arguments.R.

# --- what a verb fits, and the same by hand ---

# The requests that `code` has fitted, each with the state of the random numbers before, and the fit.
recording <- function(code) {
  original <- getFromNamespace("fit_request", "zeronorm")
  on.exit(assignInNamespace("fit_request", original, "zeronorm"))
  made <- list()
  assignInNamespace("fit_request", function(request) {
    stream <- get0(".Random.seed", globalenv(), inherits = FALSE)
    fit <- original(request)
    made[[length(made) + 1]] <<- list(request = request, stream = stream, fit = fit)
    fit
  }, "zeronorm")
  quietly_run(code)
  made
}

quietly_run <- function(code) suppressWarnings(suppressMessages(code))

# list(given: x and y as a verb takes them, x, y: the same as a matrix and labels, method, settings).
new_case <- function(data, method, settings) {
  case <- list(given = data[c("x", "y")], x = data$x, y = data$y, method = method, settings = settings)
  if (is_experiment(data$x)) {
    case$y <- SummarizedExperiment::colData(data$x)[[data$y]]
    case$x <- t(SummarizedExperiment::assay(data$x, settings$assay))
  }
  case
}

case_of_setting <- function(argument, which) {
  entry <- zeronorm_arguments()[[argument]]
  new_case(argument_data(entry$data), entry$method, structure(list(entry[[which]]), names = argument))
}

parameters <- method_arguments()

case_of_parameter <- function(name, argument, which) {
  entry <- parameters[[name]][[argument]]
  method <- do.call(method_constructors()[[name]], c(entry$base, structure(list(entry[[which]]), names = argument)),
                    quote = TRUE)
  settings <- if (length(method$folds)) list(foldid = rep_len(1:5, 30)) else list()
  if (entry$data == "regression") settings$task <- "regression"
  new_case(argument_data(entry$data), method, settings)
}

rows_of <- function(values, rows) if (is.matrix(values)) values[rows, , drop = FALSE] else values[rows]

# The call of a user who has these rows alone.
fit_by_hand <- function(case, rows, y) {
  settings <- case$settings[names(case$settings) != "assay"]
  for (name in intersect(c("weights", "foldid"), names(settings))) {
    settings[name] <- list(settings[[name]][rows])
  }
  quietly_run(do.call(zeronorm, c(list(case$x[rows, , drop = FALSE], y, case$method), settings), quote = TRUE))
}

# Labels of a request as a user has them.
given_labels <- function(labels) {
  switch(labels$task,
    regression = labels$y,
    "multi-label" = structure((labels$y > 0) + 0, dimnames = list(NULL, labels$levels)),
    factor(labels$levels[labels$class], labels$levels)
  )
}

# All of a fit but its time and the container that its data came from.
answer_of <- function(fit) {
  fit$seconds <- fit$asked <- fit$encoding <- fit$calibration <- fit$settings$assay <- NULL
  unclass(fit)
}

# Every fit of the recording is the one by hand on its rows, and there are `count` of them or more.
expect_by_hand <- function(made, case, count, label) {
  expect_gte(length(made), count, label = label)
  for (one in made) {
    rows <- match(one$request$x$x[, 1], case$x[, 1])
    y <- given_labels(one$request$labels)
    hand <- on_stream(one$stream, fit_by_hand(case, rows, y))
    expect_same_answer(one$fit, hand, label)
  }
}

# expect_identical() looks for words even where there is nothing to say, which takes longer than a fit.
expect_same_answer <- function(fit, hand, label) {
  fit <- answer_of(fit)
  hand <- answer_of(hand)
  differ <- Filter(function(name) !identical(fit[[name]], hand[[name]]), union(names(fit), names(hand)))
  expect(!length(differ), paste0(label, " differs from the fit by hand in ", paste(differ, collapse = ", "), "."))
}

# --- verbs ---

# The call of a verb that takes what zeronorm() takes.
call_verb <- function(verb, case, ...) {
  do.call(verb, c(list(case$given$x, case$given$y, case$method), case$settings, list(...)), quote = TRUE)
}

two_folds <- function(case) rep_len(1:2, nrow(case$x))

# Each makes `count` fits or more; outer: its own `foldid` is that of the outer folds.
refitting_verbs <- list(
  update = list(count = 2, run = function(case) {
    update(call_verb(zeronorm, case), case$given$x, case$given$y)
  }),
  calibrate_zeronorm = list(count = 3, run = function(case) {
    calibrate_zeronorm(call_verb(zeronorm, case), case$given$x, case$given$y, foldid = two_folds(case))
  }),
  cv_zeronorm = list(count = 3, outer = TRUE, run = function(case) {
    call_verb(cv_zeronorm, case, foldid = two_folds(case))
  }),
  nested_zeronorm = list(count = 6, outer = TRUE, run = function(case) {
    call_verb(nested_zeronorm, case, foldid = two_folds(case), inner_folds = 2)
  }),
  stability_selection = list(count = 3, run = function(case) call_verb(stability_selection, case, resamples = 2)),
  permutation_test = list(count = 6, outer = TRUE, run = function(case) {
    call_verb(permutation_test, case, permutations = 1, foldid = two_folds(case))
  }),
  learning_curve = list(count = 4, outer = TRUE, run = function(case) {
    call_verb(learning_curve, case, sizes = c(0.8, 1), foldid = two_folds(case))
  }),
  svm_linear_zeronorm = list(count = 1, run = function(case) {
    do.call(svm_linear_zeronorm, c(list(case$x, case$y, method = case$method),
                                   case$settings[names(case$settings) != "assay"]), quote = TRUE)
  })
)

# Regressions have no probabilities, features are counted only where there are any, and a hard margin leaves no fit
# of permuted labels.
takes_case <- function(verb, case) {
  task <- task_of_case(case)
  switch(verb,
    calibrate_zeronorm = task != "regression",
    svm_linear_zeronorm = task %in% c("two-class", "k-class"),
    stability_selection = case$method$declares$selects == "features" &&
      (is.null(case$method$model$kernel) || case$method$model$scaled),
    permutation_test = !any(case$method$steps$hard) || case$method$model$limit,
    TRUE
  )
}

task_of_case <- function(case) {
  if (identical(case$settings$task, "regression")) return("regression")
  if (is.matrix(case$y)) return("multi-label")
  if (length(unique(case$y)) == 2) "two-class" else "k-class"
}

# Fits of a nested loop that may fail: a method that cross-validates needs two observations of each class, and an inner
# fold of three small classes may leave one of them.
may_fail <- function(verb, case) {
  if (verb == "nested_zeronorm" && length(case$method$folds) && task_of_case(case) == "k-class") 2 else 0
}

expect_survives <- function(case, verbs, label) {
  for (verb in Filter(function(verb) takes_case(verb, case), verbs)) {
    entry <- refitting_verbs[[verb]]
    if (isTRUE(entry$outer)) case$settings$foldid <- NULL
    made <- with_stream(1, recording(entry$run(case)))
    expect_by_hand(made, case, entry$count - may_fail(verb, case), paste(verb, "of", label))
  }
}

test_all <- nzchar(Sys.getenv("ZERONORM_TEST_ALL"))

# All verbs, or one at every third argument.
some_verbs <- function(turn) {
  verbs <- names(refitting_verbs)
  if (test_all) verbs else if (turn %% 3 == 0) verbs[1 + (turn / 3) %% length(verbs)]
}

# Finished parts of one call are no answer to the other.
expect_refuses_parts <- function(case, other, label) {
  folder <- tempfile("checkpoint")
  on.exit(unlink(folder, recursive = TRUE))
  run <- function(case) {
    case$settings["foldid"] <- NULL
    with_stream(1, quietly_run(call_verb(cv_zeronorm, case, foldid = two_folds(case), checkpoint = folder)))
  }
  first <- run(case)
  expect_identical(run(case), first)
  error <- tryCatch(run(other), zeronorm_error = identity)
  expect(inherits(error, "zeronorm_error") && error$argument == "checkpoint",
         paste0("The finished parts of another ", label, " are taken for an answer."))
}

# The SVM that polish() makes of fewer features, by the call of a user who names these.
polished_by_hand <- function(case, polished) {
  columns <- selected(polished)
  case$method <- correlation_filter(nonzero = length(columns), refit_C = polished$polish$C)
  case$settings[c("keep", "groups", "foldid")] <- list(columns, NULL, NULL)
  fit_by_hand(case, seq_len(nrow(case$x)), case$y)
}

expect_polished <- function(case, label) {
  fit <- with_stream(1, quietly_run(call_verb(zeronorm, case)))
  polished <- quietly_run(polish(fit, case$given$x, case$given$y, seconds = 10, largest = 1))
  expect_identical(polished[c("settings", "weights", "foldid", "unpenalized")],
                   fit[c("settings", "weights", "foldid", "unpenalized")], label = label)
  if (is.na(polished$polish$C)) return(FALSE)
  hand <- polished_by_hand(case, polished)
  expect_identical(polished[c("coefficients", "intercept", "imputation")],
                   hand[c("coefficients", "intercept", "imputation")], label = label)
  TRUE
}

# --- tests ---

test_that("the tables know every argument of zeronorm(), and none that no method has", {
  asked <- setdiff(names(formals(zeronorm.default)), c("x", "y", "method", "..."))
  expect_setequal(names(zeronorm_arguments()), asked)
  rows <- argument_rows()
  for (name in names(rows)) {
    expect_true(all(names(rows[[name]]) %in% names(formals(method_constructors()[[name]]))), label = name)
  }
})

test_that("polish() keeps the arguments of zeronorm()", {
  smaller <- vapply(setdiff(names(zeronorm_arguments()), c("task", "assay")), function(argument) {
    expect_polished(case_of_setting(argument, "second"), argument)
  }, NA)
  expect_gte(sum(smaller), 3)
})

for (argument in names(zeronorm_arguments())) local({
  argument <- argument
  test_that(paste0("zeronorm(", argument, " = ) reaches every fit of every verb"), {
    if (argument == "assay") skip_if_not_installed("SummarizedExperiment")
    cases <- lapply(c("first", "second"), case_of_setting, argument = argument)
    answers <- lapply(cases, function(case) answer_of(with_stream(1, fit_by_hand(case, 1:30, case$y))))
    expect_false(identical(answers[[1]][c("coefficients", "intercept")], answers[[2]][c("coefficients", "intercept")]))
    # Bioconductor's objects take long.
    verbs <- if (argument == "assay" && !test_all) "cv_zeronorm" else names(refitting_verbs)
    if (test_all) expect_survives(cases[[1]], verbs, argument)
    expect_survives(cases[[2]], verbs, argument)
    if (argument != "foldid") expect_refuses_parts(cases[[1]], cases[[2]], argument)
  })
})

turn <- 0
for (name in names(parameters)) for (argument in names(parameters[[name]])) local({
  name <- name
  argument <- argument
  turn <<- turn + 1
  verbs <- some_verbs(turn)
  test_that(paste0(name, "(", argument, " = ) reaches every fit of every verb"), {
    entry <- parameters[[name]][[argument]]
    cases <- lapply(c("first", "second"), case_of_parameter, name = name, argument = argument)
    fits <- lapply(cases, function(case) with_stream(1, fit_by_hand(case, 1:30, case$y)))
    different <- !identical(fits[[1]][c("coefficients", "intercept", "certificate", "machine")],
                            fits[[2]][c("coefficients", "intercept", "certificate", "machine")])
    expect_identical(different, !entry$alike)
    # The one argument changed gives the other fit.
    folds <- Filter(Negate(is.null), list(foldid = cases[[2]]$settings$foldid))
    changes <- c(structure(list(entry$second), names = argument), folds)
    changed <- with_stream(1, quietly_run(do.call(update, c(list(fits[[1]], cases[[1]]$x, cases[[1]]$y), changes),
                                                  quote = TRUE)))
    expect_same_answer(changed, fits[[2]], paste0("update(", name, "(", argument, " = ))"))
    expect_survives(cases[[2]], verbs, paste0(name, "(", argument, " = )"))
    if (test_all) expect_refuses_parts(cases[[1]], cases[[2]], argument)
  })
})

test_that("what loops over resamples return is made of these fits", {
  data <- argument_data("two")
  settings <- list(standardize = FALSE, weights = rep(c(0.2, 1, 3), 10), class_weights = c(up = 4, down = 1),
                   unpenalized = "g5", engine = "simplex")
  case <- new_case(data, l1_svm(0.3), settings)
  fold <- two_folds(case)
  hand <- lapply(1:2, function(k) fit_by_hand(case, which(fold != k), data$y[fold != k]))
  held_out <- numeric(30)
  for (k in 1:2) held_out[fold == k] <- predict(hand[[k]], data$x[fold == k, ], "link")

  cv <- call_verb(cv_zeronorm, case, foldid = fold, predictions = TRUE)
  expect_equal(cv$link[, 1, 1], held_out, tolerance = 1e-12)
  wrong <- (held_out > 0) != (data$y == "up")
  expect_equal(cv$summary$mean, mean(wrong))
  expect_identical(lapply(cv$sets, `[[`, 1), lapply(hand, function(fit) sort(selected(fit))))
  nested <- call_verb(nested_zeronorm, case, foldid = fold, inner_folds = 2)
  expect_equal(nested$link[, 1, 1], held_out, tolerance = 1e-12)
  fit <- calibrate_zeronorm(call_verb(zeronorm, case), data$x, data$y, foldid = fold)
  expect_identical(fit$calibration, cv$fit$calibration)
  other <- call_verb(cv_zeronorm, new_case(data, l1_svm(3), settings), foldid = fold)
  expect_equal(compare_cv(cv, other)$mean_first, mean(cv$measures$error))

  made <- with_stream(3, recording(halves <- call_verb(stability_selection, case, resamples = 4)))
  counts <- table(factor(unlist(lapply(made[-1], function(one) selected(one$fit))), rownames(halves$frequency)))
  expect_equal(halves$frequency[, 1], c(counts) / 4)
  made <- with_stream(3, recording(test <- call_verb(permutation_test, case, permutations = 1, folds = 2)))
  errors <- vapply(split(made, rep(1:2, each = 3)), function(runs) {
    rows <- lapply(runs[-1], function(one) match(one$request$x$x[, 1], data$x[, 1]))
    y <- given_labels(runs[[1]]$request$labels)
    mean(unlist(Map(function(one, train) predict(one$fit, data$x[-train, ]) != y[-train], runs[-1], rows)))
  }, 0)
  expect_equal(c(test$observed, test$permuted), unname(errors))
})

# Adapters put sizes into the method and hand the rest on.
adapter_case <- function(argument) {
  case <- case_of_setting(argument, "second")
  case$method <- svm_rfe(3, C = 1)
  case
}

by_caret <- function(case) {
  given <- case$settings[names(case$settings) != "weights"]
  model <- do.call(caret_zeronorm, c(list(method = case$method), given), quote = TRUE)
  model$fit(case$x, case$y, wts = case$settings$weights, param = data.frame(nonzero = 3), lev = NULL, last = TRUE,
            classProbs = FALSE)
}

by_recipe <- function(case) {
  data <- data.frame(case$x, outcome = case$y)
  if (!is.null(case$settings$weights)) data$count <- hardhat::importance_weights(case$settings$weights)
  plan <- recipes::recipe(outcome ~ ., data)
  plan <- step_select_zeronorm(plan, recipes::all_predictors(), method = case$method, nonzero = 3,
                               options = case$settings[names(case$settings) != "weights"])
  recipes::prep(plan)
}

for (argument in setdiff(names(zeronorm_arguments()), c("task", "assay"))) local({
  argument <- argument
  test_that(paste0("zeronorm(", argument, " = ) reaches the fits of caret and recipes"), {
    skip_if_not_installed("recipes")
    skip_if_not_installed("hardhat")
    case <- adapter_case(argument)
    for (run in list(caret = by_caret, recipes = by_recipe)) {
      made <- with_stream(1, recording(run(case)))
      hand <- case
      hand$method <- svm_rfe(if (identical(run, by_caret)) 3:1 else 3L, C = 1)
      expect_by_hand(made, hand, 1, paste("an adapter with", argument))
    }
  })
})

test_that("adapters put C, nonzero and epsilon into any method that has them", {
  data <- argument_data("two")
  for (method in example_methods()) {
    changes <- list(C = 0.7, nonzero = 2)
    changes <- changes[intersect(names(changes), names(formals(method_constructors()[[method$name]])))]
    if (method$name == "med_svm") changes$C <- 3
    if (!length(changes) || !"two-class" %in% method$declares$takes) next
    made <- with_stream(1, recording(do.call(svm_linear_zeronorm, c(list(data$x, data$y, method = method, prob = FALSE),
                                                                   changes), quote = TRUE)))
    if (!is.null(changes$nonzero)) changes$nonzero <- 2:1
    expect_identical(made[[1]]$request$method[c("args", "steps", "selection")],
                     do.call(method_constructors()[[method$name]], replace(method$args, names(changes), changes),
                             quote = TRUE)[c("args", "steps", "selection")], label = method$name)
  }
})

# A formula is another way to say x and y.
formula_verbs <- c("zeronorm", "cv_zeronorm", "nested_zeronorm", "stability_selection")

for (argument in setdiff(names(zeronorm_arguments()), c("assay", "foldid"))) local({
  argument <- argument
  test_that(paste0("zeronorm(", argument, " = ) reaches every fit by formula"), {
    case <- case_of_setting(argument, "second")
    case$given <- list(x = outcome ~ ., y = data.frame(case$x, outcome = case$y))
    further <- list(cv_zeronorm = list(foldid = two_folds(case)),
                    nested_zeronorm = list(foldid = two_folds(case), inner_folds = 2),
                    stability_selection = list(resamples = 2))
    for (verb in if (test_all) formula_verbs else "cv_zeronorm") {
      made <- with_stream(1, recording(do.call(call_verb, c(list(get(verb), case), further[[verb]]))))
      expect_by_hand(made, case, 1 + length(further[[verb]]), paste(verb, "by formula with", argument))
    }
  })
})

test_that("a kernel matrix is cut to the rows of each fit", {
  data <- argument_data("two")
  values <- exp(-as.matrix(dist(scale(data$x)))^2 / 8)
  cv <- cv_zeronorm(data$x, data$y, l2_svm(kernel = values), foldid = two_folds(data), predictions = TRUE)
  for (k in 1:2) {
    train <- two_folds(data) != k
    hand <- zeronorm(data$x[train, ], data$y[train], l2_svm(kernel = values[train, train]))
    expect_equal(cv$link[!train, 1, 1], unname(predict(hand, values[!train, train], "link")), tolerance = 1e-10)
  }
})
