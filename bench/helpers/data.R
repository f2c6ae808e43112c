# The data of the scripts: lists of x (observations in rows) and y (-1 and +1).

colon <- function() {
  list(x = log(unname(zeronorm::colon$x)), y = ifelse(zeronorm::colon$y == "tumour", -1, 1))
}

leukemia <- function() {
  e <- new.env()
  utils::data("leukemia.train", "leukemia.test", package = "SIS", envir = e)
  d <- rbind(e$leukemia.train, e$leukemia.test)
  list(x = unname(sapply(d[, 1:7129], as.numeric)), y = ifelse(d[, 7130] == 1, -1, 1))
}

# Classes half and half; the first `relevant` columns are shifted by `shift` times the label.
simulated <- function(n, d, relevant = 20, shift = 0.5, seed = 1) {
  set.seed(seed)
  y <- rep(c(-1, 1), length.out = n)
  x <- matrix(rnorm(n * d), n)
  x[, seq_len(relevant)] <- x[, seq_len(relevant)] + shift * y
  list(x = x, y = y)
}

wide <- function(n = 100, seed = 1) simulated(n, 20000, seed = seed)
square <- function(n = 2000, seed = 2) simulated(n, 2000, shift = 0.25, seed = seed)

# A dgCMatrix; nonzeros are uniform on (0, 1), those of the first `relevant` columns shifted by the label.
sparse <- function(n = 5000, d = 10000, density = 0.05, relevant = 50, seed = 3) {
  set.seed(seed)
  y <- rep(c(-1, 1), length.out = n)
  counts <- stats::rbinom(d, n, density)
  i <- unlist(lapply(counts, function(k) sort.int(sample.int(n, k), method = "radix")))
  x <- stats::runif(length(i))
  first <- seq_len(sum(counts[seq_len(relevant)]))
  x[first] <- x[first] + 0.5 * y[i[first]]
  list(x = methods::new("dgCMatrix", i = i - 1L, p = c(0L, cumsum(counts)), x = x, Dim = as.integer(c(n, d))),
       y = y)
}

# Counts of cells, log(1 + count / depth): genes with lognormal means, cells with lognormal depth, counts Poisson
# with a gamma rate of shape 1/2 (overdispersion of real counts), means scaled so that a share `density` is not
# zero.  `relevant` of the tenth of the genes that is expressed most differ between the classes by a factor
# exp(0.6).  The genes are always the same, the cells those of `seed`.  Drawn gene by gene: beside the matrix only a
# gene is held.
cells <- function(n, d = 20000, density = 0.05, relevant = 50, seed = 1, shape = 0.5) {
  set.seed(1)
  mean <- scale_means(stats::rlnorm(d, 0, 1.5), density, shape)
  effect <- numeric(d)
  expressed <- order(mean, decreasing = TRUE)[seq_len(max(relevant, d %/% 10))]
  effect[expressed[sample.int(length(expressed), relevant)]] <- rep_len(c(0.3, -0.3), relevant)
  set.seed(seed)
  y <- rep(c(-1, 1), length.out = n)
  depth <- stats::rlnorm(n, 0, 0.3)
  counts <- integer(d)
  room <- ceiling(1.2 * density * n * d)
  x <- numeric(room)
  i <- integer(room)
  filled <- 0
  for (gene in seq_len(d)) {
    rate <- mean[gene] * depth * if (effect[gene] == 0) 1 else exp(effect[gene] * y)
    drawn <- positive_counts(rate, shape)
    counts[gene] <- length(drawn$cell)
    to <- filled + seq_len(counts[gene])
    i[to] <- drawn$cell
    x[to] <- log1p(drawn$count / depth[drawn$cell])
    filled <- filled + counts[gene]
  }
  length(x) <- filled
  length(i) <- filled
  list(x = methods::new("dgCMatrix", i = i - 1L, p = c(0L, cumsum(counts)), x = x, Dim = as.integer(c(n, d))),
       y = y)
}

# P(count > 0) of a negative binomial of mean m is 1 - (1 + m / shape)^-shape.
scale_means <- function(mean, density, shape) {
  excess <- function(s) mean(1 - (1 + exp(s) * mean / shape)^-shape) - density
  mean * exp(stats::uniroot(excess, c(-15, 5), tol = 1e-10)$root)
}

# Cells with a count, and the counts: which cells is a coin for each, how many is drawn for those alone, by
# inversion of the negative binomial given that it is positive.
positive_counts <- function(rate, shape) {
  none <- (1 + rate / shape)^-shape
  u <- stats::runif(length(rate))
  cell <- which(u > none)
  list(cell = cell, count = stats::qnbinom(u[cell], size = shape, mu = rate[cell]))
}

# New observations of a simulated set, for the held-out error.
new_cases <- function(make, n = 1000) make(n = n, seed = 1001)

# The l2 and the l1 norm treat columns alike only where they have one scale: every solver gets these columns.
standardised <- function(data) {
  center <- colMeans(data$x)
  scale <- apply(data$x, 2, stats::sd)
  scale[scale == 0] <- 1
  list(x = unname(scale(data$x, center, scale))[, , drop = FALSE], y = data$y, center = center, scale = scale)
}

# Sparse columns are scaled, never centred.
column_scaled <- function(x) {
  x@x <- x@x * rep.int(column_factors(x), diff(x@p))
  x
}

# One over the standard deviations of a dgCMatrix.
column_factors <- function(x) {
  means <- Matrix::colMeans(x)
  spread <- sqrt(pmax(Matrix::colSums(x^2) - nrow(x) * means^2, 0) / (nrow(x) - 1))
  1 / ifelse(spread > 0, spread, 1)
}

# The row format of SparseM, which LiblineaR reads.
as_csr <- function(x) {
  rows <- methods::as(x, "RsparseMatrix")
  format <- methods::getClass("matrix.csr", where = asNamespace("SparseM"))
  methods::new(format, ra = rows@x, ja = rows@j + 1L, ia = rows@p + 1L, dimension = dim(rows))
}
