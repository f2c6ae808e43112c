# What a fuzzing run did, from what libFuzzer printed and the harness counted: Rscript report.R LOG TALLY
files <- commandArgs(trailingOnly = TRUE)
log <- readLines(files[1L], warn = FALSE)
progress <- grep("^#[0-9]+.* cov: [0-9]+ ft: [0-9]+", log, value = TRUE)
field <- function(pattern) {
  last <- utils::tail(grep(pattern, progress, value = TRUE), 1L)
  as.numeric(sub(pattern, "\\1", last))
}
done <- "^Done ([0-9]+) runs in ([0-9]+) second.*"
seconds <- sum(as.numeric(sub(done, "\\2", grep(done, log, value = TRUE))))
cat(sprintf("%.0f executions in %.0f s; coverage %.0f, features %.0f, corpus %.0f.\n\n",
            field("^#([0-9]+).*"), seconds, field(".* cov: ([0-9]+) .*"), field(".* ft: ([0-9]+) .*"),
            field(".* corp: ([0-9]+).*")))
tally <- utils::read.csv(files[2L], header = FALSE, col.names = c("engine", "status", "count"))
table <- stats::xtabs(count ~ engine + status, tally)
statuses <- colnames(table)[order(-colSums(table))]
cat(paste0("| engine | ", paste(statuses, collapse = " | "), " |"),
    paste0("|", strrep("---|", length(statuses) + 1L)),
    sprintf("| %s | %s |", rownames(table),
            apply(table[, statuses, drop = FALSE], 1L, paste, collapse = " | ")),
    sprintf("\n%.0f answers graded.", sum(table)), sep = "\n")
