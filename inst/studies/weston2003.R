# Weston, Elisseeff, Schoelkopf and Tipping (2003), Use of the zero-norm with linear models and kernel methods.

# --- table 1: the linear toy problem ---

# In 70 % of the patterns the first three inputs carry the label, in the others the next three; the rest is noise.
toy_points <- function(y) {
  n <- length(y)
  signal <- matrix(y * (rep(1:3, each = n) + rnorm(3 * n)), n)
  noise <- matrix(rnorm(3 * n), n)
  first <- runif(n) < 0.7
  x <- cbind(ifelse(first, 1, 0) * signal + ifelse(first, 0, 1) * noise,
             ifelse(first, 0, 1) * signal + ifelse(first, 1, 0) * noise)
  cbind(x, matrix(rnorm(94 * n, sd = 20), n))
}

toy_methods <- list(
  "SVM" = l2_svm(C = Inf),
  "CORR SVM" = correlation_filter(nonzero = 2),
  "RFE SVM" = svm_rfe(nonzero = 2),
  "R2W2 SVM" = r2w2(nonzero = 2),
  "FSV SVM" = fw1(exp_penalty(5), start = 0, nonzero = 2),
  "l2-AROM SVM" = arom("l2", nonzero = 2),
  "l1-AROM SVM" = arom("l1", nonzero = 2)
)

toy_naive <- list(
  "l2-norm SVM, 2 largest |w|" = top_weights(nonzero = 2),
  "l1-norm SVM, 2 largest |w|" = top_weights(nonzero = 2, norm = "l1")
)

# Test error in percent, and whether one input of each triple was picked.
toy_trial <- function(points, methods) {
  y <- rep(c(-1, 1), length.out = points)
  x <- toy_points(y)
  new_y <- sample(c(-1, 1), 500, replace = TRUE)
  new_x <- toy_points(new_y)
  vapply(methods, function(method) {
    fit <- zeronorm(x, y, method)
    wrong <- (predict(fit, new_x, "link") > 0) != (new_y > 0)
    picked <- selected(fit)
    c(100 * mean(wrong), length(picked) == 2 && any(picked <= 3) && any(picked %in% 4:6))
  }, numeric(2))
}

toy_run <- function(methods) {
  force(methods)
  function(part, set, quick) {
    trials <- if (quick) 10 else 100
    results <- replicate(trials, toy_trial(as.integer(part), methods))
    data.frame(dataset = "linear_toy", method = rep(names(methods), 2), setting = paste0("points=", part),
               metric = rep(c("error_pct", "n_trials_relevant_nonredundant"), each = length(methods)),
               value = c(rowMeans(results[1, , ]), 100 * rowMeans(results[2, , ])))
  }
}

toy_claims <- function(value) {
  at <- function(method, points) value("linear_toy", paste(method, "SVM"), paste0("points=", points))
  winners <- c("FSV", "l2-AROM", "l1-AROM")
  list(
    "at 30 points FSV and both AROMs beat the other four" =
      max(at(winners, 30)) < min(at("CORR", 30), at("RFE", 30), at("R2W2", 30),
                                 value("linear_toy", "SVM", "points=30")),
    "at 20 points R2W2 does not differ from them (within 2 points)" =
      max(abs(at("R2W2", 20) - at(winners, 20))) < 2
  )
}

protocols <- list(
  "1" = list(caption = "Linear toy problem: 100 inputs, the 2 best kept, hard margin on them; 100 trials a run",
             runs = 20, parts = c("10", "20", "30"), run = toy_run(toy_methods), claims = toy_claims),
  "text" = list(caption = "The same problem: the 2 largest weights of a single fit",
                runs = 20, parts = c("10", "20", "30"), run = toy_run(toy_naive))
)
