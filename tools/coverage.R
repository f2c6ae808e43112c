# Lines that the tests reach, in R and in C++.  A copy of the tree is compiled once for counting, below
# build/coverage; the package's tests run on it (covr counts R, gcov C++), then the core's own tests, linked
# from the same objects.  Writes bench/coverage.md and, to see what is missing, build/coverage/unreached.txt.
# Fails where a test does, below 90 % in R or in C++, and for a file below it that has no reason here.
# Each file of tests is a process of its own, and what it reached stays below build/coverage while sources and
# tests are the same, so that a run goes on where another ended.  MINUTES in the environment: no file of tests
# begins later than this; the report is written by the run that counts the last.
stopifnot(requireNamespace("covr", quietly = TRUE))
floor_percent <- 90
minutes <- suppressWarnings(as.numeric(Sys.getenv("MINUTES")))
until <- Sys.time() + 60 * if (is.na(minutes)) 1e6 else minutes
reasons <- c(
  "R/mlr3.R" = "the learner: needs mlr3",
  "R/parsnip.R" = "the engine: needs parsnip",
  "R/onload.R" = "what is registered where mlr3 and parsnip are",
  "src/core/flat.cpp" = "questions to a design that no engine asks of outputs side by side; warm starts",
  "src/core/cached_design.cpp" = "questions to a design that no engine asks of one that remembers",
  "src/core/engines/weston_watkins.cpp" = "interrupts, limits of rounds, Gram matrices without digits",
  "src/core/rules/constrain.cpp" = "searches for a price that close no bracket, and what they fall back to"
)
# Headers that hold little but answers to the loop's questions.
of_header <- "an answer of one line that no caller asks for"

say <- function(...) message("zeronorm: ", ...)

# The tree's files in `tree`, with their dates: what did not change is not compiled again.
copy_tree <- function(tree) {
  files <- system2("git", c("ls-files", "--cached", "--others", "--exclude-standard"), stdout = TRUE)
  files <- files[file.exists(files)]
  for (folder in unique(dirname(files))) dir.create(file.path(tree, folder), FALSE, TRUE)
  sources <- list.files(tree, "[.](R|Rd|cpp|h|in)$", recursive = TRUE)
  unlink(file.path(tree, setdiff(sources, files)))
  file.copy(files, file.path(tree, files), overwrite = TRUE, copy.date = TRUE)
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

# What gcov says of one file: nothing where it is not the package's, or Rcpp wrote it.
gcov_lines <- function(lines, tree) {
  source <- normalizePath(sub("^.*Source:", "", lines[1L]), mustWork = FALSE)
  if (!startsWith(source, paste0(tree, "/src/")) || grepl("RcppExports", source)) return(NULL)
  parts <- regmatches(lines, regexec("^ *([0-9#=-]+)[*]?: *([0-9]+):", lines))
  parts <- do.call(rbind, Filter(length, parts))
  counted <- parts[, 2L] != "-" & parts[, 3L] != "0"
  if (!any(counted)) return(NULL)
  hits <- suppressWarnings(as.numeric(parts[counted, 2L]))
  data.frame(file = substring(source, nchar(tree) + 2L), line = as.integer(parts[counted, 3L]),
             hits = ifelse(is.na(hits), 0, hits))
}

# The package's tests; lines of R by covr, whose own call of gcov is left out. What each file of tests says of
# itself is left below `counts`: those that are there are not run again.
count_package <- function(tree, library, counts) {
  options(covr.flags = c(CXX17FLAGS = "-O1 -g0 --coverage", LDFLAGS = "--coverage"), covr.gcov = "true")
  # A process that a test kills may leave half a trace, which would end the reading of all.
  code <- c(sprintf("library <- \"%s\"; counts <- \"%s\"; until <- %.0f", library, counts, until),
            "for (file in list.files(\"tests/testthat\", \"^test-.*[.]R$\")) {",
            "  kept <- file.path(counts, sub(\"R$\", \"rds\", file))",
            "  if (file.exists(kept) || Sys.time() > until) next",
            "  Sys.setenv(ZERONORM_COUNTS = kept)",
            "  system2(file.path(R.home(\"bin\"), \"Rscript\"), c(\"tools/package_tests.R\", file))",
            "}",
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
copy_tree(tree)
library <- file.path(place, "library")
counts <- file.path(place, "counts")
sources <- list.files(file.path(tree, c("R", "src", "tests")), "[.](R|cpp|h|in)$", recursive = TRUE,
                      full.names = TRUE)
state <- tools::md5sum(sources)
kept <- file.path(counts, "state.rds")
if (!file.exists(kept) || !identical(readRDS(kept), state)) {
  unlink(c(counts, library), recursive = TRUE)
  unlink(list.files(file.path(tree, "src"), "[.]gcda$", recursive = TRUE, full.names = TRUE))
  dir.create(counts)
  saveRDS(state, kept)
}
r_lines <- merged(count_package(tree, library, counts))
files <- sub("R$", "rds", list.files("tests/testthat", "^test-.*[.]R$"))
left <- setdiff(files, list.files(counts))
if (length(left)) {
  say(length(left), " of ", length(files), " files of tests did not come to their end: ",
      paste(sub("[.]rds$", "", left), collapse = ", "))
  quit(status = 1L)
}
tests <- rowSums(vapply(file.path(counts, files), readRDS, c(passed = 0, failed = 0, skipped = 0)))
of_package <- file.path(counts, "lines.rds")
if (!file.exists(of_package)) saveRDS(gcov_counts(tree), of_package)
by_package <- readRDS(of_package)
passed <- tests_of_core(tree)
by_core <- gcov_counts(tree)
cpp_lines <- merged(rbind(by_package, by_core))

unreached <- rbind(r_lines, cpp_lines)
unreached <- unreached[unreached$hits == 0, ]
unreached <- unreached[order(unreached$file, unreached$line), ]
text <- vapply(seq_len(nrow(unreached)), function(k) {
  readLines(unreached$file[k])[unreached$line[k]]
}, "")
writeLines(paste0(unreached$file, ":", unreached$line, ": ", text), file.path(place, "unreached.txt"))

r <- shares(r_lines)
cpp <- shares(cpp_lines)
core <- shares(merged(by_core[grepl("^src/core/", by_core$file), ]))
below <- rbind(r, cpp)
below <- below[below$percent < floor_percent, ]
below$reason <- ifelse(grepl("^src/core/.*[.]h$", below$file), of_header, reasons[below$file])

row <- function(what, share) sprintf("| %s | %d | %.1f %% |", what, sum(share$lines), total(share))
how <- paste("`make coverage`: covr counts R under the package's tests, gcov C++ under these and the core's;",
             "a line counts where either reaches it.")
table <- sprintf("| %s | %d | %.1f %% | %s |", below$file, below$lines, below$percent, below$reason)
writeLines(c(
  "# Lines that the tests reach", "",
  paste0(R.version.string, ", ", Sys.info()[["machine"]], ", ", Sys.Date(), ". ", how), "",
  "| what | lines | reached |", "|---|---|---|",
  row("R", r), row("C++", cpp), row("the core by its own tests alone", core), "",
  sprintf("Of %d files, %d are below %d %%.", nrow(r) + nrow(cpp), nrow(below), floor_percent),
  if (nrow(below)) c("", "| file | lines | reached | what is not, and why |", "|---|---|---|---|", table)
), "bench/coverage.md")
cat(readLines("bench/coverage.md"), sep = "\n")
say(sprintf("tests of the package: %d passed, %d failed, %d skipped", tests[["passed"]], tests[["failed"]],
            tests[["skipped"]]))
quit(status = as.integer(!passed || tests[["failed"]] > 0 || anyNA(below$reason) ||
                           min(total(r), total(cpp)) < floor_percent))
