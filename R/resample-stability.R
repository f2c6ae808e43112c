#' Stability of a selection
#'
#' Repeats a selection on random halves of the observations and counts how often each feature is selected. Use
#' it to report how far a list of features would be the same for other patients, and to bound how many of its
#' features are there by chance. Halves are drawn without replacement, with the classes in their proportions
#' and, with `block`, of whole blocks. With complementary pairs (Shah and Samworth 2013) every half is used
#' beside the other one.
#'
#' The stable features are those selected in a share of at least `threshold` of the resamples. With q features
#' selected on average of d, the expected number of features among them that a single selection picks no more
#' often than chance (with probability at most q/d) is at most
#' \deqn{\frac{q^2}{(2 \cdot threshold - 1) \, d}}
#' (Meinshausen and Buehlmann 2010, who call it the per-family error rate; for complementary pairs it holds
#' without their assumption of exchangeability). `assumption = "unimodal"` has the sharper bound of Shah and
#' Samworth for distributions of the pairs' shares that have one peak.
#'
#' The stability of the selections as sets is Nogueira's index, 1 for the same set every time and 0 for
#' random sets,
#' \deqn{1 - \frac{\frac1d \sum_j \frac{M}{M - 1} p_j (1 - p_j)}{\frac{\bar k}{d}(1 - \frac{\bar k}{d})}}
#' with the shares \eqn{p_j} over M resamples and the mean number \eqn{\bar k} of features, with its
#' asymptotic confidence interval.
#'
#' Features that are `unpenalized`, and covariates of a Bioconductor formula, are in every model and selected
#' in none: they count neither in the shares, nor in q and d. Features named in `keep` do count.
#'
#' @inheritParams cv_zeronorm
#' @param method a method object with one solution, or a path: each solution is counted by itself. NULL:
#'   [arom()] with 20 features, or with half of them where there are fewer than 40.
#' @param resamples number of halves; of complementary pairs both count.
#' @param complementary whether halves come in pairs.
#' @param fraction share of the observations in a resample; complementary pairs need one half.
#' @param block observations of the same value, such as samples of the same patient, stay in the same half.
#' @param threshold share of resamples from which on a feature counts as stable, above one half.
#' @param pfer in place of `threshold`: the smallest threshold whose bound is at most this.
#' @param assumption `"none"` or `"unimodal"`.
#' @param level of the confidence interval of the index.
#' @return An object of class `zeronorm_stability`: `$frequency`, features that can be selected x solutions;
#'   `$summary`, a row for each solution with the mean number of features, the index and its interval, the
#'   number of stable features and the bound; [selected()] gives the stable features of a solution, the most
#'   frequent first.
#' @references
#' Meinshausen, N. and Buehlmann, P. (2010). Stability selection. *JRSS B* 72, 417-473.
#'
#' Shah, R. D. and Samworth, R. J. (2013). Variable selection with error control: another look at stability
#' selection. *JRSS B* 75, 55-80.
#'
#' Nogueira, S., Sechidis, K. and Brown, G. (2018). On the stability of feature selection algorithms. *JMLR*
#' 18, 1-54.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 100), 60)
#' y <- factor(x[, 1] - x[, 2] + rnorm(60) / 2 > 0)
#' stable <- stability_selection(x, y, arom("l2", nonzero = 5, errors = "l2"), resamples = 50)
#' stable
#' selected(stable)
#' plot(stable)
#' @export
stability_selection <- function(x, ...) {
  if (missing(x)) without_x(stability_selection.formula, ...) else UseMethod("stability_selection")
}

#' @rdname stability_selection
#' @export
stability_selection.default <- function(x, y, method = NULL, resamples = 100, complementary = TRUE,
                                        fraction = 0.5, block = NULL, threshold = 0.75, pfer = NULL,
                                        assumption = "none", level = 0.95, weights = NULL, checkpoint = NULL,
                                        BPPARAM = NULL, ...) {
  request <- request_or_default(x, y, method, weights = weights, block = block, ..., share = 0.5)
  resamples <- check_count(resamples, "resamples", lower = 2)
  threshold <- check_number(threshold, "threshold", lower = 0.5, upper = 1, open_lower = TRUE)
  fraction <- check_number(fraction, "fraction", upper = 1, open_lower = TRUE)
  if (!is.null(pfer)) pfer <- check_number(pfer, "pfer", open_lower = TRUE)
  level <- check_level(level)
  if (check_flag(complementary, "complementary") && fraction != 0.5) {
    stop_zeronorm("fraction", paste0("is ", fraction, " with complementary pairs, which are halves."),
                  "Use complementary = FALSE.")
  }
  assumption <- check_choice(assumption, "assumption", c("none", "unimodal"))
  if (assumption == "unimodal" && !complementary) {
    stop_zeronorm("assumption", "is \"unimodal\", whose bound is one for complementary pairs.",
                  "Use complementary = TRUE.")
  }
  fit <- fit_request(request)
  check_features(fit)
  fit$seconds <- NA_real_
  solutions <- nrow(fit$certificate)
  request <- with_path_of(request, fit)
  tasks <- draw_streams(half_tasks(request, resamples, complementary, fraction))
  tasks <- open_checkpoint(checkpoint, what_is_run("stability_selection", request, resamples = resamples,
                                                   complementary = complementary, fraction = fraction), tasks)
  work <- function(task) {
    part <- fit_request(take_rows(request, task$train))
    if (nrow(part$certificate) != solutions) stop("the path has other solutions than on all data")
    list(sets = lapply(seq_len(solutions), function(k) selectable_features(part, k)$column))
  }
  sets <- Filter(Negate(is.null), values_of(run_tasks(tasks, work, checkpoint, BPPARAM), "resamples"))
  new_stability(fit, sets, request$method, threshold, pfer, assumption, complementary, level, fraction,
                !is.null(request$block))
}

#' @rdname stability_selection
#' @export
stability_selection.formula <- function(x, data = NULL, method = NULL, ...) {
  stability_selection.default(formula_source(x, data), method = method, ...)
}

# Random parts of the observations, of whole blocks, and the rest beside each where pairs are complementary.
half_tasks <- function(request, resamples, complementary, fraction) {
  class <- request$labels$class
  parts <- list()
  while (length(parts) < resamples) {
    half <- draw_share(class, request$block, fraction)
    parts <- c(parts, list(half), if (complementary) list(setdiff(seq_along(class), half)))
  }
  lapply(seq_len(resamples), function(k) list(run = k, fold = 1L, train = parts[[k]]))
}

new_stability <- function(fit, sets, method, threshold, pfer, assumption, complementary, level, fraction,
                          blocked) {
  frequency <- selection_frequency(sets, fit)
  able <- selectable_columns(fit)
  d <- length(able)
  m <- length(sets)
  rows <- lapply(seq_len(ncol(frequency)), function(s) {
    chosen <- lapply(sets, function(one) match(one$sets[[s]], able))
    q <- mean(lengths(chosen))
    used <- if (is.null(pfer)) threshold else smallest_threshold(pfer, q, d, m, assumption)
    data.frame(mean_size = q, nogueira(chosen, d, level), threshold = used,
               stable = if (is.na(used)) 0L else sum(frequency[, s] >= used - 1e-12),
               expected_false = if (is.na(used)) NA_real_ else false_bound(used, q, d, m, assumption))
  })
  summary <- data.frame(tuning_table(fit), do.call(rbind, rows), check.names = FALSE, row.names = NULL)
  new_result(list(
    method = method, frequency = frequency, summary = summary, resamples = m, complementary = complementary,
    fraction = fraction, blocked = blocked, assumption = assumption, level = level,
    positions = if (is.null(fit$features)) able
  ), "zeronorm_stability")
}

# Nogueira's index of the sets with its confidence interval. O(total size).
nogueira <- function(sets, d, level = 0.95) {
  m <- length(sets)
  p <- tabulate(unlist(sets), d) / m
  sizes <- lengths(sets)
  share <- mean(sizes) / d
  spread <- share * (1 - share)
  if (spread == 0) return(data.frame(index = NA_real_, lower = NA_real_, upper = NA_real_))
  index <- 1 - m / (m - 1) * mean(p * (1 - p)) / spread
  hits <- vapply(sets, function(set) sum(p[set]), 0) / d
  each <- (hits - sizes * share / d + index / 2 * (2 * sizes * share / d - sizes / d - share + 1)) / spread
  half <- stats::qnorm((1 + level) / 2) * sqrt(4 / m^2 * sum((each - mean(each))^2))
  data.frame(index = index, lower = index - half, upper = min(1, index + half))
}

# Expected number of stable features that are no better than chance.
false_bound <- function(threshold, q, d, resamples, assumption) {
  plain <- q^2 / d / (2 * threshold - 1)
  if (assumption == "none") return(plain)
  pairs <- resamples / 2
  theta <- q / d
  if (threshold <= min(0.5 + theta^2, 0.5 + 1 / (2 * pairs) + 0.75 * theta^2)) return(plain)
  share <- if (threshold <= 0.75) 1 / (2 * (2 * threshold - 1 - 1 / (2 * pairs)))
           else 4 * (1 - threshold + 1 / (2 * pairs)) / (1 + 1 / pairs)
  min(plain, share * theta * q)
}

# NA where none is small enough.
smallest_threshold <- function(pfer, q, d, resamples, assumption) {
  shares <- seq_len(resamples) / resamples
  shares <- shares[shares > 0.5]
  fine <- vapply(shares, function(share) false_bound(share, q, d, resamples, assumption) <= pfer, NA)
  if (any(fine)) shares[fine][1] else NA_real_
}

#' @rdname stability_selection
#' @param object,index result, and number of the solution, a row of its summary.
#' @export
selected.zeronorm_stability <- function(object, index = 1, ...) {
  check_unused(...)
  index <- check_row(index, object)
  share <- object$frequency[, index]
  used <- object$summary$threshold[index]
  stable <- if (is.na(used)) integer() else which(share >= used - 1e-12)
  stable <- unname(stable[order(-share[stable], stable)])
  if (is.null(object$positions)) rownames(object$frequency)[stable] else object$positions[stable]
}

# Not within the brackets of a sparse matrix, whose dispatch makes another error of this one.
check_row <- function(index, object) {
  index <- check_count(index, "index")
  if (index <= nrow(object$summary)) return(index)
  stop_zeronorm("index", paste0("is ", index, "."), paste0("Use a number up to ", nrow(object$summary), "."))
}

#' @export
print.zeronorm_stability <- function(x, digits = 3, ...) {
  kind <- if (x$complementary) "halves in complementary pairs" else paste0("parts of ",
                                                                           format(100 * x$fraction), " %")
  writeLines(c(header_lines("zeronorm_stability", x$method),
               indented(x$resamples, " ", kind, if (x$blocked) " of whole blocks", ", ", nrow(x$frequency),
                        " features")))
  print(x$summary, digits = digits, row.names = FALSE)
  if (nrow(x$summary) == 1) writeLines(indented("stable: ", name_some(selected(x))))
  invisible(x)
}

#' @rdname stability_selection
#' @param type `"frequency"`: the shares of the leading features of one solution; `"size"`: the shares of the
#'   leading features against the number of features, where there is a path.
#' @param most number of features shown.
#' @export
plot.zeronorm_stability <- function(x, type = if (nrow(x$summary) > 1) "size" else "frequency", index = 1,
                                    most = NULL,
                                    ...) {
  type <- check_choice(type, "type", c("frequency", "size"))
  if (type == "size") return(plot_shares(x, if (is.null(most)) 8 else check_count(most, "most"), ...))
  index <- check_row(index, x)
  share <- x$frequency[, index]
  size <- bar_names(min(sum(share > 0), if (is.null(most)) 30 else check_count(most, "most")))
  leading <- rev(head(order(-share, seq_along(share)), size$most))
  labels <- shorten(rownames(x$frequency)[leading])
  threshold <- x$summary$threshold[index]
  with_margins(mar = c(4.5, 1.5 + name_width(labels, size$cex), 2, 1), plot = {
    middle <- plot_with(barplot, list(height = share[leading], axisnames = FALSE, horiz = TRUE, las = 1,
                            xlim = c(0, 1), xlab = "share of resamples", border = NA, main = x$method$label,
                            col = ifelse(share[leading] >= threshold, distinct_colours(1), "grey70")), ...)
    mtext(labels, side = 2, at = middle, las = 1, line = 0.3, cex = size$cex * par("cex"))
    abline(v = threshold, lty = 3)
  })
  invisible(share[rev(leading)])
}

plot_shares <- function(x, most, ...) {
  size <- x$summary$mean_size
  order <- order(size)
  share <- as.matrix(x$frequency[, order, drop = FALSE])
  leading <- head(order(-rowMeans(share)), most)
  colours <- distinct_colours(length(leading))
  labels <- shorten(rownames(share)[leading])
  with_margins(mar = c(4.5, 4.5, 2, 1.5 + name_width(labels, 0.75)), plot = {
    plot_with(plot, list(x = range(size), y = c(0, 1), type = "n", log = if (max(size) > 20) "x" else "",
                         las = 1, xlab = "mean number of features", ylab = "share of resamples",
                         main = x$method$label), ...)
    rest <- setdiff(which(rowSums(share) > 0), leading)
    if (length(rest)) matlines(size[order], t(share[head(rest, 500), , drop = FALSE]), lty = 1,
                               col = "grey85", lwd = 0.5)
    for (k in seq_along(leading)) {
      lines(size[order], share[leading[k], ], type = "o", pch = k %% 7, cex = 0.6, lwd = 1.6,
            col = colours[k])
    }
    name_lines(share[leading, ncol(share)], labels, colours)
  })
  invisible(share[leading, , drop = FALSE])
}
