# Rscript vignettes.R DIR: builds all articles into DIR, each in a session of its own, and prints the seconds.
directory <- commandArgs(trailingOnly = TRUE)[1L]
dir.create(directory, recursive = TRUE, showWarnings = FALSE)
build <- function(file, directory) {
  rmarkdown::render(file, output_dir = directory, intermediates_dir = tempfile("article"), quiet = TRUE)
}
seconds <- vapply(list.files("vignettes", "[.]Rmd$", full.names = TRUE), function(file) {
  taken <- system.time(xfun::Rscript_call(build, lapply(c(file, directory), normalizePath)))[["elapsed"]]
  cat(sprintf("%-30s %5.1f s\n", basename(file), taken))
  taken
}, numeric(1))
cat(sprintf("%-30s %5.1f s\n", "all", sum(seconds)))
