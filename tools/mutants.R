# Seeded defects: each line of tests/mutants/mutants.tsv changes one place of the core, and the tests must
# notice.  First the core's tests (without sanitizers, those of the file's own stem before the others), then,
# where these pass, the package's.  Rscript mutants.R [LINE ...]: these lines only, and no report.
lines <- as.integer(commandArgs(trailingOnly = TRUE))
mutants <- utils::read.delim("tests/mutants/mutants.tsv", quote = "", comment.char = "",
                             colClasses = "character")
core <- file.path("src", "core")
place <- file.path(normalizePath("."), "build", "mutants")
tree <- file.path(place, "tree")
objects <- file.path(place, "cpp")
own_library <- file.path(place, "lib")

read_text <- function(path) readChar(path, file.size(path), useBytes = TRUE)
count <- function(pattern, text) {
  at <- gregexpr(pattern, text, fixed = TRUE, useBytes = TRUE)[[1L]]
  sum(at > 0L)
}
run <- function(command, args, log, ...) {
  system2(command, args, stdout = log, stderr = log, ...)
}
last_lines <- function(log, n = 20L) paste(utils::tail(readLines(log, warn = FALSE), n), collapse = "\n")

# A rule that no longer fits its file is a fault of the list.
found <- mapply(function(file, from) count(from, read_text(file.path(core, file))), mutants$file,
                mutants$from)
if (any(found != 1L)) {
  wrong <- which(found != 1L)
  stop("tests/mutants/mutants.tsv: found ", paste0(found[wrong], " times in ", mutants$file[wrong], ": ",
                                                   mutants$from[wrong], collapse = "; "))
}
if (length(lines) == 0L) lines <- seq_len(nrow(mutants))

# A copy of what the tests need, which keeps its objects from run to run.
dir.create(tree, recursive = TRUE, showWarnings = FALSE)
dir.create(own_library, showWarnings = FALSE)
parts <- c("DESCRIPTION", "NAMESPACE", "R", "man", "inst", "data", "src", "tests", "tools", "configure")
for (part in parts) {
  files <- if (dir.exists(part)) list.files(part, recursive = TRUE, full.names = TRUE) else part
  files <- files[!grepl("^src/.*[.](o|so|rds)$", files)]
  for (file in files) {
    to <- file.path(tree, file)
    if (file.exists(to) && identical(unname(tools::md5sum(file)), unname(tools::md5sum(to)))) next
    dir.create(dirname(to), recursive = TRUE, showWarnings = FALSE)
    file.copy(file, to, overwrite = TRUE, copy.mode = TRUE)
  }
}

build_core <- function(log) {
  run("make", c("-s", "-C", file.path(tree, "tests/cpp"), "SANITIZE=", paste0("BUILD=", objects)), log)
}
core_program <- file.path(objects, "run")

# "" where all pass; else the first test that fails.
core_failure <- function(stem, seconds) {
  log <- tempfile()
  for (tag in c(sprintf("[#test-%s]", stem), "*")) {
    status <- run("timeout", c(seconds, core_program, "-#", "-a", shQuote(tag)), log)
    if (status == 124L) return("C++: no end")
    said <- readLines(log, warn = FALSE)
    if (status == 0L || any(grepl("^No test cases matched", said))) next
    rules <- grep("^-{60,}$", said)
    name <- if (length(rules)) trimws(said[rules[1L] + 1L]) else "a crash"
    return(paste("C++:", name))
  }
  ""
}

install <- function() {
  log <- file.path(place, "install.log")
  status <- run("R", c("CMD", "INSTALL", "--no-multiarch", "--no-test-load", "--no-docs", "--no-byte-compile",
                       "--no-configure", paste0("--library=", own_library), tree), log)
  if (status != 0L) stop("the package does not install:\n", last_lines(log))
}

package_failure <- function(seconds) {
  log <- tempfile()
  script <- sprintf('
    .libPaths(c("%s", .libPaths()))
    suppressPackageStartupMessages(library(zeronorm))
    testthat::test_dir("%s", package = "zeronorm", load_package = "installed", reporter = "stop")',
    own_library, file.path(tree, "tests/testthat"))
  status <- run("timeout", c(seconds, file.path(R.home("bin"), "Rscript"), "-"), log, input = script,
                env = "NOT_CRAN=true")
  if (status == 0L) return("")
  if (status == 124L) return("R: no end")
  said <- readLines(log, warn = FALSE)
  where <- grep("('test-|Failure|Error) ?.*test-[a-z_0-9]+[.]R", said, value = TRUE)
  name <- if (length(where)) sub(".*(test-[A-Za-z_0-9]+[.]R).*", "\\1", where[1L]) else "a crash"
  paste("R:", name)
}

timed <- function(call) {
  start <- proc.time()[["elapsed"]]
  list(value = call, seconds = proc.time()[["elapsed"]] - start)
}
log <- tempfile()
if (build_core(log) != 0L) stop("the core's tests do not build:\n", last_lines(log))
plain <- timed(core_failure("types", 3600))
if (nzchar(plain$value)) stop("the core's tests fail before any mutation: ", plain$value)
message("core's tests: ", round(plain$seconds), " s")
core_limit <- ceiling(5 * plain$seconds + 60)

# With the change in place, what() is told; afterwards file and object are the old ones.
with_mutant <- function(mutant, object, rebuild, what) {
  source <- file.path(tree, core, mutant$file)
  kept <- tempfile(c("source", "object"))
  file.copy(c(source, object), kept, copy.date = TRUE)
  on.exit({
    file.copy(kept[1L], source, overwrite = TRUE, copy.date = TRUE)
    file.copy(kept[2L], object, overwrite = TRUE)
    Sys.setFileTime(object, Sys.time())
  })
  writeLines(sub(mutant$from, mutant$to, read_text(source), fixed = TRUE, useBytes = TRUE), source, sep = "",
             useBytes = TRUE)
  Sys.setFileTime(source, Sys.time() + 1)
  rebuild()
  what()
}

caught <- rep(NA_character_, nrow(mutants))
for (line in lines) {
  mutant <- mutants[line, ]
  stem <- tools::file_path_sans_ext(basename(mutant$file))
  object <- file.path(objects, "core", sub("[.]cpp$", ".o", mutant$file))
  caught[line] <- with_mutant(mutant, object, function() {
    if (build_core(log) != 0L) stop("line ", line, " does not compile:\n", last_lines(log))
  }, function() core_failure(stem, core_limit))
  message(line, " ", mutant$file, ": ", if (nzchar(caught[line])) caught[line] else "passes the core's tests")
}
survivors <- lines[!nzchar(caught[lines])]
if (length(survivors)) {
  install()
  whole <- timed(package_failure(7200))
  if (nzchar(whole$value)) stop("the package's tests fail before any mutation: ", whole$value)
  message("package's tests: ", round(whole$seconds), " s")
}
for (line in survivors) {
  mutant <- mutants[line, ]
  object <- file.path(tree, core, sub("[.]cpp$", ".o", mutant$file))
  caught[line] <- with_mutant(mutant, object, install,
                              function() package_failure(ceiling(3 * whole$seconds + 60)))
  message(line, " ", mutant$file, ": ", if (nzchar(caught[line])) caught[line] else "SURVIVES")
}

missed <- sum(!nzchar(caught[lines]))
if (length(lines) == nrow(mutants)) {
  code <- function(text) paste0("`", gsub("|", "\\|", text, fixed = TRUE), "`")
  writeLines(c(
    "# Seeded defects in the core", "",
    paste0(R.version.string, ", ", Sys.info()[["machine"]], ", ", Sys.Date(), ". `make mutants`: each ",
           "change of `tests/mutants/mutants.tsv` alone, and the first test that fails."), "",
    sprintf("%d of %d caught, in %d files.", length(lines) - missed, length(lines),
            length(unique(mutants$file))), "",
    "| file | from | to | caught by |", "|---|---|---|---|",
    sprintf("| %s | %s | %s | %s |", mutants$file, code(mutants$from),
            ifelse(nzchar(mutants$to), code(mutants$to), "nothing"),
            ifelse(nzchar(caught), gsub("|", "\\|", caught, fixed = TRUE), "**nothing**"))
  ), "bench/mutants.md")
}
cat(length(lines) - missed, "caught,", missed, "survived\n")
quit(status = as.integer(missed > 0L))
