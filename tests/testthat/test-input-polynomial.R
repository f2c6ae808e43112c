# Labels from a product and a third feature.
curved <- function(n, d = 3, seed = 1) {
  with_stream(seed, {
    x <- matrix(rnorm(n * d), n, d, dimnames = list(NULL, paste0("g", seq_len(d))))
    f <- x[, 1] * x[, 2] + x[, 3]
    list(x = x, y = factor(ifelse(f > stats::median(f), "up", "down"), levels = c("down", "up")))
  })
}

exponents <- function(table, d) {
  t(apply(table, 1, function(row) tabulate(row[row > 0], d)))
}

test_that("monomials are all there, each once, the features first", {
  for (d in 1:4) for (degree in 1:4) {
    table <- monomial_table(d, degree)
    a <- matrix(exponents(table, d), ncol = d)
    expect_identical(nrow(table), as.integer(count_monomials(d, degree)))
    expect_identical(anyDuplicated(a), 0L)
    expect_true(all(rowSums(a) >= 1 & rowSums(a) <= degree))
    expect_false(is.unsorted(rowSums(a)))
    expect_identical(table[seq_len(d), 1], seq_len(d))
  }
})

test_that("monomials with their multiplicities are the kernels", {
  x <- scale(curved(6)$x)
  for (degree in 1:5) {
    table <- monomial_table(3, degree)
    phi <- monomial_values(x, table)
    expect_equal(phi, apply(exponents(table, 3), 1, function(a) apply(t(x)^a, 2, prod)))
    inner <- function(form) phi %*% (multiplicity(table, form) * t(phi))
    expect_equal(inner("sum"), kernel_values(poly_kernel(degree), x, x), ignore_attr = TRUE)
    expect_equal(inner("power") + 1, kernel_values(poly_kernel(degree, "power"), x, x), ignore_attr = TRUE)
  }
})

test_that("monomials are named by their features", {
  names <- monomial_names(monomial_table(2, 3), c("a", "b"))
  expect_identical(names, c("a", "b", "a^2", "a*b", "b^2", "a^3", "a^2*b", "a*b^2", "b^3"))
})

test_that("the largest number of features is the largest", {
  for (degree in 1:4) for (most in c(1, 9, 1000, 1e6)) {
    d <- most_features(degree, most)
    expect_gt(count_monomials(d + 1, degree), most)
    expect_true(d == 1 || count_monomials(d, degree) <= most)
  }
})

# Squared slacks of price lambda^2 on a kernel matrix: decision values and a_i y_i, by quadprog.
machine_on <- function(k, y, lambda) {
  n <- length(y)
  k <- k + diag(n) / lambda^2
  dual <- quadprog::solve.QP(k * outer(y, y), rep(1, n), cbind(y, diag(n)), rep(0, n + 1), meq = 1)$solution
  sv <- which.max(dual)
  list(a = dual * y, b = y[sv] - sum(k[sv, ] * dual * y))
}

# The recursion as it is defined: K_z = sum_a m_a z_a^2 x^a y^a, w_a = z_a sum_i a_i x_i^a, z_a <- z_a |w_a|.
literal_rounds <- function(x, y, degree, form, lambda, rounds) {
  table <- monomial_table(ncol(x), degree)
  phi <- monomial_values(x, table)
  m <- multiplicity(table, form)
  z <- rep(1, nrow(table))
  for (round in seq_len(rounds)) {
    k <- phi %*% (m * z^2 * t(phi))
    machine <- machine_on(k, y, lambda)
    coefficients <- m * z^2 * as.vector(crossprod(phi, machine$a))
    z <- z * abs(z * as.vector(crossprod(phi, machine$a)))
  }
  list(coefficients = coefficients, link = as.vector(k %*% machine$a) + machine$b, z = z)
}

test_that("AROM on a kernel is its recursion on K_z, round by round", {
  skip_if_not_installed("quadprog")
  data <- curved(20)
  x <- scale(data$x)
  y <- ifelse(data$y == "up", 1, -1)
  for (kernel in list(poly_kernel(2), poly_kernel(3), poly_kernel(2, "power"), poly_kernel(3, "power"))) {
    for (rounds in c(1, 2, 5)) {
      fit <- suppressWarnings(zeronorm(data$x, data$y, arom(errors = "l2", lambda = 2, kernel = kernel),
                                       control = zeronorm_control(max_rounds = rounds)))
      literal <- literal_rounds(x, y, kernel$degree, kernel$form, 2, rounds)
      expect_equal(unname(predict(fit, data$x, "link")), literal$link, tolerance = 1e-5)
      expect_equal(unname(coef(fit)[-1]), literal$coefficients, tolerance = 1e-5)
    }
  }
})

test_that("a size keeps the largest scales and their weights", {
  skip_if_not_installed("quadprog")
  data <- curved(20)
  y <- ifelse(data$y == "up", 1, -1)
  kernel <- poly_kernel(2)
  fit <- zeronorm(data$x, data$y, arom(nonzero = 4, errors = "l2", kernel = kernel))
  last <- rounds(fit)
  rounds <- max(which(last$nonzero > 4))
  literal <- literal_rounds(scale(data$x), y, 2, "sum", 1, rounds)
  kept <- order(-literal$z)[1:4]
  expect_setequal(selected(fit), names(coef(fit))[-1][kept])
  expect_equal(unname(coef(fit)[-1][kept]), literal$coefficients[kept], tolerance = 1e-5)
  expect_identical(certificate(fit)$nonzero, 4L)
  expect_identical(certificate(fit)$kind, "none")
  expect_output(print(fit), "not certified")
  again <- zeronorm(data$x, data$y, arom(nonzero = 4, errors = "l2", kernel = kernel, refit = "l2"))
  expect_setequal(selected(again), selected(fit))
  machine <- zeronorm(monomial_values(scale(data$x), monomial_table(3, 2))[, kept], data$y, l2_svm(C = Inf),
                      standardize = FALSE)
  expect_equal(predict(again, data$x, "link"),
               predict(machine, monomial_values(scale(data$x), monomial_table(3, 2))[, kept], "link"),
               tolerance = 1e-5)
})

test_that("the first machine is that of the kernel", {
  data <- curved(30)
  for (kernel in list(poly_kernel(2), poly_kernel(3, "power"))) {
    plain <- zeronorm(data$x, data$y, l2_svm(C = 4, kernel = kernel, loss = "squared_hinge"))
    for (form in c("explicit", "projected")) {
      first <- suppressWarnings(zeronorm(data$x, data$y,
                                         arom(errors = "l2", lambda = 2, kernel = kernel, kernel_form = form),
                                         control = zeronorm_control(max_rounds = 1)))
      expect_equal(predict(first, data$x, "link"), predict(plain, data$x, "link"), tolerance = 1e-6)
    }
  }
})

test_that("the l1 machine on monomials ends where its prices are the inverse weights", {
  data <- curved(30)
  table <- monomial_table(3, 2)
  m <- multiplicity(table, "sum")
  fit <- zeronorm(data$x, data$y, arom("l1", errors = "l1", kernel = poly_kernel(2)))
  weights <- coef(fit)[-1]
  used <- which(weights != 0)
  again <- zeronorm(monomial_values(scale(data$x), table)[, used], data$y,
                    l1_svm(C = 1, costs = m[used] / abs(weights[used])), standardize = FALSE)
  expect_equal(unname(coef(again)[-1]), unname(weights[used]), tolerance = 1e-5)
})

test_that("one degree of one form is linear AROM", {
  data <- planted(30, 10, noise = 1)
  linear <- zeronorm(data$x, data$y, arom(errors = "l2"))
  kernel <- zeronorm(data$x, data$y, arom(errors = "l2", kernel = poly_kernel(1)))
  expect_identical(selected(kernel), selected(linear))
  expect_equal(predict(kernel, data$x, "link"), predict(linear, data$x, "link"), tolerance = 1e-6)
})

test_that("the projected form is the explicit one while it is exact", {
  # Two rounds always; for ever where the images span the space: 25 points, 9 monomials.
  small <- curved(8)
  large <- curved(25)
  for (kernel in list(poly_kernel(2), poly_kernel(2, "power"))) {
    link <- function(data, form, rounds) {
      method <- arom(errors = "l2", kernel = kernel, kernel_form = form)
      fit <- suppressWarnings(zeronorm(data$x, data$y, method,
                                       control = zeronorm_control(max_rounds = rounds)))
      expect_identical(certificate(fit)$errors, sum(predict(fit, data$x) != data$y))
      predict(fit, curved(5, seed = 2)$x, "link")
    }
    for (rounds in 1:2) {
      expect_equal(link(small, "projected", rounds), link(small, "explicit", rounds), tolerance = 1e-6)
    }
    for (rounds in c(3, 6)) {
      expect_equal(link(large, "projected", rounds), link(large, "explicit", rounds), tolerance = 1e-5)
    }
  }
})

test_that("on noise the projected form ends as the explicit one does, before all scales vanish", {
  for (seed in 1:3) for (lambda in c(0.01, 1)) {
    data <- with_stream(seed, list(x = matrix(rnorm(120), 30), y = rnorm(30) > 0))
    # The images of 30 observations span all 14 monomials, so that nothing is lost by projecting.
    fits <- lapply(c("explicit", "projected"), function(form) {
      suppressWarnings(zeronorm(data$x, data$y, arom(errors = "l2", lambda = lambda, kernel = poly_kernel(2),
                                                     kernel_form = form)))
    })
    facts <- c("status", "stop", "errors")
    expect_identical(certificate(fits[[2]])[facts], certificate(fits[[1]])[facts])
    expect_equal(predict(fits[[2]], data$x, "link"), predict(fits[[1]], data$x, "link"), tolerance = 1e-5)
  }
})

test_that("the projected form says what it cannot", {
  projected <- function(...) arom(..., kernel = poly_kernel(2), kernel_form = "projected")
  expect_zeronorm_error(projected("l1"), "kernel_form", "norm")
  expect_zeronorm_error(projected(nonzero = 2), "kernel_form", "nonzero")
  expect_zeronorm_error(projected(errors = "zero"), "kernel_form", "errors")
  expect_zeronorm_error(projected(epsilon = 0.1), "kernel_form", "epsilon")
  expect_zeronorm_error(arom(kernel = gaussian_kernel(1)), "kernel", "poly_kernel")
  expect_zeronorm_error(arom(kernel = poly_kernel(2), kernel_form = "short"), "kernel_form")
  data <- curved(20)
  expect_zeronorm_error(zeronorm(data$x, data$y, projected(errors = "l2"), keep = 1), "keep", "kernel")
})

test_that("a machine on monomials is the linear machine on columns made by hand", {
  data <- curved(30)
  x <- scale(data$x)
  by_hand <- cbind(x, x[, 1]^2, x[, 1] * x[, 2], x[, 1] * x[, 3], x[, 2]^2, x[, 2] * x[, 3], x[, 3]^2)
  costs <- c(1, 2, 3)
  fit <- zeronorm(data$x, data$y, l2_l1_svm(mu = 10, nu = 0.1, costs = costs, degree = 2))
  hand <- zeronorm(by_hand, data$y, l2_l1_svm(mu = 10, nu = 0.1, costs = c(costs, 1, 2, 3, 2, 3, 3)),
                   standardize = FALSE)
  expect_equal(unname(coef(fit)), unname(coef(hand)), tolerance = 1e-6)
  expect_identical(names(coef(fit))[5:10], c("g1^2", "g1*g2", "g1*g3", "g2^2", "g2*g3", "g3^2"))
})

test_that("new data are matched by name, and only features of selected monomials are needed", {
  data <- curved(40, 5)
  new <- curved(10, 5, seed = 3)$x
  fit <- zeronorm(data$x, data$y, arom(nonzero = 3, errors = "l2", kernel = poly_kernel(2)))
  behind <- unique(unlist(strsplit(sub("\\^2", "", selected(fit)), "*", fixed = TRUE)))
  expect_lt(length(behind), 5)
  x <- sweep(sweep(new, 2, colMeans(data$x)), 2, apply(data$x, 2, sd), "/")
  weights <- coef(fit)[-1]
  by_hand <- monomial_values(x, monomial_table(5, 2)) %*% weights + coef(fit)[[1]]
  expect_equal(unname(predict(fit, new, "link")), as.vector(by_hand))
  expect_equal(predict(fit, new[, rev(behind)], "link"), predict(fit, new, "link"))
  expect_equal(unname(predict(fit, as.data.frame(new), "link")), unname(predict(fit, new, "link")))
  expect_equal(predict(fit, as(new, "dgCMatrix"), "link"), predict(fit, new, "link"))
  expect_zeronorm_error(predict(fit, new[, setdiff(colnames(new), behind[1])]), "newdata", behind[1])
  expect_equal(unname(predict(fit, unname(new), "link")), unname(predict(fit, new, "link")))
})

test_that("columns without names give monomials names", {
  data <- curved(40)
  fit <- zeronorm(unname(data$x), data$y, arom(errors = "l2", kernel = poly_kernel(2)))
  expect_true(all(selected(fit) %in% c("x1", "x2", "x3", "x1^2", "x1*x2", "x1*x3", "x2^2", "x2*x3", "x3^2")))
  expect_equal(sum(feature_importance(fit) > 0), length(selected(fit)))
})

test_that("a monomial is unpenalised where all its features are", {
  data <- curved(40)
  x <- scale(data$x)
  fit <- zeronorm(data$x, data$y, l2_l1_svm(mu = 10, nu = 0.5, degree = 2), unpenalized = "g2")
  by_hand <- monomial_values(x, monomial_table(3, 2))
  hand <- zeronorm(by_hand, data$y, l2_l1_svm(mu = 10, nu = 0.5), unpenalized = c(2, 7), standardize = FALSE)
  expect_equal(unname(coef(fit)), unname(coef(hand)), tolerance = 1e-6)
  method <- arom(nonzero = 6, errors = "l2", kernel = poly_kernel(2))
  kept <- zeronorm(data$x, data$y, method, keep = c("g1", "g2"))
  expect_length(setdiff(c("g1", "g2", "g1^2", "g1*g2", "g2^2"), selected(kept)), 0)
})

test_that("several classes share the scales of monomials", {
  x <- curved(30)$x[, 1:2]
  rings <- cut(rowSums(x^2), c(0, 1, 2.5, Inf), c("in", "mid", "out"))
  fit <- zeronorm(x, rings, arom(errors = "l2", lambda = 10, kernel = poly_kernel(2)), standardize = FALSE)
  expect_true(all(c("g1^2", "g2^2") %in% selected(fit)))
  expect_lt(length(selected(fit)), 5)
  expect_identical(names(coef(fit)), levels(rings))
  expect_identical(certificate(fit)$errors, sum(predict(fit, x) != rings))
})

test_that("more monomials than can be had are refused", {
  data <- planted(10, 300)
  cubic <- l2_l1_svm(mu = 1, nu = 1, degree = 3)
  expect_zeronorm_error(zeronorm(data$x, data$y, cubic), "x", "at most")
  expect_equal(cubic$declares$max_features, most_features(3))
  expect_identical(l2_l1_svm(mu = 1, nu = 1)$declares$max_features, Inf)
})

test_that("fits on monomials print, summarise, plot and update", {
  data <- curved(40)
  method <- arom(errors = "l2", kernel = poly_kernel(2), nonzero = c(4, 2), refit = "l2")
  fit <- zeronorm(data$x, data$y, method)
  expect_output(print(fit), "9 monomials")
  expect_output(print(summary(fit, nonzero = 4)), "g1\\*g2")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_true(all(c("g1*g2", "g3") %in% rownames(plot(fit))))
  fit <- zeronorm(data$x, data$y, arom(errors = "l2", kernel = poly_kernel(2)))
  again <- update(fit, data$x, data$y, nonzero = 2)
  expect_identical(again$method$selection$refit, "none")
})
