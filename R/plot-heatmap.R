# The selected features of a solution on data: features in rows, observations in columns, and over these
# bars of their classes.

largest_shown <- 2.5

# list(z: observations x features, standardised and cut; labels: of the features; y: as known_labels() has it;
# order: of the observations; title).
heatmap_picture <- function(fit, newdata, y, k, most) {
  check_features(fit)
  data <- picture_data(fit, newdata, y)
  columns <- feature_columns(fit, k)
  if (!length(columns)) stop_zeronorm("x", "selects no feature in this solution.", "Choose another index.")
  link <- as.matrix(predict(fit, newdata, "link", index = k))
  shown <- head(columns, most)
  order <- heatmap_order(fit, data$y, link)
  values <- fit_columns(fit, data$x, shown)
  values <- as.matrix(values)[order, , drop = FALSE]
  check_finite(values)
  list(z = standard_scores(values), labels = shorten(plain_labels(fit)[shown]), y = data$y, order = order,
       title = heatmap_title(fit, length(shown), length(columns)))
}

heatmap_title <- function(fit, shown, total) {
  paste0(fit$method$label, ", ", plural(total, "feature"), if (shown < total) paste0(" (", shown, " shown)"))
}

# Features behind a solution, the most important first.
feature_columns <- function(fit, k) {
  used <- used_features(fit, k)
  used$column[order(-used$importance, used$column)]
}

plain_labels <- function(fit) if (is.null(fit$features)) as.character(seq_len(fit$d)) else fit$features

# Data a picture is drawn of: x as columns, y as the fit knows it.
picture_data <- function(fit, newdata, y) {
  if (is.null(newdata)) stop_without_data("newdata", "Give data, such as those the fit was made of.")
  x <- encode_newdata(newdata, fit$encoding)
  list(x = x, y = known_labels(fit, labels_beside(fit, newdata, y), nrow(x)))
}

# A factor with the levels of the fit; of several labels a 0/1 matrix; in regression numbers.
known_labels <- function(fit, y, n) {
  if (NROW(y) != n) {
    stop_zeronorm("y", paste("has", NROW(y), "labels but `newdata` has", n, "rows."), "Give one for every row.")
  }
  if (fit$task == "multi-label") {
    y <- as.matrix(y)
    if (ncol(y) != length(fit$levels) || !all(y %in% c(0, 1))) {
      stop_zeronorm("y", paste0("is ", describe(y), "."), "Use a 0/1 matrix with a column for every label.")
    }
    return(structure(y + 0, dimnames = list(NULL, fit$levels)))
  }
  if (fit$task == "regression") return(check_numbers(as.vector(y), "y", lower = -Inf))
  known <- factor(as.character(as.vector(y)), levels = fit$levels)
  unknown <- setdiff(unique(as.character(as.vector(y))), fit$levels)
  if (length(unknown)) {
    stop_zeronorm("y", paste0("has the label ", enumerate(unknown), ", unknown to the fit."),
                  paste0("Known are ", enumerate(fit$levels), "."))
  }
  known
}

# By class, then by its decision value where there is one; rows keep their order among equals.
heatmap_order <- function(fit, y, link) {
  if (fit$task == "regression") return(order(y))
  if (fit$task == "multi-label") return(do.call(order, c(lapply(seq_len(ncol(y)), function(j) -y[, j]))))
  if (!is.null(fit$pairs)) return(order(y))
  own <- if (ncol(link) == 1) link[, 1] else link[cbind(seq_along(y), as.integer(y))]
  order(y, signif(own, 9))  # support vectors share a value, but for rounding
}

# Columns centred and scaled, within +-largest_shown; a constant column is 0.
standard_scores <- function(values) {
  values <- sweep(values, 2, colMeans(values))
  spread <- sqrt(colSums(values^2) / max(1, nrow(values) - 1))
  values <- sweep(values, 2, ifelse(spread > 0, spread, 1), "/")
  pmin(pmax(values, -largest_shown), largest_shown)
}

heatmap_colours <- function() hcl.colors(101, "Blue-Red 3")

# Bars above the heatmap: a data frame of rectangles over the observations `from` to `to`, with the number of
# the bar (0 the lowest) and a colour.
heatmap_bars <- function(fit, y, order) {
  if (is.matrix(y)) {
    bars <- lapply(seq_len(ncol(y)), function(j) {
      bar_runs(y[order, j], c("grey85", distinct_colours(ncol(y))[j])[1 + y[order, j]], j - 1)
    })
    return(do.call(rbind, bars))
  }
  if (is.factor(y)) return(bar_runs(as.integer(y[order]), distinct_colours(nlevels(y))[y[order]], 0))
  shade <- hcl.colors(101, "viridis")[1 + round(100 * (y[order] - min(y)) / max(max(y) - min(y), 1e-300))]
  bar_runs(seq_along(y), shade, 0)
}

bar_runs <- function(value, colour, bar) {
  runs <- rle(as.vector(value))
  to <- cumsum(runs$lengths)
  data.frame(from = to - runs$lengths, to = to, bar = bar, colour = colour[to])
}

# What is written over the bar of classes: text, place, colour.
bar_names_of <- function(fit, y, order) {
  if (!is.factor(y)) return(NULL)
  bars <- heatmap_bars(fit, y, order)
  present <- levels(y)[sort(unique(as.integer(y)))]
  data.frame(at = (bars$from + bars$to) / 2, label = shorten(present, 20), colour = bars$colour)
}

plot_heatmap <- function(fit, newdata, y, k, most, ...) {
  size <- bar_names(most, margin_lines = 5.5)
  shown <- heatmap_picture(fit, newdata, y, k, min(most, size$most))
  size <- bar_names(ncol(shown$z), margin_lines = 5.5)
  n <- nrow(shown$z)
  m <- ncol(shown$z)
  bars <- heatmap_bars(fit, shown$y, shown$order)
  count <- max(bars$bar) + 1
  height <- bar_height(m, count)
  left <- if (is.matrix(shown$y)) c(shown$labels, fit$levels) else shown$labels
  with_margins(mar = c(3, 1.2 + name_width(left, size$cex), 3.5, 1), plot = {
    plot_with(plot, list(x = c(0, n), y = c(0, m + height * (count + 0.3)), type = "n", axes = FALSE,
                         xlab = "", ylab = "", main = "", xaxs = "i", yaxs = "i"), ...)
    if (is.null(list(...)$main)) heading(shown$title, 1.9)
    image(seq(0, n), seq(0, m), shown$z[, m:1, drop = FALSE], add = TRUE, col = heatmap_colours(),
                    zlim = c(-1, 1) * largest_shown, useRaster = TRUE)
    floor <- m + height * (0.3 + bars$bar)
    rect(bars$from, floor, bars$to, floor + height * 0.9, col = bars$colour, border = NA)
    mtext(rev(shown$labels), side = 2, at = seq_len(m) - 0.5, las = 1, line = 0.3,
          cex = size$cex * par("cex"))
    name_bars(fit, shown, m + height * (0.75 + seq_len(count) - 1), size$cex)
    colour_key(n)
  })
  invisible(structure(shown$z, dimnames = list(shown$order, shown$labels)))
}

# Of each of `count` bars, in rows of a heatmap of m rows: high enough for a name where there are several.
bar_height <- function(m, count) {
  line <- par("mai")[1] / par("mar")[1]
  bar <- if (count > 1) 0.9 * line else 0.6 * line
  m * bar / max(par("fin")[2] - 6.5 * line - bar * (count + 0.3), bar)
}

name_bars <- function(fit, shown, heights, cex) {
  if (is.matrix(shown$y)) {
    mtext(shorten(fit$levels), side = 2, at = heights, las = 1, line = 0.3, cex = cex * par("cex"))
    return(invisible())
  }
  names <- bar_names_of(fit, shown$y, shown$order)
  if (is.null(names)) return(mtext(paste("y from", small_range(shown$y)), side = 3, line = 0.2, adj = 0))
  names$label[strwidth(names$label, cex = 0.9) > room_for(names, nrow(shown$z))] <- ""
  mtext(names$label, side = 3, at = names$at, line = 0.2, cex = 0.9 * par("cex"), col = names$colour)
}

small_range <- function(y) paste(format(range(y), digits = 3, trim = TRUE), collapse = " to ")

# Width around the middle of each class up to those of its neighbours.
room_for <- function(names, n) {
  middle <- c(-names$at[1], names$at, 2 * n - names$at[nrow(names)])
  pmin(diff(middle)[-1], diff(middle)[-length(diff(middle))])
}

# A strip of the colours below the heatmap, a third of its width.
colour_key <- function(n) {
  usr <- par("usr")
  line <- (usr[4] - usr[3]) * par("csi") * par("cex") / par("pin")[2]
  at <- seq(0, n / 3, length.out = 102)
  rect(at[-102], usr[3] - 1.2 * line, at[-1], usr[3] - 0.5 * line, col = heatmap_colours(), border = NA,
                 xpd = NA)
  text(c(0, n / 6, n / 3), usr[3] - 1.9 * line, c(-largest_shown, 0, largest_shown), cex = 0.8, xpd = NA)
  meaning <- "  standard deviations from the mean"
  text(n / 3, usr[3] - 0.85 * line, meaning, adj = c(0, 0.5), xpd = NA,
                 cex = min(0.8, (usr[2] - n / 3) / strwidth(meaning)))
}
