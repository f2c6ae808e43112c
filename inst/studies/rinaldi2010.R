# Rinaldi and Sciandrone (2010), Feature selection combining linear support vector machines and concave
# optimization.

# A run is ten random splits.  What the paper leaves open, chosen once for all sets:
# - inputs are standardised by the training part, as everywhere in the package (the first three sets come
#   standardised over all samples from the LIBSVM collection); gaps of lymphoma become the training mean;
# - C from 2^-5 to 2^10 by five folds, the smallest of equals, for the SVM as in each round of FS-SVMCP;
# - RFE halves the features and has a hard margin, or where there is none its limit: the defaults here, and it
#   needs no C.
C_grid <- 2^(-5:10)

train_sizes <- c(breast_cancer = 40, colon = 50, leukemia = 58, lymphoma = 85, ionosphere = 300, sonar = 180,
                 musk = 430)

all_features <- "features=all"
own_number <- "features=chosen by the method"
same_number <- "features=number chosen by FS-SVMCP in the same split"

# Means over the splits of what one(train, test) gives.
over_splits <- function(part, set, quick, one) {
  size <- if (quick) min(train_sizes[[part]], 60) else train_sizes[[part]]
  results <- replicate(if (quick) 2 else 10, simplify = FALSE, {
    rows <- sample(length(set$y))
    train <- rows[seq_len(size)]
    test <- rows[-seq_len(train_sizes[[part]])]
    one(list(x = set$x[train, ], y = set$y[train]), list(x = set$x[test, ], y = set$y[test]))
  })
  Reduce(`+`, results) / length(results)
}

filled_fit <- function(fitter, train, method, ...) {
  fitter(train$x, train$y, method, impute = if (anyNA(train$x)) "mean", ...)
}

accuracy <- function(fit, part, ...) 100 * mean(predict(fit, part$x, type = "class", ...) == part$y)

nonzero_weights <- function(fit, ...) sum(coef(fit, ...)[-1] != 0)

tuned_svm <- function(train) filled_fit(cv_zeronorm, train, l2_svm(C = C_grid), folds = 5)

fs_machine <- function(train) filled_fit(zeronorm, train, fs_svmcp(C_grid = C_grid))

rfe_machine <- function(train, nonzero) filled_fit(zeronorm, train, svm_rfe(nonzero = nonzero))

# --- tables 1 and 2: the SVM on all features and FS-SVMCP ---

compare_with_svm <- function(part, set, quick) {
  means <- over_splits(part, set, quick, function(train, test) {
    svm <- tuned_svm(train)
    fs <- fs_machine(train)
    c(accuracy(svm, train, s = "min"), accuracy(svm, test, s = "min"), nonzero_weights(svm, s = "min"),
      accuracy(fs, train), accuracy(fs, test), nonzero_weights(fs))
  })
  data.frame(dataset = part, method = rep(c("SVM", "FS-SVMCP"), each = 3),
             setting = rep(c(all_features, own_number), each = 3),
             metric = c("train_accuracy_pct", "accuracy_pct", "n_features"), value = means)
}

svm_notes <- function(rows) {
  ifelse(rows$metric == "n_features" & rows$method == "SVM",
         "the paper's solver leaves some weights exactly zero; the exact solution has none",
  ifelse(rows$dataset == "ionosphere" & rows$metric == "train_accuracy_pct",
         "no linear rule separates the training parts: the least hinge loss is positive",
         "scaling of the inputs, grid and folds of the choice of C are not printed"))
}

# --- tables 3 and 4: RFE with as many features as FS-SVMCP ---

compare_with_rfe <- function(part, set, quick) {
  means <- over_splits(part, set, quick, function(train, test) {
    fs <- fs_machine(train)
    c(accuracy(rfe_machine(train, nonzero_weights(fs)), test), accuracy(fs, test))
  })
  data.frame(dataset = part, method = c("RFE-SVM", "FS-SVMCP"), setting = c(same_number, own_number),
             metric = "accuracy_pct", value = means)
}

fs_wins <- function(sets) {
  force(sets)
  function(value) {
    better <- value(sets, "FS-SVMCP", own_number, "accuracy_pct") -
      value(sets, "RFE-SVM", same_number, "accuracy_pct")
    list("FS-SVMCP is more accurate than RFE-SVM on every set that was run" = all(better > 0))
  }
}

# --- table 5: RFE with more features ---

more_features <- function(part, set, quick) {
  sizes <- c(20, 40, 80)
  means <- over_splits(part, set, quick, function(train, test) {
    rfe <- rfe_machine(train, sizes)
    c(vapply(sizes, function(size) accuracy(rfe, test, nonzero = size), 0), accuracy(fs_machine(train), test))
  })
  data.frame(dataset = part, method = c(rep("RFE-SVM", 3), "FS-SVMCP"),
             setting = c(paste0("features=", sizes), own_number), metric = "accuracy_pct", value = means)
}

more_is_not_better <- function(value) {
  rfe <- function(set) max(value(set, "RFE-SVM", paste0("features=", c(20, 40, 80)), "accuracy_pct"))
  fs <- function(set) value(set, "FS-SVMCP", own_number, "accuracy_pct")
  list("with 20 to 80 features RFE-SVM is not more accurate than FS-SVMCP" =
         all(rfe("breast_cancer") <= fs("breast_cancer"), rfe("colon") <= fs("colon")))
}

rfe_note <- function(rows) {
  rep("scaling of the inputs, step and C of the paper's RFE are not printed",
      nrow(rows))
}

microarrays <- c(breast_cancer = "duke", colon = "colon_libsvm", leukemia = "leukemia_libsvm",
                 lymphoma = "lymphoma96")
uci <- c(ionosphere = "ionosphere", sonar = "sonar", musk = "musk")
too_large <- c(sylva = "left out: 13086 training rows, hours of computation for ten splits",
               gina = "left out: 3153 training rows, ten minutes of computation for ten splits")

protocols <- list(
  "1" = list(caption = "Microarrays: the SVM on all features and FS-SVMCP; 10 random splits a run",
             runs = 20, parts = names(microarrays), data = microarrays, run = compare_with_svm,
             note = svm_notes),
  "2" = list(caption = "UCI and challenge sets: as table 1", runs = 20, parts = names(uci), data = uci,
             skipped = too_large, run = compare_with_svm, note = svm_notes),
  "3" = list(caption = "Microarrays: RFE with the number of features of FS-SVMCP; 10 random splits a run",
             runs = 20, parts = names(microarrays), data = microarrays, run = compare_with_rfe,
             claims = fs_wins(names(microarrays)), note = rfe_note),
  "4" = list(caption = "UCI and challenge sets: as table 3",
             runs = 20, parts = names(uci), data = uci, skipped = too_large, run = compare_with_rfe,
             claims = fs_wins(names(uci)), note = rfe_note),
  "5" = list(caption = "RFE with more features; 10 random splits a run",
             runs = 20, parts = c("breast_cancer", "colon"), data = microarrays, run = more_features,
             claims = more_is_not_better, note = rfe_note)
)
