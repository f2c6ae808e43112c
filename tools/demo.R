# Rscript demo.R PICTURE: selects genes on the colon microarray (Alon et al. 1999; 40 tumours, 22 normal
# tissues, 2000 genes), prints the fit with its certificate and its cross-validated error, draws both.
library(zeronorm, warn.conflicts = FALSE)
picture <- commandArgs(trailingOnly = TRUE)[1L]

data("Colon", package = "plsgenomics", envir = environment())
x <- log(Colon$X)
colnames(x) <- make.unique(Colon$gene.names)
y <- factor(Colon$Y, c(1, 2), c("normal", "tumour"))

# Folds with the same share of each class.
stratified_folds <- function(y, k) {
  fold <- integer(length(y))
  for (level in levels(y)) {
    members <- which(y == level)
    fold[members] <- sample(rep_len(seq_len(k), length(members)))
  }
  fold
}

# Which observations are misclassified when left out (rows), by number of genes (columns): everything,
# selection included, is done without them.
left_out_errors <- function(x, y, sizes, k = 10) {
  fold <- stratified_folds(y, k)
  wrong <- matrix(NA, length(y), length(sizes), dimnames = list(NULL, sizes))
  for (out in seq_len(k)) {
    test <- fold == out
    classes <- predict(zeronorm(x[!test, ], y[!test]), x[test, , drop = FALSE], nonzero = sizes)
    wrong[test, ] <- sapply(classes, function(class) class != y[test])
  }
  wrong
}

# The number of genes with the least error; among equals the smallest.
best_size <- function(wrong) {
  error <- colMeans(wrong)
  min(as.integer(colnames(wrong)[error == min(error)]))
}

set.seed(1)
seconds <- system.time(fit <- zeronorm(x, y))[["elapsed"]]
sizes <- certificate(fit)$target
wrong <- left_out_errors(x, y, sizes)
size <- best_size(wrong)

print(fit)
cat("\nCertificates\n")
shown <- c("target", "status", "kind", "primal", "dual", "gap", "kkt", "support_vectors", "errors")
print(certificate(fit)[shown], digits = 3, row.names = FALSE)
cat("\nThe ", size, " genes:\n", sep = "")
writeLines(strwrap(paste(selected(fit, nonzero = size), collapse = ", "), width = 80, prefix = "  "))

cat("\nError by number of genes, 10 folds, selection inside every fold\n")
print(round(colMeans(wrong), 3))

# The error of the whole procedure: the number of genes is chosen inside every fold as well.
fold <- stratified_folds(y, 10)
honest <- logical(length(y))
for (out in 1:10) {
  test <- fold == out
  r <- best_size(left_out_errors(x[!test, ], y[!test], sizes))
  honest[test] <- predict(zeronorm(x[!test, ], y[!test]), x[test, , drop = FALSE], nonzero = r) != y[test]
}
cat(sprintf("\nError of the whole procedure, 10 folds: %.1f %% (%d of %d; guessing the larger class: %.1f %%)\n",
            100 * mean(honest), sum(honest), length(y), 100 * min(table(y)) / length(y)))
cat(sprintf("One fit of all sizes took %.0f ms.\n", 1000 * seconds))

dir.create(dirname(picture), recursive = TRUE, showWarnings = FALSE)
png(picture, width = 2000, height = 900, res = 190)
par(mfrow = c(1, 2))
plot(fit, "weights", nonzero = size, main = paste("Weights of the", size, "genes"))
error <- colMeans(wrong)
bar <- sqrt(error * (1 - error) / nrow(wrong))
par(mar = c(4.5, 4.5, 2.5, 1), las = 1)
plot(sizes, error, log = "x", type = "b", pch = 19, ylim = c(0, max(error + bar)), xaxt = "n",
     xlab = "number of genes", ylab = "", main = "Cross-validated error")
axis(1, sizes)
segments(sizes, error - bar, sizes, error + bar)
abline(v = size, lty = 3)
invisible(dev.off())
cat("Picture:", normalizePath(picture), "\n")
