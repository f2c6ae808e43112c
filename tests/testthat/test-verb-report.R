page_of <- function(object, x, y, ...) {
  file <- tempfile(fileext = ".html")
  report(object, x, y, file, ...)
  file
}

chromium <- function() {
  found <- Sys.which(c("chromium", "chromium-browser", "google-chrome", "chrome"))
  unname(found[nzchar(found)][1])
}

# What a browser finds in a page: pictures, pictures that it can draw, sections, files that it had to load.
looked_at <- function(file) {
  script <- paste0("<script>window.onload = function() { var i = Array.from(document.images); ",
                   "document.title = [i.length, i.filter(p => p.complete && p.naturalWidth > 0).length, ",
                   "document.querySelectorAll('h2').length, ",
                   "performance.getEntriesByType('resource')",
                   ".filter(e => !e.name.startsWith('data:')).length]",
                   ".join(' '); }</script>")
  copy <- tempfile(fileext = ".html")
  writeLines(c(readLines(file, encoding = "UTF-8"), script), copy, useBytes = TRUE)
  profile <- tempfile()
  on.exit(unlink(c(copy, profile), recursive = TRUE))
  arguments <- c("--headless", "--no-sandbox", "--disable-gpu", paste0("--user-data-dir=", profile),
                 "--virtual-time-budget=5000", "--dump-dom", paste0("file://", copy))
  text <- suppressWarnings(system2(chromium(), arguments, stdout = TRUE, stderr = FALSE, timeout = 60))
  title <- regmatches(text, regexpr("(?<=<title>)[0-9 ]+(?=</title>)", text, perl = TRUE))
  as.integer(strsplit(title, " ")[[1]])
}

test_that("a browser shows the page with all its pictures", {
  skip_on_cran()
  skip_if(is.na(chromium()), "no chromium")
  data <- planted(40, 300, noise = 1)
  fit <- zeronorm(data$x, data$y)
  file <- page_of(fit, data$x, data$y)
  seen <- looked_at(file)
  expect_identical(seen, c(4L, 4L, 9L, 0L))
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, arom(errors = "l2", nonzero = c(8, 2)), folds = 3))
  expect_identical(looked_at(page_of(cv, data$x, data$y, nonzero = 2)), c(6L, 6L, 10L, 0L))
})

test_that("the page says what the fit says, and nothing from elsewhere", {
  data <- planted(40, 20, noise = 1)
  colnames(data$x)[1:2] <- c("a<b", "\"q\"&amp")
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = 3, C = 1), keep = 1:2)
  text <- paste(readLines(page_of(fit, data$x, data$y, title = "A & B"), encoding = "UTF-8"), collapse = "\n")
  expect_match(text, "<h1>A &amp; B</h1>", fixed = TRUE)
  expect_match(text, "<td>a&lt;b</td>", fixed = TRUE)
  expect_match(text, "&quot;q&quot;&amp;amp", fixed = TRUE)
  expect_match(text, "2 features always kept", fixed = TRUE)
  expect_match(text, "mean of down", fixed = TRUE)
  expect_no_match(text, "<script|<link|src=\"(?!data:)|@import|url\\(", perl = TRUE)
  heading <- "<tr><td>up</td>"
  expect_match(text, paste0(heading, paste0("<td>", table(data$y, predict(fit, data$x))["up", ], "</td>",
                                            collapse = "")), fixed = TRUE)
})

test_that("the page of a cross-validation has its error and how often a feature was selected", {
  data <- planted(40, 20, noise = 1)
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, arom(errors = "l2", nonzero = c(8, 2)), folds = 4))
  text <- paste(readLines(page_of(cv, data$x, data$y, nonzero = 2), encoding = "UTF-8"), collapse = "\n")
  row <- cv$summary[cv$summary$nonzero == 2, ]
  expect_match(text, paste0("error: ", format(row$mean, digits = 3), " (standard error ",
                            format(row$se, digits = 2), "), 4 folds"), fixed = TRUE)
  counts <- confusion_table(cv, nonzero = 2)
  expect_match(text, paste0("<td>down</td><td>", counts[1, 1], "</td><td>", counts[1, 2], "</td>"),
               fixed = TRUE)
  expect_match(text, "held out in the cross-validation", fixed = TRUE)
  expect_match(text, "share of folds", fixed = TRUE)
  expect_match(paste(readLines(page_of(cv, data$x, data$y)), collapse = "\n"),
               "sparsest within one standard error|the least cross-validated")
  expect_error(page_of(cv, data$x, data$y, index = 1:2), "points at 2 solutions", class = "zeronorm_error")
})

test_that("every kind of fit has its page", {
  data <- planted(30, 6, noise = 1)
  three <- three_clouds(30, 6)
  labels <- cbind(one = data$x[, 1] > 0, two = data$x[, 2] > 0) + 0
  value <- data$x[, 1] - data$x[, 2]
  frame <- data.frame(data$x, y = data$y)
  pages <- list(
    page_of(zeronorm(three$x, three$y, svm_rfe(nonzero = c(3, 1), C = 1)), three$x, three$y, nonzero = 3),
    page_of(zeronorm(data$x, labels, svm_rfe(nonzero = 2)), data$x, labels),
    page_of(zeronorm(data$x, value, arom(epsilon = 0.5, errors = "l2", nonzero = 2)), data$x, value),
    page_of(zeronorm(data$x, value, lasso(s = 1)), data$x, value),
    page_of(zeronorm(data$x, data$y, l2_svm(kernel = "gaussian")), data$x, data$y),
    page_of(zeronorm(data$x, data$y, l2_l1_svm(10, 0.1, degree = 2)), data$x, data$y),
    page_of(zeronorm(as(data$x, "dgCMatrix"), data$y, l1_svm(C = c(1e-6, 1))), data$x, data$y, index = 1),
    page_of(zeronorm(y ~ g1 + g2, frame, l1_svm()), frame, frame$y)
  )
  for (file in pages) expect_match(paste(readLines(file), collapse = ""), "<h2>Certificate</h2>.*</html>$")
})

test_that("base64 is base64", {
  # Test vectors of RFC 4648.
  code <- function(text) base64(charToRaw(text))
  expect_identical(vapply(c("f", "fo", "foo", "foob", "fooba", "foobar"), code, ""),
                   c(f = "Zg==", fo = "Zm8=", foo = "Zm9v", foob = "Zm9vYg==", fooba = "Zm9vYmE=",
                     foobar = "Zm9vYmFy"))
})

test_that("a name without a suffix gets one", {
  data <- planted(20, 4)
  file <- tempfile()
  on.exit(unlink(paste0(file, ".html")))
  written <- report(zeronorm(data$x, data$y, svm_rfe(nonzero = 2)), data$x, data$y, file)
  expect_identical(written, paste0(file, ".html"))
  expect_match(readLines(written)[1], "<!DOCTYPE html>", fixed = TRUE)
})

test_that("what is missing is said", {
  data <- planted(20, 4)
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = c(2, 1)))
  expect_zeronorm_error(report(fit, data$x, data$y), "object", "2 solutions")
  expect_zeronorm_error(report(fit, data$x, data$y, file = 3, nonzero = 2), "file")
  expect_zeronorm_error(report(fit, data$x, file = "x.html", nonzero = 2), "y")
  expect_zeronorm_error(report(fit, data$x, data$y, tempfile(), index = 1:2), "index", "one")
})

test_that("a report of a cross-validation shows the confusion of held-out observations, not of the training data", {
  data <- planted(40, 30, noise = 1)
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, arom(nonzero = c(8, 2), errors = "l2"), folds = 5))
  text <- paste(readLines(page_of(cv, data$x, data$y)), collapse = "\n")
  held_out <- confusion_table(cv)
  cells <- function(counts) paste0("<td>", counts, "</td>", collapse = "")
  expect_match(text, "[Oo]bservations held out")
  expect_match(text, cells(held_out[1, ]), fixed = TRUE)
  expect_equal(sum(held_out) - sum(diag(held_out)), cv$summary$mean[cv$best[["1se"]]] * 40)
})
