# Names of this package beside those of the packages that are used with it.

partners <- c("generics", "broom", "parsnip", "recipes", "rsample", "dials", "tune", "workflows", "yardstick",
              "caret", "mlr3", "paradox", "ggplot2", "ranger", "glmnet", "e1071", "kernlab", "randomForest",
              "pROC",
              "Biobase", "SummarizedExperiment", "SingleCellExperiment", "DelayedArray")

# Attaches zeronorm before or after all partners in a fresh process, and fits: list(messages, clashes, found),
# where clashes are our names that another of them exports, or has attached, for something else.
attached <- function(first) {
  callr::r(function(first, partners, paths) {
    .libPaths(paths)
    messages <- character()
    attach_one <- function(package) {
      withCallingHandlers(
        suppressWarnings(library(package, character.only = TRUE)),
        message = function(m) {
          messages <<- c(messages, paste0(package, ": ", conditionMessage(m)))
          invokeRestart("muffleMessage")
        }
      )
    }
    present <- Filter(function(package) nzchar(system.file(package = package)), partners)
    for (package in if (first) c("zeronorm", present) else c(present, "zeronorm")) attach_one(package)
    ours <- as.environment("package:zeronorm")
    clashes_with <- function(package, values, names) {
      shared <- Filter(function(name) is.function(get(name, values)), intersect(ls(ours), names))
      same <- vapply(shared, function(name) identical(get(name, ours), get(name, values)), NA)
      paste0(package, "::", shared[!same], recycle0 = TRUE)
    }
    places <- setdiff(search(), c(".GlobalEnv", "package:zeronorm"))
    clashes <- c(
      unlist(lapply(places, function(place) clashes_with(place, as.environment(place), ls(place)))),
      unlist(lapply(present, function(package) {
        clashes_with(package, asNamespace(package), getNamespaceExports(package))
      }))
    )
    set.seed(1)
    x <- matrix(rnorm(40 * 10), 40, dimnames = list(NULL, paste0("g", 1:10)))
    y <- factor(ifelse(x[, 1] - x[, 2] > 0, "up", "down"))
    fit <- calibrate_zeronorm(zeronorm(x, y, svm_rfe(nonzero = 2)), x, y, folds = 4)
    found <- list(selected = sort(selected(fit)), importance = names(feature_importance(fit))[1:2],
                  ranking = feature_ranking(fit)[1:2], rounds = nrow(rounds(fit)), tidy = nrow(tidy(fit)),
                  glance = nrow(glance(fit)), augment = ncol(augment(fit, x)),
                  chance = predict(fit, x, "prob")[1])
    list(messages = messages, clashes = clashes, found = found)
  }, list(first, partners, .libPaths()))
}

test_that("nothing is masked, whatever is attached first", {
  skip_if_not_installed("callr")
  runs <- lapply(c(TRUE, FALSE), attached)
  for (run in runs) {
    expect_length(run$clashes, 0)
    about_us <- grep("package:zeronorm|^zeronorm:", run$messages, value = TRUE)
    expect_identical(grep("masked", about_us, value = TRUE), character())
    expect_identical(run$found$selected, c("g1", "g2"))
  }
  expect_identical(runs[[1]]$found, runs[[2]]$found)
})

test_that("verbs of package generics are its own", {
  shared <- intersect(getNamespaceExports("zeronorm"), getNamespaceExports("generics"))
  expect_setequal(shared, c("tidy", "glance", "augment"))
  for (name in shared) {
    expect_identical(getExportedValue("zeronorm", name), getExportedValue("generics", name))
  }
})
