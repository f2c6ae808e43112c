# What a user of Bioconductor would write, from the object to the marked genes and back.

# Cells of two types from eight donors: log counts of 60 genes, of which gene1 and gene2 tell the types apart.
cells <- function(n = 120, d = 60) {
  with_stream(1, {
    type <- factor(rep_len(c("B", "T"), n))
    rate <- matrix(1, d, n, dimnames = list(paste0("gene", seq_len(d)), paste0("cell", seq_len(n))))
    rate[1, type == "B"] <- 6
    rate[2, type == "T"] <- 6
    counts <- matrix(stats::rpois(d * n, rate), d, dimnames = dimnames(rate))
    data <- data.frame(type = type, donor = rep(seq_len(8), each = n / 8), age = stats::rnorm(n, 50, 9),
                       row.names = colnames(counts))
    list(counts = counts, logcounts = log1p(counts), data = data)
  })
}

test_that("cells are classified, donors kept together, and genes marked in the object", {
  skip_if_not_installed("SingleCellExperiment")
  data <- cells()
  sce <- SingleCellExperiment::SingleCellExperiment(list(counts = as(data$counts, "CsparseMatrix"),
                                                         logcounts = as(data$logcounts, "CsparseMatrix")),
                                                    colData = data$data)
  train <- sce[, sce$donor <= 6]
  test <- sce[rev(rownames(sce)), sce$donor > 6]
  method <- arom("l2", nonzero = c(10, 4, 2, 1), errors = "l2")
  cv <- with_stream(2, cv_zeronorm(train, "type", method, folds = 3, block = "donor"))
  genes <- selected(cv)
  expect_setequal(genes[1:2], c("gene1", "gene2"))
  for (fold in cv$splits) expect_length(intersect(train$donor[fold$test], train$donor[fold$train]), 0)
  predicted <- predict(cv, test)
  expect_named(predicted, colnames(test))
  expect_gt(mean(predicted == test$type), 0.9)
  chances <- predict(cv, test, type = "prob")
  expect_gt(mean((chances > 0.5) == (test$type == "T")), 0.9)
  # The matrix by hand.
  x <- t(data$logcounts)[train$donor > 0, ][colnames(train), ]
  own <- zeronorm(x, data$data[colnames(train), "type"], arom("l2", nonzero = 2, errors = "l2"))
  expect_equal(predict(cv, test, type = "link", nonzero = 2),
               predict(own, t(data$logcounts)[colnames(test), ], "link"), tolerance = 1e-6)

  marked <- annotate_features(sce, cv, prefix = "svm_")
  rows <- SummarizedExperiment::rowData(marked)
  expect_setequal(rownames(rows)[rows$svm_selected], genes)
  added <- augment(cv, test)
  expect_identical(added$.rownames, colnames(test))
  expect_identical(added$.pred_class, unname(predicted))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(dim(plot(cv, "heatmap", test, "type")), c(ncol(test), length(genes)))
  page <- report(cv, train, "type", tempfile(fileext = ".html"))
  expect_true(any(grepl("gene1", readLines(page))))
  unlink(page)
})

test_that("covariates, counts on the disk and the whole error of the procedure", {
  skip_if_not_installed("SummarizedExperiment")
  data <- cells(64, 40)
  se <- SummarizedExperiment::SummarizedExperiment(list(logcounts = data$logcounts), colData = data$data)
  fit <- zeronorm(se, type ~ age, arom("l2", nonzero = 2, errors = "l2"))
  expect_setequal(selected(fit), c("gene1", "gene2"))
  fit <- with_stream(1, calibrate_zeronorm(fit, se, block = "donor", folds = 4))
  expect_true(all(predict(fit, se, type = "prob") > 0))
  nested <- with_stream(1, nested_zeronorm(se, "type", svm_rfe(nonzero = c(2, 1)), folds = 3, inner_folds = 3,
                                           block = "donor"))
  expect_s3_class(nested, "zeronorm_nested")
  stable <- with_stream(1, stability_selection(se, "type", svm_rfe(nonzero = 2), resamples = 10))
  expect_true(all(selected(stable) %in% c("gene1", "gene2")))
  skip_if_not_installed("HDF5Array")
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  stored <- HDF5Array::writeHDF5Array(data$logcounts, file, "x", with.dimnames = TRUE)
  on_disk <- SummarizedExperiment::SummarizedExperiment(list(logcounts = stored), colData = data$data)
  far <- zeronorm(on_disk, type ~ age, arom("l2", nonzero = 2, errors = "l2"))
  expect_equal(predict(far, on_disk, "link"), predict(fit, se, "link"), tolerance = 1e-6)
})

test_that("an expression set of a microarray is taken as well", {
  skip_if_not_installed("Biobase")
  set <- Biobase::ExpressionSet(t(log(unname(colon$x[, 1:300]))),
                                Biobase::AnnotatedDataFrame(data.frame(tissue = colon$y)))
  rownames(set) <- paste0("g", 1:300)
  cv <- with_stream(1, cv_zeronorm(set, "tissue", svm_rfe(nonzero = c(16, 4, 1)), folds = 4))
  x <- t(Biobase::exprs(set))
  known <- with_stream(1, cv_zeronorm(x, colon$y, svm_rfe(nonzero = c(16, 4, 1)), folds = 4))
  expect_equal(cv$summary, known$summary)
  marked <- Biobase::fData(annotate_features(set, cv))
  expect_setequal(rownames(marked)[marked$selected], selected(known))
})
