# Slopes of exp_penalty(5) at the solution, on the standardised scale: the prices of the next round.
next_prices <- function(fit, x) 5 * exp(-5 * feature_importance(fit)[colnames(x)])
linearised <- function(fit, x, y, prices, C) {
  slacks <- pmax(0, 1 - ifelse(y == "up", 1, -1) * predict(fit, x, "link"))
  sum(prices * feature_importance(fit)[colnames(x)]) + if (is.finite(C)) C * sum(slacks) else 0
}

test_that("fw1 and fsv end where the next linear programme gains nothing", {
  hard <- separated(30, 80)
  soft <- planted(60, 40, noise = 1)
  cases <- list(
    list(data = hard, fit = zeronorm(hard$x, hard$y, fw1()), C = Inf),
    list(data = hard, fit = zeronorm(hard$x, hard$y, fw1(start = 1)), C = Inf),
    list(data = soft, fit = zeronorm(soft$x, soft$y, fsv(lambda = 0.05)), C = 0.95 / 60 / 0.05),
    list(data = soft, fit = zeronorm(soft$x, soft$y, fsv(lambda = 0.05, start = 0)), C = 0.95 / 60 / 0.05)
  )
  for (case in cases) {
    x <- case$data$x
    y <- case$data$y
    prices <- next_prices(case$fit, x)
    better <- zeronorm(x, y, l1_svm(C = case$C, costs = prices))
    expect_gt(certificate(case$fit)$rounds, 1)
    expect_equal(linearised(case$fit, x, y, prices, case$C), linearised(better, x, y, prices, case$C),
                 tolerance = 1e-6)
  }
})
