# The rows of a study: the values of all runs beside the printed ones, and the verdicts.

cell_of <- c("dataset", "method", "setting", "metric")

no_values <- data.frame(dataset = character(), method = character(), setting = character(),
                        metric = character(), value = numeric(), run = integer())

key <- function(rows) do.call(paste, c(rows[cell_of], sep = "\r"))

# What a run's values give together, such as means over the data sets.
with_derived <- function(found, protocol) {
  if (is.null(protocol$derive)) return(found)
  runs <- lapply(unique(found$run), function(run) {
    derived <- protocol$derive(found[found$run == run, ])
    if (!is.null(derived)) cbind(derived, run = run)
  })
  rbind(found, do.call(rbind, runs))
}

printed_values <- function(paper, table) {
  printed <- utils::read.csv(study_file("printed.csv"), na.strings = "", colClasses = c(table = "character"))
  printed$left_out[is.na(printed$left_out)] <- ""
  printed[printed$paper == paper & printed$table == table, ]
}

compare_printed <- function(found, protocol, sets, judged) {
  printed <- printed_values(protocol$paper, protocol$table)
  ours <- by_cell(found)
  rows <- rbind(printed[cell_of], unprinted(ours, printed), absent(sets, printed))
  at <- match(key(rows), key(printed))
  from <- match(key(rows), key(ours))
  rows$paper <- printed$value[at]
  rows$paper_se <- printed$spread[at]
  rows$ours <- ours$mean[from]
  rows$se <- ours$sd[from]
  rows$left_out <- printed$left_out[at]
  rows$left_out[is.na(at)] <- "not printed"
  missing <- vapply(rows$dataset, why_missing, "", sets, protocol)
  rows$note <- ifelse(is.na(rows$ours), missing, "")
  rows$verdict <- if (judged) verdicts(rows) else NA
  rows
}

# That the set is not at hand, that it is left out, or what else was missing where the rows are of no one set.
why_missing <- function(dataset, sets, protocol) {
  reasons <- c(sets[[dataset]]$note, as.list(protocol$skipped)[[dataset]],
               if (!dataset %in% names(sets)) vapply(sets, `[[`, "", "note"))
  c(reasons[nzchar(reasons)], "")[[1]]
}

verdicts <- function(rows) {
  allowed <- 2 * sqrt(ifelse(is.na(rows$paper_se), rows$se, rows$paper_se)^2 + rows$se^2)
  within <- abs(rows$ours - rows$paper) <= allowed + 1e-9 * abs(rows$paper)
  ifelse(nzchar(rows$left_out), NA, ifelse(within, "agrees", "differs"))
}

# Half of the last digit to which a table prints a metric: its true values are not known any better.
rounding_of <- function(rows) {
  digits <- format(rows$paper, digits = 15, trim = TRUE, drop0trailing = TRUE)
  0.5 * 10^-stats::ave(nchar(sub("^[^.]*[.]?", "", digits)), rows$metric, FUN = max)
}

# Mean and standard deviation over the runs.
by_cell <- function(found) {
  cells <- factor(key(found), unique(key(found)))
  first <- found[!duplicated(cells), cell_of]
  first$mean <- as.vector(tapply(found$value, cells, mean))
  first$sd <- as.vector(tapply(found$value, cells, stats::sd))
  first
}

unprinted <- function(ours, printed) ours[!key(ours) %in% key(printed), cell_of]

# Sets that are not at hand, and have no printed row to say so.
absent <- function(sets, printed) {
  noted <- names(Filter(function(set) nzchar(set$note), sets))
  noted <- setdiff(noted, printed$dataset)
  data.frame(dataset = noted, method = rep("", length(noted)), setting = rep("", length(noted)),
             metric = rep("", length(noted)))
}

compare_claims <- function(found, protocol, judged) {
  if (is.null(protocol$claims)) return(NULL)
  holds <- function(rows) {
    protocol$claims(function(dataset = "", method = "", setting = "", metric = "error_pct") {
      rows$value[match(key(data.frame(dataset, method, setting, metric)), key(rows))]
    })
  }
  ours <- by_cell(found)
  means <- unlist(holds(data.frame(ours[cell_of], value = ours$mean)))
  runs <- unique(found$run)
  shares <- vapply(runs, function(run) as.numeric(unlist(holds(found[found$run == run, ]))),
                   numeric(length(means)))
  shares <- rowMeans(matrix(shares, length(means)), na.rm = TRUE)  # NA where a run has not all parts
  data.frame(dataset = "", method = "", setting = names(means), metric = "claim", paper = 1, paper_se = NA,
             ours = shares, se = NA, left_out = "", note = "",
             verdict = if (judged) ifelse(means, "agrees", "differs") else NA)
}

new_study <- function(rows, about) {
  protocol <- find_protocol(about$paper, about$table)
  rows$difference <- rows$ours - rows$paper
  if (!is.null(protocol$note)) {
    differs <- which(rows$verdict == "differs")
    rows$note[differs] <- protocol$note(rows[differs, ])
  }
  rounded <- rows$verdict %in% "differs" & abs(rows$difference) <= rounding_of(rows) * (1 + 1e-9)
  rows$note[rounded] <- "the same in the printed digits"
  rows <- rows[c(cell_of, "paper", "paper_se", "ours", "se", "difference", "verdict", "left_out", "note")]
  structure(rows, row.names = seq_len(nrow(rows)), class = c("zeronorm_study", "data.frame"), study = about)
}
