#' @method print zeronorm
#' @export
print.zeronorm <- function(x, ...) {
  check_result(x, "x")
  writeLines(c(header(x), what_was_found(x), how_certain(x)))
  invisible(x)
}

# Lines of at most 80 characters, indented by two.
indented <- function(...) strwrap(paste0(...), width = 80, indent = 2, exdent = 4)

plural <- function(n, noun) paste0(n, " ", noun, if (n != 1) "s")

# The first lines of every print: what the object is, and of which method.
header_lines <- function(class, method, ...) {
  strwrap(paste0("<", class, "> ", method$label, ": ", format(method), ...), 80, exdent = 4)
}

header <- function(fit) {
  c(header_lines("zeronorm", fit$method),
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
  if (nrow(fit$certificate) > 1) return(path_lines(fit))
  unit <- if (has_features(fit)) "feature" else "support vector"
  size <- fit$certificate[[if (has_features(fit)) "nonzero" else "support_vectors"]]
  names <- if (has_features(fit) && size %in% seq_len(size)) paste0(": ", name_some(selected(fit)))
  c(indented(plural(size, unit), names), error_line(fit, 1))
}

# A row for each solution: its tuning parameters, its size, its errors on the training data and its features, as
# far as a line of 80 characters goes.
path_lines <- function(fit, most = 12) {
  m <- nrow(fit$certificate)
  size <- if (has_features(fit)) "nonzero" else "support_vectors"
  varies <- vapply(fit$certificate[fit$tuning], function(values) length(unique(values)) > 1, NA)
  columns <- c(fit$tuning[varies], size, if (!all(is.na(fit$certificate$errors))) "errors")
  table <- fit$certificate[unique(columns)]
  names(table)[names(table) == "errors"] <- if (fit$task == "regression") "outside tube" else "training errors"
  if (has_features(fit)) {
    table$selected <- vapply(seq_len(m), function(k) {
      if (is_optimal(fit)[k]) paste(selected(fit, index = k), collapse = ", ") else "failed"
    }, "")
  }
  shown <- if (m > most) c(seq_len(most - 3), m - 1, m) else seq_len(m)
  cells <- vapply(table[shown, , drop = FALSE], function(v) {
    if (is.numeric(v)) format(signif(v, 4)) else v
  }, character(length(shown)))
  numbers <- vapply(table, is.numeric, NA)
  cells <- rbind(names(table), matrix(cells, length(shown)))
  cells[, numbers] <- apply(cells[, numbers, drop = FALSE], 2, format, justify = "right")
  text <- apply(cbind(format(c("", shown), justify = "right"), cells), 1, paste, collapse = "  ")
  text <- paste0("  ", trimws(text, "right"))
  long <- nchar(text) > 80
  text[long] <- paste0(substr(text[long], 1, 77), "...")
  if (m > most) text <- append(text, paste0("  ... ", m - length(shown), " more"), most - 2)
  choice <- if (is.null(fit$asked)) "choose one by `nonzero`, `s` or `index`, or cv_zeronorm()"
            else paste0("shown is that of ", fit$labels[fit$asked])
  c(indented(m, " solutions; ", choice), text)
}

# None where nothing says what an error is.
error_line <- function(fit, k) {
  errors <- fit$certificate$errors[k]
  if (!is.na(errors)) indented(plural(errors, error_words(fit)), " of ", fit$n)
}

# In regression errors are residuals beyond epsilon.
error_words <- function(fit) {
  if (fit$task == "regression") "residual outside the tube" else "training error"
}

name_some <- function(features, most = 8) {
  if (!length(features)) return("none")
  text <- paste(shorten(head(as.character(features), most), 30), collapse = ", ")
  if (length(features) > most) paste0(text, ", ... (", length(features), ")") else text
}

how_certain <- function(fit) {
  table <- fit$certificate
  ok <- is_optimal(fit)
  selects_first <- !is.null(table$target) || fit$method$declares$first
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
