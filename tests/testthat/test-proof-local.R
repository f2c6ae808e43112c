test_that("certify of a fit says whether its features are needed", {
  data <- separated(30, 40)
  fit <- zeronorm(data$x, data$y, l2_svm(C = Inf))
  proof <- certify_zero_norm(fit, data$x, data$y, permutations = 0)
  expect_identical(proof$local$size, 40L)
  expect_false(proof$local$irreducible)
  expect_identical(proof$local$polished, 1L)
  expect_output(print(proof), "a set of 1 does as")
  lean <- polish(fit, data$x, data$y)
  expect_true(certify_zero_norm(lean, data$x, data$y, permutations = 0)$local$irreducible)
})

# Reference: the training errors of all sets without one feature, by exact arithmetic, or left open.
test_that("a feature is needed only if the others are proven not to be enough", {
  data <- with_stream(3, {
    x <- matrix(rnorm(480), 60)
    list(x = x, y = x[, 1] + x[, 2] - x[, 3] + rnorm(60) > 0)
  })
  fit <- zeronorm(data$x, data$y, l1_svm(0.3))
  local <- certify_zero_norm(fit, data$x, data$y, permutations = 0, seconds = 5, largest = 1)$local
  expect_identical(local$size, 6L)
  expect_lt(local$polished, 6)
  expect_false(local$irreducible)
  # Undecided is not needed.
  judged <- function(answers) {
    with_replaced("decide", function(...) lapply(answers, function(one) list(answer = one)),
                  irreducible(list(always = 0), 1:3, 1))
  }
  expect_identical(judged(c("no", "unclear", "no")), NA)
  expect_identical(judged(c("no", "no", "time")), NA)
  expect_false(judged(c("no", "time", "yes")))
  expect_true(judged(c("no", "no", "no")))
  with_stream(9, for (k in 1:12) {
    x <- matrix(rnorm(9 * 4), 9)
    y <- x[, 1] - x[, 2] + 0.4 * rnorm(9) > 0
    if (min(table(y)) < 3) next
    fit <- zeronorm(x, y, l1_svm(1))
    set <- selected(fit)
    errors <- sum(predict(fit, x) != y)
    if (length(set) < 2 || errors >= min(table(y))) next
    local <- certify_zero_norm(fit, x, y, permutations = 0)$local
    fewer <- vapply(set, function(j) exact_answer(x[, setdiff(set, j), drop = FALSE], 2 * y - 1, errors), "")
    if (!is.na(local$irreducible)) expect_identical(local$irreducible, all(fewer == "no"))
  })
})

test_that("a fit without features has a local certificate", {
  data <- planted(30, 5, noise = 1)
  fit <- zeronorm(data$x, data$y, l1_svm(1e-6))
  proof <- certify_zero_norm(fit, data$x, data$y, permutations = 0)
  expect_identical(proof$local$size, 0L)
  expect_identical(c(proof$lower, proof$upper), c(0, 0))
  expect_output(print(proof), "no feature is needed")
})

# --- strict local minima ---

strict <- function(x, y, method, ..., standardize = FALSE) {
  of_data(zeronorm(x, y, method, standardize = standardize, ...), x, y)
}

of_data <- function(fit, x, y) strict_minimum(fit, 1, request_of(fit, x, y))

# Reference: by hand. w = 1, b = 0 and the multipliers of the middle rows are 1/2 with price 1; the other
# feature pulls with 1/4 of it.
middle <- list(x = cbind(a = c(-2, -1, 1, 2), b = c(0, -0.2, 0.3, 0)), y = c(-1, -1, 1, 1))

test_that("the margin is that of a calculation by hand", {
  found <- strict(middle$x, middle$y, l1_svm(C = Inf))
  expect_true(found$strict)
  expect_equal(found$margin, 0.75, tolerance = 1e-6)
  expect_equal(strict(middle$x, middle$y, l1_svm(C = 0.75))$margin, 0.5, tolerance = 1e-6)
  of_units <- function(units) {
    strict(sweep(middle$x, 2, units, "*"), middle$y, l1_svm(C = Inf), standardize = TRUE)$margin
  }
  expect_equal(of_units(c(1e-5, 1e6)), of_units(c(1, 1)), tolerance = 1e-6)
  # The slope 5 exp(-5) of the penalty is the price of a, 5 that of b.
  expect_equal(strict(middle$x, middle$y, fw1(exp_penalty(5)))$margin, 1 - exp(-5) / 4, tolerance = 1e-5)
  every <- rep(1:4, 3)
  again <- strict(middle$x[every, ], middle$y[every], l1_svm(C = Inf))
  expect_true(again$strict)
  expect_equal(again$margin, 0.75, tolerance = 1e-6)
})

test_that("what another feature could do as well is not strict", {
  twins <- cbind(middle$x, c = middle$x[, 1])
  found <- strict(twins, middle$y, l1_svm(C = Inf))
  expect_false(found$strict)
  expect_match(found$why, "feature [ac] could join")
  expect_true(strict(middle$x, middle$y, fw1(inverse_penalty()))$strict)
  # A concave penalty makes the first of them cheaper.
  expect_true(strict(twins, middle$y, fw1())$strict)
})

test_that("at a kink of the penalty both of its slopes count", {
  # Beyond theta there is no price; at theta only the way back costs.
  expect_true(strict(middle$x, middle$y, fw1(capped_penalty(2)))$strict)
  expect_false(strict(middle$x, middle$y, fw1(capped_penalty(1)))$strict)
  expect_match(strict(middle$x, middle$y, fw1(capped_penalty(0.5)))$why, "flat")
  # Errors that pull w down: by hand multipliers 1 and 3/2 for the two slopes, within 2, of mean 5/4.
  x <- matrix(c(-1, 1, -0.5, 0.5))
  y <- c(-1, 1, 1, -1)
  found <- strict(x, y, dca(penalty = capped_penalty(1), C = 2))
  expect_true(found$strict)
  expect_equal(found$margin, 0.4, tolerance = 1e-6)
})

# Reference: the objective itself, nearby.
objective_of <- function(phi, l1, C, x, y, moved) {
  function(w, b) {
    slack <- pmax(0, 1 - y * (drop(x %*% w) + b))
    loss <- if (is.infinite(C)) if (max(slack) > 1e-12) Inf else 0 else C * sum(slack)
    l1 * sum(phi(abs(w))[moved]) + loss
  }
}

never_lower <- function(objective, w, b, margin, moved, tries = 300) {
  here <- objective(w, b)
  d <- length(w)
  above <- vapply(seq_len(tries), function(k) {
    step <- rnorm(d + 1) * (runif(d + 1) < runif(1, 0.2, 1))
    step[seq_len(d)] <- step[seq_len(d)] * moved
    if (all(step == 0)) return(TRUE)
    step <- step / sqrt(sum(step^2)) * 1e-4 * margin * runif(1, 0.1, 1)
    objective(w + step[seq_len(d)], b + step[d + 1]) > here
  }, NA)
  all(above)
}

test_that("no point nearby is as good where a minimum is said to be strict", {
  exponential <- function(t) 1 - exp(-5 * t)
  families <- list(
    list(method = fsv(lambda = 0.1, average = "sum"), phi = exponential, l1 = 0.1, C = 0.9),
    list(method = fw1(), phi = exponential, l1 = 1, C = Inf),
    list(method = dca(C = 2), phi = exponential, l1 = 1, C = 2),
    list(method = dca(penalty = log_penalty(0.1), C = 2), phi = function(t) log(0.1 + t), l1 = 1, C = 2),
    list(method = dca(penalty = capped_penalty(0.5)), phi = function(t) pmin(t / 0.5, 1), l1 = 1, C = 1),
    list(method = dca(penalty = mcp_penalty(), C = 1), l1 = 1, C = 1,
         phi = function(t) ifelse(t <= 3, t - t^2 / 6, 1.5)),
    list(method = arom("l1", errors = "l1"), phi = log, l1 = 1, C = 1, rest = TRUE),
    list(method = l1_svm(C = 1), phi = identity, l1 = 1, C = 1)
  )
  kinds <- c("continuous", "integer", "duplicated", "tied")
  answers <- with_stream(7, unlist(lapply(families, function(family) {
    vapply(1:6, function(k) {
      n <- sample(6:14, 1)
      d <- sample(2:6, 1)
      # Small weights, where penalties are steep.
      x <- 4 * matrix(rnorm(n * d), n)
      kind <- kinds[k %% 4 + 1]
      if (kind == "integer") x <- round(x)
      if (kind == "tied") x <- round(x, 1)
      if (kind == "duplicated") x[, d] <- x[, 1]
      y <- ifelse(rank(x[, 1] - x[, 2] + (if (is.finite(family$C)) 2 else 0) * rnorm(n),
                       ties.method = "first") > n / 2, 1, -1)
      fit <- tryCatch(suppressMessages(zeronorm(x, y, family$method, standardize = FALSE)),
                      zeronorm_error = function(e) NULL)
      if (is.null(fit)) return(NA)
      w <- unname(fit$coefficients[, 1])
      found <- of_data(fit, x, y)
      if (!found$strict) return(FALSE)
      # AROM's zeros are out.
      moved <- if (isTRUE(family$rest)) w != 0 else rep(TRUE, d)
      objective <- objective_of(family$phi, family$l1, family$C, x, y, moved)
      expect_true(never_lower(objective, w, fit$intercept, found$margin, moved))
      TRUE
    }, NA)
  })))
  expect_gt(mean(answers, na.rm = TRUE), 0.5)
})

test_that("weights elsewhere, kept features and no intercept", {
  data <- planted(30, 20, noise = 0.5)
  steep <- fsv(penalty = log_penalty(0.1))
  fit <- zeronorm(data$x, data$y, steep)
  expect_true(of_data(fit, data$x, data$y)$strict)
  fit$coefficients@x[1] <- fit$coefficients@x[1] * 1.01
  expect_false(of_data(fit, data$x, data$y)$strict)
  dearer <- l1_svm(C = 0.5, costs = seq(0.5, 2, length.out = 20))
  for (method in list(steep, arom("l1", errors = "l1"), dearer)) {
    for (intercept in c(TRUE, FALSE)) {
      fit <- zeronorm(data$x, data$y, method, intercept = intercept, unpenalized = "g5", keep = "g7",
                      class_weights = c(up = 2, down = 1))
      expect_true(of_data(fit, data$x, data$y)$strict)
    }
  }
  expect_true(strict(Matrix::Matrix(data$x, sparse = TRUE), data$y, steep, standardize = TRUE)$strict)
  expect_true(strict(as.data.frame(data$x), data$y, steep, standardize = TRUE)$strict)
  constant <- cbind(data$x, 3)
  expect_true(strict(constant, data$y, steep, standardize = TRUE)$strict)
  expect_true(strict(data$x, data$y, l1_svm(C = 1e-6), intercept = FALSE, standardize = TRUE)$strict)
})

# Reference: an observation of weight two is one that comes twice.
test_that("weights of observations count", {
  data <- planted(20, 6, noise = 0.5)
  twice <- rep(1:2, 10)
  rows <- rep(1:20, twice)
  for (method in list(l1_svm(0.5), fsv(lambda = 0.05, average = "sum"))) {
    weighted <- zeronorm(data$x, data$y, method, weights = twice, standardize = FALSE)
    repeated <- zeronorm(data$x[rows, ], data$y[rows], method, standardize = FALSE)
    found <- of_data(weighted, data$x, data$y)
    expect_true(found$strict)
    expect_identical(of_data(repeated, data$x[rows, ], data$y[rows])$strict, found$strict)
  }
  expect_false(of_data(repeated, data$x[rows, ][, 6:1][, 6:1], rev(data$y[rows]))$strict)
})

test_that("where it is no question, it says why", {
  data <- planted(30, 20, noise = 0.5)
  cases <- list("price for each feature" = arom("l2", errors = "l2"), ridge = dca(ridge = 0.1),
                trained = fsv(nonzero = 2), loss = dca("logistic"), part = fsv(stop = "validation"))
  for (what in names(cases)) {
    fit <- with_stream(1, zeronorm(data$x, data$y, cases[[what]]))
    found <- of_data(fit, data$x, data$y)
    expect_identical(found$strict, NA)
    expect_match(found$why, what)
  }
  said <- function(method, ...) {
    fit <- zeronorm(data$x, data$y, method, ...)
    proof <- certify_zero_norm(fit, data$x, data$y, permutations = 0, largest = 1)
    gsub("\\s+", " ", paste(utils::capture.output(print(proof)), collapse = " "))
  }
  expect_match(said(fsv(penalty = log_penalty(0.1))), "Proven: it is a strict local minimum")
  expect_match(said(l2_svm()), "not examined: its machine")
  expect_match(said_strict(list(strict = FALSE, why = "so")), "not shown to be a strict local minimum: so.")
})
