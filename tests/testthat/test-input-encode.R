test_that("a double matrix or dgCMatrix is taken as it is", {
  x <- matrix(rnorm(6), 3)
  expect_identical(encode_x(x)$x, x)
  sparse <- Matrix::Matrix(c(0, 1, 0, 2, 0, 0), 3, sparse = TRUE)
  expect_identical(encode_x(sparse)$x, sparse)
})

test_that("other matrices become one of the two", {
  dense <- matrix(c(0, 1, 0, 2, 0, 3), 3, dimnames = list(NULL, c("a", "b")))
  sparse <- as(dense, "dgCMatrix")
  expect_identical(encode_x(matrix(1:6, 3))$x, matrix(as.double(1:6), 3))
  expect_identical(encode_x(dense > 0)$x, (dense > 0) * 1)
  for (class in c("TsparseMatrix", "RsparseMatrix")) expect_equal(encode_x(as(sparse, class))$x, sparse)
  expect_equal(as.matrix(encode_x(as(sparse, "lMatrix"))$x), (dense != 0) * 1)
  expect_equal(encode_x(Matrix::Matrix(dense, sparse = FALSE))$x, dense)
  symmetric <- Matrix::forceSymmetric(Matrix::crossprod(sparse))
  expect_equal(as.matrix(encode_x(symmetric)$x), crossprod(dense))
})

test_that("x of another kind, or empty, is refused", {
  for (bad in list(1:3, "a", list(1), NULL, matrix("a", 2, 2), array(1, c(2, 2, 2)))) {
    expect_zeronorm_error(encode_x(bad), "x")
  }
  expect_zeronorm_error(encode_x(matrix(0, 3, 0)), "x", "no columns")
  expect_zeronorm_error(encode_x(matrix(0, 1, 3)), "x", "two observations")
  expect_zeronorm_error(encode_x(matrix(0, 3, 2, dimnames = list(NULL, c("a", NA)))), "x", "names that are missing")
})

frame <- data.frame(a = c(1.5, 2, 3), n = 1:3, l = c(TRUE, FALSE, TRUE), s = factor(c("m", "f", "m")),
                    t = factor(c("x", "y", "z")))

test_that("data frames become numbers, factors dummies", {
  encoded <- encode_x(frame)
  expect_identical(encoded$names, c("a", "n", "l", "sm", "ty", "tz"))
  expect_equal(encoded$x, model.matrix(~ a + n + as.numeric(l) + s + t, frame)[, -1], ignore_attr = TRUE)
  expect_equal(encode_newdata(frame[2, 5:1], encoded$encoding)[, encoded$names], encoded$x[2, ])
})

test_that("columns that are no numbers are named", {
  expect_zeronorm_error(encode_x(data.frame(a = 1:2, name = c("u", "v"))), "x",
                        "'name' is of class character")
  expect_zeronorm_error(encode_x(data.frame(a = 1:2, when = Sys.Date())), "x", "'when'")
  expect_zeronorm_error(encode_x(data.frame(a = c(1, NA), b = 1:2)), "x", "missing values in column 'a'")
  new <- frame
  new$s <- factor(c("m", "f", "other"))
  expect_zeronorm_error(encode_newdata(new, encode_x(frame)$encoding), "newdata", "'s' has the level 'other'")
})

test_that("a formula gives the columns of its model matrix", {
  frame$label <- c("u", "v", "u")
  encoded <- encode_formula(label ~ s * a + log(n), frame)
  expect_identical(encoded$x$names, c("sm", "a", "log(n)", "sm:a"))
  expect_identical(unname(encoded$y), frame$label)
  expect_true(encoded$intercept)
  expect_false(encode_formula(label ~ a - 1, frame)$intercept)
  new <- frame[2, c("n", "a", "s")]
  encoding <- encoded$x$encoding
  expect_equal(encode_newdata(new, encoding), encoded$x$x[2, , drop = FALSE], ignore_attr = TRUE)
  expect_zeronorm_error(encode_newdata(new["a"], encoding), "newdata", "'s', 'n'")
  new$s <- "other"
  expect_zeronorm_error(encode_newdata(new, encoding), "newdata", "'other'")
  frame$a[2] <- NA
  expect_zeronorm_error(encode_formula(label ~ a, frame), "data", "'a'")
  expect_true(is.na(encode_formula(label ~ a, frame, gaps = TRUE)$x$x[2, 1]))
  expect_zeronorm_error(encode_formula(~ a, frame), "x", "response")
})

test_that("a formula keeps no environment of its caller", {
  fitted_here <- function() {
    ballast <- numeric(1e5)
    frame <- data.frame(a = rnorm(20), b = rnorm(20), label = rep(c("u", "v"), 10))
    zeronorm(label ~ ., frame, l1_svm())
  }
  expect_lt(length(serialize(fitted_here(), NULL)), 5e4)
})

test_that("a formula over too many columns is refused with advice", {
  wide <- as.data.frame(matrix(0, 2, 5001))
  expect_zeronorm_error(encode_formula(V1 ~ ., wide), "x", "`y`")
})

test_that("labels of every kind: the second is +1", {
  two <- function(y, levels) list(task = "two-class", y = y, levels = levels)
  encoded <- function(y) encode_y(y, length(y))[c("task", "y", "levels")]
  expect_identical(encoded(factor(c("b", "a", "b"), levels = c("b", "a", "unused"))),
                   two(c(-1, 1, -1), c("b", "a")))
  expect_identical(encoded(c(TRUE, FALSE)), two(c(1, -1), c("FALSE", "TRUE")))
  expect_identical(encoded(c("v", "u")), two(c(1, -1), c("u", "v")))
  expect_identical(encoded(c(1, -1)), two(c(1, -1), c("-1", "1")))
  expect_identical(encoded(0:1), two(c(-1, 1), c("0", "1")))
  expect_identical(encode_y(matrix(0:1), 2)$y, c(-1, 1))
})

test_that("several classes and labels have a column each", {
  three <- encode_y(c("u", "w", "v"), 3)
  expect_identical(three$task, "k-class")
  expect_identical(three$levels, c("u", "v", "w"))
  expect_identical(three$y, rbind(c(1, -1, -1), c(-1, -1, 1), c(-1, 1, -1)))
  labels <- encode_y(cbind(a = c(0, 1, 1), b = c(1, 1, 0)), 3)
  expect_identical(labels$task, "multi-label")
  expect_identical(labels$y, cbind(c(-1, 1, 1), c(1, 1, -1)))
  expect_identical(labels$levels, c("a", "b"))
  expect_zeronorm_error(encode_y(cbind(a = c(0, 1), b = 1), 2), "y", "'b'")
  expect_zeronorm_error(encode_y(cbind(a = c(0, 1), b = 1:0), 3), "y", "2 rows")
})

test_that("numbers are values only where the method takes them", {
  expect_message(values <- encode_y(c(0.5, 2, 3), 3, "auto", "regression"), "regression")
  expect_identical(values$y, c(0.5, 2, 3))
  expect_identical(encode_y(1:3, 3, "classification")$levels, c("1", "2", "3"))
  expect_identical(encode_y(c(0, 1, 1), 3, "regression")$task, "regression")
  expect_zeronorm_error(encode_y(c("u", "v"), 2, "regression"), "y", "number")
})

test_that("labels that are no two classes are refused", {
  expect_zeronorm_error(encode_y(rep("u", 3), 3), "y", "one class")
  expect_zeronorm_error(encode_y(factor(c("u", "u"), levels = c("u", "v")), 2), "y", "one class")
  expect_zeronorm_error(check_task(l1_svm(), encode_y(c("u", "v", "w"), 3)), "y", "3 classes")
  expect_zeronorm_error(encode_y(c(1, 2, 3), 3), "y", "factor")
  expect_zeronorm_error(encode_y(c(0.5, 1.2, 3), 3), "y", "regression")
  expect_zeronorm_error(encode_y(c(1, 2), 2), "y", "factor")
  expect_zeronorm_error(encode_y(c("u", NA), 2), "y", "missing")
  expect_zeronorm_error(encode_y(list("u", "v"), 2), "y", "vector")
  expect_zeronorm_error(encode_y(c("u", "v"), 3), "y", "2 labels but `x` has 3 rows")
  expect_zeronorm_error(encode_y(matrix(1:4, 2, 2), 2), "y")
  expect_zeronorm_error(encode_y(as.Date(c("2020-01-01", "2020-01-02")), 2), "y")
})

test_that("data frames without rows, and with matrices as columns, are said", {
  frame <- data.frame(a = c(1, 2, 3, 4), b = c(2, 1, 4, 3))
  y <- c(0, 0, 1, 1)
  expect_zeronorm_error(zeronorm(frame[0, ], y[0]), "x", "no rows")
  expect_length(predict(zeronorm(frame, y, l1_svm()), frame[0, ]), 0)
  frame$m <- matrix(1:8, 4)
  expect_zeronorm_error(zeronorm(frame, y), "x", "'m' is a matrix")
})

test_that("formulas that cannot be taken at their word are errors", {
  data <- planted(40, 4)
  frame <- data.frame(data$x, y = data$y, one = factor("a"), "my gene" = data$x[, 1], check.names = FALSE)
  expect_zeronorm_error(zeronorm(y ~ g1 + offset(g2), frame), "x", "offset")
  expect_zeronorm_error(zeronorm(y ~ y + g1, frame), "x", "response")
  expect_zeronorm_error(zeronorm(y ~ nope, frame), "data", "'nope'")
  expect_zeronorm_error(zeronorm(y ~ g1 + one, frame), "data", "one level")
  expect_zeronorm_error(zeronorm(y ~ g1, frame, y = 1), "y", "formula")
  fit <- zeronorm(y ~ `my gene` + g2, frame, l1_svm())
  expect_setequal(selected(fit), c("my gene", "g2"))
  expect_identical(unname(predict(fit, frame)), unname(predict(fit, frame[c("g2", "my gene")])))
})

test_that("contrasts of a formula are those of the fit", {
  frame <- data.frame(f = factor(rep(c("a", "b", "c"), 10)), y = rep(c(0, 0, 1), 10))
  old <- options(contrasts = c("contr.sum", "contr.poly"))
  on.exit(options(old))
  fit <- zeronorm(y ~ f, frame, l1_svm())
  options(old)
  expect_identical(as.character(predict(fit, frame)), as.character(frame$y))
})

test_that("what is not finite is named for what it is", {
  x <- matrix(rnorm(20), 10, dimnames = list(NULL, c("a", "b")))
  y <- rep(c("u", "v"), 5)
  for (form in list(identity, function(x) as(x, "CsparseMatrix"))) {
    expect_zeronorm_error(zeronorm(form(replace(x, 3, Inf)), y, l1_svm(), impute = "mean"), "x",
                          "infinite values in column 'a'.*fills missing values only")
    expect_zeronorm_error(zeronorm(form(replace(x, 13, NA)), y, l1_svm()), "x",
                          "`: missing values in column 'b'.*median")
    expect_zeronorm_error(zeronorm(form(replace(x, c(3, 13), c(NaN, -Inf))), y, l1_svm()), "x",
                          "missing or infinite values in column 'a', 'b'")
  }
})
