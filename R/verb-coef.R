#' Coefficients of a fit
#'
#' @param object a fit of [zeronorm()].
#' @param nonzero numbers of selected features: the solution that was fitted with this target or, failing that,
#'   the first of the path with as many; with a message, the largest one below.
#' @param s values of the tuning parameter, or a list of them by name, that were fitted.
#' @param index positions of solutions, the rows of [certificate()].
#' @param ... unused, and an error if given.
#' @return Intercept first, then the weights of all features on the scale of `x`: a named vector for one
#'   solution, a sparse matrix with a column each for several; with several classes or labels a list of
#'   these, named by class or label. Kernel machines give the coefficients \eqn{a_i y_i} of their support
#'   vectors, named by row. Solutions that failed are NA.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, l1_svm(C = c(0.1, 1)))
#' coef(fit, s = 0.1)
#' @export
coef.zeronorm <- function(object, nonzero = NULL, s = NULL, index = NULL, ...) {
  check_unused(...)
  check_result(object)
  if (!is.null(object$networks)) {
    stop_zeronorm("object", "is a network, whose coefficients belong to no feature alone.",
                  "feature_importance() gives the length of each feature's weights.")
  }
  picked <- pick(object, nonzero, s, index)
  failed <- which(!is_optimal(object)[picked])
  values <- if (is_kernel_machine(object)) expansion_coefficients else output_coefficients
  if (is.null(object$outputs)) return(values(object, picked, picked, failed))
  columns <- matrix(output_columns(object, picked), ncol = length(picked))
  each <- lapply(seq_along(object$outputs), function(k) values(object, picked, columns[k, ], failed))
  structure(each, names = object$outputs)
}

# The same of support vectors, always dense.
expansion_coefficients <- function(fit, picked, columns, failed) {
  out <- rbind("(Intercept)" = fit$intercept[columns], fit$machine$alpha[, columns, drop = FALSE])
  out[, failed] <- NA
  colnames(out) <- fit$labels[picked]
  if (length(picked) == 1) structure(out[, 1], names = rownames(out)) else out
}

# A vector for one solution, a sparse matrix for several; columns: of fit$coefficients.
output_coefficients <- function(fit, picked, columns, failed) {
  names <- c("(Intercept)", feature_labels(fit))
  if (length(columns) == 1) {
    out <- structure(c(fit$intercept[columns], dense_column(fit$coefficients, columns)), names = names)
    if (length(failed)) out[] <- NA
    return(out)
  }
  w <- fit$coefficients
  if (!identical(columns, seq_len(w@Dim[2]))) w <- w[, columns, drop = FALSE]
  out <- with_intercept(w, fit$intercept[columns])
  dimnames(out) <- list(names, fit$labels[picked])
  if (length(failed)) out[, failed] <- NA
  out
}

# A dgCMatrix of parts that fit each other: checking them takes new() longer than a small fit.
compressed <- local({
  empty <- NULL
  function(i, p, x, dim, dimnames = list(NULL, NULL)) {
    if (is.null(empty)) empty <<- new("dgCMatrix")
    parts <- list(i = i, p = p, x = x, Dim = dim, Dimnames = dimnames)
    matrix <- empty
    for (name in names(parts)) slot(matrix, name, check = FALSE) <- parts[[name]]
    matrix
  }
})

# Of a dgCMatrix. O(rows).
dense_column <- function(w, k) {
  out <- numeric(w@Dim[1])
  at <- w@p[k] + seq_len(w@p[k + 1] - w@p[k])
  out[w@i[at] + 1L] <- w@x[at]
  out
}

# A first row on a dgCMatrix. O(nonzeros).
with_intercept <- function(w, b) {
  m <- w@Dim[2]
  counts <- diff(w@p)
  first <- w@p[-(m + 1)] + seq_len(m)
  i <- integer(length(w@i) + m)
  x <- numeric(length(i))
  i[-first] <- w@i + 1L
  x[first] <- b
  x[-first] <- w@x
  compressed(i, as.integer(c(0, cumsum(counts + 1))), x, w@Dim + c(1L, 0L))
}

is_kernel_machine <- function(fit) !is.null(fit$machine)

is_optimal <- function(fit) fit$certificate$status == "optimal"

# Of the coefficients: names, or indices as text.
feature_labels <- function(fit) {
  if (!is.null(fit$polynomial)) return(monomial_labels(fit))
  if (is.null(fit$features)) index_labels(fit$d) else fit$features
}

# "1", "2", ..., remembered unless they are many: making them takes as long as a fit of small data. paste0()
# makes them at once, as.character() whenever they are looked at.
index_labels <- local({
  labels <- character()
  function(d, most = 10000) {
    if (d > most) return(as.character(seq_len(d)))
    if (d > length(labels)) labels <<- paste0(seq_len(d))
    labels[seq_len(d)]
  }
})

# Positions of the solutions a user points at; by default all, or the one that an adapter was asked for.
pick <- function(fit, nonzero = NULL, s = NULL, index = NULL) {
  m <- nrow(fit$certificate)
  if (is.null(nonzero) && is.null(s) && is.null(index) && !is.null(fit$asked)) return(fit$asked)
  if (!is.null(index)) {
    if (!is.null(nonzero) || !is.null(s)) {
      stop_zeronorm("index", "is given together with `nonzero` or `s`.",
                    "Use one way to point at solutions.")
    }
    if (!is.numeric(index) || anyNA(index) || any(index < 1 | index > m | index != round(index))) {
      stop_zeronorm("index", paste0("is ", describe(index), "."),
                    paste0("Use numbers from 1 to ", m, ", the rows of certificate()."))
    }
    return(as.integer(index))
  }
  among <- if (is.null(s)) seq_len(m) else pick_tuning(fit, s)
  if (is.null(nonzero)) return(among)
  if (!has_features(fit)) {
    stop_zeronorm("nonzero", "is given for a kernel machine, which has no feature weights.",
                  "Use s or index.")
  }
  nonzero <- check_nonzero(nonzero)
  unlist(lapply(nonzero, pick_size, fit = fit, among = among))
}

# The same for pictures of a path, which show all of it.
pick_path <- function(fit, nonzero, s, index) {
  pointed <- !is.null(nonzero) || !is.null(s) || !is.null(index)
  if (pointed) pick(fit, nonzero, s, index) else seq_len(nrow(fit$certificate))
}

# The one solution a verb needs.  Training errors choose nothing: of several the user says which.
one_solution <- function(fit, nonzero, s, index, verb) {
  chosen <- !is.null(nonzero) || !is.null(s) || !is.null(index)
  k <- pick(fit, nonzero, s, index)
  if (length(k) == 1) return(k)
  if (!chosen) {
    stop_zeronorm("object", paste0("has ", length(k), " solutions, but ", verb, " needs one."),
                  "Choose one with `nonzero`, `s` or `index`, or by cross-validation with cv_zeronorm().")
  }
  argument <- if (!is.null(index)) "index" else if (!is.null(nonzero)) "nonzero" else "s"
  stop_zeronorm(argument, paste0("points at ", length(k), " solutions, but ", verb, " needs one."),
                "Use index = 1, for example.")
}

pick_tuning <- function(fit, s) {
  parameters <- setdiff(fit$tuning, "target")
  if (!is.list(s)) {
    varies <- vapply(fit$certificate[parameters], function(values) length(unique(values)) > 1, NA)
    meant <- if (length(parameters) == 1) parameters else parameters[varies]
    s <- if (is.null(names(s))) structure(list(s), names = if (length(meant) == 1) meant else "")
         else as.list(s)
  }
  if (!length(s) || is.null(names(s)) || !all(names(s) %in% parameters)) {
    stop_zeronorm("s", "does not name the tuning parameters.",
                  if (length(parameters)) paste0("Use a list with ", enumerate(parameters), ".")
                  else "This method has none; use index.")
  }
  hits <- rep(TRUE, nrow(fit$certificate))
  for (name in names(s)) {
    if (!is.numeric(s[[name]]) || !length(s[[name]])) {
      stop_zeronorm("s", paste0("is ", describe(s[[name]]), "."),
                    paste0("Use values of ", name, "; \"min\" and \"1se\" are for results of cv_zeronorm()."))
    }
    fitted <- fit$certificate[[name]]
    near <- function(v) v == fitted | (is.finite(fitted) & abs(v - fitted) <= 1e-8 * abs(fitted))
    close <- vapply(s[[name]], near, fitted > 0)
    close <- matrix(close %in% TRUE, nrow = length(fitted))
    if (any(colSums(close) == 0)) {
      stop_zeronorm("s", paste0(name, " = ", s[[name]][colSums(close) == 0][1], " was not fitted."),
                    paste0("Fitted are ", format_values(unique(fitted)), "; see certificate()."))
    }
    hits <- hits & rowSums(close) > 0
  }
  which(hits)
}

# The solution that was asked for with r features; else the first of the path with as many, or with the next
# smaller number.
pick_size <- function(r, fit, among) {
  table <- fit$certificate[among, , drop = FALSE]
  asked <- which(table$target == r)
  if (length(asked)) return(among[asked])
  sizes <- ifelse(table$status == "optimal", table$nonzero, NA)
  if (all(is.na(sizes))) stop_zeronorm("nonzero", "is given, but all solutions failed.", "See certificate().")
  if (all(sizes > r, na.rm = TRUE)) {
    stop_zeronorm("nonzero", paste0("is ", r, " but the smallest solution has ", min(sizes, na.rm = TRUE),
                                    " features."), "Ask for more, or fit smaller models.")
  }
  best <- max(sizes[which(sizes <= r)])
  if (best < r) inform("No solution has ", r, " features: taking the one with ", best, ".")
  among[which(sizes == best)[1]]
}
