# Codebooks, against all covers of few points and a greedy cover written out.

distances <- function(x) as.matrix(stats::dist(x))

greedy_size <- function(x, radius) {
  near <- distances(x) <= radius
  left <- rep(TRUE, nrow(near))
  size <- 0
  while (any(left)) {
    left <- left & !near[, which.max(colSums(near[left, , drop = FALSE]))]
    size <- size + 1
  }
  size
}

smallest_size <- function(x, radius) {
  near <- distances(x) <= radius
  for (k in seq_len(nrow(near))) {
    covers <- combn(nrow(near), k, function(set) all(rowSums(near[, set, drop = FALSE]) > 0))
    if (any(covers)) return(k)
  }
}

expect_cover <- function(book, x, radius) {
  x <- as.matrix(x)
  from <- distances(x)[, book$support, drop = FALSE]
  expect_true(all(apply(from, 1, min) <= radius))
  expect_equal(unname(book$distance), unname(apply(from, 1, min)), tolerance = 1e-10)
  expect_equal(unname(distances(x)[cbind(seq_len(nrow(x)), book$assignment)]), unname(book$distance),
               tolerance = 1e-10)
  expect_true(all(book$assignment %in% book$support))
  expect_identical(unname(which(book$value == 1)), unname(sort(book$support)))
  expect_identical(as.matrix(book$codes), x[book$support, , drop = FALSE])
  expect_lte(book$lower, length(book$support))
  expect_lte(length(book$support), book$greedy)
}

test_that("codebooks cover, and the bound holds, against all covers", {
  size <- best <- integer()
  for (seed in 1:20) {
    x <- with_stream(seed, matrix(rnorm(24), 12))
    radius <- c(0.5, 1, 1.5)[seed %% 3 + 1]
    for (norm in c("l1", "l2")) {
      book <- codebook(x, radius, norm)
      expect_cover(book, x, radius)
      best <- c(best, smallest_size(x, radius))
      size <- c(size, length(book$support))
      expect_lte(book$lower, best[length(best)])
    }
  }
  expect_true(all(size >= best))
  expect_gte(mean(size == best), 0.9)
})

test_that("they are never larger than the greedy cover", {
  for (seed in 1:6) {
    x <- with_stream(seed, matrix(if (seed %% 2) runif(300) else rnorm(300), 150))
    for (radius in c(0.05, 0.2, 0.6)) {
      book <- codebook(x, radius)
      expect_cover(book, x, radius)
      expect_lte(length(book$support), greedy_size(x, radius))
    }
  }
  grid <- as.matrix(expand.grid(a = 1:12, b = 1:12))
  for (radius in c(1, 1.5, 2)) {
    book <- codebook(grid, radius)
    expect_cover(book, grid, radius)
    expect_lte(length(book$support), greedy_size(grid, radius))
  }
})

test_that("the edges: every point its own code, one code for all, equal points", {
  x <- with_stream(1, matrix(rnorm(40), 20))
  alone <- codebook(x, 0)
  expect_identical(alone$support, 1:20)
  expect_identical(alone$lower, 20L)
  together <- codebook(x, 100)
  expect_length(together$support, 1)
  expect_output(print(together), "1 code vector for 20 points within 100: no smaller one exists")
  same <- codebook(x[rep(1:3, 5), ], 0)
  expect_length(same$support, 3)
  expect_true(all(same$distance == 0))
  expect_identical(codebook(x[1, , drop = FALSE], 1)$support, 1L)
  expect_identical(codebook(matrix(1:6), 1)$greedy, 2L)
})

test_that("names, data frames and sparse points are kept", {
  x <- with_stream(2, matrix(rnorm(60), 30, dimnames = list(paste0("p", 1:30), c("u", "v"))))
  book <- codebook(x, 0.7)
  expect_identical(selected(book), rownames(x)[book$support])
  expect_identical(names(book$assignment), rownames(x))
  frame <- codebook(as.data.frame(x), 0.7)
  expect_s3_class(frame$codes, "data.frame")
  expect_identical(frame$support, book$support)
  expect_identical(codebook(as(x, "dgCMatrix"), 0.7)$support, book$support)
  expect_identical(certificate(book)$status, "optimal")
  expect_identical(nrow(rounds(book)), certificate(book)$rounds - 1L)
})

test_that("bad input is refused by name", {
  x <- diag(3)
  expect_zeronorm_error(codebook(x), "radius", "missing")
  expect_zeronorm_error(codebook(x, -1), "radius")
  expect_zeronorm_error(codebook(x, Inf), "radius")
  expect_zeronorm_error(codebook(replace(x, 1, NA), 1), "x")
  expect_zeronorm_error(codebook(letters, 1), "x")
  expect_zeronorm_error(codebook(x[0, ], 1), "x", "no rows")
  expect_zeronorm_error(codebook(x, 1, norm = "l3"), "norm")
  expect_zeronorm_error(codebook(x, 1, engine = "gurobi"), "engine")
})
