# Everything about the observations that the core or the verbs need, checked.
new_problem <- function(x, labels, method, settings, weights, foldid) {
  d <- ncol(x$x)
  check_max_features(method, d)
  check_weighable(method, list(weights = weights, class_weights = settings$class_weights))
  case_weights <- check_weights(weights, labels$class)
  class_weights <- check_class_weights(settings$class_weights, labels$class, labels$levels, case_weights)
  problem <- list(
    x = x$x, tile = x$tile, y = as.matrix(labels$y), task = labels$task, levels = labels$levels,
    class = labels$class,
    outputs = output_names(labels), names = x$names, encoding = x$encoding, n = nrow(x$x), d = d,
    case_weights = case_weights, weights = case_weights * class_weights,
    unpenalized = sort(union(check_variables(settings$unpenalized, "unpenalized", x), x$covariates)),
    keep = check_variables(settings$keep, "keep", x),
    costs = match_features(method$model$costs, "costs", x$names, d),
    groups = match_features(check_grouping(method, settings$groups), "groups", x$names, d),
    folds = fold_numbers(method, labels$class, foldid)
  )
  problem <- pair_classes(problem, method)
  problem <- share_prices(expand_monomials(problem, method, settings), method)
  if (!is.null(method$model$kernel)) {
    apart <- list(unpenalized = problem$unpenalized, keep = if (!is_elimination(method)) problem$keep)
    apart <- names(apart)[lengths(apart) > 0]
    if (length(apart)) {
      stop_zeronorm(apart[1], "is given with a kernel.",
                    "Only linear machines treat features apart; leave it out.")
    }
    problem$machine <- kernel_machine(method$model$kernel, x$x, case_weights, settings$standardize,
                                      method$model$scaled)
    problem$machine$expansion <- method$model$expansion
  }
  problem$nonzero <- target_sizes(method$selection$nonzero, coefficient_count(problem), problem)
  prepare_problem(method, problem)
}

# Rows with a weight above zero; the others count for nothing.
counted_rows <- function(problem) which(problem$case_weights > 0)

# Whether columns of the kernel matrix are the features.
expands <- function(problem) isTRUE(problem$machine$expansion)

coefficient_count <- function(problem) if (expands(problem)) problem$n else ncol(problem$x)

# Weights multiply slacks, where a method has any that it does not treat as features.
check_weighable <- function(method, given) {
  given <- names(given)[!vapply(given, is.null, NA)]
  if (!length(given)) return(invisible())
  if (any(method$steps$hard) && !method$model$limit) {
    stop_zeronorm(given[1], paste0("is given but ", format(method), " has a hard margin: no slacks."),
                  "Leave it out, or allow slacks (a finite C, or `errors`).")
  }
  if (has_slack_features(method)) {
    stop_zeronorm(given[1], paste0("is given but in ", format(method), " slacks are features."),
                  "Leave it out, or use arom(\"l2\", errors = \"l2\") or arom(\"l1\", errors = \"l1\").")
  }
}

# Names of the decision functions where there are several.
output_names <- function(labels) if (labels$task %in% c("k-class", "multi-label")) labels$levels

# One number for each column, in the order of the columns or by their names.
match_features <- function(values, argument, names, d) {
  if (is.null(values)) return(NULL)
  if (length(values) != d) {
    stop_zeronorm(argument, paste0("has length ", length(values), " but `x` has ", d, " columns."),
                  "Give one entry for every column.")
  }
  if (is.null(names(values)) || is.null(names) || identical(names(values), names)) return(as.double(values))
  if (anyDuplicated(names) || !setequal(names(values), names)) {
    stop_zeronorm(argument, "has names that are not those of the columns of `x`.",
                  "Name each column once, or leave the names out and keep the order of the columns.")
  }
  as.double(values[names])
}

# The groups of features, given to the method or to zeronorm().
check_grouping <- function(method, groups) {
  if (is.null(groups)) return(method$model$groups)
  if (!"groups" %in% names(method$args)) {
    stop_zeronorm("groups", paste0("is given but ", method$name, "() has no groups of features."),
                  "Leave it out.")
  }
  if (!is.null(method$model$groups)) {
    stop_zeronorm("groups", "is given twice: to zeronorm() and to the method.", "Give it once.")
  }
  check_groups(groups)
}

# Columns that are never dropped, with the rest of their groups.
forced_columns <- function(problem) {
  forced <- union(problem$unpenalized, problem$keep)
  if (is.null(problem$groups)) forced else which(problem$groups %in% problem$groups[forced])
}

# The numbers of columns that the core keeps: sizes count selected features, and unpenalised columns come on
# top.  "path": all features, half of them, a quarter, ..., 1.
target_sizes <- function(nonzero, d, problem) {
  if (is.null(nonzero)) return(integer())
  above <- length(problem$unpenalized)
  features <- d - above
  if (features == 0) stop_zeronorm("unpenalized", "names all features.", "Leave some to select from.")
  forced <- length(forced_columns(problem)) - above
  if (identical(nonzero, "path")) {
    sizes <- as.integer(features %/% 2^(0:floor(log2(features))))
    return(above + sizes[sizes >= forced])
  }
  if (any(nonzero > features)) {
    stop_zeronorm("nonzero", paste0("asks for ", max(nonzero), " features of ", features,
                                    if (above) " that are penalised", "."), paste0("Use at most ", features, "."))
  }
  if (any(nonzero < forced)) {
    stop_zeronorm("nonzero", paste0("asks for ", min(nonzero), " features, but ", forced, " are in `keep`."),
                  "Ask for more, or keep fewer.")
  }
  above + nonzero
}

fold_numbers <- function(method, class, foldid) {
  if (is.null(method$folds)) return(integer())
  if (!is.null(foldid)) return(foldid)
  if (min(table(class)) < 2) {
    stop_zeronorm("y", paste0("has a class with one observation, but ", method$name,
                              "() cross-validates."), "Two of each class are needed.")
  }
  draw_folds(class, min(method$folds, length(class)))
}

check_task <- function(method, labels) {
  takes <- method$declares$takes
  if (labels$task %in% takes) return(invisible())
  others <- paste0(task_methods(labels$task), "()", collapse = ", ")
  found <- switch(labels$task,
    "two-class" = "has two classes",
    "k-class" = paste("has", length(labels$levels), "classes"),
    "multi-label" = "is a matrix of labels",
    regression = "is numeric, which means regression"
  )
  found <- paste0(found, ", but ", format(method), " takes ", paste(takes, collapse = ", "), " only.")
  stop_zeronorm("y", found, paste0("Use one of ", others, "."))
}

check_weights <- function(weights, class) {
  if (is.null(weights)) return(rep(1, length(class)))
  if (is.numeric(weights) && length(weights) != length(class)) {
    stop_zeronorm("weights", paste0("has length ", length(weights), " but `x` has ", length(class), " rows."),
                  "Give one weight for every row.")
  }
  weights <- check_numbers(weights, "weights")
  if (any(rowsum(weights, class) == 0)) {
    stop_zeronorm("weights", "are all zero in one class.", "Give every class some weight.")
  }
  weights
}

# One factor per observation.
check_class_weights <- function(class_weights, class, levels, weights) {
  if (is.null(class_weights)) return(rep(1, length(class)))
  class <- match(class, sort(unique(class)))
  if (length(levels) != max(class)) {
    stop_zeronorm("class_weights", "is given but y has no classes.", "Use `weights`.")
  }
  if (identical(class_weights, "balanced")) {
    share <- rowsum(weights, class)[, 1] / sum(weights)
    class_weights <- 1 / (length(levels) * share)
  } else {
    if (length(class_weights) != length(levels) || !setequal(names(class_weights), levels)) {
      stop_zeronorm("class_weights", paste0("is ", describe(class_weights), "."),
                    paste0("Use \"balanced\" or numbers named ", enumerate(levels), "."))
    }
    class_weights <- check_numbers(class_weights[levels], "class_weights", open_lower = TRUE)
  }
  unname(class_weights[class])
}
