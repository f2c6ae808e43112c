# The regions of the classes where a solution uses two features.

# list(axes: names of both features; points: data frame a, b, class, near; grid: a, b, and f, a matrix with a
# column for each output; levels).
boundary_picture <- function(fit, newdata, y, k, resolution = 200) {
  if (!fit$task %in% c("two-class", "k-class")) {
    stop_zeronorm("type", paste0("\"boundary\" needs classes, and the fit is of ", fit$task, "."),
                  "Try \"weights\" or \"heatmap\".")
  }
  data <- picture_data(fit, newdata, y)
  axes <- boundary_axes(fit, k)
  x <- as.matrix(fit_columns(fit, data$x, axes))
  check_finite(x)
  sides <- lapply(1:2, function(j) seq_over(x[, j], resolution))
  grid <- grid_rows(fit, axes, sides)
  f <- as.matrix(predict(fit, grid, "link", index = k))
  list(axes = plain_labels(fit)[axes], a = sides[[1]], b = sides[[2]], f = f,
       points = data.frame(a = x[, 1], b = x[, 2], class = data$y,
                           near = on_margin(fit, predict(fit, newdata, "link", index = k), data$y)))
}

# The two features that decide; where it is one, the first other goes with it.
boundary_axes <- function(fit, k) {
  if (is_kernel_machine(fit) && isTRUE(fit$machine$kernel$kind == "matrix")) {
    stop_zeronorm("x", "is fitted to a kernel matrix, which has no features.", "Draw another fit.")
  }
  used <- if (has_features(fit)) sort(feature_columns(fit, k)) else seq_len(fit$d)
  if (length(used) > 2 || fit$d < 2) {
    stop_zeronorm("x", paste0("uses ", plural(length(used), "feature"), " in this solution."),
                  "\"boundary\" needs two: fit with nonzero = 2, or on two columns.")
  }
  sort(head(c(used, setdiff(1:2, used)), 2))
}

seq_over <- function(values, resolution) {
  reach <- range(values)
  reach <- reach + c(-0.06, 0.06) * (if (reach[1] < reach[2]) diff(reach) else max(1, abs(reach[1])))
  seq(reach[1], reach[2], length.out = resolution)
}

# All pairs as new rows, the other features empty.
grid_rows <- function(fit, axes, sides) {
  pairs <- expand.grid(sides, KEEP.OUT.ATTRS = FALSE)
  rows <- nrow(pairs)
  sparseMatrix(i = rep(seq_len(rows), 2), j = rep(axes, each = rows), x = unlist(pairs, use.names = FALSE),
               dims = c(rows, fit$d), dimnames = list(NULL, fit$features))
}

# Observations with y f(x) <= 1, where slacks are hinges.
on_margin <- function(fit, f, y) {
  hinge <- fit$method$model$loss %in% c("hinge", "squared_hinge")
  if (!hinge || fit$task != "two-class") return(rep(FALSE, length(y)))
  f * ifelse(as.integer(y) == 2, 1, -1) <= 1 + 1e-6
}

# Colours of the classes as points and, lighter, as regions.
region_colours <- function(colours) adjustcolor(colours, alpha.f = 0.22)

boundary_region <- function(fit, f) {
  if (is.null(fit$outputs)) 1L + (f[, 1] > 0) else predicted_code(f, fit$pairs)
}

plot_boundary <- function(fit, newdata, y, k, ...) {
  shown <- boundary_picture(fit, newdata, y, k)
  points <- shown$points
  size <- c(length(shown$a), length(shown$b))
  colours <- distinct_colours(length(fit$levels))
  with_margins(mar = c(4.5, 4.5, 3.5, 1), plot = {
    plot_with(plot, list(x = range(shown$a), y = range(shown$b), type = "n", xaxs = "i", yaxs = "i", las = 1,
                         xlab = shown$axes[1], ylab = shown$axes[2], main = ""), ...)
    if (is.null(list(...)$main)) heading(fit$method$label, 2)
    region <- matrix(boundary_region(fit, shown$f), size[1])
    image(shown$a, shown$b, region, add = TRUE, col = region_colours(colours),
                    breaks = seq_len(length(colours) + 1) - 0.5, useRaster = TRUE)
    # contour() warns of a function without any slope.
    if (ncol(shown$f) == 1 && min(shown$f) < max(shown$f)) {
      contour(shown$a, shown$b, matrix(shown$f, size[1]), levels = -1:1, lty = c(2, 1, 2),
                        lwd = c(1, 2, 1), drawlabels = FALSE, add = TRUE)
    }
    points(points$a, points$b, pch = class_marks(points$class), col = colours[points$class])
    near <- points[points$near, ]
    if (nrow(near)) points(near$a, near$b, pch = 1, cex = 1.9)
    names_above(fit, colours, nrow(near) > 0)
  })
  invisible(points)
}

class_marks <- function(class) rep_len(c(16, 17, 15, 18, 3, 4, 8), nlevels(class))[class]

# The key of classes in the upper margin, as large as fits.
names_above <- function(fit, colours, circled) {
  marks <- unique_marks(fit$levels)
  reach <- grconvertX(0:1, "nfc", "user")
  key <- function(cex, ...) {
    legend(x = mean(reach), y = par("usr")[4], xjust = 0.5, yjust = 0, xpd = NA, horiz = TRUE, bty = "n",
           legend = c(shorten(fit$levels), if (circled) "in the margin"),
           col = c(colours, if (circled) "black"), pch = c(marks, if (circled) 1), cex = cex, ...)
  }
  key(min(0.9, 0.9 * diff(reach) / key(0.9, plot = FALSE)$rect$w))
}
