# Bounds that hold for weights in a box, and the proven optimum of the model with a ridge.

# Where all weights of standardised columns stay in the box.
bound_in_box <- function(task, state) {
  if (state$lower == Inf) return(NULL)
  known <- smallest_known(state)
  start <- if (length(known)) known[[1]]$set else integer()
  found <- box_core(standardised(task$x), task$y, task$box$size, start,
                    min(task$box$seconds, max(0.2, seconds_left(state$clock))))
  if (length(found$set)) improve_upper(state, separating(task, list(sort(found$set))))
  found$lower <- max(found$by_norm, found$by_dual, found$by_program, state$lower, na.rm = TRUE)
  found
}

# The penalised model on standardised columns.
prove_with_ridge <- function(task, state) {
  x <- standardised(task$x)
  what <- task$ridge
  # A feature at the kink of the relaxation costs sqrt(2 lambda ridge) for a weight of one.
  cost <- sqrt(2 * what$lambda * what$ridge)
  start <- lapply(c(0.05, 0.2, 0.5), function(share) {
    fit <- try_fit(zeronorm(x, task$y, l1_svm(C = what$C / (share * cost))), state$clock)
    if (!is.null(fit) && is_optimal(fit)[1]) selected_columns(fit, 1) else integer()
  })
  found <- ridge_core(x, task$y, rep(what$C, nrow(x)), what$lambda, what$ridge, start,
                      max(0.2, seconds_left(state$clock)))
  if (found$interrupted) state$stopped <- "interrupted"
  c(what, found[c("lower", "upper", "set", "fixed", "nodes", "complete", "seconds")])
}
