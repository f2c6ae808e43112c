# Everything on columns of mean 0 and sd 1, so that penalties see the weights of coef().
tidy <- function(data) {
  data$x <- scale(data$x)
  attr(data$x, "scaled:center") <- attr(data$x, "scaled:scale") <- NULL
  data$sign <- ifelse(data$y == "up", 1, -1)
  data$value <- drop(data$x[, 1:2] %*% c(2, -1)) + with_stream(9, rnorm(nrow(data$x))) + 3
  data
}
noisy <- tidy(planted(50, 12, noise = 2))
wide <- tidy(planted(40, 60, noise = 1))

losses <- c("hinge", "squared_hinge", "logistic", "squared", "epsilon_insensitive")
all_penalties <- list(
  exp = exp_penalty(2), log = log_penalty(0.1), power = power_penalty(0.5, 0.01),
  inverse = inverse_penalty(1, 0.1), l1 = l1_penalty(), capped = capped_penalty(0.5),
  scad = scad_penalty(1, 3.7), mcp = mcp_penalty(1, 3),
  user = custom_penalty(function(t) t / (1 + t), function(t) 1 / (1 + t)^2)
)
phi <- list(
  exp = function(t) 1 - exp(-2 * t), log = function(t) log(0.1 + t), power = function(t) sqrt(t + 0.01),
  inverse = function(t) -1 / (t + 0.1), l1 = identity, capped = function(t) pmin(t / 0.5, 1),
  scad = function(t) ifelse(t <= 1, t, ifelse(t <= 3.7, (7.4 * t - t^2 - 1) / 5.4, 2.35)),
  mcp = function(t) ifelse(t <= 3, t - t^2 / 6, 1.5), user = function(t) t / (1 + t)
)

target <- function(data, loss) if (loss %in% losses[1:3]) data$y else data$value

loss_values <- function(data, loss, f, epsilon = 0.1) {
  margin <- data$sign * f
  switch(loss,
    hinge = pmax(0, 1 - margin), squared_hinge = pmax(0, 1 - margin)^2 / 2, logistic = log1p(exp(-margin)),
    squared = (data$value - f)^2 / 2, epsilon_insensitive = pmax(0, abs(data$value - f) - epsilon)
  )
}

fit_dca <- function(data, loss, ...) {
  zeronorm(data$x, target(data, loss), dca(loss, ...), standardize = FALSE, task = task_of(loss))
}
task_of <- function(loss) if (loss %in% losses[1:3]) "classification" else "regression"

objective_of <- function(data, loss, fit, phi, C = 1, ridge = 0) {
  w <- coef(fit)[-1]
  sum(phi(abs(w))) + ridge / 2 * sum(w^2) + C * sum(loss_values(data, loss, predict(fit, data$x, "link")))
}

last_objective <- function(fit) tail(rounds(fit)$objective, 1)

# The lasso has one round.
expect_lasso <- function(data, y, loss, family, C) {
  fit <- zeronorm(data$x, y, dca(loss, l1_penalty(), C = C), standardize = FALSE,
                  task = if (is.factor(y)) "classification" else "regression")
  theirs <- if (is.factor(y) && loss == "squared") data$sign else y
  reference <- glmnet::glmnet(data$x, theirs, family, lambda = 1 / (C * nrow(data$x)), standardize = FALSE,
                              thresh = 1e-14, maxit = 1e6)
  theirs <- as.matrix(coef(reference))[, 1]
  f <- drop(cbind(1, data$x) %*% theirs)
  data$value <- if (is.factor(y)) data$sign else y
  value <- sum(abs(theirs[-1])) + C * sum(loss_values(data, loss, f))
  expect_equal(last_objective(fit), value, tolerance = 1e-9)
  expect_equal(coef(fit), theirs, tolerance = 1e-4, ignore_attr = TRUE)
  expect_lte(certificate(fit)$gap, 1e-10)
}

# Reference of dca: glmnet for the penalty |w| and the smooth losses.
test_that("the squared and the logistic loss with the l1 penalty are what glmnet fits", {
  skip_if_not_installed("glmnet")
  for (data in list(noisy, wide)) for (C in c(0.05, 0.5)) {
    expect_lasso(data, data$value, "squared", "gaussian", C)
    expect_lasso(data, data$y, "squared", "gaussian", C)
    expect_lasso(data, data$y, "logistic", "binomial", C)
  }
})

# min sum_j price_j |w_j| + ridge/2 |w|^2 + C sum of losses by a generic quadratic programme in
# (w+, w-, b, slacks), with next to nothing on the diagonal where it is linear.
generic <- function(data, loss, prices, ridge, C, epsilon = 0.1) {
  x <- data$x
  n <- nrow(x)
  d <- ncol(x)
  tube <- loss == "epsilon_insensitive"
  g <- if (tube) rbind(cbind(x, -x, 1), -cbind(x, -x, 1)) else data$sign * cbind(x, -x, 1)
  rhs <- if (tube) c(data$value - epsilon, -data$value - epsilon) else rep(1, n)
  m <- nrow(g)
  small <- 1e-8
  hessian <- diag(small, 2 * d + 1 + m)
  w <- cbind(diag(d), -diag(d))
  hessian[1:(2 * d), 1:(2 * d)] <- hessian[1:(2 * d), 1:(2 * d)] + ridge * crossprod(w)
  if (loss == "squared_hinge") diag(hessian)[2 * d + 1 + 1:m] <- C
  linear <- c(prices, prices, 0, if (loss == "squared_hinge") rep(0, m) else rep(C, m))
  positive <- diag(2 * d + 1 + m)[-(2 * d + 1), ]
  solution <- quadprog::solve.QP(hessian, -linear, t(rbind(cbind(g, diag(m)), positive)),
                                 c(rhs, rep(0, nrow(positive))))$solution
  w <- drop(w %*% solution[1:(2 * d)])
  sum(prices * abs(w)) + ridge / 2 * sum(w^2) +
    C * sum(loss_values(data, loss, drop(x %*% w) + solution[2 * d + 1], epsilon))
}

test_that("every loss with slacks ends where a generic solver of the last round gains nothing", {
  skip_if_not_installed("quadprog")
  slope <- function(t) 2 * exp(-2 * t)
  for (loss in c("hinge", "squared_hinge", "epsilon_insensitive")) for (ridge in c(0, 0.5)) {
    fit <- fit_dca(noisy, loss, exp_penalty(2), ridge = ridge, C = 0.3, tol = 0)
    w <- coef(fit)[-1]
    prices <- slope(abs(w))
    value <- sum(prices * abs(w)) + ridge / 2 * sum(w^2) +
      0.3 * sum(loss_values(noisy, loss, predict(fit, noisy$x, "link")))
    expect_equal(value, generic(noisy, loss, prices, ridge, 0.3), tolerance = 1e-6, info = paste(loss, ridge))
    expect_gt(certificate(fit)$rounds, 1)
  }
})

# Reference of l2_l0_svm: a generic quadratic programme for its last round.
test_that("l2_l0_svm ends where a generic solver of the last round gains nothing", {
  skip_if_not_installed("quadprog")
  n <- nrow(noisy$x)
  for (method in list(l2_l0_svm(mu = 20, nu = 0.5, alpha = 2, tol = 0),
                      l2_l0_svm(mu = 20, nu = 0.1, penalty = log_penalty(0.1), tol = 0))) {
    fit <- zeronorm(noisy$x, noisy$y, method, standardize = FALSE)
    w <- coef(fit)[-1]
    nu <- method$args$nu
    prices <- nu * if (method$core$penalty$kind == "log") 1 / (0.1 + abs(w)) else 2 * exp(-2 * abs(w))
    value <- sum(prices * abs(w)) + sum(w^2) / 2 +
      20 / n * sum(loss_values(noisy, "hinge", predict(fit, noisy$x, "link")))
    expect_equal(value, generic(noisy, "hinge", prices, 1, 20 / n), tolerance = 1e-6)
    expect_gt(certificate(fit)$rounds, 1)
    expect_lt(certificate(fit)$nonzero, 12)
    phi <- if (method$core$penalty$kind == "log") function(t) log(0.1 + t) else function(t) 1 - exp(-2 * t)
    expect_equal(last_objective(fit), nu * sum(phi(abs(w))) + sum(w^2) / 2 + 20 / n *
                   sum(loss_values(noisy, "hinge", predict(fit, noisy$x, "link"))), tolerance = 1e-9)
  }
})

test_that("l2_l0_svm is dca on the hinge loss with a ridge of one", {
  n <- nrow(wide$x)
  ours <- zeronorm(wide$x, wide$y, l2_l0_svm(mu = 15, nu = 0.4))
  same <- zeronorm(wide$x, wide$y, dca(C = 15 / n / 0.4, ridge = 1 / 0.4))
  expect_equal(coef(ours), coef(same), tolerance = 1e-7)
  expect_identical(certificate(ours)$rounds, certificate(same)$rounds)
})

test_that("the objective is the one defined and never rises, for every penalty and loss", {
  for (data in list(noisy, wide)) for (loss in losses) for (name in names(all_penalties)) {
    info <- paste(loss, name, ncol(data$x))
    fit <- fit_dca(data, loss, all_penalties[[name]], ridge = 0.1, C = 0.7)
    expect_identical(certificate(fit)$status, "optimal", info = info)
    expect_lte(certificate(fit)$gap, 1e-8, label = paste(info, "gap"))
    expect_equal(last_objective(fit), objective_of(data, loss, fit, phi[[name]], 0.7, 0.1), tolerance = 1e-8,
                 info = info)
    objective <- rounds(fit)$objective
    expect_true(all(diff(objective) <= 1e-8 * (1 + abs(head(objective, -1)))), info = info)
  }
})

test_that("a penalty written by the user is the same as the built-in one", {
  mine <- custom_penalty(function(t) 1 - exp(-3 * t), function(t) 3 * exp(-3 * t))
  for (loss in losses) {
    built_in <- fit_dca(noisy, loss, exp_penalty(3))
    expect_equal(coef(fit_dca(noisy, loss, mine)), coef(built_in), tolerance = 1e-8)
  }
})

test_that("with tol = 0 the rounds are those of successive linearisation", {
  for (data in list(noisy, wide)) for (start in c(0, 1)) for (lambda in c(0.05, 0.4)) {
    for (penalty in all_penalties[c("exp", "log", "scad")]) {
      sla <- zeronorm(data$x, data$y, fsv(lambda, penalty, average = "sum", start = start))
      method <- dca("hinge", penalty, C = (1 - lambda) / lambda, start = start, tol = 0)
      dca <- zeronorm(data$x, data$y, method)
      expect_equal(coef(dca), coef(sla), tolerance = 1e-8)
      expect_equal(rounds(dca)$objective * lambda, rounds(sla)$objective, tolerance = 1e-8)
      expect_identical(rounds(dca)$nonzero, rounds(sla)$nonzero)
    }
  }
})

test_that("a larger tol ends earlier", {
  rounds <- vapply(c(0, 1e-5, 0.1, 10), function(tol) {
    certificate(fit_dca(noisy, "logistic", exp_penalty(1), C = 0.5, tol = tol))$rounds
  }, 0L)
  expect_true(all(diff(rounds) <= 0))
  expect_identical(rounds[4], 1L)
  expect_gt(rounds[2], 1)
  # The weights of the last two rounds agree to tol.
  long <- fit_dca(noisy, "logistic", exp_penalty(1), C = 0.5)
  longest <- fit_dca(noisy, "logistic", exp_penalty(1), C = 0.5, tol = 0)
  expect_equal(coef(long), coef(longest), tolerance = 1e-3)
})

test_that("many starts find the global minimum of a small problem", {
  data <- tidy(planted(12, 2, noise = 3, seed = 5))
  grid <- as.matrix(expand.grid(w1 = seq(-3, 3, 0.1), w2 = seq(-3, 3, 0.1), b = seq(-6, 6, 0.2)))
  for (loss in losses) {
    f <- tcrossprod(cbind(data$x, 1), grid)
    losses_there <- matrix(loss_values(data, loss, f), nrow(f))
    values <- 0.3 * colSums(losses_there) + rowSums(1 - exp(-2 * abs(grid[, 1:2])))
    fit <- with_stream(2, fit_dca(data, loss, exp_penalty(2), C = 0.3, starts = 12))
    expect_lte(last_objective(fit), min(values) + 1e-9, label = loss)
    expect_gte(last_objective(fit), min(values) - 0.2, label = loss)
  }
})

test_that("of several starts the best is kept, drawn from the user's stream", {
  d <- ncol(wide$x)
  for (loss in c("hinge", "squared")) {
    drawn <- with_stream(3, cbind(1, matrix(runif(3 * d), d)))
    ends <- apply(drawn, 2, function(start) last_objective(fit_dca(wide, loss, start = start)))
    fit <- with_stream(3, {
      before <- .Random.seed
      fit <- fit_dca(wide, loss, starts = 4)
      expect_false(identical(before, .Random.seed))
      fit
    })
    expect_equal(last_objective(fit), min(ends), tolerance = 1e-8)
    with_stream(3, {
      before <- .Random.seed
      fit_dca(wide, loss)
      expect_identical(.Random.seed, before)
    })
  }
})

test_that("a start may be a magnitude for each feature", {
  for (method in list(fsv(), l2_l0_svm(mu = 10, nu = 0.3), dca("logistic", C = 0.5))) {
    args <- method$args
    again <- function(...) {
      zeronorm(noisy$x, noisy$y, do.call(method_constructors()[[method$name]], utils::modifyList(args, list(...))))
    }
    first <- zeronorm(noisy$x, noisy$y, method)
    expect_identical(coef(again(start = rep(1, 12))), coef(first))
    # From its own end the search is at its end; names say which feature is which.
    end <- again(start = feature_importance(first))
    expect_lte(certificate(end)$rounds, 2)
    expect_equal(coef(end), coef(first), tolerance = 1e-4)
    expect_equal(last_objective(end), last_objective(first), tolerance = 1e-8)
    expect_zeronorm_error(again(start = 1:3), "start", "12")
  }
  hard <- separated(30, 80)
  zeros <- zeronorm(hard$x, hard$y, fw1(start = rep(0, 80)))
  expect_identical(coef(zeros), coef(zeronorm(hard$x, hard$y, fw1())))
})

test_that("a schedule of alpha ends at a stationary point of its last penalty", {
  method <- dca("logistic", exp_penalty(c(0.5, 1, 2)), C = 0.5, tol = 0)
  expect_false(method$declares$descends)
  expect_true(dca()$declares$descends)
  fit <- zeronorm(noisy$x, noisy$y, method, standardize = FALSE)
  end <- fit_dca(noisy, "logistic", exp_penalty(2), C = 0.5, tol = 0, start = abs(coef(fit)[-1]))
  expect_lte(certificate(end)$rounds, 2)
  expect_equal(last_objective(end), last_objective(fit), tolerance = 1e-8)
})

test_that("paths and grids are the single fits", {
  for (loss in losses) {
    path <- fit_dca(noisy, loss, C = c(1, 0.1, 0.4), ridge = c(0.1, 1))
    table <- certificate(path)
    expect_identical(table$C, rep(c(1, 0.1, 0.4), 2))
    expect_identical(table$ridge, rep(c(0.1, 1), each = 3))
    for (k in 1:6) {
      single <- fit_dca(noisy, loss, C = table$C[k], ridge = table$ridge[k])
      expect_equal(coef(path, index = k), coef(single), tolerance = 1e-5, info = loss)
    }
  }
  expect_identical(intersect(names(certificate(fit_dca(noisy, "hinge"))), c("C", "ridge")), "C")
})

test_that("sparse columns give the same answer", {
  for (data in list(noisy, wide)) for (loss in losses) {
    method <- dca(loss, C = 0.5, ridge = if (loss == "logistic") 0.01 else 0)
    fit <- function(x) zeronorm(x, target(data, loss), method, task = task_of(loss))
    dense <- fit(data$x)
    sparse <- fit(as(data$x, "dgCMatrix"))
    expect_equal(coef(sparse), coef(dense), tolerance = 1e-7, info = loss)
    expect_equal(certificate(sparse)$primal, certificate(dense)$primal, tolerance = 1e-8, info = loss)
  }
})

test_that("weights, unpenalised and missing intercepts enter every loss", {
  weights <- rep(1:2, c(30, 20))
  rows <- rep(1:50, weights)
  for (loss in losses) {
    y <- target(noisy, loss)
    fit <- function(x, y, ...) {
      zeronorm(x, y, dca(loss, C = 0.5, ridge = 0.1), standardize = FALSE, task = task_of(loss), ...)
    }
    repeated <- fit(noisy$x[rows, ], y[rows])
    expect_equal(coef(fit(noisy$x, y, weights = weights)), coef(repeated), tolerance = 1e-5, info = loss)
    zero <- replace(weights, 1:5, 0)
    expect_equal(coef(fit(noisy$x, y, weights = zero)), coef(fit(noisy$x, y, weights = zero + 1e-9)),
                 tolerance = 1e-5, info = loss)
    free <- fit(noisy$x, y, unpenalized = "g5")
    expect_true("g5" %in% in_model(free))
    through <- fit(noisy$x, y, intercept = FALSE)
    expect_identical(coef(through)[[1]], 0)
    expect_identical(certificate(through)$status, "optimal")
  }
})

# From 1000 rows on the engine begins elsewhere: these rows twice are one problem with half of them at twice the weight.
test_that("many rows on which most features count have the answer of half of them at twice the weight", {
  data <- planted(510, 700, noise = 20)
  twice <- rep(1:510, 2)
  for (method in list(l2_l1_svm(10, 1e-3), l2_l0_svm(10, 0.1))) {
    fit <- zeronorm(data$x[twice, ], data$y[twice], method, standardize = FALSE, unpenalized = "g3")
    half <- zeronorm(data$x, data$y, method, standardize = FALSE, weights = rep(2, 510), unpenalized = "g3")
    expect_identical(certificate(fit)$status, "optimal")
    expect_equal(certificate(fit)$primal, certificate(half)$primal, tolerance = 1e-8)
    expect_equal(coef(fit), coef(half), tolerance = 1e-5)
    expect_gt(rounds(fit)$nonzero[1], 510)
  }
})

test_that("two classes under the squared loss are -1 and +1", {
  as_classes <- zeronorm(noisy$x, noisy$y, dca("squared", C = 0.5))
  as_numbers <- zeronorm(noisy$x, noisy$sign, dca("squared", C = 0.5), task = "regression")
  expect_equal(coef(as_classes), coef(as_numbers), tolerance = 1e-9)
  expect_identical(levels(predict(as_classes, noisy$x)), c("down", "up"))
  expect_type(predict(as_numbers, noisy$x), "double")
})

test_that("sizes are met exactly and refitted", {
  for (loss in c("logistic", "squared_hinge", "hinge")) {
    fit <- zeronorm(wide$x, wide$y, dca(loss, C = 2, nonzero = c(6, 2)))
    expect_identical(certificate(fit)$nonzero, c(6L, 2L), info = loss)
    expect_lte(max(certificate(fit)$gap), 1e-6)
    kept <- zeronorm(wide$x, wide$y, dca(loss, C = 2, nonzero = 2, refit = "none"))
    expect_setequal(selected(kept), selected(fit, nonzero = 2))
  }
  # Least squares on the columns chosen.
  fit <- zeronorm(wide$x, wide$value, dca("squared", C = 2, nonzero = c(5, 2)),
                  task = "regression")
  for (size in c(5, 2)) {
    chosen <- selected(fit, nonzero = size)
    expect_length(chosen, size)
    reference <- stats::lm.fit(cbind(1, wide$x[, chosen]), wide$value)$coefficients
    ours <- coef(fit, nonzero = size)[c("(Intercept)", chosen)]
    expect_equal(unname(ours), unname(reference), tolerance = 1e-8)
  }
  ridge <- zeronorm(wide$x, wide$value, dca("squared", C = 2, nonzero = 3, refit_C = 0.5),
                    standardize = FALSE, task = "regression")
  z <- wide$x[, selected(ridge)]
  centred <- scale(z, scale = FALSE)
  reference <- solve(diag(3) + 0.5 * crossprod(centred), 0.5 * crossprod(centred, wide$value))
  expect_equal(unname(coef(ridge)[selected(ridge)]), unname(drop(reference)), tolerance = 1e-8)
})

test_that("with a kernel the penalty is on the coefficients of the expansion", {
  ring <- with_stream(1, matrix(rnorm(120), 60, dimnames = list(paste0("p", 1:60), c("a", "b"))))
  y <- factor(ifelse(rowSums(ring^2) > 1.4, "out", "in"), levels = c("in", "out"))
  kernel <- gaussian_kernel(0.7)
  squares <- as.matrix(stats::dist(scale(ring)))^2
  values <- exp(-squares / (2 * 0.7^2))
  for (method in list(fsv, dca)) {
    # The ridge gives the logistic loss, whose classes are separated here, a minimum to compare.
    args <- if (identical(method, fsv)) list(lambda = 0.02) else list("logistic", ridge = 0.001, C = 20)
    fit <- zeronorm(ring, y, do.call(method, c(args, list(kernel = kernel))))
    # The same as columns of the kernel matrix for features.
    columns <- zeronorm(unname(values), y, do.call(method, args), standardize = FALSE)
    a <- coef(columns)[-1]
    expect_identical(names(coef(fit))[-1], paste0("p", 1:60)[a != 0])
    expect_equal(unname(coef(fit)), unname(coef(columns)[c(TRUE, a != 0)]), tolerance = 1e-6)
    expect_lt(sum(a != 0), 30)
    expect_identical(certificate(fit)$nonzero, sum(a != 0))
    expect_equal(unname(predict(fit, ring, "link")), unname(drop(values %*% a)) + coef(columns)[[1]],
                 tolerance = 1e-6)
    by_matrix <- zeronorm(ring, y, do.call(method, c(args, list(kernel = values))))
    expect_equal(coef(by_matrix), coef(fit), tolerance = 1e-6)
    expect_equal(predict(by_matrix, values[1:4, ], "link"), predict(fit, ring[1:4, ], "link"),
                 tolerance = 1e-6)
  }
  # A kernel that is not positive definite, for numbers as y.
  tanh_kernel <- function(x, z) tanh(sum(x * z) - 1)
  fit <- zeronorm(ring, ring[, 1]^2, dca("squared", C = 5, kernel = tanh_kernel, start = rep(0.5, 60)),
                  task = "regression")
  expect_identical(certificate(fit)$status, "optimal")
  expect_gt(stats::cor(predict(fit, ring), ring[, 1]^2), 0.8)
  expect_zeronorm_error(zeronorm(ring, y, fsv(kernel = kernel, start = 1:3)), "start", "60")
  expect_zeronorm_error(zeronorm(ring, y, fsv(kernel = kernel), keep = "a"), "keep", "kernel")
})

# Beyond some weight three of them cost no more, and the loss gains for ever; all others but exp rise by more
# than what it gains there.
test_that("where a penalty lets go of features that separate, the logistic loss is said to have no minimum", {
  data <- tidy(separated(30, 10))
  for (name in names(all_penalties)) {
    fit_at <- function(...) fit_dca(data, "logistic", all_penalties[[name]], C = 20, ...)
    levels_off <- name %in% c("capped", "scad", "mcp")
    expect_warning(fit <- fit_at(start = 0), if (levels_off) "no minimum" else if (name != "exp") NA)
    expect_identical(certificate(fit)$status, "optimal", info = name)
    if (name != "exp") {
      expect_identical(certificate(fit)$stop, if (levels_off) "no minimum" else "converged", info = name)
    }
    if (levels_off) expect_match(capture.output(print(fit)), "without a minimum", all = FALSE)
    expect_lte(certificate(fit)$kkt, 1e-6)
    # On the way to infinity, forces would not balance.
    f <- predict(fit, data$x, "link")
    force <- sign_of(data$y) / (1 + exp(sign_of(data$y) * f))
    expect_lte(abs(sum(force)), 1e-6 * sum(abs(force)))
    expect_identical(certificate(fit)$errors, 0L)
    expect_identical(certificate(fit_at(start = 0, ridge = 1e-3))$stop, "converged", info = name)
  }
  # Prices at 1, where the first round begins, are nothing already.
  expect_zeronorm_error(fit_dca(data, "logistic", capped_penalty(0.5)), "method", "start = 0")
  # Without any penalty on a feature that separates there is none.
  expect_zeronorm_error(zeronorm(data$x, data$y, dca("logistic"), unpenalized = "g1"), "method", "unbounded")
})

test_that("an infinite C asks for no slack", {
  hard <- separated(30, 80)
  expect_equal(coef(zeronorm(hard$x, hard$y, dca(C = Inf, start = 0, tol = 0))),
               coef(zeronorm(hard$x, hard$y, fw1())), tolerance = 1e-8)
  tube <- zeronorm(wide$x, wide$value, dca("epsilon_insensitive", C = Inf, epsilon = 0.5),
                   task = "regression")
  expect_lte(max(abs(predict(tube, wide$x) - wide$value)), 0.5 + 1e-6)
})

test_that("arguments outside their range are refused by name", {
  expect_zeronorm_error(dca("absolute"), "loss")
  expect_zeronorm_error(dca("logistic", C = Inf), "C", "no slacks")
  expect_zeronorm_error(dca("squared", C = c(1, Inf)), "C")
  expect_zeronorm_error(dca(C = 0), "C")
  expect_zeronorm_error(dca(ridge = -1), "ridge")
  expect_zeronorm_error(dca(starts = 0), "starts")
  expect_zeronorm_error(dca(tol = -1), "tol")
  expect_zeronorm_error(dca(start = 2), "start")
  expect_zeronorm_error(dca(start = c(1, -1)), "start")
  expect_zeronorm_error(dca("epsilon_insensitive", epsilon = -1), "epsilon")
  expect_zeronorm_error(l2_l0_svm(nu = 1), "mu", "missing")
  expect_zeronorm_error(l2_l0_svm(mu = 1), "nu", "missing")
  expect_zeronorm_error(zeronorm(noisy$x, noisy$value, dca("logistic")), "y")
  expect_zeronorm_error(zeronorm(noisy$x, noisy$y, dca("epsilon_insensitive")), "y")
})

test_that("they print as they are written", {
  expect_identical(format(dca()), "dca()")
  expect_identical(format(dca("logistic", C = c(1, 2))), "dca(loss = \"logistic\", C = c(1, 2))")
  expect_identical(format(l2_l0_svm(10, 0.1)), "l2_l0_svm(mu = 10, nu = 0.1)")
  expect_identical(format(l2_l0_svm(10, 0.1, alpha = 3)), "l2_l0_svm(mu = 10, nu = 0.1, alpha = 3)")
  expect_identical(format(l2_l0_svm(10, 0.1, penalty = log_penalty(0.1))),
                   "l2_l0_svm(mu = 10, nu = 0.1, penalty = log_penalty(0.1))")
})

three_clouds <- function() {
  with_stream(2, {
    class <- rep_len(1:3, 60)
    x <- matrix(rnorm(60 * 30), 60, dimnames = list(NULL, paste0("g", 1:30)))
    for (k in 1:2) x[class == k, k] <- x[class == k, k] + 4
    list(x = x, class = class, y = factor(c("a", "b", "c")[class]))
  })
}

test_that("several classes share the penalty on sum_k |w_kj|, which never rises", {
  data <- three_clouds()
  for (method in list(dca("hinge"), dca("hinge", ridge = 0.1), dca("hinge", multiclass = "coupled"),
                      dca("logistic", ridge = 0.01), dca("squared_hinge"), dca("squared"))) {
    fit <- zeronorm(data$x, data$y, method)
    expect_lte(certificate(fit)$gap, 1e-6)
    objective <- rounds(fit)$objective
    expect_true(all(diff(objective) <= 1e-8 * (1 + abs(head(objective, -1)))))
    expect_true(all(c("g1", "g2") %in% selected(fit)))
  }
})

# The last linearised programme by its value at the solution, against the full programme at the same prices.
test_that("joint DCA ends where its Weston-Watkins programme gains nothing", {
  data <- three_clouds()
  fit <- zeronorm(data$x, data$y, dca("hinge", C = 0.5))
  t <- feature_importance(fit)[colnames(data$x)]
  f <- predict(fit, data$x, "link")
  own <- cbind(1:60, data$class)
  slack <- pmax(2 - f[own] + f, 0)
  slack[own] <- 0
  expect_equal(tail(rounds(fit)$objective, 1), sum(1 - exp(-5 * t)) + 0.5 * sum(slack), tolerance = 1e-7)
})

test_that("labels are the coupled form, and what share nothing are the two-class fits", {
  data <- three_clouds()
  labels <- outer(data$class, 1:3, "==") + 0
  coupled <- zeronorm(data$x, data$y, dca("hinge", multiclass = "coupled"))
  expect_equal(predict(zeronorm(data$x, labels, dca("hinge")), data$x, "link"),
               predict(coupled, data$x, "link"), tolerance = 1e-10, ignore_attr = TRUE)
  apart <- zeronorm(data$x, data$y, dca("logistic", ridge = 0.01, multiclass = "ovr"))
  alone <- zeronorm(data$x, data$class == 2, dca("logistic", ridge = 0.01))
  expect_equal(coef(apart)$b, coef(alone), tolerance = 1e-10)
})

# min sum_j max_k |w_kj| + C sum xi over (v, W, b, xi) by quadprog, with ridges of 1e-8; margins: rows over
# (W, b), class after class.
shared_minimum <- function(margins, rhs, C, d, k) {
  m <- nrow(margins)
  size <- d + ncol(margins) + m
  linking <- do.call(rbind, lapply(c(-1, 1), function(sign) {
    cbind(matrix(rep(t(diag(d)), k), d * k, d, byrow = TRUE), sign * diag(d * k), matrix(0, d * k, k + m))
  }))
  rows <- rbind(cbind(matrix(0, m, d), margins, diag(m)), linking, cbind(matrix(0, m, size - m), diag(m)))
  cost <- c(rep(1, d), rep(0, ncol(margins)), rep(C, m))
  u <- quadprog::solve.QP(diag(1e-8, size), -cost, t(rows), c(rhs, rep(0, nrow(rows) - m)))$solution
  sum(cost * u)
}

test_that("several classes share the penalty on max_k |w_kj|: the whole programme by quadprog", {
  skip_if_not_installed("quadprog")
  data <- with_stream(5, {
    class <- rep_len(1:3, 24)
    list(class = class, x = matrix(rnorm(24 * 4), 24) + outer(class, 1:4, "==") * 1.5)
  })
  features <- function(i, sign) c(kronecker(sign, data$x[i, ]), sign)
  one <- function(k) replace(numeric(3), k, 1)
  against <- expand.grid(k = 1:3, i = 1:24)
  joint <- do.call(rbind, Map(function(i, k) features(i, one(data$class[i]) - one(k)), against$i, against$k))
  joint <- joint[against$k != data$class[against$i], ]
  coupled <- do.call(rbind, Map(function(i, k) features(i, one(k) * (2 * (data$class[i] == k) - 1)),
                                against$i, against$k))
  plain <- custom_penalty(function(t) t, function(t) rep(1, length(t)))
  for (C in c(0.1, 2)) {
    for (form in c("joint", "coupled")) {
      fit <- zeronorm(data$x, factor(data$class), standardize = FALSE,
                      method = dca(penalty = plain, C = C, multiclass = form, magnitude = "max"))
      expect_lte(certificate(fit)$gap, 1e-9)
      margins <- if (form == "joint") joint else coupled
      expect_equal(certificate(fit)$primal,
                   shared_minimum(margins, rep(if (form == "joint") 2 else 1, nrow(margins)), C, 4, 3),
                   tolerance = 1e-6)
    }
  }
})

test_that("the penalty on max_k |w_kj| never rises, frees kept features and says where it is not to be had", {
  data <- three_clouds()
  fit <- zeronorm(data$x, data$y, dca(magnitude = "max", C = 0.5), keep = "g9")
  expect_true(all(diff(rounds(fit)$objective) <= 1e-8))
  expect_true(all(c("g1", "g2", "g9") %in% selected(fit)))
  w <- vapply(coef(fit), function(one) one[paste0("g", 1:30)], numeric(30))
  expect_identical(rownames(w)[rowSums(w != 0) > 0], setdiff(selected(fit), "(Intercept)"))
  exactly <- zeronorm(data$x, data$y, dca(magnitude = "max", C = 10, nonzero = c(4, 2)))
  expect_identical(certificate(exactly)$nonzero, c(4L, 2L))
  expect_error(dca("logistic", magnitude = "max"), class = "zeronorm_error")
  expect_error(dca(ridge = 1, magnitude = "max"), class = "zeronorm_error")
})
