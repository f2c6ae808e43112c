# Monomials x^a, 1 <= |a| <= degree, of the standardised features as columns of a linear machine.

# Columns and numbers beyond which expanding is refused.
most_monomials <- 1e6
most_entries <- 2.5e8

count_monomials <- function(d, degree) choose(d + degree, degree) - 1

# The largest number of features whose monomials do not exceed `most`.
most_features <- function(degree, most = most_monomials) {
  d <- floor((most * factorial(degree))^(1 / degree))
  while (d > 1 && count_monomials(d, degree) > most) d <- d - 1
  d
}

# A row for each monomial: its features in increasing order, zeros last.  First all of degree 1, then of degree 2.
monomial_table <- function(d, degree) {
  layer <- matrix(seq_len(d), d, 1)
  layers <- list(layer)
  for (t in seq_len(degree - 1) + 1) {
    last <- layer[, t - 1]
    times <- d - last + 1L
    layer <- cbind(layer[rep(seq_len(nrow(layer)), times), , drop = FALSE], sequence(times, last))
    layers[[t]] <- layer
  }
  wide <- lapply(layers, function(layer) cbind(layer, matrix(0L, nrow(layer), degree - ncol(layer))))
  unname(do.call(rbind, wide))
}

# How often the feature at each place of a monomial has occurred up to there.
running_counts <- function(table) {
  counts <- array(1L, dim(table))
  for (t in seq_len(ncol(table))[-1]) {
    same <- table[, t] > 0 & table[, t] == table[, t - 1]
    counts[same, t] <- counts[same, t - 1] + 1L
  }
  counts
}

# |a|! / a! orders of its factors; among those of (x'y + 1)^degree also the places of the ones.
multiplicity <- function(table, form) {
  size <- rowSums(table > 0)
  orders <- factorial(size) / apply_product(running_counts(table))
  if (form == "power") orders * choose(ncol(table), size) else orders
}

apply_product <- function(counts) Reduce(`*`, lapply(seq_len(ncol(counts)), function(t) counts[, t]))

# "g1", "g1^2", "g1*g2".
monomial_names <- function(table, names) {
  counts <- running_counts(table)
  ends <- cbind(table[, -1, drop = FALSE] != table[, -ncol(table), drop = FALSE], TRUE) & table > 0
  text <- character(nrow(table))
  for (t in seq_len(ncol(table))) {
    power <- ifelse(counts[, t] > 1, paste0("^", counts[, t]), "")
    factor <- paste0(ifelse(nzchar(text), "*", ""), names[pmax(table[, t], 1L)], power)
    text[ends[, t]] <- paste0(text, factor)[ends[, t]]
  }
  text
}

# x dense, its columns those that the table counts.
monomial_values <- function(x, table) {
  values <- x[, table[, 1], drop = FALSE]
  for (t in seq_len(ncol(table))[-1]) {
    more <- which(table[, t] > 0)
    values[, more] <- values[, more, drop = FALSE] * x[, table[more, t], drop = FALSE]
  }
  unname(values)
}

check_degree <- function(degree) check_count(degree, "degree")

check_max_features <- function(method, d) {
  most <- method$declares$max_features
  if (d <= most) return(invisible())
  stop_zeronorm("x", paste0("has ", d, " columns, but ", format(method), " takes at most ", most, "."),
                "Select features first, with arom() for instance, or lower the degree.")
}

# The problem with monomials in place of features.  Forced monomials are those made of forced features alone; a
# monomial costs as much as the dearest of its features.
expand_problem <- function(problem, method, settings) {
  degree <- method$degree
  if (is.null(degree)) return(problem)
  columns <- count_monomials(problem$d, degree)
  if (columns * problem$n > most_entries) {
    stop_zeronorm("x", paste0("has ", problem$n, " rows and ", problem$d, " columns: too many for ", columns,
                              " monomials."), "Select features first, or lower the degree.")
  }
  table <- monomial_table(problem$d, degree)
  standard <- standard_columns(problem$x, problem$case_weights, settings$standardize)
  problem$polynomial <- list(degree = degree, center = standard$center, scale = standard$scale)
  problem$x <- monomial_values(standard$x, table)
  made_of <- function(features) which(rowSums(table == 0 | table %in% features) == degree)
  if (identical(method$groups, "features")) {
    problem$groups <- table
    problem$groups[running_counts(table) > 1] <- 0L
    problem$costs <- as.double(!seq_len(problem$d) %in% c(problem$unpenalized, problem$keep))
  } else if (!is.null(problem$costs)) {
    problem$costs <- apply(matrix(c(0, problem$costs)[table + 1], ncol = degree), 1, max)
  }
  problem$unpenalized <- made_of(problem$unpenalized)
  problem$keep <- made_of(problem$keep)
  if (!is.null(method$rescale)) problem$multiplicity <- multiplicity(table, method$kernel_form)
  problem
}
