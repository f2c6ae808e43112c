test_that("what is going to leave is said once a session, with a class of its own", {
  old <- "zeronorm(price = ) of a test"
  on.exit(rm(list = old, envir = deprecations))
  warned <- expect_warning(deprecate(old, "l1_svm(C = )", "0.3.0"), class = "zeronorm_deprecated")
  expect_identical(conditionMessage(warned),
                   paste0("zeronorm: ", old, " is deprecated since version 0.3.0 and will leave; ",
                          "use l1_svm(C = )."))
  expect_identical(warned[c("old", "new", "since")], list(old = old, new = "l1_svm(C = )", since = "0.3.0"))
  # The class of base R's .Deprecated() as well.
  expect_s3_class(warned, c("deprecatedWarning", "warning"))
  expect_silent(deprecate(old, "l1_svm(C = )", "0.3.0"))
})

test_that("an argument can leave by way of it", {
  price <- function(C = 1, cost = NULL) {
    if (!is.null(cost)) {
      deprecate("price(cost = ) of a test", "price(C = )", "0.2.0")
      C <- cost
    }
    C
  }
  on.exit(rm("price(cost = ) of a test", envir = deprecations))
  expect_silent(price(2))
  expect_warning(expect_identical(price(cost = 3), 3), class = "zeronorm_deprecated")
  expect_silent(expect_identical(price(cost = 4), 4))
})

test_that("the package is cited with its version, and news lead with it", {
  entry <- citation("zeronorm")
  text <- paste(format(entry, "text"), collapse = " ")
  expect_match(text, as.character(utils::packageVersion("zeronorm")), fixed = TRUE)
  expect_match(text, "Sparse Support Vector Machines", fixed = TRUE)
  expect_match(paste(toBibtex(entry)[[1]], collapse = " "), "@Manual", fixed = TRUE)
  path <- test_path("..", "..", "NEWS.md")
  skip_if_not(file.exists(path), "no source tree")
  news <- readLines(path)
  expect_identical(news[1], paste("# zeronorm", utils::packageVersion("zeronorm")))
  sections <- sub("^## ", "", grep("^## ", news, value = TRUE))
  expect_true(all(sections %in% c("Breaking", "New", "Fixed")))
  # In this order within each version.
  version <- cumsum(grepl("^# ", news))[grepl("^## ", news)]
  expect_false(is.unsorted(10 * version + match(sections, c("Breaking", "New", "Fixed"))))
})
