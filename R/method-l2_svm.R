#' Support vector machine with the l2 norm
#'
#' \deqn{\min_{w,b} \frac12 |w|^2 + C \sum_i \xi_i, \quad \xi_i = \max(0, 1 - y_i f(x_i))}
#' The usual machine: dense in the features, sparse in the observations. With a kernel,
#' \eqn{f(x) = \sum_i a_i y_i k(x_i, x) + b}. With `loss = "squared_hinge"` a slack costs
#' \eqn{\xi_i^2 / 2}, which adds a ridge 1/C to the kernel matrix.
#'
#' @inheritParams l1_svm
#' @param kernel `"linear"`, a kernel (see [kernels]), a function of two vectors, or the matrix of kernel
#'   values of the training data.
#' @param loss `"hinge"` or `"squared_hinge"`.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Cortes, C. and Vapnik, V. (1995). Support-vector networks. *Machine Learning* 20, 273-297.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 2), 60)
#' y <- rowSums(x^2) > 1.4
#' fit <- zeronorm(x, y, l2_svm(C = 10, kernel = gaussian_kernel(0.7)))
#' mean(predict(fit, x) == y)
#' @concept methods without selection
#' @export
l2_svm <- function(C = 1, kernel = "linear", loss = "hinge") {
  args <- arguments()
  C <- check_C(C)
  new_method("l2_svm", "l2-SVM", args, tuning = same_lengths(C = C), steps = steps_of_C(C, 0, 1),
             reference = "Cortes and Vapnik (1995)",
             model = new_model(loss = check_choice(loss, "loss", c("hinge", "squared_hinge")),
                               kernel = as_kernel(kernel)))
}
