# What every result carries: its class, the elements that its verbs read, and the version that made it.

#' Saving and reading fits
#'
#' `saveRDS()` and `readRDS()` keep a fit as it is; nothing else is needed. A fit holds no training data,
#' except that kernel machines keep their support vectors, and that weights of observations and a `foldid`
#' which were given are kept for [update()][update.zeronorm()]. A fit that was read back gives the answers of
#' the fit that was saved, bit for bit.
#'
#' A fit says in `$version` which version of the package made it. That version and later ones can read it; the
#' file of a newer series than the installed one (0.2 with 0.1 installed, for example) is an error that gives
#' both numbers. An object that lacks what its class needs is an error as well.
#'
#' Loops over resamples that were given a directory as `checkpoint` keep their finished parts there. A part
#' gets its name only once it is complete, and carries a checksum: one that was cut off or damaged is computed
#' again. A full disk ends the loop with an error, and what was finished until then is kept.
#'
#' @examples
#' fit <- zeronorm(log(colon$x), colon$y, arom("l2", nonzero = 10))
#' file <- tempfile(fileext = ".rds")
#' saveRDS(fit, file)
#' identical(selected(readRDS(file)), selected(fit))
#' @name zeronorm_files
NULL

# A result of the package: a list with a class and the version that made it.
new_result <- function(elements, class) {
  structure(c(elements, list(version = installed_version())), class = class)
}

installed_version <- function() getNamespaceInfo("zeronorm", "spec")[["version"]]

# The elements without which the verbs of a class cannot answer.
needed_elements <- list(
  zeronorm = c("method", "coefficients", "intercept", "certificate", "tuning", "labels", "task", "settings",
               "n", "d"),
  zeronorm_cv = c("fit", "measure", "summary", "best", "measures", "contributions", "splits"),
  zeronorm_nested = c("method", "measure", "measures", "contributions", "summary", "splits"),
  zeronorm_proof = c("lower", "upper", "sets", "assumptions"),
  zeronorm_support = c("value", "support", "certificate")
)

# Verbs call this first: the object is complete, and was not made by a newer version than the installed one.
check_result <- function(object, argument = "object") {
  class <- intersect(class(object), names(needed_elements))
  complete <- is.list(object) && length(class) > 0 &&
    all(needed_elements[[class[1]]] %in% names(object)) && is_version(object$version)
  if (!complete) {
    stop_zeronorm(argument, "is not a complete result of this package.",
                  "Read it from a good copy, or fit again.")
  }
  if (is_newer(object$version)) {
    stop_zeronorm(argument, paste0("was made by zeronorm ", object$version, ", but installed is ",
                                   installed_version(), "."), "Install the newer version.")
  }
  invisible(object)
}

is_version <- function(text) {
  is.character(text) && length(text) == 1 && isTRUE(grepl("^[0-9]+([.-][0-9]+)+$", text, useBytes = TRUE))
}

# The first two numbers say what a file can hold.
is_newer <- function(version) {
  series <- function(v) as.numeric(strsplit(v, "[.-]")[[1]][1:2])
  theirs <- series(version)
  ours <- series(installed_version())
  theirs[1] > ours[1] || theirs[1] == ours[1] && theirs[2] > ours[2]
}
