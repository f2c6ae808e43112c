# Rscript vignettes.R DIR: builds all articles into DIR, each in a session of its own, and prints the seconds.
target <- commandArgs(trailingOnly = TRUE)[1L]
dir.create(target, recursive = TRUE, showWarnings = FALSE)
invisible(file.copy("vignettes", tempdir(), recursive = TRUE))
files <- list.files(file.path(tempdir(), "vignettes"), "[.]Rmd$", full.names = TRUE)
seconds <- vapply(files, function(file) {
  arguments <- list(file, output_dir = normalizePath(target), quiet = TRUE)
  taken <- system.time(xfun::Rscript_call(rmarkdown::render, arguments))[["elapsed"]]
  cat(sprintf("%-22s %6.1f s\n", basename(file), taken))
  taken
}, numeric(1))
cat(sprintf("%-22s %6.1f s\n", "all", sum(seconds)))
