# The data of a proof, and questions about sets of its features.

# The data of a proof, as list(x, y, names, features, unpenalized, request): x a double matrix without missing
# values, made of the features, and y in {-1, +1}. Data of a fit are encoded as the fit encoded its own, and
# come with the request that made it.
proof_data <- function(fit, x, y) {
  if (is.null(fit)) {
    source <- if (inherits(x, "formula")) read_source(formula_source(x, if (missing(y)) NULL else y))
              else read_source(x, y)
    features <- source$x
    labels <- encode_y(source$y, nrow(features$x), "classification")
    check_names_of_rows(source$y, "y", rownames(features$x))
    if (labels$task != "two-class") stop_zeronorm("y", "has several classes.", "Give labels of two classes.")
    request <- NULL
  } else {
    request <- request_of(fit, x, y)
    if (observations(request) != fit$n) {
      stop_zeronorm("x", paste("has", observations(request), "rows, but the fit saw", fit$n, "observations."),
                    "Give the data of the fit.")
    }
    features <- request$x
    labels <- request$labels
    check_both_present(labels)
    if (!is.null(fit$imputation)) features$x <- fill_in(features$x, fit$imputation)
  }
  if (is_delayed(features$x)) stop_zeronorm("x", "is on a disk.", "Give a matrix in memory.")
  if (!all_finite(features$x)) stop_not_finite(features$x, "x")
  values <- as.matrix(features$x)
  storage.mode(values) <- "double"
  dimnames(values) <- NULL
  list(x = values, y = as.double(labels$y), names = features$names, features = features,
       unpenalized = fit$unpenalized, request = request)
}

# What the core is asked. Its columns are those of the data in the order `columns`: the first `always` belong
# to every set and count for nothing.
new_proof_task <- function(data, errors, hinge, always = data$unpenalized) {
  d <- ncol(data$x)
  columns <- c(always, setdiff(seq_len(d), always))
  if (length(always) == d) stop_zeronorm("x", "has no penalised features.", "There is nothing to prove.")
  list(x = if (length(always)) data$x[, columns, drop = FALSE] else data$x, y = data$y,
       always = length(always), columns = columns, names = data$names, errors = errors,
       hinge = if (is.null(hinge)) 0 else check_number(hinge, "hinge", lower = 0))
}

core_task <- function(task, y = task$y) {
  list(x = task$x, y = y, always = task$always, errors = task$errors, hinge = task$hinge)
}

# Without any feature no two observations differ.
least_size <- function(task) if (task$always > 0) 0 else 1

# Whether a constant keeps within what is forgiven.
needs_no_feature <- function(task) {
  smaller <- smaller_class(task$y)
  task$errors >= smaller || task$hinge * (1 + 1e-9) >= 2 * smaller
}

smaller_class <- function(y) min(sum(y > 0), sum(y < 0))

every_feature <- function(task) task$always + seq_len(count_features(task))

count_features <- function(task) ncol(task$x) - task$always

# Columns of the data as those of the core, without the ones that belong to every set.
as_core_columns <- function(columns, task) {
  at <- match(columns, task$columns)
  sort(at[at > task$always])
}

# The task on the columns of some sets alone: list(task, sets), with the position of each column in the whole
# task.
narrowed <- function(task, sets) {
  used <- c(seq_len(task$always), sort(unique(unlist(sets))))
  task$x <- task$x[, used, drop = FALSE]
  list(task = core_task(task), sets = lapply(sets, match, used), used = used)
}

# The answer for each set, with what proves it. nodes: how many sub-problems may be spent on errors.
decide <- function(task, sets, seconds = Inf, precise = FALSE, nodes = 0) {
  part <- narrowed(task, sets)
  found <- decide_core(part$task, part$sets, precise, as.integer(nodes), seconds)
  Map(function(one, set) replace(one, "set", list(set)), found, sets)
}

answers <- function(decisions) vapply(decisions, `[[`, "", "answer")

# Those of the sets that separate.
separating <- function(task, sets, seconds = Inf, ...) {
  if (!length(sets)) return(list())
  decisions <- decide(task, sets, seconds, ...)
  decisions[answers(decisions) == "yes"]
}

# Whether the weights of sets that were found prove that they separate.
proven_by_weights <- function(task, found) {
  if (!length(found)) return(logical())
  part <- narrowed(task, lapply(found, `[[`, "set"))
  proves_core(part$task, Map(function(one, set) replace(one, "set", list(set)), found, part$sets))
}

# Solution k of a fit on its data: its columns, weights and the observations on the wrong side.
own_solution <- function(fit, k, data) {
  w <- dense_column(fit$coefficients, k)
  f <- as.vector(data$x %*% w) + fit$intercept[k]
  list(columns = selected_columns(fit, k), w = w, f = f, errors = which((f > 0) != (data$y > 0)))
}

# The set of a solution, where its own weights prove that it separates.
found_by_weights <- function(task, own) {
  set <- as_core_columns(own$columns, task)
  whole <- c(seq_len(task$always), set)
  if (!length(whole) || length(own$errors) >= smaller_class(task$y)) return(list())
  x <- task$x[, whole, drop = FALSE]
  weights <- own$w[task$columns[whole]] * (apply(x, 2, max) - apply(x, 2, min))
  right <- setdiff(seq_along(task$y), own$errors)
  f <- own$f[right]
  gap <- min(f[task$y[right] > 0]) - max(f[task$y[right] < 0])
  found <- list(list(set = set, answer = "yes", weights = cbind(weights, 0), intercept = matrix(0, 1, 2),
                     errors = own$errors, margin = gap / sqrt(sum(weights^2))))
  found[proven_by_weights(task, found)]
}

standardised <- function(x) {
  spread <- apply(x, 2, stats::sd)
  scale(x, colMeans(x), ifelse(spread > 0, spread, 1))[, , drop = FALSE]
}
