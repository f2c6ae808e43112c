# What to do about a machine that failed for the sake of the numbers in y and x: the first thing found wrong
# with them, or general advice. Looks at the data only once a fit has failed.
failure_advice <- function(problem, settings) {
  general <- "Try another engine, or other settings in zeronorm_control()."
  if (identical(problem$task, "regression") && settings$intercept) {
    y <- problem$y[counted_rows(problem)]
    ratio <- abs(mean(y)) / sqrt(mean((y - mean(y))^2))
    if (is.finite(ratio) && ratio > 1e7) {
      return(paste0("The mean of `y` is ", signif(ratio, 1), " times its spread: subtract it."))
    }
  }
  x <- problem$x
  if (is_delayed(x) || !is.null(problem$machine) || !length(x) || length(x) > 2e7) return(general)
  x <- as.matrix(x)[counted_rows(problem), , drop = FALSE]
  means <- colMeans(x)
  z <- sweep(x, 2, means)
  spread <- sqrt(colMeans(z^2))
  # What is left of a constant is rounding.
  varies <- which(spread > 1e-14 * sqrt(nrow(x)) * abs(means))
  if (!length(varies)) return(general)
  far <- varies[which.max(abs(means[varies]) / spread[varies])]
  centred <- settings$intercept && is.matrix(problem$x)
  label <- function(j) if (is.null(problem$names)) j else paste0("'", problem$names[j], "'")
  if (!centred && abs(means[far]) > 1e5 * spread[far]) {
    return(paste0("The mean of column ", label(far), " is ", signif(abs(means[far]) / spread[far], 1),
                  " times its spread: subtract such means from columns of `x`."))
  }
  if (!settings$standardize && max(spread[varies]) > 1e6 * min(spread[varies])) {
    ratio <- signif(max(spread[varies]) / min(spread[varies]), 1)
    return(paste0("Columns of `x` differ by a factor of ", ratio,
                  ": use standardize = TRUE, or other units."))
  }
  twins <- nearest_columns(sweep(z[, varies, drop = FALSE], 2, spread[varies], "/"))
  if (is.null(twins)) return(general)
  pair <- varies[twins$pair]
  paste0("Columns ", label(pair[1]), " and ", label(pair[2]), " of `x` are the same to ", twins$digits,
         " digits: leave one of them out.")
}

# list(pair, digits): of standardised columns two that differ in late digits alone, up to units and sign, but
# do differ. NULL where there are none.
nearest_columns <- function(z) {
  d <- ncol(z)
  if (d < 2 || d > 2000) return(NULL)
  products <- crossprod(z) / nrow(z)
  products[lower.tri(products, diag = TRUE)] <- 0
  near <- which(abs(products) > 1 - 1e-8, arr.ind = TRUE)
  if (!nrow(near)) return(NULL)
  # Inner products have lost what the differences still have.
  apart <- numeric(nrow(near))
  for (from in seq(1, nrow(near), by = 1000)) {
    k <- from:min(from + 999, nrow(near))
    turned <- sweep(z[, near[k, 2], drop = FALSE], 2, sign(products[near[k, , drop = FALSE]]), "*")
    apart[k] <- sqrt(colMeans((z[, near[k, 1], drop = FALSE] - turned)^2))
  }
  # Columns that are equal but for rounding are no trouble.
  apart[apart < 1e-14] <- Inf
  best <- which.min(apart)
  if (!is.finite(apart[best])) return(NULL)
  list(pair = unname(near[best, ]), digits = as.integer(floor(-log10(apart[best]))))
}
