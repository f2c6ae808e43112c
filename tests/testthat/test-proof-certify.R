# Reference: every set of features, by quadprog's hard margin on it (inconsistent constraints: it does not
# separate).

separates <- function(x, y, rows = seq_along(y)) {
  if (!ncol(x) || length(unique(y[rows])) < 2) return(length(unique(y[rows])) < 2)
  x <- scale(x[rows, , drop = FALSE])
  x[!is.finite(x)] <- 0
  constraints <- y[rows] * cbind(x, 1)
  tryCatch({
    found <- quadprog::solve.QP(diag(c(rep(1, ncol(x)), 1e-6)), numeric(ncol(x) + 1), t(constraints),
                                rep(1, length(rows)))
    all(constraints %*% found$solution > 0.5)
  }, error = function(e) FALSE)
}

separates_but <- function(x, y, errors) {
  if (errors == 0) return(separates(x, y))
  any(apply(utils::combn(length(y), errors), 2, function(out) separates(x, y, seq_along(y)[-out])))
}

# Smallest size and number of sets of that size.
by_force <- function(x, y, errors = 0) {
  for (size in seq_len(ncol(x))) {
    good <- apply(utils::combn(ncol(x), size), 2, function(set) {
      separates_but(x[, set, drop = FALSE], y,
                    errors)
    })
    if (any(good)) return(as.double(c(size, sum(good))))
  }
  c(Inf, 0)
}

# Random problems with duplicated, constant, integer and tied columns, separable and not.
random_problem <- function(n, d, kind) {
  x <- matrix(rnorm(n * d), n)
  if (kind == "integer") x <- round(x * 1.5)
  if (kind == "tied") x <- round(x, 1)
  if (kind == "binary") x <- (x > 0) * 1
  if (kind == "duplicated") x[, d] <- x[, 1]
  if (kind == "constant") x[, 2] <- 3
  if (kind == "scaled") x <- sweep(x, 2, 10^seq(-6, 6, length.out = d), "*")
  unit <- function(v) if (sd(v) > 0) (v - mean(v)) / sd(v) else 0
  y <- if (runif(1) < 0.5) unit(x[, 1]) - unit(x[, 3]) + 0.1 * rnorm(n) else rnorm(n)
  list(x = x, y = ifelse(y > stats::median(y), 1, -1))
}

kinds <- c("continuous", "integer", "tied", "binary", "duplicated", "constant", "scaled")

check_problem <- function(problem, errors) {
  truth <- by_force(problem$x, problem$y, errors)
  proof <- certify_zero_norm(problem$x, problem$y, errors = errors, permutations = 0)
  expect_identical(proof$lower, truth[1])
  expect_identical(as.double(proof$upper), truth[1])
  last <- proof$scans[nrow(proof$scans), ]
  if (is.finite(truth[1])) expect_identical(last$separating, truth[2])
  good <- vapply(proof$sets, function(set) separates_but(problem$x[, set, drop = FALSE], problem$y, errors),
                 NA)
  expect_true(all(good))
}

test_that("the bounds meet at the truth, and all sets of that size are found", {
  skip_if_not_installed("quadprog")
  times <- if (nzchar(Sys.getenv("ZERONORM_TEST_ALL"))) 72 else 6
  with_stream(1, for (kind in kinds) for (k in seq_len(times)) {
    d <- if (nzchar(Sys.getenv("ZERONORM_TEST_ALL"))) sample(3:11, 1) else sample(3:7, 1)
    check_problem(random_problem(sample(6:16, 1), d, kind), 0)
  })
})

test_that("with errors forgiven as well", {
  skip_if_not_installed("quadprog")
  times <- if (nzchar(Sys.getenv("ZERONORM_TEST_ALL"))) 10 else 1
  with_stream(2, for (kind in kinds) for (errors in 1:3) for (k in seq_len(times)) {
    check_problem(random_problem(sample(9:11, 1), sample(3:4, 1), kind), errors)
  })
})

test_that("many features, few observations: sizes up to four", {
  skip_if_not_installed("quadprog")
  with_stream(3, for (n in c(10, 18)) {
    x <- matrix(rnorm(n * 14), n)
    y <- rep_len(c(-1, 1), n)
    truth <- by_force(x, y)
    proof <- certify_zero_norm(x, y, permutations = 0)
    expect_identical(c(proof$lower, as.double(proof$upper)), rep(truth[1], 2))
    expect_identical(proof$scans$separating[nrow(proof$scans)], truth[2])
  })
})

test_that("a budget of hinge losses is that of the linear programme", {
  skip_if_not_installed("quadprog")
  least <- function(x, y) {
    n <- nrow(x)
    p <- ncol(x) + 1
    d <- diag(c(rep(1e-7, p), rep(1e-7, n)))
    a <- rbind(cbind(y * cbind(x, 1), diag(n)), cbind(matrix(0, n, p), diag(n)))
    found <- quadprog::solve.QP(d, c(numeric(p), rep(-1, n)), t(a), c(rep(1, n), numeric(n)))$solution
    sum(pmax(0, 1 - y * (cbind(x, 1) %*% found[1:p])))
  }
  with_stream(4, for (k in 1:8) {
    problem <- random_problem(12, 4, "continuous")
    x <- scale(problem$x)
    sizes <- vapply(1:4, function(size) {
      min(apply(utils::combn(4, size), 2, function(set) least(x[, set, drop = FALSE], problem$y)))
    }, 0)
    budget <- mean(sizes[1:2]) + 0.01
    proof <- certify_zero_norm(x, problem$y, hinge = budget, permutations = 0)
    expect_identical(proof$lower, as.double(which(sizes <= budget)[1]))
    expect_identical(as.double(proof$upper), proof$lower)
  })
})

test_that("bounds in a box hold in the box", {
  skip_if_not_installed("quadprog")
  within_box <- function(x, y, box) {
    p <- ncol(x)
    a <- rbind(y * cbind(x, 1), cbind(diag(p), 0), cbind(-diag(p), 0))
    tryCatch({
      quadprog::solve.QP(diag(c(rep(1, p), 1e-4)), numeric(p + 1), t(a), c(rep(1, nrow(x)), rep(-box, 2 * p)))
      TRUE
    }, error = function(e) FALSE)
  }
  with_stream(5, for (k in 1:6) {
    problem <- random_problem(10, 6, "continuous")
    x <- scale(problem$x)
    box <- c(0.8, 1.5, 3)[k %% 3 + 1]
    fits <- vapply(1:6, function(size) {
      any(apply(utils::combn(6, size), 2, function(set) within_box(x[, set, drop = FALSE], problem$y, box)))
    }, NA)
    truth <- if (any(fits)) which(fits)[1] else Inf
    found <- certify_zero_norm(problem$x, problem$y, box = box, permutations = 0)$box
    if (!is.null(found)) expect_lte(found$lower, truth)
    if (!is.null(found) && is.finite(truth)) {
      expect_lte(found$by_norm, truth)
      expect_lte(found$by_dual, truth)
      expect_equal(found$lower, truth)
      expect_identical(c(length(found$set), found$gap), c(as.integer(truth), 0))
    }
  })
})

# --- no false proof ---

# Small problems in which columns are combinations of others but for a margin between 1e-2 and 1e-10, often
# next to the least one, with ties, copies, constant columns, other units and offsets, and wrong labels.
problem_near_the_least_margin <- function() {
  pick <- function(values) values[sample.int(length(values), 1)]
  n <- pick(5:9)
  d <- if (runif(1) < 0.03) pick(18:24) else pick(2:4)
  y <- sample(c(-1, 1, sample(c(-1, 1), n - 2, TRUE)))
  x <- matrix(runif(n * d), n)
  if (runif(1) < 0.3) x <- round(x * pick(c(2, 5, 100)))
  planted <- pick(0:min(3, d))
  if (planted > 0) {
    margin <- if (runif(1) < 0.5) 1e-9 * pick(c(0.3, 0.9, 1, 1, 1.1, 2, 5)) else 10^runif(1, -10, -2)
    spread <- pick(c(0, 1e-12, 1e-6, 1))
    others <- x[, seq_len(d) != 1, drop = FALSE][, seq_len(planted - 1), drop = FALSE]
    along <- sample(c(-1, 1), planted - 1, TRUE) * pick(c(1, 1, runif(1)))
    x[, 1] <- 0.3 + drop(others %*% along) + margin * (y / 2 + spread * y * runif(n)) * pick(c(1, 2, 3))
  }
  if (runif(1) < 0.15) x[, d] <- x[, 1]
  if (runif(1) < 0.1) x[, d] <- 3
  if (runif(1) < 0.2) x[n, ] <- x[1, ]
  if (runif(1) < 0.5) x <- sweep(x, 2, 10^runif(d, -8, 8), "*")
  if (runif(1) < 0.2) x <- sweep(x, 2, apply(x, 2, max) * 10^runif(d, -2, 3), "+")
  errors <- min(pick(c(0, 0, 1, 2)), min(table(y)) - 1)
  wrong <- sample.int(n, errors)
  flipped <- replace(y, wrong, -y[wrong])
  if (length(unique(flipped)) == 2 && min(table(flipped)) > errors) y <- flipped
  # With fewer scans the bounds from above are those of the heuristics.
  list(x = x, y = y, errors = errors, largest = pick(c(Inf, Inf, 1, 2)))
}

# What exact arithmetic finds wrong with a proof: sets below the lower bound that separate, a set that does
# not, a scan of all sets of the upper size that has another number of them.
faults_of_proof <- function(proof, problem) {
  d <- ncol(problem$x)
  answer <- function(set) exact_answer(problem$x[, set, drop = FALSE], problem$y, problem$errors)
  sets_of <- function(size) utils::combn(d, size, simplify = FALSE)
  # More features never separate less.
  below <- min(proof$lower - 1, d)
  faults <- c(lower = below > 0 && below <= 4 && any(vapply(sets_of(below), answer, "") == "yes"))
  small <- Filter(function(set) length(set) <= 4, proof$sets)
  faults["upper"] <- any(vapply(small, answer, "") == "no")
  scan <- proof$scans[proof$scans$size == proof$upper, ]
  if (nrow(scan) == 1 && scan$complete && scan$unclear == 0 && scan$size <= 4) {
    faults["scan"] <- sum(vapply(sets_of(scan$size), answer, "") == "yes") != scan$separating
  }
  faults
}

test_that("no proof is false, by exact arithmetic on every smaller set", {
  count <- as.integer(Sys.getenv("ZERONORM_PROOFS", "300"))
  tally <- with_stream(11, vapply(seq_len(count), function(k) {
    problem <- problem_near_the_least_margin()
    proof <- certify_zero_norm(problem$x, problem$y, errors = problem$errors, largest = problem$largest,
                               permutations = 0)
    faults <- faults_of_proof(proof, problem)
    if (any(faults)) saveRDS(problem, file.path(tempdir(), paste0("false-proof-", k, ".rds")))
    c(lower = proof$lower > 1, upper = is.finite(proof$upper),
      undecided = sum(proof$scans$unclear) > 0,
      false = any(faults))
  }, numeric(4)))
  total <- rowSums(tally)
  if (count != 300) message(count, " problems: ", paste(names(total), total, sep = " ", collapse = ", "))
  expect_identical(total[["false"]], 0)
  expect_gt(total[["lower"]], count / 4)
  expect_gt(total[["upper"]], count / 4)
  expect_lt(total[["undecided"]], count / 50)
})

test_that("chance is Cover's count and what permutations show", {
  # 10 points in general position in the plane: 2 (1 + 9 + 36) of 2^10 labellings are linearly separable.
  task <- list(x = matrix(0, 10, 2), errors = 0, hinge = 0)
  expect_equal(expected_by_chance(task, 2), 2 * (1 + 9 + 36) / 2^10)
  task$x <- matrix(0, 10, 5)
  expect_equal(expected_by_chance(task, 2), 10 * 2 * 46 / 2^10)
  data <- planted(10, 30, seed = 3)
  proof <- with_stream(1, certify_zero_norm(data$x, data$y, permutations = 20))
  expect_identical(proof$calibration$permuted$times, 20)
  expect_gte(proof$calibration$permuted$two, proof$calibration$permuted$one)
  expect_identical(with_stream(1, certify_zero_norm(data$x, data$y, permutations = 20))$calibration,
                   proof$calibration)
})

test_that("time and interrupts leave the bounds so far", {
  data <- with_stream(1, list(x = matrix(rnorm(40 * 1500), 40), y = rep_len(c(-1, 1), 40)))
  short <- certify_zero_norm(data$x, data$y, seconds = 0.2)
  expect_lte(short$lower, short$upper)
  expect_lt(short$seconds, 5)
  expect_output(print(short), "Proven")
})

test_that("what would take longer than it may is not begun, and that is said", {
  x <- with_stream(1, matrix(rnorm(60 * 1500), 60))
  proof <- suppressMessages(certify_zero_norm(x, rep_len(1:2, 60), seconds = 3, permutations = 0))
  expect_identical(proof$stopped, "too long")
  expect_identical(proof$lower, 3)
  expect_output(print(proof), "all sets of 3 would take longer than `seconds`", fixed = TRUE)
})

test_that("an interrupt leaves the bounds so far", {
  skip_if_not_installed("callr")
  skip_on_os("windows")
  begun <- tempfile()
  work <- callr::r_bg(function(begun) {
    set.seed(1)
    x <- matrix(stats::rnorm(60 * 3000), 60)
    loadNamespace("zeronorm")
    file.create(begun)
    zeronorm::certify_zero_norm(x, rep_len(1:2, 60), seconds = 600)
  }, list(begun))
  on.exit(work$kill())
  while (work$is_alive() && !file.exists(begun)) Sys.sleep(0.1)
  Sys.sleep(4)
  work$interrupt()
  work$wait(20000)
  proof <- work$get_result()
  expect_identical(proof$stopped, "interrupted")
  expect_identical(proof$lower, 3)
  expect_gt(proof$upper, 3)
  expect_output(print(proof), "interrupted")
})

test_that("bad input is named", {
  data <- planted(20, 5)
  expect_zeronorm_error(certify_zero_norm(data$x, data$y, lambda = 1), "lambda", "without `ridge`")
  expect_zeronorm_error(certify_zero_norm(data$x, data$y, C = 1), "C", "without `ridge`")
  expect_zeronorm_error(certify_zero_norm(data$x, data$y, box_seconds = 1), "box_seconds", "without `box`")
  expect_zeronorm_error(certify_zero_norm(data$x, data$y, nonzero = 1), "nonzero", "without a fit")
  expect_zeronorm_error(certify_zero_norm(data$x, data$y, start = "g9"), "start")
  for (value in c(NA, NaN, Inf, -Inf)) {
    spoilt <- data$x
    spoilt[3, 2] <- value
    expect_zeronorm_error(certify_zero_norm(spoilt, data$y), "x", "'g2'")
    expect_zeronorm_error(certify_zero_norm(as.data.frame(spoilt), data$y), "x", "g2")
    expect_zeronorm_error(certify_zero_norm(Matrix::Matrix(spoilt, sparse = TRUE), data$y), "x", "'g2'")
  }
  expect_zeronorm_error(certify_zero_norm(data$x, replace(data$y, 2, NA)), "y", "missing")
  rownames(data$x) <- paste0("s", 1:20)
  reversed <- stats::setNames(data$y, paste0("s", 20:1))
  expect_zeronorm_error(certify_zero_norm(data$x, reversed), "y", "another order")
  expect_zeronorm_error(certify_zero_norm(data$x), "y")
  expect_zeronorm_error(certify_zero_norm(data$x, data$y, errors = 10), "errors")
  expect_zeronorm_error(certify_zero_norm(data$x, data$y, errors = 1, hinge = 2), "hinge")
  expect_zeronorm_error(certify_zero_norm(data$x, data$y, box = -1), "box")
  expect_zeronorm_error(certify_zero_norm(data$x, rep_len(1:3, 20)), "y")
})

test_that("with a ridge the optimum is that of all sets", {
  skip_if_not_installed("quadprog")
  # Of one set, by quadprog on the whole programme with tiny curvature in the rest.
  of_set <- function(x, y, C, ridge, lambda) {
    n <- nrow(x)
    k <- ncol(x)
    curvature <- diag(c(rep(ridge, k), 1e-9, rep(1e-9, n)))
    a <- rbind(cbind(y * cbind(x, 1), diag(n)), cbind(matrix(0, n, k + 1), diag(n)))
    found <- quadprog::solve.QP(curvature, c(numeric(k + 1), rep(-C, n)), t(a),
                                c(rep(1, n), numeric(n)))$solution
    w <- found[seq_len(k)]
    lambda * k + ridge / 2 * sum(w^2) + C * sum(pmax(0, 1 - y * (cbind(x, 1) %*% found[seq_len(k + 1)])))
  }
  with_stream(6, for (k in 1:15) {
    d <- sample(3:6, 1)
    problem <- random_problem(sample(10:18, 1), d, "continuous")
    x <- scale(problem$x)
    what <- list(C = 10^runif(1, -1, 1), ridge = 10^runif(1, -1, 1), lambda = 10^runif(1, -1, 0.5))
    values <- vapply(seq_len(2^d) - 1, function(code) {
      set <- which(bitwAnd(code, 2^(seq_len(d) - 1)) > 0)
      of_set(x[, set, drop = FALSE], problem$y, what$C, what$ridge, what$lambda)
    }, 0)
    found <- certify_zero_norm(problem$x, problem$y, ridge = what$ridge, lambda = what$lambda, C = what$C,
                               permutations = 0)$ridge
    expect_true(found$complete)
    expect_lte(found$lower, min(values) * (1 + 1e-6))
    expect_equal(found$upper, min(values), tolerance = 1e-5)
    expect_equal(of_set(x[, found$set, drop = FALSE], problem$y, what$C, what$ridge, what$lambda),
                 found$upper,
                 tolerance = 1e-5)
  })
})

test_that("an integer programme cut short says how far its set is from its bound", {
  data <- with_stream(8, list(x = matrix(rnorm(40 * 60), 40), y = rep_len(c(-1, 1), 40)))
  proof <- certify_zero_norm(data$x, data$y, box = 50, box_seconds = 0.3, largest = 2, permutations = 0)
  found <- proof$box
  expect_gt(length(found$set), 0)
  expect_equal(found$gap, (length(found$set) - found$by_program) / length(found$set))
  expect_output(print(proof), "gap [0-9.]+%")
  expect_match(said_gap(list(set = integer(), gap = Inf)), "no set")
})

# --- only what was checked is proven ---

test_that("a heuristic that finds nothing proves nothing", {
  # Features 1 and 2 separate with a margin of 2.4e-8, which the linear programmes of the search do not see.
  n <- 14
  e <- 1e-8
  data <- with_stream(2, {
    x <- matrix(runif(n * 8), n)
    y <- rep(c(-1, 1), n / 2)
    x[, 1] <- 0.3 - x[, 2] + y * e * (1 + runif(n))
    x[, 3] <- x[, 5] - x[, 4] + y * 30 * e * (1 + runif(n))
    list(x = x, y = y)
  })
  expect_true(separates_exactly(data$x[, 1:2], data$y, c(1, 1)))
  proof <- certify_zero_norm(data$x, factor(data$y), permutations = 0)
  expect_identical(c(proof$lower, as.double(proof$upper)), c(2, 2))
  expect_identical(proof$sets, list(1:2))
  task <- new_proof_task(proof_data(NULL, data$x, data$y), 0, NULL)
  state <- new_state(new_clock(60))
  with_replaced("try_fit", function(code, clock) NULL, bound_above(task, state))
  expect_lt(state$lower, Inf)
  expect_lt(state$upper, Inf)
})

test_that("margins just above the least one are no conflict, and those just below no proof of separation", {
  # In two and three columns of range one or less, with margins of 0.9 to 2 of the least.
  with_stream(4, for (k in 2:3) for (margin in c(0.5, 0.9, 1.1, 1.5, 1.9, 2.1) * 1e-9) {
    x <- matrix(runif(8 * k), 8)
    y <- rep(c(-1, 1), 4)
    x[, 1] <- 3 - rowSums(x[, -1, drop = FALSE])
    x <- rbind(x, diag(k), diag(k))
    y <- c(y, rep(c(-1, 1), each = k))
    x[, 1] <- 3 - rowSums(x[, -1, drop = FALSE]) + y * margin / 2 * (max(x[, 1]) - min(x[, 1]))
    truth <- vapply(seq_len(k), function(size) {
      any(apply(utils::combn(k, size), 2, function(set) exact_answer(x[, set, drop = FALSE], y)) == "yes")
    }, NA)
    proof <- certify_zero_norm(x, y, permutations = 0)
    expect_identical(proof$lower, if (any(truth)) as.double(which(truth)[1]) else Inf)
    expect_identical(as.double(proof$upper), proof$lower)
  })
})

test_that("digits that columns share with a large mean are not lost", {
  proof <- certify_zero_norm(matrix(1e14 + rep(0:1, each = 5)), rep(0:1, each = 5), permutations = 0)
  expect_identical(c(proof$lower, as.double(proof$upper)), c(1, 1))
})

test_that("where a constant keeps within the budget of hinge losses no feature is needed", {
  data <- with_stream(1, list(x = matrix(rnorm(64), 16), y = rep(1:2, c(6, 10))))
  for (hinge in c(12, 13, 1e9)) {
    clock <- system.time(proof <- certify_zero_norm(data$x, data$y, hinge = hinge))
    expect_identical(c(proof$lower, proof$upper), c(0, 0))
    expect_identical(proof$sets, list(integer()))
    expect_lt(clock[["elapsed"]], 2)
    expect_output(print(proof), "no feature is needed")
  }
  expect_identical(certify_zero_norm(data$x, data$y, hinge = 11.9, permutations = 0)$lower, 1)
})

test_that("a claim that does not survive its second check is withdrawn", {
  data <- planted(20, 6, seed = 4)
  task <- new_proof_task(proof_data(NULL, data$x, data$y), 0, NULL)
  good <- certify_zero_norm(data$x, data$y, permutations = 0)
  after <- function(change) {
    state <- new_state(new_clock(60))
    note_bounds(state, 1)
    task[c("start", "largest", "most")] <- list(list(), Inf, 100L)
    bound_above(task, state)
    scan_sizes(task, state)
    change(state)
    recheck(task, state)
    state
  }
  untouched <- after(function(state) NULL)
  expect_identical(c(untouched$lower, as.double(untouched$upper)), c(good$lower, as.double(good$upper)))
  expect_null(untouched$withdrawn)
  # A bound that is one too high, or infinite: a set of fewer features separates.
  for (lie in c(good$upper + 1, Inf)) {
    caught <- after(function(state) state$lower <- lie)
    expect_lte(caught$lower, good$upper)
    expect_identical(caught$withdrawn, as.double(lie))
  }
  # The same where no separating set is known.
  caught <- after(function(state) {
    state$lower <- good$upper + 1
    state$upper <- Inf
    state$known <- list()
  })
  expect_identical(c(caught$lower, as.double(caught$upper)), as.double(rep(good$upper, 2)))
  # Weights that do not separate, and a set that does not.
  caught <- after(function(state) {
    state$known <- lapply(state$known, function(one) replace(one, "weights", list(-one$weights)))
  })
  expect_identical(caught$upper, Inf)
  expect_match(assumptions(task, list(withdrawn = 3)), "withdrawn", all = FALSE)
})

test_that("sets that cannot be decided stop the lower bound", {
  data <- planted(20, 6, seed = 4)
  task <- c(new_proof_task(proof_data(NULL, data$x, data$y), 0, NULL), list(largest = Inf, most = 100L))
  state <- new_state(new_clock(60))
  note_bounds(state, 1)
  with_replaced("scan_size", function(task, size, ...) {
    list(size = size, sets = 6, separating = 0, unclear = 1, complete = TRUE, found = list(), seconds = 0)
  }, scan_sizes(task, state))
  expect_identical(state$lower, 1)
  expect_match(assumptions(task, state), "undecided", all = FALSE)
})

test_that("the core takes no column that is not there", {
  task <- core_task(new_proof_task(proof_data(NULL, matrix(1:20 / 7, 5), c(0, 1, 0, 1, 1)), 0, NULL))
  for (set in list(5L, 0L, -1L, NA_integer_, c(1L, 20000L))) {
    expect_error(decide_core(task, list(set), FALSE, 0L, 1), "set: names a column")
    expect_error(shrink_core(task, set, 1), "set: names a column")
    expect_error(proves_core(task, list(list(set = set, weights = matrix(1, length(set), 2),
                                             intercept = matrix(0, 1, 2), errors = integer()))), "set: names")
    expect_error(box_core(task$x, task$y, 1, set, 1), "set: names a column")
  }
})

# --- the data of a fit ---

test_that("columns are matched by name, and have to be there", {
  data <- with_stream(1, list(x = matrix(rnorm(40 * 300), 40, dimnames = list(NULL, paste0("g", 1:300)))))
  data$y <- data$x[, 300] > 0
  fit <- zeronorm(data$x, data$y, l1_svm(1))
  expect_zeronorm_error(certify_zero_norm(fit, data$x[, selected(fit)], data$y), "x", "has no column")
  expect_zeronorm_error(polish(fit, data$x[, selected(fit)], data$y), "x", "has no column")
  expect_zeronorm_error(certify_zero_norm(fit, data$x[1:30, ], data$y[1:30]), "x", "30 rows")
  order <- with_stream(2, sample(300))
  args <- list(permutations = 0, largest = 2, seconds = 10)
  plain <- do.call(certify_zero_norm, c(list(fit, data$x, data$y), args))
  permuted <- do.call(certify_zero_norm, c(list(fit, cbind(data$x[, order], extra = 1), data$y), args))
  same <- setdiff(names(plain), c("seconds", "history", "scans"))
  expect_identical(permuted[same], plain[same])
  expect_identical(selected(polish(fit, data$x[, order], data$y)), selected(polish(fit, data$x, data$y)))
  # Labels of the fit may come as they are spelt.
  expect_identical(certify_zero_norm(fit, data$x, as.character(data$y), permutations = 0, largest = 1)$local,
                   certify_zero_norm(fit, data$x, data$y, permutations = 0, largest = 1)$local)
})

test_that("a fit by formula builds the same design", {
  data <- with_stream(1, data.frame(y = factor(sample(rep(c("a", "b"), 15))), matrix(rnorm(90), 30),
                                    f = factor(sample(c("u", "v", "w"), 30, TRUE))))
  fit <- zeronorm(y ~ X1 * X2 + f, data, l1_svm(1))
  proof <- certify_zero_norm(fit, data, data$y, permutations = 0)
  expect_identical(proof$d, 5L)
  expect_identical(proof$features, c("X1", "X2", "fv", "fw", "X1:X2"))
  expect_identical(certify_zero_norm(fit, data, permutations = 0)$lower, proof$lower)
  by_hand <- stats::model.matrix(~ X1 * X2 + f, data)[, -1]
  lower_of <- function(...) certify_zero_norm(..., errors = proof$errors, permutations = 0)$lower
  expect_identical(lower_of(by_hand, data$y), proof$lower)
  expect_identical(lower_of(y ~ X1 * X2 + f, data), proof$lower)
  expect_false(any(grepl("^y", selected(polish(fit, data, data$y)))))
})

test_that("imputed values, classes 1 and 2, and Bioconductor's containers", {
  data <- planted(30, 6, noise = 0.5)
  full <- data$x
  data$x[cbind(1:6, 1:6)] <- NA
  fit <- zeronorm(data$x, data$y, l1_svm(1), impute = "median")
  for (j in 1:6) full[j, j] <- stats::median(data$x[, j], na.rm = TRUE)
  proof <- certify_zero_norm(fit, data$x, data$y, permutations = 0)
  by_hand <- certify_zero_norm(full, data$y, errors = proof$errors, permutations = 0)
  expect_identical(proof$lower, by_hand$lower)
  data <- planted(30, 6, noise = 0.5)
  y <- as.integer(data$y)
  fit <- zeronorm(data$x, y, l1_svm(1), task = "classification")
  proof <- certify_zero_norm(fit, data$x, y, permutations = 0)
  expect_identical(proof$errors, sum(predict(fit, data$x) != y))
  expect_true(is.finite(proof$upper))
})

test_that("unpenalised features are part of every set and do not count", {
  # Feature 2 separates beside the batch, and nothing does alone.
  data <- with_stream(5, {
    x <- matrix(rnorm(24 * 6), 24, dimnames = list(NULL, c("batch", paste0("g", 1:5))))
    y <- rep(c(-1, 1), 12)
    x[, "g2"] <- x[, "batch"] + 0.2 * y
    list(x = x, y = y)
  })
  fit <- zeronorm(data$x, data$y, l1_svm(10), unpenalized = "batch")
  proof <- certify_zero_norm(fit, data$x, data$y, permutations = 0)
  expect_identical(c(proof$lower, as.double(proof$upper)), c(1, 1))
  expect_identical(proof$sets, list("g2"))
  expect_identical(proof$scans$size, c(0L, 1L))
  expect_match(proof$assumptions, "unpenalised feature 'batch', which does not count", all = FALSE)
  expect_identical(certify_zero_norm(data$x, data$y, permutations = 0)$lower, 2)
  expect_zeronorm_error(certify_zero_norm(fit, data$x, data$y, box = 10), "box")
  # The batch alone is enough.
  data$x[, "batch"] <- data$y
  fit <- zeronorm(data$x, data$y, l1_svm(10), unpenalized = "batch")
  proof <- certify_zero_norm(fit, data$x, data$y, permutations = 0)
  expect_identical(c(proof$lower, as.double(proof$upper)), c(0, 0))
})

test_that("a box that the integer programme does not take is said, with the other bounds", {
  data <- with_stream(8, list(x = matrix(rnorm(8 * 6), 8), y = rep(1:2, 4)))
  for (box in c(1000, 1001, 1e6)) {
    proof <- certify_zero_norm(data$x, data$y, box = box, permutations = 0)
    expect_identical(is.na(proof$box$by_program), box > 1000)
    expect_gte(proof$box$lower, proof$lower)
    if (box > 1000) expect_output(print(proof), "takes boxes up to 1000")
  }
})

test_that("a failed fit of the search, or none, is no answer", {
  expect_null(try_fit(stop_zeronorm("y", "is wrong."), new_clock(1)))
  expect_error(try_fit(stop("a fault"), new_clock(1)), "a fault")
})

test_that("everything stops soon after `seconds`", {
  data <- with_stream(3, {
    x <- matrix(rnorm(200 * 8), 200)
    list(x = x, y = x[, 1] + x[, 2] - x[, 3] + rnorm(200) > 0)
  })
  fit <- zeronorm(data$x, data$y, l1_svm(0.3))
  took <- function(code) system.time(suppressMessages(code))[["elapsed"]]
  # A second for whoever else is at the machine.
  expect_lt(took(certify_zero_norm(fit, data$x, data$y, seconds = 1)), 1 + 1 + 1)
  expect_lt(took(polish(fit, data$x, data$y, seconds = 1)), 1 + 1 + 1)
  expect_lt(took(certify_zero_norm(data$x, data$y, hinge = 80, seconds = 1)), 1 + 1 + 1)
})
