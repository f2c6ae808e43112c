# Every engine on every small problem it takes, graded by the certificate and by the other engines.

named_engines <- setdiff(engine_names, "auto")

# Who takes what; everybody else must refuse.
takers <- list(linear = c("simplex", "highs"), slacks = c("simplex", "dual", "active_set", "highs"),
               ridge = c("dual", "active_set", "newton", "osqp"), free = c("dual", "active_set", "osqp"),
               elastic = c("active_set", "osqp"), mixed = "osqp",
               curved = character())

# A smooth loss has its own engine besides.
takers_of <- function(problem) {
  c(takers[[problem$kind]], if (problem$loss != "hinge" && all(is.finite(problem$cost))) "smooth")
}

engine_data <- function(n, d, noise, seed = 1, classes = planted(n, d, noise, seed = seed)) {
  list(x = classes$x, y = ifelse(classes$y == "up", 1, -1))
}

# Problems in the original columns: kind (a name of takers), l1, scale, cost, loss, intercept.
engine_problems <- function(data, separable) {
  n <- nrow(data$x)
  d <- ncol(data$x)
  l1 <- rep(1, d)
  zero <- rep(0, d)
  plain <- rep(Inf, d)
  uneven <- rep_len(c(0.2, 1, 0.7), n)
  asymmetric <- ifelse(data$y > 0, 2, 0.3)
  problem <- function(kind, l1, scale, cost = rep(0.5, n), loss = "hinge", intercept = TRUE) {
    list(kind = kind, l1 = l1, scale = scale, cost = cost, loss = loss, intercept = intercept)
  }
  soft <- list(
    "l1" = problem("linear", l1, plain),
    "l1, weights" = problem("linear", l1, plain, uneven),
    "l1, weights of zero" = problem("linear", l1, plain, replace(uneven, 1:3, 0)),
    "l1, asymmetric" = problem("linear", l1, plain, asymmetric),
    "l1, no intercept" = problem("linear", l1, plain, intercept = FALSE),
    "l1, zero-cost columns" = problem("linear", replace(l1, 1:2, 0), plain),
    "l1, uneven prices" = problem("linear", 10^seq(-2, 1, length.out = d), plain),
    "l1, columns removed" = problem("linear", l1, replace(plain, 3:4, 0)),
    "slacks" = problem("slacks", zero, plain),
    "slacks, no intercept" = problem("slacks", zero, plain, intercept = FALSE),
    "ridge" = problem("ridge", zero, l1),
    "ridge, weights" = problem("ridge", zero, l1, uneven),
    "ridge, asymmetric" = problem("ridge", zero, l1, asymmetric),
    "ridge, no intercept" = problem("ridge", zero, l1, intercept = FALSE),
    "ridge, a free column" = problem("ridge", zero, replace(l1, 1, Inf)),
    "ridge, scales" = problem("ridge", zero, 10^seq(-2, 1, length.out = d)),
    "ridge, squared hinge" = problem("ridge", zero, l1, loss = "squared_hinge"),
    "ridge, squared hinge, no intercept" = problem("ridge", zero, l1, uneven, "squared_hinge", FALSE),
    "squared hinge alone" = problem("free", zero, plain, loss = "squared_hinge"),
    "elastic net" = problem("elastic", 0.2 * l1, l1),
    "elastic net, weights" = problem("elastic", 0.2 * l1, l1, uneven),
    "elastic net, asymmetric" = problem("elastic", 0.2 * l1, l1, asymmetric),
    "elastic net, no intercept" = problem("elastic", 0.2 * l1, l1, intercept = FALSE),
    "elastic net, a zero-cost column" = problem("elastic", replace(0.2 * l1, 1, 0), replace(l1, 1, Inf)),
    "elastic net, squared hinge" = problem("elastic", 0.2 * l1, l1, loss = "squared_hinge"),
    "elastic net, a column without ridge" = problem("mixed", 0.2 * l1, replace(l1, 1, Inf)),
    "l1, squared hinge" = problem("mixed", 0.2 * l1, plain, loss = "squared_hinge")
  )
  for (loss in c("squared", "logistic")) {
    curved <- list(
      problem("curved", 0.2 * l1, plain, loss = loss),
      problem("curved", zero, l1, loss = loss),
      problem("curved", 0.2 * l1, plain, replace(uneven, 1:3, 0), loss),
      problem("curved", 0.2 * l1, plain, asymmetric, loss, FALSE),
      problem("curved", 0.1 * l1, replace(l1, 1:2, Inf), loss = loss)
    )
    names(curved) <- paste0(loss, c("", " and ridge", ", weights", ", no intercept", ", elastic"))
    soft <- c(soft, curved)
  }
  if (!separable) return(soft)
  none <- rep(Inf, n)
  c(soft, list(
    "hard l1" = problem("linear", l1, plain, none),
    "hard l1, no intercept" = problem("linear", l1, plain, none, intercept = FALSE),
    "hard l1, a zero-cost column" = problem("linear", replace(l1, 2, 0), plain, none),
    "hard ridge" = problem("ridge", zero, l1, none),
    "hard ridge, no intercept" = problem("ridge", zero, l1, none, intercept = FALSE),
    "hard ridge, a free column" = problem("ridge", zero, replace(l1, 2, Inf), none),
    "hard elastic net" = problem("elastic", 0.2 * l1, l1, none)
  ))
}

solve_by <- function(engine, data, problem, surrogates = list(problem[c("l1", "scale")]),
                     column_generation = TRUE) {
  facts <- c(problem[c("cost", "loss", "intercept")], standardize = FALSE)
  solve_surrogates(data$x, data$y, facts, surrogates, engine, list(column_generation = column_generation))
}

# The objective, from its definition; infinite where a hard margin is missed.
engine_objective <- function(data, problem, solution) {
  w <- drop(solution$w)
  if (any(w[problem$scale == 0] != 0)) return(Inf)
  f <- drop(data$x %*% w) + if (problem$intercept) solution$b else 0
  xi <- pmax(0, 1 - data$y * f)
  loss <- if (all(is.infinite(problem$cost))) if (max(xi) > 1e-8) Inf else 0 else sum(problem$cost * switch(
    problem$loss, hinge = xi, squared_hinge = xi^2 / 2, squared = (data$y - f)^2 / 2,
    logistic = log1p(exp(-data$y * f))
  ))
  ridge <- (w / problem$scale)[problem$scale > 0 & is.finite(problem$scale)]
  sum(problem$l1 * abs(w)) + sum(ridge^2) / 2 + loss
}

small_data <- list(
  "more rows" = list(data = engine_data(40, 6, noise = 2, seed = 3), separable = FALSE),
  "more rows, separable" = list(data = engine_data(24, 8, classes = separated(24, 8)), separable = TRUE),
  "more columns" = list(data = engine_data(14, 40, noise = 0), separable = TRUE)
)

for (shape in names(small_data)) local({
  shape <- shape
  data <- small_data[[shape]]$data
  problems <- engine_problems(data, small_data[[shape]]$separable)

  for (engine in named_engines) local({
    engine <- engine

    test_that(paste0(engine, " solves what it takes and refuses the rest (", shape, ")"), {
      for (name in names(problems)) {
        problem <- problems[[name]]
        if (!engine %in% takers_of(problem)) {
          expect_error(solve_by(engine, data, problem), "^engine: .+", info = name)
          next
        }
        solution <- solve_by(engine, data, problem)[[1]]
        expect_identical(solution$status, "optimal", info = name)
        expect_identical(solution$engine, engine, info = name)
        expect_false(solution$fallback, info = name)
        expect_lte(solution$gap, if (engine == "osqp") 1e-6 else 1e-8, label = paste(name, "gap"))
      }
    })
  })

  test_that(paste0("engines agree with each other and with the objective (", shape, ")"), {
    for (name in names(problems)) {
      problem <- problems[[name]]
      solutions <- lapply(takers_of(problem), function(engine) solve_by(engine, data, problem)[[1]])
      values <- vapply(solutions, function(solution) engine_objective(data, problem, solution), 0)
      # What not to classify at all costs, where the optimum is 0.
      size <- max(abs(values), if (all(is.finite(problem$cost))) 1e-3 * sum(problem$cost))
      expect_lte(diff(range(values)), 1e-7 * size, label = paste(name, "spread of objectives"))
      stated <- vapply(solutions, `[[`, 0, "primal")
      expect_lte(max(abs(stated - values)), 1e-8 * size, label = paste(name, "error of stated objective"))
      bounds <- vapply(solutions, `[[`, 0, "lower")
      expect_lte(max(bounds) - min(values), 1e-8 * size, label = paste(name, "excess of lower bounds"))
    }
  })
})

test_that("a warm start ends where a cold one does", {
  data <- small_data[["more columns"]]$data
  prices <- with_stream(1, replicate(6, exp(2 * rnorm(40)), simplify = FALSE))
  problem <- engine_problems(data, TRUE)[["l1"]]
  for (kind in c("linear", "ridge", "elastic")) {
    surrogates <- lapply(prices, function(price) {
      switch(kind, linear = list(l1 = price, scale = rep(Inf, 40)),
             ridge = list(l1 = 0 * price, scale = price),
             elastic = list(l1 = 0.2 * price, scale = rep(1, 40)))
    })
    for (engine in takers[[kind]]) {
      warm <- solve_by(engine, data, problem, surrogates)
      cold <- lapply(surrogates, function(one) solve_by(engine, data, problem, list(one))[[1]])
      expect_equal(vapply(warm, `[[`, 0, "primal"), vapply(cold, `[[`, 0, "primal"), tolerance = 1e-7,
                   info = paste(kind, engine))
      expect_identical(unique(vapply(warm, `[[`, "", "status")), "optimal", info = paste(kind, engine))
    }
  }
})

test_that("column generation and the full programme are the same", {
  data <- engine_data(40, 300, noise = 1)
  for (separable in c(FALSE, TRUE)) {
    problems <- engine_problems(data, separable)
    for (name in names(Filter(function(problem) problem$kind == "linear", problems))) {
      few <- solve_by("highs", data, problems[[name]], column_generation = TRUE)[[1]]
      all <- solve_by("highs", data, problems[[name]], column_generation = FALSE)[[1]]
      expect_identical(c(few$status, all$status), c("optimal", "optimal"), info = name)
      expect_lte(max(few$gap, all$gap), 1e-8, label = paste(name, "gap"))
      expect_equal(few$primal, all$primal, tolerance = 1e-9, info = name)
    }
  }
  x <- data$x
  y <- factor(data$y)
  full <- zeronorm(x, y, l1_svm(0.3), engine = "highs", control = zeronorm_control(column_generation = FALSE))
  part <- zeronorm(x, y, l1_svm(0.3), engine = "highs")
  expect_equal(coef(full), coef(part), tolerance = 1e-7)
  expect_equal(certificate(full)$primal, certificate(part)$primal, tolerance = 1e-9)
})

test_that("every engine says that classes are inseparable", {
  data <- small_data[["more rows"]]$data
  hard <- engine_problems(data, TRUE)
  for (name in c("hard l1", "hard ridge", "hard elastic net")) {
    for (engine in takers[[hard[[name]]$kind]]) {
      solution <- solve_by(engine, data, hard[[name]])[[1]]
      expect_identical(solution$status, "not separable", info = paste(name, engine))
    }
  }
  y <- factor(data$y)
  for (engine in takers$linear) {
    expect_zeronorm_error(zeronorm(data$x, y, l1_svm(Inf), engine = engine), "y", "not separable")
  }
  for (engine in takers$ridge) {
    expect_zeronorm_error(zeronorm(data$x, y, l2_svm(Inf), engine = engine), "y", "not separable")
  }
})

# Methods by the kind of their convex problems.
engine_methods <- list(
  linear = list(l1_svm(), fsv(), arom("l1", errors = "l1")),
  slacks = list(rlp()),
  ridge = list(l2_svm(), l2_svm(loss = "squared_hinge"), arom("l2", errors = "l2")),
  elastic = list(l2_l1_svm(mu = 10, nu = 0.1))
)

for (engine in named_engines) local({
  engine <- engine

  test_that(paste0("zeronorm(engine = \"", engine, "\") uses it or says why not"), {
    data <- planted(40, 6, noise = 2, seed = 3)
    for (kind in names(engine_methods)) for (method in engine_methods[[kind]]) {
      fitted <- function(engine) {
        zeronorm(data$x, data$y, method, engine = engine, control = zeronorm_control(max_rounds = 1000))
      }
      if (!engine %in% takers_of(list(kind = kind, loss = method$model$loss, cost = 1))) {
        error <- expect_zeronorm_error(fitted(engine), "engine")
        # A whole sentence of the engine's, and what to do.
        expect_match(conditionMessage(error), "[A-Z][^.]+ [^.]+\\. Use engine = \"auto\"\\.$",
                     info = format(method))
        next
      }
      table <- certificate(fitted(engine))
      expect_identical(table$status, "optimal", info = format(method))
      expect_identical(table$engine, engine, info = format(method))
      expect_false(table$fallback, info = format(method))
      expect_lte(table$gap, if (engine == "osqp") 1e-6 else 1e-8, label = paste(format(method), "gap"))
      expect_equal(table$primal, certificate(fitted("auto"))$primal, tolerance = 1e-6, info = format(method))
    }
  })
})

test_that("auto needs no fallback where an engine of ours is at home", {
  data <- planted(40, 6, noise = 2, seed = 3)
  home <- c(linear = "simplex", slacks = "simplex", ridge = "dual", elastic = "active_set")
  for (kind in names(home)) for (method in engine_methods[[kind]]) {
    table <- certificate(zeronorm(data$x, data$y, method, control = zeronorm_control(max_rounds = 1000)))
    expect_identical(table$engine, home[[kind]], info = format(method))
    expect_false(table$fallback, info = format(method))
  }
})

test_that("an unknown engine is refused by name", {
  data <- planted(20, 3)
  expect_zeronorm_error(zeronorm(data$x, data$y, l1_svm(), engine = "cplex"), "engine", "simplex")
})

test_that("data that one method separates are never called inseparable by another", {
  set.seed(1)
  x <- matrix(rnorm(40 * 30), 40)
  y <- x[, 1] - x[, 2] > 0
  x <- sweep(x, 2, rep_len(10^(-8:8), 30), "*")
  expect_equal(certificate(zeronorm(x, y, fw1(), standardize = FALSE))$errors, 0)
  answer <- tryCatch(zeronorm(x, y, arom("l2"), standardize = FALSE), zeronorm_error = conditionMessage)
  if (is.character(answer)) expect_no_match(answer, "not separable") else expect_s3_class(answer, "zeronorm")
})

test_that("newton proves its rounds where columns of very unlike lengths take most of the intercept", {
  for (seed in c(1, 58, 109)) {
    set.seed(seed)
    x <- matrix(rnorm(600 * 40), 600) %*% diag(10^runif(40, -3, 3))
    y <- as.numeric(ifelse(x[, 1:5] %*% (rnorm(5) / apply(x[, 1:5], 2, sd)) > 0, 1, -1))
    fit <- zeronorm(x, y, arom("l2", errors = "l2", lambda = 7), engine = "newton",
                    control = zeronorm_control(tol = 1e-8))
    expect_lt(max(rounds(fit)$gap), 1e-8)
    expect_lt(certificate(fit)$gap, 1e-8)
  }
})

# Solutions that were found, whatever was warned of on the way; of an error the argument it names.
engine_answer <- function(method, data, engine) {
  tryCatch({
    fit <- suppressMessages(suppressWarnings(with_stream(1, {
      zeronorm(data$x, data$y, method, engine = engine,
               foldid = if (length(method$folds)) rep_len(1:5, nrow(data$x)))
    })))
    unique(c(certificate(fit)$engine, rounds(fit)$engine))
  }, zeronorm_error = function(e) e$argument)
}

test_that("every method honours the engine that is named, or refuses it by name", {
  two <- separated(20, 4)
  three <- three_clouds(18, 4)
  for (name in names(all_variants())) {
    method <- all_variants()[[name]]
    several <- "k-class" %in% method$declares$takes && name %in% c(names(example_methods()), "m_svm l1")
    for (data in c(list(two), if (several) list(three))) {
      expect_false(identical(engine_answer(method, data, "auto"), "engine"), info = name)
      for (engine in named_engines) {
        answer <- engine_answer(method, data, engine)
        expect_true(engine %in% answer || identical(answer, "engine"),
                    info = paste0(name, ", ", nlevels(data$y), " classes: ", engine, " gives ",
                                  paste(answer, collapse = " ")))
      }
    }
  }
})

test_that("a method with an optimiser of its own does not report the name of an engine", {
  fit <- zeronorm(separated(30, 6)$x, separated(30, 6)$y, med_svm())
  expect_false(any(c(certificate(fit)$engine, rounds(fit)$engine) %in% engine_names))
})
