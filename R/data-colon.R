#' Genes of colon tissue
#'
#' Expression of 2,000 genes in 40 tumours and 22 normal tissues, measured with Affymetrix arrays. These are
#' raw intensities between 5.8 and 20,903: take logarithms. Nine columns are copies of others.
#'
#' @format A list of `x`, a matrix of 62 tissues and 2,000 genes with the genes' names, and `y`, a factor with
#'   the levels `"normal"` and `"tumour"`.
#' @source `Colon` in the package \pkg{plsgenomics} (GPL >= 2) by Boulesteix, Durif, Lambert-Lacroix, Peyre
#'   and Strimmer; published by Alon et al.
#' @references
#' Alon, U. et al. (1999). Broad patterns of gene expression revealed by clustering analysis of tumor and
#' normal colon tissues probed by oligonucleotide arrays. *PNAS* 96, 6745-6750.
#' @examples
#' fit <- zeronorm(log(colon$x), colon$y, arom("l2", nonzero = 10))
#' selected(fit)
"colon"
