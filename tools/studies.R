# Rscript studies.R DATA_DIR [PAPER [TABLE]]: runs the full protocols on all cores and keeps their results in
# inst/studies/results.  Broken off, the same call goes on where it stopped.
suppressPackageStartupMessages(library(zeronorm))
code <- zeronorm:::study_code()
arguments <- commandArgs(trailingOnly = TRUE)
data_dir <- if (length(arguments) && nzchar(arguments[1])) arguments[1]
papers <- if (length(arguments) > 1) arguments[2] else code$study_names()
seed <- 1L

future::plan(future::multisession, workers = as.integer(Sys.getenv("WORKERS", future::availableCores())))
dir.create("inst/studies/results", showWarnings = FALSE)
for (paper in papers) {
  tables <- if (length(arguments) > 2) arguments[3] else code$study_tables(paper)
  for (table in tables) {
    set.seed(seed)
    found <- study(paper, table, data_dir = data_dir,
                   checkpoint = file.path("build", "studies", paste0(paper, "-", table)))
    code$keep_study(found, "inst/studies/results", seed)
    print(found)
  }
}
