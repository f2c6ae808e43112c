# Rscript check.R [DIR]: builds the source package with its articles and runs R CMD check --as-cran on it in
# DIR or build/check.  Fails on an error, a warning, an example of 5 s or more, or a note with any line that
# is not among those that cannot be avoided.
unavoidable <- c(
  # The package is on no repository yet.
  "^New submission$",
  # The engines are linked in: 9 MB of code without debug symbols.
  "^installed size is +[0-9.]+Mb$",
  # Programs and packages that this machine lacks.
  "^Skipping checking HTML validation", "^Skipping checking math rendering",
  "^unable to verify current time$",
  "^Packages? suggested but not available for checking:",
  "^Suggests or Enhances not in mainstream repositories:"
)
# What goes on below these: who is asked, which parts are large, names of packages in quotes or without.
name <- "[^[:alnum:] ,]{0,3}[[:alnum:].]+[^[:alnum:] ,]{0,3}"
details_of_these <- c("^Maintainer: ", "^sub-directories of 1Mb or more:$", "^(doc|libs) +[0-9.]+Mb$",
                      paste0("^", name, "(, ", name, ")*,?$"))
place <- c(commandArgs(trailingOnly = TRUE), file.path("build", "check"))[1]
unlink(place, recursive = TRUE)
dir.create(place, recursive = TRUE)
home <- setwd(place)

run <- function(...) system2(file.path(R.home("bin"), "R"), c("CMD", ...), env = settings)
# Incoming checks ask CRAN.  Where it does not answer, they are left to those who have a network: the list of
# packages that R wants for orphans is then one of names alone.
online <- !inherits(try(suppressWarnings(tools::CRAN_package_db()), silent = TRUE), "try-error")
settings <- c("_R_CHECK_FORCE_SUGGESTS_=false", "TZ=UTC")
if (!online) {
  message("zeronorm: CRAN does not answer: links, names and orphans are not checked")
  listed <- file.path(tempdir(), "web", "packages")
  dir.create(listed, recursive = TRUE)
  saveRDS(cbind(Package = rownames(installed.packages()), Maintainer = ""), file.path(listed, "packages.rds"))
  settings <- c(settings, "_R_CHECK_CRAN_INCOMING_REMOTE_=false", paste0("R_CRAN_WEB=file://", tempdir()))
}
manual <- if (!nzchar(Sys.which("pdflatex"))) "--no-manual"
if (length(manual)) message("zeronorm: no LaTeX here, so that the manual is checked as HTML only")

if (run("build", home) != 0) quit(status = 1)
package <- list.files(pattern = "^zeronorm_.*[.]tar[.]gz$")
message(sprintf("zeronorm: the source package has %.1f MB", file.size(package) / 2^20))
run("check", "--as-cran", manual, package)

details <- tools::check_packages_in_dir_details(logs = "zeronorm.Rcheck/00check.log", drop_ok = TRUE)
lines_of <- function(output) {
  lines <- trimws(unlist(strsplit(output, "\n")))
  lines[nzchar(lines)]
}
matches_any <- function(lines, patterns) {
  Reduce(`|`, lapply(patterns, grepl, x = lines, useBytes = TRUE), logical(length(lines)))
}
bad <- character()
for (k in seq_len(nrow(details))) {
  status <- details$Status[k]
  if (!status %in% c("NOTE", "WARNING", "ERROR", "FAILURE")) next
  lines <- lines_of(details$Output[k])
  known <- matches_any(lines, unavoidable)
  new <- lines[!known & !matches_any(lines, details_of_these)]
  if (status == "NOTE" && any(known) && !length(new)) {
    message("Cannot be avoided: ", details$Check[k], ": ", paste(lines[known], collapse = "; "))
  } else {
    bad <- c(bad, paste0(status, " in ", details$Check[k], ": ", head(unique(c(new, lines)), 3)))
  }
}
timings <- list.files("zeronorm.Rcheck", "-Ex[.]timings$", full.names = TRUE)
if (length(timings)) {
  # A tab ends every line but the first.
  seconds <- utils::read.table(timings[1], skip = 1L, col.names = c("name", "user", "system", "elapsed"))
  slowest <- seconds[which.max(seconds$elapsed), ]
  message(sprintf("Examples: %d pages, %.1f s in all, the slowest %s with %.1f s", nrow(seconds),
                  sum(seconds$elapsed), slowest$name, slowest$elapsed))
  slow <- seconds[seconds$elapsed >= 5, ]
  if (nrow(slow)) bad <- c(bad, paste("slow example:", slow$name, slow$elapsed, "s"))
}
if (length(bad)) {
  message(paste(bad, collapse = "\n"))
  quit(status = 1)
}
message("Clean but for what cannot be avoided.")
