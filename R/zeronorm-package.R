#' zeronorm: sparse support vector machines and embedded feature selection
#'
#' One verb, [zeronorm()], fits; a method object such as [arom()] or [fsv()] says what is fitted.
#' [zeronorm_methods()] lists them. [certificate()] says how far each solution can be from the optimum.
#'
#' @importFrom Rcpp evalCpp
#' @importFrom methods as is new slot<-
#' @importClassesFrom Matrix dgCMatrix
#' @importFrom Matrix sparseMatrix
#' @importFrom stats coef delete.response fitted formula model.frame model.matrix model.response nobs predict
#' @importFrom stats residuals terms update
#' @importFrom graphics abline axis axTicks barplot contour grconvertX grconvertY image legend lines matlines
#' @importFrom graphics mtext par plot points rect segments strwidth text title
#' @importFrom grDevices adjustcolor hcl.colors palette.colors
#' @importFrom utils head modifyList
#' @useDynLib zeronorm, .registration = TRUE
#' @keywords internal
#' @docType package
#' @name zeronorm-package
NULL
