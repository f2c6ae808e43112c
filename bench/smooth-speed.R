# Claim: the smooth engine reaches a duality gap of 1e-10 on lasso and l1-penalised logistic regression in less
# time than glmnet takes at thresh = 1e-14, and its objective is never higher.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))

instance <- function(n, d, loss, correlation, share) {
  set.seed(1)
  x <- sqrt(1 - correlation) * matrix(rnorm(n * d), n) + sqrt(correlation) * rnorm(n)
  y <- rowSums(x[, 1:10]) + rnorm(n)
  if (loss == "logistic") y <- ifelse(y > median(y), 1, -1)
  top <- max(abs(crossprod(x, y - mean(y)))) * if (loss == "logistic") 0.5 else 1
  list(x = x, y = y, loss = loss, price = share * top)
}

ours <- function(case) {
  d <- ncol(case$x)
  solve_with(case, list(list(l1 = rep(case$price, d), scale = rep(Inf, d))), "smooth", rep(1, nrow(case$x)),
             standardize = FALSE, loss = case$loss)[[1]]
}

theirs <- function(case) {
  logistic <- case$loss == "logistic"
  glmnet::glmnet(case$x, if (logistic) factor(case$y) else case$y, if (logistic) "binomial" else "gaussian",
                 lambda = case$price / nrow(case$x), standardize = FALSE, thresh = 1e-14, maxit = 1e6)
}

objective <- function(case, fit) {
  f <- as.vector(predict(fit, case$x))
  loss <- if (case$loss == "logistic") log1p(exp(-case$y * f)) else (case$y - f)^2 / 2
  sum(loss) + case$price * sum(abs(coef(fit)[-1]))
}

rows <- list()
for (loss in c("squared", "logistic")) for (size in list(c(62, 2000), c(100, 20000), c(500, 1000))) {
  for (correlation in c(0, 0.9)) for (share in c(0.5, 0.1, 0.01)) {
    case <- instance(size[1], size[2], loss, correlation, share)
    seconds <- replicate(3, {
      solution <<- ours(case)
      solution$setup + solution$seconds
    })
    reference <- median(replicate(3, system.time(fit <<- theirs(case))[["elapsed"]]))
    value <- objective(case, fit)
    rows[[length(rows) + 1]] <- data.frame(
      loss = loss, rows = size[1], columns = size[2], correlation = correlation, share = share,
      features = sum(solution$w != 0), gap = solution$gap, ours_ms = 1e3 * median(seconds),
      glmnet_ms = 1e3 * reference, excess_of_glmnet = (value - solution$primal) / value
    )
  }
}
rows <- do.call(rbind, rows)
ratio <- rows$glmnet_ms / rows$ours_ms
report("smooth-speed", "The smooth engine against glmnet at thresh 1e-14", list(rows),
       sprintf(paste("share: of the smallest price that leaves no feature. Ratio of times: median %.0f,",
                     "from %.1f to %.0f; largest gap %.1g."),
               median(ratio), min(ratio), max(ratio), max(rows$gap)),
       rbind(claim("smooth engine: largest gap", max(rows$gap), at_most = 1e-10),
             claim("smooth engine: least relative excess of glmnet's objective", min(rows$excess_of_glmnet),
                   at_least = -1e-9),
             claim("smooth engine: time of glmnet at thresh 1e-14 / ours, median", median(ratio), at_least = 1)))
