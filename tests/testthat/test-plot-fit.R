drawn <- function(...) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  before <- graphics::par("mar")
  value <- plot(...)
  expect_identical(graphics::par("mar"), before)
  value
}

test_that("the path is drawn for few and for many features", {
  data <- planted(30, 10)
  values <- drawn(zeronorm(data$x, data$y))
  expect_identical(ncol(values), 4L)
  expect_true(nrow(values) <= 10)
  wide <- planted(20, 3000)
  expect_lte(nrow(drawn(zeronorm(wide$x, wide$y))), 500)
})

test_that("weights carry their sign", {
  data <- planted(30, 10)
  fit <- zeronorm(data$x, data$y, l1_svm())
  values <- drawn(fit, "weights", most = 2)
  expect_length(values, 2)
  expect_identical(unname(sign(values)), unname(sign(coef(fit)[names(values)])))
  expect_identical(drawn(fit, most = 2), values)
})

test_that("convergence shows the rounds", {
  data <- planted(30, 10)
  fit <- zeronorm(data$x, data$y, fsv(lambda = c(0.05, 0.2)))
  expect_identical(unique(drawn(fit, "convergence")$solution), 1:2)
  kernel <- zeronorm(data$x, data$y, l2_svm(kernel = "gaussian"))
  expect_s3_class(drawn(kernel), "data.frame")
})

test_that("what cannot be drawn is said", {
  data <- planted(30, 10)
  fit <- zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)))
  expect_zeronorm_error(drawn(fit, "tree"), "type")
  expect_zeronorm_error(drawn(fit, "weights", index = 1:2), "index", "needs one")
  expect_zeronorm_error(drawn(zeronorm(data$x, data$y, l2_svm(kernel = "gaussian")), "path"), "object")
})

test_that("long names are shortened", {
  expect_identical(shorten(c("short", "a_name_that_is_far_too_long")), c("short", "a_name_that_is_~"))
})

test_that("small figures name fewer bars", {
  data <- planted(30, 60)
  fit <- zeronorm(data$x, data$y, l2_svm())
  bars <- function(height) {
    grDevices::pdf(NULL, width = 5, height = height)
    on.exit(grDevices::dev.off())
    length(plot(fit, "weights"))
  }
  expect_identical(bars(10), 30L)
  expect_lt(bars(3), 30L)
})

test_that("an objective that changes by rounding alone is drawn", {
  data <- planted(20, 3)
  fit <- zeronorm(data$x, data$y, fsv())
  fit$trace[[1]]$objective <- 2 + 4e-16 * seq_along(fit$trace[[1]]$objective)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_warning(plot(fit, "convergence"), NA)
})
