# Claim: on random quadratic programmes (ridge alone: the dual engine; l1 and ridge: the active set) the
# objective recomputed from the data agrees with OSQP's, polished, to 1e-7 relative; every certificate holds.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
programmes <- as.integer(Sys.getenv("ZERONORM_BENCH_N", "2000"))

random_problem <- function(k) {
  n <- sample(4:40, 1)
  d <- sample(1:60, 1)
  x <- matrix(rnorm(n * d), n)
  shape <- sample(c("gaussian", "rounded", "duplicated", "sparse"), 1)
  if (shape == "rounded") x <- round(x)
  if (shape == "sparse") x[runif(n * d) < 0.6] <- 0
  if (shape == "duplicated" && d > 1) x[, seq(2, d, 2)] <- x[, seq(1, d - 1, 2)]
  kind <- c("ridge", "ridge and l1")[1 + k %% 2]
  loss <- sample(c("hinge", "squared_hinge"), 1)
  hard <- loss == "hinge" && runif(1) < 0.2
  list(x = x, y = sample(c(-1, 1, rep_len(c(-1, 1), n - 2))), kind = kind, hard = hard, loss = loss,
       cost = if (hard) rep(Inf, n) else runif(n, 0.1, 1.1) * 10^runif(1, -1, 1), intercept = runif(1) < 0.75,
       surrogate = list(l1 = if (kind == "ridge") rep(0, d) else 10^runif(1, -2, 1) * runif(d, 0.2, 1.2),
                        scale = 10^runif(d, -0.5, 0.5)))
}

objective <- function(p, s) {
  w <- s$w[, 1]
  slack <- pmax(0, 1 - p$y * (p$x %*% w + if (p$intercept) s$b[1] else 0))
  value <- sum(p$surrogate$l1 * abs(w)) + sum((w / p$surrogate$scale)^2) / 2
  if (p$hard) return(if (max(slack) < 1e-4) value / (1 - max(slack))^2 else Inf)
  value + sum(p$cost * if (p$loss == "hinge") slack else slack^2 / 2)
}

set.seed(21)
results <- lapply(seq_len(programmes), function(k) {
  p <- random_problem(k)
  run <- function(engine) solve_with(p, list(p$surrogate), engine, p$cost, p$intercept, FALSE, p$loss)[[1]]
  ours <- run(if (p$kind == "ridge") "dual" else "active_set")
  theirs <- run("osqp")
  both <- ours$status == "optimal" && theirs$status == "optimal"
  value <- if (both) c(objective(p, ours), objective(p, theirs)) else c(NA, NA)
  data.frame(kind = p$kind, loss = if (p$hard) "hard margin" else p$loss, ours = ours$status,
             theirs = theirs$status, difference = (value[1] - value[2]) / max(abs(value)),
             gap = if (ours$status == "optimal") ours$gap else NA)
})
results <- do.call(rbind, results)
answers <- c("optimal", "not separable")
worst <- function(x) max(x, 0, na.rm = TRUE)
summary <- do.call(rbind, lapply(split(results, paste(results$kind, results$loss)), function(r) {
  data.frame(kind = r$kind[1], loss = r$loss[1], programmes = nrow(r), solved = sum(r$ours == "optimal"),
             `not separable` = sum(r$ours == "not separable"),
             `OSQP without an answer` = sum(!r$theirs %in% answers), `ours above OSQP` = worst(r$difference),
             `largest difference` = worst(abs(r$difference)), `worst gap` = worst(r$gap), check.names = FALSE)
}))
failed <- sum(!results$ours %in% answers)
report("qp-agreement", "The dual and active-set engines against OSQP", list(summary),
       sprintf(paste("%d programmes; %d without an answer of ours; largest relative difference %.2g (at most",
                     "1e-7 claimed), worst certified gap %.2g."),
               nrow(results), failed, worst(abs(results$difference)), worst(results$gap)),
       rbind(claim("random quadratic programmes without an answer", failed, at_most = 0),
             claim("random quadratic programmes: largest difference from OSQP", worst(abs(results$difference)),
                   at_most = 1e-7),
             claim("random quadratic programmes: worst gap", worst(results$gap), at_most = 1e-9)))
