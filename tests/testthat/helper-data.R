# Gaussian features with names; the first two carry the label. The caller's random stream is left alone.
planted <- function(n = 40, d = 30, noise = 0, seed = 1) {
  with_stream(seed, {
    x <- matrix(rnorm(n * d), n, d, dimnames = list(NULL, paste0("g", seq_len(d))))
    f <- 2 * x[, 1] - 2 * x[, 2] + noise * rnorm(n)
    list(x = x, y = factor(ifelse(f > stats::median(f), "up", "down"), levels = c("down", "up")))
  })
}

with_stream <- function(seed, code) {
  old <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (is.null(old)) rm(".Random.seed", envir = globalenv())
          else assign(".Random.seed", old, globalenv()))
  set.seed(seed)
  code
}

# Two clouds with a gap along the first feature: separable with room.
separated <- function(n = 40, d = 10, seed = 1) {
  data <- planted(n, d, seed = seed)
  positive <- data$y == "up"
  data$x[, 1] <- abs(data$x[, 1]) + 1
  data$x[!positive, 1] <- -data$x[!positive, 1]
  data
}

expect_zeronorm_error <- function(object, argument, pattern = NULL) {
  error <- expect_error(object, class = "zeronorm_error")
  expect_identical(error$argument, argument)
  expect_match(conditionMessage(error), paste0("`", argument, "`"), fixed = TRUE)
  if (!is.null(pattern)) expect_match(conditionMessage(error), pattern)
  invisible(error)
}

# Three classes told apart by features 1 and 2; the rest is noise.
three_clouds <- function(n = 30, d = 10, shift = 4, seed = 1) {
  with_stream(seed, {
    class <- rep_len(1:3, n)
    x <- matrix(rnorm(n * d), n, d, dimnames = list(NULL, paste0("g", seq_len(d))))
    for (k in 1:2) x[, k] <- x[, k] + shift * (class == k)
    list(x = x, y = factor(c("a", "b", "c")[class]))
  })
}

# Labels of two features and noise.
gene_data <- function(n = 40, d = 30, seed = 1) {
  with_stream(seed, {
    x <- matrix(rnorm(n * d), n, dimnames = list(NULL, paste0("g", seq_len(d))))
    list(x = x, y = factor(ifelse(x[, 1] - x[, 2] + rnorm(n) / 2 > 0, "tumour", "normal")))
  })
}

# Methods with folds get them.
fit_of <- function(method, data) {
  foldid <- if (length(method$folds)) rep_len(1:5, nrow(data$x))
  zeronorm(data$x, data$y, method, foldid = foldid)
}

# Features with a coefficient, unpenalised ones included.
in_model <- function(fit, ...) names(which(coef(fit, ...)[-1] != 0))
