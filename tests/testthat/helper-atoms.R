# min sum_f price_f max {|w_j|: f in features(j)} + C sum slacks, for few columns: w is a sum of atoms, each a
# set S of features and a sign for every column made of features in S, at the price of S.  In atoms this is an
# l1 machine, solved here with all of them written out.  features: a list of those of each column of x.
atomic_machine <- function(x, y, features, price, C, ...) {
  sets <- lapply(seq_len(2^length(price) - 1), function(s) which(bitwAnd(s, 2^(seq_along(price) - 1)) > 0))
  atoms <- lapply(sets, function(set) {
    inside <- vapply(features, function(f) length(f) > 0 && all(f %in% set), NA)
    signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), sum(inside))))
    signs <- signs[seq_len(nrow(signs) / 2), , drop = FALSE]  # the others are these, turned
    w <- matrix(0, length(features), nrow(signs))
    w[inside, ] <- t(signs)
    list(w = w, price = rep(sum(price[set]), ncol(w)))
  })
  free <- diag(length(features))[, lengths(features) == 0, drop = FALSE]
  w <- cbind(do.call(cbind, lapply(atoms, `[[`, "w")), free)
  prices <- c(unlist(lapply(atoms, `[[`, "price")), rep(0, ncol(free)))
  fit <- zeronorm(x %*% w, y, l1_svm(C = C, costs = prices), standardize = FALSE, engine = "simplex", ...)
  weights <- as.vector(w %*% coef(fit)[-1])
  list(w = weights, b = coef(fit)[[1]], value = certificate(fit)$primal)
}
