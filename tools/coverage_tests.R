# Runs what is left of the tests of the installed package, some files at a time in a process of their own, and
# leaves their counts and the names of the files that came to their end (done.txt) in the folder
# ZERONORM_COUNTS.  No process begins later than ZERONORM_UNTIL, in seconds since 1970.
counts <- Sys.getenv("ZERONORM_COUNTS")
done <- file.path(counts, "done.txt")
left <- setdiff(list.files("tests/testthat", "^test-.*[.]R$"), if (file.exists(done)) readLines(done))
# Loading a package that counts its lines takes as long as many files.
together <- 10L
while (length(left) && as.numeric(Sys.time()) < as.numeric(Sys.getenv("ZERONORM_UNTIL"))) {
  files <- utils::head(left, together)
  left <- setdiff(left, files)
  kept <- file.path(counts, sub("R$", "rds", files[1L]))
  taken <- tempfile("taken")
  dir.create(taken)
  writeLines(file.path("tests/testthat", files), file.path(taken, "files"))
  system2(file.path(R.home("bin"), "Rscript"), c("tools/package_tests.R", taken))
  counted <- file.path(taken, files, "counts.rds")
  if (all(file.exists(counted))) {
    saveRDS(colSums(do.call(rbind, lapply(counted, readRDS))[c("passed", "failed", "skipped")]), kept)
    cat(files, file = done, sep = "\n", append = TRUE)
  }
}
