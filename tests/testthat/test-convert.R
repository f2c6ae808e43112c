# Words that R hands to the core: one that the core does not know is an error that names it, never another word.

# Where the words of a list are: paths of indices.
places_of_words <- function(spec, path = list()) {
  found <- list()
  for (name in names(spec)) {
    value <- spec[[name]]
    here <- c(path, name)
    if (is.character(value) && length(value) == 1) found <- c(found, list(here))
    else if (is.list(value)) found <- c(found, places_of_words(value, here))
  }
  found
}

test_that("the core knows every word it is given, and no other", {
  data <- separated(12, 4)
  labels <- encode_y(data$y, 12)
  settings <- list(standardize = TRUE, intercept = TRUE, engine = "auto", control = zeronorm_control())
  seen <- character()
  for (name in names(all_variants())) {
    method <- all_variants()[[name]]
    folds <- if (length(method$folds)) rep_len(1:3, 12)
    problem <- new_problem(encode_x(data$x), labels, method, settings, NULL, folds)
    steps <- scale_slacks(method, problem)
    spec <- list(common = core_spec(problem, method, settings, steps), family = method$family,
                 own = core_options(method, problem, steps))
    # The label of a penalty names its parameters in R.
    spec$own$penalty$label <- NULL
    for (place in places_of_words(spec)) {
      word <- paste(place, collapse = "$")
      if (word %in% seen) next
      seen <- c(seen, word)
      wrong <- spec
      wrong[[unlist(place)]] <- "nonsense"
      x <- if (is.null(problem$machine)) problem$x else problem$machine$x
      expect_error(fit_core(x, problem$y, wrong$common, wrong$family, wrong$own, NULL), "^[a-z_]+: .*nonsense",
                   info = paste(name, word))
    }
  }
  common <- paste0("common$", c("task", "engine", "loss", "refit", "form$kind"))
  own <- paste0("own$", c("norm", "errors", "features", "slack_form", "judge", "bound", "group_score", "split",
                          "criterion", "discard", "stop", "backward", "penalty$kind"))
  expect_true(all(c("family", common, own) %in% seen))
})
