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

# A row for each monomial, by degree: its features in increasing order, zeros last.
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
  orders <- factorial(size) / apply_rows(running_counts(table), nrow(table), `*`)
  if (form == "power") orders * choose(ncol(table), size) else orders
}

# combine() over the values of each row.
apply_rows <- function(values, rows, combine) {
  values <- matrix(values, rows)
  Reduce(combine, lapply(seq_len(ncol(values)), function(t) values[, t]))
}

# "g1", "g1^2", "g1*g2".
monomial_names <- function(table, names) {
  counts <- running_counts(table)
  ends <- cbind(table[, -1, drop = FALSE] != table[, -ncol(table), drop = FALSE], TRUE) & table > 0
  text <- character(nrow(table))
  for (t in seq_len(ncol(table))) {
    power <- ifelse(counts[, t] > 1, paste0("^", counts[, t]), "")
    next_factor <- paste0(ifelse(nzchar(text), "*", ""), names[pmax(table[, t], 1L)], power)
    text[ends[, t]] <- paste0(text, next_factor)[ends[, t]]
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

# NULL where the features themselves are meant.
expansion_degree <- function(degree) {
  degree <- check_degree(degree)
  if (degree > 1) degree
}

most_expandable <- function(degree) if (is.null(degree)) Inf else most_features(degree)

check_max_features <- function(method, d) {
  most <- method$declares$max_features
  if (d <= most) return(invisible())
  stop_zeronorm("x", paste0("has ", d, " columns, but ", format(method), " takes at most ", most, "."),
                paste0("Select features first", if (!is.null(method$model$degree)) ", or lower the degree", "."))
}

# The problem on monomials in place of features.  A monomial is unpenalised, or kept, where all its features
# are, and has the largest of their costs.
expand_monomials <- function(problem, method, settings) {
  degree <- method$model$degree
  if (is.null(degree)) return(problem)
  count <- count_monomials(problem$d, degree)
  if (problem$n * count > most_entries) {
    stop_zeronorm("x", paste0("has ", problem$n, " rows, which is too many for the ", count, " monomials of ",
                              problem$d, " columns."), "Select features first, or lower the degree.")
  }
  table <- monomial_table(problem$d, degree)
  standard <- standard_columns(problem$x, problem$case_weights, settings$standardize)
  problem$x <- monomial_values(standard$x, table)
  problem$polynomial <- list(degree = degree, center = standard$center, scale = standard$scale)
  problem$monomials <- table
  if (!is.null(problem$costs)) problem$costs <- apply_rows(c(0, problem$costs)[table + 1L], nrow(table), pmax)
  problem$forced_features <- union(problem$unpenalized, problem$keep)
  problem$unpenalized <- made_of(table, problem$unpenalized)
  problem$keep <- made_of(table, problem$keep)
  problem
}

made_of <- function(table, features) which(rowSums(table == 0 | table %in% features) == ncol(table))

# Which columns share a price (sharing: a row for each column), and the prices.
share_prices <- function(problem, method) {
  sharing <- method$model$sharing
  if (is.null(sharing)) return(problem)
  if (sharing == "outputs") {
    if (is.null(problem$outputs)) return(problem)
    forced <- union(problem$unpenalized, problem$keep)
    problem$sharing <- matrix(replace(seq_len(problem$d), forced, 0L), problem$d, 1)
    problem$costs <- rep(1, problem$d)
    return(problem)
  }
  if (sharing == "all") {
    problem$sharing <- matrix(1L, ncol(problem$x), 1)
    problem$sharing[problem$unpenalized, ] <- 0L
    problem$costs <- 1
    return(problem)
  }
  problem$sharing <- problem$monomials
  problem$sharing[running_counts(problem$monomials) > 1] <- 0L
  problem$costs <- as.double(!seq_len(problem$d) %in% problem$forced_features)
  problem
}

# --- what a fit knows of its monomials ---

# Whether it is features whose number is penalised, not monomials.
selects_features <- function(fit) identical(fit$method$model$sharing, "feature")

selects_monomials <- function(fit) !is.null(fit$polynomial) && !selects_features(fit)

fit_monomials <- function(fit) monomial_table(fit$d, fit$polynomial$degree)

monomial_labels <- function(fit) {
  names <- if (is.null(fit$features)) paste0("x", seq_len(fit$d)) else fit$features
  monomial_names(fit_monomials(fit), names)
}

# Only the monomials with the coefficients `needed`.
needed_monomials <- function(fit, newdata, needed) {
  table <- fit_monomials(fit)[needed, , drop = FALSE]
  columns <- sort(unique(table[table > 0]))
  newdata <- fit_columns(fit, newdata, columns)
  check_finite(newdata)
  standard <- list(center = fit$polynomial$center[columns], scale = fit$polynomial$scale[columns])
  places <- array(match(table, columns, nomatch = 0L), dim(table))
  monomial_values(standardize_rows(as.matrix(newdata), standard), places)
}

# The largest importance among the monomials of each feature: list(column, importance).
behind_monomials <- function(fit, used) {
  table <- fit_monomials(fit)[used$column, , drop = FALSE]
  importance <- tapply(rep(used$importance, ncol(table)), as.vector(table), max)
  importance <- importance[names(importance) != "0"]
  list(column = as.integer(names(importance)), importance = as.vector(importance))
}
