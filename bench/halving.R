# Claims: the whole l2-AROM path (all features, half of them, ..., 1) and halving recursive elimination take less time
# than the halving loop around LiblineaR's linear machine, the fastest that R has.
#
# Every solver gets the same columns, scaled to unit deviation (sparse ones not centred).  The loops train a machine,
# keep the larger half of |w|, and so on down to one feature.  All machines, AROM's refits as well, have C = 1.  The
# held-out error is that of the machine of 20 features on 1,000 new cases, for simulated sets.  Coordinate descent stops
# by a rule of its own, at its default of 0.1 and at 1e-4: first objective / optimum says how near its machine on all
# features came, against the optimum that zeronorm proves; zeronorm is asked for a gap of 1e-3.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
cost <- 1
sets <- list("colon 62 x 2000" = colon, "leukemia 72 x 7129" = leukemia, "simulated 100 x 20000" = wide,
             "simulated 2000 x 2000" = square, "sparse 5000 x 10000" = sparse)

# weights(x): of a machine on these columns, a last one for the intercept.  The solution with 20 features or the next
# fewer is kept.
halving_loop <- function(x, weights) {
  present <- seq_len(ncol(x))
  chosen <- first <- NULL
  repeat {
    w <- weights(x[, present, drop = FALSE])
    d <- length(present)
    if (is.null(first)) first <- w
    if (is.null(chosen) && d <= 20) chosen <- list(index = present, w = w[seq_len(d)], b = w[d + 1])
    if (d == 1) return(c(chosen, list(first = first)))
    present <- present[order(-abs(w[seq_len(d)]))[seq_len(d %/% 2)]]
  }
}

# What both read: SparseM's rows for a dgCMatrix.
readable <- function(x) if (inherits(x, "dgCMatrix")) as_csr(x) else x

by_liblinear <- function(y, epsilon = 0.1) {
  function(x) liblinear_weights(readable(x), y, type = 3, cost = cost, epsilon = epsilon)
}

by_e1071 <- function(y) {
  y <- factor(y)
  function(x) {
    fit <- e1071::svm(readable(x), y, scale = FALSE, kernel = "linear", cost = cost)
    direction <- if (fit$labels[1] == 2) 1 else -1
    direction * c(crossprod(x[fit$index, , drop = FALSE], fit$coefs)[, 1], -fit$rho)
  }
}

by_kernlab <- function(y) {
  function(x) {
    fit <- kernlab::ksvm(x, factor(y), type = "C-svc", kernel = "vanilladot", kpar = list(), C = cost, scaled = FALSE)
    c(crossprod(kernlab::xmatrix(fit)[[1]], kernlab::coef(fit)[[1]])[, 1], -kernlab::b(fit))
  }
}

# Recursive elimination of caret: five folds, ranking by a ROC curve for each gene, as it does for this machine.
by_caret <- function(x, y) {
  x <- as.data.frame(x)
  control <- caret::rfeControl(caret::caretFuncs, method = "cv", number = 5)
  caret::rfe(x, factor(ifelse(y > 0, "a", "b")), sizes = 2^(0:floor(log2(ncol(x)))), rfeControl = control,
             method = "svmLinear", trControl = caret::trainControl("none"), tuneGrid = data.frame(C = cost))
}

ours <- function(method) function(data) function() {
  zeronorm(data$x, data$y, method, standardize = FALSE, control = zeronorm_control(tol = 1e-3))
}

solvers <- function(data) {
  is_sparse <- inherits(data$x, "dgCMatrix")
  list(
    "zeronorm arom(\"l2\", \"path\", errors = \"l2\")" =
      ours(arom("l2", nonzero = "path", errors = "l2", refit_C = cost))(data),
    "zeronorm svm_rfe(C = 1)" = ours(svm_rfe(C = cost, refit = "none"))(data),
    "zeronorm svm_rfe(C = Inf), refitted" = ours(svm_rfe())(data),
    "LiblineaR type 3, halving loop" = function() halving_loop(data$x, by_liblinear(data$y)),
    "LiblineaR type 3, epsilon = 1e-4" = function() halving_loop(data$x, by_liblinear(data$y, 1e-4)),
    "e1071 linear svm(), halving loop" = function() halving_loop(data$x, by_e1071(data$y)),
    "kernlab ksvm(), halving loop" = if (!is_sparse) function() halving_loop(data$x, by_kernlab(data$y)),
    "caret::rfe, svmLinear, 5 folds" = if (!is_sparse) function() by_caret(data$x, data$y)
  )
}

svm_objective <- function(data, w) {
  f <- as.vector(data$x %*% w[-length(w)]) + w[length(w)]
  sum(w[-length(w)]^2) / 2 + cost * sum(pmax(0, 1 - data$y * f))
}

# The machine of 20 features on new cases.
judge <- function(test, data, optimum) function(answer) {
  if (inherits(answer, "rfe")) return(list())
  if (inherits(answer, "zeronorm")) {
    table <- certificate(answer)
    sizes <- ifelse(table$status == "optimal" & table$nonzero <= 20, table$nonzero, -1)
    w <- coef(answer, index = which.max(sizes))
    answer <- list(index = which(w[-1] != 0), w = w[-1][w[-1] != 0], b = w[1])
    facts <- list(`largest gap` = max(table$gap), `first objective / optimum` = NA)
  } else {
    facts <- list(`largest gap` = NA, `first objective / optimum` = svm_objective(data, answer$first) / optimum)
  }
  facts$features <- length(answer$index)
  if (!is.null(test)) {
    chosen <- list(x = test$x[, answer$index, drop = FALSE], y = test$y)
    facts$`held-out error` <- held_out_error(chosen, answer$w, answer$b)
  }
  facts
}

prepared <- function(make) {
  data <- make()
  if (inherits(data$x, "dgCMatrix")) return(list(x = column_scaled(data$x), y = data$y))
  standardised(data)
}

# New cases on the scale of the training columns.
test_of <- function(name, make, data) {
  if (!grepl("simulated", name)) return(NULL)
  test <- new_cases(make)
  list(x = scale(test$x, data$center, data$scale), y = test$y)
}

rows <- stacked(lapply(names(sets), function(name) {
  data <- prepared(sets[[name]])
  all <- Filter(Negate(is.null), solvers(data))
  optimum <- in_fork(function() {
    certificate(zeronorm(data$x, data$y, l2_svm(cost), standardize = FALSE))$dual
  })
  grade <- judge(test_of(name, sets[[name]], data), data, optimum)
  stacked(lapply(names(all), function(what) timed(what, all[[what]], grade, data = name)))
}))

claims <- do.call(rbind, lapply(names(sets), function(name) {
  here <- rows[rows$data == name, ]
  rbind(faster(paste0(name, ": time of the l2-AROM path / LiblineaR's halving loop"), here,
               "zeronorm arom(\"l2\", \"path\", errors = \"l2\")", "LiblineaR type 3, halving loop"),
        faster(paste0(name, ": time of halving RFE / LiblineaR's halving loop"), here, "zeronorm svm_rfe(C = 1)",
               "LiblineaR type 3, halving loop"),
        faster(paste0(name, ": time of the l2-AROM path / LiblineaR's loop at 1e-4"), here,
               "zeronorm arom(\"l2\", \"path\", errors = \"l2\")", "LiblineaR type 3, epsilon = 1e-4"),
        faster(paste0(name, ": time of halving RFE / LiblineaR's loop at 1e-4"), here, "zeronorm svm_rfe(C = 1)",
               "LiblineaR type 3, epsilon = 1e-4"))
}))
picture("halving", function() plot_times(rows, "From all features to one, by halves"))
report("halving", "Paths by halving", by_data(rows), c(
  "features: of the machine judged, at most 20.  caret::rfe includes its cross-validation; it ranks the genes by",
  "their ROC curves, one at a time, not by the weights of the machine."), claims, plots = "halving")
