# Sparse and dense storage of the same numbers give the same answers.

sparse_data <- function(n = 60, d = 40, density = 0.3, noise = 0.5, seed = 1) {
  with_stream(seed, {
    x <- matrix(rnorm(n * d) * (runif(n * d) < density), n, d, dimnames = list(NULL, paste0("g", seq_len(d))))
    f <- 2 * x[, 1] - 2 * x[, 2] + x[, 3] + noise * rnorm(n)
    list(x = x, y = f > stats::median(f))
  })
}

sparse_methods <- c(example_methods(), list(
  "l1-AROM" = arom("l1"), "l2-AROM, a path" = arom(nonzero = c(8, 3)), "l2-AROM soft" = arom(errors = "l2"),
  "fsv of 4" = fsv(nonzero = 4)
))

for (name in names(sparse_methods)) local({
  name <- name
  method <- sparse_methods[[name]]

  test_that(paste(name, "does not see how x is stored"), {
    # AROM's fixed points may take many rounds.
    control <- zeronorm_control(max_rounds = 2000)
    foldid <- if (length(method$folds)) rep_len(1:5, 60)
    # More columns than rows, separable, for hard margins; else the other way round and inseparable.
    data <- if (any(method$steps$hard)) sparse_data(60, 90, 0.3) else sparse_data(60, 8, 0.4, noise = 2)
    for (standardize in c(TRUE, FALSE)) for (intercept in c(TRUE, FALSE)) {
      fitted <- function(x) {
        zeronorm(x, data$y, method, standardize = standardize, intercept = intercept, foldid = foldid,
                 control = control)
      }
      dense <- fitted(data$x)
      sparse <- fitted(as(data$x, "dgCMatrix"))
      for (k in seq_len(nrow(certificate(dense)))) {
        expect_identical(selected(sparse, index = k), selected(dense, index = k))
        expect_equal(coef(sparse, index = k), coef(dense, index = k), tolerance = 1e-8)
      }
      if (has_features(dense)) expect_equal(feature_importance(sparse, index = 1), feature_importance(dense, index = 1),
                                            tolerance = 1e-8)
      expect_equal(certificate(sparse)$primal, certificate(dense)$primal, tolerance = 1e-8)
      expect_equal(predict(sparse, as(data$x, "dgCMatrix"), "link"), predict(dense, data$x, "link"),
                   tolerance = 1e-8)
    }
  })
})

test_that("all kinds of sparse matrices are taken", {
  data <- sparse_data(60, 12)
  same <- function(x, dense) {
    fit <- zeronorm(x, data$y, l1_svm(0.5))
    expect_equal(coef(fit), coef(zeronorm(dense, data$y, l1_svm(0.5))), tolerance = 1e-8)
    expect_equal(predict(fit, x, "link"), predict(fit, dense, "link"), tolerance = 1e-12)
  }
  csc <- as(data$x, "dgCMatrix")
  same(as(csc, "RsparseMatrix"), data$x)
  same(as(csc, "TsparseMatrix"), data$x)
  # Entries of a triplet matrix that name the same place add up.
  twice <- Matrix::sparseMatrix(i = rep(csc@i, 2) + 1L, j = rep(rep(1:12, diff(csc@p)), 2),
                                x = rep(csc@x / 2, 2), dims = dim(csc), dimnames = dimnames(csc), repr = "T")
  same(twice, data$x)
  logical <- data$x != 0
  same(as(csc, "lMatrix"), logical + 0)
  same(as(csc, "nMatrix"), logical + 0)
  same(Matrix::Matrix(data$x, sparse = FALSE), data$x)
  same(Matrix::Diagonal(60), diag(60))
})

test_that("stored zeros are zeros", {
  data <- sparse_data(60, 12)
  csc <- as(data$x, "dgCMatrix")
  data$x[1:20, 5] <- 0
  csc@x[csc@p[5] + which(csc@i[(csc@p[5] + 1):csc@p[6]] < 20)] <- 0
  expect_identical(as.matrix(csc), data$x)
  coefficients <- function(x) coef(zeronorm(x, data$y, l1_svm(0.5)))
  expect_equal(coefficients(csc), coefficients(data$x), tolerance = 1e-8)
})

test_that("an unpenalised column counts by what it varies by, far from zero too", {
  y <- factor(rep(c("a", "b"), 10))
  for (by in c(1e-3, 1e-6, 1e-9)) for (loss in c("hinge", "squared_hinge")) {
    # Tells the classes apart for nothing.
    x <- cbind(u = 1 + by * (y == "a"), v = cos(1:20))
    for (data in list(x, as(x, "dgCMatrix"))) {
      primal <- tryCatch(certificate(zeronorm(data, y, l2_svm(loss = loss), unpenalized = "u"))$primal,
                         zeronorm_error = function(e) NULL)
      expect_true(if (is.null(primal)) by < 1e-6 else primal < 1e-5)
    }
  }
})

test_that("a sparse matrix stays sparse", {
  skip_on_cran()
  skip_if_not_installed("callr")
  skip_if_not(file.exists("/proc/self/status"))
  facts <- callr::r(function(paths) {
    .libPaths(paths)
    loadNamespace("zeronorm")
    set.seed(1)
    n <- 2000
    d <- 20000
    entries <- n * d / 1000
    x <- Matrix::sparseMatrix(sample(n, entries, TRUE), sample(d, entries, TRUE), x = stats::rnorm(entries),
                              dims = c(n, d))
    y <- Matrix::rowSums(x[, 1:5000]) + stats::rnorm(n) > 0
    peak <- function() {
      as.numeric(gsub("[^0-9]", "", grep("^VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1024
    }
    zeronorm::zeronorm(x[1:50, 1:50], y[1:50], zeronorm::l1_svm())
    before <- peak()
    fit <- zeronorm::zeronorm(x, y, zeronorm::l1_svm(C = 0.015))
    list(megabytes = peak() - before, certificate = zeronorm::certificate(fit), d = length(stats::coef(fit)))
  }, list(.libPaths()))
  expect_identical(facts$certificate$status, "optimal")
  expect_lte(facts$certificate$gap, 1e-8)
  expect_identical(facts$d, 20001L)
  # Dense it would be 305 MB.
  expect_lt(facts$megabytes, 150)
  expect_gt(facts$certificate$nonzero, 100)
})

# --- columns far from zero ---

# The fit, or the argument that an error names.
far_fit <- function(x, y, method, ...) {
  tryCatch(suppressWarnings(suppressMessages(
    zeronorm(x, y, method, foldid = if (length(method$folds)) rep_len(1:5, nrow(x)), ...)
  )), zeronorm_error = function(e) e$argument)
}

test_that("columns of a million spreads are solved as dense ones are", {
  for (far in c(1e6, 1e8)) for (name in names(sparse_methods)) {
    method <- sparse_methods[[name]]
    data <- if (any(method$steps$hard)) separated(40, 6) else planted(40, 6, noise = 1)
    x <- data$x
    x[, c(1, 3, 6)] <- x[, c(1, 3, 6)] + far
    x[, 5] <- x[, 5] * (abs(x[, 5]) > 0.5)
    info <- paste(name, "at", far)
    dense <- far_fit(x, data$y, method)
    sparse <- far_fit(as(x, "CsparseMatrix"), data$y, method)
    expect_identical(class(sparse), class(dense), info = info)
    if (is.character(dense)) next
    expect_identical(certificate(sparse)$status, certificate(dense)$status, info = info)
    # The data themselves have lost these digits.
    expect_equal(certificate(sparse)$primal, certificate(dense)$primal, tolerance = 1e-14 * far + 1e-6, info = info)
    expect_equal(predict(sparse, x, "link"), predict(dense, x, "link"), tolerance = 1e-9 * far, info = info)
  }
})

test_that("a margin that is lost in far columns is never called optimal", {
  data <- planted(60, 4, noise = 1)
  x <- data$x + 1e7
  exact <- certificate(zeronorm(data$x, data$y, m_svm()))$primal
  for (z in list(x, as(x, "CsparseMatrix"))) {
    fit <- far_fit(z, data$y, m_svm())
    if (!is.character(fit)) expect_equal(certificate(fit)$primal, exact, tolerance = 1e-4)
  }
  # Without an intercept nothing is centred.
  for (method in list(l2_svm(C = 1), l1_svm(C = 1), m_svm(C = 1))) {
    dense <- far_fit(x, data$y, method, intercept = FALSE)
    sparse <- far_fit(as(x, "CsparseMatrix"), data$y, method, intercept = FALSE)
    expect_identical(class(sparse), class(dense))
    if (!is.character(dense)) {
      expect_equal(certificate(sparse)$primal, certificate(dense)$primal, tolerance = 1e-4)
    }
  }
})

test_that("zeros in rows without weight cannot hide that a column is far away", {
  data <- planted(40, 4, noise = 1)
  x <- data$x
  x[, 2] <- x[, 2] + 1e6
  x[1:4, 2] <- 0
  weights <- rep(c(0, 1), c(4, 36))
  expect_zeronorm_error(zeronorm(as(x, "CsparseMatrix"), data$y, l1_svm(), weights = weights), "x", "column 2")
  expect_identical(certificate(zeronorm(x, data$y, l1_svm(), weights = weights))$status, "optimal")
})
