#' Penalties: concave approximations of the zero-norm
#'
#' A penalty \eqn{\phi(t)}, \eqn{t = |w_j| \ge 0}, is concave and increasing, with a finite slope at 0: the
#' slope at the last solution is the price of a feature in the next linear programme.
#'
#' | penalty | value |
#' |---|---|
#' | `exp_penalty(alpha)` | \eqn{1 - e^{-\alpha t}} |
#' | `log_penalty(eps)` | \eqn{\ln(\epsilon + t)} |
#' | `power_penalty(p, eps)` | \eqn{(t + \epsilon)^p}, \eqn{0 < p < 1} |
#' | `inverse_penalty(p, eps)` | \eqn{-(t + \epsilon)^{-p}}, \eqn{p \ge 1} |
#' | `l1_penalty()` | \eqn{t} |
#' | `capped_penalty(theta)` | \eqn{\min(t / \theta, 1)} |
#' | `scad_penalty(lambda, a)` | slope \eqn{\min(\lambda, (a\lambda - t)_+ / (a - 1))} |
#' | `mcp_penalty(lambda, a)` | slope \eqn{(\lambda - t / a)_+} |
#' | `custom_penalty(value, slope)` | two vectorised functions of t |
#'
#' In a method, a name such as `"log"` stands for the penalty with its default values.
#'
#' @param alpha steepness; an increasing vector is a schedule, each value starting from the solution of the
#'   one before.
#' @param eps offset that keeps the slope at 0 finite.
#' @param p power.
#' @param theta,lambda,a knots as in the table.
#' @param value,slope functions of a vector of magnitudes.
#' @return An object of class `zeronorm_penalty`.
#' @references
#' Bradley, P. S. and Mangasarian, O. L. (1998). Feature selection via concave minimization and support
#' vector machines. *ICML*, 82-90.
#'
#' Rinaldi, F., Schoen, F. and Sciandrone, M. (2010). Concave programming for minimizing the zero-norm over
#' polyhedral sets. *Computational Optimization and Applications* 46, 467-486.
#'
#' Fan, J. and Li, R. (2001). Variable selection via nonconcave penalized likelihood and its oracle
#' properties. *JASA* 96, 1348-1360.
#'
#' Zhang, C.-H. (2010). Nearly unbiased variable selection under minimax concave penalty. *Annals of
#' Statistics* 38, 894-942.
#' @examples
#' exp_penalty(5)
#' fsv(penalty = log_penalty(1e-3))
#' custom_penalty(value = function(t) t / (1 + t), slope = function(t) 1 / (1 + t)^2)
#' @name penalties
NULL

new_penalty <- function(kind, alpha = 5, eps = 1e-6, p = 1, theta = 1, lambda = 1, a = 3, value = NULL,
                        slope = NULL, label = character()) {
  structure(class = "zeronorm_penalty",
            list(kind = kind, alpha = alpha, eps = eps, p = p, theta = theta, lambda = lambda, a = a,
                 value = value, slope = slope, label = label))
}

#' @rdname penalties
#' @export
exp_penalty <- function(alpha = 5) {
  check_argument_names()
  alpha <- check_numbers(alpha, "alpha", open_lower = TRUE)
  if (is.unsorted(alpha, strictly = TRUE)) {
    stop_zeronorm("alpha", "is not increasing.", "A schedule goes from a small to a large alpha.")
  }
  new_penalty("exp", alpha = alpha, label = "alpha")
}

#' @rdname penalties
#' @export
log_penalty <- function(eps = 1e-6) {
  check_argument_names()
  new_penalty("log", eps = check_number(eps, "eps", open_lower = TRUE), label = "eps")
}

#' @rdname penalties
#' @export
power_penalty <- function(p = 0.5, eps = 1e-6) {
  check_argument_names()
  p <- check_number(p, "p", upper = 1, open_lower = TRUE)
  if (p == 1) stop_zeronorm("p", "is 1.", "Use a power below 1, or l1_penalty().")
  new_penalty("power", p = p, eps = check_number(eps, "eps", open_lower = TRUE), label = c("p", "eps"))
}

#' @rdname penalties
#' @export
inverse_penalty <- function(p = 1, eps = 1e-6) {
  check_argument_names()
  new_penalty("inverse", p = check_number(p, "p", lower = 1),
              eps = check_number(eps, "eps", open_lower = TRUE), label = c("p", "eps"))
}

#' @rdname penalties
#' @export
l1_penalty <- function() new_penalty("l1")

#' @rdname penalties
#' @export
capped_penalty <- function(theta = 1) {
  check_argument_names()
  new_penalty("capped", theta = check_number(theta, "theta", open_lower = TRUE), label = "theta")
}

#' @rdname penalties
#' @export
scad_penalty <- function(lambda = 1, a = 3.7) {
  check_argument_names()
  new_penalty("scad", lambda = check_number(lambda, "lambda", open_lower = TRUE),
              a = check_number(a, "a", lower = 2, open_lower = TRUE), label = c("lambda", "a"))
}

#' @rdname penalties
#' @export
mcp_penalty <- function(lambda = 1, a = 3) {
  check_argument_names()
  new_penalty("mcp", lambda = check_number(lambda, "lambda", open_lower = TRUE),
              a = check_number(a, "a", lower = 1, open_lower = TRUE), label = c("lambda", "a"))
}

#' @rdname penalties
#' @export
custom_penalty <- function(value, slope) {
  check_argument_names()
  if (!is.function(value)) stop_zeronorm("value", "is not a function.", "Use a function of |w|.")
  if (!is.function(slope)) stop_zeronorm("slope", "is not a function.", "Use the derivative of `value`.")
  t <- c(0, 10^seq(-6, 3, by = 0.25))
  values <- value(t)
  slopes <- slope(t)
  if (!is.numeric(values) || length(values) != length(t) || !is.numeric(slopes) ||
        length(slopes) != length(t)) {
    stop_zeronorm("value", "or `slope` is not vectorised.", "Return a number for every element of t.")
  }
  if (!all(is.finite(c(values, slopes)))) {
    stop_zeronorm("slope", "or `value` is not finite on [0, 1000].", "Shift t by a small eps, for instance.")
  }
  check_concave(t, values, slopes)
  new_penalty("user", value = value, slope = slope)
}

# For a concave value the mean slope between two points lies between the slopes at its ends.
check_concave <- function(t, values, slopes) {
  size <- 1e-8 * max(1, abs(slopes))
  if (any(slopes < -size) || any(diff(slopes) > size)) {
    stop_zeronorm("slope", "is negative or increases.", "A penalty is concave and never falls.")
  }
  # Rounding of the two values divided by the step.
  slack <- size + 1e-12 * max(1, abs(values)) / diff(t)
  chord <- diff(values) / diff(t)
  if (any(chord > slopes[-length(t)] + slack | chord < slopes[-1] - slack)) {
    stop_zeronorm("slope", "is not the derivative of `value`.", "Check the two functions.")
  }
}

penalty_constructors <- function() {
  list(exp = exp_penalty, log = log_penalty, power = power_penalty, inverse = inverse_penalty, l1 = l1_penalty,
       capped = capped_penalty, scad = scad_penalty, mcp = mcp_penalty)
}

as_penalty <- function(penalty) {
  if (inherits(penalty, "zeronorm_penalty")) return(penalty)
  constructors <- penalty_constructors()
  for (name in names(constructors)) {
    if (identical(penalty, name) || identical(penalty, constructors[[name]])) return(constructors[[name]]())
  }
  stop_zeronorm("penalty", paste0("is ", describe(penalty), "."),
                paste0("Use a penalty such as exp_penalty(5), or one of ",
                       paste0("\"", names(constructors), "\"", collapse = ", "), "."))
}

#' @method format zeronorm_penalty
#' @export
format.zeronorm_penalty <- function(x, ...) {
  if (x$kind == "user") return("penalty(value, slope)")
  values <- vapply(x[x$label], format_values, "")
  paste0(x$kind, "_penalty(", paste(values, collapse = ", "), ")")
}

#' @method print zeronorm_penalty
#' @export
print.zeronorm_penalty <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}
