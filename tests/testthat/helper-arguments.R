# Every argument of zeronorm() and of each method with two values that make different fits, and the data on which
# they do. An argument of a method without a row has values that follow from its name or its default.

# first, second: two values; base: further arguments with which they make a difference; data: name of data of
# argument_data(); alike: both values give the same answer on such data.
values <- function(first, second, base = list(), data = "two", alike = FALSE) {
  list(first = first, second = second, base = base, data = data, alike = alike)
}

# Noisy labels: no hyperplane separates them, and every feature matters a little.
argument_data <- function(kind, n = 30, d = 6) {
  with_stream(4, {
    x <- matrix(rnorm(n * d), n, d, dimnames = list(paste0("s", seq_len(n)), paste0("g", seq_len(d))))
    x <- sweep(x, 2, c(1, 3, 0.5, 1, 2, 1)[seq_len(d)], "*") + 0.5
    score <- x[, 1] + x[, 2] / 3 - x[, 3] + 0.3 * x[, 4]
    noisy <- score + 0.7 * rnorm(n)
    half <- stats::median(noisy)
    two <- factor(ifelse(noisy > half, "up", "down"), c("down", "up"))
    missing <- replace(x, c(3, 40, 77), NA)
    switch(kind,
      two = list(x = x, y = two),
      uneven = list(x = x, y = factor(ifelse(noisy > half + 0.5, "up", "down"))),
      separable = list(x = x, y = factor(ifelse(score > stats::median(score), "up", "down"))),
      three = list(x = x, y = factor(c("a", "b", "c")[1 + (noisy > half - 0.6) + (noisy > half + 0.6)])),
      labels = list(x = x, y = cbind(l1 = noisy > half, l2 = x[, 5] + x[, 4] + rnorm(n) > 1.5) + 0),
      regression = list(x = x, y = noisy),
      binary = list(x = x, y = as.numeric(noisy > half)),
      missing = list(x = missing, y = two),
      frame = list(x = data.frame(x, batch = factor(rep(c("p", "q", "r"), n / 3))), y = two),
      experiment = list(x = two_assays(x, two), y = "class")
    )
  })
}

# NULL without the packages.
two_assays <- function(x, y) {
  if (!requireNamespace("SummarizedExperiment", quietly = TRUE)) return(NULL)
  SummarizedExperiment::SummarizedExperiment(list(first = t(x), second = t(x^2 + x)),
                                             colData = data.frame(class = y, row.names = rownames(x)))
}

zeronorm_arguments <- function() {
  case <- function(first, second, method, ..., data = "two") {
    c(values(first, second, list(...), data), list(method = method))
  }
  list(
    standardize = case(TRUE, FALSE, l1_svm(0.3)),
    intercept = case(TRUE, FALSE, l2_svm(0.3)),
    weights = case(NULL, rep(c(0.2, 1, 3), 10), l1_svm(0.3)),
    class_weights = case("balanced", c(up = 4, down = 1), l2_svm(0.3)),
    unpenalized = case(NULL, "g5", l1_svm(0.1)),
    keep = case("g6", "g5", svm_rfe(2, C = 1)),
    groups = case(NULL, c(1, 2, 3, 1, 2, 3), svm_rfe(2, C = 1)),
    foldid = case(rep(1:3, 10), rep(3:1, each = 10), ranking_filter(1)),
    task = case("classification", "regression", lasso(s = 1), data = "binary"),
    engine = case("auto", "newton", l2_svm(1)),
    control = case(zeronorm_control(), zeronorm_control(max_rounds = 2), fsv(0.05)),
    impute = case("median", "mean", l1_svm(0.3), data = "missing"),
    assay = case("first", "second", l1_svm(0.3), data = "experiment")
  )
}

# The arguments of every method: those with a row, then the others.
method_arguments <- function(constructors = method_constructors()) {
  rows <- argument_rows()
  complete <- function(construct, name) {
    others <- setdiff(names(formals(construct)), names(rows[[name]]))
    c(rows[[name]], sapply(others, other_values, name = name, simplify = FALSE))
  }
  Map(complete, constructors, names(constructors))
}

# The first two values that the constructor takes.
other_values <- function(argument, name) {
  construct <- method_constructors()[[name]]
  example <- example_methods()[[name]]
  base <- as.list(example_arguments[[name]])
  base <- base[setdiff(names(base), argument)]
  # The method, or the error.
  make <- function(value) {
    tryCatch(do.call(construct, c(base, structure(list(value), names = argument)), quote = TRUE),
             zeronorm_error = identity)
  }
  takes <- function(value) inherits(make(value), "zeronorm_method")
  taken <- Filter(takes, candidate_values(argument, example$args[[argument]], make))
  if (length(taken) < 2) {
    stop("No two values of `", argument, "` follow from its default: give ", name, "() a row in helper-arguments.R.")
  }
  values(taken[[1]], taken[[2]], base)
}

# Values to try for an argument: those of other methods for arguments of this name, half and twice a number, and the
# words that the error for another word names.
candidate_values <- function(argument, default, make) {
  known <- list(nonzero = list(NULL, 2), costs = list(NULL, c(1, 5, 1, 0.1, 1, 1)), refit_C = list(1, 0.05),
                kernel = list("linear", gaussian_kernel(2)))
  if (argument %in% names(known)) return(known[[argument]])
  if (is.logical(default)) return(list(TRUE, FALSE))
  if (is.character(default)) {
    said <- conditionMessage(make("no such word"))
    return(as.list(gsub("\"", "", regmatches(said, gregexpr("\"[^\"]*\"", said))[[1]])))
  }
  if (is.numeric(default)) unique(list(default / 2, default * 2, default, 1))
}

argument_rows <- function() {
  one <- list(nonzero = 3)
  refits <- function(base = list(nonzero = 2), C = 0.05, three = base, soft = list(refit_C = 1)) {
    list(refit = values("l2", "l1", c(base, soft)), refit_C = values(1, C, base),
         refit_multiclass = values("ovr", "m_svm", c(three, soft), "three"))
  }
  least_squares <- function() {
    c(list(refit = values("ls", "l2", list(nonzero = 2))), refits(list(nonzero = 2, refit = "l2"))[-1])
  }
  groups <- c(1, 2, 3, 1, 2, 3)
  scores <- list(nonzero = 2, groups = groups, C = 1, refit_C = 1)
  list(
    l1_svm = list(stop = values(NULL, "validation", list(C = c(0.05, 1)))),
    rlp = list(average = values("sum", "class_mean", data = "uneven")),
    l2_l1_svm = list(costs = values(NULL, c(1, 5, 1, 0.1, 1, 1), list(mu = 10, nu = 0.5))),
    m_svm = list(norm = values("l2", "l1", list(C = 1), "three"), C = values(0.1, 1, data = "three")),
    arom = c(
      list(norm = values("l2", "l1", list(errors = "l2", refit = "none")),
           nonzero = values(NULL, 2, list(errors = "l2")),
           switch = values(NULL, 3, list(norm = "l2-l1", errors = "l2", refit = "none")),
           features = values("zero", "norm", list(errors = "zero")),
           errors = values("l2", "zero"),
           lambda = values(1, 0.2, list(errors = "l2")),
           slack_form = values("literal", "weighted", list(errors = "zero", lambda = 0.3)),
           epsilon = values(0.5, 1, list(errors = "l2"), "regression"),
           multiclass = values("joint", "ovr", list(errors = "l2"), "three"),
           kernel = values("linear", poly_kernel(2), list(errors = "l2")),
           kernel_form = values("explicit", "projected", list(kernel = poly_kernel(2), errors = "l2"))),
      refits(list(nonzero = 2, errors = "l2"), three = list(nonzero = 2, errors = "l2", multiclass = "ovr"))
    ),
    fsv = c(
      list(penalty = values(exp_penalty(5), exp_penalty(1), list(lambda = 0.2)),
           average = values("mean", "class_mean", list(lambda = 0.3), "uneven"),
           start = values(1, 0, list(lambda = 0.3)), stop = values(NULL, "validation")),
      refits(list(nonzero = 2))[1:2]
    ),
    quadratic_fsv = list(alpha = values(5, 1, list(lambda = 0.4)),
                         penalty = values(NULL, log_penalty(0.01), list(lambda = 0.4)),
                         average = values("mean", "class_mean", list(lambda = 0.3), "uneven"),
                         start = values(1, 0, list(lambda = 0.4))),
    fw1 = c(list(penalty = values(exp_penalty(5), l1_penalty(), data = "separable"),
                 start = values(0, 1, data = "separable", alike = TRUE),
                 nonzero = values(NULL, 1, data = "separable")),
            refits()[1:2]),
    dca = c(
      list(penalty = values(exp_penalty(5), exp_penalty(1)), starts = values(1, 3, list(C = 0.2)),
           tol = values(0, 1, list(penalty = exp_penalty(1), C = 0.2)), start = values(1, 0),
           epsilon = values(0.1, 1, list(loss = "epsilon_insensitive"), "regression"),
           multiclass = values("joint", "ovr", data = "three"), magnitude = values("sum", "max", data = "three")),
      refits(three = list(nonzero = 2, multiclass = "ovr"))
    ),
    l2_l0_svm = c(
      list(alpha = values(5, 1, list(mu = 10, nu = 1)),
           penalty = values(exp_penalty(5), log_penalty(0.1), list(mu = 10, nu = 1)),
           starts = values(1, 3, list(mu = 10, nu = 1)), tol = values(1e-5, 0.1, list(mu = 10, nu = 1)),
           start = values(1, 0, list(mu = 10, nu = 1))),
      refits(list(mu = 10, nu = 0.1, nonzero = 2))[1:2]
    ),
    fs_svmcp = list(penalty = values(inverse_penalty(1, 1e-6), exp_penalty(1), list(C_grid = c(0.1, 1))),
                    C_grid = values(c(0.1, 1), 3), folds = values(5, 2, list(C_grid = c(0.01, 1)), alike = TRUE)),
    svm_rfe = c(
      list(nonzero = values(NULL, 2, list(C = 1)), step = values(0.5, 1, list(nonzero = 2, C = 1)),
           kernel = values("linear", gaussian_kernel(2), list(nonzero = 2, C = 1)),
           groups = values(NULL, groups, scores[-2]),
           group_score = values("sum", "mean", replace(scores, "groups", list(c(1, 2, 1, 2, 1, 3)))),
           retrain = values(FALSE, TRUE, list(nonzero = 2, C = 1))),
      refits()
    ),
    correlation_filter = refits(),
    top_weights = c(list(norm = values("l2", "l1", list(nonzero = 3, C = 0.1))), refits()),
    ranking_filter = c(list(patience = values(5, 1), tolerance = values(0.001, 0.9)), refits(list())),
    sensitivity_rfe = c(
      list(norm = values("l2", "l1", list(nonzero = 3, C = 1, kernel = gaussian_kernel(1))),
           nonzero = values(NULL, 2, list(C = 1)), step = values(0.9, 5, list(nonzero = 1, C = 1), alike = TRUE),
           kernel = values("linear", gaussian_kernel(2), list(nonzero = 2, C = 1)),
           groups = values(NULL, groups, scores[-2]),
           group_score = values("sum", "mean", replace(scores, "groups", list(c(1, 2, 1, 2, 1, 3))))),
      refits()[1:2]
    ),
    bound_rfe = c(
      list(bound = values("radius_margin", "span", list(nonzero = 2, C = 1, refit_C = 1)),
           order = values(0, 1, list(nonzero = 2, C = 1, refit_C = 1)),
           retrain = values(FALSE, TRUE, list(nonzero = 2, C = 1, refit_C = 1)),
           nonzero = values(NULL, 2, list(C = 1, refit_C = 1)),
           step = values(1, 5, list(nonzero = 1, C = 1, refit_C = 1)),
           C = values(1, 0.02, list(nonzero = 2, refit_C = 1)),
           kernel = values("linear", gaussian_kernel(2), list(nonzero = 2, C = 1, refit_C = 1)),
           groups = values(NULL, groups, scores[-2]),
           group_score = values("sum", "mean", replace(scores, "groups", list(c(1, 2, 1, 2, 1, 3))))),
      refits(list(nonzero = 2, C = 1))[1:2]
    ),
    alma_rfe = c(list(a = values(0.5, 1, data = "separable")), refits(list())[1:2]),
    lasso = lasso_arguments(), generalized_lasso = lasso_arguments(),
    multiplicative_update = c(
      list(epsilon = values(0.5, 1, data = "regression"), multiclass = values("joint", "ovr", data = "three"),
           stop = values(NULL, "validation")),
      refits(three = list(nonzero = 2, multiclass = "ovr"))
    ),
    med_svm = refits()[1:2],
    norm_svm = list(C_alpha = values(0.2, 2, list(p = 1)), form = values("exact", "printed", list(p = Inf)),
                    multiclass = values("ovo", "ovr", data = "three"),
                    epsilon = values(0.1, 1, list(p = 1), "regression")),
    ard = list(multiclass = values("ovr", "ovo", data = "three")),
    forward_ls = least_squares(),
    gram_schmidt = c(
      list(stop = values("none", "fisher", list(nonzero = 5)),
           level = values(1e-6, 0.9, list(nonzero = 6, stop = "fisher")),
           probes = values(0, 3, list(nonzero = 6, stop = "probe", level = 0.6)),
           degree = values(1, 2, one), backward = values("none", "fisher", list(nonzero = 5))),
      least_squares()
    ),
    grafting = list(lambda2 = values(0, 0.5, list(lambda1 = 0.02)),
                    lambda0 = values(0, 0.1, list(lambda1 = 0.01)),
                    loss = values("logistic", "squared", list(lambda1 = 0.02)),
                    l2 = values("squared", "norm", list(lambda1 = 0.02, lambda2 = 0.2))),
    tree_importance = c(list(leaf = values(1, 8)), refits(list(nonzero = 2))),
    logistic_rfe = c(
      list(step = values(1, 5, list(lambda = 0.1, nonzero = 1)),
           groups = values(NULL, groups, list(lambda = 0.1, nonzero = 2)),
           group_score = values("sum", "mean", list(lambda = 0.1, nonzero = 2, groups = c(1, 2, 1, 2, 1, 3)))),
      refits(list(lambda = 0.1, nonzero = 2, refit = "l2"))[-1],
      list(refit = values("none", "l2", list(lambda = 0.1, nonzero = 2)))
    ),
    obd = c(
      list(step = values(1, 5, list(nonzero = 1)),
           hessian = values("exact", "gauss_newton", list(nonzero = 1:6, hidden = 2, lambda = 0.01)),
           starts = values(5, 1, list(nonzero = 3, hidden = 2)),
           groups = values(NULL, groups, list(nonzero = 2)),
           group_score = values("sum", "mean", list(nonzero = 2, groups = c(1, 2, 1, 2, 1, 3)))),
      refits(list(nonzero = 2, refit = "l2"))[-1], list(refit = values("none", "l2", list(nonzero = 2)))
    ),
    r2w2 = c(
      list(nonzero = values(NULL, 2, list(C = 1, refit_C = 1)),
           criterion = values("radius_margin", "span", list(C = 1, refit_C = 1)),
           discard = values("scale", "retrain", list(nonzero = 2, C = 1, refit_C = 1), alike = TRUE),
           kernel_parameters = values(FALSE, TRUE, list(kernel = gaussian_kernel(2), C = 1)),
           kernel = values("linear", gaussian_kernel(2), list(C = 1)),
           C = values(1, 0.05, list(refit_C = 1)), step = values(Inf, 1, list(nonzero = 2, C = 1, refit_C = 1))),
      refits(list(nonzero = 2, C = 1))[1:2]
    ),
    adaptive_scaling = list(sigma0 = values(1, 0.2, list(kernel = gaussian_kernel(2)))),
    kernel_alignment = list(kernel = values(gaussian_kernel(1), gaussian_kernel(4), list(lambda = 0.1)),
                            alpha = values(5, 1, list(lambda = 0.05)),
                            threshold = values(0.01, 0.9, list(lambda = 0.01)),
                            tol = values(1e-3, 0.5, list(lambda = 0.1)))
  )
}

lasso_arguments <- function() {
  list(s = values(0.5, 2), lambda = values(0.5, 3), costs = values(NULL, c(1, 5, 1, 0.1, 1, 1), list(s = 0.5)),
       stop = values(NULL, "validation", list(s = c(0.2, 1))))
}
