data <- planted(30, 10, noise = 0.5)

test_that("a fit is the same after saving and reading", {
  fit <- zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)))
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  read <- readRDS(file)
  expect_identical(predict(read, data$x), predict(fit, data$x))
  expect_identical(certificate(read), certificate(fit))
})

test_that("what a user changes in a fit is the user's own affair", {
  fit <- zeronorm(data$x, data$y, l1_svm())
  fit$features <- toupper(fit$features)
  expect_true(all(selected(fit) %in% toupper(colnames(data$x))))
})

test_that("foreign and damaged objects are clear errors", {
  fit <- zeronorm(data$x, data$y, l1_svm())
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, l1_svm(), folds = 3))
  for (bad in list(structure(list(), class = "zeronorm"), structure(1, class = "zeronorm"),
                   replace(fit, "certificate", NULL), replace(fit, "version", list("x.y")))) {
    expect_zeronorm_error(coef(bad), "object", "not a complete result")
    expect_zeronorm_error(print(bad), "x", "not a complete result")
  }
  expect_zeronorm_error(selected(replace(cv, "fit", NULL)), "object", "not a complete result")
})

test_that("the file of a newer series is refused with both versions", {
  fit <- zeronorm(data$x, data$y, l1_svm())
  fit$version <- "99.1.0"
  expect_zeronorm_error(predict(fit, data$x), "object", "99\\.1\\.0.*installed is")
  fit$version <- "0.0.9"
  expect_identical(length(predict(fit, data$x)), 30L)
})

test_that("the package is cited with its version", {
  text <- paste(format(citation("zeronorm"), "text"), collapse = " ")
  expect_match(text, installed_version(), fixed = TRUE)
})
