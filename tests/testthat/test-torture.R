# What `make torture` has found, reduced.  Values are compared with closed forms or with the objective
# computed from the data.

binary <- function(n, d, seed) with_stream(seed, matrix(as.double(runif(n * d) < 0.5), n))

classes <- function(n, seed) factor(with_stream(seed, sample(rep_len(c("a", "b"), n))))

test_that("features without a cost do not keep p_svm from its proof", {
  data <- planted(30, 6, noise = 2)
  z <- scale(data$x)
  y <- sign_of(data$y)
  for (settings in list(list(costs = c(0, 1, 1, 1, 1, 1)), list(costs = NULL))) {
    keep <- if (is.null(settings$costs)) 1
    fit <- zeronorm(data$x, data$y, p_svm(3, costs = settings$costs), keep = keep)
    expect_identical(certificate(fit)$status, "optimal")
    w <- coef(fit)[-1] * attr(z, "scaled:scale")
    f <- predict(fit, data$x, "link")
    # Less half the squares of y, as the help page has it.
    value <- sum((y - f)^2) / 2 + 3 * sum(abs(w[-1])) - sum((y - mean(y))^2) / 2
    expect_equal(certificate(fit)$primal, value, tolerance = 1e-7)
    # What is left of y earns no more than its price: nothing of the feature without one.
    earned <- abs(crossprod(z, y - f))
    expect_lte(max(earned[-1]), 3 * (1 + 1e-6))
    expect_lte(earned[1], 1e-6)
  }
})

test_that("sparse_fisher takes what columns without a price explain", {
  data <- planted(20, 5, noise = 1)
  exact <- cbind(free = sign_of(data$y), data$x)
  fit <- zeronorm(exact, data$y, sparse_fisher(1 / 3), unpenalized = "free")
  expect_equal(unname(predict(fit, exact, "link")), sign_of(data$y), tolerance = 1e-8)
  expect_lte(certificate(fit)$primal, 1e-8)
  # With a price at which no other column pays, they are least squares stretched to the means.
  fit <- zeronorm(data$x, data$y, sparse_fisher(1e-4), unpenalized = 1)
  expect_identical(selected(fit), character())
  expect_identical(certificate(fit)$status, "optimal")
  means <- tapply(predict(fit, data$x, "link"), data$y, mean)
  expect_equal(as.vector(means), c(-1, 1), tolerance = 1e-8)
  residual <- predict(fit, data$x, "link") - sign_of(data$y)
  expect_equal(certificate(fit)$primal, 1e-4 * sum(residual^2), tolerance = 1e-8)
})

test_that("adaptive_scaling is proven where scales are zero", {
  for (seed in 1:12) {
    x <- binary(11, 33, seed)
    y <- classes(11, seed)
    fit <- zeronorm(x, y, adaptive_scaling(C = 76), standardize = FALSE)
    expect_lte(certificate(fit)$gap, 1e-6)
    w <- coef(fit)[-1]
    slack <- pmax(0, 1 - sign_of(factor(y, labels = c("down", "up"))) * predict(fit, x, "link"))
    expect_equal(certificate(fit)$primal, sum(abs(w))^2 / 2 + 76 * sum(slack), tolerance = 1e-7)
    # The price at which the l1 machine has this norm: the same minimum.
    l1 <- zeronorm(x, y, l1_svm(76 / sum(abs(w))), standardize = FALSE)
    bound <- sum(abs(w)) * certificate(l1)$dual - sum(abs(w))^2 / 2
    expect_lte(abs(certificate(fit)$primal - bound), 2e-6 * bound)
  }
})

test_that("grafting with the norm itself comes to an end", {
  data <- planted(15, 40, noise = 1)
  data$x[3, 2] <- 1e5
  for (loss in c("logistic", "squared", "squared_hinge")) {
    fit <- zeronorm(data$x, data$y, grafting(0.01, 0.04, loss = loss, l2 = "norm"))
    expect_lt(certificate(fit)$rounds, 2000)
    expect_identical(certificate(fit)$status, "optimal")
  }
})

test_that("an outlier of weight 0 is out", {
  data <- planted(12, 3, noise = 2)
  weights <- rep(c(1, 0), c(10, 2))
  far <- data$x
  far[11:12, ] <- 1e6 * far[11:12, ]
  for (method in list(l2_svm(1e6), l2_l1_svm(1e6, 0.1), l2_svm(1e4, loss = "squared_hinge"),
                      lasso(lambda = 1))) {
    fit <- zeronorm(far, data$y, method, weights = weights)
    part <- zeronorm(data$x[1:10, ], data$y[1:10], method)
    expect_identical(certificate(fit)$status, "optimal")
    expect_equal(certificate(fit)$primal, certificate(part)$primal, tolerance = 1e-6, info = format(method))
  }
})

test_that("rounds of norm_svm() between 1 and 2 may go on", {
  data <- planted(30, 3, noise = 1)
  expect_warning(fit <- zeronorm(data$x, data$y, norm_svm(1, 10, 1)), NA)
  expect_identical(certificate(fit)$stop, "converged")
})

test_that("a machine that cannot reach its limit does not take seconds to say so", {
  data <- planted(60, 5, noise = 3)
  x <- cbind(data$x, data$x * (1 + 1e-8 * with_stream(2, matrix(rnorm(300), 60))))
  took <- system.time(fit <- suppressWarnings(zeronorm(x, data$y, svm_rfe(step = 3), standardize = FALSE)))
  expect_lt(took[["user.self"]], 5 * patience())
  expect_true(all(certificate(fit)$status == "optimal"))
})

test_that("proofs are numbers", {
  x <- matrix(with_stream(7, rnorm(15)), 15)
  for (seed in 1:10) {
    fit <- zeronorm(x, classes(15, seed), jcfo(0.04, 0.3), standardize = FALSE)
    expect_true(all(is.finite(unlist(certificate(fit)[c("primal", "dual", "gap", "kkt")]))))
  }
})

test_that("a column whose spread is rounding has no weight, also where it is all that is asked for", {
  y <- classes(28, 6)
  x <- cbind(g1 = 2577.6984621460151 + 2^-41 * with_stream(6, sample(-9:9, 28, TRUE)))
  expect_gt(sd(x), 0)
  methods <- list(top_weights(nonzero = 1), ranking_filter(C = 3374), fsv(lambda = 0.46, nonzero = "path"),
                  multiplicative_update(nonzero = 1, lambda = 41, refit_C = 0.3), svm_rfe(1, 1),
                  med_svm(C = 3, nonzero = "path", refit = "l1"), correlation_filter(1),
                  dca(loss = "squared", C = 5990, nonzero = "path"), arom("l1", nonzero = 1, errors = "l2"))
  for (method in methods) for (data in list(x, as(x, "CsparseMatrix"))) {
    fit <- zeronorm(data, y, method)
    expect_identical(coef(fit)[["g1"]], 0, info = method$label)
    expect_length(unique(predict(fit, data, "link")), 1)
  }
})

# Columns as they are, one 1e14 times the other: both are needed, and the weight of the one is nothing beside
# that of the other.
test_that("small weights of large columns are no zeros", {
  z <- with_stream(1, matrix(rnorm(40), 20, dimnames = list(NULL, c("large", "small"))))
  x <- sweep(z, 2, c(1e14, 1), "*")
  y <- factor(z[, 1] + z[, 2] > 0.1)
  sign <- sign_of(factor(y, labels = c("down", "up")))
  for (method in list(rlp(), fsv(lambda = 1e-3), fw1(), arom("l1"))) {
    fit <- zeronorm(x, y, method, standardize = FALSE)
    expect_setequal(selected(fit), c("large", "small"))
    expect_gte(min(sign * predict(fit, x, "link")), 1 - 1e-5)
    expect_identical(certificate(fit)$nonzero, 2L)
  }
  potential <- certificate(zeronorm(x, y, p_svm(0.01), standardize = FALSE))
  expect_identical(potential$nonzero, 2L)
})

test_that("p_svm does without a column of zeros outside its penalty", {
  x <- cbind(g1 = c(1, -1), none = 0)
  fit <- zeronorm(x, c(-1, -2), p_svm(0.5), intercept = FALSE, standardize = FALSE, unpenalized = "none",
                  task = "regression")
  # Soft thresholding: (x'y - 0.5) / x'x.
  expect_equal(coef(fit), c("(Intercept)" = 0, g1 = 0.25, none = 0), tolerance = 1e-9)
})

test_that("joint machines on no features are those of the intercepts alone", {
  x <- cbind(g1 = rep(3, 17))
  y <- factor(rep(c("a", "b", "c"), c(5, 6, 6)))
  for (refit in c("l1", "l2")) {
    method <- arom("l2", nonzero = 1, errors = "l1", multiclass = "ovr", refit = refit, refit_C = 2)
    fit <- zeronorm(x, y, method)
    b <- vapply(coef(fit), `[[`, 0, 1)
    slacks <- vapply(seq_along(y), function(i) {
      own <- as.integer(y)[i]
      sum(pmax(0, 2 - b[own] + b[-own]))
    }, 0)
    # All classes but the smallest at 0: 5 rows lose 4 each, 12 lose 2 and nothing to the smallest.
    expect_equal(certificate(fit)$primal, 2 * sum(slacks), tolerance = 1e-9)
    expect_equal(certificate(fit)$primal, 2 * min(5 * 8 + 12 * 2, 17 * 4), tolerance = 1e-9)
    expect_identical(certificate(fit)$nonzero, 0L)
  }
})

test_that("weights are zero by what they do, not by the units of their columns", {
  data <- planted(30, 4, noise = 1)
  unit <- 10^c(-11, 0, 2, 10)
  x <- sweep(data$x, 2, unit, "*")
  y <- sign_of(data$y)
  least <- qr.fitted(qr(cbind(1, data$x)), y)
  for (method in list(forward_ls(4), gram_schmidt(4), tree_importance(4, refit = "ls"))) {
    fit <- zeronorm(x, data$y, method, standardize = FALSE)
    expect_length(selected(fit), 4)
    expect_equal(unname(predict(fit, x, "link")), least, tolerance = 1e-8, info = format(method))
  }
  # The loss of what is returned is the one that is certified.
  for (method in list(lasso(lambda = 1e-12), grafting(1e-12, loss = "squared"))) {
    fit <- zeronorm(x, data$y, method, standardize = FALSE)
    f <- cbind(1, x) %*% coef(fit)
    share <- if (method$name == "grafting") 30 else 1
    value <- sum((y - f)^2) / 2 / share + 1e-12 * sum(abs(coef(fit)[-1]))
    expect_equal(certificate(fit)$primal, value, tolerance = 1e-8, info = format(method))
    expect_length(selected(fit), certificate(fit)$nonzero)
  }
})

test_that("no machine on selected features gives a weight to a constant", {
  data <- planted(24, 5, noise = 2)
  x <- cbind(data$x, c1 = 19.593231754, c2 = -6012.7213)
  methods <- list(tree_importance(7, refit = "ls"), tree_importance(7), top_weights(7), correlation_filter(7),
                  svm_rfe(7, C = 1, refit_C = 1), gram_schmidt(7), forward_ls(7, refit = "l2", refit_C = 1))
  for (method in methods) {
    five <- method
    five$selection$nonzero <- 5
    part <- zeronorm(data$x, data$y, five)
    for (forced in list(list(), list(keep = "c2"), list(unpenalized = "c1"))) {
      # Unpenalised columns come on top.
      method$selection$nonzero <- 7L - length(forced$unpenalized)
      fit <- do.call(zeronorm, c(list(x, data$y, method), forced))
      expect_identical(sort(selected(fit)), sort(selected(part)), info = format(method))
      expect_equal(unname(predict(fit, x, "link")), unname(predict(part, data$x, "link")), tolerance = 1e-6,
                   info = format(method))
    }
  }
})

test_that("the norm of a lasso is no more than its bound, however steeply it rises", {
  # Loss and norm from the data; the loss hardly falls, or the norm hardly changes with its price.
  norms <- function(x, fit) colSums(abs(as.matrix(coef(fit))[-1, , drop = FALSE]) * apply(x, 2, sd))
  for (seed in 1:4) {
    s <- c(20, 32, 50)
    data <- planted(16, 45, seed = seed)
    fit <- zeronorm(data$x, data$y, generalized_lasso(s = s))
    expect_lte(max(norms(data$x, fit) / s), 1 + 1e-13)
    loss <- colSums(log1p(exp(-sign_of(data$y) * as.matrix(predict(fit, data$x, "link")))))
    expect_equal(certificate(fit)$primal / loss, c(1, 1, 1), tolerance = 1e-6, ignore_attr = TRUE)
  }
  x <- with_stream(4, matrix(rnorm(17 * 30), 17))
  x <- cbind(x, x * (1 + 1e-9 * with_stream(5, matrix(rnorm(17 * 30), 17))))
  y <- 1e5 * with_stream(6, rnorm(17))
  fit <- zeronorm(x, y, lasso(s = c(0.1, 0.3, 1)), task = "regression")
  expect_lte(max(norms(x, fit) / c(0.1, 0.3, 1)), 1 + 1e-13)
  losses <- colSums((y - predict(fit, x, "link"))^2) / 2
  expect_equal(certificate(fit)$primal, unname(losses), tolerance = 1e-10)
})

test_that("columns next to each other keep neither least squares nor a bounded norm from their proof", {
  for (apart in c(1e-5, 1e-6, 1e-7)) for (seed in 1:2) {
    data <- planted(30, 4, noise = 1, seed = seed)
    x <- unname(cbind(data$x, data$x * (1 + apart * with_stream(seed, matrix(rnorm(120), 30)))))
    y <- sign_of(data$y) + with_stream(seed + 10, rnorm(30)) / 2
    least <- sum(qr.resid(qr(cbind(1, x), tol = 1e-12), y)^2) / 2
    # What is within 1e-7 of others is theirs to gram_schmidt().
    for (method in c(list(lasso(lambda = 0)), if (apart > 1e-7) list(gram_schmidt(7)))) {
      fit <- zeronorm(x[, 1:7], y, method, task = "regression")
      expect_equal(certificate(fit)$primal, sum(qr.resid(qr(cbind(1, x[, 1:7]), tol = 1e-12), y)^2) / 2,
                   tolerance = 1e-7)
    }
    # Lower bounds from any residuals r: |y|^2/2 - |y - r|^2/2 - s max |z'r|.
    for (s in c(3, 30, 1e3)) {
      fit <- zeronorm(x, y, lasso(s = s), task = "regression")
      r <- y - predict(fit, x, "link")
      value <- sum(r^2) / 2
      expect_lte(sum(abs(coef(fit)[-1]) * apply(x, 2, sd)), s * (1 + 1e-13))
      bound <- sum((y - mean(y)) * r) - sum(r^2) / 2 - s * max(abs(crossprod(scale(x), r)))
      expect_lte(value - bound, 1e-6 * value)
      expect_equal(certificate(fit)$primal, value, tolerance = 1e-7)
      expect_gte(value, least * (1 - 1e-9))
    }
  }
})

test_that("Gaussian kernels keep their digits beside columns of another size", {
  near <- with_stream(2, matrix(rnorm(60), 20))
  x <- cbind(near, far = rep(c(0, 1e9), 10))
  kernel <- gaussian_kernel(1)
  expected <- exp(-as.matrix(dist(near))^2 / 2) * outer(x[, 4], x[, 4], "==")
  expect_equal(kernel_values(kernel, x, x), unname(expected), tolerance = 1e-12)
  expect_equal(kernel_values(kernel, x[3:4, ] + 1e6, x + 1e6), unname(expected[3:4, ]), tolerance = 1e-8)
  y <- classes(20, 2)
  fit <- zeronorm(x, y, l2_svm(C = 3, kernel = kernel), standardize = FALSE)
  slacks <- sum(pmax(0, 1 - ifelse(y == "b", 1, -1) * predict(fit, x, "link")))
  alpha <- as.vector(fit$machine$alpha)
  norm <- sum(alpha * (expected[fit$machine$rows, fit$machine$rows] %*% alpha))
  expect_equal(certificate(fit)$primal, norm / 2 + 3 * slacks, tolerance = 1e-7)
})

test_that("r2w2 without an intercept takes a constant column for what it is", {
  x <- with_stream(5, cbind(matrix(rnorm(12), 2), one = 1))
  y <- factor(c("a", "b"))
  # The constant is an intercept that would be free at an infinite scale, which no descent reaches: no bound on the
  # criterion may say that the minimum was found, whatever is rounded where.
  for (one in c(0.1, 1, 3, 7.7, 1000)) for (ulps in 0:3) {
    x[, "one"] <- one
    x[1, 1:6] <- x[1, 1:6] * (1 + ulps * .Machine$double.eps)
    said <- capture_warnings(fit <- zeronorm(x, y, r2w2(), intercept = FALSE, weights = c(0.7, 0.3)))
    expect_length(said, 1)
    expect_match(said, "not quite")
    expect_identical(certificate(fit)$status, "optimal")
    expect_gte(min(c(-1, 1) * predict(fit, x, "link")), 1 - 1e-6)
  }
})

test_that("weights that would lose the solution in the units of x are not given", {
  z <- with_stream(3, matrix(rnorm(60), 20))
  y <- factor(z[, 1] + z[, 2] > 0)
  lost <- sweep(z, 2, c(1e13, 0, 0), "+")
  expect_error(zeronorm(lost, y, l2_svm(Inf)), "take the means away", class = "zeronorm_error")
  fit <- zeronorm(sweep(z, 2, c(1e6, 0, 0), "+"), y, l2_svm(Inf))
  expect_identical(certificate(fit)$status, "optimal")
  expect_equal(certificate(fit)$primal, certificate(zeronorm(z, y, l2_svm(Inf)))$primal, tolerance = 1e-6)
})

test_that("y that does not vary is its intercept", {
  x <- with_stream(4, matrix(rnorm(125), 25))
  for (value in c(21.67381627, -110033.8017, 0.01024083717)) {
    methods <- list(ard(), ard(kernel = poly_kernel(2, "sum")), lasso(lambda = 0.1), p_svm(0.1),
                    forward_ls(1), obd(nonzero = 1, step = 0.9, loss = "squared", lambda = 1.2))
    for (method in methods) for (weights in list(NULL, rep(c(0.3, 1.1, 0.7, 1, 2), 5))) {
      fit <- zeronorm(x, rep(value, 25), method, task = "regression", weights = weights)
      expect_identical(certificate(fit)$status, "optimal", info = method$label)
      expect_equal(unname(predict(fit, x)), rep(value, 25), tolerance = 1e-9)
    }
  }
})

test_that("ard leaves out what columns without a prior explain", {
  data <- planted(30, 4, noise = 1)
  twice <- cbind(data$x, again = data$x[, 2], lower = 1 - 3 * data$x[, 2])
  for (y in list(data$y, sign_of(data$y) + data$x[, 1])) {
    task <- if (is.numeric(y)) "regression" else "classification"
    fit <- zeronorm(twice, y, ard(), task = task, unpenalized = 2)
    alone <- zeronorm(data$x, y, ard(), task = task, unpenalized = 2)
    expect_equal(predict(fit, twice, "link"), predict(alone, data$x, "link"), tolerance = 1e-6)
    expect_identical(selected(fit), selected(alone))
  }
})

test_that("monomials and kernels do not see what rounding leaves of a constant column", {
  data <- planted(23, 3, noise = 1)
  x <- cbind(data$x, constant = 77.7)
  weights <- rep_len(c(0.3, 1.1, 0.7), 23)
  expect_false(x[[1, 4]] == sum(x[, 4] * weights) / sum(weights))
  for (method in list(quadratic_fsv(lambda = 0.2), arom(kernel = poly_kernel(2), errors = "l2"),
                      l2_svm(2, kernel = gaussian_kernel(1)), norm_svm(1, kernel = poly_kernel(2)))) {
    fit <- zeronorm(x, data$y, method, weights = weights)
    alone <- zeronorm(data$x, data$y, method, weights = weights)
    # New observations may vary there.
    other <- x
    other[, "constant"] <- seq_len(23)
    expect_equal(predict(fit, other, "link"), predict(alone, data$x, "link"), tolerance = 1e-6)
  }
})

# Where f is 0 all are of class b: an infinite weight of f gains for ever, and costs nothing where f is 1.
test_that("a logistic loss without a minimum is called so where only some observations are told apart", {
  x <- cbind(f = rep(c(1, 1, 0), c(5, 8, 7)), with_stream(1, matrix(rnorm(60), 20)))
  y <- rep(c("a", "b", "b"), c(5, 8, 7))
  other <- replace(y, 20, "a")
  for (method in list(generalized_lasso(lambda = 1), ard(), logistic_rfe(2), grafting(0.1))) {
    expect_error(zeronorm(x, y, method, unpenalized = "f"), "the loss has no minimum",
                 class = "zeronorm_error")
    expect_setequal(certificate(zeronorm(x, other, method, unpenalized = "f"))$status, "optimal")
  }
})

test_that("a small price is no missing one, however far a step goes", {
  x <- with_stream(187, matrix(rt(600, 1.5), 10))
  y <- rep(c(-1, 1), 5)
  fit <- zeronorm(x, factor(y), logistic_rfe(lambda = 1e-4), standardize = FALSE)
  expect_true(all(certificate(fit)$status == "optimal"))
  one <- x[, selected(fit, nonzero = 1)]
  cost <- function(p) sum(log1p(exp(-y * (p[1] * one + p[2])))) + 1e-4 * p[1]^2
  least <- stats::optim(c(0, 0), cost, method = "BFGS", control = list(reltol = 1e-14))$value
  expect_equal(certificate(fit)$primal[certificate(fit)$nonzero == 1], least, tolerance = 1e-8)
})

test_that("least squares leave nothing of neighbours beyond the digits of their weights, or name them", {
  whole <- function(n, seed) with_stream(seed, round(1024 * rnorm(n)) / 1024)
  answered <- 0
  for (k in c(20, 27, 30, 32)) for (seed in 1:10) {
    a <- whole(12, seed)
    apart <- whole(12, seed + 100)
    y <- factor(apart + a + whole(12, seed + 200) > 0, labels = c("down", "up"))
    x <- cbind(one = a, two = a + 2^-k * apart)
    method <- tree_importance(nonzero = 2, split = "error", refit = "ls")
    fit <- tryCatch(zeronorm(x, y, method, standardize = FALSE),
                    zeronorm_error = function(e) expect_match(conditionMessage(e), "'one' and 'two'"))
    if (!inherits(fit, "zeronorm")) next
    answered <- answered + 1
    chosen <- cbind(1, x[, selected(fit), drop = FALSE])
    left <- crossprod(chosen, sign_of(y) - predict(fit, x, "link")) / sqrt(colSums(chosen^2) * 12)
    expect_lte(max(abs(left)), 1e-7 + 2.2e-16 * max(abs(x) %*% abs(coef(fit)[-1])))
  }
  expect_gte(answered, 10)  # those 2^-20 apart at least
})

test_that("a thousand rows that repeat each other or hold ones and zeros are solved without another engine", {
  for (seed in c(174:178, 180)) {
    d <- 3 + seed %% 5
    drawn <- with_stream(seed, {
      binary <- seed %% 3 > 0
      x <- if (binary) matrix(as.double(runif(1100 * d) < 0.3), 1100)
           else matrix(rnorm(220 * d), ncol = d)[rep(1:220, 5), ]
      y <- x[, 1] + c(0.3, 1, 3)[1 + seed %% 3] * rnorm(1100) > 0.5
      list(x = x, y = y, mu = 10^runif(1, -2, 3), nu = 10^runif(1, -5, 0))
    })
    y <- factor(drawn$y, labels = c("down", "up"))
    method <- l2_l1_svm(drawn$mu, drawn$nu)
    fit <- zeronorm(drawn$x, y, method, engine = "active_set", standardize = FALSE)
    expect_identical(certificate(fit)$status, "optimal")
    w <- coef(fit)[-1]
    slack <- pmax(0, 1 - sign_of(y) * predict(fit, drawn$x, "link"))
    value <- sum(w^2) / 2 + drawn$nu * sum(abs(w)) + drawn$mu * mean(slack)
    expect_equal(certificate(fit)$primal, value, tolerance = 1e-8)
  }
})
