#' Plot a fit
#'
#' `plot()` draws with base graphics, `autoplot()` with ggplot2:
#'
#' * `"path"`: the importance of every feature along the path, against the number of features; the leading
#'   ones in colour; where sizes were asked for, as a share of the largest importance of each solution.
#' * `"weights"`: the largest weights of one solution on the standardised scale, with their signs.
#' * `"convergence"`: the objective after each round.
#' * `"gap"`: the relative gap between primal and dual value of each round's convex problem.
#' * `"heatmap"`: the selected features of one solution on data, standardised, the most important on top;
#'   observations stand below bars of their classes, in the order of their decision values.
#' * `"boundary"`: the regions of the classes where a solution uses two features, with margins and the
#'   observations on or beyond them (of a machine with hinge loss these include all support vectors).
#'
#' The palette is colour-blind safe.
#'
#' @param x,object a fit of [zeronorm()].
#' @param type which picture; by default the path where there is one.
#' @param newdata,y data for `"heatmap"` and `"boundary"`, such as those the fit was made of.
#' @param nonzero,s,index which solutions, as in [coef.zeronorm()]; for `"weights"`, `"heatmap"` and
#'   `"boundary"` one of them, which a fit with several does not choose by itself.
#' @param most number of features that are named, of bars and rows at most as many as fit.
#' @param ... of `plot()`: passed to [graphics::plot()] or [graphics::barplot()]; of `autoplot()` unused, and
#'   an error if given.
#' @return `plot()`: the plotted values, invisibly; `autoplot()`: a ggplot.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 100), 40)
#' y <- x[, 1] - x[, 2] > 0
#' fit <- zeronorm(x, y)
#' plot(fit)
#' plot(fit, "weights", nonzero = 12)
#' plot(fit, "convergence")
#' plot(fit, "heatmap", x, y, nonzero = 12)
#' plot(zeronorm(x, y, svm_rfe(nonzero = 2)), "boundary", x, y)
#' @export
#' @order 1
plot.zeronorm <- function(x, type = NULL, newdata = NULL, y = NULL, nonzero = NULL, s = NULL, index = NULL,
                          most = NULL, ...) {
  check_result(x, "x")
  type <- picture_type(x, type)
  most <- most_named(type, most)
  one <- function() one_solution(x, nonzero, s, index, paste0("\"", type, "\""))
  switch(type,
    path = plot_path(x, pick_path(x, nonzero, s, index), most, ...),
    weights = plot_weights(x, one(), most, ...),
    convergence = plot_rounds(x, pick_path(x, nonzero, s, index), "objective", ...),
    gap = plot_rounds(x, pick_path(x, nonzero, s, index), "gap", ...),
    heatmap = plot_heatmap(x, newdata, y, one(), most, ...),
    boundary = plot_boundary(x, newdata, y, one(), ...)
  )
}

plot_types <- c("path", "weights", "convergence", "gap", "heatmap", "boundary")

picture_type <- function(fit, type) {
  if (!is.null(type)) return(check_choice(type, "type", plot_types))
  if (!has_features(fit)) return("convergence")
  if (nrow(fit$certificate) > 1 && is.null(fit$asked)) "path" else "weights"
}

most_named <- function(type, most) {
  if (!is.null(most)) return(check_count(most, "most"))
  switch(type, path = 8, weights = 30, 50)
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

# Text over (side 3) or below (1) the plot, or the figure where that is wider than the plot: as large as fits.
heading <- function(text, line, side = 3, font = 2, cex = 1.2) {
  fitting <- 0.95 * par("fin")[1] / strwidth(text, "inches", font = font)
  mtext(text, side = side, line = line, font = font, cex = min(cex, fitting) * par("cex"),
        at = if (fitting < 1.8) grconvertX(0.5, "nfc", "user") else NA)
}

side_heading <- function(text, line) {
  fitting <- 0.95 * par("fin")[2] / strwidth(text, "inches")
  mtext(text, side = 2, line = line, cex = min(1, fitting) * par("cex"),
        at = if (fitting < 1.4) grconvertY(0.5, "nfc", "user") else NA)
}

shorten <- function(labels, width = 16) {
  long <- nchar(labels) > width
  labels[long] <- paste0(substr(labels[long], 1, width - 1), "~")
  labels
}

# Arguments of ours that the user's replace.
plot_with <- function(fun, ours, ...) do.call(fun, modifyList(ours, list(...)))

# What the picture of a path shows: list(values: features x solutions, sizes, at: where they stand, wide:
# whether on a logarithmic axis, ylab, leading: rows in colour, labels: of these).
path_picture <- function(fit, picked, most) {
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
  list(values = values, sizes = sizes, at = if (wide) pmax(sizes, 0.5) else sizes, wide = wide,
       ylab = if (relative) "importance, share of the largest" else "importance",
       leading = leading, labels = shorten(rownames(values)[leading]))
}

plot_path <- function(fit, picked, most, ...) {
  shown <- path_picture(fit, picked, most)
  at <- shown$at
  values <- shown$values
  limits <- if (length(unique(at)) > 1) range(at) else at[1] * c(0.5, 2) + (at[1] == 0) * c(-1, 1)
  left <- label_lines(range(0, values))
  with_margins(mar = c(4.5, left + 2, 2, 1.5 + name_width(shown$labels, 0.75)), plot = {
    plot_with(plot, list(x = limits, y = range(0, values), type = "n", log = if (shown$wide) "x" else "",
                         xlab = "number of features", ylab = "", main = fit$method$label, las = 1,
                         xaxt = "n"), ...)
    axis(1, unique(at), unique(shown$sizes))
    side_heading(shown$ylab, left + 0.5)
    leading <- shown$leading
    rest <- setdiff(seq_len(nrow(values)), leading)
    if (length(rest)) matlines(at, t(values[rest, , drop = FALSE]), lty = 1, col = "grey85", lwd = 0.5)
    colours <- distinct_colours(length(leading))
    for (k in seq_along(leading)) {
      lines(at, values[leading[k], ], type = "o", pch = k %% 7, cex = 0.6, lwd = 1.6, col = colours[k])
    }
    name_lines(values[leading, ncol(values)], shown$labels, colours)
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
  at <- move_apart(heights, (usr[4] - usr[3]) * 0.8 * par("csi") / par("pin")[2], usr[4])
  for (k in seq_along(at)) {
    mtext(labels[k], side = 4, at = at[k], las = 1, line = 0.3, cex = 0.75 * par("cex"), col = colours[k])
  }
}

# Heights at least `gap` apart and, where there is room, below `top`.
move_apart <- function(heights, gap, top) {
  order <- order(heights)
  at <- heights[order]
  for (k in seq_along(at)[-1]) at[k] <- max(at[k], at[k - 1] + gap)
  at[length(at)] <- min(at[length(at)], top)
  for (k in rev(seq_along(at))[-1]) at[k] <- min(at[k], at[k + 1] - gap)
  replace(at, order, at)
}

# What the bars of a solution show: the named values, at most `most`, and how many there are in all.
weight_bars <- function(fit, k, most) {
  check_features(fit)
  table <- feature_table(fit, k)
  if (!nrow(table)) stop_zeronorm("x", "selects no feature in this solution.", "Choose another index.")
  shown <- head(table, most)
  # Several classes or labels have no common sign.
  direction <- if (is.null(fit$outputs)) sign(shown$weight) else 1
  list(values = structure(direction * shown$importance, names = shorten(shown$feature)),
       title = paste0(fit$method$label, ", ", plural(nrow(table), "feature"),
                      if (nrow(shown) < nrow(table)) paste0(" (largest ", nrow(shown), ")")))
}

plot_weights <- function(fit, k, most, ...) {
  check_features(fit)
  size <- bar_names(min(most, nrow(feature_table(fit, k))))
  shown <- weight_bars(fit, k, size$most)
  values <- shown$values
  colours <- distinct_colours(2)
  with_margins(mar = c(4.5, 1.5 + name_width(names(values), size$cex), 2, 1), plot = {
    middle <- plot_with(barplot, list(height = rev(values), horiz = TRUE, las = 1, border = NA,
                                      col = colours[1 + (rev(values) < 0)], axisnames = FALSE), ...)
    if (is.null(list(...)$main)) heading(shown$title, 0.6)
    if (is.null(list(...)$xlab)) heading(weight_axis(fit), 3, side = 1, font = 1, cex = 1)
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
bar_names <- function(most, margin_lines = 6.5) {
  room <- (par("fin")[2] - margin_lines * par("mai")[1] / par("mar")[1]) / par("cin")[2]
  fitting <- max(1, min(most, floor(room / 0.68)))
  list(most = fitting, cex = max(0.6, min(1, 0.9 * room / fitting)))
}

# The rounds of the solutions with what can be drawn of `field`; sizes picked from one search share theirs.
round_values <- function(fit, picked, field) {
  rounds <- rounds(fit, index = picked[!duplicated(fit$trace[picked])])
  rounds$value <- if (field == "gap") pmax(rounds$gap, smallest_gap) else rounds$objective
  rounds <- rounds[is.finite(rounds$value), ]
  if (!nrow(rounds)) {
    stop_zeronorm("x", paste0("has no finite ", field, " to plot."), "See certificate().")
  }
  rounds
}

# Gaps of zero have no logarithm.
smallest_gap <- .Machine$double.eps

round_axis <- function(field) {
  c(objective = "objective", gap = "relative gap of the convex problem")[[field]]
}

round_colours <- function(n) if (n > 8) hcl.colors(n, "viridis") else distinct_colours(n)

# The corner with the fewest points in it; the upper right one among equals.
free_corner <- function(x, y, log = FALSE) {
  if (log) y <- log(y)
  share <- function(v) (v - min(v)) / max(max(v) - min(v), 1e-300)
  x <- share(x)
  y <- share(y)
  corners <- c(topright = sum(x > 0.6 & y > 0.6), topleft = sum(x < 0.4 & y > 0.6),
               bottomright = sum(x > 0.6 & y < 0.4), bottomleft = sum(x < 0.4 & y < 0.4))
  names(which.min(corners))
}

plot_rounds <- function(fit, picked, field, ...) {
  rounds <- round_values(fit, picked, field)
  groups <- unique(rounds$solution)
  colours <- round_colours(length(groups))
  log <- field == "gap"
  limits <- range(rounds$value)
  # An axis needs more than rounding between its ends.
  if (log && limits[1] == limits[2]) limits <- limits * c(0.1, 10)
  else if (diff(limits) < 1e-9 * max(abs(limits))) limits <- limits + c(-1e-3, 1e-3) * max(abs(limits))
  left <- if (log) 4 else label_lines(limits)
  with_margins(mar = c(4.5, left + 2, 2, 1), plot = {
    plot_with(plot, list(x = range(rounds$round), y = limits, type = "n", las = 1, log = if (log) "y" else "",
                         xlab = "round", ylab = "", main = fit$method$label, xaxt = "n"), ...)
    axis(1, unique(round(axTicks(1))))
    side_heading(round_axis(field), left + 0.5)
    for (k in seq_along(groups)) {
      one <- rounds[rounds$solution == groups[k], ]
      lines(one$round, one$value, type = "o", pch = k %% 7, cex = 0.8, col = colours[k])
    }
    named <- unique(round(seq(1, length(groups), length.out = if (length(groups) > 8) 4 else length(groups))))
    if (length(groups) > 1) {
      legend(free_corner(rounds$round, rounds$value, log), fit$labels[groups[named]], col = colours[named],
             pch = named %% 7, lty = 1, bty = "n", cex = 0.8)
    }
  })
  invisible(rounds[names(rounds) != "value"])
}
