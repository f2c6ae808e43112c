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
  fit
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
  expect_zeronorm_error(ggplot2::autoplot(results$cv, "curve"), "type")
  expect_s3_class(ggplot2::autoplot(results$cv, "weights", s = "min"), "ggplot")
  expect_zeronorm_error(ggplot2::autoplot(results$frequency, index = 2), "index", "up to 1")
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
    for (type in c("path", "weights", "gap")) {
      expect_error(drawn(size[1], size[2], type, index = if (type == "weights") 5), NA)
    }
  }
})

test_that("a boundary is drawn without a warning in any units, and where a class takes all", {
  skip_if_not_installed("ggplot2")
  data <- planted(20, 2)
  drawn <- function(x, y) {
    fit <- zeronorm(x, y, l2_svm(C = 1))
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    expect_warning(print(ggplot2::autoplot(fit, "boundary", x, y)), NA)
  }
  drawn(1e12 * data$x, data$y)
  drawn(0 * data$x + 3, factor(rep(c("a", "b"), c(19, 1))))
})
