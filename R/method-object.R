# A method is a value: what to solve, as data. zeronorm() adds the observations and hands both to the core.

# What a constructor returns:
#   name, label, reference   the constructor, what its models are called in print, and who proposed them
#   args       all arguments of the constructor, evaluated
#   tuning     a data frame with a row for each step of the path and a column for each tuning parameter
#   steps      the same steps as new_steps() describes them; NULL: complete_path() makes both from the data
#   family     the name under which the core knows the method, and under which the family has its S3 methods
#   model      what is solved at each step, see new_model()
#   selection  how features are cut to a number and what is trained on them, see new_selection()
#   core       values that only this family reads; core_options() makes the list for the core from them
#   folds      the number of folds that a fit draws, NULL for none
#   declares   what the method can do, see declare()
new_method <- function(name, label, args, tuning, steps, reference, family = "convex", model = new_model(),
                       selection = new_selection(), core = list(), folds = NULL, declares = declare()) {
  structure(class = c(paste0("zeronorm_", family), "zeronorm_method"), list(
    name = name, label = label, args = args, tuning = tuning, steps = steps, reference = reference,
    family = family, model = model, selection = selection, core = core, folds = folds, declares = declares
  ))
}

# What is solved at each step of the path:
#   loss        "hinge", "squared_hinge", "logistic" or "squared"
#   average     what the cost parameter of the loss is divided by: nothing ("sum"), the sum of the weights
#               ("mean"), or that of each class ("class_mean")
#   limit       whether a hard margin stands for the limit of large C, which inseparable classes have as well
#   costs       the factor of each feature in the penalty, NULL for 1
#   epsilon     half the width of the tube of a regression
#   multiclass  how several classes are classified: "joint" (Weston-Watkins), "coupled" (one against the rest with
#               one regulariser), "ovr" (one against the rest, nothing shared) or "ovo" (one against one)
#   kernel      NULL for the linear kernel
#   expansion   whether the columns of the kernel matrix are the features of a linear model
#   scaled      whether the kernel is one of scaled features
#   degree      of the monomials that take the place of the features, NULL for the features themselves
#   sharing     what is penalised together by its largest |w_j|: "all" columns, the monomials of each "feature", or
#               the "outputs" of each column; NULL for nothing
#   groups      the group of each feature, NULL for none
new_model <- function(loss = "hinge", average = "sum", limit = FALSE, costs = NULL, epsilon = NULL,
                      multiclass = "coupled", kernel = NULL, expansion = FALSE, scaled = FALSE, degree = NULL,
                      sharing = NULL, groups = NULL) {
  list(loss = loss, average = average, limit = limit, costs = costs, epsilon = epsilon, multiclass = multiclass,
       kernel = kernel, expansion = expansion, scaled = scaled, degree = degree, sharing = sharing, groups = groups)
}

# How features are cut to a number and what is trained on them, from the arguments of a constructor that has them:
#   nonzero           numbers of features, "path", or NULL: not cut; path: whether NULL stands for "path"
#   refit             the model trained on the selected features, one of `refits`
#   refit_C           its cost parameter; search_C: whether NULL stands for the C of the search
#   refit_multiclass  how that model classifies several classes
new_selection <- function(args = list(), refits = c("l2", "l1", "none"), path = FALSE, search_C = FALSE) {
  refit <- if ("refit" %in% names(args)) check_choice(args$refit, "refit", refits) else "none"
  refit_C <- argument_or(args, "refit_C", Inf)
  if (!search_C || !is.null(refit_C)) refit_C <- check_number(refit_C, "refit_C", open_lower = TRUE, infinite = TRUE)
  multiclass <- argument_or(args, "refit_multiclass", "ovr")
  list(nonzero = check_nonzero(if (path && is.null(args$nonzero)) "path" else args$nonzero),
       refit = refit,
       # Least squares has no cost parameter.
       refit_C = if (refit == "ls") Inf else refit_C,
       refit_multiclass = check_choice(multiclass, "refit_multiclass", c("m_svm", "ovr")))
}

# An argument of a constructor, or `default` where the constructor has no such argument.
argument_or <- function(args, name, default) if (name %in% names(args)) args[[name]] else default

# What a method can do:
#   tasks, takes  all tasks of the method, and those that its arguments leave
#   selects       what coefficients belong to, "features" or "observations"
#   first         whether features are always selected first and the model is trained on them afterwards
#   sparse        whether x may be a sparse matrix
#   blocks        the tasks for which x may be read from a disk in blocks
#   certificate   "gap" or "stationarity"
#   descends      whether the objective never rises
#   max_features  the largest number of features
#   chooses       what the parameter is called that the method finds for itself
#   soft          advice where a hard margin fails because the classes are not separable
declare <- function(tasks = "two-class", takes = tasks, selects = "features", first = FALSE, sparse = TRUE,
                    blocks = character(), certificate = "gap", descends = TRUE, max_features = Inf, chooses = "C",
                    soft = "Use a finite C.") {
  list(tasks = tasks, takes = takes, selects = selects, first = first, sparse = sparse, blocks = blocks,
       certificate = certificate, descends = descends, max_features = max_features, chooses = chooses,
       soft = soft)
}

# The arguments of the calling constructor, evaluated, which have to be named in full.  Those that have no default
# and are not given are an error with the advice in `needed`, a vector named by them.
arguments <- function(needed = character()) {
  check_argument_names(2)
  frame <- parent.frame()
  for (name in names(needed)) {
    if (eval(call("missing", as.name(name)), frame)) stop_zeronorm(name, "is missing.", needed[[name]])
  }
  mget(names(formals(sys.function(-1))), envir = frame)
}

new_steps <- function(l1, ridge, slack, hard = FALSE, lambda = 1) {
  same_lengths(l1 = l1, ridge = ridge, slack = slack, hard = hard, lambda = lambda)
}

# A data frame of plain vectors, the shorter ones repeated; data.frame() takes longer than a small fit.
same_lengths <- function(...) {
  columns <- list(...)
  list2DF(lapply(columns, rep_len, max(lengths(columns))))
}

# C = Inf means no slack at all.
steps_of_C <- function(C, l1, ridge) {
  hard <- is.infinite(C)
  new_steps(l1, ridge, ifelse(hard, 1, C), hard)
}

check_C <- function(C, argument = "C") check_numbers(C, argument, open_lower = TRUE, infinite = TRUE)

check_costs <- function(costs) {
  if (is.null(costs)) return(NULL)
  structure(check_numbers(costs, "costs"), names = names(costs))
}

class_tasks <- c("two-class", "k-class", "multi-label")
all_tasks <- c(class_tasks, "regression")

# One to four values in full, more by their ends.
format_values <- function(value) {
  if (is.null(value)) return("NULL")
  if (inherits(value, c("zeronorm_penalty", "zeronorm_kernel"))) return(format(value))
  if (is.function(value)) return("function")
  if (is.list(value)) return(paste0("list(", paste(names(value), vapply(value, format_values, ""),
                                                   sep = " = ", collapse = ", "), ")"))
  if (!is.null(dim(value))) return(paste(paste(dim(value), collapse = " x "), "matrix"))
  text <- if (is.character(value)) paste0("\"", value, "\"") else vapply(value, format, "", digits = 4)
  if (length(text) == 1) return(text)
  if (length(text) <= 4) return(paste0("c(", paste(text, collapse = ", "), ")"))
  paste0(text[1], ", ", text[2], ", ..., ", text[length(text)], " (", length(text), " values)")
}

#' @method format zeronorm_method
#' @export
format.zeronorm_method <- function(x, ...) {
  defaults <- formals(method_constructors()[[x$name]])
  changed <- vapply(names(x$args), function(name) !same_default(x$args[[name]], defaults[[name]], x$args), NA)
  shown <- vapply(x$args[changed], format_values, "")
  paste0(x$name, "(", paste(names(shown), shown, sep = " = ", recycle0 = TRUE, collapse = ", "), ")")
}

# The same method with some arguments changed.  Defaults that are made of other arguments follow these.
change_method <- function(method, changes) {
  construct <- method_constructors()[[method$name]]
  defaults <- formals(construct)
  given <- vapply(names(method$args), function(name) {
    !same_default(method$args[[name]], defaults[[name]], method$args)
  }, NA)
  args <- method$args[given & !names(method$args) %in% names(changes)]
  do.call(construct, c(args, changes), quote = TRUE)
}

# An argument without a default always counts as changed; a default may be made of other arguments.
same_default <- function(value, default, args) {
  if (is.symbol(default)) return(FALSE)
  identical(value, eval(default, args, topenv()))
}

#' @method print zeronorm_method
#' @export
print.zeronorm_method <- function(x, ...) {
  cat("<zeronorm method> ", x$label, "\n  ", format(x), "\n  ", x$reference, "\n", sep = "")
  invisible(x)
}
