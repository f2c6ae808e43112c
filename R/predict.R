#' Predictions
#'
#' Columns are matched by name: order does not matter, further columns are ignored, and only features with
#' a nonzero weight are needed (a fit by formula needs all its variables). Without names on both sides
#' columns go by position, and their number must agree.
#'
#' @param object a fit of [zeronorm()].
#' @param newx new observations in rows, of any kind [zeronorm()] takes; for a fit by formula a data frame.
#'   For a kernel matrix, the kernel values between new rows and all training rows.
#' @param type `"class"`: a factor with the levels of y, the second where the decision value is above 0;
#'   `"link"`: the decision value; `"features"`: the selected features, for which no data are needed.
#' @param nonzero,s,index which solutions, as in [coef.zeronorm()].
#' @param ... unused, and an error if given.
#' @return For one solution a factor, a numeric vector, or a vector of features; for several a data frame of
#'   factors, a matrix, or a list. Solutions that failed are NA.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, l1_svm(C = c(0.1, 1)))
#' predict(fit, x[1:3, ], type = "link")
#' predict(fit, x[1:3, ], s = 1)
#' @export
predict.zeronorm <- function(object, newx, type = "class", nonzero = NULL, s = NULL, index = NULL, ...) {
  check_unused(...)
  type <- check_choice(type, "type", c("class", "link", "features"))
  picked <- pick(object, nonzero, s, index)
  if (type == "features") return(selected(object, index = picked))
  if (missing(newx)) {
    stop_zeronorm("newx", "is missing; a fit keeps no training data.", "Use predict(fit, newx).")
  }
  link <- decision_values(object, newx, picked)
  if (type == "class") {
    classes <- lapply(seq_along(picked), function(k) {
      factor(object$levels[(link[, k] > 0) + 1L], levels = object$levels)
    })
    if (length(picked) == 1) return(structure(classes[[1]], names = rownames(link)))
    return(structure(classes, names = object$labels[picked], class = "data.frame",
                     row.names = if (is.null(rownames(link))) seq_len(nrow(link)) else rownames(link)))
  }
  if (length(picked) == 1) link[, 1] else link
}

# Rows of newx x solutions.
decision_values <- function(fit, newx, picked) {
  newx <- encode_newx(newx, fit$encoding)
  decide <- if (is_kernel_machine(fit)) kernel_decisions else linear_decisions
  f <- decide(fit, newx, picked)
  f[, !is_optimal(fit)[picked]] <- NA
  dimnames(f) <- list(rownames(newx), fit$labels[picked])
  f
}

linear_decisions <- function(fit, newx, picked) {
  w <- fit$coefficients[, picked, drop = FALSE]
  needed <- sort(unique(w@i[w@x != 0])) + 1L
  newx <- match_columns(newx, fit$features, needed, fit$d)
  check_finite(newx)
  f <- if (length(needed)) as.matrix(newx %*% as.matrix(w[needed, , drop = FALSE]))
       else matrix(0, nrow(newx), length(picked))
  sweep(f, 2, fit$intercept[picked], "+")
}

kernel_decisions <- function(fit, newx, picked) {
  machine <- fit$machine
  if (machine$kernel$kind == "matrix") {
    newx <- match_columns(newx, machine$training_rows, machine$rows, fit$n)
    check_finite(newx)
    values <- as.matrix(newx)
  } else {
    newx <- match_columns(newx, fit$features, seq_len(fit$d), fit$d)
    check_finite(newx)
    values <- kernel_values(machine$kernel, standardize_rows(as.matrix(newx), machine), machine$x)
  }
  sweep(values %*% machine$alpha[, picked, drop = FALSE], 2, fit$intercept[picked], "+")
}

check_finite <- function(newx) {
  if (!all(is.finite(if (is.matrix(newx)) newx else newx@x))) stop_not_finite(newx, "newx")
}

#' Other verbs of a fit
#'
#' `fitted()` is an error, because a fit keeps no training data: use `predict(fit, x)`. `update()` fits
#' again with changed arguments, of [zeronorm()] or of the method; it takes the data, as the fit has none.
#'
#' @param object a fit of [zeronorm()].
#' @param x,y data, as in [zeronorm()]; with a formula `y` is the data frame.
#' @param ... changed arguments.
#' @return `update()`: a new fit; `nobs()`: the number of observations of the training data.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 20), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y, l1_svm())
#' update(fit, x, y, C = 0.2, standardize = FALSE)
#' nobs(fit)
#' @name zeronorm-verbs
NULL

#' @rdname zeronorm-verbs
#' @export
fitted.zeronorm <- function(object, ...) {
  stop_zeronorm("object", "keeps no training data.", "Use predict(fit, x).")
}

#' @rdname zeronorm-verbs
#' @export
nobs.zeronorm <- function(object, ...) object$n

#' @rdname zeronorm-verbs
#' @method update zeronorm
#' @export
update.zeronorm <- function(object, x, y, ...) {
  if (missing(x) || missing(y)) {
    stop_zeronorm("x", "or `y` is missing; a fit keeps no training data.", "Use update(fit, x, y, ...).")
  }
  changes <- list(...)
  parameters <- intersect(names(changes), names(object$method$args))
  method <- changes$method
  if (is.null(method)) {
    args <- object$method$args
    args[parameters] <- changes[parameters]
    method <- do.call(constructor_of(object$method$name), args)
    changes <- changes[setdiff(names(changes), parameters)]
  }
  settings <- object$settings
  settings[names(changes)] <- changes
  settings$method <- method
  do.call(zeronorm, c(list(x, y), settings), quote = TRUE)
}
