# Block by block the fits are those of the matrix in memory, and no more is read than has to be.

# A matrix that counts how many of its numbers are read.
counted_matrix <- function(x) {
  if (!methods::isClass("zeronormCountedSeed")) {
    methods::setClass("zeronormCountedSeed", representation(x = "matrix", count = "environment"),
                      where = globalenv())
    methods::setMethod("dim", "zeronormCountedSeed", function(x) dim(x@x), where = globalenv())
    methods::setMethod("dimnames", "zeronormCountedSeed", function(x) dimnames(x@x), where = globalenv())
    methods::setMethod(DelayedArray::chunkdim, "zeronormCountedSeed", function(x) c(5L, 8L),
                       where = globalenv())
    methods::setMethod(DelayedArray::extract_array, "zeronormCountedSeed", function(x, index) {
      if (isTRUE(x@count$gone)) stop("the file is gone")
      all <- lapply(dim(x@x), seq_len)
      index <- Map(function(some, every) if (is.null(some)) every else some, index, all)
      block <- x@x[index[[1]], index[[2]], drop = FALSE]
      x@count$numbers <- x@count$numbers + length(block)
      block
    }, where = globalenv())
  }
  count <- new.env()
  count$numbers <- 0
  DelayedArray::DelayedArray(methods::new("zeronormCountedSeed", x = x, count = count))
}

numbers_read <- function(x) x@seed@count$numbers

block_methods <- function() {
  list(l1_svm(C = c(0.05, 1)), l1_svm(C = Inf), arom("l2", errors = "l2"),
       arom("l2", errors = "l2", lambda = c(1, 10), nonzero = c(8, 2)), arom("l2", nonzero = 3),
       arom("l2", errors = "l2", nonzero = 4, refit = "none"), correlation_filter(nonzero = c(20, 5)),
       top_weights(nonzero = c(20, 5)), top_weights(nonzero = 5, norm = "l1", C = 1),
       top_weights(nonzero = 5, C = 0.1))
}

same_fit <- function(x, delayed, y, method, ...) {
  known <- zeronorm(x, y, method, ...)
  fit <- zeronorm(delayed, y, method, ...)
  expect_equal(as.matrix(coef(fit)), as.matrix(coef(known)), tolerance = 1e-8)
  expect_identical(selected(fit, index = 1), selected(known, index = 1))
  table <- certificate(fit)
  expect_true(all(table$gap <= 1e-6, na.rm = TRUE))
  facts <- c("status", "stop", "kind", "rounds", "nonzero", "support_vectors", "errors")
  expect_identical(table[facts], certificate(known)[facts])
  expect_equal(table$primal, certificate(known)$primal, tolerance = 1e-7)
  expect_identical(predict(fit, delayed, index = 1), predict(known, x, index = 1))
}

test_that("fits of a DelayedMatrix are those of the matrix", {
  skip_if_not_installed("DelayedArray")
  for (data in list(planted(40, 60, noise = 0.1), planted(60, 20))) {
    delayed <- DelayedArray::DelayedArray(data$x)
    for (method in block_methods()) same_fit(data$x, delayed, data$y, method)
  }
})

test_that("also with weights, free columns, without scaling or intercept, and with void columns", {
  skip_if_not_installed("DelayedArray")
  data <- planted(40, 60, noise = 0.5)
  x <- cbind(data$x, constant = 3, twin = data$x[, 1], zero = 0)
  x[, 5] <- 1e6 * x[, 5] + 1e8
  x[, 6] <- 1e-9 * x[, 6]
  delayed <- DelayedArray::DelayedArray(x)
  weights <- rep(c(0, 1, 2, 0.5), 10)
  for (method in block_methods()[c(1, 3, 7, 8)]) {
    same_fit(x, delayed, data$y, method)
    same_fit(x, delayed, data$y, method, weights = weights, unpenalized = c("g7", "g30"), keep = "g2")
    same_fit(x, delayed, data$y, method, class_weights = "balanced", standardize = FALSE)
    same_fit(data$x, DelayedArray::DelayedArray(data$x), data$y, method, intercept = FALSE)
  }
  classes <- three_clouds(30, 40)
  same_fit(classes$x, DelayedArray::DelayedArray(classes$x), classes$y, correlation_filter(nonzero = 4))
})

test_that("HDF5 files, whole numbers, transposed and computed matrices are read", {
  skip_if_not_installed("HDF5Array")
  data <- planted(40, 60)
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  genes <- HDF5Array::writeHDF5Array(t(data$x), file, "x", chunkdim = c(7, 11), with.dimnames = TRUE)
  same_fit(data$x, DelayedArray::t(genes), data$y, l1_svm())
  same_fit(data$x, DelayedArray::t(genes), data$y, arom("l2", errors = "l2"))
  same_fit(exp(data$x), exp(DelayedArray::t(genes)), data$y, l1_svm())
  counts <- round(10 * exp(data$x))
  storage.mode(counts) <- "integer"
  same_fit(counts, DelayedArray::DelayedArray(counts), data$y, l1_svm())
  half <- data$x[, 1:30]
  same_fit(half, DelayedArray::t(genes)[, 1:30], data$y, l1_svm())
})

test_that("a pass for the moments, and then no more than has to be", {
  skip_if_not_installed("DelayedArray")
  data <- planted(40, 600, noise = 0.5)
  passes <- function(method) {
    x <- counted_matrix(data$x)
    zeronorm(x, data$y, method)
    numbers_read(x) / length(data$x)
  }
  # Moments, those of the classes, and from the first to the last that were chosen.
  expect_lte(passes(correlation_filter(nonzero = 5)), 3)
  # Moments, then one pass for each pricing, whose columns are there with it.
  expect_lte(passes(l1_svm(C = 0.02)), 7)
  # Gram matrix, prices and values in each round; soon few columns are left.
  expect_lte(passes(arom("l2", errors = "l2")), 30)
  x <- counted_matrix(data$x)
  fit <- zeronorm(x, data$y, l1_svm(C = 0.02))
  before <- numbers_read(x)
  predict(fit, x)
  expect_equal(numbers_read(x) - before, 40 * length(selected(fit)))
})

test_that("prediction takes blocks of rows, for kernel machines too", {
  skip_if_not_installed("DelayedArray")
  data <- planted(40, 12)
  rows <- DelayedArray::DelayedArray(data$x)
  for (method in list(l2_svm(), l2_svm(kernel = gaussian_kernel(2)), quadratic_fsv(0.05))) {
    fit <- zeronorm(data$x, data$y, method)
    expect_equal(predict(fit, rows, type = "link"), predict(fit, data$x, type = "link"))
  }
  large <- DelayedArray::DelayedArray(matrix(0, 3, 1))[rep(1, 5e6), , drop = FALSE]
  expect_identical(by_rows(large, function(some) nrow(some))[, 1], c(4e6L, 1e6L))
})

test_that("blocks are whole chunks of about a million numbers", {
  expect_identical(block_of(c(5000L, 20000L), c(500L, 2000L)), c(500L, 2000L))
  expect_identical(block_of(c(5000L, 20000L), c(100L, 100L)), c(5000L, 200L))
  expect_identical(block_of(c(40L, 600L), c(5L, 8L)), c(40L, 600L))
  expect_identical(block_of(c(5000L, 20000L), NULL), c(5000L, 200L))
  expect_identical(block_of(c(10L, 1e7L), c(10L, 1e7L)), c(10L, 400000L))
  expect_identical(block_of(c(1e7L, 10L), c(1e7L, 1L)), c(4000000L, 1L))
})

test_that("what cannot be read block by block says what can", {
  skip_if_not_installed("DelayedArray")
  data <- planted()
  x <- DelayedArray::DelayedArray(data$x)
  others <- list(fsv(), l2_svm(), svm_rfe(), arom("l1", errors = "l1"), arom("l2", errors = "zero"),
                 arom("l2", kernel = poly_kernel(2)), l2_svm(kernel = gaussian_kernel(1)), ranking_filter())
  for (method in others) {
    expect_zeronorm_error(zeronorm(x, data$y, method), "x", "l1_svm\\(\\).*as.matrix\\(x\\)")
  }
  classes <- three_clouds(30, 40)
  three <- DelayedArray::DelayedArray(classes$x)
  expect_zeronorm_error(zeronorm(three, classes$y, arom("l2", errors = "l2")), "x", "for such labels")
  expect_zeronorm_error(zeronorm(x, data$y, l1_svm(), impute = "median"), "impute", "DelayedMatrix")
  expect_zeronorm_error(zeronorm(x, data$y, l1_svm(), engine = "highs"), "engine", "memory")
})

test_that("missing values and errors of the file are reported", {
  skip_if_not_installed("DelayedArray")
  data <- planted()
  data$x[3, 7] <- NA
  expect_zeronorm_error(zeronorm(DelayedArray::DelayedArray(data$x), data$y, l1_svm()), "x", "'g7'")
  fit <- zeronorm(data$x[-3, ], data$y[-3], l1_svm())
  void <- DelayedArray::DelayedArray(replace(data$x, seq_along(data$x), NA))
  expect_zeronorm_error(predict(fit, void), "newdata")
  x <- counted_matrix(planted()$x)
  x@seed@count$gone <- TRUE
  expect_error(zeronorm(x, data$y, l1_svm()), "the file is gone")
})

test_that("data that would fit into memory are said to, once", {
  skip_if_not_installed("DelayedArray")
  # As at the beginning of a session.
  said <- environment(inform_once)
  said$known <- setdiff(said$known, "delayed")
  data <- planted()
  x <- DelayedArray::DelayedArray(data$x)
  expect_message(zeronorm(x, data$y, l1_svm()), "9.4 Kb.*as.matrix")
  expect_message(zeronorm(x, data$y, l1_svm()), NA)
  said$known <- setdiff(said$known, "delayed")
  expect_message(zeronorm(data$x, data$y, l1_svm()), NA)
  huge <- DelayedArray::DelayedArray(Matrix::sparseMatrix(1, 1, x = 1, dims = c(20000, 20000)))
  expect_message(inform_delayed(huge), NA)
})

test_that("loops over resamples read blocks", {
  skip_if_not_installed("DelayedArray")
  data <- planted(40, 20, noise = 1)
  x <- DelayedArray::DelayedArray(data$x)
  method <- arom("l2", errors = "l2", nonzero = c(4, 1))
  folds <- rep_len(1:4, 40)
  expect_equal(cv_zeronorm(x, data$y, method, foldid = folds)$summary,
               cv_zeronorm(data$x, data$y, method, foldid = folds)$summary)
  fit <- zeronorm(x, data$y, method)
  expect_equal(with_stream(1, calibrate_zeronorm(fit, x, data$y, folds = 4))$calibration,
               with_stream(1, calibrate_zeronorm(fit, data$x, data$y, folds = 4))$calibration)
  expect_equal(with_stream(1, permutation_test(x, data$y, method, permutations = 2, folds = 3))$permuted,
               with_stream(1, permutation_test(data$x, data$y, method, permutations = 2, folds = 3))$permuted)
  expect_zeronorm_error(certify_zero_norm(x, data$y), "x", "memory")
})
