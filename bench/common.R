# What the scripts of this folder share.  Each script states a claim, measures it and leaves its tables beside
# itself (.md), its claims in claims/ and its picture, where it has one, in plots/.
suppressPackageStartupMessages(library(zeronorm))

here <- function() {
  file <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  if (length(file)) dirname(normalizePath(file)) else "bench"
}

for (helper in c("data", "timing", "grading", "engines", "reporting")) {
  source(file.path(here(), "helpers", paste0(helper, ".R")))
}
