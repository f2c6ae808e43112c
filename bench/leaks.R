# Claim: no memory is lost by one fit of each method. R runs under valgrind; losses whose stack passes
# through zeronorm count, and so do invalid reads and writes.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
if (!nzchar(Sys.which("valgrind"))) stop("this script needs valgrind on the path")

script <- tempfile(fileext = ".R")
writeLines('
library(zeronorm)
set.seed(1)
x <- matrix(rnorm(30 * 60), 30)
y <- factor(x[, 1] - x[, 2] > 0)
methods <- list(l1_svm(), l2_svm(), l2_svm(kernel = gaussian_kernel()), rlp(), l2_l1_svm(mu = 10, nu = 0.1),
                fsv(), fw1(), arom("l2", nonzero = c(20, 5)), arom("l1"), arom("l2-l1"),
                arom("l2", errors = "l2"), arom("l1", errors = "zero"), fs_svmcp(C_grid = c(0.1, 1)))
for (method in methods) zeronorm(x, y, method)
for (engine in c("simplex", "highs")) zeronorm(x, y, l1_svm(), engine = engine)
for (engine in c("dual", "active_set", "osqp")) zeronorm(x, y, l2_svm(), engine = engine)
try(zeronorm(x[, 1:2], rep(c(1, -1), 15), arom("l2")), silent = TRUE)
cat("all fitted\n")', script)
log <- tempfile()
valgrind <- paste0("valgrind --leak-check=full --num-callers=40 --log-file=", log)
out <- suppressWarnings(system2("R", c("-d", shQuote(valgrind), "--vanilla", "--quiet", "-f", script),
                                stdout = TRUE, stderr = TRUE))
stopifnot("all fitted" %in% out)
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
report("leaks", "One fit of each method and engine under valgrind", list(rows), claims = claim(
  "one fit of each method: blocks lost, invalid reads and writes", length(lost) + length(invalid), at_most = 0
))
