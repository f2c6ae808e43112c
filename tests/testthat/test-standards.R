# What a statistician tries first, over all methods: rounding errors, seeds, scales, known truths, odd data.

test_that("changes of the size of rounding errors change nothing", {
  data <- separated(60, 8)
  shaken <- data
  shaken$x <- with_stream(2, data$x * (1 + .Machine$double.eps * sample(c(-1, 1), length(data$x), TRUE)))
  expect_false(identical(shaken$x, data$x))
  for (name in names(example_methods())) {
    method <- example_methods()[[name]]
    fits <- lapply(list(data, shaken), function(data) with_stream(3, fit_of(method, data)))
    links <- lapply(fits, predict, data$x, "link", index = 1)
    expect_equal(links[[2]], links[[1]], tolerance = 1e-4, info = name)
    if (method$declares$selects == "features") {
      expect_identical(selected(fits[[2]], index = 1), selected(fits[[1]], index = 1), info = name)
    }
  }
})

test_that("another seed finds the same where chance plays a part", {
  data <- separated(60, 8)
  for (method in list(fs_svmcp(C_grid = c(0.1, 1)), ranking_filter(), dca(starts = 3), obd(nonzero = 2))) {
    found <- lapply(1:4, function(seed) {
      fit <- with_stream(seed, zeronorm(data$x, data$y, method))
      list(first = selected(fit, index = 1)[1], wrong = certificate(fit)$errors[1])
    })
    for (one in found) expect_identical(one, list(first = "g1", wrong = 0L), info = format(method))
  }
})

test_that("planted features are found for most seeds", {
  for (method in list(arom("l2", nonzero = 2), arom("l1", nonzero = 2), fsv(lambda = 0.3), gram_schmidt(2),
                      svm_rfe(nonzero = 2), dca("squared", C = 0.1, nonzero = 2))) {
    found <- vapply(1:20, function(seed) {
      data <- planted(60, 40, seed = seed)
      all(c("g1", "g2") %in% selected(zeronorm(data$x, data$y, method), index = 1))
    }, NA)
    expect_gte(sum(found), 19, label = format(method))
  }
})

test_that("more observations come nearer to the truth", {
  w <- c(3, -2)
  off <- function(n, seed) {
    data <- with_stream(seed, {
      x <- matrix(rnorm(n * 10), n)
      list(x = x, y = drop(x[, 1:2] %*% w) + 1 + rnorm(n))
    })
    fit <- zeronorm(data$x, data$y, dca("squared", nonzero = 2), task = "regression")
    c(all(selected(fit) %in% 1:2), max(abs(coef(fit)[c("1", "2")] - w)))
  }
  few <- vapply(1:10, off, c(0, 0), n = 40)
  many <- vapply(1:10, off, c(0, 0), n = 4000)
  expect_true(all(many[1, ] == 1))
  # A standard error is 1 / sqrt(4000) = 0.016.
  expect_lt(max(many[2, ]), 5 / sqrt(4000))
  expect_lt(mean(many[2, ]), mean(few[2, ]) / 4)
})

test_that("units of the features count where they are not standardised, and only there", {
  data <- planted(40, 6, noise = 1)
  units <- 2^c(-20, 10, 3, 0, -7, 20)
  scaled <- sweep(data$x, 2, units, "*")
  fit <- function(x, ...) zeronorm(x, data$y, l1_svm(C = 0.1), ...)
  expect_equal(predict(fit(scaled), scaled, "link"), predict(fit(data$x), data$x, "link"))
  expect_equal(coef(fit(scaled))[-1] * units, coef(fit(data$x))[-1])
  expect_identical(selected(fit(scaled)), selected(fit(data$x)))
  # What is wide in its unit is cheap, and what is narrow is dear.
  expect_true("g1" %in% selected(fit(scaled)) && !"g6" %in% selected(fit(scaled)))
  plain <- selected(fit(scaled, standardize = FALSE))
  expect_true("g6" %in% plain && !"g1" %in% plain)
})

test_that("an exact relation is found in no more rounds than a noisy one", {
  rounds <- function(noise) {
    data <- planted(60, 20, noise = noise, seed = 3)
    fit <- zeronorm(data$x, data$y, fsv(lambda = 0.1))
    c(certificate(fit)$rounds, certificate(fit)$errors)
  }
  expect_lte(rounds(0)[1], rounds(2)[1])
  expect_identical(rounds(0)[2], 0L)
})

test_that("a label that is a feature as well is told by it alone", {
  data <- planted(40, 10)
  x <- cbind(data$x, label = as.numeric(data$y == "up"))
  for (method in list(l1_svm(), arom("l2"), svm_rfe(nonzero = 1), gram_schmidt(1))) {
    fit <- zeronorm(x, data$y, method)
    expect_identical(selected(fit), "label")
    expect_identical(certificate(fit)$errors, 0L)
  }
})

test_that("tables of every kind are data frames", {
  data <- data.frame(planted(30, 4)$x)
  y <- planted(30, 4)$y
  plain <- zeronorm(data, y, l1_svm())
  tibble <- structure(data, class = c("tbl_df", "tbl", "data.frame"))
  table <- structure(data, class = c("data.table", "data.frame"))
  measured <- data
  class(measured$g1) <- "units"
  for (x in list(tibble, table, measured)) {
    fit <- zeronorm(x, y, l1_svm())
    expect_identical(coef(fit), coef(plain))
    expect_identical(predict(fit, x, "link"), predict(plain, data, "link"))
  }
  data$list <- as.list(1:30)
  expect_zeronorm_error(zeronorm(data, y, l1_svm()), "x", "'list' is of class list")
  data$list <- complex(30, 1, 1)
  expect_zeronorm_error(zeronorm(data, y, l1_svm()), "x", "'list' is of class complex")
  expect_zeronorm_error(zeronorm(matrix(1i, 4, 2), rep(0:1, 2)), "x", "complex matrix")
  data$list <- NA_real_
  expect_zeronorm_error(zeronorm(data, y, l1_svm()), "x", "missing values in column 'list'")
})

test_that("labels may be ordered, and their order is kept", {
  data <- planted(30, 4)
  ordered <- factor(data$y, levels = c("up", "down"), ordered = TRUE)
  fit <- zeronorm(data$x, ordered, l1_svm())
  expect_identical(levels(predict(fit, data$x)), c("up", "down"))
  expect_identical(coef(fit), coef(zeronorm(data$x, factor(ordered, ordered = FALSE), l1_svm())))
})

test_that("words are taken as they are written", {
  data <- planted(20, 4)
  expect_zeronorm_error(zeronorm(data$x, data$y, engine = "AUTO"), "engine")
  expect_zeronorm_error(arom("L2"), "norm")
})

test_that("the page of standards names files and functions that exist", {
  page <- test_path("..", "..", "STANDARDS.md")
  skip_if_not(file.exists(page), "no source tree")
  text <- paste(readLines(page), collapse = "\n")
  named <- function(pattern) unique(regmatches(text, gregexpr(pattern, text, perl = TRUE))[[1]])
  for (file in named("(?<=`)(test|helper)-[a-z0-9_-]+[.]R")) {
    expect_true(file.exists(test_path(file)), label = file)
  }
  for (file in named("(?<=`)(vignettes|bench|R)/[A-Za-z_-]+[.][A-Za-z]+")) {
    expect_true(file.exists(test_path("..", "..", file)), label = file)
  }
  for (name in named("(?<=`)[a-z_0-9]+(?=\\()")) {
    expect_true(exists(name, mode = "function"), label = name)
  }
  for (topic in named("(?<=`\\?)[A-Za-z_]+")) {
    expect_true(length(utils::help((topic), package = "zeronorm")) > 0, label = topic)
  }
})
