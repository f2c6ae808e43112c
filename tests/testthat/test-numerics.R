# Data that numerics stumble over, through the public interface.  What is expected comes from another fit of
# the same problem, from a closed form, or from values of the objective at other points.

# Certified to 1e-10, so that two answers may be compared to 1e-9.
exact <- function(...) zeronorm_control(tol = 1e-10, ...)

convex_methods <- function() {
  list("l1-SVM" = l1_svm(0.5), "l2-SVM" = l2_svm(0.5), "l2-SVM squared" = l2_svm(0.5, loss = "squared_hinge"),
       "linf-SVM" = linf_svm(0.5), "l2-l1-SVM" = l2_l1_svm(10, 0.1), "M-SVM" = m_svm(C = 0.5),
       "M-SVM, l1" = m_svm("l1", C = 0.5), LASSO = lasso(lambda = 2), "LASSO, norm" = lasso(s = 0.7),
       "logistic LASSO" = generalized_lasso(lambda = 2), "P-SVM" = p_svm(2, 0.3), MED = med_svm(),
       grafting = grafting(0.05, 0.01), "adaptive scaling" = adaptive_scaling(2),
       Fisher = sparse_fisher(0.1), "kernel, p = 2" = norm_svm(2, kernel = gaussian_kernel(2)))
}

# All methods at their defaults; folds are given, so that they stay with their rows.
numerics_fit <- function(method, x, y, rows = seq_len(nrow(x)), ...) {
  foldid <- if (length(method$folds)) rep_len(1:5, nrow(x))[rows]
  zeronorm(x[rows, , drop = FALSE], y[rows], method, foldid = foldid, ...)
}

link_of <- function(fit, x) unname(predict(fit, x, "link"))

# The same features, whatever they are called.
same_features <- function(fit, other) {
  expect_identical(sort(selected(fit)), sort(selected(other)))
}

expect_value <- function(value, other, info) {
  expect_lte(abs(value - other), 1e-9 * max(abs(value), abs(other), 1e-3), label = paste(info, "difference"))
}

noisy <- planted(40, 12, noise = 2)
wide_room <- separated(40, 12)

test_that("units from 1e-12 to 1e12 change nothing where columns are standardised", {
  unit <- 10^seq(-12, 12, length.out = 12)
  scaled <- sweep(noisy$x, 2, unit, "*")
  for (name in names(convex_methods())) {
    method <- convex_methods()[[name]]
    fit <- numerics_fit(method, noisy$x, noisy$y, control = exact())
    other <- numerics_fit(method, scaled, noisy$y, control = exact())
    expect_value(certificate(other)$primal, certificate(fit)$primal, name)
    expect_equal(link_of(other, scaled), link_of(fit, noisy$x), tolerance = 1e-4, info = name)
    if (has_features(fit)) same_features(other, fit)
  }
  scaled <- sweep(wide_room$x, 2, unit, "*")
  for (name in names(example_methods())) {
    method <- example_methods()[[name]]
    fit <- numerics_fit(method, wide_room$x, wide_room$y)
    other <- numerics_fit(method, scaled, wide_room$y)
    expect_equal(link_of(other, scaled), link_of(fit, wide_room$x), tolerance = 1e-4, info = name)
    if (has_features(fit)) same_features(other, fit)
  }
})

test_that("units that are powers of two change not a bit", {
  unit <- 2^round(seq(-40, 40, length.out = 12))
  scaled <- sweep(wide_room$x, 2, unit, "*")
  for (name in names(example_methods())) {
    method <- example_methods()[[name]]
    fit <- numerics_fit(method, wide_room$x, wide_room$y)
    other <- numerics_fit(method, scaled, wide_room$y)
    expect_identical(certificate(other), certificate(fit), info = name)
    if (!is_kernel_machine(fit) && is.null(fit$polynomial)) {
      expect_identical(unname(coef(other)[-1] * unit), unname(coef(fit)[-1]), info = name)
    }
  }
})

test_that("means of ten thousand standard deviations do no harm", {
  far <- sweep(noisy$x, 2, 1e4 * rep(c(1, -1), 6), "+")
  for (name in names(convex_methods())) {
    method <- convex_methods()[[name]]
    fit <- numerics_fit(method, noisy$x, noisy$y, control = exact())
    other <- numerics_fit(method, far, noisy$y, control = exact())
    expect_value(certificate(other)$primal, certificate(fit)$primal, name)
    expect_equal(link_of(other, far), link_of(fit, noisy$x), tolerance = 1e-4, info = name)
    if (has_features(fit)) same_features(other, fit)
  }
  far <- sweep(wide_room$x, 2, 1e4 * rep(c(1, -1), 6), "+")
  for (name in names(example_methods())) {
    method <- example_methods()[[name]]
    fit <- numerics_fit(method, wide_room$x, wide_room$y)
    other <- numerics_fit(method, far, wide_room$y)
    expect_equal(link_of(other, far), link_of(fit, wide_room$x), tolerance = 1e-4, info = name)
  }
})

test_that("an order of rows and columns is of no account", {
  rows <- c(seq(2, 40, 2), seq(1, 39, 2))
  columns <- c(7:12, 6:1)
  check <- function(method, data, name, tolerance, ...) {
    fit <- numerics_fit(method, data$x, data$y, ...)
    other <- numerics_fit(method, data$x[, columns], data$y, rows, ...)
    expect_equal(link_of(other, data$x[, columns]), link_of(fit, data$x), tolerance = tolerance, info = name)
    if (has_features(fit)) same_features(other, fit)
    c(certificate(fit)$primal, certificate(other)$primal)
  }
  for (name in names(convex_methods())) {
    primal <- check(convex_methods()[[name]], noisy, name, 1e-4, control = exact())
    expect_value(primal[1], primal[2], name)
  }
  for (name in names(example_methods())) {
    primal <- check(example_methods()[[name]], wide_room, name, 1e-4)
    expect_equal(primal[1], primal[2], tolerance = 1e-6, info = name)
  }
})

test_that("threads change not a bit", {
  for (name in names(example_methods())) {
    method <- example_methods()[[name]]
    fits <- lapply(c(1, 2, 7), function(threads) {
      fit <- numerics_fit(method, wide_room$x, wide_room$y, control = zeronorm_control(threads = threads))
      fit$seconds <- fit$settings$control <- NULL
      fit
    })
    expect_identical(fits[[2]], fits[[1]], info = name)
    expect_identical(fits[[3]], fits[[1]], info = name)
  }
})

test_that("columns next to each other are as good as one", {
  with_stream(3, near <- noisy$x[, 1:4] * (1 + 1e-9 * matrix(rnorm(160), 40)))
  colnames(near) <- paste0("h", 1:4)
  both <- cbind(noisy$x, near)
  # A ridge or the maximum norm shares a weight between two columns, which is cheaper; the l1 norm does not.
  methods <- convex_methods()
  alone <- c("l1-SVM", "M-SVM, l1", "LASSO", "LASSO, norm", "logistic LASSO", "adaptive scaling")
  for (name in names(methods)) {
    fit <- numerics_fit(methods[[name]], noisy$x, noisy$y)
    other <- numerics_fit(methods[[name]], both, noisy$y)
    expect_identical(certificate(other)$status, "optimal", info = name)
    expect_true(all(is.finite(coef(other))), info = name)
    if (name %in% alone) {
      expect_equal(certificate(other)$primal, certificate(fit)$primal, tolerance = 1e-6, info = name)
    }
  }
  # As far apart as rounding allows, without a bound on the weights that matters.
  for (s in c(5, 50, 500)) {
    fit <- suppressWarnings(zeronorm(both, noisy$y, lasso(s = s)))  # that the norm stays below s
    expect_identical(certificate(fit)$status, "optimal", info = paste("s =", s))
    weights <- coef(fit)[-1] * apply(both, 2, sd)
    expect_lte(sum(abs(weights)), s * (1 + 1e-9))
    expect_lte(certificate(fit)$primal, certificate(zeronorm(both, noisy$y, lasso(s = 1)))$primal)
  }
})

test_that("two observations of one feature have the solutions of paper and pencil", {
  x <- matrix(c(0, 4), 2)
  y <- factor(c("a", "b"))
  raw <- function(method, ...) zeronorm(x, y, method, standardize = FALSE, ...)
  # f = w (x - 2) separates from w = 1/2 on.
  for (method in list(l1_svm(Inf), l2_svm(Inf), linf_svm(Inf), rlp(), fw1(), arom("l2"), arom("l1"),
                      scaling_lp(), m_svm(), adaptive_scaling(2, C = Inf), svm_rfe(nonzero = 1))) {
    expect_equal(unname(coef(raw(method))), c(-1, 0.5), tolerance = 1e-7, info = format(method))
  }
  # 1/2 w^2 + C 2 (1 - 2 w)_+ : w = 4 C up to 1/2;  |w| + 2 C (1 - 2 w)_+ : 0 up to C = 1/4.
  expect_equal(coef(raw(l2_svm(0.1)))[["1"]], 0.4, tolerance = 1e-7)
  expect_identical(coef(raw(l1_svm(0.24)))[["1"]], 0)
  expect_equal(coef(raw(l1_svm(0.26)))[["1"]], 0.5, tolerance = 1e-7)
  # (1 - 2 w)^2 + lambda w : w = 1/2 - lambda / 8.
  expect_equal(coef(raw(lasso(lambda = 1)))[["1"]], 0.375, tolerance = 1e-8)
  expect_equal(coef(raw(lasso(s = 0.3)))[["1"]], 0.3, tolerance = 1e-9)
})

test_that("columns of zeros are of no account, and nothing else gives a constant", {
  zeros <- cbind(zero = 0, noisy$x, none = 0)
  for (name in names(convex_methods())) {
    method <- convex_methods()[[name]]
    fit <- numerics_fit(method, noisy$x, noisy$y, control = exact())
    for (standardize in c(TRUE, FALSE)) {
      if (!standardize) fit <- numerics_fit(method, noisy$x, noisy$y, control = exact(), standardize = FALSE)
      other <- numerics_fit(method, zeros, noisy$y, control = exact(), standardize = standardize)
      expect_value(certificate(other)$primal, certificate(fit)$primal, name)
      expect_equal(link_of(other, zeros), link_of(fit, noisy$x), tolerance = 1e-4, info = name)
    }
  }
  x <- matrix(0, 9, 3)
  y <- factor(rep(c("a", "b"), c(6, 3)))
  for (method in list(l1_svm(), l2_svm(), linf_svm(), rlp(), l2_l1_svm(10, 0.1), m_svm(C = 1), fsv(),
                      dca("logistic"), l2_l0_svm(10, 0.1), p_svm(), med_svm())) {
    fit <- zeronorm(x, y, method)
    expect_identical(certificate(fit)$nonzero, 0L, info = format(method))
    expect_identical(certificate(fit)$errors, 3L, info = format(method))
  }
})

test_that("opposite labels of the same observations leave nothing to learn", {
  x <- rbind(noisy$x, noisy$x)
  y <- factor(rep(c("a", "b"), each = 40))
  C <- 0.7
  # Of a pair the slacks are 2 at least: (1 - f)_+ + (1 + f)_+ >= 2, squared and halved 1.
  values <- list(list(l1_svm(C), 80 * C), list(l2_svm(C), 80 * C), list(linf_svm(C), 80 * C),
                 list(l2_svm(C, loss = "squared_hinge"), 40 * C), list(m_svm(C = C), 80 * C),
                 list(l2_l1_svm(10, 0.1), 10), list(lasso(lambda = 1), 40),
                 list(generalized_lasso(lambda = 1), 80 * log(2)), list(rlp(), 80))
  for (value in values) {
    fit <- zeronorm(x, y, value[[1]])
    expect_equal(certificate(fit)$primal, value[[2]], tolerance = 1e-8, info = format(value[[1]]))
    expect_lte(max(abs(unlist(coef(fit))[-1])), 1e-6, label = format(value[[1]]))
  }
  for (method in list(l1_svm(Inf), l2_svm(Inf), fw1(), arom("l2"), scaling_lp())) {
    expect_zeronorm_error(zeronorm(x, y, method), "y", "not separable")
  }
})

test_that("one observation against 999 is fitted and counted", {
  x <- with_stream(4, matrix(rnorm(1000 * 5), 1000))
  y <- factor(rep(c("many", "one"), c(999, 1)), levels = c("many", "one"))
  x[1000, 1] <- 9
  for (method in list(l1_svm(1), l2_svm(1), linf_svm(1), l2_l1_svm(1000, 0.1))) {
    fit <- zeronorm(x, y, method, control = exact())
    # A constant has a slack of 2.
    expect_lt(certificate(fit)$primal, 2)
    expect_gte(certificate(fit)$primal, certificate(fit)$dual - 1e-9)
    rows <- c(1000, 1:999)
    other <- zeronorm(x[rows, 5:1], y[rows], method, control = exact())
    expect_value(certificate(other)$primal, certificate(fit)$primal, format(method))
    balanced <- zeronorm(x, y, method, class_weights = "balanced")
    expect_identical(certificate(balanced)$errors, sum(predict(balanced, x) != y))
    expect_identical(unname(predict(balanced, x[1000, , drop = FALSE])), y[1000])
  }
})

test_that("ties in the data leave one answer", {
  x <- with_stream(5, matrix(rpois(40 * 8, 1), 40))
  y <- factor(with_stream(6, sample(c("a", "b"), 40, TRUE)))
  for (name in names(convex_methods())) {
    method <- convex_methods()[[name]]
    fit <- numerics_fit(method, x, y, control = exact())
    other <- numerics_fit(method, x[, 8:1], y, 40:1, control = exact())
    expect_value(certificate(other)$primal, certificate(fit)$primal, name)
  }
})

# The libraries of BLAS that lie beside the one in use, by their folders, as Debian's alternatives do.
blas_folders <- function() {
  used <- utils::sessionInfo()$BLAS
  if (!length(used) || !nzchar(used)) return(character())
  found <- Sys.glob(file.path(dirname(dirname(normalizePath(used))), "*", "libblas.so.3"))
  dirname(found)[!duplicated(normalizePath(found))]
}

# In a process of its own that loads BLAS from `folder`: which one that was, and the primal values.
values_under <- function(folder) {
  callr::r(function(x, y) {
    suppressPackageStartupMessages(library(zeronorm))
    methods <- get("example_methods", asNamespace("zeronorm"))()
    primal <- vapply(methods, function(method) {
      foldid <- if (length(method$folds)) rep_len(1:5, nrow(x))
      certificate(zeronorm(x, y, method, foldid = foldid, control = zeronorm_control(tol = 1e-10)))$primal[1]
    }, 0)
    list(blas = utils::sessionInfo()$BLAS, product = crossprod(matrix(sin(1:9e4), 300)), primal = primal)
  }, list(wide_room$x, wide_room$y), libpath = .libPaths(),
  # The script that starts R puts the paths of the first before those of the second.
  env = c(callr::rcmd_safe_env(), R_LD_LIBRARY_PATH = paste(folder, file.path(R.home(), "lib"), sep = ":"),
          LD_LIBRARY_PATH = folder))
}

test_that("the reference BLAS and another one give the same objectives", {
  skip_if(Sys.getenv("ZERONORM_TEST_ALL") == "", "heavy")
  skip_if_not_installed("callr")
  folders <- blas_folders()
  skip_if(length(folders) < 2, "only one BLAS is installed")
  runs <- lapply(folders, values_under)
  # They are different libraries, not the same under two names.
  expect_false(anyDuplicated(vapply(runs, `[[`, "", "blas")) > 0)
  for (run in runs[-1]) {
    apart <- abs(run$primal - runs[[1]]$primal) / pmax(abs(runs[[1]]$primal), 1e-3)
    expect_lte(max(apart), 1e-9, label = paste("difference of", names(which.max(apart))))
  }
})

# Their columns would be zeros, and the rest a selection that nobody asked for.
test_that("values whose squares overflow or vanish are refused", {
  data <- planted(20, 3, noise = 1)
  for (unit in c(1e-300, 1e-160, 1e160, 1e300)) {
    x <- sweep(data$x, 2, c(1, unit, 1), "*")
    for (method in list(l1_svm(), svm_rfe(1), lasso(lambda = 1), quadratic_fsv(0.1),
                        l2_svm(kernel = gaussian_kernel(1)))) {
      expect_zeronorm_error(zeronorm(x, data$y, method), "x", "column 2 are too large or too small")
    }
    expect_zeronorm_error(zeronorm(as(x, "CsparseMatrix"), data$y, l1_svm()), "x", "other units")
    expect_zeronorm_error(zeronorm(x, data$y, l1_svm(), standardize = FALSE), "x", "other units")
  }
  near <- zeronorm(data$x, data$y, l1_svm())
  for (unit in c(1e-140, 1e150)) {
    far <- zeronorm(sweep(data$x, 2, c(1, unit, 1), "*"), data$y, l1_svm())
    expect_equal(coef(far) * c(1, 1, unit, 1), coef(near), tolerance = 1e-9)
  }
})
