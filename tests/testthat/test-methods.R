steps_of <- function(method, ...) {
  data <- planted(20, 6)
  labels <- encode_y(data$y, 20)
  settings <- list(standardize = TRUE, intercept = TRUE, engine = "auto", control = zeronorm_control(), ...)
  problem <- new_problem(encode_x(data$x), labels, method, settings, NULL, NULL)
  core_spec(problem, method, settings, scale_slacks(method, problem))
}

test_that("every method states its objective", {
  path <- function(method) {
    spec <- steps_of(method)
    Map(function(l1, ridge, slack) c(l1 = l1, ridge = ridge, loss = slack), spec$l1, spec$ridge, spec$slack)
  }
  expect_equal(path(l1_svm(C = c(1, 3))),
               list(c(l1 = 1, ridge = 0, loss = 1), c(l1 = 1, ridge = 0, loss = 3)))
  expect_equal(path(l2_svm(C = 2)), list(c(l1 = 0, ridge = 1, loss = 2)))
  expect_equal(path(rlp()), list(c(l1 = 0, ridge = 0, loss = 1)))
  expect_equal(path(l2_l1_svm(mu = 10, nu = 0.3)), list(c(l1 = 0.3, ridge = 1, loss = 10 / 20)))
  expect_equal(path(fsv(lambda = 0.1)), list(c(l1 = 0.1, ridge = 0, loss = 0.9 / 20)))
  expect_equal(path(fsv(lambda = 0.1, average = "sum")), list(c(l1 = 0.1, ridge = 0, loss = 0.9)))
  expect_equal(path(fw1()), list(c(l1 = 1, ridge = 0, loss = 1)))
  expect_equal(path(arom("l2", errors = "l2", lambda = 3)), list(c(l1 = 0, ridge = 1, loss = 9)))
  expect_equal(path(arom("l1", errors = "l1", lambda = 3)), list(c(l1 = 1, ridge = 0, loss = 3)))
})

test_that("class means divide every slack by the weight of its class", {
  spec <- steps_of(fsv(lambda = 0.1, average = "class_mean"))
  expect_equal(spec$slack[1], 0.9)
  expect_equal(spec$weights, rep(0.1, 20))
  weighted <- steps_of(rlp("class_mean"), class_weights = c(down = 5, up = 2))
  expect_equal(weighted$weights, rep(0.1, 20))
})

test_that("a mean is over the sum of weights", {
  spec <- steps_of(l2_l1_svm(mu = 10, nu = 1), class_weights = c(down = 3, up = 1))
  expect_equal(spec$slack[1], 10 / 40)
})

test_that("an infinite C is a hard margin", {
  expect_true(steps_of(l1_svm(Inf))$hard)
  expect_identical(steps_of(l1_svm(Inf))$slack[1], 1)
  expect_false(steps_of(l1_svm(5))$hard)
  expect_true(steps_of(arom())$hard)
  expect_false(steps_of(arom(errors = "l2"))$hard)
})

test_that("grids are all combinations", {
  method <- l2_l1_svm(mu = c(1, 10), nu = c(0.1, 0.2, 0.3))
  expect_identical(nrow(method$tuning), 6L)
  expect_identical(anyDuplicated(method$tuning), 0L)
})

test_that("arguments outside their range are refused by name", {
  expect_zeronorm_error(l1_svm(C = 0), "C")
  expect_zeronorm_error(l1_svm(costs = -1), "costs")
  expect_zeronorm_error(l2_svm(loss = "logistic"), "loss")
  expect_zeronorm_error(rlp("mean"), "average")
  expect_zeronorm_error(l2_l1_svm(nu = 1), "mu", "missing")
  expect_zeronorm_error(l2_l1_svm(mu = 1), "nu", "missing")
  expect_zeronorm_error(l2_l1_svm(mu = 1, nu = -1), "nu")
  expect_zeronorm_error(fsv(lambda = 1), "lambda", "below 1")
  expect_zeronorm_error(fsv(start = 2), "start")
  expect_zeronorm_error(fsv(refit = "l3"), "refit")
  expect_zeronorm_error(fw1(nonzero = 0), "nonzero")
  expect_zeronorm_error(arom(norm = "l3"), "norm")
  expect_zeronorm_error(arom(errors = "l3"), "errors")
  expect_zeronorm_error(arom(features = "norm"), "features", "errors")
  expect_zeronorm_error(arom(errors = "l2", lambda = -1), "lambda")
  expect_zeronorm_error(arom(slack_form = "x"), "slack_form")
  expect_zeronorm_error(arom(switch = "soon"), "switch")
  expect_zeronorm_error(arom(kernel = "gaussian"), "kernel", "no coordinates")
  expect_zeronorm_error(fs_svmcp(folds = 1), "folds")
  expect_zeronorm_error(fs_svmcp(C_grid = 0), "C_grid")
})

test_that("a refit belongs to a chosen size", {
  expect_identical(fsv(nonzero = 5)$selection$refit, "l2")
  expect_identical(fw1(nonzero = 5, refit = "l1")$selection$refit, "l1")
  expect_identical(arom()$selection$refit, "l2")
})

test_that("methods print as they are written, defaults left out", {
  expect_identical(format(l1_svm()), "l1_svm()")
  expect_identical(format(l1_svm(C = c(1, 2))), "l1_svm(C = c(1, 2))")
  expect_identical(format(arom("l1", nonzero = 5)), "arom(norm = \"l1\", nonzero = 5)")
  expect_identical(format(l1_svm(C = 1:9)), "l1_svm(C = 1, 2, ..., 9 (9 values))")
  expect_output(print(fsv()), "FSV")
})

test_that("sizes asked for are met exactly", {
  soft <- planted(60, 40, noise = 1)
  hard <- separated(30, 80)
  sizes <- c(10L, 3L, 1L)
  methods <- list(fsv(nonzero = sizes), fsv(nonzero = sizes, refit = "l1"),
                  arom("l1", sizes, errors = "l1"), arom("l2", sizes, errors = "zero"),
                  arom("l2-l1", sizes, errors = "l2"))
  for (method in methods) {
    fit <- zeronorm(soft$x, soft$y, method)
    expect_lte(max(certificate(fit)$nonzero - sizes), 0)
    expect_lte(max(certificate(fit)$gap), 1e-6)
  }
  for (method in list(fw1(nonzero = sizes), arom(nonzero = sizes), arom("l1", sizes))) {
    expect_identical(certificate(zeronorm(hard$x, hard$y, method))$nonzero, sizes)
  }
})

# --- arguments ---

# Every function that makes part of a request, with the arguments of its example.
all_constructors <- function() {
  needed <- example_arguments
  others <- list(zeronorm_control = zeronorm_control, gaussian_kernel = gaussian_kernel, poly_kernel = poly_kernel,
                 chi2_kernel = chi2_kernel, custom_penalty = custom_penalty)
  penalties <- penalty_constructors()
  names(penalties) <- paste0(names(penalties), "_penalty")
  needed$custom_penalty <- list(value = sqrt, slope = function(t) 0.5 / sqrt(t))
  constructors <- c(method_constructors(), others, penalties)
  Map(function(make, name) list(make = make, needed = needed[[name]]), constructors, names(constructors))
}

# The argument that an error names, "none" without an error.
refused <- function(code) {
  tryCatch({
    code
    "none"
  }, zeronorm_error = function(e) e$argument, error = function(e) paste("error:", conditionMessage(e)))
}

test_that("a wrong value is an error that names its argument, in every constructor", {
  data <- separated(20, 4)
  wrong <- list(list(1, 2), "nonsense", NA, -1)
  for (name in names(all_constructors())) {
    one <- all_constructors()[[name]]
    for (argument in names(formals(one$make))) for (value in c(wrong, if (argument == "refit_C") list(c(1, 10)))) {
      args <- one$needed
      args[argument] <- list(value)
      answer <- refused({
        made <- do.call(one$make, args)
        # Groups are held against the columns of the data.
        if (argument == "groups") zeronorm(data$x, data$y, made)
      })
      expect_identical(answer, argument, info = paste0(name, "(", argument, " = ", format(value), ")"))
    }
  }
})

test_that("arguments are named in full, in every constructor", {
  for (name in names(all_constructors())) {
    one <- all_constructors()[[name]]
    known <- names(formals(one$make))
    for (argument in known) {
      part <- substr(argument, 1, nchar(argument) - 1)
      # R itself refuses what could be several arguments.
      if (!nzchar(part) || part %in% known || sum(startsWith(known, part)) > 1) next
      args <- c(one$needed[setdiff(names(one$needed), argument)], structure(list(1), names = part))
      error <- expect_error(do.call(one$make, args), class = "zeronorm_error", info = paste(name, part))
      expect_identical(error$argument, part, info = paste(name, part))
      expect_match(conditionMessage(error), paste0("`", argument, "`"), fixed = TRUE)
    }
  }
  expect_zeronorm_error(l1_svm(cost = 1), "cost", "l1_svm\\(\\).*`costs`")
  # Also through the dots of another function.
  through <- function(...) l1_svm(...)
  expect_zeronorm_error(through(cost = 1), "cost", "`costs`")
  expect_zeronorm_error(lapply(1, l1_svm, cost = 1), "cost", "`costs`")
  expect_s3_class(through(C = 1), "zeronorm_method")
  expect_s3_class(do.call("l1_svm", list(C = 1)), "zeronorm_method")
})

test_that("a larger C never means a larger loss on the training data", {
  data <- planted(40, 6, noise = 2)
  y <- sign_of(data$y)
  for (name in names(example_methods())) {
    make <- method_constructors()[[name]]
    if (!"C" %in% names(formals(make))) next
    args <- example_methods()[[name]]$args
    # All features, so that the selection does not change with C.
    if ("nonzero" %in% names(args)) args$nonzero <- 6
    if ("refit_C" %in% names(args)) args["refit_C"] <- list(if (is.null(formals(make)$refit_C)) NULL else 1)
    loss <- vapply(c(1.1, 3, 30), function(C) {
      args$C <- C
      fit <- suppressWarnings(suppressMessages(zeronorm(data$x, data$y, do.call(make, args),
                                                        foldid = if (name == "ranking_filter") rep_len(1:2, 40))))
      f <- predict(fit, data$x, "link")
      # sparse_fisher and p_svm have squares.
      if (name %in% c("sparse_fisher", "p_svm")) sum((y - f)^2) else sum(pmax(0, 1 - y * f))
    }, 0)
    expect_true(all(diff(loss) <= 1e-6 * loss[1]), info = paste(name, paste(signif(loss, 5), collapse = " ")))
    args$C <- 0
    expect_zeronorm_error(do.call(make, args), "C")
  }
})
