# Methods that drop features in each iteration: svm_rfe(), sensitivity_rfe(), bound_rfe(), logistic_rfe() and obd().

# They share the arguments nonzero, step, groups and group_score, and some have retrain. core: what the core reads
# beside these; ...: passed to declare().
new_elimination <- function(name, label, args, tuning, steps, reference, selection, core, family = "elimination",
                            kernel = NULL, loss = "hinge", limit = TRUE, ...) {
  core <- c(core, list(
    retrain = check_flag(argument_or(args, "retrain", FALSE), "retrain"), step = check_step(args$step),
    group_score = check_choice(args$group_score, "group_score", c("sum", "mean"))
  ))
  new_method(name, label, args, tuning, steps, reference, family,
             model = new_model(loss = loss, limit = limit, kernel = kernel, scaled = !is.null(kernel),
                               groups = check_groups(args$groups)),
             selection = selection, core = core, declares = declare(..., descends = FALSE))
}

# The kernel machine of the features that stayed is the classifier.
check_kernel_rfe <- function(kernel, refit, refit_C, kinds = c("gaussian", "poly", "chi2")) {
  check_scalable(kernel, kinds)
  if (!identical(refit, "l2")) {
    stop_zeronorm("refit", paste0("is ", describe(refit), " with a kernel."), "Leave it out.")
  }
  if (!is.null(refit_C) && !identical(refit_C, Inf)) {
    stop_zeronorm("refit_C", "is given with a kernel, whose machines all have the same C.", "Leave it out.")
  }
}

core_options.zeronorm_elimination <- function(method, problem, steps) {
  c(method$core, list(groups = problem$groups))
}

core_options.zeronorm_bound_elimination <- core_options.zeronorm_elimination

check_step <- function(step) {
  step <- check_number(step, "step", open_lower = TRUE)
  if (step < 1) step else check_count(step, "step")
}

check_groups <- function(groups) {
  advice <- "Give one group for every column: a factor, whole numbers or names of groups."
  if (is.null(groups)) return(NULL)
  if (!is.factor(groups) && !is.character(groups) && !(is.numeric(groups) && is.null(dim(groups)))) {
    stop_zeronorm("groups", paste0("is ", describe(groups), "."), advice)
  }
  if (anyNA(groups)) stop_zeronorm("groups", "has missing values.", advice)
  structure(match(groups, unique(groups)), names = names(groups))
}

# Elimination with models of any loss and the weight lambda of |w|^2.
ridge_elimination <- function(name, label, args, reference, loss, ...) {
  lambda <- check_numbers(args$lambda, "lambda", open_lower = TRUE)
  new_elimination(name, label, args, tuning = data.frame(lambda = lambda), steps = new_steps(0, 2 * lambda, 1),
                  reference = reference, loss = loss, limit = FALSE, selection = new_selection(args, path = TRUE), ...)
}

# Kernel machines have no l1 norm.
check_kernel_refit <- function(refit, kernel) {
  if (!is.null(kernel) && identical(refit, "l1")) stop_zeronorm("refit", "is \"l1\" with a kernel.", "Use \"l2\".")
}

is_elimination <- function(method) inherits(method, c("zeronorm_elimination", "zeronorm_bound_elimination"))
