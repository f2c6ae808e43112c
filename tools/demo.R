# Rscript demo.R PICTURE: selects genes on the colon microarray (Alon et al. 1999; 40 tumours, 22 normal
# tissues, 2000 genes), prints the fit with its certificate, its cross-validated error and what is proven
# about the number of genes, and draws the first two.
library(zeronorm, warn.conflicts = FALSE)
picture <- commandArgs(trailingOnly = TRUE)[1L]

x <- log(colon$x)
y <- colon$y

set.seed(1)
seconds <- system.time(fit <- zeronorm(x, y))[["elapsed"]]
cv <- cv_zeronorm(x, y)
size <- cv$summary$nonzero[cv$best[["1se"]]]

print(fit)
cat("\nCertificates\n")
shown <- c("target", "status", "kind", "primal", "dual", "gap", "kkt", "support_vectors", "errors")
print(certificate(fit)[shown], digits = 3, row.names = FALSE)
cat("\nThe ", size, " genes:\n", sep = "")
writeLines(strwrap(paste(selected(cv), collapse = ", "), width = 80, prefix = "  "))

cat("\nError by number of genes, 10 folds, selection inside every fold\n")
print(cv$summary[c("nonzero", "mean", "se")], digits = 3, row.names = FALSE)

# The error of the whole procedure: the number of genes is chosen inside every fold as well.
honest <- nested_zeronorm(x, y)$summary$mean[1]
cat(sprintf("\nError of the whole procedure, 10 folds: %.1f %% (%.0f of %d; guessing: %.1f %%)\n",
            100 * honest, honest * length(y), length(y), 100 * min(table(y)) / length(y)))
cat(sprintf("One fit of all sizes took %.0f ms.\n", 1000 * seconds))

cat("\nHow far from the fewest? Every gene and every pair:\n")
print(certify_zero_norm(x, y, largest = 2, permutations = 20))

dir.create(dirname(picture), recursive = TRUE, showWarnings = FALSE)
png(picture, width = 2000, height = 900, res = 190)
par(mfrow = c(1, 2))
plot(fit, "weights", nonzero = size, main = paste("Weights of the", size, "genes"))
plot(cv, main = "Cross-validated error")
invisible(dev.off())
cat("Picture:", normalizePath(picture), "\n")
