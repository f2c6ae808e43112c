# What a proof returns, how it is printed, and its plot.

new_proof <- function(task, state) {
  known <- if (state$upper > 0) smallest_known(state) else list()
  sets <- lapply(known, function(one) sort(task$columns[one$set]))
  margin <- vapply(known, `[[`, 0, "margin")
  margin[!(margin > 0)] <- NA_real_
  order <- order(-margin, vapply(sets, paste, "", collapse = " "))
  order <- utils::head(order[!duplicated(sets[order])], task$most)
  sets <- if (state$upper == 0) list(integer()) else sets[order]
  if (!is.null(task$names)) sets <- lapply(sets, function(set) task$names[set])
  seconds <- elapsed(state$clock)
  now <- data.frame(seconds = seconds, lower = state$lower, upper = state$upper)
  new_result(list(
    lower = state$lower, upper = state$upper, sets = sets,
    margin = if (state$upper == 0) NA_real_ else margin[order], assumptions = assumptions(task, state),
    seconds = seconds, scans = scan_table(state), box = state$box,
    ridge = in_columns_of_data(state$ridge, task), features = task$names, calibration = state$calibration,
    local = NULL, history = rbind(state$history, now),
    stopped = state$stopped, errors = task$errors, hinge = if (task$hinge > 0) task$hinge, n = nrow(task$x),
    d = ncol(task$x)
  ), "zeronorm_proof")
}

in_columns_of_data <- function(found, task) {
  if (is.null(found)) NULL else replace(found, "set", list(sort(task$columns[found$set])))
}

scan_table <- function(state) {
  done <- Filter(Negate(is.null), state$scans)
  columns <- c("size", "sets", "separating", "unclear", "complete", "seconds")
  as.data.frame(lapply(stats::setNames(columns, columns), function(name) {
    unlist(lapply(done, `[[`, name))
  }))
}

assumptions <- function(task, state) {
  above <- if (is.null(task$names)) task$columns else task$names[task$columns]
  c("A set separates if it does so with a relative margin above 1e-9 (columns scaled to range one).",
    if (task$always > 0) {
      paste0("Every set includes the unpenalised ", if (task$always > 1) "features " else "feature ",
             enumerate(utils::head(above, task$always)), ", which ", if (task$always > 1) "do" else "does",
             " not count.")
    },
    if (task$errors > 0) paste0("Up to ", plural(task$errors, "observation"), " may be on the wrong side."),
    if (task$hinge > 0) {
      paste0("The hinge losses may sum up to ", format(task$hinge), " (and a relative 1e-9 more), for ",
             "weights of at most 2e9 in columns scaled to range one.")
    },
    if (!is.null(state$unclear)) {
      paste0("Rounding left sets of ", state$unclear, " features undecided: the lower bound stops there.")
    },
    if (!is.null(state$withdrawn)) {
      paste0("A proof that at least ", state$withdrawn, " features are needed failed when it was checked ",
             "again, and was withdrawn.")
    },
    if (!is.null(state$box)) {
      paste0("The bound in $box holds for |w_j| <= ", format(task$box$size), " only (standardised columns, ",
             "margins of one); its part by integer programming is that of HiGHS, which is not checked again.")
    })
}

#' @method print zeronorm_proof
#' @export
print.zeronorm_proof <- function(x, ...) {
  check_result(x, "x")
  what <- if (!is.null(x$hinge)) paste0("keep the hinge losses within ", format(x$hinge))
          else if (x$errors > 0) paste0("separate all but ", plural(x$errors, "observation"))
          else "separate the classes"
  cat("<zeronorm proof> ", x$n, " observations, ", x$d, " features, ", format(x$seconds, digits = 2), " s\n",
      sep = "")
  cat(strwrap(c(said_bounds(x, what), said_rest(x))), sep = "\n")
  if (length(x$sets) && x$upper > 0) {
    shown <- utils::head(x$sets, 5)
    several <- paste0(length(x$sets), " sets of ", x$upper, " are known, such as\n")
    cat(if (length(x$sets) > 1) several else "The set:\n")
    cat(paste0("  ", vapply(shown, paste, "", collapse = ", ")), sep = "\n")
  }
  if (!is.null(x$local)) cat(strwrap(said_local(x$local)), sep = "\n")
  if (!is.null(x$box)) cat(strwrap(said_box(x$box)), sep = "\n")
  if (!is.null(x$ridge)) cat(strwrap(said_ridge(x$ridge, x$features)), sep = "\n")
  cat(strwrap(said_chance(x$calibration)), sep = "\n")
  cat(strwrap(paste("Assumed:", paste(x$assumptions, collapse = " ")), exdent = 2), sep = "\n")
  invisible(x)
}

said_bounds <- function(x, what) {
  features <- function(k) plural(k, "feature")
  if (x$lower == Inf) return(paste0("Proven: no set of features can ", what, ", not even all together."))
  if (x$upper == 0) return(paste0("Proven: no feature is needed to ", what, "."))
  if (x$lower == x$upper) {
    verb <- if (x$upper == 1) sub(" ", "s ", what) else what
    return(paste0("Proven: ", features(x$upper), " ", verb, if (x$upper > 1) ", and no fewer do", "."))
  }
  paste0("Proven: fewer than ", features(x$lower), " do not ", what,
         if (is.finite(x$upper)) paste0("; ", x$upper, " do"), ".")
}

said_rest <- function(x) {
  if (x$lower == Inf) {
    return(if (is.null(x$hinge)) "More `errors` may be forgiven." else "Allow a larger `hinge`.")
  }
  if (x$upper == 0) return(character())
  if (x$lower == x$upper) return(said_scan(x))
  why <- if (is.null(x$stopped)) "" else paste0(" (", switch(
    x$stopped, time = "time was up", interrupted = "interrupted",
    "too long" = paste("all sets of", x$lower, "would take longer than `seconds`")
  ), ")")
  open <- if (is.infinite(x$upper)) paste(x$lower, "or more")
          else if (x$upper - 1 > x$lower) paste(x$lower, "to", x$upper - 1) else x$lower
  paste0("Not proven", why, ": whether ", open, " would suffice.")
}

said_scan <- function(x) {
  last <- x$scans[nrow(x$scans), ]
  if (!nrow(last) || last$size != x$upper || !last$complete) {
    return("Not all sets of that size were looked at.")
  }
  paste0("All sets of that size were looked at: ", said_count(last$separating), " of ", said_count(last$sets),
         " separate.")
}

said_chance <- function(calibration) {
  if (is.null(calibration)) return(character())
  expected <- calibration$expected
  permuted <- calibration$permuted
  c(if (!is.na(expected)) {
      paste0("By chance: random labels of such data would be separated by about ",
             format(signif(expected, 2)), " sets of ", plural(calibration$size, "feature"), ".")
    },
    if (!is.null(permuted)) {
      paste0("Of ", permuted$times, " permutations of the labels ", permuted$one,
             " were separated by one feature and ", permuted$two, " by two or fewer.")
    })
}

said_count <- function(count) format(count, big.mark = ",", scientific = count > 1e15, digits = 3)

said_ridge <- function(found, names) {
  set <- if (length(names)) names[found$set] else found$set
  value <- function(x) format(x, digits = 6)
  optimum <- if (found$complete) paste("is", value(found$upper))
             else paste("lies between", value(found$lower), "and", value(found$upper))
  paste0("With a ridge (", format(found$ridge), "), ", format(found$lambda), " for each feature and C = ",
         format(found$C), " the optimum ", optimum, ", reached with ", plural(length(set), "feature"),
         if (length(set)) paste0(" (", paste(set, collapse = ", "), ")"), "; the first bounds settled ",
         plural(found$fixed, "feature"), ", ", plural(found$nodes, "problem"), " solved.")
}

said_box <- function(found) {
  within <- paste0("With |w_j| <= ", format(found$box))
  if (found$lower == Inf) return(paste(within, "no set of features gives margins of one."))
  paste0(within, " (standardised columns, margins of one) at least ",
         plural(found$lower, "feature"), " are needed: ", found$by_norm, " by the l1 norm, ", found$by_dual,
         " by its dual, ", said_program(found), ".")
}

said_program <- function(found) {
  if (is.na(found$by_program)) return("and none by integer programming, which takes boxes up to 1000")
  paste0(found$by_program, " by integer programming, ", said_gap(found))
}

said_gap <- function(found) {
  if (!length(found$set)) return("which found no set")
  paste0("whose set has ", length(found$set), " (gap ", format(100 * found$gap, digits = 2), "%)")
}

said_local <- function(local) {
  needed <- if (is.na(local$irreducible)) "and whether each of them is needed was not decided"
            else if (local$irreducible) "none of which can be left out" else "some of which can be left out"
  c(paste0("The fit: ", plural(local$size, "feature"), ", ", needed,
           if (local$polished < local$size) paste0("; a set of ", local$polished, " does as well"), "."),
    if (!is.na(local$gap)) paste0("Gap of its last convex problem: ", format(local$gap, digits = 2), "."),
    said_strict(local))
}

said_strict <- function(local) {
  why <- paste0(local$why, ".")
  if (is.na(local$strict)) return(paste("Whether it is a strict local minimum was not examined:", why))
  if (!local$strict) return(paste("It was not shown to be a strict local minimum:", why))
  paste0("Proven: it is a strict local minimum of its objective (smallest relative margin ",
         format(local$margin, digits = 2), ").")
}

#' @rdname certify_zero_norm
#' @param ... further arguments of [graphics::plot()].
#' @method plot zeronorm_proof
#' @export
plot.zeronorm_proof <- function(x, ...) {
  check_result(x, "x")
  history <- x$history
  known <- history$upper[is.finite(history$upper)]
  top <- max(known, history$lower[is.finite(history$lower)], 1)
  upper <- pmin(history$upper, top + 1)
  graphics::plot(history$seconds, upper, type = "s", ylim = c(0, top + 1), col = "#D55E00", lwd = 2,
                 xlab = "seconds", ylab = "number of features", ...)
  graphics::lines(history$seconds, pmin(history$lower, top + 1), type = "s", col = "#0072B2", lwd = 2)
  graphics::legend("topright", c("smallest set known", "proven to be needed"),
                   col = c("#D55E00", "#0072B2"), lwd = 2, bty = "n")
  invisible(x)
}
