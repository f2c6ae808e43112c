# min 1/2 sum_k |w_k|^2 + C sum xi_ik, f_y - f_k >= 2 - xi_ik, written out for quadprog over (W, b, xi);
# what has no ridge gets one of 1e-8, and the value returned is that of the problem itself.
weston_watkins <- function(x, class, C) {
  n <- nrow(x)
  d <- ncol(x)
  k <- max(class)
  pairs <- which(outer(class, seq_len(k), "!="), arr.ind = TRUE)
  margins <- matrix(0, nrow(pairs), k * (d + 1))
  place <- function(o) (o - 1) * (d + 1) + seq_len(d + 1)
  for (r in seq_len(nrow(pairs))) {
    row <- c(x[pairs[r, 1], ], 1)
    margins[r, place(class[pairs[r, 1]])] <- row
    margins[r, place(pairs[r, 2])] <- -row
  }
  m <- nrow(pairs)
  ridge <- c(rep(c(rep(1, d), 1e-8), k), rep(1e-8, m))
  constraints <- rbind(cbind(margins, diag(m)), cbind(matrix(0, m, ncol(margins)), diag(m)))
  solution <- quadprog::solve.QP(diag(ridge), -c(rep(0, ncol(margins)), rep(C, m)), t(constraints),
                                 rep(c(2, 0), each = m))$solution
  w <- matrix(solution[seq_len(ncol(margins))], d + 1)
  list(value = weston_watkins_value(x, class, C, w), w = w)
}

# w: weights of each class in a column, the intercept last.
weston_watkins_value <- function(x, class, C, w, norm = "l2") {
  f <- cbind(x, 1) %*% w
  xi <- pmax(2 - f[cbind(seq_along(class), class)] + f, 0)
  xi[cbind(seq_along(class), class)] <- 0
  weights <- w[seq_len(ncol(x)), ]
  C * sum(xi) + if (norm == "l2") sum(weights^2) / 2 else sum(abs(weights))
}

as_columns <- function(fit) vapply(coef(fit), function(w) c(w[-1], w[1]), numeric(length(coef(fit)[[1]])))

three_classes <- function(n, d, seed = 1, shift = 1.5) {
  with_stream(seed, {
    class <- rep_len(1:3, n)
    x <- matrix(rnorm(n * d), n, d, dimnames = list(NULL, paste0("g", seq_len(d))))
    for (k in 1:2) x[, k] <- x[, k] + shift * (class == k)
    list(x = x, class = class, y = factor(c("a", "b", "c")[class]))
  })
}

# Reference of m_svm: quadprog on the whole problem.
test_that("m_svm is the optimum of its problem", {
  skip_if_not_installed("quadprog")
  for (case in list(c(18, 3), c(12, 6))) for (C in c(0.05, 1, 20)) {
    data <- three_classes(case[1], case[2])
    fit <- zeronorm(data$x, data$y, m_svm(C = C), standardize = FALSE)
    oracle <- weston_watkins(data$x, data$class, C)
    value <- weston_watkins_value(data$x, data$class, C, as_columns(fit))
    expect_lte(abs(value - oracle$value), 1e-6 * oracle$value)
    expect_equal(certificate(fit)$primal, value, tolerance = 1e-7)
    expect_lte(certificate(fit)$gap, 1e-6)
    expect_equal(unname(as_columns(fit)[seq_len(case[2]), ]), unname(oracle$w[seq_len(case[2]), ]),
                 tolerance = 1e-3)
  }
})

test_that("with two classes m_svm is the two-class machine", {
  data <- planted(40, 5, noise = 1)
  for (norm in c("l2", "l1")) {
    two <- zeronorm(data$x, data$y, m_svm(norm, C = 0.7))
    machine <- zeronorm(data$x, data$y, if (norm == "l2") l2_svm(0.7) else l1_svm(0.7))
    expect_equal(coef(two), coef(machine), tolerance = 1e-6)
  }
})

test_that("m_svm predicts the class of the largest decision value, by name", {
  data <- three_classes(30, 6)
  fit <- zeronorm(data$x, data$y, m_svm(C = c(0.1, 1)))
  f <- predict(fit, data$x[, 6:1], "link", index = 2)
  expect_identical(colnames(f), c("a", "b", "c"))
  expect_identical(as.character(predict(fit, data$x, index = 2)), colnames(f)[max.col(f)])
  expect_length(predict(fit, data$x, "link"), 2)
  expect_s3_class(predict(fit, data$x), "data.frame")
  expect_identical(names(coef(fit)), c("a", "b", "c"))
  expect_equal(sum(vapply(coef(fit, index = 2), `[[`, 0, 1)), 0, tolerance = 1e-6)
  sparse <- zeronorm(as(data$x, "dgCMatrix"), data$y, m_svm(C = c(0.1, 1)))
  expect_equal(predict(sparse, data$x, "link", index = 2), f, tolerance = 1e-6)
})
test_that("without a finite C the hard margin is kept, or the sum of slacks is the smallest", {
  data <- three_classes(18, 8)
  fit <- zeronorm(data$x, data$y, m_svm(), standardize = FALSE)
  f <- predict(fit, data$x, "link")
  margin <- f[cbind(1:18, data$class)] - f
  margin[cbind(1:18, data$class)] <- Inf
  expect_gte(min(margin), 2 - 1e-6)
  large <- zeronorm(data$x, data$y, m_svm(C = 1e5), standardize = FALSE)
  expect_equal(predict(large, data$x, "link"), f, tolerance = 1e-4)

  mixed <- three_classes(60, 2)
  fit <- zeronorm(mixed$x, mixed$y, m_svm(), standardize = FALSE)
  losses <- function(fit) {
    w <- as_columns(fit)
    weston_watkins_value(mixed$x, mixed$class, 1, w) - sum(w[1:2, ]^2) / 2
  }
  best <- losses(zeronorm(mixed$x, mixed$y, m_svm(C = 1e5), standardize = FALSE))
  expect_lte(losses(fit), best * (1 + 1e-6))
})

test_that("intercepts sum to zero, also of the l1 norm and where columns are centred", {
  for (method in list(m_svm("l1"), m_svm("l1", C = c(0.1, 1)), m_svm(), m_svm(C = 1),
                      arom(errors = "l2", nonzero = 2), tree_importance(2, refit_multiclass = "m_svm"))) {
    fit <- zeronorm(as.matrix(iris[1:4]), iris$Species, method)
    for (k in seq_len(nrow(certificate(fit)))) {
      b <- vapply(coef(fit, index = k), `[[`, 0, 1)
      expect_equal(sum(b), 0, tolerance = 1e-12 * max(abs(b)), info = format(method))
    }
  }
  # Independent classifiers keep their intercepts, whose signs mean something.
  apart <- zeronorm(as.matrix(iris[1:4]), iris$Species, lasso(lambda = 5))
  expect_gt(abs(sum(vapply(coef(apart), `[[`, 0, 1))), 0.01)
  without <- zeronorm(as.matrix(iris[1:4]), iris$Species, m_svm("l1", C = 1), intercept = FALSE)
  expect_identical(unname(vapply(coef(without), `[[`, 0, 1)), c(0, 0, 0))
})
