#' @method print zeronorm
#' @export
print.zeronorm <- function(x, ...) {
  check_seal(x, "x")
  writeLines(c(header(x), what_was_found(x), how_certain(x)))
  invisible(x)
}

# Lines of at most 80 characters, indented by two.
indented <- function(...) strwrap(paste0(...), width = 80, indent = 2, exdent = 4)

plural <- function(n, noun) paste0(n, " ", noun, if (n != 1) "s")

header <- function(fit) {
  c(strwrap(paste0("<zeronorm> ", fit$method$label, ": ", format(fit$method)), width = 80, exdent = 4),
    indented(plural(fit$n, "observation"), " x ", plural(fit$d, "feature"),
             if (!is.null(fit$polynomial)) paste0(", ", plural(nrow(fit$coefficients), "monomial"))),
    indented(what_is_predicted(fit)))
}

what_is_predicted <- function(fit) {
  levels <- paste0("'", shorten(fit$levels, 30), "' (", fit$counts, recycle0 = TRUE)
  each <- paste0(levels, ")", collapse = ", ", recycle0 = TRUE)
  switch(fit$task,
    "two-class" = paste0(levels[2], ", positive) against ", levels[1], ")"),
    "k-class" = paste0(length(levels), " classes: ", each),
    "multi-label" = paste0(length(levels), " labels: ", each),
    regression = "regression"
  )
}

what_was_found <- function(fit) {
  table <- fit$certificate[is_optimal(fit), , drop = FALSE]
  m <- nrow(fit$certificate)
  sizes <- range(if (has_features(fit)) table$nonzero else table$support_vectors)
  unit <- if (has_features(fit)) "feature" else "support vector"
  found <- paste(unique(sizes), collapse = " to ")
  k <- shown_solution(fit)
  names <- if (has_features(fit)) paste0(": ", name_some(selected(fit, index = k)))
  errors <- fit$certificate$errors[k]
  if (m == 1) {
    return(c(indented(found, " ", unit, if (sizes[2] != 1) "s", if (sizes[2]) names), error_line(fit, k)))
  }
  c(indented(m, " solutions with ", found, " ", unit, if (sizes[2] != 1) "s"),
    indented(if (!is.na(errors)) paste0(error_words(fit)[2], ": ", errors, " of ", fit$n, ", "), "index ", k,
             if (has_features(fit)) " the sparsest", names))
}

# None where nothing says what an error is.
error_line <- function(fit, k) {
  errors <- fit$certificate$errors[k]
  if (!is.na(errors)) indented(plural(errors, error_words(fit)[1]), " of ", fit$n)
}

# In regression errors are residuals beyond epsilon.
error_words <- function(fit) {
  if (fit$task == "regression") c("residual outside the tube", "fewest residuals outside the tube")
  else c("training error", "fewest training errors")
}

name_some <- function(features, most = 8) {
  if (!length(features)) return("none")
  text <- paste(shorten(head(as.character(features), most), 30), collapse = ", ")
  if (length(features) > most) paste0(text, ", ... (", length(features), ")") else text
}

how_certain <- function(fit) {
  table <- fit$certificate
  ok <- is_optimal(fit)
  selects_first <- !is.null(table$target) || fit$method$rule %in% c("fs_svmcp", "admit", "ranking", "forward")
  optimal <- if (selects_first) "optimum for the selected features" else "global optimum"
  stationary <- if (is.null(fit$networks)) "stationary, last convex problem solved"
                else "local minimum, graded by its gradient"
  kind <- c(gap = optimal, stationarity = stationary,
            none = "not certified: the largest weights of the search")[unique(table$kind[ok])]
  limited <- sum(ok & table$stop == "round limit")
  endless <- sum(ok & table$stop == "no minimum")
  gaps <- table$gap[ok & table$kind != "none"]
  seconds <- if (!is.na(fit$seconds)) paste0(", ", small(fit$seconds, 0.01), " s")
  c(indented(paste(kind, collapse = " or "),
             if (length(gaps)) paste0(": relative gap ", small(max(gaps), 1e-12))),
    indented("engine ", paste(unique(table$engine[ok]), collapse = ", "),
             if (any(table$fallback)) " (as a fallback)", seconds),
    if (limited) indented(limited, " of ", nrow(table), " stopped at the round limit: see certificate()"),
    if (endless) indented(endless, " of ", nrow(table), " stopped before rounds without a minimum"),
    if (!all(ok)) indented(plural(sum(!ok), "solution"), " failed: see certificate()"))
}

# A number, or that it is below `least`.
small <- function(value, least) if (value < least) paste("below", least) else format(value, digits = 2)
