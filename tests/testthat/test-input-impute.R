# Reference of impute: the columns completed before, by hand.
test_that("missing values are an error that says what to do, or are filled from the training part alone", {
  data <- gene_data()
  x <- data$x
  x[cbind(1:20, rep(1:5, 4))] <- NA
  expect_error(zeronorm(x, data$y), "impute", class = "zeronorm_error")
  for (how in c("median", "mean")) {
    full <- apply(x, 2, function(column) replace(column, is.na(column), get(how)(column, na.rm = TRUE)))
    fit <- zeronorm(x, data$y, l1_svm(), impute = how)
    expect_equal(coef(fit), coef(zeronorm(full, data$y, l1_svm())))
    expect_equal(predict(fit, x, "link"), predict(fit, full, "link"))
  }
  fold <- rep_len(1:4, 40)
  cv <- cv_zeronorm(x, data$y, l1_svm(), foldid = fold, impute = "median")
  medians <- apply(x[fold != 1, ], 2, median, na.rm = TRUE)
  filled <- x
  filled[is.na(x)] <- medians[col(x)[is.na(x)]]
  fit <- zeronorm(filled[fold != 1, ], data$y[fold != 1], l1_svm())
  expect_equal(cv$measures$error[1], mean(predict(fit, filled[fold == 1, ]) != data$y[fold == 1]))
  frame <- data.frame(x)
  expect_equal(unname(coef(zeronorm(frame, data$y, l1_svm(), impute = "median"))),
               unname(coef(zeronorm(x, data$y, l1_svm(), impute = "median"))))
  sparse <- as(x, "CsparseMatrix")
  expect_equal(coef(zeronorm(sparse, data$y, l1_svm(), impute = "median", standardize = FALSE)),
               coef(zeronorm(x, data$y, l1_svm(), impute = "median", standardize = FALSE)))
  x[, 3] <- NA
  expect_error(zeronorm(x, data$y, impute = "mean"), "g3", class = "zeronorm_error")
})

# Numbers, a factor and text with missing values, and the same completed by hand.
gappy <- function() {
  data <- gene_data(60, 4)
  frame <- data.frame(data$x, site = factor(rep_len(c("r", "p", "q", "p"), 60)),
                      sex = rep_len(c("m", "f", "m"), 60), y = data$y)
  frame$g1[1:3] <- NA
  frame$site[c(2, 9)] <- NA
  frame$sex[c(2, 11)] <- NA
  full <- frame
  full$g1[1:3] <- median(frame$g1, na.rm = TRUE)
  full$site[c(2, 9)] <- "p"
  full$sex[c(2, 11)] <- "m"
  list(frame = frame, full = full)
}

test_that("formulas and factors are completed: a factor by its most frequent level", {
  data <- gappy()
  method <- l1_svm(C = 0.5)
  known <- zeronorm(y ~ ., data$full, method)
  for (how in list("median", "mean")) {
    if (how == "mean") data$full$g1[1:3] <- mean(data$frame$g1, na.rm = TRUE)
    known <- zeronorm(y ~ ., data$full, method)
    fit <- zeronorm(y ~ ., data$frame, method, impute = how)
    expect_equal(coef(fit), coef(known))
    expect_equal(predict(fit, data$frame, "link"), predict(known, data$full, "link"))
  }
  columns <- c("g1", "site", "g3")
  fit <- zeronorm(data$frame[columns], data$frame$y, method, impute = "mean")
  known <- zeronorm(data$full[columns], data$full$y, method)
  expect_equal(coef(fit), coef(known))
  expect_equal(predict(fit, data$frame, "link"), predict(known, data$full, "link"))
  # Contrasts of other kinds.
  data$frame$site <- ordered(data$frame$site)
  data$full$site <- ordered(data$full$site)
  expect_equal(coef(zeronorm(y ~ site + g1, data$frame, method, impute = "mean")),
               coef(zeronorm(y ~ site + g1, data$full, method)))
  expect_zeronorm_error(zeronorm(y ~ ., data$frame, method), "data", "'g1'")
  expect_zeronorm_error(predict(known, data$frame), "newdata", "'g1'")
})

test_that("loops, calibration and pictures complete as well", {
  data <- gappy()
  method <- svm_rfe(nonzero = c(3, 1))
  fold <- rep(1:4, each = 15)
  cv <- cv_zeronorm(y ~ ., data$frame, method, foldid = fold, impute = "median")
  known <- vapply(1:4, function(k) {
    fit <- zeronorm(y ~ ., data$frame[fold != k, ], method, impute = "median")
    mean(predict(fit, data$frame[fold == k, ], nonzero = 3) != data$frame$y[fold == k])
  }, 0)
  expect_equal(cv$measures$error[cv$measures$solution == 1], known)
  fit <- zeronorm(y ~ ., data$frame, svm_rfe(nonzero = 3), impute = "median")
  calibrated <- with_stream(1, calibrate_zeronorm(fit, data$frame, folds = 4))
  expect_true(all(is.finite(predict(calibrated, data$frame, "prob"))))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  shown <- plot(fit, "heatmap", data$frame)
  expect_true(all(is.finite(shown)))
  expect_identical(nrow(augment(fit, data$frame)), 60L)
  file <- report(fit, data$frame, file = tempfile(fileext = ".html"))
  on.exit(unlink(file), add = TRUE)
  expect_gt(file.size(file), 1000)
})

test_that("a new patient who lacks a gene is completed with a message, or refused", {
  data <- gappy()
  fit <- zeronorm(as.matrix(data$frame[1:4]), data$frame$y, l2_svm(), impute = "median")
  new <- as.matrix(data$full[1:5, 1:4])
  void <- replace(new, cbind(1:5, 3), NA)
  expect_message(found <- predict(fit, new[, -3], "link"), "no column 'g3'")
  expect_equal(found, predict(fit, void, "link"))
  expect_message(sparse <- predict(fit, as(new[, -3], "CsparseMatrix"), "link"), "no column 'g3'")
  expect_equal(sparse, found)
  expect_message(frame <- predict(fit, data$full[1:5, c(1, 2, 4)], "link"), "'g3'")
  expect_equal(unname(frame), unname(found))
  expect_zeronorm_error(predict(fit, new[, 0, drop = FALSE]), "newdata")
  other <- new
  colnames(other) <- paste0("h", 1:4)
  expect_zeronorm_error(predict(fit, other), "newdata", "'g1'")
  by_formula <- zeronorm(y ~ ., data$frame, l2_svm(), impute = "median")
  lacking <- data$full[1:5, setdiff(names(data$full), c("g2", "site"))]
  completed <- data$full[1:5, ]
  completed$g2 <- NA_real_
  completed$site[] <- NA
  expect_message(found <- predict(by_formula, lacking, "link"), "'g2', 'site'")
  expect_equal(found, predict(by_formula, completed, "link"))
  plain <- zeronorm(as.matrix(data$full[1:4]), data$full$y, l2_svm())
  expect_zeronorm_error(predict(plain, new[, -3]), "newdata", "'g3'.*`impute` would")
})

test_that("objects of Bioconductor are completed, covariates included", {
  skip_if_not_installed("SummarizedExperiment")
  data <- gappy()
  of <- function(frame) {
    genes <- t(as.matrix(frame[1:4]))
    SummarizedExperiment::SummarizedExperiment(list(genes), colData = frame[c("site", "y")])
  }
  fit <- zeronorm(of(data$frame), y ~ site, l1_svm(C = 0.5), impute = "median")
  known <- zeronorm(of(data$full), y ~ site, l1_svm(C = 0.5))
  expect_equal(coef(fit), coef(known))
  expect_equal(predict(fit, of(data$frame), "link"), predict(known, of(data$full), "link"))
  mixed <- replace(data$full, "site", data$frame["site"])
  expect_zeronorm_error(zeronorm(of(mixed), y ~ site, l1_svm()), "data", "'site'")
  less <- of(data$full)[-2, ]
  expect_message(found <- predict(fit, less, "link"), "'g2'")
  void <- data$full
  void$g2 <- NA_real_
  expect_equal(found, predict(fit, of(void), "link"))
})
