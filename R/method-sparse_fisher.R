#' Sparse Fisher discriminant
#'
#' \deqn{\min_{a,b} \sum_j |a_j| + C \sum_i \xi_i^2 \quad \mbox{subject to} \quad K a + b = y + \xi, \quad
#'   \sum_{i: y_i = 1} \xi_i = \sum_{i: y_i = -1} \xi_i = 0}
#' The decision values of each class have its label, -1 or +1, as their mean, and vary as little as few
#' coefficients allow. With a kernel, K is the matrix of its values, and few of the observations are used
#' (sparse kernel Fisher discriminant); with `"linear"` its columns are the features themselves, and few of
#' them are.
#'
#' The constraints move the labels of both classes apart, and labels so moved are labels stretched. So the
#' solution is one of [lasso()], times a factor; the one with the right distance of the class means is
#' searched for. Without an intercept the direction a is the same and b is 0. An error where the classes have
#' the same mean in every column.
#'
#' @param C cost parameter: the weight of the squared deviations from the labels beside the norm; a vector is a path.
#'   The `C` of Mika et al., which weights the norm, is the reciprocal.
#' @param kernel `"linear"`, or a kernel as in [l2_svm()]; it need not be positive definite.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Mika, S., Raetsch, G. and Mueller, K.-R. (2001). A mathematical programming approach to the kernel Fisher
#' algorithm. *NIPS* 13, 591-597.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 50), 40)
#' y <- x[, 1] - x[, 2] > 0
#' selected(zeronorm(x, y, sparse_fisher(C = 0.05)))
#'
#' ring <- rowSums(x[, 1:2]^2) > 1.4
#' fit <- zeronorm(x[, 1:2], ring, sparse_fisher(C = 1, kernel = gaussian_kernel(0.7)))
#' length(coef(fit)) - 1
#' @concept methods by the l1 norm
#' @export
sparse_fisher <- function(C = 1, kernel = "linear") {
  args <- arguments()
  C <- check_numbers(C, "C", open_lower = TRUE)
  new_method("sparse_fisher", "sparse Fisher discriminant", args, tuning = data.frame(C = C),
             steps = new_steps(1, 0, 1, lambda = 1 / C), reference = "Mika, Raetsch and Mueller (2001)",
             family = "fisher", model = new_model(loss = "squared", kernel = as_kernel(kernel), expansion = TRUE),
             declares = declare(descends = FALSE))
}

# b is an unknown of the problem, whether or not it is wanted in the decision values.
fit_method.zeronorm_fisher <- function(method, problem, settings) {
  if (!all(rowsum(problem$weights, problem$class) > 0)) {
    stop_zeronorm("weights", "are zero for a whole class.", "Give weight to observations of both classes.")
  }
  wanted <- settings$intercept
  settings$intercept <- TRUE
  solutions <- solve_problem(problem, method, settings)
  if (!wanted) solutions$intercept <- 0 * solutions$intercept
  # The core's objective is the sum of squares with 1 / C as the weight of the norm.
  C <- method$tuning$C[solutions$step]
  for (field in c("primal", "dual")) solutions$facts[[field]] <- C * solutions$facts[[field]]
  solutions$trace <- Map(function(rounds, C) {
    rounds$objective <- C * rounds$objective
    rounds
  }, solutions$trace, C)
  # The multiplier of the means is of no use to anybody.
  solutions$C[] <- NA
  solutions
}

core_options.zeronorm_fisher <- function(method, problem, steps) list(norm_costs = steps$lambda)
