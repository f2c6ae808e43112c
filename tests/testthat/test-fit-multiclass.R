# Three classes told apart by features 1 and 2; the rest is noise.
clouds <- function(n = 45, d = 12, seed = 3, shift = 6) {
  with_stream(seed, {
    class <- rep_len(1:3, n)
    x <- matrix(rnorm(n * d), n, d, dimnames = list(NULL, paste0("g", seq_len(d))))
    x[, 1] <- x[, 1] + shift * (class == 1)
    x[, 2] <- x[, 2] + shift * (class == 2)
    list(x = x, class = class, y = factor(c("a", "b", "c")[class]),
         labels = outer(class, 1:3, "==") + 0)
  })
}

methods_of <- function(...) {
  list(
    joint = arom(..., errors = "l2"), coupled = arom(..., errors = "l2", multiclass = "coupled"),
    ovr = arom(..., errors = "l2", multiclass = "ovr"),
    "joint l1" = arom("l1", ..., errors = "l1"),
    "coupled l1" = arom("l1", ..., errors = "l1", multiclass = "coupled")
  )
}

test_that("every form of multi-class AROM finds the features that tell classes apart", {
  data <- clouds()
  for (method in methods_of(nonzero = 2)) for (final in c("m_svm", "ovr")) {
    method$selection$refit_multiclass <- final
    fit <- zeronorm(data$x, data$y, method)
    expect_identical(certificate(fit)$status, "optimal")
    expect_lte(certificate(fit)$gap, 1e-6)
    expect_true(all(c("g1", "g2") %in% selected(fit)))
    expect_identical(certificate(fit)$errors, sum(predict(fit, data$x) != data$y))
    if (method$model$multiclass != "ovr") expect_setequal(selected(fit), c("g1", "g2"))
  }
})

# z <- z * sum_k |w_k|, written out with machines of one against the rest.
test_that("coupled l2-AROM is the recursion of its definition", {
  data <- clouds(30, 8)
  x <- scale(data$x)
  z <- rep(1, 8)
  for (round in 1:200) {
    w <- vapply(1:3, function(k) {
      unname(coef(zeronorm(x * rep(z, each = 30), data$class == k, l2_svm(4, loss = "squared_hinge"),
                           standardize = FALSE))[-1])
    }, numeric(8))
    new <- z * rowSums(abs(w))
    new[new < 1e-12 * max(new)] <- 0
    change <- max(abs(new / z - 1)[z > 0])
    z <- new
    if (change <= 1e-6) break
  }
  fit <- zeronorm(data$x, data$y, arom("l2", errors = "l2", lambda = 2, multiclass = "coupled"),
                  control = zeronorm_control(max_rounds = 500))
  expect_equal(unname(feature_importance(fit)[colnames(data$x)]), z, tolerance = 1e-4)
})

test_that("a matrix of labels is the coupled form, one against the rest", {
  data <- clouds()
  method <- arom("l2", errors = "l2", multiclass = "coupled", nonzero = c(4, 2), refit_multiclass = "ovr")
  classes <- zeronorm(data$x, data$y, method)
  labels <- zeronorm(data$x, data$labels, method)
  expect_equal(predict(labels, data$x, "link", index = 2), predict(classes, data$x, "link", index = 2),
               tolerance = 1e-8, ignore_attr = TRUE)
  expect_identical(dim(predict(labels, data$x, index = 1)), c(45L, 3L))
  expect_true(all(predict(labels, data$x, index = 1) %in% 0:1))
})

test_that("machines that share nothing are the two-class fits side by side", {
  data <- clouds()
  method <- arom("l2", errors = "l2", nonzero = c(3, 2), multiclass = "ovr", refit_multiclass = "ovr")
  fit <- zeronorm(data$x, data$y, method)
  for (k in 1:3) {
    alone <- zeronorm(data$x, data$class == k, arom("l2", errors = "l2", nonzero = c(3, 2)))
    expect_equal(coef(fit, index = 2)[[k]], coef(alone, index = 2), tolerance = 1e-10)
  }
  expect_identical(nrow(rounds(fit, index = 1)), sum(table(rounds(fit, index = 1)$output)))
})

test_that("verbs know several classes", {
  data <- clouds()
  fit <- zeronorm(data$x, data$y)
  expect_output(print(fit), "3 classes")
  expect_output(print(summary(fit, index = 2)), "importance")
  expect_length(feature_importance(fit, index = 1), 12)
  expect_identical(names(coef(fit)), c("a", "b", "c"))
  pdf(NULL)
  on.exit(dev.off())
  expect_silent(plot(fit))
  expect_silent(plot(fit, "weights", index = 2))
  expect_zeronorm_error(zeronorm(data$x, data$y, fsv()), "y", "3 classes")
})

test_that("weights and classes of one observation are taken", {
  data <- clouds()
  weights <- rep(1:2, c(30, 15))
  rows <- rep(1:45, weights)
  for (method in methods_of(nonzero = 3)) {
    weighted <- zeronorm(data$x, data$y, method, weights = weights)
    repeated <- zeronorm(data$x[rows, ], data$y[rows], method)
    expect_equal(predict(weighted, data$x, "link"), predict(repeated, data$x, "link"), tolerance = 1e-4)
  }
  y <- factor(c("only", as.character(data$y[-1])))
  expect_identical(certificate(zeronorm(data$x, y, arom(errors = "l2", nonzero = 3)))$status, "optimal")
})
