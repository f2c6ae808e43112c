# Lines that the tests reach, in R and in C++.  A copy of the tree is compiled once for counting, below
# build/coverage; the package's tests run on it (covr counts R, gcov C++), then the core's own tests, linked
# from the same objects.  Writes bench/coverage.md and, to see what is missing, build/coverage/unreached.txt.
# Fails where a test does, below 90 % in R or in C++, and for a file below it that has no reason here.
# What some files of tests have reached stays below build/coverage while the package and its tests are the
# same, so that a run goes on where another ended; the core's own tests run anew.  MINUTES in the environment:
# no tests begin later than this; the report is written by the run that counts the last.
stopifnot(requireNamespace("covr", quietly = TRUE))
floor_percent <- 90
minutes <- suppressWarnings(as.numeric(Sys.getenv("MINUTES")))
until <- Sys.time() + 60 * if (is.na(minutes)) 1e6 else minutes
# Read build/coverage/unreached.txt before one is written or kept.
reasons <- c(
  "R/adapter-mlr3.R" = "the learner: needs mlr3, which `make test-all` installs",
  "R/adapter-parsnip.R" = "the engine: needs parsnip and tune, which `make test-all` installs",
  "R/onload.R" = "two calls, made where mlr3 and parsnip are",
  "src/core/methods/ranking/kernel_engine.h" = "its name, for which only a refused problem asks: it refuses none",
  "src/core/methods/scales/scale_criterion.h" =
    "a factor for linear kernels whose ridge is 0 or free; no test asks an error estimate",
  "src/core/methods/scales/radius_margin.h" = "a destructor that is part of those of its heirs"
)

say <- function(...) message("zeronorm: ", ...)

# The tree's files in `tree`, with their dates: what did not change is not compiled again.
copy_tree <- function(tree) {
  files <- system2("git", c("ls-files", "--cached", "--others", "--exclude-standard"), stdout = TRUE)
  files <- files[file.exists(files)]
  for (folder in unique(dirname(files))) dir.create(file.path(tree, folder), FALSE, TRUE)
  sources <- list.files(tree, "[.](R|Rd|cpp|h|in)$", recursive = TRUE)
  unlink(file.path(tree, setdiff(sources, files)))
  file.copy(files, file.path(tree, files), overwrite = TRUE, copy.date = TRUE)
  files
}

# What the tree is a copy of.
present_commit <- function() {
  sources <- c("DESCRIPTION", "NAMESPACE", "R", "src", "inst", "data", "tests", "tools")
  changed <- length(system2("git", c("status", "--porcelain", sources), stdout = TRUE)) > 0L
  paste0(system2("git", c("rev-parse", "--short", "HEAD"), stdout = TRUE), if (changed) " with changes")
}

# Counts by file and line of all objects compiled with --coverage below `tree`, since the last time.
gcov_counts <- function(tree) {
  old <- setwd(file.path(tree, "src"))
  on.exit(setwd(old))
  notes <- list.files(".", "[.]gcno$", recursive = TRUE)
  counts <- do.call(rbind, lapply(notes, function(note) {
    said <- system2("gcov", c("-r", "-t", "-o", shQuote(dirname(note)), shQuote(note)), stdout = TRUE,
                    stderr = FALSE)
    files <- split(said, cumsum(grepl("^ *-: +0:Source:", said)))
    do.call(rbind, lapply(files, gcov_lines, tree))
  }))
  unlink(list.files(".", "[.]gcda$", recursive = TRUE))
  counts
}

# What gcov says of one file: nothing where it is not the package's, or Rcpp wrote it.  A brace alone is no
# line to reach: what gcov counts there is the way out that an exception takes.
gcov_lines <- function(lines, tree) {
  source <- normalizePath(sub("^.*Source:", "", lines[1L]), mustWork = FALSE)
  if (!startsWith(source, paste0(tree, "/src/")) || grepl("RcppExports", source)) return(NULL)
  parts <- regmatches(lines, regexec("^ *([0-9#=-]+)[*]?: *([0-9]+):(.*)", lines))
  parts <- do.call(rbind, Filter(length, parts))
  counted <- parts[, 2L] != "-" & parts[, 3L] != "0" & !grepl("^ *}[;) ]*$", parts[, 4L])
  if (!any(counted)) return(NULL)
  hits <- suppressWarnings(as.numeric(parts[counted, 2L]))
  data.frame(file = substring(source, nchar(tree) + 2L), line = as.integer(parts[counted, 3L]),
             hits = ifelse(is.na(hits), 0, hits))
}

# The package's tests, those of the tree; lines of R by covr, whose own call of gcov is left out.
count_package <- function(tree, library, counts) {
  old <- setwd(tree)
  on.exit(setwd(old))
  options(covr.flags = c(CXX17FLAGS = "-O1 -g0 --coverage", LDFLAGS = "--coverage"), covr.gcov = "true")
  Sys.setenv(ZERONORM_COUNTS = counts, ZERONORM_UNTIL = sprintf("%.0f", until))
  # A process that a test kills may leave half a trace, which would end the reading of all.
  code <- c("source(\"tools/coverage_tests.R\")", paste0("library <- \"", library, "\""),
            "for (file in dir(library, \"^covr_trace\", full.names = TRUE))",
            "  tryCatch(readRDS(file), error = function(e) unlink(file))")
  found <- suppressWarnings(as.data.frame(covr::package_coverage(
    tree, type = "none", code = code, install_path = library, quiet = FALSE, clean = FALSE, pre_clean = FALSE
  )))
  each_line <- function(file, first, last, hits) data.frame(file, line = first:last, hits)
  do.call(rbind, Map(each_line, found$filename, found$first_line, found$last_line, found$value))
}

tests_of_core <- function(tree) {
  # R has made the core's objects, with flags of its own and without lists of their headers.
  arguments <- c("-s", "-C", shQuote(file.path(tree, "tests", "cpp")), "-o", "../../src/flags", "ORPHANS=",
                 "BUILD=../../src", "SANITIZE=", "LINK=--coverage")
  if (system2("make", arguments) != 0L) stop("the core's tests do not build")
  system2(file.path(tree, "src", "run")) == 0L
}

# A line counts once, by whoever reaches it.
merged <- function(lines) stats::aggregate(hits ~ file + line, lines, max)
shares <- function(lines) {
  share <- stats::aggregate(cbind(lines = 1, reached = hits > 0) ~ file, lines, sum)
  share$percent <- 100 * share$reached / share$lines
  share[order(share$percent), ]
}
total <- function(share) 100 * sum(share$reached) / sum(share$lines)

place <- file.path(normalizePath("."), "build", "coverage")
tree <- file.path(place, "tree")
files <- copy_tree(tree)
commit <- present_commit()
library <- file.path(place, "library")
counts <- file.path(place, "counts")
counted <- "^(DESCRIPTION|NAMESPACE|(R|src|inst|data|tests/testthat)/)"  # not the core's tests
state <- tools::md5sum(grep(counted, files, value = TRUE))
kept <- file.path(counts, "state.rds")
if (!file.exists(kept) || !identical(readRDS(kept), state)) {
  unlink(c(counts, library), recursive = TRUE)
  # R's make knows no headers, so that nothing compiled stays.
  unlink(list.files(file.path(tree, "src"), "[.](o|so|d|gcno|gcda)$", recursive = TRUE, full.names = TRUE))
  dir.create(counts)
  saveRDS(state, kept)
}
r_lines <- merged(count_package(tree, library, counts))
all_tests <- list.files("tests/testthat", "^test-.*[.]R$")
done <- file.path(counts, "done.txt")
left <- setdiff(all_tests, if (file.exists(done)) readLines(done))
if (length(left)) {
  say(length(left), " of ", length(all_tests), " files of tests did not come to their end: ",
      paste(left, collapse = ", "))
  quit(status = 1L)
}
of_tests <- list.files(counts, "^test-.*[.]rds$", full.names = TRUE)
tests <- rowSums(vapply(of_tests, readRDS, c(passed = 0, failed = 0, skipped = 0)))
of_package <- file.path(counts, "lines.rds")
if (!file.exists(of_package)) saveRDS(gcov_counts(tree), of_package)
by_package <- readRDS(of_package)
unlink(list.files(file.path(tree, "src"), "[.]gcda$", recursive = TRUE, full.names = TRUE))
passed <- tests_of_core(tree)
by_core <- gcov_counts(tree)
cpp_lines <- merged(rbind(by_package, by_core))

unreached <- rbind(r_lines, cpp_lines)
unreached <- unreached[unreached$hits == 0, ]
unreached <- unreached[order(unreached$file, unreached$line), ]
text <- vapply(seq_len(nrow(unreached)), function(k) {
  readLines(file.path(tree, unreached$file[k]))[unreached$line[k]]
}, "")
writeLines(paste0(unreached$file, ":", unreached$line, ": ", text), file.path(place, "unreached.txt"))

r <- shares(r_lines)
cpp <- shares(cpp_lines)
core <- shares(merged(by_core[grepl("^src/core/", by_core$file), ]))
below <- rbind(r, cpp)
below <- below[below$percent < floor_percent, ]
explained <- below$file %in% names(reasons)
below$reason <- ifelse(explained, reasons[below$file], "not explained yet")

row <- function(what, share) sprintf("| %s | %d | %.1f %% |", what, sum(share$lines), total(share))
how <- paste("`make coverage`: covr counts R under the package's tests, gcov C++ under these and the core's;",
             "a line counts where either reaches it.",
             sprintf("Tests of the package: %d passed, %d failed, %d skipped.", tests[["passed"]],
                     tests[["failed"]], tests[["skipped"]]),
             paste0("The core's tests ", if (passed) "pass." else "fail."))
table <- sprintf("| %s | %d | %.1f %% | %s |", below$file, below$lines, below$percent, below$reason)
writeLines(c(
  "# Lines that the tests reach", "",
  paste0(R.version.string, ", ", Sys.info()[["machine"]], ", ", Sys.Date(), ", commit ", commit, ". ", how),
  "",
  "| what | lines | reached |", "|---|---|---|",
  row("R", r), row("C++", cpp), row("the core by its own tests alone", core), "",
  sprintf("Of %d files, %d are below %d %%.", nrow(r) + nrow(cpp), nrow(below), floor_percent),
  if (nrow(below)) c("", "| file | lines | reached | what is not, and why |", "|---|---|---|---|", table)
), "bench/coverage.md")
cat(readLines("bench/coverage.md"), sep = "\n")
quit(status = as.integer(!passed || tests[["failed"]] > 0 || !all(explained) ||
                           min(total(r), total(cpp)) < floor_percent))
