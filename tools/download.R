# Rscript download.R PACKAGE DIRECTORY: the newest source package of the user's own repositories, or of CRAN's
# first mirror where none is set, as a file in the directory whose path is printed.  Fails with R's reasons.
arguments <- commandArgs(trailingOnly = TRUE)
directory <- arguments[2L]
invisible(loadNamespace("utils"))  # sets the repositories, but may not have been loaded
options(timeout = max(600, getOption("timeout")))

reasons <- character()
told <- function(condition) reasons <<- c(reasons, conditionMessage(condition))
got <- tryCatch(withCallingHandlers({
  # A list of mirrors that is out of reach is no reason: R brings its own.
  if ("@CRAN@" %in% getOption("repos")) suppressWarnings(utils::chooseCRANmirror(graphics = FALSE, ind = 1L))
  utils::download.packages(arguments[1L], directory, type = "source", quiet = TRUE)
}, warning = function(condition) {
  told(condition)
  invokeRestart("muffleWarning")
}), error = function(condition) told(condition))

if (!is.matrix(got) || nrow(got) == 0L) {
  message(paste(reasons, collapse = "\n"))
  quit(status = 1L)
}
# A repository on the user's own disk is not downloaded from: its file stays where it is.
file <- file.path(directory, basename(got[1L, 2L]))
if (!file.exists(file) && !file.copy(got[1L, 2L], file)) quit(status = 1L)
cat(file)
