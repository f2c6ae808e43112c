# Claim: Weston-Watkins machines of 200 observations, 15 classes and 2,000 genes reach a gap of 1e-6 within
# 20 s, whole R call, whether the classes are apart or the labels are noise.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
set.seed(1)
class <- rep_len(1:15, 200)
x <- matrix(rnorm(200 * 2000), 200)
for (k in 1:15) x[class == k, 5 * (k - 1) + 1:5] <- x[class == k, 5 * (k - 1) + 1:5] + 1.5
labels <- list("classes apart" = class, "labels of noise" = sample(class))
cases <- expand.grid(labels = names(labels), C = c(0.01, 1, 100, Inf), stringsAsFactors = FALSE)
rows <- do.call(rbind, lapply(seq_len(nrow(cases)), function(k) {
  seconds <- elapsed(fit <- zeronorm(x, factor(labels[[cases$labels[k]]]), m_svm(C = cases$C[k])))
  facts <- certificate(fit)
  data.frame(cases[k, ], seconds = seconds, gap = facts$gap, engine = facts$engine, fallback = facts$fallback)
}))
report("m_svm-speed", "m_svm on 200 x 2000 with 15 classes", list(rows),
       sprintf("Largest gap %.1g, longest %.1f s.", max(rows$gap), max(rows$seconds)),
       rbind(claim("m_svm(), 200 x 2000, 15 classes: largest gap", max(rows$gap), at_most = 1e-6),
             claim("m_svm(), 200 x 2000, 15 classes: longest fit", max(rows$seconds), at_most = 20, unit = "s")))
