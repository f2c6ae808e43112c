# References of stability_selection: counts and Nogueira's index written out from their definitions, the
# bounds of Meinshausen and Buehlmann and of Shah and Samworth by hand.

stable_data <- function() {
  with_stream(1, {
    x <- matrix(rnorm(60 * 40), 60, dimnames = list(NULL, paste0("g", 1:40)))
    list(x = x, y = factor(x[, 1] - x[, 2] + rnorm(60) / 3 > 0))
  })
}

test_that("frequencies count the fits on complementary halves", {
  data <- stable_data()
  method <- arom("l2", nonzero = c(5, 2), errors = "l2")
  stable <- with_stream(3, stability_selection(data$x, data$y, method, resamples = 10))
  halves <- with_stream(3, half_tasks(list(labels = list(class = as.integer(data$y))), 10, TRUE, 0.5))
  for (k in c(1, 3, 5)) expect_setequal(c(halves[[k]]$train, halves[[k + 1]]$train), 1:60)
  sets <- lapply(halves, function(task) {
    selected(zeronorm(data$x[task$train, ], data$y[task$train], method),
             nonzero = 2)
  })
  expect_equal(stable$frequency[, 2], vapply(colnames(data$x),
                                             function(g) mean(vapply(sets, `%in%`, x = g, NA)), 0))
  expect_setequal(selected(stable, index = 2), c("g1", "g2"))
  expect_equal(stable$summary$mean_size, c(5, 2))
  expect_output(print(stable), "complementary")
})

test_that("the index and its variance are Nogueira's", {
  z <- with_stream(2, matrix(runif(12 * 9) < rep(c(0.9, 0.5, 0.1), 3)[col(matrix(0, 12, 9))], 12))
  sets <- lapply(1:12, function(i) which(z[i, ]))
  m <- 12
  d <- 9
  p <- colMeans(z)
  k <- rowSums(z)
  share <- mean(k) / d
  index <- 1 - mean(m / (m - 1) * p * (1 - p)) / (share * (1 - share))
  phi <- vapply(1:m, function(i) {
    correction <- index / 2 * (2 * k[i] * mean(k) / d^2 - k[i] / d - share + 1)
    (sum(z[i, ] * p) / d - k[i] * mean(k) / d^2 + correction) / (share * (1 - share))
  }, 0)
  se <- sqrt(4 / m^2 * sum((phi - mean(phi))^2))
  found <- nogueira(sets, d, 0.9)
  expect_equal(found$index, index)
  expect_equal(found$lower, index - qnorm(0.95) * se)
  expect_equal(nogueira(rep(list(c(2L, 5L)), 8), 9)$index, 1)
  random <- with_stream(3, nogueira(replicate(2000, sample.int(50, 5), simplify = FALSE), 50))
  expect_true(random$lower < 0 && random$upper > 0)
})

test_that("bounds on false selections", {
  expect_equal(false_bound(0.75, 20, 1000, 100, "none"), 400 / 1000 / 0.5)
  # 50 pairs: C = 1 / (2 (2 * 0.7 - 1 - 0.01)) up to 3/4, 4 (1 - 0.9 + 0.01) / 1.02 above.
  expect_equal(false_bound(0.7, 20, 1000, 100, "unimodal"), 0.4 / (2 * 0.39))
  expect_equal(false_bound(0.9, 20, 1000, 100, "unimodal"), 0.4 * 4 * 0.11 / 1.02)
  expect_equal(smallest_threshold(0.6, 20, 1000, 100, "none"), 0.84)
  expect_true(is.na(smallest_threshold(0.001, 20, 1000, 100, "none")))
  data <- stable_data()
  stable <- with_stream(1, stability_selection(data$x, data$y, arom("l2", nonzero = 2, errors = "l2"),
                                               resamples = 20,
                                               pfer = 0.15))
  expect_lte(stable$summary$expected_false, 0.15)
  expect_error(stability_selection(data$x, data$y, threshold = 0.4), class = "zeronorm_error")
  expect_error(stability_selection(data$x, data$y, fraction = 0.7), class = "zeronorm_error")
  expect_error(stability_selection(data$x, data$y, l2_svm(kernel = gaussian_kernel(1))),
               class = "zeronorm_error")
})

test_that("a formula is resampled like its columns; an index that is none is said", {
  frame <- droplevels(iris[51:150, ])
  method <- arom("l2", nonzero = 2, errors = "l2")
  stable <- with_stream(1, stability_selection(Species ~ ., data = frame, method, resamples = 6))
  of_columns <- with_stream(1, stability_selection(as.matrix(frame[1:4]), frame$Species, method,
                                                   resamples = 6))
  expect_equal(stable$frequency, of_columns$frequency)
  expect_equal(stable$summary, of_columns$summary)
  expect_zeronorm_error(selected(stable, index = 2), "index", "number up to 1")
  expect_zeronorm_error(plot(stable, index = 2), "index", "number up to 1")
  expect_zeronorm_error(stability_selection(Species ~ ., data = frame, method, complementary = FALSE,
                                            assumption = "unimodal"), "assumption", "complementary")
})

test_that("covariates without a penalty are neither stable nor counted", {
  data <- stable_data()
  method <- arom("l2", nonzero = c(5, 2), errors = "l2")
  stable <- with_stream(3, stability_selection(data$x, data$y, method, resamples = 10,
                                               unpenalized = c("g7", "g3")))
  expect_false(any(c("g3", "g7") %in% rownames(stable$frequency)))
  expect_false(any(c("g3", "g7") %in% unlist(lapply(1:2, function(k) selected(stable, index = k)))))
  expect_equal(stable$summary$mean_size, c(5, 2))
  halves <- with_stream(3, half_tasks(new_request(data$x, data$y, method), 10, TRUE, 0.5))
  sets <- lapply(halves, function(task) {
    match(selected(zeronorm(data$x[task$train, ], data$y[task$train], method, unpenalized = c("g7", "g3")),
                   nonzero = 5),
          rownames(stable$frequency))
  })
  expect_equal(stable$summary$index[1], nogueira(sets, 38)$index)
  expect_equal(stable$summary$expected_false[1], 25 / 38 / 0.5)
  # Without names the positions are those of the columns of x.
  plain <- with_stream(3, stability_selection(unname(data$x), data$y, method, resamples = 10,
                                              unpenalized = c(1, 3)))
  expect_identical(selected(plain, index = 2), 2L)
  shares <- with_stream(1, stability_selection(data$x, data$y, method, resamples = 49, complementary = FALSE))
  expect_true(max(shares$frequency) == 1)
})

test_that("halves are of whole blocks", {
  data <- stable_data()
  patient <- rep(1:20, each = 3)
  request <- new_request(data$x, data$y, arom("l2", nonzero = 2, errors = "l2"), block = patient)
  halves <- with_stream(1, half_tasks(request, 6, TRUE, 0.5))
  for (k in c(1, 3, 5)) {
    expect_setequal(c(halves[[k]]$train, halves[[k + 1]]$train), 1:60)
    expect_length(intersect(patient[halves[[k]]$train], patient[halves[[k + 1]]$train]), 0)
  }
  stable <- with_stream(1, stability_selection(data$x, data$y, arom("l2", nonzero = 2, errors = "l2"),
                                               resamples = 6,
                                               block = patient))
  expect_output(print(stable), "whole blocks")
})

test_that("the default needs no twenty features, and wrong numbers are errors before anything is fitted", {
  data <- gene_data(40, 8)
  stable <- with_stream(1, stability_selection(data$x, data$y, resamples = 4))
  expect_identical(stable$method$args$nonzero, 4)
  expect_identical(with_stream(1, stability_selection(stable_data()$x, stable_data()$y,
                                                      resamples = 2))$method$args$nonzero, 20)
  expect_identical(with_stream(1, stability_selection(data$x, data$y, resamples = 2,
                                                      keep = 1:6))$method$args$nonzero, 6)
  for (level in c(-1, 0, 1, 2)) {
    expect_zeronorm_error(stability_selection(data$x, data$y, level = level), "level")
  }
  expect_zeronorm_error(stability_selection(data$x, data$y, pfer = 0), "pfer")
})
