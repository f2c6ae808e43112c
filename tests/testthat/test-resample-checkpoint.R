# References: the same call without a directory; for checksums values that are equal or differ in one place.

small <- function() {
  with_stream(1, {
    x <- matrix(rnorm(40 * 20), 40)
    list(x = x, y = factor(x[, 1] - x[, 2] > 0))
  })
}

expect_refused <- function(code, differs) {
  error <- expect_zeronorm_error(code, "checkpoint", "parts of another call")
  for (name in differs) expect_match(conditionMessage(error), paste0("'", name, "'"), fixed = TRUE)
  invisible(conditionMessage(error))
}

test_that("a second call goes on where the first one ended", {
  data <- small()
  directory <- tempfile()
  on.exit(unlink(directory, recursive = TRUE))
  run <- function(...) {
    with_stream(1, nested_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), folds = 4, inner_folds = 3, ...))
  }
  expected <- run(checkpoint = directory)
  expect_identical(run(), expected)
  parts <- part_files(directory)
  expect_length(parts, 4)
  unlink(parts[1])
  writeLines("cut off", parts[2])
  times <- file.mtime(parts[3:4])
  expect_identical(run(checkpoint = directory), expected)
  expect_identical(file.mtime(parts[3:4]), times)
  # Without its plan nobody knows which call parts belong to.
  writeLines("cut off", file.path(directory, "plan.bin"))
  expect_identical(run(checkpoint = directory), expected)
  expect_true(all(file.mtime(parts[3:4]) > times))
  unlink(directory, recursive = TRUE)
  file.create(directory)
  expect_zeronorm_error(suppressWarnings(run(checkpoint = directory)), "checkpoint", "cannot be made")
  expect_zeronorm_error(run(checkpoint = 3), "checkpoint", "name of a directory")
})

test_that("a path that differs in a size is another call", {
  data <- small()
  directory <- tempfile()
  on.exit(unlink(directory, recursive = TRUE))
  run <- function(sizes) {
    suppressWarnings(with_stream(1, cv_zeronorm(data$x, data$y, arom("l2", nonzero = sizes, errors = "l2"),
                                                folds = 3,
                                                checkpoint = directory)))
  }
  run(c(16, 8, 7, 6, 1))
  expect_refused(run(c(16, 8, 4, 2, 1)), "arom(nonzero = )")
})

test_that("a cross-validation that differs in anything is refused, and what differs is named", {
  data <- small()
  directory <- tempfile()
  on.exit(unlink(directory, recursive = TRUE))
  long <- seq(0.1, 2, length.out = 8)
  costs <- rep(1, 20)
  run <- function(x = data$x, y = data$y, method = l1_svm(C = long, costs = costs), seed = 1, folds = 3, ...,
                  at = directory) {
    with_stream(seed, cv_zeronorm(x, y, method, folds = folds, checkpoint = at, ...))
  }
  first <- run()
  expect_identical(run(), first)
  expect_identical(run(control = zeronorm_control(threads = 2))$measures, first$measures)
  expect_refused(run(x = replace(data$x, 800, data$x[800] + 1e-12)), "x")
  expect_refused(run(x = structure(data$x, dimnames = list(NULL, paste0("g", 1:20)))), "names of features")
  expect_refused(run(y = factor(as.character(data$y), labels = c("no", "yes"))), "y")
  expect_refused(run(method = l1_svm(C = replace(long, 8, 2 + 1e-13), costs = costs)), "l1_svm(C = )")
  expect_refused(run(method = l1_svm(C = long, costs = replace(costs, 20, 1.5))), "l1_svm(costs = )")
  expect_refused(run(method = l2_svm(C = long)), "method")
  expect_refused(run(folds = 4), "folds")
  expect_refused(run(folds = monte_carlo(3)), "folds")
  expect_refused(run(repeats = 2), "repeats")
  expect_refused(run(foldid = rep_len(3:1, 40)), "splits")
  expect_refused(run(block = 1:40), "block")
  expect_refused(run(weights = rep(1, 40)), "weights")
  expect_refused(run(class_weights = "balanced"), "class_weights")
  expect_refused(run(standardize = FALSE), "standardize")
  expect_refused(run(intercept = FALSE), "intercept")
  expect_refused(run(unpenalized = 3), "unpenalized")
  expect_refused(run(engine = "highs"), "engine")
  expect_refused(run(control = zeronorm_control(tol = 1e-5)), "control")
  expect_refused(run(impute = "median"), "impute")
  expect_refused(run(measure = "auc"), "measure")
  expect_refused(run(measure = function(truth, prediction) mean(truth != prediction)), "measure")
  expect_match(expect_refused(run(seed = 2), c("splits", "random seed")), "set.seed")
  # Nothing of the directory has been touched.
  expect_identical(run(), first)
})

test_that("the other loops refuse alike", {
  data <- small()
  method <- l1_svm(C = 0.3)
  directory <- tempfile()
  on.exit(unlink(directory, recursive = TRUE))
  refused <- function(loop, first, changes) {
    unlink(directory, recursive = TRUE)
    run <- function(changed = list(), seed = 1) {
      given <- list(data$x, data$y, method, checkpoint = directory)
      with_stream(seed, do.call(loop, c(given, changed, first[setdiff(names(first), names(changed))])))
    }
    expected <- run()
    expect_identical(run(), expected)
    for (name in names(changes)) expect_refused(run(changes[name]), name)
    expect_refused(run(seed = 9), "random seed")
    expect_identical(run(), expected)
  }
  refused(nested_zeronorm, list(folds = 3, inner_folds = 3),
          list(folds = 4, repeats = 2, inner_folds = 4, inner_repeats = 2, s = "min", measure = "auc"))
  refused(permutation_test, list(permutations = 3, folds = 3),
          list(permutations = 4, folds = 4, repeats = 2, s = "1se", measure = "auc",
               foldid = rep_len(1:3, 40)))
  refused(learning_curve, list(folds = 3, sizes = c(15, 20)),
          list(folds = 4, repeats = 2, sizes = c(15, 21), s = "min", measure = "auc"))
  refused(stability_selection, list(resamples = 4, complementary = FALSE, fraction = 0.5),
          list(resamples = 6, complementary = TRUE, fraction = 0.6))
})

test_that("what is changed after the loop needs no new parts", {
  data <- small()
  directory <- tempfile()
  on.exit(unlink(directory, recursive = TRUE))
  run <- function(...) {
    with_stream(1, stability_selection(data$x, data$y, arom("l2", nonzero = 2, errors = "l2"), resamples = 4,
                                       checkpoint = directory, ...))
  }
  run()
  times <- file.mtime(part_files(directory))
  expect_identical(run(threshold = 0.9)$summary$threshold, 0.9)
  expect_identical(file.mtime(part_files(directory)), times)
})

test_that("a checksum sees every value, and only values", {
  different <- function(a, b) expect_false(identical(fingerprint(a), fingerprint(b)))
  same <- function(a, b) expect_identical(fingerprint(a), fingerprint(b))
  long <- seq(0, 1, length.out = 1e4)
  different(long, replace(long, 1e4, 1 + 2e-16))
  different(1:3, c(1, 2, 3))
  different(c(a = 1), c(b = 1))
  different(matrix(1:4, 2), 1:4)
  different(NA_character_, "NA")
  different(list(1, NULL), list(1))
  different(list(1, list(2, 3)), list(1, 2, 3))
  different(factor(c("a", "b")), factor(c("a", "b"), levels = c("b", "a")))
  different(1i, 2i)
  different(NULL, list())
  same(c(1, NA), c(1, NA))
  same(quote(f(x, 0.1)), quote(f(x, 0.1)))
  different(quote(f(x[, 1], 0.1)), quote(f(x[, 1], 0.1000000000000001)))
  same(as(matrix(c(0, 1), 2, 3), "CsparseMatrix"), as(matrix(c(0, 1), 2, 3), "CsparseMatrix"))
  different(as(matrix(c(0, 1), 2, 3), "CsparseMatrix"), as(matrix(c(0, 2), 2, 3), "CsparseMatrix"))
})

test_that("functions are their code and what they have taken with them", {
  make <- function(k, inner = function(t) k * t) {
    force(inner)
    function(t) inner(t) + 1
  }
  same <- function(a, b) expect_identical(fingerprint(a), fingerprint(b))
  different <- function(a, b) expect_false(identical(fingerprint(a), fingerprint(b)))
  same(make(1), make(1))
  different(make(1), make(2))
  different(make(1), make(1, function(t) 2 * t))
  different(function(t) t, function(t) t + 0)
  different(function(t, k = 1) t, function(t, k = 2) t)
  # Not where the code stands in a file.
  same(eval(parse(text = "function(t)  t", keep.source = TRUE)), eval(parse(text = "function(t) t")))
  # Values around the place where it was made count too, at any depth of a list.
  outer <- function(k) {
    middle <- function() function(t) t^k
    list(list(list(list(middle()))))
  }
  same(outer(2), outer(2))
  different(outer(2), outer(3))
  # Its own name, arguments without a value, and environments that hold themselves end somewhere.
  recursive <- function(n) if (n > 0) recursive(n - 1) else lacking()
  same(recursive, recursive)
  without <- (function(lacking) function(t) lacking + t)()
  same(without, without)
  loop <- new.env()
  loop$self <- loop
  loop$value <- 1
  before <- fingerprint(loop)
  loop$value <- 2
  expect_false(identical(fingerprint(loop), before))
  different(custom_penalty(function(t) t, function(t) rep(1, length(t))),
            custom_penalty(function(t) 2 * t, function(t) rep(2, length(t))))
})

test_that("a DelayedMatrix is its numbers, wherever they lie", {
  skip_if_not_installed("DelayedArray")
  x <- with_stream(1, matrix(rnorm(60), 10))
  a <- DelayedArray::DelayedArray(x)
  expect_identical(fingerprint(a), fingerprint(DelayedArray::DelayedArray(2 * x) / 2))
  expect_false(identical(fingerprint(a), fingerprint(a + 1)))
  expect_false(identical(fingerprint(a), fingerprint(DelayedArray::DelayedArray(t(x)))))
})
