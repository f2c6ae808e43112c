#' On many cores, and on a cluster
#'
#' [cv_zeronorm()], [nested_zeronorm()], [stability_selection()], [permutation_test()], [learning_curve()] and
#' [calibrate_zeronorm()] are loops whose parts do not depend on each other. They run on whatever plan of package
#' \pkg{future} is set, and with the same seed the answer is the same, to the last bit, on all of them: each
#' part has a stream of random numbers of its own.
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
#' With `checkpoint =` a directory every finished fold is written there. When a job is killed, a node fails or
#' the session ends, the same call again, here or elsewhere, takes the finished folds from the directory and
#' computes the rest, with the folds and random numbers of the first call, whatever the seed is now. A call
#' with other data or arguments is refused that directory.
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
#' folds <- tempfile()
#' cv <- cv_zeronorm(x, y, l1_svm(C = c(0.1, 1)), folds = 4, checkpoint = folds)
#' identical(cv, cv_zeronorm(x, y, l1_svm(C = c(0.1, 1)), folds = 4, checkpoint = folds))
#' @name zeronorm_cluster
NULL
