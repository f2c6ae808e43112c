# Claim: at every size the engine that `auto` chooses for an l2 SVM takes at most twice the time of the better of
# `newton`, which multiplies with x, and `dual`, which works on the n x n matrix of inner products. The sizes at which
# one takes over from the other are in src/core/engines/sizes.h; the rows here lie on both sides of each.
#
# Classes are normal with 20 columns shifted, C = 0.1, standardised columns, tolerance 1e-8.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
sizes <- rbind(
  expand.grid(loss = "hinge", n = c(400, 600, 1400, 1700, 3800, 4500), share = c(0.1, 0.2, 0.3, 0.9, 1.2)),
  expand.grid(loss = "squared_hinge", n = c(400, 600, 900, 1200), share = c(0.1, 0.4, 0.6, 1.2))
)

time_with <- function(data, loss, engine) {
  run <- function() zeronorm(data$x, data$y, l2_svm(C = 0.1, loss = loss), standardize = FALSE, engine = engine)
  grade <- function(fit) list(engine = certificate(fit)$engine, status = certificate(fit)$status)
  measured <- measure(run, grade, times = 3)
  seconds <- if (length(measured$warm)) stats::median(measured$warm) else measured$cold
  list(seconds = if (identical(measured$facts$status, "optimal")) seconds else NA, engine = measured$facts$engine)
}

rows <- do.call(rbind, lapply(seq_len(nrow(sizes)), function(k) {
  loss <- as.character(sizes$loss[k])
  n <- sizes$n[k]
  d <- max(20, round(sizes$share[k] * n))
  message(loss, " ", n, " x ", d)
  data <- simulated(n, d, shift = 0.25)
  data$x <- scale(data$x)
  newton <- time_with(data, loss, "newton")$seconds
  dual <- time_with(data, loss, "dual")$seconds
  chosen <- time_with(data, loss, "auto")
  data.frame(loss = loss, n = n, d = d, newton = newton, dual = dual, auto = chosen$seconds, chosen = chosen$engine,
             "auto / better" = chosen$seconds / min(newton, dual, na.rm = TRUE), check.names = FALSE)
}))

report("engine-sizes", "At which sizes one engine takes over from another", list("Seconds, medians of 3" = rows),
       claims = claim("time of the engine chosen / that of the better one, the largest of all sizes",
                      max(rows[["auto / better"]]), at_most = 2))
