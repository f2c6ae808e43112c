# Tables, claims and pictures of a script, and the report of all of them.

# A claim with its figure; one of at_most, at_least, or below (strictly).
claim <- function(text, figure, at_most = NA, at_least = NA, below = NA, unit = "") {
  met <- isTRUE(if (!is.na(at_most)) figure <= at_most else if (!is.na(at_least)) figure >= at_least else
    figure < below)
  bound <- c(if (!is.na(at_most)) paste("at most", at_most), if (!is.na(at_least)) paste("at least", at_least),
             if (!is.na(below)) paste("below", below))
  data.frame(claim = text, figure = trimws(paste(as_text(figure), unit)), bound = trimws(paste(bound, unit)),
             met = if (is.na(figure)) "not measured" else if (met) "met" else "missed")
}

# One solver faster than another: the ratio of its median to theirs.
faster <- function(text, rows, ours, theirs, at_most = NA) {
  ratio <- seconds_of(rows, ours) / seconds_of(rows, theirs)
  if (is.na(at_most)) claim(text, ratio, below = 1) else claim(text, ratio, at_most = at_most)
}

as_text <- function(column) {
  if (!is.numeric(column)) return(ifelse(is.na(column), "-", as.character(column)))
  ifelse(is.na(column), "-", vapply(signif(column, 3), format, "", scientific = NA))
}

table_lines <- function(table) {
  text <- vapply(table, as_text, character(nrow(table)))
  text <- matrix(text, nrow(table), dimnames = list(NULL, names(table)))
  c(paste("|", paste(names(table), collapse = " | "), "|"), paste0("|", strrep("---|", ncol(table))),
    apply(text, 1, function(row) paste("|", paste(row, collapse = " | "), "|")), "")
}

# Writes the tables, named by what they show or not, and the claims; leaves R with status 1 if one is missed.
report <- function(name, title, tables, notes = character(), claims = NULL, plots = character()) {
  machine <- paste0(parallel::detectCores(), " cores, ", Sys.info()[["machine"]])
  lines <- c(paste("#", title), "", paste0(R.version.string, ", ", machine, ", ", format(Sys.Date()), "."), "")
  if (length(claims)) lines <- c(lines, table_lines(claims))
  for (k in seq_along(tables)) {
    heading <- if (is.null(names(tables)) || !nzchar(names(tables)[k])) character() else c(names(tables)[k], "")
    lines <- c(lines, heading, table_lines(tables[[k]]))
  }
  lines <- c(lines, notes, if (length(plots)) c("", paste0("![", title, "](plots/", plots, ".png)")))
  cat(lines, sep = "\n")
  writeLines(lines, file.path(here(), paste0(name, ".md")))
  if (length(claims)) {
    dir.create(file.path(here(), "claims"), showWarnings = FALSE)
    utils::write.csv(cbind(script = name, date = format(Sys.Date()), claims),
                     file.path(here(), "claims", paste0(name, ".csv")), row.names = FALSE)
    if (any(claims$met != "met") && !interactive()) quit(status = 1)
  }
}

picture <- function(name, draw, width = 1000, height = 600) {
  folder <- file.path(here(), "plots")
  dir.create(folder, showWarnings = FALSE)
  grDevices::png(file.path(folder, paste0(name, ".png")), width, height, res = 110)
  on.exit(grDevices::dev.off())
  draw()
}

# Times of all solvers on each set of data, on a logarithmic scale; ours filled.
plot_times <- function(rows, main) {
  rows <- rows[!is.na(rows$seconds) | startsWith(rows$note, ">"), ]
  seconds <- ifelse(is.na(rows$seconds), time_limit, rows$seconds)
  solvers <- unique(rows$what)
  sets <- unique(rows$data)
  at <- length(solvers) + 1 - match(rows$what, solvers)
  mine <- grepl("^zeronorm", rows$what)
  colours <- grDevices::hcl.colors(max(2, length(sets)), "Dark 3")[match(rows$data, sets)]
  graphics::par(mar = c(4.5, 16, 2, 1), las = 1)
  graphics::plot(seconds, at, log = "x", pch = ifelse(mine, 19, 1), col = colours, cex = 1.4, xaxt = "n", yaxt = "n",
                 ylab = "", xlab = "median", main = main, ylim = c(0.5, length(solvers) + 0.5))
  graphics::axis(1, 10^(-4:2), c("0.1 ms", "1 ms", "10 ms", "0.1 s", "1 s", "10 s", "100 s"))
  graphics::axis(2, rev(seq_along(solvers)), solvers, cex.axis = 0.8)
  graphics::abline(v = time_limit, lty = 3)
  graphics::legend("bottomleft", sets, pch = 19, col = grDevices::hcl.colors(max(2, length(sets)), "Dark 3"),
                   bty = "n", cex = 0.8)
}

peers <- c("glmnet", "ncvreg", "L0Learn", "abess", "gcdnet", "dcsvm", "hdsvm", "sparseSVM", "LiblineaR", "e1071",
           "kernlab", "Rglpk", "highs", "penalizedSVM", "caret", "quadprog")

# The processor, R, BLAS and the packages measured.
machine_lines <- function() {
  cpu <- tryCatch(sub(".*: ", "", grep("model name", readLines("/proc/cpuinfo"), value = TRUE)[1]),
                  error = function(e) Sys.info()[["machine"]])
  gigabytes <- tryCatch(as.numeric(gsub("[^0-9]", "", readLines("/proc/meminfo", 1))) / 1e6, error = function(e) NA)
  version <- function(package) {
    if (nzchar(system.file(package = package))) paste(package, utils::packageVersion(package))
  }
  found <- unlist(lapply(c("zeronorm", peers), version))
  c(paste0("Processor: ", cpu, ", ", parallel::detectCores(), " cores, ", round(gigabytes), " GB. ",
           R.version.string, ", BLAS ", basename(extSoftVersion()[["BLAS"]]), "."), "",
    paste0("Packages: ", paste(found, collapse = ", "), "."))
}

# Scripts that claim nothing, and those that left no result.
rest_lines <- function(claims) {
  scripts <- setdiff(sub("[.]R$", "", list.files(here(), "[.]R$")), c("common", unique(claims$script)))
  measured <- file.exists(file.path(here(), paste0(scripts, ".md")))
  links <- sprintf("[%s](%s.md)", scripts[measured], scripts[measured])
  c(if (any(measured)) paste0("Without a claim: ", paste(links, collapse = ", "), "."), "",
    if (!all(measured)) paste0("Left no result: ", paste(scripts[!measured], collapse = ", "), "."))
}

# All claims of all scripts, with links to their tables.
write_report <- function() {
  files <- list.files(file.path(here(), "claims"), "[.]csv$", full.names = TRUE)
  claims <- do.call(rbind, lapply(files, utils::read.csv, colClasses = "character"))
  shown <- data.frame(claim = claims$claim, figure = claims$figure, claimed = claims$bound, claims["met"],
                      tables = sprintf("[%s](%s.md)", claims$script, claims$script), measured = claims$date)
  lines <- c("# The benchmark", "", machine_lines(), "",
             paste0("`make bench` measures everything again and writes this page; one script alone: ",
                    "`Rscript bench/l1-path.R`."), "",
             sprintf("%d claims, %d met.", nrow(claims), sum(claims$met == "met")), "", table_lines(shown),
             rest_lines(claims))
  writeLines(lines, file.path(here(), "REPORT.md"))
}
