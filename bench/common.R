# Shared by the scripts of this folder: data, timing, reports.  Each script states a claim, measures it
# and writes its figures beside itself as a .md file of the same name.
suppressPackageStartupMessages(library(zeronorm))

colon <- function() {
  list(x = log(unname(zeronorm::colon$x)), y = ifelse(zeronorm::colon$y == "tumour", -1, 1))
}

leukemia <- function() {
  e <- new.env()
  utils::data("leukemia.train", "leukemia.test", package = "SIS", envir = e)
  d <- rbind(e$leukemia.train, e$leukemia.test)
  list(x = unname(sapply(d[, 1:7129], as.numeric)), y = ifelse(d[, 7130] == 1, -1, 1))
}

# Classes half and half; the first `relevant` columns are shifted by `shift` times the label.
simulated <- function(n, d, relevant = 20, shift = 0.5, seed = 1) {
  set.seed(seed)
  y <- rep(c(-1, 1), length.out = n)
  x <- matrix(rnorm(n * d), n)
  x[, seq_len(relevant)] <- x[, seq_len(relevant)] + shift * y
  list(x = x, y = y)
}

solve_with <- function(data, surrogates, engine, cost, intercept = TRUE, standardize = TRUE, loss = "hinge",
                       highs = list()) {
  problem <- list(standardize = standardize, intercept = intercept, cost = cost, loss = loss)
  zeronorm:::solve_surrogates(data$x, as.double(data$y), problem, surrogates, engine, highs)
}

elapsed <- function(expr) {
  start <- proc.time()[[3]]
  force(expr)
  proc.time()[[3]] - start
}

# The report is what was printed, with the machine it was measured on.
report <- function(name, title, tables, notes = character()) {
  machine <- paste0(parallel::detectCores(), " cores, ", Sys.info()[["machine"]])
  lines <- c(paste("#", title), "", paste0(R.version.string, ", ", machine, ", ", format(Sys.Date()), "."), "")
  show <- function(column) {
    if (!is.numeric(column)) return(as.character(column))
    vapply(signif(column, 3), format, "", scientific = NA)
  }
  for (table in tables) {
    text <- vapply(table, show, character(nrow(table)))
    text <- matrix(text, nrow(table), dimnames = list(NULL, names(table)))
    lines <- c(lines, paste("|", paste(names(table), collapse = " | "), "|"),
               paste0("|", strrep("---|", ncol(table))),
               apply(text, 1, function(row) paste("|", paste(row, collapse = " | "), "|")), "")
  }
  lines <- c(lines, notes)
  cat(lines, sep = "\n")
  writeLines(lines, file.path(here(), paste0(name, ".md")))
}

here <- function() {
  file <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  if (length(file)) dirname(normalizePath(file)) else "bench"
}
