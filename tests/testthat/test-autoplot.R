# Fits with their data, one for each kind of picture.
pictured <- function() {
  colon <- planted(40, 60, noise = 1)
  plane <- planted(60, 2, noise = 0.3)
  three <- three_clouds(45, 12)
  list(
    path = list(zeronorm(colon$x, colon$y), "path"),
    weights = list(zeronorm(colon$x, colon$y, l1_svm()), "weights"),
    convergence = list(zeronorm(colon$x, colon$y, fsv(lambda = c(0.05, 0.2))), "convergence"),
    gap = list(with_gaps(zeronorm(colon$x, colon$y, fsv(lambda = c(0.05, 0.2)))), "gap"),
    heatmap = list(zeronorm(colon$x, colon$y, svm_rfe(nonzero = 12)), "heatmap", colon$x, colon$y),
    "heatmap of three classes" = list(zeronorm(three$x, three$y, arom(errors = "l2", nonzero = 5)), "heatmap",
                                      three$x, three$y),
    boundary = list(zeronorm(plane$x, plane$y, l2_svm(C = 1)), "boundary", plane$x, plane$y),
    "boundary of a kernel" = list(zeronorm(plane$x, plane$y, l2_svm(kernel = gaussian_kernel(1))), "boundary",
                                  plane$x, plane$y),
    "boundary of three classes" = list(zeronorm(three$x, three$y, svm_rfe(nonzero = 2, C = 1)), "boundary",
                                       three$x, three$y)
  )
}

# True gaps are rounding errors, other ones on every machine.
with_gaps <- function(fit) {
  fit$trace <- lapply(fit$trace, function(rounds) {
    rounds$gap <- 10^-(6 + seq_along(rounds$gap) %% 4)
    rounds
  })
  seal(fit)
}

test_that("every picture looks as it did", {
  skip_on_cran()
  skip_if_not_installed("vdiffr")
  pictures <- pictured()
  for (name in names(pictures)) {
    vdiffr::expect_doppelganger(paste("plot", name), function() do.call(plot, pictures[[name]]))
  }
  skip_if_not_installed("ggplot2")
  version <- as.character(utils::packageVersion("ggplot2"))
  skip_if(!startsWith(version, "3.4."), paste("snapshots are of ggplot2 3.4, not", version))
  for (name in names(pictures)) {
    vdiffr::expect_doppelganger(paste("autoplot", name), do.call(ggplot2::autoplot, pictures[[name]]))
  }
})

# Results of resampling, their numbers fixed.
resampled <- function() {
  data <- planted(60, 40, noise = 1)
  with_stream(1, list(
    cv = cv_zeronorm(data$x, data$y, arom(errors = "l2", nonzero = c(32, 8, 4, 2, 1)), folds = 5),
    stability = stability_selection(data$x, data$y, svm_rfe(nonzero = c(20, 10, 5, 2)), resamples = 10),
    frequency = stability_selection(data$x, data$y, svm_rfe(nonzero = 5), resamples = 10),
    curve = learning_curve(data$x, data$y, svm_rfe(nonzero = 4), sizes = c(20, 40), folds = 4)
  ))
}

test_that("results of resampling have their pictures", {
  skip_if_not_installed("ggplot2")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  results <- resampled()
  for (result in results) {
    expect_warning(print(ggplot2::autoplot(result)), NA)
    expect_warning(plot(result), NA)
  }
  expect_zeronorm_error(ggplot2::autoplot(results$cv, s = "min"), "s")
  skip_on_cran()
  skip_if_not_installed("vdiffr")
  for (name in names(results)) {
    vdiffr::expect_doppelganger(paste("plot", name), function() plot(results[[name]]))
  }
  skip_if(!startsWith(as.character(utils::packageVersion("ggplot2")), "3.4."), "snapshots are of ggplot2 3.4")
  for (name in names(results)) {
    vdiffr::expect_doppelganger(paste("autoplot", name), ggplot2::autoplot(results[[name]]))
  }
})

test_that("autoplot() draws what plot() draws, without a warning", {
  skip_if_not_installed("ggplot2")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (arguments in pictured()) {
    expect_warning(picture <- do.call(ggplot2::autoplot, arguments), NA)
    expect_s3_class(picture, "ggplot")
    expect_warning(print(picture), NA)
    expect_warning(do.call(plot, arguments), NA)
  }
})

test_that("pictures hold at every size of figure and number of genes", {
  data <- planted(30, 3000)
  colnames(data$x) <- paste0("a_rather_long_name_", 1:3000)
  fit <- zeronorm(data$x, data$y)
  drawn <- function(width, height, ...) {
    grDevices::pdf(NULL, width = width, height = height)
    on.exit(grDevices::dev.off())
    plot(fit, ...)
  }
  for (size in list(c(3, 3), c(7, 5), c(12, 16))) {
    rows <- ncol(drawn(size[1], size[2], "heatmap", data$x, data$y, index = 1))
    expect_true(rows >= 2 && rows <= 50)
    for (type in c("path", "weights", "gap")) expect_error(drawn(size[1], size[2], type), NA)
  }
})

test_that("the heatmap shows standardised data by class", {
  data <- planted(20, 5)
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = 3))
  shown <- heatmap_picture(fit, data$x, data$y, 1, 50)
  expect_identical(shown$labels, selected(fit))
  expect_identical(as.character(data$y[shown$order]), rep(c("down", "up"), each = 10))
  link <- predict(fit, data$x, "link")
  expect_false(is.unsorted(link[shown$order[1:10]]))
  scores <- scale(data$x)[shown$order, selected(fit)]
  expect_equal(shown$z, pmax(pmin(scores, 2.5), -2.5), ignore_attr = TRUE)
  sparse <- heatmap_picture(fit, as(data$x, "dgCMatrix"), as.character(data$y), 1, 50)
  expect_identical(sparse$z, shown$z)
  constant <- zeronorm(cbind(data$x, 1), data$y, l2_svm())
  expect_true(all(is.finite(heatmap_picture(constant, cbind(data$x, 1), data$y, 1, 50)$z)))
})

test_that("heatmaps of labels and of numbers have their bars", {
  data <- planted(30, 6)
  labels <- cbind(one = data$x[, 1] > 0, two = data$x[, 2] > 0) + 0
  fit <- zeronorm(data$x, labels, svm_rfe(nonzero = 3))
  bars <- heatmap_bars(fit, labels, heatmap_order(fit, labels, NULL))
  expect_setequal(bars$bar, 0:1)
  expect_identical(max(bars$to), 30L)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(dim(plot(fit, "heatmap", data$x, labels)), c(30L, 3L))
  y <- data$x[, 1] - data$x[, 2]
  line <- zeronorm(data$x, y, arom(epsilon = 0.1, errors = "l2", nonzero = 2))
  expect_identical(rownames(plot(line, "heatmap", data$x, y)), as.character(order(y)))
})

test_that("the boundary is where the decision value is zero, and rings lie in the margin", {
  data <- planted(40, 6)
  fit <- zeronorm(data$x, data$y, svm_rfe(nonzero = 2, C = 1))
  shown <- boundary_picture(fit, data$x, data$y, 1, resolution = 20)
  expect_setequal(shown$axes, selected(fit))
  w <- coef(fit)
  grid <- expand.grid(shown$a, shown$b)
  expect_equal(as.vector(shown$f), as.vector(w[1] + as.matrix(grid) %*% w[shown$axes]))
  inside <- abs(predict(fit, data$x, "link")) <= 1 + 1e-6 | predict(fit, data$x) != data$y
  expect_identical(shown$points$near, unname(inside))
})

test_that("support vectors of a soft machine are within the rings", {
  data <- planted(40, 2, noise = 1)
  fit <- zeronorm(data$x, data$y, l2_svm(C = 1, kernel = gaussian_kernel(1)))
  shown <- boundary_picture(fit, data$x, data$y, 1, resolution = 5)
  expect_true(all(shown$points$near[fit$machine$rows]))
})

test_that("one feature gets a companion, and more than two are refused", {
  data <- planted(40, 6)
  one <- zeronorm(data$x, data$y, svm_rfe(nonzero = 1))
  expect_identical(boundary_picture(one, data$x, data$y, 1, 5)$axes, c("g1", "g2"))
  three <- zeronorm(data$x, data$y, svm_rfe(nonzero = 3))
  expect_zeronorm_error(plot(three, "boundary", data$x, data$y), "x", "3 features")
  expect_zeronorm_error(plot(one, "boundary", data$x), "y", "missing")
  expect_zeronorm_error(plot(one, "heatmap"), "newx", "missing")
  expect_zeronorm_error(plot(one, "heatmap", data$x, rep("sideways", 40)), "y", "sideways")
  expect_zeronorm_error(plot(one, "heatmap", data$x, data$y[-1]), "y", "39")
  kernel <- zeronorm(data$x, data$y, l2_svm(kernel = tcrossprod(data$x)))
  expect_zeronorm_error(plot(kernel, "boundary", tcrossprod(data$x), data$y), "x", "kernel matrix")
})
