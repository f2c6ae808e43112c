#' @rdname plot.zeronorm
#' @exportS3Method ggplot2::autoplot
autoplot.zeronorm <- function(object, type = NULL, newdata = NULL, y = NULL, nonzero = NULL, s = NULL,
                              index = NULL, most = NULL, ...) {
  check_unused(...)
  check_result(object)
  need_package("ggplot2", "autoplot()")
  type <- picture_type(object, type)
  most <- most_named(type, most)
  one <- function() one_solution(object, nonzero, s, index, paste0("\"", type, "\""))
  switch(type,
    path = autoplot_path(object, pick_path(object, nonzero, s, index), most),
    weights = autoplot_weights(object, one(), most),
    convergence = autoplot_rounds(object, pick_path(object, nonzero, s, index), "objective"),
    gap = autoplot_rounds(object, pick_path(object, nonzero, s, index), "gap"),
    heatmap = autoplot_heatmap(object, newdata, y, one(), most),
    boundary = autoplot_boundary(object, newdata, y, one())
  )
}

utils::globalVariables(".data")

picture_theme <- function(...) {
  ggplot2::theme_bw() +
    ggplot2::theme(panel.grid.minor = ggplot2::element_blank(), plot.title.position = "plot",
                   plot.title = ggplot2::element_text(size = 11), ...)
}

autoplot_path <- function(fit, picked, most) {
  shown <- path_picture(fit, picked, most)
  # The leading features come first.
  lines_picture(shown$at, shown$values, length(shown$leading), shown$labels, shown$wide, shown$sizes) +
    ggplot2::coord_cartesian(clip = "off") +
    ggplot2::labs(x = "number of features", y = shown$ylab, title = fit$method$label)
}

# A line for each row of values over `at`, the first `leading` in colour and named at their ends.
lines_picture <- function(at, values, leading, names, log, breaks = NULL) {
  last <- ncol(values)
  lines <- data.frame(feature = rep(seq_len(nrow(values)), last), at = rep(at, each = nrow(values)),
                      value = as.vector(values))
  front <- lines[lines$feature <= leading, ]
  front$colour <- factor(front$feature, seq_len(leading))
  colours <- distinct_colours(leading)
  heights <- values[seq_len(leading), last]
  ends <- data.frame(at = rep(max(at), leading), label = names, colour = factor(seq_len(leading)),
                     value = move_apart(heights, 0.06 * max(values, 0), max(values, 0)))
  first <- !duplicated(at)
  across <- if (log) ggplot2::scale_x_log10 else ggplot2::scale_x_continuous
  ggplot2::ggplot(lines, ggplot2::aes(.data$at, .data$value)) +
    ggplot2::geom_line(ggplot2::aes(group = .data$feature), colour = "grey85", linewidth = 0.3) +
    ggplot2::geom_line(ggplot2::aes(colour = .data$colour), front, linewidth = 0.7) +
    ggplot2::geom_point(ggplot2::aes(colour = .data$colour), front, size = 1) +
    ggplot2::geom_text(ggplot2::aes(label = .data$label, colour = .data$colour), ends, hjust = -0.15,
                       size = 3) +
    ggplot2::scale_colour_manual(values = colours, guide = "none") +
    across(breaks = if (is.null(breaks)) ggplot2::waiver() else at[first],
           labels = if (is.null(breaks)) ggplot2::waiver() else breaks[first],
           expand = ggplot2::expansion(c(0.05, 0.015)),
           guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    picture_theme(plot.margin = ggplot2::margin(5, 10 + 5.5 * max(0, nchar(names)), 5, 5),
                  panel.grid.major.x = ggplot2::element_blank())
}

autoplot_weights <- function(fit, k, most) {
  shown <- weight_bars(fit, k, most)
  bars <- data.frame(value = shown$values, row = rev(seq_along(shown$values)),
                     positive = factor(shown$values < 0, c(FALSE, TRUE)))
  ggplot2::ggplot(bars, ggplot2::aes(.data$value, .data$row, fill = .data$positive)) +
    ggplot2::geom_col(orientation = "y") +
    ggplot2::geom_vline(xintercept = 0) +
    ggplot2::scale_fill_manual(values = distinct_colours(2), guide = "none", drop = FALSE) +
    name_rows(bars$row, names(shown$values)) +
    ggplot2::labs(x = weight_axis(fit), y = NULL, title = shown$title) +
    picture_theme(panel.grid.major.y = ggplot2::element_blank(), axis.text.y = row_text(nrow(bars)))
}

name_rows <- function(at, labels, ...) {
  ggplot2::scale_y_continuous(breaks = at, labels = labels, expand = c(0, 0.3),
                              guide = ggplot2::guide_axis(check.overlap = TRUE), ...)
}

row_text <- function(rows) ggplot2::element_text(size = max(5, min(9, 220 / rows)))

autoplot_rounds <- function(fit, picked, field) {
  rounds <- round_values(fit, picked, field)
  groups <- unique(rounds$solution)
  rounds$label <- factor(rounds$solution, groups, fit$labels[groups])
  picture <- ggplot2::ggplot(rounds, ggplot2::aes(.data$round, .data$value, colour = .data$label)) +
    ggplot2::geom_line() +
    ggplot2::geom_point(ggplot2::aes(shape = .data$label)) +
    ggplot2::scale_colour_manual(values = round_colours(length(groups))) +
    ggplot2::scale_shape_manual(values = seq_along(groups) %% 7) +
    ggplot2::scale_x_continuous(breaks = function(limits) unique(round(pretty(limits)))) +
    ggplot2::labs(x = "round", y = round_axis(field), title = fit$method$label, colour = NULL, shape = NULL) +
    picture_theme(legend.position = if (length(groups) > 1) "right" else "none")
  if (field == "gap") picture + ggplot2::scale_y_log10() else picture
}

autoplot_heatmap <- function(fit, newdata, y, k, most) {
  shown <- heatmap_picture(fit, newdata, y, k, most)
  n <- nrow(shown$z)
  m <- ncol(shown$z)
  cells <- data.frame(observation = rep(seq_len(n), m) - 0.5, row = rep(m - seq_len(m) + 0.5, each = n),
                      z = as.vector(shown$z))
  bars <- heatmap_bars(fit, shown$y, shown$order)
  height <- if (is.matrix(shown$y)) max(m / 14, 0.5) else max(m / 25, 0.25)
  bars$bottom <- m + height * (0.3 + bars$bar)
  bars$top <- bars$bottom + height * 0.9
  labelled <- is.matrix(shown$y)
  at <- c(m - seq_len(m) + 0.5, if (labelled) m + height * (seq_along(fit$levels) - 0.25))
  ggplot2::ggplot(cells, ggplot2::aes(.data$observation, .data$row)) +
    ggplot2::geom_raster(ggplot2::aes(fill = .data$z)) +
    ggplot2::geom_rect(ggplot2::aes(xmin = .data$from, xmax = .data$to, ymin = .data$bottom,
                                    ymax = .data$top),
                       bars, fill = bars$colour, inherit.aes = FALSE) +
    bar_titles(fit, shown, n) +
    ggplot2::scale_fill_gradientn(colours = heatmap_colours(), limits = c(-1, 1) * largest_shown) +
    ggplot2::scale_y_continuous(breaks = at, labels = c(shown$labels, if (labelled) shorten(fit$levels)),
                                expand = c(0, 0)) +
    ggplot2::labs(y = NULL, title = shown$title, fill = "standard deviations\nfrom the mean") +
    picture_theme(panel.grid = ggplot2::element_blank(), panel.border = ggplot2::element_blank(),
                  axis.ticks = ggplot2::element_blank(), axis.text.y = row_text(m),
                  legend.position = "bottom")
}

# Names of the classes, or the range of y, as ticks of an axis on top.
bar_titles <- function(fit, shown, n) {
  names <- bar_names_of(fit, shown$y, shown$order)
  if (is.null(names)) {
    text <- if (is.matrix(shown$y)) NULL else paste("y from", small_range(shown$y))
    return(ggplot2::scale_x_continuous(text, breaks = NULL, expand = c(0, 0), position = "top"))
  }
  ggplot2::scale_x_continuous(NULL, breaks = names$at, labels = names$label, expand = c(0, 0),
                              position = "top", guide = ggplot2::guide_axis(check.overlap = TRUE))
}

# ggplot2 warns of contours of a value that the grid does not reach.
contour_layer <- function(grid, values, width, type = 1) {
  reached <- values[values > min(grid$f) & values < max(grid$f)]
  if (!length(reached)) return(NULL)
  ggplot2::geom_contour(ggplot2::aes(z = .data$f), grid, breaks = reached, colour = "black", linetype = type,
                        linewidth = width)
}

# Rasters of ggplot2 need pixels that are evenly spaced to 1e-6 whatever the units of the axes.
region_layer <- function(mapping, grid, ...) {
  fine <- max(abs(grid$a), abs(grid$b)) * .Machine$double.eps < 1e-7
  (if (fine) ggplot2::geom_raster else ggplot2::geom_tile)(mapping, grid, ...)
}

autoplot_boundary <- function(fit, newdata, y, k) {
  shown <- boundary_picture(fit, newdata, y, k)
  grid <- expand.grid(a = shown$a, b = shown$b, KEEP.OUT.ATTRS = FALSE)
  grid$class <- factor(fit$levels[boundary_region(fit, shown$f)], fit$levels)
  grid$f <- shown$f[, 1]
  colours <- structure(distinct_colours(length(fit$levels)), names = fit$levels)
  margins <- if (ncol(shown$f) == 1) list(contour_layer(grid, 0, 0.9), contour_layer(grid, c(-1, 1), 0.4, 2))
  near <- shown$points[shown$points$near, ]
  ggplot2::ggplot(shown$points, ggplot2::aes(.data$a, .data$b)) +
    region_layer(ggplot2::aes(fill = .data$class), grid, alpha = 0.22) +
    margins +
    ggplot2::geom_point(ggplot2::aes(colour = .data$class, shape = .data$class)) +
    (if (nrow(near)) ggplot2::geom_point(data = near, shape = 1, size = 3.5)) +
    ggplot2::scale_colour_manual(values = colours, drop = FALSE) +
    ggplot2::scale_fill_manual(values = colours, drop = FALSE, guide = "none") +
    ggplot2::scale_shape_manual(values = unique_marks(fit$levels), drop = FALSE) +
    ggplot2::coord_cartesian(expand = FALSE) +
    ggplot2::labs(x = shown$axes[1], y = shown$axes[2], title = fit$method$label, colour = NULL, shape = NULL,
                  caption = if (nrow(near)) "circles: on or beyond the margin") +
    picture_theme(panel.grid = ggplot2::element_blank(), legend.position = "top")
}

unique_marks <- function(levels) class_marks(factor(levels, levels))

#' Results of resampling with ggplot2
#'
#' `autoplot()` draws what `plot()` draws with base graphics: of [cv_zeronorm()] the mean loss with its
#' standard errors against the number of features, and both choices; of [stability_selection()] the shares of
#' the leading features; of [learning_curve()] the loss against the number of observations.
#'
#' @param object result of [cv_zeronorm()], [stability_selection()] or [learning_curve()].
#' @param type,newdata,y,s,nonzero,index,most as in [plot.zeronorm_cv()] or [plot.zeronorm_stability()].
#' @param ... unused, and an error if given.
#' @return A ggplot.
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' set.seed(1)
#' x <- matrix(rnorm(60 * 30), 60)
#' y <- factor(x[, 1] - x[, 2] + rnorm(60) > 0)
#' cv <- cv_zeronorm(x, y, arom("l2", nonzero = c(8, 4, 2, 1), errors = "l2"), folds = 5)
#' ggplot2::autoplot(cv)
#' @name autoplot.zeronorm_cv
NULL

#' @rdname autoplot.zeronorm_cv
#' @exportS3Method ggplot2::autoplot
autoplot.zeronorm_cv <- function(object, type = "error", newdata = NULL, y = NULL, s = "1se", nonzero = NULL,
                                 index = NULL, most = NULL, ...) {
  check_unused(...)
  check_result(object)
  need_package("ggplot2", "autoplot()")
  if (check_choice(type, "type", c("error", plot_types)) != "error") {
    at <- cv_picture_solutions(object, type, s, nonzero, index)
    return(autoplot.zeronorm(object$fit, type, newdata, y, index = at, most = most))
  }
  table <- object$summary
  table$solution <- seq_len(nrow(table))
  table <- table[!is.na(table$mean), , drop = FALSE]
  by_size <- length(unique(table$nonzero)) > 1
  table$at <- if (by_size) pmax(table$nonzero, 0.5) else table$solution
  at <- table$at[match(object$best, table$solution)]
  chosen <- data.frame(at = unique(at), label = vapply(unique(at), function(one) {
    paste(names(object$best)[at == one], collapse = ", ")
  }, ""))
  unit <- if (has_features(object$fit)) "number of features" else "number of support vectors"
  log <- by_size && max(table$at) > 20
  bar_picture(table, log, breaks = if (by_size) table$nonzero) +
    ggplot2::geom_vline(ggplot2::aes(xintercept = .data$at), chosen, linetype = 3) +
    ggplot2::geom_text(ggplot2::aes(x = .data$at, y = Inf, label = .data$label), chosen, vjust = 1.5,
                       hjust = -0.15, size = 3) +
    ggplot2::labs(x = if (by_size) unit else "solution", y = paste("cross-validated", measure_label(object)),
                  title = object$fit$method$label)
}

measure_label <- function(object) measure_table()[[object$measure]]$label

# Means with their standard errors; breaks: what is written at each `at`.
bar_picture <- function(table, log = FALSE, breaks = NULL) {
  table$se[is.na(table$se)] <- 0
  across <- if (log) ggplot2::scale_x_log10 else ggplot2::scale_x_continuous
  first <- !duplicated(table$at)
  ggplot2::ggplot(table, ggplot2::aes(.data$at, .data$mean)) +
    ggplot2::geom_line() +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$mean - .data$se, ymax = .data$mean + .data$se)) +
    ggplot2::geom_point(size = 2) +
    (if (!is.null(breaks)) across(breaks = table$at[first], labels = breaks[first],
                                  guide = ggplot2::guide_axis(check.overlap = TRUE))) +
    picture_theme(panel.grid.major.x = ggplot2::element_blank())
}

#' @rdname autoplot.zeronorm_cv
#' @exportS3Method ggplot2::autoplot
autoplot.zeronorm_curve <- function(object, ...) {
  check_unused(...)
  need_package("ggplot2", "autoplot()")
  table <- object$summary
  table$at <- table$train
  bar_picture(table) +
    ggplot2::labs(x = "observations in training", y = paste("held-out", measure_label(object)),
                  title = object$method$label)
}

#' @rdname autoplot.zeronorm_cv
#' @exportS3Method ggplot2::autoplot
autoplot.zeronorm_stability <- function(object, type = if (nrow(object$summary) > 1) "size" else "frequency",
                                        index = 1, most = NULL, ...) {
  check_unused(...)
  need_package("ggplot2", "autoplot()")
  type <- check_choice(type, "type", c("frequency", "size"))
  if (is.null(most)) most <- if (type == "size") 8 else 30
  most <- check_count(most, "most")
  if (type == "size") return(autoplot_shares(object, most))
  index <- check_row(index, object)
  autoplot_frequency(object, index, most)
}

autoplot_frequency <- function(object, index, most) {
  share <- object$frequency[, index]
  leading <- head(order(-share, seq_along(share)), most)
  leading <- leading[share[leading] > 0]
  threshold <- object$summary$threshold[index]
  bars <- data.frame(share = share[leading], row = rev(seq_along(leading)))
  bars$stable <- factor(bars$share >= threshold - 1e-12, c(TRUE, FALSE))
  ggplot2::ggplot(bars, ggplot2::aes(.data$share, .data$row, fill = .data$stable)) +
    ggplot2::geom_col(orientation = "y") +
    (if (!is.na(threshold)) ggplot2::geom_vline(xintercept = threshold, linetype = 3)) +
    ggplot2::scale_fill_manual(values = c(distinct_colours(1), "grey70"), guide = "none", drop = FALSE) +
    ggplot2::scale_x_continuous(limits = c(0, 1), expand = c(0, 0.01)) +
    name_rows(bars$row, shorten(rownames(object$frequency)[leading])) +
    ggplot2::labs(x = "share of resamples", y = NULL, title = object$method$label) +
    picture_theme(panel.grid.major.y = ggplot2::element_blank(), axis.text.y = row_text(nrow(bars)))
}

autoplot_shares <- function(object, most) {
  size <- object$summary$mean_size
  order <- order(size)
  share <- as.matrix(object$frequency[, order, drop = FALSE])
  leading <- head(order(-rowMeans(share)), most)
  rest <- head(setdiff(which(rowSums(share) > 0), leading), 500)
  lines_picture(size[order], share[c(leading, rest), , drop = FALSE], length(leading),
                shorten(rownames(share)[leading]), max(size) > 20) +
    ggplot2::coord_cartesian(ylim = c(0, 1), clip = "off") +
    ggplot2::labs(x = "mean number of features", y = "share of resamples", title = object$method$label)
}
