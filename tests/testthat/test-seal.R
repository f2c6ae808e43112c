# Reference of seal: the object before it was saved or changed.

data <- planted(40, 20)

some_results <- function() {
  x <- data$x
  gappy <- replace(x, 5, NA)
  classes <- three_clouds()
  list(
    path = zeronorm(x, data$y, l1_svm(C = c(0.1, 1))),
    kernel = zeronorm(x, data$y, l2_svm(kernel = gaussian_kernel(1))),
    network = with_stream(1, zeronorm(x[, 1:4], data$y, obd(hidden = 2, nonzero = 2))),
    monomials = zeronorm(x[, 1:4], data$y, l2_l1_svm(10, 0.1, degree = 2)),
    classes = zeronorm(classes$x, classes$y, arom("l2", nonzero = c(5, 2), errors = "l2")),
    formula = zeronorm(Species ~ ., droplevels(iris[51:150, ]), l1_svm()),
    imputed = zeronorm(gappy, data$y, l1_svm(), impute = "median"),
    own_penalty = zeronorm(x, data$y, fsv(penalty = penalty(function(t) t / (1 + t),
                                                            function(t) 1 / (1 + t)^2))),
    calibrated = with_stream(1, calibrate(zeronorm(x, data$y, l1_svm(C = 0.3)), x, data$y)),
    polished = polish(zeronorm(x, data$y, fsv()), x, data$y, largest = 1),
    cv = with_stream(1, cv_zeronorm(x, data$y, l1_svm(C = c(0.1, 1)), folds = 3)),
    proof = certify_zero_norm(x, data$y, largest = 2, permutations = 0),
    support = min_support(t(x), lower = 0.5)
  )
}

saved_and_read <- function(object, ...) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(object, file, ...)
  readRDS(file)
}

test_that("every result can be saved, read and asked", {
  results <- some_results()
  for (name in names(results)) {
    object <- results[[name]]
    for (read in list(saved_and_read(object), saved_and_read(object, version = 2),
                      saved_and_read(object, ascii = NA))) {
      expect_silent(check_seal(read))
    }
    expect_identical(utils::capture.output(print(read)), utils::capture.output(print(object)), info = name)
  }
  fit <- results$formula
  expect_identical(predict(saved_and_read(fit), iris, "link"), predict(fit, iris, "link"))
})

test_that("the same contents have the same sum, others do not", {
  same <- function(a, b) identical(checksum_core(a), checksum_core(b))
  expect_true(same(1:10, c(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L)))
  latin <- utf8 <- "\u00fc"
  expect_true(same(iconv(latin, "UTF-8", "latin1"), utf8))
  expect_true(same(c(NA, NaN), c(NA, -NaN)))
  expect_true(same(list(f = function(x) 1), list(f = function(x) x)))
  different <- list(NULL, list(), 1, 1L, TRUE, "1", NA, NA_real_, NaN, NA_character_, "NA", c(a = 1),
                    c(b = 1), list(1), list(list(1)), 0, -0, factor("1"), as.raw(1), quote(a), quote(a + b),
                    quote(a - b), y ~ x, y ~ z, c("ab", "c"), c("a", "bc"), 1:2, c(2L, 1L), matrix(1:4, 2),
                    matrix(1:4, 1), structure(quote(a + b), note = 1), terms(y ~ x), letters[1:8],
                    Matrix::sparseMatrix(1, 1, x = 1),
                    Matrix::sparseMatrix(1, 1, x = 2), as.Date("2020-01-01"), 1i)
  sums <- vapply(different, checksum_core, "")
  expect_identical(anyDuplicated(sums), 0L)
  expect_match(sums, "^[0-9a-f]{16}$")
})

test_that("what was changed by hand is refused with a sentence by every verb", {
  fit <- zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)))
  refused <- function(code) expect_error(code, "was changed after it was made", class = "zeronorm_error")
  changes <- expression(
    fit$coefficients@x[1] <- fit$coefficients@x[1] * (1 + 1e-15),
    fit$intercept[2] <- 0,
    fit$features[1:2] <- fit$features[2:1],
    fit$levels <- rev(fit$levels),
    fit$certificate$gap[1] <- 0,
    fit$encoding <- NULL,
    fit$coefficients@Dimnames <- list(NULL, NULL),
    fit$settings$standardize <- FALSE,
    fit$seal$fields <- setdiff(fit$seal$fields, "intercept"),
    fit$seconds <- NULL,
    fit$seconds <- NaN,
    names(fit)[names(fit) == "seconds"] <- "Seconds",
    attr(fit$certificate, "row.names") <- rev(attr(fit$certificate, "row.names"))
  )
  for (change in changes) {
    bad <- local({
      eval(change)
      fit
    })
    refused(print(bad))
    refused(predict(bad, data$x))
    refused(coef(bad))
    refused(selected(bad))
    refused(importance(bad))
    refused(certificate(bad))
    refused(summary(bad))
    refused(trace(bad))
    refused(nobs(bad))
    refused(formula(bad))
    refused(ranking(bad))
    refused(update(bad, data$x, data$y))
    refused(plot(bad))
    refused(tidy(bad))
    refused(glance(bad))
    refused(augment(bad, data$x))
    refused(polish(bad, data$x, data$y, index = 1))
    refused(calibrate(bad, data$x, data$y))
    refused(certify_zero_norm(bad, data$x, data$y, index = 1))
  }
  machine <- zeronorm(data$x, data$y, l2_svm(kernel = gaussian_kernel(1)))
  machine$machine$x[1, 1] <- 0
  refused(predict(machine, data$x))
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), folds = 3))
  inside <- worse <- cv
  inside$fit$intercept[1] <- 7
  worse$best[["1se"]] <- 1L + worse$best[["1se"]] %% 2L
  for (bad in list(inside, worse)) {
    refused(predict(bad, data$x))
    refused(print(bad))
    refused(coef(bad))
    refused(selected(bad))
    refused(certificate(bad))
    refused(as.data.frame(bad))
    refused(plot(bad))
    refused(compare_cv(good = cv, bad = bad))
  }
  flowers <- zeronorm(Species ~ ., droplevels(iris[51:150, ]), l1_svm())
  attr(flowers$encoding$terms, "term.labels")[1] <- "Petal.Width"
  refused(predict(flowers, iris))
  refused(formula(flowers))
  proof <- certify_zero_norm(data$x, data$y, largest = 1, permutations = 0)
  proof$lower <- 17
  refused(print(proof))
})

test_that("what is no part of the answer may change", {
  fit <- zeronorm(data$x, data$y, l1_svm())
  expected <- predict(fit, data$x)
  fit$seconds <- 0
  fit$mine <- "a note"
  expect_identical(predict(fit, data$x), expected)
})

test_that("incomplete fits and those of a newer version are refused by name", {
  fit <- zeronorm(data$x, data$y, l1_svm())
  old <- newer <- fit
  old$seal <- NULL
  expect_error(predict(old, data$x), "its seal is missing", class = "zeronorm_error")
  expect_error(coef(structure(list(), class = "zeronorm")), "its seal is missing", class = "zeronorm_error")
  newer$seal$version <- "99.1.0"
  expect_error(predict(newer, data$x), "was made by zeronorm 99.1.0", class = "zeronorm_error")
  newer$seal$version <- "99999999999.1"
  expect_error(predict(newer, data$x), "was made by zeronorm 99999999999.1", class = "zeronorm_error")
  later <- fit
  later$seal$version <- sub("[0-9]+$", "99", later$seal$version)
  expect_silent(coef(later))
})

# What R cannot make, but a damaged file can hold: fewer names than elements.
with_fewer_names <- function(object, names) {
  header <- 2 + 3 * 4 + 4 + nchar("UTF-8")
  bytes <- serialize(object, NULL)
  kept <- serialize(names, NULL)[-seq_len(header)]
  at <- grepRaw(kept, bytes, fixed = TRUE)
  less <- serialize(names[-length(names)], NULL)[-seq_len(header)]
  unserialize(c(bytes[seq_len(at - 1)], less, bytes[-seq_len(at + length(kept) - 1)]))
}

test_that("what would crash R is refused before R touches it", {
  fit <- zeronorm(data$x, data$y, l1_svm())
  fit$mine <- c(slow = 1, quick = 2)
  expect_error(coef(with_fewer_names(fit, names(fit))), class = "zeronorm_error")
  expect_error(coef(with_fewer_names(fit, names(fit$seal))), "its seal is missing", class = "zeronorm_error")
  expect_error(print(with_fewer_names(fit, names(fit$mine))), "was changed", class = "zeronorm_error")
  expect_error(checksum_core(with_fewer_names(c(a = 1, b = 2), c("a", "b"))), "damaged")
})

# What each verb says of fits whose file differs in one bit of the bytes `at`, in a session of its own with
# little time, since a structure without an end is walked for ever.
said_of_flipped <- function(fit, at, bit) {
  callr::r(function(bytes, at, bit) {
    library(zeronorm)
    whole <- unserialize(bytes)
    verbs <- list(print, coef, selected, importance, certificate, summary, nobs, formula, tidy, glance,
                  function(fit) predict(fit, iris), function(fit) polish(fit, 1, 1))
    lapply(at, function(k) {
      bytes[k] <- xor(bytes[k], as.raw(bit))
      fit <- tryCatch(unserialize(bytes), error = function(e) NULL)
      if (is.null(fit)) return("unreadable")
      said <- vapply(verbs, function(verb) {
        tryCatch({
          verb(fit)
          "an answer"
        }, zeronorm_error = conditionMessage, error = function(e) "another error")
      }, "")
      # The list that names a compact vector's class is no part of what was read.
      if (said[[1]] == "an answer" && identical(fit, whole)) "nothing was lost" else unique(said)
    })
  }, list(serialize(fit, NULL), at, bit), timeout = 120)
}

# Bytes of a value as they stand within those of a larger one.
bytes_within <- function(value) serialize(value, NULL)[-seq_len(2 + 3 * 4 + 4 + nchar("UTF-8"))]

# With one bit less the end of a list is a symbol that follows itself.
test_that("lists without an end, marks and attributes that were lost are refused before R walks them", {
  skip_if_not_installed("callr")
  rule <- Species ~ .
  environment(rule) <- globalenv()
  fit <- zeronorm(rule, droplevels(iris[51:150, ]), l1_svm())
  bytes <- serialize(fit, NULL)
  end <- as.raw(c(0, 0, 0, 0xfe))
  ends <- grepRaw(end, bytes, fixed = TRUE, all = TRUE)
  names_of_seal <- bytes_within(names(fit$seal))
  of_seal <- grepRaw(names_of_seal, bytes, fixed = TRUE) + length(names_of_seal)
  # The attributes of an object are the last that is written of it.
  of_object <- length(bytes) - 3
  expect_true(all(c(of_seal, of_object) %in% ends))
  sentence <- "was changed after it was made: its contents do not agree with its seal"
  expect_match(unlist(said_of_flipped(fit, c(of_seal, of_object) + 3, 2)), sentence)
  said <- unlist(said_of_flipped(fit, ends + 3, 2))
  expect_match(setdiff(said, c("unreadable", "nothing was lost")), sentence)
  expect_gt(sum(grepl(sentence, said)), 10)
  # A data frame without its mark as an object, and a list with one.
  frames <- grepRaw(as.raw(c(0, 0, 3, 0x13)), bytes, fixed = TRUE, all = TRUE)
  expect_gt(length(frames), 1)
  expect_match(unlist(said_of_flipped(fit, frames + 2, 1)), sentence)
  lists <- grepRaw(as.raw(c(0, 0, 2, 0x13)), bytes, fixed = TRUE, all = TRUE)
  expect_match(unlist(said_of_flipped(fit, lists + 2, 1)), sentence)
})

test_that("what R keeps in short does not lie about its length, order and gaps", {
  raw_of <- function(value, bytes = 8) utils::tail(serialize(value, NULL), bytes)
  swapped <- function(object, from, to) {
    bytes <- serialize(object, NULL)
    bytes[grepRaw(from, bytes, fixed = TRUE) + seq_along(to) - 1] <- to
    unserialize(bytes)
  }
  sorted <- sort(c(3.5, 1.25, 2.75))
  expect_identical(checksum_core(sorted), checksum_core(c(1.25, 2.75, 3.5)))
  unsorted <- swapped(sorted, raw_of(1.25), raw_of(7))
  gappy <- swapped(sorted, raw_of(3.5), raw_of(NA_real_))
  skip_if(is.unsorted(unsorted), "this R keeps no word of order")
  expect_error(checksum_core(unsorted), "damaged")
  expect_error(checksum_core(gappy), "damaged")
  expect_error(checksum_core(swapped(1:10, raw_of(10), raw_of(1e15))), "damaged")
  rows <- data.frame(a = c(0.5, 1.5, 2.5))
  expect_error(checksum_core(swapped(rows, raw_of(c(NA, -3L)), raw_of(c(NA, as.integer(-2^30))))), "damaged")
})

answers_of_damaged <- function(directory, flips) {
  set.seed(1)
  x <- matrix(stats::rnorm(30 * 12), 30, dimnames = list(NULL, paste0("g", 1:12)))
  y <- factor(ifelse(x[, 1] - x[, 2] > 0, "up", "down"))
  fit <- zeronorm::zeronorm(x, y, zeronorm::l1_svm(C = c(0.1, 1)))
  answers <- function(fit) {
    stats::coef(fit)  # R code that touches a damaged object before its seal was checked may crash
    fit$seconds <- 0
    list(utils::capture.output(print(fit)), utils::capture.output(print(summary(fit))), stats::coef(fit),
         stats::predict(fit, x, "link"), stats::predict(fit, x), zeronorm::selected(fit),
         zeronorm::importance(fit),
         zeronorm::certificate(fit), zeronorm::trace(fit))
  }
  expected <- answers(fit)
  judge <- function(fit) {
    suppressWarnings(tryCatch(answers(fit), error = function(e) {
      if (inherits(e, "zeronorm_error")) "refused" else "failed"
    }))
  }
  file <- file.path(directory, "damaged.rds")
  came_back <- file.path(directory, "read")
  # R's own reader can crash on such a file, or make of it what crashes R when it is touched or collected.  So
  # each is read in a fork, which leaves a mark when that is over, and is ended when it takes too long.
  outcome <- function(bytes) {
    writeBin(bytes, file)
    unlink(came_back)
    job <- parallel::mcparallel({
      object <- suppressWarnings(tryCatch(readRDS(file), error = function(e) NULL))
      try(c(class(object), serialize(object, NULL)), silent = TRUE)
      gc()
      file.create(came_back)
      said <- if (inherits(object, "zeronorm")) judge(object)
      if (is.null(said)) "unreadable" else if (is.character(said)) said
      else if (identical(said, expected)) "same" else "wrong"
    }, silent = TRUE)
    answer <- parallel::mccollect(job, wait = FALSE, timeout = 60)
    late <- is.null(answer)
    if (late) tools::pskill(job$pid, tools::SIGKILL)
    suppressWarnings(parallel::mccollect(job))
    judged <- if (!late) answer[[1]]
    if (identical(judged %in% names(counts), TRUE)) judged
    else if (!file.exists(came_back)) "readRDS" else if (late) "hang" else "crash"
  }
  counts <- c(unreadable = 0L, refused = 0L, failed = 0L, same = 0L, wrong = 0L, hang = 0L, crash = 0L,
              readRDS = 0L)
  for (compress in c(TRUE, FALSE)) {
    whole <- file.path(directory, "whole.rds")
    saveRDS(fit, whole, compress = compress)
    bytes <- readBin(whole, "raw", file.size(whole))
    damaged <- c(
      lapply(sample(length(bytes), flips), function(k) {
        bytes[k] <- xor(bytes[k], as.raw(2^sample(0:7, 1)))
        bytes
      }),
      lapply(sample(length(bytes) - 1, 10), function(k) bytes[seq_len(k)])
    )
    for (one in damaged) {
      result <- outcome(one)
      counts[result] <- counts[result] + 1L
    }
  }
  saveRDS(counts, file.path(directory, "counts.rds"))
}

# A damaged file may ask for any amount of memory, so a child with little of it reads.
test_that("a file with a flipped bit or cut off is never read as another model", {
  skip_on_cran()
  skip_on_os(c("windows", "mac"))
  flips <- if (nzchar(Sys.getenv("ZERONORM_TEST_ALL"))) 1000L else 50L
  directory <- tempfile()
  dir.create(directory)
  on.exit(unlink(directory, recursive = TRUE))
  script <- file.path(directory, "flip.R")
  dump("answers_of_damaged", file.path(directory, "answers.R"))
  writeLines(c(sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")), "library(zeronorm)",
               sprintf("source('%s')", file.path(directory, "answers.R")),
               sprintf("answers_of_damaged('%s', %d)", directory, flips)), script)
  run <- paste("ulimit -v 4000000;", file.path(R.home("bin"), "Rscript"), shQuote(script))
  said <- suppressWarnings(system2("sh", c("-c", shQuote(run)), stdout = TRUE, stderr = TRUE))
  expect_null(attr(said, "status"), info = paste(utils::tail(said, 5), collapse = "\n"))
  counts <- readRDS(file.path(directory, "counts.rds"))
  expect_identical(sum(counts), 2L * (flips + 10L))
  expect_identical(counts[["wrong"]], 0L)
  expect_identical(counts[["hang"]], 0L)
  expect_identical(counts[["crash"]], 0L)
  # Where R itself went down there was nothing to refuse.
  expect_lt(counts[["readRDS"]], 0.02 * sum(counts))
  expect_gt(counts[["unreadable"]], 0)
  expect_gt(counts[["refused"]], 0)
})
