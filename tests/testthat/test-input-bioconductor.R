# A container is its matrix, transposed, with labels and covariates from the sample data.

contained <- function(data = planted(40, 30, noise = 0.5)) {
  n <- nrow(data$x)
  data$age <- rep_len(c(30, 61, 45.5, 72), n)
  data$batch <- factor(rep_len(c("a", "b", "c"), n))
  data$samples <- data.frame(tumour = data$y, age = data$age, batch = data$batch, "odd name" = data$age^2,
                             row.names = paste0("s", seq_len(n)), check.names = FALSE)
  data$genes <- t(data$x)
  colnames(data$genes) <- rownames(data$samples)
  data
}

as_se <- function(data, assays = list(expression = data$genes)) {
  SummarizedExperiment::SummarizedExperiment(assays, colData = data$samples)
}

# What the fit found, without names that come from the samples.
expect_same_model <- function(fit, known) {
  expect_equal(coef(fit), coef(known), tolerance = 1e-10)
  expect_equal(certificate(fit)$primal, certificate(known)$primal)
}

test_that("a SummarizedExperiment is its first assay, transposed", {
  skip_if_not_installed("SummarizedExperiment")
  data <- contained()
  se <- as_se(data)
  known <- zeronorm(data$x, data$y, l1_svm())
  expect_same_model(zeronorm(se, "tumour", l1_svm()), known)
  expect_same_model(zeronorm(se, data$y, l1_svm()), known)
  expect_same_model(zeronorm(se, se$tumour, method = "l1_svm"), known)
  expect_same_model(zeronorm(se, tumour ~ 1, l1_svm()), known)
  expect_same_model(zeronorm(se, as.numeric(data$y) - 1, l1_svm(), weights = rep(1, 40)), known)
  fit <- zeronorm(se, "tumour", l1_svm())
  expect_identical(unname(predict(fit, se)), unname(predict(known, data$x)))
  expect_named(predict(fit, se), rownames(data$samples))
  expect_equal(predict(known, se, type = "link"), predict(fit, se, type = "link"))
  expect_equal(unname(predict(fit, data$x, type = "link")), unname(predict(fit, se, type = "link")))
  expect_identical(predict(fit, se[30:1, ]), predict(fit, se))
  expect_same_model(update(fit, se, "tumour", C = 0.3), zeronorm(data$x, data$y, l1_svm(C = 0.3)))
})

test_that("ranged experiments, single cells and expression sets are taken too", {
  data <- contained()
  known <- zeronorm(data$x, data$y, l1_svm())
  if (requireNamespace("SingleCellExperiment", quietly = TRUE)) {
    counts <- round(exp(data$genes))
    sce <- SingleCellExperiment::SingleCellExperiment(list(counts = counts, logcounts = data$genes),
                                                      colData = data$samples)
    fit <- zeronorm(sce, "tumour", l1_svm())
    expect_same_model(fit, known)
    expect_same_model(zeronorm(sce, "tumour", l1_svm(), assay = "counts"),
                      zeronorm(t(counts), data$y, l1_svm()))
    expect_same_model(zeronorm(sce, "tumour", l1_svm(), assay = 2), known)
    SummarizedExperiment::assays(sce) <- SummarizedExperiment::assays(sce)["counts"]
    expect_same_model(zeronorm(sce, "tumour", l1_svm()), zeronorm(t(counts), data$y, l1_svm()))
    expect_zeronorm_error(predict(fit, sce), "assay", "'logcounts'.*'counts'")
  }
  if (requireNamespace("Biobase", quietly = TRUE)) {
    set <- Biobase::ExpressionSet(data$genes, Biobase::AnnotatedDataFrame(data$samples))
    fit <- zeronorm(set, "tumour", l1_svm())
    expect_same_model(fit, known)
    expect_identical(unname(predict(fit, set)), unname(predict(known, data$x)))
    expect_same_model(zeronorm(set, tumour ~ age, l1_svm()),
                      zeronorm(cbind(data$x, age = data$age), data$y, l1_svm(), unpenalized = "age"))
    annotated <- Biobase::fData(annotate_features(set, fit))
    expect_identical(sort(rownames(annotated)[annotated$selected]), sort(selected(known)))
  }
  skip_if_not_installed("SummarizedExperiment")
  skip_if_not_installed("SingleCellExperiment")
})

test_that("the right side of a formula is free of penalty", {
  skip_if_not_installed("SummarizedExperiment")
  data <- contained()
  se <- as_se(data)
  free <- cbind(batchb = data$batch == "b", batchc = data$batch == "c", age = data$age)
  for (method in list(l1_svm(), arom("l2", errors = "l2", nonzero = 6), l2_svm())) {
    fit <- zeronorm(se, tumour ~ batch + age, method)
    known <- zeronorm(cbind(data$x, free), data$y, method, unpenalized = colnames(free))
    expect_same_model(fit, known)
    expect_equal(unname(predict(fit, se, type = "link")),
                 unname(predict(known, cbind(data$x, free), type = "link")))
  }
  expect_false(any(colnames(free) %in% selected(fit)))
  # Sizes count genes, covariates come on top.
  expect_length(selected(zeronorm(se, tumour ~ batch + age, svm_rfe(nonzero = 4))), 4)
  # New samples of few batches; without the covariate; with a batch never seen.
  expect_identical(predict(fit, se[, 2:3]), predict(fit, se)[2:3])
  less <- se
  less$age <- NULL
  expect_zeronorm_error(predict(fit, less), "newdata", "'age'")
  other <- se
  other$batch <- factor("z")
  expect_zeronorm_error(predict(fit, other), "newdata", "'z'")
  # Further free features, by name or number; functions; no intercept.
  both <- zeronorm(se, tumour ~ age, l1_svm(), unpenalized = "g7")
  known <- zeronorm(cbind(data$x, age = data$age), data$y, l1_svm(), unpenalized = c("g7", "age"))
  expect_same_model(both, known)
  expect_same_model(zeronorm(se, tumour ~ age, l1_svm(), unpenalized = 7), both)
  expect_identical(names(coef(zeronorm(se, tumour ~ log(age) + `odd name`, l1_svm())))[32:33],
                   c("log(age)", "odd name"))
  expect_identical(zeronorm(se, tumour ~ 0 + age, l1_svm())$intercept, 0)
  expect_same_model(zeronorm(se, age > 50 ~ 1, l1_svm()), zeronorm(data$x, data$age > 50, l1_svm()))
})

test_that("a sparse assay stays sparse, also beside covariates", {
  skip_if_not_installed("SummarizedExperiment")
  data <- contained()
  data$x[abs(data$x) < 0.7] <- 0
  data$genes <- t(data$x)
  sparse <- as(data$genes, "dgCMatrix")
  se <- as_se(data, list(counts = sparse))
  expect_same_model(zeronorm(se, "tumour", l1_svm()), zeronorm(Matrix::t(sparse), data$y, l1_svm()))
  encoded <- encode_experiment(se, tumour ~ age)
  expect_s4_class(encoded$x$x, "dgCMatrix")
  expect_equal(Matrix::nnzero(encoded$x$x), Matrix::nnzero(sparse) + 40)
  fit <- zeronorm(se, tumour ~ age + batch, l1_svm())
  expect_equal(coef(fit), coef(zeronorm(as_se(data, list(data$genes)), tumour ~ age + batch, l1_svm())),
               tolerance = 1e-7)
  expect_length(predict(fit, se), 40)
})

test_that("an assay on the disk is read block by block, also beside covariates", {
  skip_if_not_installed("SummarizedExperiment")
  skip_if_not_installed("HDF5Array")
  data <- contained()
  file <- tempfile(fileext = ".h5")
  on.exit(unlink(file))
  stored <- HDF5Array::writeHDF5Array(data$genes, file, "x", chunkdim = c(8, 9), with.dimnames = TRUE)
  se <- as_se(data)
  on_disk <- as_se(data, list(expression = stored))
  for (method in list(l1_svm(), arom("l2", errors = "l2"), correlation_filter(nonzero = 8))) {
    for (y in list("tumour", tumour ~ batch + age)) {
      fit <- zeronorm(on_disk, y, method)
      expect_equal(coef(fit), coef(zeronorm(se, y, method)), tolerance = 1e-8)
      expect_identical(predict(fit, on_disk), predict(fit, se))
    }
  }
  expect_identical(encode_experiment(on_disk, tumour ~ age)$x$tile, c(40L, 30L))
  expect_zeronorm_error(zeronorm(on_disk, "tumour", fsv()), "x", "l1_svm")
})

test_that("annotate_features() writes what the fit says of each feature", {
  skip_if_not_installed("SummarizedExperiment")
  data <- contained()
  se <- as_se(data)
  row_data <- function(...) {
    as.data.frame(SummarizedExperiment::rowData(annotate_features(...)), optional = TRUE)
  }
  fit <- zeronorm(se, tumour ~ age, l1_svm())
  found <- row_data(se, fit)
  expect_named(found, c("selected", "importance", "weight"))
  expect_identical(rownames(found), rownames(se))
  expect_equal(found$weight, unname(coef(fit)[2:31]))
  expect_identical(found$selected, found$weight != 0)
  expect_equal(found$importance, unname(feature_importance(fit)[rownames(se)]))
  # Rows in another order, rows the fit never saw, columns that are there already.
  expect_identical(row_data(se[30:1, ], fit), found[30:1, ])
  more <- se[1:4, ]
  rownames(more)[4] <- "new"
  expect_identical(row_data(more, fit)$selected, c(found$selected[1:3], NA))
  expect_identical(row_data(annotate_features(se, fit), fit), found)
  expect_named(row_data(se, fit, prefix = "svm_"), paste0("svm_", names(found)))
  # Several solutions, rankings, several classes.
  path <- zeronorm(se, "tumour", correlation_filter(nonzero = c(9, 2)))
  both <- row_data(se, path)
  each <- c("selected", "importance", "weight", "rank")
  expect_named(both, c(paste0(each, ".nonzero = 9"), paste0(each, ".nonzero = 2")))
  expect_identical(colSums(both[c(1, 5)]), c("selected.nonzero = 9" = 9, "selected.nonzero = 2" = 2))
  one <- row_data(se, path, nonzero = 2)
  expect_named(one, c("selected", "importance", "weight", "rank"))
  expect_identical(rownames(se)[order(one$rank)], feature_ranking(path))
  classes <- three_clouds(30, 10)
  many <- SummarizedExperiment::SummarizedExperiment(list(t(classes$x)))
  three <- zeronorm(many, classes$y, m_svm())
  expect_named(row_data(many, three), c("selected", "importance", paste0("weight.", three$outputs)))
  expect_equal(row_data(many, three)[[4]], unname(coef(three)[[2]][-1]))
  # Without names by position.
  nameless <- SummarizedExperiment::SummarizedExperiment(list(unname(data$genes)), colData = data$samples)
  by_place <- zeronorm(nameless, tumour ~ age, l1_svm())
  expect_equal(row_data(nameless, by_place), found, ignore_attr = TRUE)
  expect_zeronorm_error(annotate_features(nameless[1:9, ], by_place), "object", "9 features")
})

test_that("annotate_features() takes results of a cross-validation, and refuses what has no features", {
  skip_if_not_installed("SummarizedExperiment")
  data <- contained()
  se <- as_se(data)
  cv <- cv_zeronorm(se, "tumour", svm_rfe(nonzero = c(6, 2)), foldid = rep_len(1:3, 40))
  marked <- function(...) sum(SummarizedExperiment::rowData(annotate_features(se, cv, ...))$selected)
  expect_identical(marked(), length(selected(cv)))
  expect_identical(marked(nonzero = 6), 6L)
  expect_zeronorm_error(annotate_features(se, lm(age ~ 1, data$samples)), "fit")
  kernel <- zeronorm(se, "tumour", l2_svm(kernel = gaussian_kernel(1)))
  expect_zeronorm_error(annotate_features(se, kernel), "object")
  expect_zeronorm_error(annotate_features(se, list()), "fit")
  other <- se
  rownames(other) <- paste0("h", 1:30)
  expect_zeronorm_error(annotate_features(other, zeronorm(se, "tumour", l1_svm())), "object", "no feature")
  expect_zeronorm_error(annotate_features("text"), "object", "SummarizedExperiment")
})

test_that("resampling takes the containers, covariates in every fold", {
  skip_if_not_installed("SummarizedExperiment")
  data <- contained()
  se <- as_se(data)
  folds <- rep_len(1:3, 40)
  method <- l1_svm(C = c(0.1, 1))
  cv <- cv_zeronorm(se, tumour ~ age, method, foldid = folds)
  known <- cv_zeronorm(cbind(data$x, age = data$age), data$y, method, foldid = folds, unpenalized = "age")
  expect_equal(cv$summary, known$summary)
  expect_identical(predict(cv, se), predict(cv$fit, se, index = cv$best[["1se"]]))
  expect_s3_class(nested_zeronorm(se, "tumour", method, folds = 2, inner_folds = 2), "zeronorm_nested")
  expect_s3_class(stability_selection(se, "tumour", l1_svm(), resamples = 4), "zeronorm_stability")
})

# The objects of Bioconductor with the same data, as many kinds as are installed.
all_containers <- function(data) {
  c(list(SummarizedExperiment = as_se(data)),
    if (requireNamespace("SingleCellExperiment", quietly = TRUE)) {
      list(SingleCellExperiment = SingleCellExperiment::SingleCellExperiment(list(logcounts = data$genes),
                                                                             colData = data$samples))
    },
    if (requireNamespace("Biobase", quietly = TRUE)) {
      list(ExpressionSet = Biobase::ExpressionSet(data$genes, Biobase::AnnotatedDataFrame(data$samples)))
    },
    list(sparse = as_se(data, list(as(data$genes, "CsparseMatrix")))))
}

# The loops share how they read data, so that one kind shows what all do.
some_containers <- function(data) {
  all_containers(data)[if (nzchar(Sys.getenv("ZERONORM_TEST_ALL"))) TRUE else 1]
}

test_that("every loop gives for a container what it gives for its matrix", {
  skip_if_not_installed("SummarizedExperiment")
  data <- contained()
  data$samples$donor <- rep(1:10, each = 4)
  data$samples$w <- rep_len(c(1, 2), 40)
  method <- svm_rfe(nonzero = c(4, 1))
  of <- function(verb, ...) with_stream(3, verb(...))
  folds <- rep_len(1:4, 40)
  fit <- zeronorm(data$x, data$y, method)
  rownames(data$x) <- rownames(data$samples)
  calibrated <- of(calibrate_zeronorm, fit, data$x, data$y, folds = 4)
  tested <- of(permutation_test, data$x, data$y, method, permutations = 3, folds = 3)
  curve <- of(learning_curve, data$x, data$y, svm_rfe(nonzero = 2), sizes = c(0.5, 1), folds = 3)
  blocked <- of(cv_zeronorm, data$x, data$y, method, folds = 4, block = data$samples$donor,
                weights = data$samples$w)
  stable <- of(stability_selection, data$x, data$y, method, resamples = 4)
  nested <- of(nested_zeronorm, data$x, data$y, method, folds = 2, inner_folds = 2)
  for (se in some_containers(data)) {
    expect_equal(of(permutation_test, se, "tumour", method, permutations = 3, folds = 3)$permuted,
                 tested$permuted)
    expect_equal(of(learning_curve, se, "tumour", svm_rfe(nonzero = 2), sizes = c(0.5, 1), folds = 3)$summary,
                 curve$summary)
    expect_equal(of(cv_zeronorm, se, "tumour", method, folds = 4, block = "donor", weights = "w")$summary,
                 blocked$summary)
    expect_equal(of(stability_selection, se, "tumour", method, resamples = 4)$summary, stable$summary)
    expect_equal(of(nested_zeronorm, se, "tumour", method, folds = 2, inner_folds = 2)$measures,
                 nested$measures)
    own <- zeronorm(se, "tumour", method)
    expect_equal(of(calibrate_zeronorm, own, se, "tumour", folds = 4)$calibration, calibrated$calibration)
    expect_equal(predict(update(own, se, "tumour", nonzero = 2), se, "link"),
                 predict(zeronorm(data$x, data$y, svm_rfe(nonzero = 2)), data$x, "link"))
  }
  expect_zeronorm_error(cv_zeronorm(as_se(data), "tumour", method, block = "patient"), "block", "'donor'")
})

test_that("covariates of a container stay with it in loops and in verbs that fit again", {
  skip_if_not_installed("SummarizedExperiment")
  data <- contained()
  se <- as_se(data)
  fit <- zeronorm(se, tumour ~ age + batch, svm_rfe(nonzero = 3))
  # The labels are those of the formula.
  calibrated <- with_stream(1, calibrate_zeronorm(fit, se, folds = 4))
  named <- with_stream(1, calibrate_zeronorm(fit, se, "tumour", folds = 4))
  expect_identical(calibrated$calibration, named$calibration)
  free <- cbind(data$x, age = data$age, batchb = data$batch == "b", batchc = data$batch == "c")
  known <- zeronorm(free, data$y, svm_rfe(nonzero = 3), unpenalized = c("age", "batchb", "batchc"))
  by_hand <- with_stream(1, calibrate_zeronorm(known, free, data$y, folds = 4))
  expect_equal(calibrated$calibration, by_hand$calibration)
  tested <- with_stream(1, permutation_test(se, tumour ~ age, svm_rfe(nonzero = 2), permutations = 2,
                                            folds = 3))
  expect_length(tested$permuted, 2)
})

test_that("verbs of a fit take containers and the names of their sample data", {
  skip_if_not_installed("SummarizedExperiment")
  data <- contained()
  known <- zeronorm(data$x, data$y, svm_rfe(nonzero = 3))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expected <- plot(known, "heatmap", data$x, data$y)
  for (se in all_containers(data)) {
    fit <- zeronorm(se, "tumour", svm_rfe(nonzero = 3))
    added <- augment(fit, se)
    expect_identical(names(added), c(".rownames", names(data$samples), ".pred_class", ".fitted"))
    expect_identical(added$.rownames, rownames(data$samples))
    expect_equal(added$.fitted, unname(predict(known, data$x, "link")))
    expect_identical(added$age, data$age)
    expect_equal(plot(fit, "heatmap", se, "tumour"), expected)
    file <- report(fit, se, "tumour", tempfile(fileext = ".html"))
    expect_gt(file.size(file), 1000)
    unlink(file)
    expect_zeronorm_error(plot(fit, "heatmap", se, "celltype"), "y", "'celltype'.*'tumour'")
  }
  cv <- cv_zeronorm(as_se(data), "tumour", svm_rfe(nonzero = c(3, 1)), foldid = rep_len(1:3, 40))
  expect_identical(augment(cv, as_se(data))$.pred_class, unname(predict(cv, as_se(data))))
  expect_silent(plot(cv, "heatmap", as_se(data), "tumour"))
})

test_that("columns of the data of a formula are named in block and weights", {
  data <- contained()
  frame <- data.frame(data$x, y = data$y, donor = rep(1:10, each = 4), w = rep_len(c(1, 2), 40))
  method <- svm_rfe(nonzero = c(4, 1))
  named <- with_stream(1, cv_zeronorm(y ~ . - donor - w, frame, method, folds = 4, block = "donor",
                                      weights = "w"))
  given <- with_stream(1, cv_zeronorm(data$x, data$y, method, folds = 4, block = frame$donor,
                                      weights = frame$w))
  expect_equal(named$summary, given$summary)
  expect_zeronorm_error(cv_zeronorm(y ~ ., frame, method, block = "patient"), "block", "patient.*'g1'")
})

test_that("errors name what is there", {
  skip_if_not_installed("SummarizedExperiment")
  data <- contained()
  se <- as_se(data)
  expect_zeronorm_error(zeronorm(se, "tumor", l1_svm()), "y", "'tumor'.*colData.*'tumour'")
  expect_zeronorm_error(zeronorm(se, tumour ~ sex, l1_svm()), "y", "'sex'.*'tumour'")
  expect_zeronorm_error(zeronorm(se, ~ age, l1_svm()), "y", "label ~ covariates")
  expect_zeronorm_error(zeronorm(se, method = l1_svm()), "y", "colData")
  expect_zeronorm_error(zeronorm(se, "tumour", l1_svm(), assay = "tpm"), "assay", "'tpm'.*'expression'")
  expect_zeronorm_error(zeronorm(se, "tumour", l1_svm(), assay = 2), "assay")
  expect_zeronorm_error(zeronorm(se, "tumour", l1_svm(), assay = c(1, 1)), "assay")
  expect_zeronorm_error(zeronorm(se, data$y[1:9], l1_svm()), "y", "9 labels")
  se$tumour[c(2, 5)] <- NA
  expect_zeronorm_error(zeronorm(se, "tumour", l1_svm()), "y", "2 missing labels among 40")
  expect_zeronorm_error(zeronorm(se, tumour ~ age, l1_svm()), "y", "2 missing labels among 40")
  se$age[1] <- NA
  expect_zeronorm_error(zeronorm(se[, !is.na(se$tumour)], tumour ~ age, l1_svm()), "data", "'age'")
  empty <- SummarizedExperiment::SummarizedExperiment(colData = data$samples)
  expect_zeronorm_error(zeronorm(empty, "tumour", l1_svm()), "x", "no assay")
  bare <- SummarizedExperiment::SummarizedExperiment(list(data$genes))
  expect_zeronorm_error(zeronorm(bare, "tumour", l1_svm()), "y", "no columns")
})

test_that("proofs and polish() take containers, formulas, data frames and sparse matrices", {
  skip_if_not_installed("SummarizedExperiment")
  data <- contained(planted(30, 12))
  proven <- function(...) {
    proof <- certify_zero_norm(..., permutations = 0, largest = 2, seconds = 20)
    c(proof$lower, proof$upper)
  }
  known <- proven(data$x, data$y)
  frame <- data.frame(data$x, y = data$y)
  se <- as_se(data)
  expect_identical(proven(se, "tumour"), known)
  expect_identical(proven(y ~ ., frame), known)
  expect_identical(proven(frame[1:12], frame$y), known)
  expect_identical(proven(as(data$x, "CsparseMatrix"), data$y), known)
  fit <- zeronorm(se, "tumour", l1_svm(C = 10))
  own <- zeronorm(data$x, data$y, l1_svm(C = 10))
  expect_identical(proven(fit, se, "tumour"), proven(own, data$x, data$y))
  expect_identical(selected(polish(fit, se, "tumour")), selected(polish(own, data$x, data$y)))
  by_formula <- zeronorm(y ~ ., frame, l1_svm(C = 10))
  expect_identical(selected(polish(by_formula, frame)), selected(polish(own, data$x, data$y)))
})
