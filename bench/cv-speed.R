# Claim: cross-validation of l2-AROM on colon, 10 folds x 10 repeats x 8 sizes, takes at least 50 times less
# CPU for each fit of a size than caret::rfe with a linear SVM over the same sizes (5 folds).
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
data <- colon()
x <- as.data.frame(data$x)
y <- factor(ifelse(data$y > 0, "tumour", "normal"))
sizes <- 2^(0:7)
cpu <- function(code) sum(system.time(code)[c("user.self", "sys.self")])
set.seed(1)
ours <- cpu(cv <- cv_zeronorm(data$x, y, arom("l2", nonzero = sizes, errors = "l2"),
                              repeats = 10)) / (100 * 8)
svm <- caret::caretFuncs
rfe <- caret::rfeControl(svm, method = "cv", number = 5)
theirs <- cpu(suppressWarnings(caret::rfe(x, y, sizes = sizes, rfeControl = rfe, method = "svmLinear",
                                          trControl = caret::trainControl("none"),
                                          tuneGrid = data.frame(C = 1)))) / (5 * 9)
rows <- data.frame(what = c("cv_zeronorm(), 10 folds x 10 repeats x 8 sizes",
                            "caret::rfe, 5 folds, the same sizes and all"),
                   ms = 1e3 * c(ours, theirs))
report("cv-speed", "CPU of one fit of one size in a cross-validation on colon, 62 x 2000", list(rows),
       sprintf("Ratio: %.0f. Least cross-validated error %.3f.", theirs / ours, min(cv$summary$mean)),
       claim("colon: CPU of a fit of caret::rfe / of cv_zeronorm()", theirs / ours, at_least = 50))
