# A fit is saved, sent to another machine and read by a later version: it has to be small, and whole.

# Environments that an object holds, other than those every R session has.
environments_in <- function(object) {
  found <- list()
  look <- function(part) {
    if (is.environment(part)) {
      named <- nzchar(environmentName(part))
      if (!named) found[[length(found) + 1]] <<- part
      return(invisible())
    }
    if (is.function(part)) look(if (is.null(environment(part))) baseenv() else environment(part))
    if (is.list(part)) lapply(unclass(part), look)
    if (isS4(part)) for (slot in methods::slotNames(part)) look(methods::slot(part, slot))
    for (attribute in attributes(part)) if (!is.character(attribute)) look(attribute)
    invisible()
  }
  look(object)
  found
}

size_saved <- function(object) length(serialize(object, NULL))

test_that("no fit holds data or environments", {
  for (name in names(example_methods())) {
    method <- example_methods()[[name]]
    # 7,260 monomials of 120 features would take a minute.
    features <- if (name == "quadratic_fsv") 30 else 120
    few <- separated(40, features)
    many <- separated(160, features)
    fit <- fit_of(method, few)
    expect_identical(environments_in(fit), list(), info = name)
    if (is_kernel_machine(fit)) next
    expect_true(size_saved(fit) < 20 * 1024 + 24 * length(fit$coefficients@x), info = name)
    # 120 more observations are 29 KB of 30 features and 115 KB of 120.
    expect_true(size_saved(fit_of(method, many)) - size_saved(fit) < 8 * 1024, info = name)
  }
})

test_that("a path of 2000 genes is saved in less than the matrix of its coefficients", {
  data <- planted(60, 2000)
  fit <- zeronorm(data$x, data$y)
  expect_lt(size_saved(fit), 250 * 1024)
  file <- tempfile(fileext = ".rds")
  saveRDS(fit, file)
  expect_lt(file.size(file), 100 * 1024)
  again <- readRDS(file)
  expect_identical(again, fit)
  expect_identical(predict(again, data$x), predict(fit, data$x))
})

test_that("a formula and functions leave the data of their caller behind", {
  caller <- function() {
    data <- planted(40, 4)
    ballast <- rnorm(1e5)
    frame <- data.frame(data$x, y = data$y)
    zeronorm(y ~ log(abs(g1) + length(ballast)) + g2, frame, l1_svm())
  }
  fit <- with_stream(1, caller())
  expect_identical(environments_in(fit), list())
  expect_lt(size_saved(fit), 20 * 1024)
})

test_that("a fit is read where the package is not attached, and says what made it", {
  skip_if_not_installed("callr")
  data <- planted(40, 30)
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = 3))
  expect_identical(fit$version, as.character(utils::packageVersion("zeronorm")))
  file <- tempfile(fileext = ".rds")
  saveRDS(fit, file, version = 2)
  link <- callr::r(function(file, x) {
    loadNamespace("zeronorm")
    stats::predict(readRDS(file), x, "link")
  }, list(file, data$x), libpath = .libPaths())
  expect_identical(link, predict(fit, data$x, "link"))
})
