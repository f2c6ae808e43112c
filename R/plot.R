#' Plot a fit
#'
#' `"path"`: the importance of every feature along the path, against the number of features; the leading
#' ones in colour; where sizes were asked for, as a share of the largest importance of each solution.
#' `"weights"`: the largest weights of one solution on the standardised scale, with their signs.
#' `"convergence"`: the objective after each round. Colours are told apart by colour-blind readers.
#'
#' @param x a fit of [zeronorm()].
#' @param type `"path"`, `"weights"` or `"convergence"`; by default the path where there is one.
#' @param nonzero,s,index which solutions, as in [coef.zeronorm()]; for `"weights"` one of them, by default
#'   the sparsest among those with fewest training errors.
#' @param most number of features that are named, of the bars at most as many as fit.
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
    type <- if (!has_features(x)) "convergence" else if (nrow(x$certificate) > 1) "path" else "weights"
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
distinct_colours <- function(n) {
  rep_len(c(unname(palette.colors(9, "Okabe-Ito"))[c(6, 7, 4, 2, 8, 3)], "#8B4513", "#000000"), n)
}

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
  check_features(fit)
  picked <- picked[is_optimal(fit)[picked]]
  sizes <- fit$certificate$nonzero[picked]
  picked <- picked[order(sizes)]
  sizes <- sort(sizes)
  # Machines refitted on ever fewer features have weights of ever other size.
  relative <- !is.null(fit$certificate$target)
  values <- path_values(fit, picked, relative)
  leading <- leading_rows(values, most)
  # Sizes of zero have no logarithm; they are drawn at one half.
  wide <- max(sizes) > 20
  at <- if (wide) pmax(sizes, 0.5) else sizes
  limits <- if (length(unique(at)) > 1) range(at) else at[1] * c(0.5, 2) + (at[1] == 0) * c(-1, 1)
  labels <- shorten(rownames(values)[leading])
  with_margins(mar = c(4.5, label_lines(range(0, values)) + 2, 2, 1.5 + name_width(labels, 0.75)), plot = {
    plot_with(plot, list(x = limits, y = range(0, values), type = "n", log = if (wide) "x" else "",
                         xlab = "number of features", ylab = "", main = fit$method$label, las = 1,
                         xaxt = "n"), ...)
    axis(1, unique(at), unique(sizes))
    title(ylab = if (relative) "importance, share of the largest" else "importance",
          line = label_lines(range(0, values)) + 0.5)
    rest <- setdiff(seq_len(nrow(values)), leading)
    if (length(rest)) matlines(at, t(values[rest, , drop = FALSE]), lty = 1, col = "grey85", lwd = 0.5)
    colours <- distinct_colours(length(leading))
    for (k in seq_along(leading)) {
      lines(at, values[leading[k], ], type = "o", pch = k %% 7, cex = 0.6, lwd = 1.6, col = colours[k])
    }
    name_lines(values[leading, ncol(values)], labels, colours)
  })
  invisible(values)
}

# Lines of margin for horizontal tick labels, and for names at magnification cex.
label_lines <- function(range) max(nchar(format(pretty(range), trim = TRUE))) * 0.55 + 1

name_width <- function(labels, cex) max(0, nchar(labels)) * 0.6 * cex

# Importance of the features that are ever nonzero, of at most 500 of them.
path_values <- function(fit, picked, relative) {
  w <- importance_matrix(fit)[, picked, drop = FALSE]
  used <- sort(unique(w@i)) + 1L
  strength <- numeric(nrow(w))
  # Sparse solutions weigh more: a feature that survives is what a reader looks for.
  share <- rep(1 / pmax(1, diff(w@p)), diff(w@p))
  total <- rowsum(share, w@i)
  strength[as.integer(rownames(total)) + 1L] <- total
  used <- used[order(-strength[used])]
  used <- head(used, 500)
  values <- as.matrix(w[used, , drop = FALSE])
  if (relative && length(values)) values <- sweep(values, 2, pmax(apply(values, 2, max), 1e-300), "/")
  dimnames(values) <- list(selectable_labels(fit)[used], fit$labels[picked])
  values
}

# Features x solutions, sparse.
importance_matrix <- function(fit) {
  if (selects_features(fit)) {
    return(as(importance_values(fit, seq_len(nrow(fit$certificate))), "CsparseMatrix"))
  }
  w <- fit$coefficients
  w@x <- fit$magnitude
  outputs <- length(fit$outputs)
  if (!outputs) return(w)
  m <- ncol(w) / outputs
  w %*% sparseMatrix(i = seq_len(ncol(w)), j = rep(seq_len(m), each = outputs), x = 1, dims = c(ncol(w), m))
}

# Rows come with the survivors first.
leading_rows <- function(values, most) seq_len(min(most, nrow(values)))

# Names in the right margin, moved apart so that none hides another.
name_lines <- function(heights, labels, colours) {
  if (!length(labels)) return(invisible())
  usr <- par("usr")
  gap <- (usr[4] - usr[3]) * 0.8 * par("csi") / par("pin")[2]
  order <- order(heights)
  at <- heights[order]
  for (k in seq_along(at)[-1]) at[k] <- max(at[k], at[k - 1] + gap)
  at <- at - max(0, at[length(at)] - usr[4])
  for (k in rev(seq_along(at))[-1]) at[k] <- min(at[k], at[k + 1] - gap)
  for (k in seq_along(at)) {
    mtext(labels[order[k]], side = 4, at = at[k], las = 1, line = 0.3, cex = 0.75 * par("cex"),
          col = colours[order[k]])
  }
}

plot_weights <- function(fit, nonzero, s, index, most, ...) {
  check_features(fit)
  k <- one_solution(fit, nonzero, s, index, "\"weights\"")
  table <- feature_table(fit, k)
  if (!nrow(table)) stop_zeronorm("x", "selects no feature in this solution.", "Choose another index.")
  size <- bar_names(min(most, nrow(table)))
  shown <- head(table, size$most)
  # Several classes or labels have no common sign.
  direction <- if (is.null(fit$outputs)) sign(shown$weight) else 1
  values <- structure(direction * shown$importance, names = shorten(shown$feature))
  title <- paste0(fit$method$label, ", ", plural(nrow(table), "feature"),
                  if (nrow(shown) < nrow(table)) paste0(" (largest ", nrow(shown), ")"))
  colours <- distinct_colours(2)
  with_margins(mar = c(4.5, 1.5 + name_width(names(values), size$cex), 2, 1), plot = {
    middle <- plot_with(barplot, list(height = rev(values), horiz = TRUE, las = 1, border = NA, main = title,
                                      col = colours[1 + (rev(values) < 0)], axisnames = FALSE,
                                      xlab = weight_axis(fit)), ...)
    mtext(rev(names(values)), side = 2, at = middle, las = 1, line = 0.3, cex = size$cex * par("cex"))
    abline(v = 0)
  })
  invisible(values)
}

weight_axis <- function(fit) {
  if (!is.null(fit$outputs)) return("sum of the weights of all classes, standardised")
  if (fit$task == "regression") return("weight, standardised")
  paste0("weight, standardised; to the right: ", shorten(fit$levels[2], 20))
}

# As many of `most` bars as can be named legibly in the present figure, and the magnification of the names.
bar_names <- function(most) {
  room <- (par("fin")[2] - 6.5 * par("mai")[1] / par("mar")[1]) / par("cin")[2]
  fitting <- max(1, min(most, floor(room / 0.68)))
  list(most = fitting, cex = max(0.6, min(1, 0.9 * room / fitting)))
}

plot_convergence <- function(fit, picked, ...) {
  # Sizes picked from one search share its rounds.
  rounds <- trace(fit, index = picked[!duplicated(fit$trace[picked])])
  rounds <- rounds[is.finite(rounds$objective), ]
  if (!nrow(rounds)) stop_zeronorm("x", "has no finite objective to plot.", "See certificate().")
  groups <- unique(rounds$solution)
  many <- length(groups) > 8
  colours <- if (many) hcl.colors(length(groups), "viridis") else distinct_colours(length(groups))
  left <- label_lines(range(rounds$objective))
  with_margins(mar = c(4.5, left + 2, 2, 1), plot = {
    plot_with(plot, list(x = range(rounds$round), y = range(rounds$objective), type = "n", las = 1,
                         xlab = "round", ylab = "", main = fit$method$label, xaxt = "n"), ...)
    axis(1, unique(round(axTicks(1))))
    title(ylab = "objective", line = left + 0.5)
    for (k in seq_along(groups)) {
      one <- rounds[rounds$solution == groups[k], ]
      lines(one$round, one$objective, type = "o", pch = k %% 7, cex = 0.8, col = colours[k])
    }
    named <- if (many) unique(round(seq(1, length(groups), length.out = 4))) else seq_along(groups)
    if (length(groups) > 1) {
      legend("topright", fit$labels[groups[named]], col = colours[named], pch = named %% 7, lty = 1,
             bty = "n", cex = 0.8)
    }
  })
  invisible(rounds)
}
