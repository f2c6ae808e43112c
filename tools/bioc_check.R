# BiocCheck on the source package, without what only a package of Bioconductor's own can meet: the home is
# CRAN, so that its number of version, its mailing list and its names are no question.  Fails on an error.
# STANDARDS.md answers the notes.
release <- as.character(utils::packageVersion("BiocVersion")[1, 1:2])
online <- !inherits(try(suppressWarnings(readLines("https://bioconductor.org/config.yaml")), silent = TRUE),
                    "try-error")
if (!online) {
  # BiocCheck asks which releases there are, and stops where nobody answers.
  message("zeronorm: no network; release ", release, " is taken as the current one")
  config <- tempfile(fileext = ".yaml")
  ours <- paste0(R.version$major, ".", sub("[.].*", "", R.version$minor))
  # The map has to have an old release, the current one and the next.
  minor <- as.integer(sub(".*[.]", "", release)) + -1:1
  releases <- paste0("  \"", sub("[.].*", "", release), ".", minor, "\": \"")
  days <- paste0(releases, "2023-04-25\"")
  writeLines(c(paste0("release_version: \"", release, "\""),
               sub("^  (.*): \"$", "devel_version: \\1", releases[3L]), "r_ver_for_bioc_ver:",
               paste0(releases, ours, "\""), "mran_ver_for_bioc_ver:", days, "rspm_ver_for_bioc_ver:", days),
             config)
  options(BIOCONDUCTOR_CONFIG_FILE = paste0("file://", config))
}
home <- getwd()
place <- file.path("build", "bioc")
unlink(place, recursive = TRUE)
dir.create(place, recursive = TRUE)
setwd(place)
build <- c("CMD", "build", "--no-build-vignettes", home)
status <- system2(file.path(R.home("bin"), "R"), build, stdout = FALSE)
found <- BiocCheck::BiocCheck(
  list.files(pattern = "^zeronorm_.*[.]tar[.]gz$"), "no-check-bioc-help" = TRUE, "no-check-CRAN" = TRUE,
  "no-check-version-num" = TRUE, "no-check-remotes" = TRUE, "no-check-deprecated" = TRUE
)
quit(status = as.integer(status != 0 || length(found$error) > 0))
