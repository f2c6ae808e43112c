# Methods x odd situations x verbs.  A unit is a method on a situation, fitted once; a cell is what one verb makes of
# it.
# Everything follows from the number of the unit.

# What an error may name: an argument of any function of the package.
known_arguments <- local({
  space <- asNamespace("zeronorm")
  exported <- getNamespaceExports(space)
  methods <- Filter(function(name) is.function(get(name, space)), ls(space, pattern = "[.](zeronorm|default|formula)"))
  functions <- c(Filter(is.function, mget(intersect(exported, ls(space)), space)), mget(methods, space))
  unique(unlist(lapply(functions, function(f) names(formals(f)))))
})

# Complaints about the conditions that `code` signals, and its value.  An error of the package that names an argument
# is an answer: `refused`.
attempt <- function(code) {
  found <- character()
  refused <- said <- ""
  value <- withCallingHandlers(
    tryCatch(code, error = function(e) {
      text <- gsub("\n", " ", conditionMessage(e))
      if (!inherits(e, "zeronorm_error")) {
        found <<- c(found, paste("R error:", text))
      } else if (!e$argument %in% known_arguments) {
        found <<- c(found, paste("error names no argument:", text))
      } else {
        refused <<- e$argument
        said <<- text
      }
      NULL
    }),
    warning = function(w) {
      if (!inherits(w, "zeronorm_warning")) found <<- c(found, paste("R warning:", conditionMessage(w)))
      invokeRestart("muffleWarning")
    },
    message = function(m) {
      if (!inherits(m, "zeronorm_message")) found <<- c(found, paste("R message:", conditionMessage(m)))
      invokeRestart("muffleMessage")
    }
  )
  list(value = value, complaints = unique(found), refused = refused, said = said)
}

# For verbs: what has to be an error that names this argument.
expect_refusal <- function(code, argument) {
  error <- tryCatch({
    code
    NULL
  }, error = identity)
  if (is.null(error)) return("is not refused")
  if (!inherits(error, "zeronorm_error")) stop(error)
  complain(error$argument != argument, "refused for `", error$argument, "` in place of `", argument, "`")
}

# The random numbers of the fit once more.
with_draws <- function(run, code) {
  set.seed(run$unit)
  code
}

# Methods that are quick on any data.
quick <- c("l1_svm", "l2_svm", "rlp", "arom", "fsv", "svm_rfe", "correlation_filter", "top_weights", "lasso",
           "multiplicative_update", "forward_ls", "ranking_filter", "l2_l1_svm", "grafting", "logistic_rfe",
           "sparse_fisher", "dca", "generalized_lasso")

# Each method meets each situation before any meets one again; later rounds have other tasks and arguments.
draw_unit <- function(unit) {
  set.seed(unit, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  m <- nrow(listed)
  name <- listed$method[1 + unit %% m]
  # Three situations further with each method, so that every situation has its turn soon.
  odd <- names(situations)[1 + (unit %/% m + 3 * (unit %% m)) %% length(situations)]
  round <- unit %/% (m * length(situations))
  tasks <- strsplit(listed$task[listed$method == name], ", ")[[1]]
  for (task in unique(c(some_of(tasks), "two-class", sample(tasks)))) {
    s <- situations[[odd]](task)
    if (!is.null(s)) break
  }
  if (is.null(s) || s$heavy && !name %in% quick) return(NULL)
  d <- max(2, NCOL(s$newdata))
  method <- if (round == 0 && task %in% default_methods[[name]]$declares$takes) default_methods[[name]]
            else draw_method(name, 16, min(d, 5), task)
  if (!task %in% method$declares$takes) {
    task <- method$declares$takes[1]
    s <- situations[[odd]](task)
  }
  if (is.null(s)) return(NULL)
  # Later rounds put two situations together where the second is one of settings for data of the same size.
  if (round > 0 && !length(s$settings) && is.null(s$refused) && chance(0.5)) {
    more <- situations[[some_of(names(situations))]](task)
    if (length(more$settings) && is.null(more$refused) && is.null(more$settings$impute) && NROW(s$x) == 16 &&
          NCOL(s$x) == 5) {
      s$settings <- more$settings
      odd <- paste0(odd, " + ", paste(names(more$settings), collapse = ", "))
    }
  }
  settings <- s$settings
  if (task == "regression") settings$task <- "regression"
  if (!is.null(settings$groups) && !"groups" %in% names(method$args)) settings$groups <- NULL
  list(unit = unit, name = name, method = method, situation = odd, task = task, s = s, settings = settings)
}

default_methods <- asNamespace("zeronorm")$example_methods()

# The unit with its fit, and what that was answered.
run_unit <- function(unit) {
  run <- draw_unit(unit)
  if (is.null(run)) return(NULL)
  run$answer <- attempt(with_draws(run, do.call(zeronorm, c(list(run$s$x, run$s$y, method = run$method), run$settings),
                                                quote = TRUE)))
  run$fit <- run$answer$value
  if (is.null(run$fit)) return(run)
  request <- encoded(run)
  x <- if (is.null(run$fit$imputation)) request$x$x else core$fill_in(request$x$x, run$fit$imputation)
  run$x <- as.matrix(x)
  run$labels <- request$labels
  run
}

# The request of a run: features as a matrix, and labels as the core takes them.
encoded <- function(run) {
  formula <- inherits(run$s$x, "formula")
  data <- if (formula) list(core$formula_source(run$s$x, run$s$y)) else list(run$s$x, run$s$y)
  suppressMessages(do.call(core$new_request, c(data, list(method = run$method), run$settings), quote = TRUE))
}

# The first cell of a unit: whether it was right to answer or to refuse, and the grades of the problems.
check_fit <- function(run) {
  a <- run$answer
  expected <- run$s$refused
  c(a$complaints,
    if (grepl("not separable", a$said)) check_inseparable(run),
    if (!is.null(expected)) {
      if (is.null(run$fit)) complain(nzchar(a$refused) && a$refused != expected, "refused for `", a$refused,
                                     "` in place of `", expected, "`: ", a$said)
      else paste0("is not refused, which should name `", expected, "`")
    },
    if (!is.null(run$fit)) grade_run(run))
}

# That classes are not separable must be true.
check_inseparable <- function(run) {
  if (run$task != "two-class" || !is.null(run$method$model$kernel) || !is.null(run$method$model$degree)) return(NULL)
  if (isFALSE(run$settings$intercept)) return(NULL)
  data <- encoded(run)
  x <- as.matrix(data$x$x)
  x <- scale(x)[, apply(x, 2, function(v) any(v != v[1])), drop = FALSE]
  fit <- tryCatch(zeronorm(x, data$labels$class == 2, l1_svm(1e6), standardize = FALSE),
                  zeronorm_error = function(e) NULL)
  complain(!is.null(fit) && certificate(fit)$errors == 0,
           "refused as not separable, but another method separates")
}

# As torture's problems are graded, in plain R from the data.
grade_run <- function(run) {
  if (run$task == "multi-label" && any(is.na(run$labels$y))) return(NULL)
  settings <- run$fit$settings
  y <- switch(run$labels$task,
    regression = run$labels$y,
    "multi-label" = (run$labels$y > 0) + 0,
    factor(run$labels$levels[run$labels$class], run$labels$levels)
  )
  weights <- if (is.null(run$fit$weights)) rep(1, nrow(run$x)) else run$fit$weights
  problem <- list(name = run$name, method = run$fit$method, task = run$labels$task, x = run$x, y = y,
                  settings = list(standardize = settings$standardize, intercept = settings$intercept, weights = weights,
                                  class_weights = settings$class_weights, unpenalized = run$fit$unpenalized,
                                  keep = index_of(settings$keep, run$x)),
                  absurd = TRUE)
  problem$absurd <- is_absurd(run$x, y, problem$settings)
  if (problem$absurd || anyDuplicated(colnames(run$x))) return(NULL)
  names <- colnames(run$x)
  grade_fit(problem, run$fit)
}

index_of <- function(columns, x) if (is.character(columns)) match(columns, colnames(x)) else columns

cell_names <- function() c("fit", names(verbs))

# What one verb makes of a run: list(outcome, failures, said); NULL where there is nothing to do.
run_cell <- function(run, cell) {
  if (cell == "fit") {
    found <- tryCatch(check_fit(run), error = function(e) paste("grading stopped:", conditionMessage(e)))
    return(list(outcome = if (nzchar(run$answer$refused)) paste("refused:", run$answer$refused) else "answered",
                failures = found, said = run$answer$said))
  }
  if (is.null(run$fit) || !length(solved(run$fit)) || run$s$heavy && cell %in% fitting_again) return(NULL)
  set.seed(run$unit)
  a <- attempt(verbs[[cell]](run))
  failures <- c(a$complaints, if (!nzchar(a$refused)) a$value)
  list(outcome = if (nzchar(a$refused)) paste("refused:", a$refused) else "answered", failures = failures,
       said = a$said)
}

# What a child does: a line before and after each cell.
run_units <- function(units, file, after = "") {
  for (unit in units) {
    say <- function(...) cat(unit, ..., file = file, append = TRUE, sep = ",")
    say("start", "started\n")
    run <- tryCatch(run_unit(unit), error = function(e) e)
    if (is.null(run)) next
    if (inherits(run, "error")) stop("unit ", unit, ": ", conditionMessage(run))
    cells <- if (nzchar(after)) cell_names()[-seq_len(match(after, cell_names()))] else cell_names()
    after <- ""
    for (cell in cells) {
      say(cell, "started\n")
      began <- proc.time()[[3]]
      r <- run_cell(run, cell)
      if (is.null(r)) next
      say(cell, "done", run$name, quote_field(run$situation), run$task, quote_field(r$outcome),
          quote_field(r$failures), format(proc.time()[[3]] - began, digits = 3), paste0(quote_field(r$said), "\n"))
    }
  }
  cat("finished\n", file = file, append = TRUE)
}

quote_field <- function(text) paste0("\"", gsub("[\"\n,]", " ", paste(text, collapse = "; ")), "\"")

# Rscript torture.R unit UNIT [CELL]: one unit with all that there is to say about it.
show_unit <- function(unit, cells = cell_names()) {
  run <- run_unit(unit)
  if (is.null(run)) return(cat("There is no such unit.\n"))
  cat(format(run$method), "on", run$situation, "for", run$task, "\n")
  str(run$s$x, list.len = 5)
  str(run$s$y, list.len = 5)
  str(run$settings)
  for (cell in cells) {
    r <- run_cell(run, cell)
    if (!is.null(r)) cat(cell, ": ", r$outcome, " ", paste(r$failures, collapse = "; "), " ", r$said, "\n", sep = "")
  }
}
