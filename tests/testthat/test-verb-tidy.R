test_that("tidy() holds the coefficients of every solution", {
  data <- planted(30, 12)
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = c(6, 2)))
  table <- tidy(fit)
  expect_named(table, c("term", "estimate", "importance", "solution", "C", "target"))
  expect_identical(nrow(table), 6L + 2L + 2L)
  for (k in 1:2) {
    rows <- table[table$solution == k, ]
    w <- coef(fit, index = k)
    expect_identical(structure(rows$estimate, names = rows$term), w[w != 0])
    importance <- feature_importance(fit, index = k)[rows$term[-1]]
    expect_equal(structure(rows$importance, names = rows$term)[-1], importance)
    expect_true(all(rows$target == certificate(fit)$target[k]))
  }
  expect_identical(nrow(tidy(fit, return_zeros = TRUE, nonzero = 2)), 13L)
  expect_zeronorm_error(tidy(fit, zeros = TRUE), "zeros")
})

test_that("classes and labels have rows of their own", {
  data <- three_clouds()
  fit <- zeronorm(data$x, data$y, arom(errors = "l2", nonzero = c(4, 2)))
  table <- tidy(fit, index = 2)
  expect_identical(unique(table$level), c("a", "b", "c"))
  of_b <- table[table$level == "b", ]
  w <- coef(fit, index = 2)$b
  expect_identical(structure(of_b$estimate, names = of_b$term), w[w != 0])
  labels <- cbind(one = data$x[, 1] > 2, two = data$x[, 2] > 2)
  both <- zeronorm(data$x, labels, svm_rfe(nonzero = 3))
  expect_setequal(tidy(both)$level, c("one", "two"))
  expect_named(augment(both, data$x[1:2, ]),
               c(colnames(data$x), ".pred_one", ".pred_two", ".fitted_one", ".fitted_two"))
  added <- augment(fit, data$x, index = 2)
  expect_identical(added$.pred_class, predict(fit, data$x, index = 2))
  expect_equal(added$.fitted_c, predict(fit, data$x, "link", index = 2)[, "c"])
})

test_that("a kernel machine has its support vectors as terms", {
  data <- planted(30, 2)
  rownames(data$x) <- paste0("s", 1:30)
  fit <- zeronorm(data$x, data$y, l2_svm(kernel = "gaussian"))
  table <- tidy(fit)
  expect_named(table, c("term", "estimate", "solution", "C"))
  expect_true(all(table$term %in% c("(Intercept)", rownames(data$x))))
})

test_that("glance() has one row", {
  data <- planted(30, 12)
  one <- glance(zeronorm(data$x, data$y, l1_svm()))
  expect_identical(nrow(one), 1L)
  expect_identical(one$nobs, 30L)
  fit <- zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)))
  path <- glance(fit)
  expect_identical(nrow(path), 1L)
  expect_identical(c(path$nonzero_min, path$nonzero_max), range(certificate(fit)$nonzero))
  expect_identical(path$solutions, 2L)
  expect_identical(path$gap, max(certificate(fit)$gap))
})

test_that("augment() adds predictions to data of any kind", {
  data <- planted(30, 4)
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = c(2, 1)))
  added <- augment(fit, data$x, nonzero = 2)
  expect_identical(as.matrix(as.data.frame(added)[1:4]), unname_rows(data$x))
  expect_identical(added$.pred_class, predict(fit, data$x, nonzero = 2))
  expect_identical(added$.fitted, predict(fit, data$x, "link", nonzero = 2))
  sparse <- augment(fit, as(data$x, "dgCMatrix"), nonzero = 2)
  expect_identical(names(sparse)[5:6], c(".pred_class", ".fitted"))
  expect_zeronorm_error(augment(fit, data$x, index = 1:2), "index", "one")
  expect_zeronorm_error(augment(fit, data$x), "object", "2 solutions.*cv_zeronorm")
  expect_zeronorm_error(augment(fit), "newdata")
  frame <- data.frame(data$x, y = data$y, note = letters[1:3])
  named <- augment(zeronorm(y ~ g1 + g2, frame, l1_svm()), frame)
  expect_named(named, c(names(frame), ".pred_class", ".fitted"))
  line <- zeronorm(data$x, data$x[, 1], arom(epsilon = 0.1))
  expect_named(augment(line, data$x), c(colnames(data$x), ".fitted"))
})

test_that("a calibrated fit adds probabilities", {
  data <- planted(40, 4, noise = 1)
  fit <- zeronorm(data$x, data$y, l1_svm(C = 0.5))
  fit <- with_stream(1, calibrate_zeronorm(fit, data$x, data$y, folds = 3))
  added <- augment(fit, data$x)
  expect_equal(added$.pred_up, unname(predict(fit, data$x, "prob")))
  expect_equal(added$.pred_down + added$.pred_up, rep(1, 40))
  three <- three_clouds(30, 4)
  many <- zeronorm(three$x, three$y, svm_rfe(nonzero = 2, C = 1))
  many <- with_stream(1, calibrate_zeronorm(many, three$x, three$y, folds = 3))
  added <- augment(many, three$x)
  expect_equal(as.matrix(as.data.frame(added[c(".pred_a", ".pred_b", ".pred_c")])),
               predict(many, three$x, "prob"), ignore_attr = TRUE)
})

test_that("a cross-validation has its tables", {
  data <- planted(40, 12, noise = 1)
  cv <- with_stream(1, cv_zeronorm(data$x, data$y, svm_rfe(nonzero = c(8, 4, 2, 1)), folds = 4))
  table <- tidy(cv)
  expect_identical(table$mean, cv$summary$mean)
  expect_match(table$chosen[cv$best[["min"]]], "min")
  one <- glance(cv)
  expect_identical(nrow(one), 1L)
  expect_identical(one$nonzero_1se, cv$summary$nonzero[cv$best[["1se"]]])
  added <- augment(cv, data$x)
  expect_identical(added$.pred_class, predict(cv, data$x))
  expect_equal(added$.pred_up, unname(predict(cv, data$x, type = "prob")))
})

test_that("the verbs are those of package generics", {
  data <- planted(20, 3)
  fit <- zeronorm(data$x, data$y, l1_svm())
  expect_identical(tidy, generics::tidy)
  skip_if_not_installed("broom")
  expect_identical(broom::tidy(fit), tidy(fit))
})

test_that("tables are tibbles where tibble is installed, whether or not it is loaded", {
  skip_if_not_installed("tibble")
  skip_if_not_installed("callr")
  # In a process in which nothing has loaded tibble before.
  shapes <- callr::r(function() {
    loadNamespace("zeronorm")
    before <- "tibble" %in% loadedNamespaces()
    set.seed(1)
    x <- matrix(stats::rnorm(60), 20)
    fit <- zeronorm::zeronorm(x, x[, 1] > 0, zeronorm::l1_svm())
    tables <- list(zeronorm::tidy(fit), zeronorm::glance(fit), zeronorm::augment(fit, x))
    list(before = before, columns = lapply(tables, function(table) class(table[, 1])))
  }, libpath = .libPaths())
  expect_false(shapes$before)
  for (class in shapes$columns) expect_identical(class, c("tbl_df", "tbl", "data.frame"))
})

test_that("without tibble a table is a data frame whose columns are vectors", {
  table <- as_table(list(a = 1:3, b = letters[1:3]), as_tibble = FALSE)
  expect_identical(class(table), "data.frame")
  expect_identical(table[, 1], 1:3)
  expect_identical(dim(as_table(list(), as_tibble = FALSE)), c(0L, 0L))
})
