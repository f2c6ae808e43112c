# What every method promises.  A new constructor is picked up by name; what it does not declare is not
# tested.

# Arguments with which a method is for numbers alone.
regression_methods <- function() {
  list("AROM in a tube" = arom(epsilon = 0.5), "l2-AROM beside a tube" = arom(errors = "l2", epsilon = 0.1),
       "l1-AROM beside a tube" = arom("l1", errors = "l1", epsilon = 0.1),
       "multiplicative update beside a tube" = multiplicative_update(epsilon = 0.1, lambda = 10),
       "dca of squares" = dca("squared"), "dca beside a tube" = dca("epsilon_insensitive", C = 10))
}

# A fit that several tests look at.
fitted_once <- function(method, data) {
  fit <- NULL
  function() {
    if (is.null(fit)) fit <<- contract_fit(method, data$x, data$y)
    fit
  }
}

takes_weights <- function(method) (!any(method$steps$hard) || method$model$limit) && !has_slack_features(method)

# Two tall and wide data sets, both separable so that hard margins exist.
tall <- separated(60, 8)
wide <- separated(30, 80)

# One for each other task: three clouds, two labels with room at both, numbers that two features carry.
task_data <- list(
  "k-class" = three_clouds(30, 8, shift = 6),
  "multi-label" = local({
    x <- planted(30, 8)$x
    x[, 1:2] <- x[, 1:2] + sign(x[, 1:2])
    list(x = x, y = cbind(first = x[, 1] > 0, second = x[, 2] > 0) + 0)
  }),
  regression = local({
    x <- planted(30, 8, seed = 2)$x
    list(x = x, y = 2 * x[, 1] - x[, 2] + with_stream(3, runif(30, -0.2, 0.2)))
  })
)

for (name in names(contract_methods())) local({
  name <- name
  method <- contract_methods()[[name]]
  link <- function(fit, x) predict(fit, x, "link")
  tall_fit <- fitted_once(method, tall)
  wide_fit <- fitted_once(method, wide)
  # Gaps are relative to 1e-8; decision values at a vertex or optimum agree to much less.
  close <- 1e-4

  test_that(paste(name, "certifies tall, wide and sparse data"), {
    for (data in list(tall, wide)) {
      fit <- if (identical(data, tall)) tall_fit() else wide_fit()
      table <- certificate(fit)
      expect_identical(table$status, "optimal")
      expect_identical(table$kind, method$declares$certificate)
      expect_lte(table$gap, 1e-6)
      # Monomials of higher degree come after the features.
      if (!is_kernel_machine(fit)) {
        expect_identical(head(names(coef(fit)), ncol(data$x) + 1), c("(Intercept)", colnames(data$x)))
      }
      expect_identical(table$errors, sum(predict(fit, data$x) != data$y))
      expect_identical(table$nonzero, length(selected(fit)))
      if (method$declares$sparse) {
        sparse <- contract_fit(method, as(data$x, "dgCMatrix"), data$y)
        expect_equal(certificate(sparse)$primal, table$primal, tolerance = 1e-5)
        expect_equal(link(sparse, data$x), link(fit, data$x), tolerance = close)
      }
    }
  })

  if (method$declares$max_features >= 5000 && name %in% names(example_methods())) {
    test_that(paste(name, "holds at 40 x 5000"), {
      data <- separated(40, 5000)
      fit <- contract_fit(method, data$x, data$y)
      expect_identical(certificate(fit)$status, "optimal")
      expect_lte(certificate(fit)$gap, 1e-6)
      expect_identical(certificate(fit)$errors, sum(predict(fit, data$x) != data$y))
    })
  }

  test_that(paste(name, "matches columns by name"), {
    fit <- tall_fit()
    expect_equal(link(fit, cbind(extra = NA, tall$x[, 8:1])), link(fit, tall$x))
  })

  test_that(paste(name, "changes sign with the labels, not with the rows"), {
    fit <- tall_fit()
    swapped <- factor(tall$y, levels = c("up", "down"))
    expect_equal(link(contract_fit(method, tall$x, swapped), tall$x), -link(fit, tall$x), tolerance = close)
    order <- c(seq(2, 60, 2), seq(1, 59, 2))
    permuted <- contract_fit(method, tall$x, tall$y, rows = order)
    expect_equal(link(permuted, tall$x), link(fit, tall$x), tolerance = close)
  })

  test_that(paste(name, "takes constant and duplicated columns without a warning"), {
    x <- cbind(tall$x, constant = 3, zero = 0, again = tall$x[, 2])
    expect_warning(fit <- contract_fit(method, x, tall$y), NA)
    expect_false(any(c("constant", "zero") %in% selected(fit)))
    expect_identical(certificate(fit)$status, "optimal")
    expect_true(all(is.finite(coef(fit))))
  })

  # An observation twice is two points of an expansion.
  if (takes_weights(method) && !length(method$folds) && method$declares$selects == "features" &&
        method$family != "jcfo") {
    test_that(paste(name, "counts weight 2 as two rows"), {
      data <- planted(30, 6, noise = 1)
      weights <- rep(1:2, c(20, 10))
      rows <- rep(1:30, weights)
      weighted <- zeronorm(data$x, data$y, method, weights = weights)
      repeated <- zeronorm(data$x[rows, ], data$y[rows], method)
      expect_equal(link(weighted, data$x), link(repeated, data$x), tolerance = close)
      expect_equal(certificate(weighted)$primal, certificate(repeated)$primal, tolerance = 1e-6)
    })
  }

  test_that(paste(name, "refuses one class"), {
    expect_zeronorm_error(contract_fit(method, tall$x, rep("up", 60)), "y", "one class")
  })

  if (method$declares$descends) {
    test_that(paste(name, "descends where it says so"), {
      fit <- wide_fit()
      objective <- rounds(fit)$objective
      objective <- objective[is.finite(objective)]
      expect_true(all(diff(objective) <= 1e-8 * (1 + abs(head(objective, -1)))))
    })
  }

  test_that(paste(name, "is the same twice and reads back"), {
    fit <- wide_fit()
    again <- contract_fit(method, wide$x, wide$y)
    fit$seconds <- again$seconds <- 0
    expect_identical(again, fit)
    expect_identical(link(unserialize(serialize(fit, NULL)), wide$x), link(fit, wide$x))
  })

  if (method$declares$selects == "features") {
    test_that(paste(name, "finds a planted feature"), {
      expect_identical(selected(tall_fit())[1], "g1")
    })
  }

  test_that(paste(name, "leaves the random stream alone where nothing is drawn"), {
    with_stream(7, {
      before <- .Random.seed
      contract_fit(method, tall$x, tall$y)
      expect_identical(.Random.seed, before)
    })
  })

  if ("kernel" %in% names(method$args)) {
    test_that(paste(name, "takes kernels where it says so"), {
      args <- method$args
      args$kernel <- if (method$name == "arom") poly_kernel(2) else gaussian_kernel(1)
      kernel <- do.call(method_constructors()[[method$name]], args)
      fit <- contract_fit(kernel, tall$x, tall$y)
      expect_identical(certificate(fit)$status, "optimal")
      expect_lte(certificate(fit)$gap, 1e-6)
    })
  }

  test_that(paste(name, "works without an intercept and without standardising"), {
    fit <- contract_fit(method, tall$x, tall$y, intercept = FALSE, standardize = FALSE)
    expect_identical(certificate(fit)$status, "optimal")
    expect_identical(coef(fit)[["(Intercept)"]], 0)
  })
})

# Several classes, several labels and numbers, where a method declares them.
for (name in c(names(contract_methods()), names(regression_methods()))) local({
  name <- name
  method <- c(contract_methods(), regression_methods())[[name]]
  close <- 1e-4
  for (task in intersect(method$declares$takes, names(task_data))) local({
    task <- task
    data <- task_data[[task]]
    fit_to <- function(x = data$x, y = data$y, ...) {
      contract_fit(method, x, y, task = if (task == "regression") "regression" else "auto",
                   control = zeronorm_control(max_rounds = 1000), ...)
    }
    # Joint machines leave a number open that is added to the values of all classes.
    link <- function(fit) {
      f <- as.matrix(predict(fit, data$x, "link"))
      if (task == "k-class" && method$model$multiclass == "joint") f - rowMeans(f) else f
    }

    test_that(paste(name, "holds for", task), {
      fit <- fit_to()
      table <- certificate(fit)
      expect_identical(fit$task, task)
      expect_identical(table$status, "optimal")
      expect_lte(table$gap, 1e-6)
      expect_true(all(is.finite(link(fit))))
      if (task == "k-class") expect_identical(table$errors, sum(predict(fit, data$x) != data$y))
      if (task == "multi-label") {
        expect_identical(table$errors, sum(rowSums(predict(fit, data$x) != data$y) > 0))
      }
      if (is.null(fit$machine) && is.null(fit$polynomial)) expect_length(selected(fit), table$nonzero)
      again <- fit_to()
      fit$seconds <- again$seconds <- 0
      expect_identical(again, fit)
      if (method$declares$sparse) {
        expect_equal(link(fit_to(as(data$x, "dgCMatrix"))), link(fit), tolerance = close)
      }
    })

    test_that(paste(name, "depends on neither rows nor the order of outputs for", task), {
      fit <- fit_to()
      order <- c(seq(2, 30, 2), seq(1, 29, 2))
      expect_equal(link(fit_to(rows = order)), link(fit), tolerance = close)
      if (task == "regression") {
        expect_equal(link(fit_to(y = -data$y)), -link(fit), tolerance = close)
        expect_equal(link(fit_to(y = data$y + 5)), link(fit) + 5, tolerance = close)
      } else if (task == "multi-label") {
        expect_equal(link(fit_to(y = data$y[, 2:1]))[, 2:1], link(fit), tolerance = close)
      } else {
        turned <- fit_to(y = factor(data$y, rev(levels(data$y))))
        expect_identical(as.character(predict(turned, data$x)), as.character(predict(fit, data$x)))
        if (is.null(fit$pairs)) expect_equal(link(turned)[, 3:1], link(fit), tolerance = close)
      }
    })
  })
})

test_that("every task of every method is looked at", {
  seen <- lapply(c(contract_methods(), regression_methods()), function(method) method$declares$takes)
  names <- vapply(c(contract_methods(), regression_methods()), `[[`, "", "name")
  for (method in example_methods()) {
    expect_setequal(unique(unlist(seen[names == method$name])), method$declares$tasks)
  }
})

test_that("every method has a test that names its independent reference", {
  lines <- unlist(lapply(list.files(test_path(), "^test-.*[.]R$", full.names = TRUE), readLines))
  for (name in names(example_methods())) {
    expect_true(any(grepl(paste0("^# Reference of ", name, ": "), lines)), label = name)
  }
})

test_that("folds are drawn from the user's stream and repeat with its seed", {
  method <- fs_svmcp(C_grid = c(0.1, 1))
  draw <- function(seed) {
    with_stream(seed, {
      before <- .Random.seed
      fit <- zeronorm(wide$x, wide$y, method)
      list(coef = coef(fit), moved = !identical(.Random.seed, before))
    })
  }
  expect_true(draw(1)$moved)
  expect_identical(draw(1), draw(1))
})

test_that("every function that is called is there", {
  skip_if_not_installed("codetools")
  space <- asNamespace("zeronorm")
  absent <- function(f) {
    called <- codetools::findGlobals(f, merge = FALSE)$functions
    called[!vapply(called, exists, NA, envir = space, mode = "function")]
  }
  functions <- Filter(is.function, mget(ls(space), space))
  found <- lapply(functions[!vapply(functions, is.primitive, NA)], absent)
  expect_identical(found[lengths(found) > 0], structure(list(), names = character()))
})
