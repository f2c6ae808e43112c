# Seeded defects: each line of tests/mutants/mutants.tsv changes one place of the core, and the tests must
# notice.  First the core's tests (without sanitizers, those of the file's own stem before the others), then,
# where these pass, the package's (those of the file that the line names, if any, before the others).
# Rscript mutants.R [LINE ...]: these lines only, and no report.
# What was found is kept in build/mutants/found.tsv, so that a run goes on where another ended.  MINUTES in
# the environment: no test begins later than this; the report says which changes are left.
lines <- as.integer(commandArgs(trailingOnly = TRUE))
began <- Sys.time()
minutes <- suppressWarnings(as.numeric(Sys.getenv("MINUTES")))
in_time <- function() is.na(minutes) || difftime(Sys.time(), began, units = "mins") < minutes
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
named <- file.path("tests", "testthat", paste0("test-", setdiff(mutants$first, ""), ".R"))
if (!all(file.exists(named))) stop("tests/mutants/mutants.tsv names tests that are not there")
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

# --- what was found before ---

sum_of <- function(...) {
  text <- tempfile()
  on.exit(unlink(text))
  writeLines(c(...), text)
  unname(tools::md5sum(text))
}
sum_of_files <- function(part, pattern = "") {
  files <- sort(list.files(file.path(tree, part), pattern, recursive = TRUE))
  sum_of(files, tools::md5sum(file.path(tree, part, files)))
}
tests_of <- c("C++" = "tests/cpp", R = "tests/testthat")
sources <- sum_of(sum_of_files("src", "[.](cpp|h)$"), sum_of_files("R"), sum_of_files("tests/cpp", "[.]h$"),
                  sum_of_files("tests/testthat", "^helper"))

# A finding holds while the sources are the same, and the file of the test that fails (by); where it is none
# or not known, all files of tests.
holds_for <- function(mutant, language, by) {
  tests <- tests_of[[language]]
  sum_of(mutant$file, mutant$from, mutant$to, language, sources,
         if (nzchar(by)) tools::md5sum(file.path(tree, tests, by)) else sum_of_files(tests))
}
notes <- file.path(place, "found.tsv")
found_before <- function(mutant, language) {
  if (!file.exists(notes)) return(NULL)
  kept <- utils::read.delim(notes, header = FALSE, quote = "", comment.char = "", colClasses = "character",
                            col.names = c("language", "holds", "by", "name"))
  for (i in which(kept$language == language)) {
    if (kept$holds[i] == holds_for(mutant, language, kept$by[i])) return(kept$name[i])
  }
  NULL
}
keep <- function(mutant, language, failure) {
  cat(paste(language, holds_for(mutant, language, failure$by), failure$by, failure$name, sep = "\t"), "\n",
      file = notes, sep = "", append = TRUE)
}

# --- tests ---

build_core <- function(log) {
  run("make", c("-s", "-C", file.path(tree, "tests/cpp"), "SANITIZE=", paste0("BUILD=", objects)), log)
}
core_program <- file.path(objects, "run")

# The first test that fails and its file, "" where there is none.
no_failure <- list(name = "", by = "")
core_failure <- function(stem, seconds) {
  log <- tempfile()
  for (tag in c(sprintf("[#test-%s]", stem), "*")) {
    status <- run("timeout", c(seconds, core_program, "-#", "-a", shQuote(tag)), log)
    if (status == 124L) return(list(name = "no end", by = ""))
    said <- readLines(log, warn = FALSE)
    if (status == 0L || any(grepl("^No test cases matched", said))) next
    rules <- grep("^-{60,}$", said)
    if (length(rules) < 2L) return(list(name = "a crash", by = ""))
    # Long names are broken, those of sections indented.
    name <- said[seq(rules[1L] + 1L, rules[2L] - 1L)]
    file <- sub("^(.*/)?([^/]+[.]cpp):.*", "\\2", said[rules[2L] + 1L])
    return(list(name = paste(trimws(name[!grepl("^ ", name)]), collapse = " "), by = file))
  }
  no_failure
}

install <- function() {
  log <- file.path(place, "install.log")
  status <- run("R", c("CMD", "INSTALL", "--no-multiarch", "--no-test-load", "--no-docs", "--no-byte-compile",
                       "--no-configure", paste0("--library=", own_library), tree), log)
  if (status != 0L) stop("the package does not install:\n", last_lines(log))
}

# first: the name of a file of tests, or "".
package_failure <- function(first, seconds) {
  for (filter in c(if (nzchar(first)) paste0("^", first, "$"), "")) {
    failure <- files_failure(filter, seconds)
    if (nzchar(failure$name)) return(failure)
  }
  no_failure
}
files_failure <- function(filter, seconds) {
  log <- tempfile()
  script <- sprintf('
    .libPaths(c("%s", .libPaths()))
    suppressPackageStartupMessages(library(zeronorm))
    testthat::test_dir("%s", package = "zeronorm", load_package = "installed", reporter = "stop",
                       filter = if (nzchar("%s")) "%s")',
    own_library, file.path(tree, "tests/testthat"), filter, filter)
  status <- run("timeout", c(seconds, file.path(R.home("bin"), "Rscript"), "-"), log, input = script,
                env = "NOT_CRAN=true")
  if (status == 0L) return(no_failure)
  if (status == 124L) return(list(name = "no end", by = ""))
  said <- readLines(log, warn = FALSE)
  where <- grep("('test-|Failure|Error) ?.*test-[a-z_0-9-]+[.]R", said, value = TRUE)
  if (length(where) == 0L) return(list(name = "a crash", by = ""))
  file <- sub(".*(test-[A-Za-z_0-9-]+[.]R).*", "\\1", where[1L])
  list(name = file, by = file)
}

timed <- function(call) {
  start <- proc.time()[["elapsed"]]
  list(value = call, seconds = proc.time()[["elapsed"]] - start)
}
log <- tempfile()
if (build_core(log) != 0L) stop("the core's tests do not build:\n", last_lines(log))
plain <- timed(core_failure("types", 3600))
if (nzchar(plain$value$name)) stop("the core's tests fail before any mutation: ", plain$value$name)
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

# language: whose tests; try_it(mutant): what they say.  "" where all pass, NA where no time was left.
try_all <- function(lines, language, try_it) {
  vapply(lines, function(line) {
    mutant <- mutants[line, ]
    name <- found_before(mutant, language)
    if (is.null(name)) {
      if (!in_time()) return(NA_character_)
      failure <- try_it(mutant)
      keep(mutant, language, failure)
      name <- failure$name
    }
    message(line, " ", mutant$file, ": ", if (nzchar(name)) paste0(language, ": ", name)
            else paste("passes all tests in", language))
    if (nzchar(name)) paste0(language, ": ", name) else ""
  }, "")
}

caught <- rep(NA_character_, nrow(mutants))
caught[lines] <- try_all(lines, "C++", function(mutant) {
  object <- file.path(objects, "core", sub("[.]cpp$", ".o", mutant$file))
  with_mutant(mutant, object, function() {
    if (build_core(log) != 0L) stop(mutant$file, ": ", mutant$to, " does not compile:\n", last_lines(log))
  }, function() core_failure(tools::file_path_sans_ext(basename(mutant$file)), core_limit))
})

passed <- lines[caught[lines] %in% ""]
# The package's tests without a change, and their seconds, are kept as if they were one's.
unchanged <- data.frame(file = "none", from = "", to = "", first = "")
whole <- NULL
caught[passed] <- try_all(passed, "R", function(mutant) {
  if (is.null(whole)) {
    install()
    whole <<- as.numeric(found_before(unchanged, "R"))
    if (length(whole) == 0L) {
      plain <- timed(package_failure("", 7200))
      if (nzchar(plain$value$name)) stop("the package's tests fail before any mutation: ", plain$value$name)
      whole <<- round(plain$seconds)
      keep(unchanged, "R", list(name = whole, by = ""))
    }
    message("package's tests: ", whole, " s")
  }
  object <- file.path(tree, core, sub("[.]cpp$", ".o", mutant$file))
  with_mutant(mutant, object, install, function() package_failure(mutant$first, 3 * whole + 60))
})

missed <- sum(caught[lines] %in% "")
left <- sum(is.na(caught[lines]))
if (length(lines) == nrow(mutants)) {
  code <- function(text) paste0("`", gsub("|", "\\|", text, fixed = TRUE), "`")
  verdict <- ifelse(is.na(caught), ifelse(lines %in% passed, "no test in C++; those in R **not tried**",
                                          "**not tried**"),
                    ifelse(nzchar(caught), gsub("|", "\\|", caught, fixed = TRUE), "**nothing**"))
  writeLines(c(
    "# Seeded defects in the core", "",
    paste0(R.version.string, ", ", Sys.info()[["machine"]], ", ", Sys.Date(), ". `make mutants`: each ",
           "change of `tests/mutants/mutants.tsv` alone, and the first test that fails."), "",
    paste0(sprintf("%d of %d caught, in %d files.", length(lines) - missed - left, length(lines),
                   length(unique(mutants$file[!is.na(caught) & nzchar(caught)]))),
           if (left > 0L) sprintf(" %d not tried to an end, for want of time.", left)), "",
    "| file | from | to | caught by |", "|---|---|---|---|",
    sprintf("| %s | %s | %s | %s |", mutants$file, code(mutants$from),
            ifelse(nzchar(mutants$to), code(mutants$to), "nothing"), verdict)
  ), "bench/mutants.md")
}
cat(length(lines) - missed - left, "caught,", missed, "survived,", left, "not tried\n")
quit(status = as.integer(missed + left > 0L))
