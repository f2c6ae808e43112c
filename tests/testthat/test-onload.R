test_that("an adapter is registered when its package is there, or comes", {
  called <- 0
  register <- function() called <<- called + 1
  when_loaded("stats", register)
  expect_identical(called, 1)
  absent <- "nobodysPackage"
  when_loaded(absent, register)
  expect_identical(called, 1)
  hooks <- getHook(packageEvent(absent, "onLoad"))
  expect_length(hooks, 1)
  hooks[[1]](absent, "nowhere")
  expect_identical(called, 2)
  setHook(packageEvent(absent, "onLoad"), NULL, "replace")
  setHook(packageEvent("stats", "onLoad"), NULL, "replace")
})

test_that("an adapter that does not fit keeps nothing from loading", {
  on.exit(setHook(packageEvent("stats", "onLoad"), NULL, "replace"))
  expect_message(when_loaded("stats", function() stop("too old")), "not registered with stats: too old")
})

test_that("nothing is registered where no package asks for it", {
  skip_if_not_installed("callr")
  loaded <- callr::r(function() {
    loadNamespace("zeronorm")
    c("parsnip", "mlr3", "caret", "recipes", "ggplot2", "SummarizedExperiment") %in% loadedNamespaces()
  }, libpath = .libPaths())
  expect_false(any(loaded))
})

test_that("every function of another package is imported, whatever is attached", {
  skip_if_not_installed("codetools")
  own <- asNamespace("zeronorm")
  functions <- Filter(is.function, mget(ls(own, all.names = TRUE), own))
  called <- unique(unlist(lapply(functions, function(f) codetools::findGlobals(f, merge = FALSE)$functions)))
  places <- list(own, parent.env(own), baseenv())
  known <- unlist(lapply(places, ls, all.names = TRUE))
  expect_identical(setdiff(called, known), character())
})
