# Methods by name that tests of all methods run through: every constructor, and what their arguments make of them.

contract_methods <- function() {
  c(example_methods(), list(
    "l1_svm hard" = l1_svm(C = Inf), "l2_svm squared" = l2_svm(loss = "squared_hinge"),
    "rlp class_mean" = rlp("class_mean"), "fsv class_mean" = fsv(average = "class_mean"),
    "fsv log" = fsv(penalty = log_penalty(0.01)), "l1-AROM" = arom("l1"),
    "l2-l1-AROM" = arom("l2-l1", switch = 4), "l2-AROM soft" = arom(errors = "l2"),
    "l1-AROM soft" = arom("l1", errors = "l1"), "l2-AROM, errors too" = arom(errors = "zero"),
    "bound RFE, span, soft" = bound_rfe("span", C = 1, nonzero = 2),
    "bound RFE, first order" = bound_rfe(order = 1, nonzero = 2),
    "bound RFE, retrained" = bound_rfe(retrain = TRUE, nonzero = 2, step = 0.9),
    "adaptive scaling, p = 1" = adaptive_scaling(1), "adaptive scaling, p = 3" = adaptive_scaling(3, C = 0.1),
    "R2W2 by the span" = r2w2(criterion = "span", C = 1),
    "R2W2 soft" = r2w2(C = 1), "R2W2 variance" = r2w2(criterion = "variance", kernel_parameters = TRUE),
    "norm_svm fast" = norm_svm(fast = TRUE), "norm_svm without margin" = norm_svm(margin = FALSE),
    "Gram-Schmidt by leave-one-out" = gram_schmidt(stop = "loo"),
    "Gram-Schmidt on monomials" = gram_schmidt(3, degree = 2, backward = "loo", refit = "l2"),
    "grafting at a price" = grafting(0.02, 0.1, 0.01, loss = "squared", l2 = "norm"),
    "tree by errors" = tree_importance(split = "error"),
    "OBD of least squares" = obd(nonzero = 2, loss = "squared"),
    "relevance vector machine" = ard(gaussian_kernel(1)),
    "linf_svm hard" = linf_svm(C = Inf), "l2_l1_svm on monomials" = l2_l1_svm(10, 0.1, degree = 2),
    "l2-AROM on monomials" = arom(errors = "l2", kernel = poly_kernel(2)),
    "l1-AROM on monomials" = arom("l1", errors = "l1", kernel = poly_kernel(2, "power"))
  ))
}

# Methods with folds get them; the rest would ignore them.
contract_fit <- function(method, x, y, ..., rows = seq_len(nrow(x))) {
  foldid <- if (length(method$folds)) rep_len(1:5, nrow(x))[rows]
  zeronorm(x[rows, ], if (is.matrix(y)) y[rows, ] else y[rows], method, foldid = foldid, ...)
}

# The same with the variants that train other models: kernels, networks, several norms.
all_variants <- function() {
  c(contract_methods(), list(
    "m_svm l1" = m_svm("l1"), "m_svm l1, soft" = m_svm("l1", C = 1), "m_svm soft" = m_svm(C = 1),
    "p_svm with a bound" = p_svm(epsilon = 1, C = 0.05), "l2_svm by a kernel" = l2_svm(kernel = gaussian_kernel(1)),
    "fsv by a kernel" = fsv(kernel = gaussian_kernel(1)),
    "svm_rfe by a kernel" = svm_rfe(nonzero = 2, kernel = "gaussian"),
    "svm_rfe retrained" = svm_rfe(2, retrain = TRUE, step = 0.9),
    "sensitivity_rfe by a kernel" = sensitivity_rfe(nonzero = 2, kernel = "gaussian"),
    "bound_rfe by a kernel" = bound_rfe(nonzero = 2, kernel = "gaussian"),
    "adaptive_scaling by a kernel" = adaptive_scaling(kernel = gaussian_kernel(1)),
    "jcfo by a kernel" = jcfo(kernel = gaussian_kernel(1)), "r2w2 by a kernel" = r2w2(2, kernel = "gaussian"),
    "sparse_fisher by a kernel" = sparse_fisher(kernel = gaussian_kernel(1)),
    "norm_svm of the largest" = norm_svm(p = Inf), "norm_svm by a kernel" = norm_svm(kernel = gaussian_kernel(1)),
    "projected AROM" = arom(errors = "l2", kernel = poly_kernel(2), kernel_form = "projected"),
    "OBD of a network" = obd(nonzero = 2, hidden = 2), "dca, logistic" = dca("logistic"),
    "fsv to a size" = fsv(nonzero = 2), "med_svm to a size" = med_svm(nonzero = 2)
  ))
}

# Data of every task that a method takes: list(x, y) by task, whole numbers with many ties.
tied_data <- function(n, d, seed = 1, values = -1:2) {
  with_stream(seed, {
    x <- matrix(sample(values, n * d, TRUE), n, d, dimnames = list(NULL, paste0("g", seq_len(d))))
    f <- x[, 1] - x[, 2] + x[, 3] * sample(0:1, n, TRUE)
    three <- cut(f + sample(-1:1, n, TRUE), c(-Inf, -0.5, 0.5, Inf), c("a", "b", "c"))
    list("two-class" = list(x = x, y = factor(ifelse(f > 0, "up", "down"))),
         "k-class" = list(x = x, y = three),
         "multi-label" = list(x = x, y = cbind(first = as.numeric(f > 0), second = as.numeric(x[, 4] > 0))),
         regression = list(x = x, y = f + x[, 4] / 2))
  })
}
