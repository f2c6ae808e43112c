# Another R process that can be interrupted, starved or killed.

# `data`: 1500 x 1000 with a noisy label, and a smaller part of it.
new_session <- function() {
  # What it says is read by nobody, and would stop it once a pipe is full.
  session <- callr::r_session$new(callr::r_session_options(stdout = nullfile(), stderr = nullfile()))
  session$run(function(paths) {
    .libPaths(paths)
    loadNamespace("zeronorm")
    set.seed(1)
    x <- matrix(stats::rnorm(1500 * 1000), 1500)
    assign("data", list(x = x, y = x[, 1] + 6 * stats::rnorm(1500) > 0), envir = globalenv())
    NULL
  }, list(.libPaths()))
  session
}

small_fit <- function() {
  fit <- zeronorm::zeronorm(data$x[1:60, 1:20], data$y[1:60], zeronorm::l1_svm(0.5))
  list(zeronorm::certificate(fit), stats::coef(fit))
}

# Every engine of its own, and rules above them; each more than five seconds for all of x.
long_fits <- list(
  simplex = function(x, y) zeronorm::zeronorm(x, y, zeronorm::l1_svm(1), engine = "simplex"),
  dual = function(x, y) zeronorm::zeronorm(x, y, zeronorm::l2_svm(10^seq(-3, 3, by = 0.1)), engine = "dual"),
  active_set = function(x, y) zeronorm::zeronorm(x, y, zeronorm::l2_l1_svm(mu = 1e4, nu = 0.01)),
  highs = function(x, y) zeronorm::zeronorm(x, y, zeronorm::l1_svm(1), engine = "highs"),
  osqp = function(x, y) zeronorm::zeronorm(x, y, zeronorm::l2_svm(10^seq(0, 3, by = 0.2)), engine = "osqp"),
  fs_svmcp = function(x, y) zeronorm::zeronorm(x, y, zeronorm::fs_svmcp(folds = 10)),
  arom = function(x, y) zeronorm::zeronorm(x, y, zeronorm::arom(nonzero = "path", errors = "l2")),
  r2w2 = function(x, y) zeronorm::zeronorm(x, y, zeronorm::r2w2(20)),
  alignment = function(x, y) zeronorm::zeronorm(x[, 1:300], y, zeronorm::kernel_alignment(0.1))
)

# Seconds for a second: where lines are counted, everything takes longer.
patience <- function() if (identical(Sys.getenv("R_COVR"), "true")) 10 else 1
