# Odd data that users bring, by name.  Each entry is a function of the task that draws list(x, y, settings) from R's
# stream, NULL where there is no such thing for the task:
#   refused   the argument that the error of zeronorm() has to name, where there is no answer to be given
#   heavy     the fit may take seconds: cheap methods only
# x and y are what a user passes; settings are further arguments of zeronorm().

features <- function(n = 16, d = 5) {
  matrix(rnorm(n * d), n, d, dimnames = list(NULL, if (d) paste0("g", seq_len(d))))
}

# Labels for a task, which the first two columns carry.
labels_for <- function(x, task, noise = 0.5) {
  n <- nrow(x)
  score <- x[, 1] - if (ncol(x) > 1) x[, 2] else 0
  score <- score + noise * rnorm(n)
  cut <- function(k) ceiling(k * rank(score, ties.method = "random") / n)
  switch(task,
    "two-class" = factor(c("down", "up")[cut(2)], c("down", "up")),
    "k-class" = factor(c("a", "b", "c")[cut(3)]),
    "multi-label" = cbind(l1 = cut(2) - 1, l2 = rev(cut(2) - 1)),
    regression = score
  )
}

situation <- function(x, y, ..., refused = NULL, heavy = FALSE, newdata = x) {
  list(x = x, y = y, settings = list(...), refused = refused, heavy = heavy, newdata = newdata)
}

# A change of the features of ordinary data.
changed <- function(change, ...) {
  force(change)
  function(task) {
    x <- features()
    situation(change(x), labels_for(x, task), ...)
  }
}

# The same for two classes only, with a change of the labels.
labelled <- function(change, ...) {
  force(change)
  function(task) {
    x <- features()
    if (task == "two-class") situation(x, change(labels_for(x, task)), ...)
  }
}

classes_only <- function(make) {
  force(make)
  function(task) if (task %in% c("two-class", "k-class")) make(task)
}

with_package <- function(package, make) {
  force(make)
  function(task) if (requireNamespace(package, quietly = TRUE)) make(task)
}

codes <- function(y) as.integer(y) - 1L

named_rows <- function(x) structure(x, dimnames = list(paste0("s", seq_len(nrow(x))), colnames(x)))

with_names <- function(names) changed(function(x) structure(x, dimnames = list(NULL, names)))

sparsify <- function(class) {
  force(class)
  function(x) {
    x[abs(x) < 0.5] <- 0
    x <- methods::as(x, "CsparseMatrix")
    if (class == "dgCMatrix") x else methods::as(x, class)
  }
}

situations <- list(
  plain = changed(identity),
  "no noise" = function(task) {
    x <- features()
    situation(x, labels_for(x, task, 0))
  },
  "pure noise" = function(task) {
    x <- features()
    situation(x, labels_for(features(), task, 5))
  },
  "two of each class" = classes_only(function(task) {
    x <- features(if (task == "two-class") 4 else 6)
    situation(x, labels_for(x, task))
  }),
  "two observations" = function(task) {
    x <- features(2)
    if (task == "two-class") situation(x, c("a", "b"))
    else if (task == "regression") situation(x, c(0.3, -2))
  },
  "one of a class" = classes_only(function(task) {
    x <- features()
    y <- if (task == "two-class") c("b", rep("a", 15)) else rep(c("a", "b", "c"), c(1, 8, 7))
    situation(x, y)
  }),
  "one column" = function(task) {
    x <- features(16, 1)
    situation(x, labels_for(x, task))
  },
  "one column constant" = changed(function(x) replace(x, cbind(1:16, 3), 7)),
  "all columns constant" = changed(function(x) 0 * x + 3),
  zeros = changed(function(x) 0 * x),
  "columns twice" = changed(function(x) structure(x[, c(1:5, 1:3)], dimnames = list(NULL, paste0("g", 1:8)))),
  "rows twice" = function(task) {
    x <- features()[rep(1:8, 2), ]
    situation(x, rows_of(labels_for(x, task), rep(1:8, 2)))
  },
  "rows twice with other labels" = classes_only(function(task) {
    x <- features()[rep(1:8, 2), ]
    situation(x, labels_for(features(), task))
  }),
  "integer ties" = changed(function(x) round(x)),
  "binary columns" = changed(function(x) (x > 0) + 0),
  "huge" = changed(function(x) 1e12 * x),
  "tiny" = changed(function(x) 1e-12 * x),
  "units" = changed(function(x) sweep(x, 2, 10^c(-9, -3, 0, 3, 9), "*")),
  "far means" = changed(function(x) x + 1e6),
  "an outlier" = changed(function(x) replace(x, 7, 1e9)),
  "rows of zeros" = changed(function(x) replace(x, cbind(rep(c(1, 9), 5), rep(1:5, each = 2)), 0)),
  sparse = changed(sparsify("dgCMatrix")),
  "sparse with empty columns" = changed(function(x) {
    x <- sparsify("dgCMatrix")(x)
    cbind(x[, 1:2], 0 * x[, 3:5])
  }),
  "sparse triplets" = changed(sparsify("TsparseMatrix")),
  "sparse by rows" = changed(sparsify("RsparseMatrix")),
  "sparse logical" = changed(function(x) methods::as(sparsify("dgCMatrix")(x), "lMatrix")),
  "sparse far means" = changed(function(x) methods::as(1e6 + x, "CsparseMatrix")),
  "dense of package Matrix" = changed(function(x) methods::as(x, "denseMatrix")),
  "logical matrix" = changed(function(x) x > 0),
  "integer matrix" = changed(function(x) {
    storage.mode(x) <- "integer"
    x
  }),
  delayed = with_package("DelayedArray", changed(function(x) DelayedArray::DelayedArray(x))),
  experiment = with_package("SummarizedExperiment", classes_only(function(task) {
    x <- named_rows(features())
    data <- data.frame(class = labels_for(x, task), row.names = rownames(x))
    situation(SummarizedExperiment::SummarizedExperiment(list(counts = t(x)), colData = data), "class")
  })),
  "data frame" = changed(as.data.frame),
  "data frame with factors" = changed(function(x) {
    data.frame(x, batch = factor(rep_len(c("p", "q", "r"), 16)), flag = x[, 1] > 0)
  }),
  "data frame with unused levels" = changed(function(x) {
    data.frame(x, batch = factor(rep_len(c("p", "q"), 16), c("p", "none", "q")))
  }),
  "data frame with a constant factor" = changed(function(x) data.frame(x, batch = factor(rep("p", 16)))),
  "data frame with text" = changed(function(x) data.frame(x, batch = rep_len(c("p", "q"), 16)), refused = "x"),
  "data frame with dates" = changed(function(x) data.frame(x, day = as.Date("2024-01-01") + 1:16), refused = "x"),
  tibble = with_package("tibble", changed(function(x) tibble::as_tibble(x))),
  "data.table" = with_package("data.table", changed(function(x) data.table::as.data.table(x))),
  "unused levels of y" = labelled(function(y) factor(y, c("up", "never", "down"))),
  "ordered y" = labelled(function(y) factor(y, ordered = TRUE)),
  "character y" = labelled(as.character),
  "labels 1 and 2" = labelled(as.integer, task = "classification"),
  "labels -1 and 1" = labelled(function(y) 2 * codes(y) - 1),
  "labels 0 and 1" = labelled(codes),
  "labels TRUE and FALSE" = labelled(function(y) y == "up"),
  "labels in a matrix" = labelled(function(y) as.matrix(as.character(y))),
  "labels in a data frame" = labelled(function(y) data.frame(y), refused = "y"),
  "labels with odd names" = labelled(function(y) factor(y, labels = c("(Intercept)", "a b:c"))),
  "labels missing" = labelled(function(y) replace(y, 3, NA), refused = "y"),
  "one label" = labelled(function(y) rep("up", 16), refused = "y"),
  "labels too few" = labelled(function(y) y[-1], refused = "y"),
  "rare third class" = function(task) {
    x <- features()
    if (task == "k-class") situation(x, factor(c("a", "b", "c")[c(rep(1:2, 7), 3, 3)]))
  },
  "twenty classes" = function(task) {
    x <- features(60, 6)
    if (task == "k-class") situation(x, factor(rep_len(letters[1:20], 60)), heavy = TRUE)
  },
  "rare label" = function(task) {
    x <- features()
    if (task == "multi-label") situation(x, cbind(rep(0:1, 8), c(1, rep(0, 15))))
  },
  "labels for none" = function(task) {
    x <- features()
    if (task == "multi-label") situation(x, cbind(a = rep(0:1, 8), b = rep(0:1, each = 8), c = c(0, 0, 1, rep(0, 13))))
  },
  "constant numbers" = function(task) {
    if (task == "regression") situation(features(), rep(2.5, 16))
  },
  "numbers far from zero" = function(task) {
    x <- features()
    if (task == "regression") situation(x, labels_for(x, task) + 1e7)
  },
  "whole numbers" = function(task) {
    x <- features()
    if (task == "regression") situation(x, round(3 * labels_for(x, task)))
  },
  "infinite numbers" = function(task) {
    x <- features()
    if (task == "regression") situation(x, replace(labels_for(x, task), 3, Inf), refused = "y")
  },
  weights = changed(identity, weights = rep_len(c(0.3, 1, 2.5), 16)),
  "weights with zeros" = changed(identity, weights = rep_len(c(0, 1, 2, 1), 16)),
  "weights of whole numbers" = changed(identity, weights = rep_len(1:4, 16)),
  "tiny weights" = changed(identity, weights = rep_len(c(1e-9, 2e-9), 16)),
  "weights below zero" = changed(identity, weights = rep_len(c(-1, 1), 16), refused = "weights"),
  "class weights" = classes_only(function(task) {
    x <- features()
    y <- labels_for(x, task)
    situation(x, y, class_weights = structure(seq_along(levels(y)), names = rev(levels(y))))
  }),
  "balanced class weights" = classes_only(function(task) {
    x <- features()
    situation(x, labels_for(x, task), class_weights = "balanced")
  }),
  "one unpenalised" = changed(identity, unpenalized = "g4"),
  "all but one unpenalised" = changed(identity, unpenalized = 2:5),
  "one kept" = changed(identity, keep = 5),
  "kept and unpenalised" = changed(identity, keep = "g3", unpenalized = "g4"),
  "groups of one" = changed(identity, groups = 1:5),
  "one group" = changed(identity, groups = rep("a", 5)),
  "not standardised" = changed(identity, standardize = FALSE),
  "no intercept" = changed(function(x) x + 1, intercept = FALSE),
  "neither" = changed(identity, intercept = FALSE, standardize = FALSE),
  "missing values, median" = changed(function(x) replace(x, c(2, 20, 47, 48), NA), impute = "median"),
  "missing values, mean" = changed(function(x) replace(x, c(2, 20, 47, 48), NA), impute = "mean"),
  "missing values in a frame" = changed(function(x) data.frame(replace(x, c(2, 20), NA)), impute = "median"),
  "missing values in sparse data" = changed(function(x) sparsify("dgCMatrix")(replace(x, c(2, 20), NA)),
                                            impute = "mean"),
  "missing values" = changed(function(x) replace(x, 20, NA), refused = "x"),
  "not a number" = changed(function(x) replace(x, 20, NaN), refused = "x"),
  infinite = changed(function(x) replace(x, 20, -Inf), refused = "x"),
  "infinite where missing is imputed" = changed(function(x) replace(x, 20, Inf), impute = "mean", refused = "x"),
  "a column of missing values" = changed(function(x) replace(x, 17:32, NA), impute = "mean", refused = "x"),
  "row names" = changed(named_rows),
  "row names and names of y" = function(task) {
    x <- named_rows(features())
    y <- labels_for(x, task)
    if (!is.matrix(y)) situation(x, structure(y, names = rownames(x)))
  },
  "row names and permuted names of y" = function(task) {
    x <- named_rows(features())
    y <- labels_for(x, task)
    if (!is.matrix(y)) situation(x, structure(y, names = rev(rownames(x))), refused = "y")
  },
  "row names twice" = changed(function(x) structure(x, dimnames = list(rep(c("a", "b"), 8), colnames(x)))),
  "no names" = changed(unname),
  "names beyond ASCII" = with_names(c("\u00e4", "\u03b2-Aktin", "\u6f22\u5b57", "na\u00efve", "\U0001f600")),
  "names twice" = with_names(c("g1", "g2", "g1", "g3", "g3")),
  "empty names" = with_names(c("", "g2", "", "g3", "g4")),
  "missing names" = changed(function(x) structure(x, dimnames = list(NULL, c(NA, "g2", "g3", "g4", "g5"))),
                            refused = "x"),
  "names with spaces" = with_names(c("a b", "`c`", "d\"e", "f'g", "(Intercept)")),
  "names of numbers" = with_names(as.character(5:1)),
  "names of arguments" = with_names(c("x", "y", "class", "row.names", "weights")),
  "long names" = with_names(strrep(letters[1:5], 300)),
  "odd names in a frame" = changed(function(x) {
    structure(as.data.frame(x), names = c("a b", "\u03b2", "if", "1x", ".fitted"))
  }),
  formula = function(task) {
    x <- features()
    y <- labels_for(x, task)
    if (!is.matrix(y)) situation(outcome ~ ., data.frame(x, outcome = y), newdata = data.frame(x))
  },
  "formula with interactions" = function(task) {
    x <- features()
    y <- labels_for(x, task)
    data <- data.frame(x, batch = factor(rep_len(c("p", "q", "r"), 16)), outcome = y)
    if (!is.matrix(y)) situation(outcome ~ g1 * g2 + batch:g3 + I(g4^2) + log(abs(g5)), data, newdata = data)
  },
  "formula without intercept" = function(task) {
    x <- features()
    y <- labels_for(x, task)
    if (!is.matrix(y)) situation(y ~ 0 + g1 + g2 + g3, data.frame(x, y = y), newdata = data.frame(x))
  },
  "formula with missing values" = function(task) {
    x <- replace(features(), c(2, 20), NA)
    y <- labels_for(features(), task)
    if (!is.matrix(y)) situation(y ~ ., data.frame(x, y = y), impute = "median", newdata = data.frame(x))
  },
  "formula with odd names" = function(task) {
    x <- features()
    y <- labels_for(x, task)
    data <- structure(data.frame(x, y = y), names = c("a b", "\u03b2", "if", "g 4", "g5", "the label"))
    if (!is.matrix(y)) situation(`the label` ~ ., data, newdata = data[1:5])
  },
  wide = function(task) {
    x <- features(20, 300)
    situation(x, labels_for(x, task), heavy = TRUE)
  },
  "wide and long" = function(task) {
    x <- features(200, 2000)
    situation(x, labels_for(x, task), heavy = TRUE)
  },
  tall = function(task) {
    x <- features(400, 3)
    situation(x, labels_for(x, task), heavy = TRUE)
  },
  "more rows than an engine's small problems" = function(task) {
    x <- features(1200, 4)
    situation(x, labels_for(x, task), heavy = TRUE)
  },
  "one row" = function(task) situation(features(1), if (task == "regression") 1 else "a", refused = "x"),
  "no rows" = function(task) situation(features(0), if (task == "regression") 1[0] else character(), refused = "x"),
  "no columns" = function(task) situation(features(16, 0), labels_for(features(), task), refused = "x"),
  "a vector" = function(task) situation(rnorm(16), labels_for(features(), task), refused = "x"),
  "a text matrix" = changed(function(x) structure(as.character(x), dim = dim(x)), refused = "x"),
  "a list" = function(task) situation(list(1, 2), labels_for(features(), task), refused = "x"),
  "complex numbers" = changed(function(x) x + 1i, refused = "x")
)

rows_of <- function(values, rows) {
  if (length(dim(values)) == 2) values[rows, , drop = FALSE] else values[rows]
}
