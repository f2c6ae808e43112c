# Reference of norm_svm: the whole primal by quadprog where it is convex, the iteration of the paper written
# out with explicit inverses elsewhere, and the published means on Ripley's data.

ripley <- function(rows) {
  skip_if_not_installed("MASS")
  data <- MASS::synth.tr[rows, ]
  list(x = as.matrix(data[1:2]), y = factor(data$yc), sign = 2 * data$yc - 1)
}

gaussian_matrix <- function(x, width) exp(-as.matrix(dist(x))^2 / (2 * width^2))

few <- seq(1, 250, by = 5)
width <- 0.5

fit_ripley <- function(data, method, ...) zeronorm(data$x, data$y, method, standardize = FALSE, ...)

# min 1/2 a'Qa + C sum xi + price max|a|  (f = K a + b), everything a variable.
whole_problem <- function(K, y, Q, C = 1, price = 0, epsilon = NULL) {
  n <- nrow(K)
  rows <- if (is.null(epsilon)) cbind(y * K, y, diag(n), 0)
          else rbind(cbind(K, 1, diag(n), 0), cbind(-K, -1, diag(n), 0))
  rhs <- if (is.null(epsilon)) rep(1, n) else c(y - epsilon, -y - epsilon)
  bound <- function(sign) cbind(sign * diag(n), matrix(0, n, n + 1), 1)
  A <- rbind(rows, cbind(matrix(0, n, n + 1), diag(n), 0), bound(1), bound(-1))
  D <- diag(1e-9, 2 * n + 2)
  D[1:n, 1:n] <- D[1:n, 1:n] + Q
  linear <- -c(rep(0, n + 1), rep(C, n), price)
  solved <- quadprog::solve.QP(D, linear, t(A), c(rhs, rep(0, 3 * n)))
  list(value = solved$value, a = solved$solution[1:n])
}

# The iteration as the paper has it, the machine of each round by quadprog on its dual.
paper_iteration <- function(K, y, p = 0, C = 1, C_alpha = 0.2, fast = FALSE, rounds = 100) {
  n <- nrow(K)
  a <- rep(1, n)
  for (round in seq_len(rounds)) {
    used <- which(abs(a) >= 1e-4)
    half <- diag(abs(a[used])^((2 - p) / 2), length(used))
    inner <- if (fast) diag(length(used)) * abs(a[used])^(2 - p) / (abs(a[used])^(2 - p) + C_alpha)
             else half %*% solve(half %*% K[used, used] %*% half + C_alpha * diag(length(used)), half)
    rescaled <- K[, used] %*% inner %*% K[used, ]
    D <- outer(y, y) * rescaled + diag(1e-9, n)
    A <- cbind(y, diag(n), -diag(n))
    beta <- quadprog::solve.QP(D, rep(1, n), A, c(0, rep(0, n), rep(-C, n)), meq = 1)$solution
    new <- replace(numeric(n), used, inner %*% K[used, ] %*% (y * beta))
    moved <- max(abs(new - a))
    a <- new
    if (moved <= 1e-4) break
  }
  f <- K %*% a
  free <- beta > 1e-5 & beta < C - 1e-5
  list(a = ifelse(abs(a) >= 1e-4, a, 0), b = mean(y[free] - f[free]), rounds = round)
}

test_that("norm_svm is the iteration of the paper, in both forms", {
  skip_if_not_installed("quadprog")
  data <- ripley(few)
  K <- gaussian_matrix(data$x, width)
  for (fast in c(FALSE, TRUE)) {
    for (p in c(0, 0.5, 1.5)) {
      paper <- paper_iteration(K, data$sign, p, fast = fast)
      fit <- fit_ripley(data, norm_svm(p, kernel = gaussian_kernel(width), fast = fast))
      f <- predict(fit, data$x, "link")
      expect_equal(unname(f), drop(K %*% paper$a) + paper$b, tolerance = 1e-3, ignore_attr = TRUE)
      expect_identical(length(selected(fit)), sum(paper$a != 0))
    }
  }
})

test_that("the convex cases reach the optimum of the whole problem", {
  skip_if_not_installed("quadprog")
  data <- ripley(few)
  K <- gaussian_matrix(data$x, width)
  unit <- diag(length(few))
  kernel <- gaussian_kernel(width)
  value <- function(p, ...) certificate(fit_ripley(data, norm_svm(p, kernel = kernel, ...)))$primal
  expect_equal(value(2), whole_problem(K, data$sign, K + 0.2 * unit)$value, tolerance = 1e-6)
  expect_equal(value(2, fast = TRUE), whole_problem(K, data$sign, 1.2 * unit)$value, tolerance = 1e-6)
  expect_equal(value(2, margin = FALSE), whole_problem(K, data$sign, 0.2 * unit)$value, tolerance = 1e-6)
  expect_equal(value(Inf), whole_problem(K, data$sign, K, price = 0.2)$value, tolerance = 1e-6)
  expect_equal(value(Inf, fast = TRUE), whole_problem(K, data$sign, unit, price = 0.2)$value,
               tolerance = 1e-6)
  expect_equal(value(Inf, margin = FALSE), whole_problem(K, data$sign, 0 * K, price = 0.2)$value,
               tolerance = 1e-6)
})

test_that("p = Inf is certified at any prices, and is flat at its largest coefficient", {
  data <- ripley(few)
  method <- norm_svm(Inf, C = 10^(-2:2), C_alpha = c(0.01, 1), kernel = gaussian_kernel(width))
  fit <- fit_ripley(data, method)
  expect_identical(unique(certificate(fit)$status), "optimal")
  expect_identical(unique(certificate(fit)$kind), "gap")
  expect_lte(max(certificate(fit)$gap), 1e-6)
  a <- coef(fit, s = list(C = 1, C_alpha = 1))[-1]
  expect_gt(sum(abs(a) > max(abs(a)) * (1 - 1e-4)), 1)
})

test_that("the printed iteration for p = Inf is found to cycle, above the optimum", {
  data <- ripley(few)
  kernel <- gaussian_kernel(width)
  expect_warning(printed <- fit_ripley(data, norm_svm(Inf, kernel = kernel, form = "printed")), "period 2")
  expect_identical(certificate(printed)$stop, "cycle")
  exact <- fit_ripley(data, norm_svm(Inf, kernel = kernel))
  expect_gt(min(rounds(printed)$objective), certificate(exact)$primal)
})

test_that("the objective of every round is what it says, and never rises", {
  data <- ripley(few)
  K <- gaussian_matrix(data$x, width)
  for (p in c(0, 0.3, 1, 1.7)) {
    for (form in list(c(FALSE, TRUE), c(TRUE, TRUE), c(FALSE, FALSE))) {
      method <- norm_svm(p, C = 2, kernel = gaussian_kernel(width), fast = form[1], margin = form[2])
      fit <- suppressWarnings(fit_ripley(data, method))
      objective <- rounds(fit)$objective
      expect_lte(max(diff(objective)), 1e-9 * abs(objective[1]))
      a <- replace(numeric(length(few)), fit$machine$rows, coef(fit)[-1])
      slack <- pmax(0, 1 - data$sign * predict(fit, data$x, "link"))
      quadratic <- if (!form[2]) 0 else if (form[1]) sum(a^2) / 2 else drop(a %*% K %*% a) / 2
      norm <- if (p == 0) sum(log(pmax(abs(a), 1e-300))) else sum(abs(a)^p) / p
      expect_equal(objective[length(objective)], quadratic + 2 * sum(slack) + 0.2 * norm, tolerance = 1e-8)
    }
  }
})

test_that("without a price it is the l2 machine", {
  data <- ripley(few)
  kernel <- gaussian_kernel(width)
  l2 <- predict(fit_ripley(data, l2_svm(1, kernel)), data$x, "link")
  zero <- fit_ripley(data, norm_svm(0, C_alpha = 0, kernel = kernel))
  expect_equal(predict(zero, data$x, "link"), l2, tolerance = 1e-7)
  expect_identical(certificate(zero)$kind, "gap")
  small <- fit_ripley(data, norm_svm(c(0, 0.5, 2, Inf), C_alpha = 1e-8, kernel = kernel))
  for (k in 1:4) expect_equal(predict(small, data$x, "link", index = k), l2, tolerance = 1e-3)
})

test_that("the means published for Ripley's data are reproduced", {
  skip_if_not_installed("MASS")
  test <- list(x = as.matrix(MASS::synth.te[1:2]), y = factor(MASS::synth.te$yc))
  kernel <- gaussian_kernel(width)
  draws <- with_stream(1, replicate(30, sample(250, 100), simplify = FALSE))
  results <- function(method) {
    rowMeans(vapply(draws, function(rows) {
      fit <- fit_ripley(ripley(rows), method)
      c(certificate(fit)$support_vectors, 100 * mean(predict(fit, test$x) != test$y))
    }, numeric(2)))
  }
  l2 <- results(l2_svm(1, kernel))
  expect_lte(abs(l2[1] - 50.1), 2)
  expect_lte(abs(l2[2] - 9.65), 0.5)
  l0 <- results(norm_svm(0, kernel = kernel))
  expect_lte(abs(l0[1] - 4.2), 0.4)
  expect_lte(abs(l0[2] - 9.5), 0.5)
})

test_that("several classes: pairs vote, or each stands against the rest", {
  x <- as.matrix(iris[1:4])
  y <- iris$Species
  pairs <- zeronorm(x, y, norm_svm())
  link <- predict(pairs, x, "link")
  expect_identical(colnames(link), c("versicolor:setosa", "virginica:setosa", "virginica:versicolor"))
  # The machine of a pair is that of its observations, standardised together with all.
  two <- which(y != "setosa")
  alone <- zeronorm(scale(x)[two, ], droplevels(y[two]), norm_svm(), standardize = FALSE)
  expect_equal(link[, 3], predict(alone, scale(x), "link"), tolerance = 1e-6, ignore_attr = TRUE)
  votes <- cbind((link[, 1] < 0) + (link[, 2] < 0), (link[, 1] > 0) + (link[, 3] < 0),
                 (link[, 2] > 0) + (link[, 3] > 0))
  clear <- apply(votes, 1, max) == 2
  expect_identical(as.integer(predict(pairs, x))[clear], max.col(votes)[clear])
  expect_identical(certificate(pairs)$errors, sum(predict(pairs, x) != y))
  expect_identical(certificate(pairs)$support_vectors, length(selected(pairs)))
  expect_lte(certificate(pairs)$errors, 8)
  rest <- zeronorm(x, y, norm_svm(multiclass = "ovr"))
  one <- zeronorm(x, y == "versicolor", norm_svm())
  expect_equal(predict(rest, x, "link")[, 2], predict(one, x, "link"), tolerance = 1e-8)
  expect_named(coef(rest), levels(y))
  expect_identical(certificate(rest)$errors, sum(predict(rest, x) != y))
})

test_that("a vote without a winner goes to the larger decision values", {
  pairs <- utils::combn(3, 2)
  expect_identical(vote(rbind(c(1, -1, 2), c(1, -3, 2), c(-1, -1, 1), c(NA, 1, 1)), pairs), c(3L, 1L, 1L, NA))
})

test_that("regression keeps within the tube as the whole problem says", {
  skip_if_not_installed("quadprog")
  x <- matrix(seq(-3, 3, length.out = 40))
  y <- 50 * sin(x[, 1]) + rep(c(-5, 0, 3, 8), 10)
  K <- gaussian_matrix(x, 1)
  fit <- function(...) {
    suppressMessages(zeronorm(x, y, norm_svm(..., kernel = gaussian_kernel(1), epsilon = 4),
                              standardize = FALSE))
  }
  convex <- fit(c(2, Inf), C = 10)
  expect_equal(certificate(convex)$primal[1], tolerance = 1e-5,
               whole_problem(K, y, K + 0.2 * diag(40), C = 10, epsilon = 4)$value)
  expect_equal(certificate(convex)$primal[2], tolerance = 1e-5,
               whole_problem(K, y, K, C = 10, price = 0.2, epsilon = 4)$value)
  sparse <- fit(0, C = 10)
  expect_lt(certificate(sparse)$support_vectors, 12)
  expect_lte(max(diff(rounds(sparse)$objective)), 0)
  expect_identical(certificate(sparse)$errors, sum(abs(y - predict(sparse, x)) > 4 + 1e-4))
  expect_equal(predict(fit(0, C = 10, C_alpha = 0), x), predict(fit(2, C = 10, C_alpha = 1e-9), x),
               tolerance = 1e-5)
})

test_that("observations of weight zero are as if they were not there", {
  data <- ripley(few)
  weights <- rep(c(1, 0, 2, 1, 3), 10)
  some <- weights > 0
  for (fast in c(FALSE, TRUE)) {
    method <- norm_svm(c(0, 2, Inf), kernel = gaussian_kernel(width), fast = fast)
    all <- fit_ripley(data, method, weights = weights)
    rest <- zeronorm(data$x[some, ], data$y[some], method, standardize = FALSE, weights = weights[some])
    expect_equal(predict(all, data$x, "link"), predict(rest, data$x, "link"), tolerance = 1e-6)
    expect_false(any(fit_ripley(data, method, weights = weights)$machine$rows %in% which(!some)))
  }
})

test_that("any kernel, a matrix of values, and a function of kernlab give the same", {
  data <- ripley(few)
  expected <- predict(fit_ripley(data, norm_svm(kernel = gaussian_kernel(width))), data$x, "link")
  K <- gaussian_matrix(data$x, width)
  by_matrix <- fit_ripley(data, norm_svm(kernel = K))
  expect_equal(predict(by_matrix, K, "link"), expected, tolerance = 1e-7, ignore_attr = TRUE)
  skip_if_not_installed("kernlab")
  other <- fit_ripley(data, norm_svm(kernel = kernlab::rbfdot(1 / (2 * width^2))))
  expect_equal(predict(other, data$x, "link"), expected, tolerance = 1e-7)
  line <- fit_ripley(data, norm_svm(kernel = "linear"))
  expect_lte(certificate(line)$support_vectors, 3)
})

test_that("rows far beyond their margin are left out, but every round is held against them", {
  data <- with_stream(2, {
    x <- matrix(rnorm(600 * 2), 600)
    x[, 1] <- x[, 1] + rep(c(-2, 2), 300)
    list(x = x, y = rep(c(FALSE, TRUE), 300))
  })
  for (fast in c(FALSE, TRUE)) {
    fit <- suppressWarnings(zeronorm(data$x, data$y, norm_svm(c(0, 1), C = c(1, 30), fast = fast)))
    expect_lte(max(rounds(fit)$gap), 1e-7)
    expect_lte(max(unlist(lapply(1:4, function(k) diff(rounds(fit, index = k)$objective)))), 1e-6)
    expect_identical(unique(certificate(fit)$status), "optimal")
  }
})

test_that("duplicated observations share, and need no more support vectors to predict with", {
  data <- ripley(few)
  twice <- lapply(data, function(part) if (is.matrix(part)) rbind(part, part) else c(part, part))
  fit <- fit_ripley(twice, norm_svm(kernel = gaussian_kernel(width)))
  a <- replace(numeric(100), fit$machine$rows, coef(fit)[-1])
  expect_equal(a[1:50], a[51:100], tolerance = 1e-6)
})

test_that("a price that prunes everything leaves a constant, and says so", {
  data <- ripley(few)
  expect_message(fit <- fit_ripley(data, norm_svm(C_alpha = 1e6)), "constant")
  expect_identical(certificate(fit)$support_vectors, 0L)
  expect_length(selected(fit), 0)
  expect_length(unique(predict(fit, data$x)), 1)
})

test_that("a grid is a path over p, C and C_alpha", {
  data <- ripley(few)
  method <- norm_svm(c(0, 1.5), C = c(0.5, 2), C_alpha = c(0.1, 0.4), kernel = gaussian_kernel(width))
  fit <- fit_ripley(data, method)
  expect_identical(nrow(certificate(fit)), 8L)
  one <- fit_ripley(data, norm_svm(1.5, C = 2, C_alpha = 0.1, kernel = gaussian_kernel(width)))
  expect_equal(predict(fit, data$x, "link", s = list(p = 1.5, C = 2, C_alpha = 0.1)),
               predict(one, data$x, "link"), tolerance = 1e-6)
  expect_identical(predict(fit, data$x, type = "features", index = 1), selected(fit, index = 1))
  some <- fit_ripley(data, norm_svm(c(0, Inf), kernel = gaussian_kernel(width)))
  expect_identical(names(coef(some, s = 0)), names(coef(some, index = 1)))
  expect_output(print(fit), "8 solutions")
})

test_that("the kernel is evaluated at the support vectors only", {
  data <- ripley(few)
  seen <- 0
  counting <- function(x, z) {
    seen <<- seen + 1
    exp(-2 * sum((x - z)^2))
  }
  fit <- fit_ripley(data, norm_svm(c(0, 2), kernel = counting))
  seen <- 0
  predict(fit, data$x, s = 0)
  expect_identical(seen, 50 * certificate(fit)$support_vectors[1])
})

test_that("bad arguments are refused", {
  expect_zeronorm_error(norm_svm(p = 3), "p", "0 to 2")
  expect_zeronorm_error(norm_svm(p = -1), "p")
  expect_zeronorm_error(norm_svm(C = 0), "C")
  expect_zeronorm_error(norm_svm(C_alpha = -1), "C_alpha")
  expect_zeronorm_error(norm_svm(C_alpha = 0, margin = FALSE), "C_alpha", "no price")
  expect_zeronorm_error(norm_svm(form = "other"), "form")
  expect_zeronorm_error(norm_svm(multiclass = "joint"), "multiclass")
})

test_that("the maximum norm stays solvable at large C", {
  data <- planted(60, 5, noise = 1)
  z <- scale(data$x)
  K <- tcrossprod(z)
  y <- sign_of(data$y)
  for (C in 10^(3:7)) {
    fit <- zeronorm(data$x, data$y, norm_svm(Inf, C, 0.01, "linear"))
    a <- numeric(60)
    a[fit$machine$rows] <- fit$machine$alpha[, 1]
    slack <- pmax(0, 1 - y * predict(fit, data$x, "link"))
    value <- sum(a * (K %*% a)) / 2 + C * sum(slack) + 0.01 * max(abs(a))
    expect_equal(certificate(fit)$primal, value, tolerance = 1e-6)
    # Between the machine without the norm, and that machine at the price of its norm.
    plain <- zeronorm(data$x, data$y, l2_svm(C))
    expect_gte(value, certificate(plain)$dual * (1 - 1e-6))
    dual <- zeronorm(data$x, data$y, l2_svm(C, poly_kernel(1)))
    expect_lte(value, (certificate(dual)$primal + 0.01 * max(abs(dual$machine$alpha))) * (1 + 2e-6))
  }
})
