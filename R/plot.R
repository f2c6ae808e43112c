#' Plot a fit
#'
#' `"path"`: the importance of every feature along the path, against the number of features; the leading
#' ones in colour. `"weights"`: the largest weights of one solution on the standardised scale, with their
#' signs. `"convergence"`: the objective after each round. Colours are told apart by colour-blind readers.
#'
#' @param x a fit of [zeronorm()].
#' @param type `"path"`, `"weights"` or `"convergence"`; by default the path where there is one.
#' @param nonzero,s,index which solutions, as in [coef.zeronorm()]; for `"weights"` one of them, by default
#'   the sparsest among those with fewest training errors.
#' @param most number of features that are named.
#' @param ... passed to [graphics::plot()] or [graphics::barplot()].
#' @return The plotted values, invisibly.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 100), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y)
#' plot(fit)
#' plot(fit, "weights", nonzero = 12)
#' plot(fit, "convergence")
#' @export
plot.zeronorm <- function(x, type = NULL, nonzero = NULL, s = NULL, index = NULL, most = NULL, ...) {
  if (is.null(type)) {
    type <- if (is_kernel_machine(x)) "convergence" else if (nrow(x$certificate) > 1) "path" else "weights"
  }
  type <- check_choice(type, "type", c("path", "weights", "convergence"))
  if (!is.null(most)) most <- check_count(most, "most")
  switch(type,
    path = plot_path(x, pick(x, nonzero, s, index), if (is.null(most)) 8 else most, ...),
    weights = plot_weights(x, nonzero, s, index, if (is.null(most)) 30 else most, ...),
    convergence = plot_convergence(x, pick(x, nonzero, s, index), ...)
  )
}

# Colours that colour-blind readers tell apart; black stays for axes.
distinct_colours <- function(n) rep_len(unname(palette.colors(9, "Okabe-Ito"))[c(6, 7, 4, 2, 8, 3, 9, 1)], n)

# Sets graphical parameters for the calling function only.
with_margins <- function(..., plot) {
  old <- par(...)
  on.exit(par(old))
  plot
}

shorten <- function(labels, width = 16) {
  long <- nchar(labels) > width
  labels[long] <- paste0(substr(labels[long], 1, width - 1), "~")
  labels
}

# Arguments of ours that the user's replace.
plot_with <- function(fun, ours, ...) do.call(fun, modifyList(ours, list(...)))

plot_path <- function(fit, picked, most, ...) {
  check_linear(fit)
  picked <- picked[is_optimal(fit)[picked]]
  sizes <- fit$certificate$nonzero[picked]
  picked <- picked[order(sizes)]
  sizes <- sort(sizes)
  values <- path_values(fit, picked)
  leading <- leading_rows(values, most)
  # Sizes of zero have no logarithm; they are drawn at one half.
  wide <- max(sizes) > 20
  at <- if (wide) pmax(sizes, 0.5) else sizes
  labels <- shorten(rownames(values)[leading])
  right <- 1 + max(0, nchar(labels)) * 0.45
  with_margins(mar = c(4.5, 4.5, 2, right), plot = {
    plot_with(plot, list(x = range(at), y = range(0, values), type = "n", log = if (wide) "x" else "",
                         xlab = "number of features", ylab = "importance", main = fit$method$label,
                         las = 1), ...)
    rest <- setdiff(seq_len(nrow(values)), leading)
    if (length(rest)) matlines(at, t(values[rest, , drop = FALSE]), lty = 1, col = "grey75", lwd = 0.7)
    colours <- distinct_colours(length(leading))
    for (k in seq_along(leading)) {
      lines(at, values[leading[k], ], type = "o", pch = k %% 7, cex = 0.6, lwd = 1.6, col = colours[k])
    }
    name_lines(values[leading, ncol(values)], labels, colours)
  })
  invisible(values)
}

# Importance of the features that are ever nonzero, at most 500 of them drawn: the rest lies below.
path_values <- function(fit, picked) {
  w <- fit$coefficients
  w@x <- fit$magnitude
  w <- w[, picked, drop = FALSE]
  used <- sort(unique(w@i)) + 1L
  strength <- numeric(fit$d)
  # Sparse solutions weigh more: a feature that survives is what a reader looks for.
  share <- rep(1 / pmax(1, diff(w@p)), diff(w@p))
  total <- rowsum(share, w@i)
  strength[as.integer(rownames(total)) + 1L] <- total
  used <- used[order(-strength[used])]
  used <- head(used, 500)
  values <- as.matrix(w[used, , drop = FALSE])
  dimnames(values) <- list(feature_labels(fit)[used], fit$labels[picked])
  values
}

# Rows come with the survivors first.
leading_rows <- function(values, most) seq_len(min(most, nrow(values)))

# Names in the right margin, moved apart so that none hides another.
name_lines <- function(heights, labels, colours) {
  if (!length(labels)) return(invisible())
  usr <- par("usr")
  gap <- (usr[4] - usr[3]) / 26
  order <- order(heights)
  at <- heights[order]
  for (k in seq_along(at)[-1]) at[k] <- max(at[k], at[k - 1] + gap)
  at <- at - max(0, at[length(at)] - usr[4])
  for (k in rev(seq_along(at))[-1]) at[k] <- min(at[k], at[k + 1] - gap)
  for (k in seq_along(at)) {
    mtext(labels[order[k]], side = 4, at = at[k], las = 1, line = 0.3, cex = 0.75, col = colours[order[k]])
  }
}

plot_weights <- function(fit, nonzero, s, index, most, ...) {
  check_linear(fit)
  chosen <- !is.null(nonzero) || !is.null(s) || !is.null(index)
  k <- if (chosen) pick(fit, nonzero, s, index) else shown_solution(fit)
  if (length(k) != 1) {
    stop_zeronorm("type", paste0("\"weights\" needs one solution, not ", length(k), "."),
                  "Use index = 1, say.")
  }
  table <- feature_table(fit, k)
  if (!nrow(table)) stop_zeronorm("x", "selects no feature in this solution.", "Choose another index.")
  shown <- head(table, most)
  values <- structure(sign(shown$weight) * shown$importance, names = shorten(shown$feature))
  dropped <- nrow(table) - nrow(shown)
  title <- paste0(fit$method$label, ", ", nrow(table), if (nrow(table) == 1) " feature" else " features",
                  if (dropped) paste0(" (largest ", nrow(shown), ")"))
  colours <- distinct_colours(2)
  with_margins(mar = c(4.5, 2 + max(nchar(names(values))) * 0.5, 2, 1), plot = {
    plot_with(barplot, list(height = rev(values), horiz = TRUE, las = 1, border = NA, main = title,
                            col = colours[1 + (rev(values) < 0)], cex.names = min(1, 22 / length(values)),
                            xlab = paste0("weight, standardised; to the right: ", fit$levels[2])), ...)
    abline(v = 0)
  })
  invisible(values)
}

plot_convergence <- function(fit, picked, ...) {
  # Sizes picked from one search share its rounds.
  rounds <- trace(fit, index = picked[!duplicated(fit$trace[picked])])
  rounds <- rounds[is.finite(rounds$objective), ]
  if (!nrow(rounds)) stop_zeronorm("x", "has no finite objective to plot.", "See certificate().")
  groups <- unique(rounds$solution)
  colours <- if (length(groups) > 8) rep("grey40", length(groups)) else distinct_colours(length(groups))
  plot_with(plot, list(x = range(rounds$round), y = range(rounds$objective), type = "n", las = 1,
                       xlab = "round", ylab = "objective", main = fit$method$label), ...)
  for (k in seq_along(groups)) {
    one <- rounds[rounds$solution == groups[k], ]
    lines(one$round, one$objective, type = "o", pch = k %% 7, cex = 0.8, col = colours[k])
  }
  if (length(groups) > 1 && length(groups) <= 8) {
    legend("topright", fit$labels[groups], col = colours, pch = seq_along(groups) %% 7, lty = 1, bty = "n",
           cex = 0.8)
  }
  invisible(rounds)
}
