#' Kernels
#'
#' | kernel | k(x, z) |
#' |---|---|
#' | `gaussian_kernel(width)` | \eqn{\exp(-|x - z|^2 / (2\,width^2))} |
#' | `poly_kernel(degree, "sum")` | \eqn{\sum_{t=1}^{degree} (x'z)^t} |
#' | `poly_kernel(degree, "power")` | \eqn{(x'z + 1)^{degree}} |
#' | `chi2_kernel(rho)` | \eqn{\exp(-\rho \sum_j (x_j - z_j)^2 / (x_j + z_j))}, with 0/0 = 0 |
#'
#' A method with a `kernel` argument also takes `"linear"`, the names `"gaussian"`, `"poly"` and `"chi2"` for
#' the defaults, a function of two vectors (kernels of package kernlab are such functions), and the n x n
#' matrix of kernel values of the training data itself; then `predict()` expects the values between new
#' rows and training rows.
#'
#' With `standardize = TRUE` the columns of x are centred and scaled before the kernel is evaluated, except
#' for `chi2_kernel()`, which needs non-negative x, and for a matrix.
#'
#' @param width width of the bell; NULL means \eqn{\sqrt d / 2}.
#' @param degree highest power.
#' @param form `"sum"` or `"power"`.
#' @param rho rate of decay.
#' @return An object of class `zeronorm_kernel`.
#' @references
#' Schoelkopf, B. and Smola, A. J. (2002). *Learning with Kernels*. MIT Press.
#'
#' Neumann, J., Schnoerr, C. and Steidl, G. (2005). Combined SVM-based feature selection and classification.
#' *Machine Learning* 61, 129-150.
#' @examples
#' l2_svm(C = 10, kernel = gaussian_kernel(0.5))
#' l2_svm(kernel = function(x, z) tanh(0.1 * sum(x * z)))
#' @name kernels
NULL

new_kernel <- function(kind, ..., raw = FALSE) {
  structure(class = "zeronorm_kernel", list(kind = kind, ..., raw = raw))
}

#' @rdname kernels
#' @export
gaussian_kernel <- function(width = NULL) {
  check_argument_names()
  if (!is.null(width)) width <- check_number(width, "width", open_lower = TRUE)
  new_kernel("gaussian", width = width)
}

#' @rdname kernels
#' @export
poly_kernel <- function(degree = 2, form = "sum") {
  check_argument_names()
  new_kernel("poly", degree = check_count(degree, "degree"),
             form = check_choice(form, "form", c("sum", "power")))
}

#' @rdname kernels
#' @export
chi2_kernel <- function(rho = 1) {
  check_argument_names()
  new_kernel("chi2", rho = check_number(rho, "rho", open_lower = TRUE), raw = TRUE)
}

# NULL stands for the linear kernel.
as_kernel <- function(kernel) {
  if (inherits(kernel, "zeronorm_kernel")) {
    if (kernel$kind == "matrix" && is.null(kernel$values)) {
      stop_zeronorm("kernel", "is a matrix that the fit did not keep.", "Give the matrix again.")
    }
    return(kernel)
  }
  for (constructor in list(gaussian_kernel, poly_kernel, chi2_kernel)) {
    if (identical(kernel, constructor)) return(constructor())
  }
  if (is.function(kernel)) return(new_kernel("function", evaluate = kernel))
  if (is.matrix(kernel) || inherits(kernel, "Matrix")) return(matrix_kernel(as.matrix(kernel)))
  name <- check_choice(kernel, "kernel", c("linear", "gaussian", "poly", "chi2"))
  switch(name, linear = NULL, gaussian = gaussian_kernel(), poly = poly_kernel(), chi2 = chi2_kernel())
}

matrix_kernel <- function(k) {
  if (!is.numeric(k) || nrow(k) != ncol(k) || !all(is.finite(k))) {
    stop_zeronorm("kernel", paste0("is ", describe(k), ", not a square matrix of finite numbers."),
                  "Use the kernel values between all pairs of training rows.")
  }
  if (max(abs(k - t(k))) > 1e-8 * max(abs(k))) {
    stop_zeronorm("kernel", "is not symmetric.", "Use k(x, z) = k(z, x).")
  }
  storage.mode(k) <- "double"
  new_kernel("matrix", values = k, raw = TRUE)
}

# Values between the rows of x and the rows of z; x and z dense.
kernel_values <- function(kernel, x, z) {
  switch(kernel$kind,
    gaussian = {
      unit <- sqrt(2) * gaussian_width(kernel, ncol(x))
      exp(-squared_distances(x / unit, z / unit))
    },
    poly = polynomial_of(kernel, tcrossprod(x, z)),
    chi2 = chi2_values(x, z, kernel$rho),
    "function" = pairwise_values(x, z, kernel$evaluate)
  )
}

# Between the rows of x and the rows of z, from their products, which are fast. Pairs that are so close that
# their distance drowns in the rounding of these, but not so far apart that it is of no account, are taken by
# themselves.
squared_distances <- function(x, z) {
  middle <- colMeans(z)
  x <- sweep(x, 2, middle)
  z <- sweep(z, 2, middle)
  sizes <- outer(rowSums(x^2), rowSums(z^2), "+")
  distance <- pmax(sizes - 2 * tcrossprod(x, z), 0)
  rounding <- 1e-15 * sizes
  near <- which(rounding > 1e-12 & distance < 1000 + rounding, arr.ind = TRUE)
  for (from in seq(1, by = 1000, length.out = ceiling(nrow(near) / 1000))) {
    pairs <- near[from:min(from + 999, nrow(near)), , drop = FALSE]
    distance[pairs] <- rowSums((x[pairs[, 1], , drop = FALSE] - z[pairs[, 2], , drop = FALSE])^2)
  }
  distance
}

gaussian_width <- function(kernel, d) if (is.null(kernel$width)) sqrt(d) / 2 else kernel$width

check_nonnegative <- function(x) {
  if (all(x >= 0)) return(invisible())
  stop_zeronorm("kernel", "is chi2_kernel() but the data hold negative values.",
                "Use counts or other non-negative features, or another kernel.")
}

# A polynomial kernel from inner products.
polynomial_of <- function(kernel, product) {
  if (kernel$form == "power") return((product + 1)^kernel$degree)
  Reduce(function(value, t) product * (1 + value), seq_len(kernel$degree), 0)
}

chi2_values <- function(x, z, rho) {
  check_nonnegative(x)
  check_nonnegative(z)
  distance <- function(a) {
    sums <- sweep(z, 2, a, "+")
    terms <- sweep(z, 2, a, "-")^2 / sums
    terms[sums == 0] <- 0
    rowSums(terms)
  }
  exp(-rho * t(matrix(apply(x, 1, distance), nrow = nrow(z))))
}

pairwise_values <- function(x, z, evaluate) {
  value <- function(i, j) {
    k <- tryCatch(as.numeric(evaluate(x[i, ], z[j, ])), error = function(e) {
      stop_zeronorm("kernel", paste0("cannot be evaluated: ", conditionMessage(e), "."),
                    "Use a function of two vectors.")
    })
    if (length(k) == 1) return(k)
    stop_zeronorm("kernel", paste("returns", length(k), "values for a pair of rows."), "Return one number.")
  }
  k <- matrix(0, nrow(x), nrow(z))
  for (i in seq_len(nrow(x))) {
    k[i, ] <- vapply(seq_len(nrow(z)), function(j) value(i, j), numeric(1))
  }
  k
}

# The training side of a kernel machine: the matrix for the core and what predict() will need.
# scaled: the core makes the matrix itself.
kernel_machine <- function(kernel, x, weights, standardize, scaled = FALSE) {
  if (kernel$kind == "matrix") {
    if (nrow(kernel$values) != nrow(x)) {
      stop_zeronorm("kernel", paste("is", nrow(kernel$values), "x", ncol(kernel$values), "but `x` has",
                                    nrow(x), "rows."), "Give one kernel row for every row of `x`.")
    }
    return(list(kernel = new_kernel("matrix", raw = TRUE), scaled = FALSE, values = kernel$values,
                n = nrow(x)))
  }
  machine <- c(list(kernel = kernel, scaled = scaled),
               standard_columns(x, weights, standardize && !kernel$raw))
  if (scaled) {
    if (kernel$kind == "chi2") check_nonnegative(machine$x)
    if (kernel$kind == "gaussian") machine$kernel$width <- gaussian_width(kernel, ncol(machine$x))
    return(machine)
  }
  machine$values <- kernel_values(kernel, machine$x, machine$x)
  if (!all(is.finite(machine$values))) {
    stop_zeronorm("kernel", "gives values that are not finite on `x`.", "Rescale `x` or change the kernel.")
  }
  machine
}

# x dense, standardised where wanted, and how new rows become so: list(x, center, scale).
standard_columns <- function(x, weights, standardize) {
  x <- as.matrix(x)
  if (!all(is.finite(x))) stop_not_finite(x, "x")
  standard <- list(x = x, center = NULL, scale = NULL)
  if (!standardize) return(standard)
  total <- sum(weights)
  freedom <- max(total - 1, total - sum(weights^2) / total)
  standard$center <- colSums(x * weights) / total
  spread <- sqrt(colSums(sweep(x, 2, standard$center)^2 * weights) / freedom)
  varies <- apply(x[weights > 0, , drop = FALSE], 2, function(column) any(column != column[1]))
  lost <- which(!is.finite(spread) | varies & pmax(spread, abs(standard$center)) < 1e-145)
  if (length(lost)) {
    stop_zeronorm("x", paste("values in column", lost[1], "are too large or too small to be squared."),
                  "Use other units.")
  }
  # A constant column has spread at the level of rounding and says nothing.
  constant <- spread <= 1e-14 * sqrt(nrow(x)) * abs(standard$center)
  standard$scale <- ifelse(constant, Inf, spread)
  standard$x <- standardize_rows(x, standard)
  standard
}

# Called only after a failure, so its cost does not matter.
check_semidefinite <- function(values) {
  eigenvalues <- eigen(values, symmetric = TRUE, only.values = TRUE)$values
  if (min(eigenvalues) >= -1e-8 * max(abs(eigenvalues))) return(invisible())
  stop_zeronorm("kernel", "is not positive semidefinite on `x`.", "Use a kernel that is an inner product.")
}

standardize_rows <- function(x, machine) {
  if (is.null(machine$center)) return(x)
  sweep(sweep(x, 2, machine$center), 2, machine$scale, "/")
}

#' @method format zeronorm_kernel
#' @export
format.zeronorm_kernel <- function(x, ...) {
  switch(x$kind,
    gaussian = paste0("gaussian_kernel(", if (!is.null(x$width)) format(x$width), ")"),
    poly = paste0("poly_kernel(", x$degree, ", \"", x$form, "\")"),
    chi2 = paste0("chi2_kernel(", format(x$rho), ")"),
    "function" = "function(x, z)",
    matrix = "matrix"
  )
}

#' @method print zeronorm_kernel
#' @export
print.zeronorm_kernel <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

# Kernels whose dependence on the scales of features the core knows.
check_scalable <- function(kernel, kinds) {
  if (!is.null(kernel) && kernel$kind %in% kinds) return(kernel)
  stop_zeronorm("kernel", paste0("is ", if (is.null(kernel)) "\"linear\"" else format(kernel), "."),
                paste0("Use ", paste0(kinds, "_kernel()", collapse = " or "), "."))
}

# A kernel with every parameter set, as the core takes it.
kernel_form <- function(kernel) {
  switch(kernel$kind,
    gaussian = list(kind = "gaussian", parameter = kernel$width),
    chi2 = list(kind = "chi2", parameter = kernel$rho),
    poly = list(kind = kernel$form, parameter = as.double(kernel$degree))
  )
}

# Values of the kernel whose features are scaled by theta.
scaled_values <- function(kernel, x, z, theta) {
  if (!length(theta)) return(matrix(if (identical(kernel$form, "sum")) 0 else 1, nrow(x), nrow(z)))
  stretch <- if (kernel$kind == "chi2") theta else sqrt(theta)
  kernel_values(kernel, sweep(x, 2, stretch, "*"), sweep(z, 2, stretch, "*"))
}
