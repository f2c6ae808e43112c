#' Support vector machine for several classes
#'
#' One machine with a decision function \eqn{f_k(x) = w_k'x + b_k} for each class (Weston and Watkins):
#' \deqn{\min \frac12 \sum_k |w_k|^2 + C \sum_i \sum_{k \ne y_i} \xi_{ik}, \quad
#'   \xi_{ik} = \max(0, 2 - f_{y_i}(x_i) + f_k(x_i))}
#' or \eqn{\sum_k |w_k|_1} in place of the squared norms. The predicted class has the largest decision value.
#' With two classes it is the two-class machine: \eqn{f_2 = -f_1}. Intercepts sum to zero.
#'
#' @param norm `"l2"` or `"l1"`.
#' @param C cost parameter: the penalty on margin violations; a vector is a path. Inf means the limit: the
#'   smallest sum of margin violations first,
#'   then the smallest norm, which is the hard margin where the classes are separable.
#' @return An object of class `zeronorm_method`, to be passed to [zeronorm()].
#' @references
#' Weston, J. and Watkins, C. (1999). Support vector machines for multi-class pattern recognition. *ESANN*,
#' 219-224.
#' @examples
#' fit <- zeronorm(Species ~ ., data = iris, m_svm(C = 1))
#' table(predict(fit, iris), iris$Species)
#' coef(fit)$versicolor
#' @concept methods without selection
#' @export
m_svm <- function(norm = "l2", C = Inf) {
  args <- arguments()
  norm <- check_choice(norm, "norm", c("l2", "l1"))
  C <- check_C(C)
  by_l1 <- as.numeric(norm == "l1")
  new_method("m_svm", "multi-class SVM", args, tuning = data.frame(C = C),
             steps = steps_of_C(C, by_l1, 1 - by_l1), reference = "Weston and Watkins (1999)",
             model = new_model(limit = TRUE, multiclass = "joint"),
             selection = new_selection(list(refit = norm, refit_multiclass = "m_svm")),
             declares = declare(c("two-class", "k-class")))
}
