# Claims: no memory is lost by fits of every method, dense and sparse, and of every engine; none by the core's own
# tests.  R runs under valgrind, where losses whose stack passes through zeronorm count, and so do invalid reads and
# writes; then the core's tests do, where every error counts.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
if (!nzchar(Sys.which("valgrind"))) stop("this script needs valgrind on the path")

script <- tempfile(fileext = ".R")
writeLines('
library(zeronorm)
set.seed(1)
x <- matrix(rnorm(24 * 12), 24, dimnames = list(NULL, paste0("g", 1:12)))
y <- factor(x[, 1] - x[, 2] > 0)
x[, 1] <- x[, 1] + 2 * (y == "TRUE")
methods <- zeronorm:::example_methods()
fit <- function(x, y, method, ...) {
  zeronorm(x, y, method, foldid = if (length(method$folds)) rep_len(1:3, nrow(x)), ...)
}
for (name in names(methods)) {
  fit(x, y, methods[[name]])
  if (methods[[name]]$declares$sparse) fit(as(x, "dgCMatrix"), y, methods[[name]])
  cat("fitted:", name, "\n")
}
more <- list(l1_svm(C = Inf), l2_svm(kernel = gaussian_kernel()), arom("l2", nonzero = c(8, 4)), arom("l1"),
             arom("l2-l1", switch = 4), arom("l2", errors = "l2"), arom("l1", errors = "zero"),
             fs_svmcp(C_grid = c(0.1, 1)), l2_svm(loss = "squared_hinge"), ard(gaussian_kernel(1)),
             l2_l1_svm(10, 0.1, degree = 2))
for (method in more) fit(x, y, method)
for (engine in c("simplex", "highs")) zeronorm(x, y, l1_svm(), engine = engine)
for (engine in c("dual", "newton", "active_set", "osqp")) zeronorm(x, y, l2_svm(), engine = engine)
three <- factor(rep_len(c("a", "b", "c"), 24))
for (method in list(m_svm(), arom(), lasso(s = 1))) fit(x, three, method)
try(zeronorm(x[, 1:2], rep(c(1, -1), 12), arom("l2")), silent = TRUE)
cat("all fitted\n")', script)
log <- tempfile()
valgrind <- paste0("valgrind --leak-check=full --num-callers=40 --log-file=", log)
out <- suppressWarnings(system2("R", c("-d", shQuote(valgrind), "--vanilla", "--quiet", "-f", script),
                                stdout = TRUE, stderr = TRUE))
stopifnot("all fitted" %in% out)
fitted <- sum(grepl("^fitted: ", out))
lines <- sub("^==[0-9]+== ?", "", readLines(log))
blocks <- split(lines, cumsum(lines == ""))
ours <- function(pattern) {
  Filter(function(b) any(grepl(pattern, b)) && any(grepl("zeronorm\\.so", b)), blocks)
}
lost <- ours("definitely lost|indirectly lost")
invalid <- ours("Invalid (read|write)|uninitialised")
rows <- data.frame(what = c("blocks definitely or indirectly lost",
                            "invalid reads or writes, uninitialised values"),
                   through_zeronorm = c(length(lost), length(invalid)))
names(rows)[2] <- "through zeronorm"
writeLines(as.character(unlist(c(lost, invalid))))

# Without sanitizers, which keep books of their own.
core_tests <- function() {
  build <- c("-s", "-C", "tests/cpp", "SANITIZE=", "BUILD=../../build/valgrind")
  if (system2("make", build) != 0) stop("the core's tests could not be built")
  log <- tempfile()
  checks <- c("--leak-check=full", "--errors-for-leak-kinds=definite,indirect", paste0("--log-file=", log))
  seconds <- elapsed(out <- system2("valgrind", c(checks, "build/valgrind/run"), stdout = TRUE, stderr = TRUE))
  passed <- "^All tests passed \\(([0-9]+) assertions in ([0-9]+) test cases\\)$"
  last <- grep(passed, out, value = TRUE)
  stopifnot(length(last) == 1)
  lines <- readLines(log)
  summary <- "^==[0-9]+== ERROR SUMMARY: ([0-9]+) errors.*$"
  errors <- as.numeric(sub(summary, "\\1", grep(summary, lines, value = TRUE)))
  if (errors > 0) writeLines(lines)
  data.frame(cases = as.numeric(sub(passed, "\\2", last)), assertions = as.numeric(sub(passed, "\\1", last)),
             seconds = round(seconds), errors = errors)
}
core <- core_tests()
names(core)[1] <- "test cases of the core"
title <- sprintf("Under valgrind: fits of all %d methods, dense and sparse, and of every engine; the core's tests",
                 fitted)
report("leaks", title, list(rows, core), claims = rbind(
  claim("fits of each method: blocks lost, invalid reads and writes", length(lost) + length(invalid), at_most = 0),
  claim("the core's tests: errors and blocks lost", core$errors, at_most = 0)
))
