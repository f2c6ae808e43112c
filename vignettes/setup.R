# What all vignettes share: how code, tables and pictures look, and how kept studies are shown.
knitr::opts_chunk$set(collapse = TRUE, comment = "#>", message = FALSE, margins = TRUE,
                      fig.width = 7, fig.height = 4.2, fig.align = "center", dpi = 96)
knitr::knit_hooks$set(margins = function(before, ...) {
  if (before) graphics::par(mar = c(4.2, 4.2, 2.2, 0.8), mgp = c(2.4, 0.7, 0))
})
options(width = 80, digits = 4, bitmapType = if (capabilities("cairo")) "cairo" else getOption("bitmapType"))

percent <- function(share, digits = 1) paste(format(round(100 * share, digits), nsmall = digits), "%")

# Plain data frames become tables; whatever has a print method of its own is printed.
table_of <- function(rows, ...) {
  align <- ifelse(vapply(rows, is.numeric, NA), "r", "l")
  whole <- function(column) all(is.finite(column) & column == round(column) & abs(column) < 1e15)
  rows[] <- lapply(rows, function(column) {
    if (!is.double(column)) return(column)
    if (whole(column)) sprintf("%.0f", column) else format(column, digits = 3)
  })
  knitr::kable(rows, row.names = is.character(attr(rows, "row.names")), align = align, ...)
}
registerS3method("knit_print", "data.frame", function(x, ...) {
  if (class(x)[1] == "data.frame") knitr::knit_print(table_of(x)) else knitr::normal_print(x)
}, envir = asNamespace("knitr"))

# --- kept results of the papers' protocols ---

# NULL where there is none.
kept_result <- function(paper, table = NULL) {
  tryCatch(study_results(paper, table), zeronorm_error = function(e) NULL)
}
has_kept <- function(...) !is.null(kept_result(...))

# Printed and found values side by side, those that differ in bold; then the orderings that the paper claims.
show_kept <- function(paper, table, metric = NULL, claims = TRUE) {
  study <- kept_result(paper, table)
  if (is.null(study)) {
    if (!claims) return(knitr::asis_output(""))  # said where its claims stand
    return(knitr::asis_output(sprintf(
      "*No result of this table is kept in this version: `study(\"%s\", \"%s\")` computes it.*", paper, table
    )))
  }
  rows <- as.data.frame(study)
  claimed <- rows[rows$metric == "claim" & claims, ]
  rows <- rows[rows$metric != "claim" & !(is.na(rows$ours) & nzchar(rows$left_out)), ]
  if (!is.null(metric)) rows <- rows[rows$metric %in% metric, ]
  shown <- c(kept_title(rows, attr(study, "study")), "", kept_table(rows), "", kept_notes(rows), "",
             kept_claims(claimed), "")
  knitr::asis_output(paste(shown, collapse = "\n"))
}

kept_title <- function(rows, about) {
  verdicts <- rows$verdict[!is.na(rows$verdict)]
  counts <- if (length(verdicts)) {
    sprintf(" %d of %d comparable values agree; those that differ are bold.", sum(verdicts == "agrees"),
            length(verdicts))
  }
  metrics <- unique(metric_name(rows$metric))
  sprintf("*Table %s%s. %s. Printed value / mean of our %d runs.%s*", about$table,
          if (length(metrics) == 1) paste0(" (", metrics, ")") else "", about$caption, about$runs,
          if (is.null(counts)) "" else counts)
}

metric_names <- c(error_pct = "error, %", accuracy_pct = "accuracy, %",
                  train_accuracy_pct = "training accuracy, %", n_features = "features",
                  n_sv = "support vectors", n_trials_relevant_nonredundant = "one input of each triple")

metric_name <- function(metric) ifelse(metric %in% names(metric_names), metric_names[metric], metric)

# Rows are data sets and methods, columns settings or metrics, whatever of these differ; the other way round
# where there are many columns, and data sets against methods where there is nothing else.
kept_table <- function(rows) {
  if (nrow(rows) == 0) return(character())
  number <- function(x) ifelse(is.na(x), "-", ifelse(abs(x) < 1000, sprintf("%.1f", x), sprintf("%.0f", x)))
  cell <- paste(number(rows$paper), "/", number(rows$ours))
  cell <- ifelse(rows$verdict %in% "differs", paste0("**", cell, "**"), cell)
  line <- paste(rows$dataset, rows$method, sep = "\r")
  settings <- max(tapply(rows$setting, paste(line, rows$metric), function(setting) length(unique(setting))))
  heads <- metric_name(rows$metric)
  if (settings > 1) {
    setting <- gsub("=", " ", rows$setting)
    heads <- if (length(unique(heads)) > 1) paste(heads, setting, sep = ", ") else setting
  }
  spread <- function(rows, columns) {
    wide <- tapply(cell, list(factor(rows, unique(rows)), factor(columns, unique(columns))), `[`, 1)
    replace(wide, is.na(wide), "")
  }
  if (length(unique(heads)) == 1 && length(unique(rows$dataset)) > 1 && length(unique(rows$method)) < 9) {
    return(knitr::kable(spread(rows$dataset, rows$method)))
  }
  wide <- spread(line, heads)
  names <- do.call(rbind, strsplit(rownames(wide), "\r"))
  colnames(names) <- c("data", "method")
  differ <- apply(names, 2, function(column) length(unique(column)) > 1)
  if (!differ[["data"]] && ncol(wide) > 5) {
    rownames(wide) <- names[, "method"]
    return(knitr::kable(t(wide)))
  }
  knitr::kable(cbind(names[, differ, drop = FALSE], wide), row.names = FALSE)
}

# Why values differ, each reason once.
kept_notes <- function(rows) {
  notes <- unique(rows$note[rows$verdict %in% "differs" & !is.na(rows$note) & nzchar(rows$note)])
  if (length(notes)) paste0("Where values differ: ", paste(notes, collapse = "; "), ".")
}

kept_claims <- function(claims, whose = "the paper claims") {
  if (nrow(claims) == 0) return(character())
  shown <- data.frame(claims$setting, ifelse(claims$verdict %in% "agrees", "holds", "does not hold"),
                      percent(claims$ours, 0))
  knitr::kable(shown, col.names = c(whose, "for our means", "share of runs"))
}
