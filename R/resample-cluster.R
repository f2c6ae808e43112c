#' On many cores, and on a cluster
#'
#' [cv_zeronorm()], [nested_zeronorm()], [stability_selection()], [permutation_test()], [learning_curve()] and
#' [calibrate_zeronorm()] are loops whose parts do not depend on each other. They run on whatever plan of
#' package \pkg{future} is set, and with the same seed the answer is the same, to the last bit, on all of
#' them: each part has a stream of random numbers of its own.
#'
#' @section On one computer:
#' ```
#' future::plan(future::multisession, workers = 8)
#' set.seed(1)
#' cv <- cv_zeronorm(x, y, repeats = 10)
#' future::plan(future::sequential)
#' ```
#'
#' @section On a cluster with Slurm:
#' Start R on the login node, in a directory that all nodes see, with the package installed in a library that
#' all nodes see.
#' ```
#' library(future.batchtools)
#' plan(batchtools_slurm, workers = 100,
#'      resources = list(walltime = 3600, memory = 2000, ncpus = 1))
#' set.seed(1)
#' outer <- nested_zeronorm(x, y, repeats = 10, checkpoint = "nested-colon")
#' ```
#' `workers` is the number of jobs among which the folds are divided; `resources` are what the template of
#' \pkg{batchtools} asks the cluster for, `walltime` in seconds and `memory` in megabytes. Where Slurm keeps
#' no accounts, use ``` plan(batchtools_custom, workers = 100, cluster.functions =
#' batchtools::makeClusterFunctionsSlurm("slurm-simple"), resources = list(walltime = 3600, memory = 2000,
#' ncpus = 1)) ```
#'
#' @section When something dies:
#' With `checkpoint =` a directory every finished fold is written there. When a
#' job is killed, a node fails or the session ends, the identical call with the same `set.seed()` before it,
#' here or elsewhere, takes the finished folds from the directory and computes the rest; the result is
#' identical to that of a call that was never interrupted. A call that differs in anything that the result
#' depends on is refused the directory, and the error names what differs: data, every argument in full,
#' functions with the values they use, splits, the random seed, or the version of the package. The number of
#' threads, the plan and `BPPARAM` may differ. Without `set.seed()` before the first call nobody can repeat
#' it.
#'
#' @section With BiocParallel:
#' `BPPARAM = BiocParallel::SnowParam(8)` takes the place of the plan.
#'
#' @section Progress:
#' At the console it shows by itself, see [zeronorm_progress]; in scripts ask for it by
#' `progressr::with_progress(cv_zeronorm(x, y))`, or `progressr::handlers(global = TRUE)` once.
#'
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' finished <- tempfile()
#' set.seed(2)
#' cv <- cv_zeronorm(x, y, l1_svm(C = c(0.1, 1)), folds = 4, checkpoint = finished)
#' set.seed(2)
#' identical(cv, cv_zeronorm(x, y, l1_svm(C = c(0.1, 1)), folds = 4, checkpoint = finished))
#' set.seed(2)
#' try(cv_zeronorm(x, y, l1_svm(C = c(0.1, 2)), folds = 4, checkpoint = finished))
#' @name zeronorm_cluster
NULL
