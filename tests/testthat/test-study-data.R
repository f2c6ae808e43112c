# References: the data sets themselves, and what their papers say of them.

# Functions of inst/studies/code, by their names.
for (name in ls(study_code())) assign(name, get(name, study_code()))

test_that("data that are not at hand are named", {
  expect_match(study_data("nowhere")$note, "data_dir")
  expect_match(study_data("nowhere", tempdir())$note, "nowhere.rds")
})

test_that("a data set that its package no longer has is named", {
  expect_error(from_package("NoSuchData", "datasets"), "datasets [0-9.]+ has no data set 'NoSuchData'",
               class = "zeronorm_no_data")
})

test_that("every set has rows, labels of two classes and the same sum of its numbers", {
  for (name in names(study_sets())) {
    if (!requireNamespace(study_sets()[[name]]$package, quietly = TRUE)) next
    set <- study_data(name)
    if (name == "pima" && utils::packageVersion("mlbench") >= "2.1.11") {
      expect_match(set$note, "mlbench .* has no data set 'PimaIndiansDiabetes'; .*data_dir")
      next
    }
    expect_identical(set$note, "", info = name)
    expect_true(is.matrix(set$x) && is.double(set$x) && all(is.finite(set$x)), info = name)
    expect_identical(nlevels(set$y), 2L, info = name)
    expect_identical(length(set$y), nrow(set$x), info = name)
    expect_identical(study_data(name)$checksum, set$checksum, info = name)
  }
  colon <- study_data("colon")
  expect_identical(dim(colon$x), c(62L, 2000L))
  expect_identical(as.vector(table(colon$y)), c(40L, 22L))
  expect_match(colon$checksum, "^[0-9a-f]{32}$")
})

test_that("a file of the user is taken, and its numbers have a sum of their own", {
  place <- tempfile()
  dir.create(place)
  on.exit(unlink(place, recursive = TRUE))
  set <- list(x = matrix(1:6, 3), y = factor(c("a", "b", "a")))
  saveRDS(set, file.path(place, "mine.rds"))
  read <- study_data("mine", place)
  expect_identical(read[c("x", "y", "note")], c(set, note = ""))
  other <- with_checksum(list(x = set$x + 1, y = set$y))
  expect_false(identical(read$checksum, other$checksum))
})

test_that("titanic counts everyone", {
  set <- study_data("titanic")
  expect_identical(nrow(set$x), as.integer(sum(datasets::Titanic)))
  expect_identical(as.vector(table(set$y)), as.integer(apply(datasets::Titanic, 4, sum)))
})

test_that("columns are scaled by the training rows alone", {
  train <- cbind(c(1, 2, 3), c(5, 5, 5))
  scaled <- scaled_by(train, rbind(c(2, 7), c(4, 5)))
  expect_equal(scaled[, 1], c(0, 2))
  expect_identical(scaled[, 2], c(0, 0))
  rows <- libsvm_scaled(matrix(c(1, 4, 2, 8, 5, 7, 3, 6, 9), 3))
  expect_equal(colMeans(rows), rep(0, 3))
  expect_equal(apply(rows, 2, sd), rep(1, 3))
  expect_identical(numbers(data.frame(a = factor(c("10", "2")), b = 1:2)), cbind(c(10, 2), c(1, 2)))
})
