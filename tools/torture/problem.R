# One problem from its seed, and what becomes of it.

# Computed once: a list of all methods takes longer than most fits.
listed <- zeronorm_methods()

draw_problem <- function(seed) {
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  name <- listed$method[1 + seed %% nrow(listed)]
  tasks <- strsplit(listed$task[listed$method == name], ", ")[[1]]
  task <- if (chance(0.6)) "two-class" else some_of(tasks)
  most <- method_sizes(name)
  n <- draw_size(if (task == "k-class") 4 else 2, most[1])
  d <- draw_size(1, most[2])
  method <- draw_method(name, n, d, task)
  takes <- method$declares$takes
  if (!task %in% takes) task <- if ("two-class" %in% takes) "two-class" else takes[1]
  columns <- draw_columns(n, d)
  if (chance(0.5)) colnames(columns$x) <- paste0("g", seq_len(d))
  y <- draw_labels(columns$x, task)
  settings <- draw_settings(n, d, y, task)
  # A few of the absurd are enough: engines take long to give up on them.
  if (is_absurd(columns$x, y, settings) && chance(0.8)) settings$standardize <- settings$intercept <- NULL
  if (chance(0.05)) settings$engine <- some_of(c("simplex", "dual", "newton", "active_set", "smooth"))
  list(seed = seed, name = name, method = method, task = task, x = columns$x, y = y, settings = settings,
       kinds = columns$kinds, checks = some_of(c("none", "again", "sparse", "engine")),
       absurd = is_absurd(columns$x, y, settings))
}

# zeronorm() on the problem: list(fit, error, warnings, seconds).  The draws of a method repeat.
fit_problem <- function(problem, x = problem$x, engine = NULL) {
  settings <- problem$settings
  if (!is.null(engine)) settings$engine <- engine
  # Another engine may take seconds for hundreds of rounds, whose end is not compared.
  if (!is.null(engine) && !compared(problem)) settings$control <- zeronorm_control(max_rounds = 5)
  if (problem$task == "regression") settings$task <- "regression"
  warnings <- character()
  set.seed(problem$seed)
  started <- proc.time()[[3]]
  fit <- tryCatch(
    withCallingHandlers(
      suppressMessages(do.call(zeronorm, c(list(x, problem$y, problem$method), settings), quote = TRUE)),
      warning = function(w) {
        warnings <<- c(warnings, conditionMessage(w))
        invokeRestart("muffleWarning")
      }
    ),
    error = identity
  )
  failed <- inherits(fit, "error")
  list(fit = if (!failed) fit, error = if (failed) fit, warnings = warnings,
       seconds = proc.time()[[3]] - started)
}

# list(seed, method, outcome, failures, seconds, absurd): the outcome is "optimal", "refused: ..." with the
# argument named, or a status.
run_problem <- function(seed) {
  problem <- draw_problem(seed)
  run <- fit_problem(problem)
  failures <- foreign_warnings(run$warnings)
  if (is.null(run$fit)) {
    outcome <- error_outcome(run$error)
    failures <- c(failures, grade_error(problem, run$error))
  } else {
    status <- certificate(run$fit)$status
    outcome <- c(setdiff(status, c("optimal", no_solution)), "optimal")[1]
    failures <- c(failures, tryCatch(grade_fit(problem, run$fit), error = function(e) {
      paste("grading stopped:", conditionMessage(e))
    }))
  }
  failures <- c(failures, compare_again(problem, run))
  list(seed = seed, method = problem$name, outcome = outcome, failures = unique(failures),
       seconds = run$seconds,
       absurd = problem$absurd, said = if (!is.null(run$error)) conditionMessage(run$error) else "")
}

foreign_warnings <- function(warnings) {
  foreign <- warnings[!grepl("^(! )?zeronorm: ", warnings)]
  if (length(foreign)) paste("warning:", foreign)
}

failed_status <- "^`method`: .* failed: ([a-z ]+)[.].*$"

# That there is no solution is an answer.
no_solution <- c("unbounded", "not separable")

error_outcome <- function(error) {
  if (!inherits(error, "zeronorm_error")) return("uncaught error")
  said <- gsub("\n", " ", conditionMessage(error))
  if (error$argument == "method" && grepl(failed_status, said)) {
    status <- sub(failed_status, "\\1", said)
    return(if (status %in% no_solution) paste("refused:", status) else status)
  }
  paste0("refused: ", error$argument)
}

# Errors of the package alone, that name an argument; "not separable" must be true, and that there is no
# minimum.
grade_error <- function(problem, error) {
  if (!inherits(error, "zeronorm_error")) return(paste("uncaught:", conditionMessage(error)))
  said <- conditionMessage(error)
  kernel <- grepl("kernel", format(problem$method))
  plain <- problem$task == "two-class" && !kernel &&
    problem$name != "quadratic_fsv" && !isTRUE(problem$method$model$degree > 1)
  c(complain(!grepl(paste0("`", error$argument, "`"), said, fixed = TRUE), "error names no argument: ", said),
    if (grepl("not separable", said) && plain && !problem$absurd) {
      complain(isTRUE(separates(problem)), "refused as not separable, but the classes are")
    },
    # A kernel's values may be so large that its ridge is next to none.
    if (grepl("the loss has no minimum", said) && !problem$absurd && !kernel) {
      complain(isFALSE(tells_apart(problem)), "refused for a loss without a minimum, which it has")
    })
}

# A second call is the same; sparse data and another engine find the same minimum.
compare_again <- function(problem, run) {
  switch(problem$checks,
    again = compare_twice(problem, run),
    sparse = if (problem$method$declares$sparse) {
      compare_minima(run, fit_problem(problem, as(problem$x, "CsparseMatrix")), problem, "sparse data")
    },
    engine = if (is.null(problem$settings$engine)) {
      for (engine in sample(c("highs", "osqp", "simplex", "newton", "dual", "active_set"))) {
        other <- fit_problem(problem, engine = engine)
        if (!is.null(other$fit)) return(compare_minima(run, other, problem, paste("engine", engine)))
      }
    }
  )
}

compare_twice <- function(problem, run) {
  other <- fit_problem(problem)
  if (is.null(run$fit) || is.null(other$fit)) {
    return(complain(!identical(conditionMessage(run$error), conditionMessage(other$error)),
                    "another error the second time"))
  }
  run$fit$seconds <- other$fit$seconds <- 0
  complain(!identical(run$fit, other$fit), "another answer the second time")
}

# Methods of which every solver finds the same minimum.
compared <- function(problem) problem$name %in% c(names(convex_objectives), "med_svm")

compare_minima <- function(run, other, problem, what) {
  foreign <- !is.null(other$error) && !inherits(other$error, "zeronorm_error")
  if (foreign) return(paste0(what, ": uncaught: ", conditionMessage(other$error)))
  if (is.null(run$fit) || is.null(other$fit)) return(character())
  one <- certificate(run$fit)
  two <- certificate(other$fit)
  both <- one$status == "optimal" & two$status == "optimal" & one$kind == "gap" & is.null(one$target)
  # A fit that says that it is short of the limit is not the minimum, and does not claim to be.
  short <- function(fit) grepl("stopped before the limit", fit$note)
  both <- both & !short(run$fit) & !short(other$fit)
  if (!any(both) || problem$absurd || !compared(problem)) return(character())
  # Each is within its gap of the minimum, relative to the larger value or the floor of the gap.
  # Where one gap is no more than rounding, the other tells the floor.
  size_of <- function(t) pmax(abs(t$primal), abs(t$primal - t$dual) / pmax(t$gap, 1e-12))
  size <- pmax(size_of(one), size_of(two), 1e-6)
  first <- minima_of(run$fit, one, both, problem)
  second <- minima_of(other$fit, two, both, problem)
  apart <- abs(first$value - second$value) > 3e-6 * size + first$rounding + second$rounding
  complain(any(apart[both]), what, " finds ", format(second$value[both & apart][1], digits = 10), " where ",
           format(first$value[both & apart][1], digits = 10), " was found")
}

# Values to compare and their rounding.  The machine with all slack but what cannot be avoided has a value for
# whichever C it stopped at: what it stands for is the least sum of slacks, with the smallest norm only where
# that is none.
minima_of <- function(fit, table, both, problem) {
  g <- plain_data(problem)
  value <- table$primal
  rounding <- 0 * value
  for (k in which(both)) {
    known <- is.null(fit$method$model$kernel) && problem$name %in% names(convex_objectives)
    o <- if (known) convex_objectives[[problem$name]](g, fit$method$args, table[k, ])
    own <- if (!is.null(o)) weights_of(fit, k, g)
    if (!is.null(o)) rounding[k] <- rounding_of(g, o, own$U, own$c)
    if (problem$name != "m_svm" || is.finite(table$C[k])) next
    own <- weights_of(fit, k, g)
    slack <- total_loss(g, decisions(g, own$U, own$c), if (ncol(g$y) > 1) "weston_watkins" else "hinge")
    if (slack > 1e-6 * sum(g$weights)) value[k] <- slack
  }
  list(value = value, rounding = rounding)
}

# What a child does: a line before each problem, and one after it.
run_chunk <- function(seeds, file, after = "") {
  for (seed in seeds) {
    cat(seed, "started\n", file = file, append = TRUE, sep = ",")
    r <- run_problem(seed)
    quoted <- function(text) paste0("\"", gsub("[\"\n,]", " ", paste(text, collapse = "; ")), "\"")
    cat(paste(seed, "done", r$method, quoted(r$outcome), quoted(r$failures), format(r$seconds, digits = 4),
              r$absurd, quoted(r$said), sep = ","), "\n", file = file, append = TRUE, sep = "")
  }
}
