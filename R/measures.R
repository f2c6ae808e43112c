# How good predictions are: measures of decision values against labels.

# larger: better where the value is larger; tasks: what it is for.
measure_table <- function() {
  list(
    error = list(label = "error", larger = FALSE, tasks = c("two-class", "k-class", "multi-label")),
    balanced = list(label = "balanced error", larger = FALSE, tasks = c("two-class", "k-class")),
    auc = list(label = "AUC", larger = TRUE, tasks = "two-class"),
    logloss = list(label = "log loss", larger = FALSE, tasks = c("two-class", "k-class", "multi-label")),
    mse = list(label = "mean squared error", larger = FALSE, tasks = "regression"),
    mae = list(label = "mean absolute error", larger = FALSE, tasks = "regression")
  )
}

measures_for <- function(task) names(Filter(function(m) task %in% m$tasks, measure_table()))

check_measure <- function(measure, task) {
  known <- measures_for(task)
  if (is.null(measure)) known[1] else check_choice(measure, "measure", known)
}

# f: decision values, a column for each output; labels: as encode_y() gives them, of the same observations.
measure_value <- function(name, f, labels, calibration = NULL) {
  if (anyNA(f)) return(NA_real_)
  y <- as.matrix(labels$y)
  switch(name,
    error = mean(is_wrong(f, y, labels$task)),
    balanced = mean(tapply(is_wrong(f, y, labels$task), labels$class, mean)),
    auc = area_under_curve(f[, 1], y[, 1] > 0),
    logloss = log_loss(probabilities(f, calibration, labels$task), y, labels$task),
    mse = mean((f - y)^2),
    mae = mean(abs(f - y))
  )
}

# In any label; ties of several classes go to the first.
is_wrong <- function(f, y, task) {
  if (task == "k-class") return(max.col(f, "first") != max.col(y, "first"))
  rowSums((f > 0) != (y > 0)) > 0
}

# The chance that a positive has the larger value, ties counting half; NA with one class only.
area_under_curve <- function(f, positive) {
  m <- sum(positive)
  rest <- length(f) - m
  if (m == 0 || rest == 0) return(NA_real_)
  (sum(rank(f)[positive]) - m * (m + 1) / 2) / (m * rest)
}

# Of the positive class, or of each output.
log_loss <- function(p, y, task) {
  p <- pmin(pmax(p, 1e-15), 1 - 1e-15)
  if (task == "k-class") return(-mean(log(p[cbind(seq_len(nrow(y)), max.col(y, "first"))])))
  -mean(rowSums(ifelse(y > 0, log(p), log1p(-p))))
}

# --- probabilities ---

# Platt's sigmoid 1 / (1 + exp(-(a f + b))) by Newton's method, targets drawn towards one half as by one more
# observation of each class: c(a, b).  O(n) a step.
fit_sigmoid <- function(f, positive) {
  keep <- is.finite(f)
  f <- f[keep]
  positive <- positive[keep]
  m <- sum(positive)
  rest <- length(f) - m
  target <- ifelse(positive, (m + 1) / (m + 2), 1 / (rest + 2))
  scale <- max(abs(f), 1e-300)
  x <- cbind(f / scale, 1)
  deviance <- function(u) {
    eta <- drop(x %*% u)
    sum(pmax(eta, 0) + log1p(exp(-abs(eta))) - target * eta)
  }
  u <- c(0, log((m + 1) / (rest + 1)))
  value <- deviance(u)
  for (round in 1:100) {
    p <- stats::plogis(drop(x %*% u))
    gradient <- crossprod(x, p - target)
    if (max(abs(gradient)) <= 1e-10 * length(f)) break
    step <- solve(crossprod(x, x * (p * (1 - p))) + diag(1e-12, 2), gradient)
    s <- 1
    while (s > 1e-10 && !(deviance(u - s * step) < value)) s <- s / 2
    if (s <= 1e-10) break
    u <- u - s * drop(step)
    value <- deviance(u)
  }
  c(a = u[1] / scale, b = u[2])
}

# A sigmoid for each output: 2 x outputs.
calibrate_outputs <- function(f, y) {
  vapply(seq_len(ncol(y)), function(k) fit_sigmoid(f[, k], y[, k] > 0), c(a = 0, b = 0))
}

# Of each output; of several classes they sum to one.
probabilities <- function(f, calibration, task) {
  p <- stats::plogis(sweep(sweep(f, 2, calibration["a", ], "*"), 2, calibration["b", ], "+"))
  if (task == "k-class") p / rowSums(p) else p
}
