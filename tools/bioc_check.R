# BiocCheck on the sources, without what only a package of Bioconductor's own can meet: the home is CRAN.  Fails on an
# error.
suppressPackageStartupMessages(library(BiocCheck))
place <- file.path("build", "bioc", "zeronorm")
unlink(dirname(place), recursive = TRUE)
dir.create(place, recursive = TRUE)
# The source package, unpacked: what its users get.
home <- getwd()
setwd(dirname(place))
status <- system2(file.path(R.home("bin"), "R"), c("CMD", "build", "--no-build-vignettes", home), stdout = FALSE)
utils::untar(list.files(pattern = "^zeronorm_.*[.]tar[.]gz$"))
found <- BiocCheck("zeronorm", "no-check-bioc-help" = TRUE, "no-check-CRAN" = TRUE, "no-check-version-num" = TRUE,
                   "no-check-remotes" = TRUE, "no-check-deprecated" = TRUE, "quit-with-status" = FALSE)
cat(length(found$error), "errors,", length(found$warning), "warnings,", length(found$note), "notes\n")
quit(status = as.integer(status != 0 || length(found$error) > 0))
