# What a fit or another result says is what was computed: nothing in it was lost or changed since.

#' Saving and reading fits
#'
#' `saveRDS()` and `readRDS()` keep a fit as it is; nothing else is needed, and no training data are kept
#' (kernel machines keep their support vectors). The answers of a fit that was read are those of the fit
#' that was saved, bit for bit.
#'
#' Fits, and results of [cv_zeronorm()], [certify_zero_norm()], [min_support()], [sparse_code()] and
#' [codebook()], carry a checksum of their contents, `$seal`, which each verb compares first. A fit whose
#' coefficients, features, levels or whatever else were lost or changed, by hand or by a damaged disk, is
#' refused with an error of class `zeronorm_error`. Not sealed are the value of `$seconds`, functions (a
#' penalty of your own) and elements added later. The seal is no signature: who wants to deceive can compute
#' it anew.
#'
#' A fit says in `$version` which version of the package made it. It can be read by that version and by later
#' ones; the file of a newer series than the one installed (0.2 by 0.1, say) is refused with both numbers.
#'
#' `saveRDS(ascii = TRUE)` rounds numbers to 16 digits, so that what it saves is refused in most cases: use
#' the default, or `ascii = NA`, which is exact.
#'
#' A file that was cut off is an error of `readRDS()` itself. So is a damaged one in most cases, and else the
#' seal finds it; now and then R's own reader crashes on it, which no package can prevent.
#'
#' Loops over resamples that were given `checkpoint = ` a directory keep their finished parts there, each
#' under its name only once it is complete, and with a seal as well: a part that was cut off or damaged is
#' computed again. A full disk ends the loop with an error that says so, and what was finished until then
#' is kept.
#'
#' @examples
#' fit <- zeronorm(log(colon$x), colon$y, arom("l2", nonzero = 10))
#' file <- tempfile(fileext = ".rds")
#' saveRDS(fit, file)
#' identical(selected(readRDS(file)), selected(fit))
#' fit$coefficients <- 2 * fit$coefficients
#' try(predict(fit, log(colon$x)))
#' @name zeronorm_files
NULL

# The object with a seal on all that it holds now, but for what differs from run to run.
seal <- function(object) {
  names <- names(object)
  fields <- names[!names %in% c("seal", "seconds")]
  object$seal <- list(fields = fields, beside = names[names == "seconds"],
                      sum = checksum_core(unclass(object)[fields]), version = installed_version())
  object
}

installed_version <- function() getNamespaceInfo("zeronorm", "spec")[["version"]]

# For verbs, before they answer. R code that touches what a damaged file holds may crash or hang, so that
# nothing looks at the object before it is found whole.
check_seal <- function(object, argument = "object") {
  seen <- seal_state_core(object)
  state <- seen[["state"]]
  version <- seen[["version"]]
  if (state == "whole" && identical(version, installed_version())) return(invisible(object))
  if (state == "missing" || !is_version(version)) {
    stop_zeronorm(argument, "is no complete result of this package: its seal is missing.",
                  "Read it from a good copy, or fit again.")
  }
  if (state != "damaged" && is_newer(version)) {
    stop_zeronorm(argument, paste0("was made by zeronorm ", version, ", but installed is ",
                                   installed_version(), "."), "Install the newer version.")
  }
  if (state != "whole") {
    stop_zeronorm(argument, "was changed after it was made: its contents do not agree with its seal.",
                  "Read it from a good copy, or fit again.")
  }
  invisible(object)
}

# Bytes, since a damaged one may be no text.
is_version <- function(text) isTRUE(grepl("^[0-9]+([.-][0-9]+)+$", text, useBytes = TRUE))

# The first two numbers say what a file can hold.
is_newer <- function(version) {
  series <- function(v) as.numeric(strsplit(v, "[.-]")[[1]][1:2])
  theirs <- series(version)
  ours <- series(installed_version())
  theirs[1] > ours[1] || theirs[1] == ours[1] && theirs[2] > ours[2]
}
