# Lines that the tests reach, in R and in C++: those of the package by covr, which runs the package's tests,
# and those of the core also by its own tests.  Writes bench/coverage.md.
stopifnot(requireNamespace("covr", quietly = TRUE))
floor_percent <- 90

# Counts by file and line of objects compiled with --coverage in the directory `from`.
gcov_counts <- function(objects, from, root) {
  old <- setwd(from)
  on.exit(setwd(old))
  notes <- list.files(objects, "[.]gcno$", recursive = TRUE, full.names = TRUE)
  do.call(rbind, lapply(notes, function(note) {
    said <- system2("gcov", c("-t", "-o", shQuote(dirname(note)), shQuote(note)), stdout = TRUE,
                    stderr = FALSE)
    files <- split(said, cumsum(grepl("^ *-: +0:Source:", said)))
    do.call(rbind, lapply(files, gcov_lines, root))
  }))
}

# What gcov says of one file: nothing where it is not the package's.
gcov_lines <- function(lines, root) {
  source <- normalizePath(sub("^.*Source:", "", lines[1L]), mustWork = FALSE)
  if (!startsWith(source, paste0(root, "/src/"))) return(NULL)
  parts <- regmatches(lines, regexec("^ *([0-9#=-]+)[*]?: *([0-9]+):", lines))
  parts <- do.call(rbind, Filter(length, parts))
  counted <- parts[, 2L] != "-" & parts[, 3L] != "0"
  if (!any(counted)) return(NULL)
  hits <- suppressWarnings(as.numeric(parts[counted, 2L]))
  data.frame(file = substring(source, nchar(root) + 2L), line = as.integer(parts[counted, 3L]),
             hits = ifelse(is.na(hits), 0, hits))
}

root <- normalizePath(".")
objects <- file.path(root, "build", "coverage", "cpp")
unlink(list.files(objects, "[.]gcda$", recursive = TRUE, full.names = TRUE))
arguments <- c("-s", "-C", "tests/cpp", "SANITIZE=--coverage", paste0("BUILD=", objects))
if (system2("make", arguments) != 0L) stop("the core's tests do not build")
if (system2(file.path(objects, "run")) != 0L) stop("the core's tests fail")
by_core <- gcov_counts(objects, "tests/cpp", root)

by_package <- as.data.frame(covr::package_coverage(".", type = "tests", quiet = FALSE, clean = TRUE))
by_package <- data.frame(file = by_package$filename, first = by_package$first_line,
                         last = by_package$last_line, hits = by_package$value)
is_r <- grepl("[.][rR]$", by_package$file)
each_line <- function(file, first, last, hits) data.frame(file, line = first:last, hits)
of_r <- by_package[is_r, ]
r_lines <- do.call(rbind, Map(each_line, of_r$file, of_r$first, of_r$last, of_r$hits))
cpp_lines <- data.frame(file = by_package$file, line = by_package$first, hits = by_package$hits)[!is_r, ]

# A line counts once, by whoever reaches it; what Rcpp writes is not ours.
shares <- function(lines) {
  lines <- lines[!grepl("RcppExports", lines$file), ]
  lines <- stats::aggregate(hits ~ file + line, lines, max)
  share <- stats::aggregate(cbind(lines = 1, reached = hits > 0) ~ file, lines, sum)
  share$percent <- 100 * share$reached / share$lines
  share[order(share$percent), ]
}
total <- function(share) 100 * sum(share$reached) / sum(share$lines)
r <- shares(r_lines)
cpp <- shares(rbind(by_core, cpp_lines))
core <- shares(by_core[grepl("^src/core/", by_core$file), ])
below <- rbind(r, cpp)
below <- below[below$percent < floor_percent, ]

writeLines(c(
  "# Lines that the tests reach", "",
  paste0(R.version.string, ", ", Sys.info()[["machine"]], ", ", Sys.Date(), ". `make coverage`: covr on the ",
         "package's tests, gcov on the core's; a line of C++ counts where either reaches it."), "",
  "| what | lines | reached |", "|---|---|---|",
  sprintf("| R | %d | %.1f %% |", sum(r$lines), total(r)),
  sprintf("| C++ | %d | %.1f %% |", sum(cpp$lines), total(cpp)),
  sprintf("| the core by its own tests alone | %d | %.1f %% |", sum(core$lines), total(core)), "",
  sprintf("Files below %d %%:", floor_percent), "",
  if (nrow(below)) c("| file | lines | reached |", "|---|---|---|",
                     sprintf("| %s | %d | %.1f %% |", below$file, below$lines, below$percent)) else "none"
), "bench/coverage.md")
cat(readLines("bench/coverage.md"), sep = "\n")
