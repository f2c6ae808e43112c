# What all vignettes share: how code, tables and pictures look, and how kept studies are shown.
knitr::opts_chunk$set(collapse = TRUE, comment = "#>", message = FALSE, fig.width = 7, fig.height = 4.2, dpi = 96,
                      fig.align = "center", margins = TRUE)
knitr::knit_hooks$set(margins = function(before, ...) {
  if (before) graphics::par(mar = c(4.2, 4.2, 2.2, 0.8), mgp = c(2.4, 0.7, 0))
})
options(width = 80, digits = 4, bitmapType = if (capabilities("cairo")) "cairo" else getOption("bitmapType"))

percent <- function(share, digits = 1) paste(format(round(100 * share, digits), nsmall = digits), "%")

# Plain data frames become tables; whatever has a print method of its own is printed.
table_of <- function(rows, ...) {
  align <- ifelse(vapply(rows, is.numeric, NA), "r", "l")
  rows[] <- lapply(rows, function(column) if (is.double(column)) format(column, digits = 3) else column)
  knitr::kable(rows, row.names = is.character(attr(rows, "row.names")), align = align, ...)
}
registerS3method("knit_print", "data.frame", function(x, ...) {
  if (class(x)[1] == "data.frame") knitr::knit_print(table_of(x)) else knitr::normal_print(x)
}, envir = asNamespace("knitr"))

# --- kept results of the papers' protocols ---

kept_result <- function(paper, table) tryCatch(study_results(paper, table), error = function(e) NULL)
has_kept <- function(...) !is.null(kept_result(...))

# Printed and found values side by side, those that differ in bold; then the orderings that the paper claims.
show_kept <- function(paper, table, metric = NULL, dataset = NULL) {
  study <- kept_result(paper, table)
  if (is.null(study)) {
    return(knitr::asis_output(sprintf(
      "*No result of this table is kept in this version: `study(\"%s\", \"%s\")` computes it.*", paper, table)))
  }
  rows <- as.data.frame(study)
  claims <- rows[rows$metric == "claim", ]
  rows <- rows[rows$metric != "claim", ]
  if (!is.null(metric)) rows <- rows[rows$metric %in% metric, ]
  if (!is.null(dataset)) rows <- rows[rows$dataset %in% dataset, ]
  knitr::asis_output(paste(c(kept_table(rows, attr(study, "study")), "", kept_claims(claims)), collapse = "\n"))
}

kept_table <- function(rows, about) {
  if (nrow(rows) == 0) return(character())
  number <- function(x) ifelse(is.na(x), "-", format(round(x, 1), nsmall = 1, trim = TRUE))
  cell <- paste(number(rows$paper), "/", number(rows$ours))
  cell <- ifelse(rows$verdict %in% "differs", paste0("**", cell, "**"), cell)
  line <- paste(rows$dataset, rows$method, sep = "\r")
  of_line <- tapply(rows$setting, line, function(setting) length(unique(setting)))
  heads <- if (max(of_line) > 1) paste(rows$metric, rows$setting, sep = ", ") else rows$metric
  if (length(unique(rows$metric)) == 1) heads <- sub("^[^,]*, ", "", heads)
  wide <- tapply(cell, list(factor(line, unique(line)), factor(heads, unique(heads))), `[`, 1)
  names <- do.call(rbind, strsplit(rownames(wide), "\r"))
  colnames(names) <- c("data", "method")
  wide <- cbind(names[, apply(names, 2, function(column) length(unique(column)) > 1), drop = FALSE], wide)
  wide[is.na(wide)] <- ""
  verdicts <- rows$verdict[!is.na(rows$verdict)]
  caption <- sprintf("%s. Paper / ours, the mean of %d runs; %d of %d comparable values agree, the others are bold.",
                     about$caption, about$runs, sum(verdicts == "agrees"), length(verdicts))
  knitr::kable(wide, row.names = FALSE, caption = caption)
}

kept_claims <- function(claims) {
  if (nrow(claims) == 0) return(character())
  holds <- ifelse(claims$verdict %in% "agrees", "holds", "does not hold")
  knitr::kable(data.frame("The paper claims" = claims$setting, "we find" = holds,
                          "in runs" = percent(claims$ours, 0), check.names = FALSE))
}
