# References: glm() for the sigmoid, counts over all pairs and formulas by hand for the measures.
test_that("the sigmoid is glm()'s on Platt's targets, and logloss judges it on other folds", {
  data <- with_stream(5, list(f = rnorm(80), positive = runif(80) < plogis(2 * rnorm(80))))
  m <- sum(data$positive)
  target <- ifelse(data$positive, (m + 1) / (m + 2), 1 / (80 - m + 2))
  glm <- suppressWarnings(stats::glm(target ~ data$f, family = stats::binomial(), epsilon = 1e-14))
  expect_equal(unname(fit_sigmoid(data$f, data$positive)), unname(rev(stats::coef(glm))), tolerance = 1e-7)
  split <- fit_sigmoid(c(-3:-1, 1:3), rep(c(FALSE, TRUE), each = 3))
  expect_true(all(is.finite(split)) && split[["a"]] > 0)
  genes <- gene_data()
  fold <- rep_len(1:4, 40)
  cv <- cv_zeronorm(genes$x, genes$y, l1_svm(), foldid = fold, loss = "logloss", keep = TRUE)
  others <- fold != 1
  ab <- fit_sigmoid(cv$link[others, 1, 1], genes$y[others] == "tumour")
  p <- plogis(ab[["a"]] * cv$link[!others, 1, 1] + ab[["b"]])
  expect_equal(cv$measures$logloss[1], -mean(log(ifelse(genes$y[!others] == "tumour", p, 1 - p))))
})

test_that("every measure is what its formula says", {
  y <- c(1, 1, -1, -1, -1, 1)
  f <- cbind(c(0.5, -1, -2, 0.5, -0.1, 2))
  two <- list(task = "two-class", y = cbind(y), class = (y + 3) / 2)
  expect_identical(measure("error", f, two), 2 / 6)
  expect_identical(measure("balanced", f, two), mean(c(1 / 3, 1 / 3)))
  # All pairs of a positive and a negative; a tie is half a win.
  pairs <- outer(f[y > 0], f[y < 0], function(a, b) (a > b) + (a == b) / 2)
  expect_equal(measure("auc", f, two), mean(pairs))
  platt <- rbind(a = 2, b = -0.5)
  p <- 1 / (1 + exp(-(2 * f[, 1] - 0.5)))
  expect_equal(measure("logloss", f, two, platt), -mean(log(ifelse(y > 0, p, 1 - p))))
  line <- list(task = "regression", y = y)
  expect_equal(measure("mse", f, line), mean((f[, 1] - y)^2))
  expect_equal(measure("mae", f, line), mean(abs(f[, 1] - y)))
  expect_identical(measure("error", replace(f, 2, NA), two), NA_real_)
})

test_that("several classes and labels are judged as a whole", {
  f <- rbind(c(2, 1, 0), c(1, 1, 0), c(-1, 0, 3), c(0, 2, 1))
  class <- c(1, 2, 3, 1)
  several <- list(task = "k-class", y = 2 * diag(3)[class, ] - 1, class = class)
  # A tie goes to the first class; the second and the fourth row are wrong.
  expect_identical(measure("error", f, several), 0.5)
  expect_equal(measure("balanced", f, several), mean(c(0.5, 1, 0)))
  even <- rbind(a = rep(1, 3), b = 0)
  p <- plogis(f) / rowSums(plogis(f))
  expect_equal(measure("logloss", f, several, even), -mean(log(p[cbind(1:4, class)])))
  labels <- list(task = "multi-label", y = cbind(c(1, -1, 1, 1), c(1, 1, -1, 1)))
  # Wrong in one label is wrong: rows 3 and 4 of the first two outputs.
  expect_identical(measure("error", f[, 1:2], labels), mean(rowSums((f[, 1:2] > 0) != (labels$y > 0)) > 0))
  q <- plogis(f[, 1:2])
  expect_equal(measure("logloss", f[, 1:2], labels, even[, 1:2]),
               -mean(rowSums(ifelse(labels$y > 0, log(q), log(1 - q)))))
})

test_that("one class has no area, and each task its own measures", {
  expect_identical(area_under_curve(1:3, rep(TRUE, 3)), NA_real_)
  expect_identical(area_under_curve(c(1, 2), c(FALSE, TRUE)), 1)
  expect_identical(measures_for("regression"), c("mse", "mae"))
  expect_identical(check_loss(NULL, "two-class"), "error")
  expect_zeronorm_error(check_loss("auc", "k-class"), "loss", "\"error\"")
})
