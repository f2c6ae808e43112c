# How far each engine is from what the machine can do at best: the time of a certified solution, from reading the data
# to the recomputed gap, over that of one pass over x (X'v, base R) and over that of the n x n Gram matrix (n^2 d
# multiplications and additions counted together, base R's tcrossprod(), which depends on the BLAS; the rate reached
# is beside it).  A proof of optimality needs at least one pass, a dual machine that forms its Gram matrix that much.
# Claim: every solution has a gap of at most 1e-8.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
sets <- list("colon 62 x 2000" = colon, "simulated 100 x 20000" = wide, "simulated 2000 x 2000" = square)

judge <- function(s) list(`engine alone, s` = s$seconds + s$setup, gap = s$gap, features = sum(s$w != 0),
                          status = s$status)

rows <- stacked(lapply(names(sets), function(name) {
  data <- standardised(sets[[name]]())
  n <- nrow(data$x)
  pass <- measure(function() crossprod(data$x, data$y))
  gram <- measure(function() tcrossprod(data$x))
  tour <- engine_tour(data)
  all <- stacked(lapply(names(tour), function(what) timed(what, tour[[what]], judge, data = name)))
  all$passes <- all$seconds / stats::median(pass$warm)
  all$`Gram matrices` <- all$seconds / stats::median(gram$warm)
  all$`n^2 d in GFlops` <- n^2 * ncol(data$x) / all$seconds / 1e9
  all
}))
claims <- claim("largest gap of the engines' solutions on three sets", max(rows$gap), at_most = 1e-8)
report("limits", "The engines against one pass over the data", by_data(rows), character(), claims)
