# Claim: gram_schmidt() and forward_ls() select 50 of the 2,000 genes of colon in less than 25 ms, whole call, and in
# the order of plain R.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
colon <- colon()
x <- scale(colon$x)
y <- colon$y - mean(colon$y)

# Residualises every column, or only the residual, for each gene that joins.
by_hand <- function(residualise) {
  rest <- x
  r <- y
  q <- matrix(0, length(y), 0)
  chosen <- integer()
  for (k in 1:50) {
    score <- crossprod(rest, r)[, 1]^2 / colSums(rest^2)
    score[chosen] <- 0
    chosen <- c(chosen, which.max(score))
    direction <- x[, chosen[k]]
    for (pass in 1:2) direction <- direction - q %*% crossprod(q, direction)
    q <- cbind(q, direction / sqrt(sum(direction^2)))
    r <- r - q[, k] * sum(q[, k] * r)
    if (residualise) rest <- rest - q[, k] %*% crossprod(q[, k], rest)
  }
  chosen
}

measure <- function(method, residualise) {
  ours <- vapply(1:9, function(k) elapsed(fit <<- zeronorm(colon$x, colon$y, method)), 0)
  theirs <- elapsed(order <- by_hand(residualise))
  data.frame(what = format(method), seconds = median(ours), `core alone` = fit$seconds, `plain R` = theirs,
             agree = sum(feature_ranking(fit)[1:50] == order), check.names = FALSE)
}
rows <- rbind(measure(gram_schmidt(50), TRUE), measure(forward_ls(50), FALSE))
report("forward-speed", "50 genes by least squares, colon, 62 x 2000", list(rows),
       "agree: how many of the 50 steps take the same gene as plain R.",
       rbind(claim("colon: 50 genes by gram_schmidt() or forward_ls()", max(rows$seconds), at_most = 0.025, unit = "s"),
             claim("colon: steps of 50 in the order of plain R", min(rows$agree), at_least = 50)))
