#' A table of a paper, run again
#'
#' Runs the protocol behind a printed table and puts the paper's numbers beside those found here. The whole
#' protocol is run several times, each time with random numbers of its own, so that every value comes with its
#' standard deviation from run to run. A printed value agrees if
#' \deqn{|ours - paper| \le 2 \sqrt{s_{paper}^2 + s_{ours}^2},}{|ours - paper| <= 2 sqrt(s_paper^2 +
#' s_ours^2),} where \eqn{s_{ours}} is that standard deviation and \eqn{s_{paper}} the printed standard error,
#' or \eqn{s_{ours}} again where none is printed.
#' Orderings that a paper claims are rows of their own (`metric` `"claim"`): `ours` is the share of the runs
#' in which the claim holds, and it agrees if it holds for the means.
#'
#' The runs go through [future.apply::future_lapply()]: `future::plan()` decides who works, and the answer for
#' a given seed does not depend on it. With a `checkpoint` directory a broken-off study goes on where it
#' stopped.
#'
#' `study_results()` gives the kept result of a full study without running it, `study_overview()` counts the
#' verdicts of all of them.
#'
#' @param paper `"weston2003"`, `"rinaldi2010"`, `"huang2010"`, `"neumann2005"` or `"lal_embedded"`.
#' @param table number of the table, or `"fig1"`, `"fig2"`, ... or `"text"`; `NULL` where the study has only
#'   one.
#' @param quick TRUE: a short form of the protocol on a seed of its own, in less than a minute; it shows that
#'   everything runs and gives no verdict.
#' @param data_dir folder of the data sets that no package has, as `<name>.rds` files with elements `x` and
#'   `y`. Rows of data sets that are not at hand are kept, with the reason in `note`.
#' @param runs how often the whole protocol is run; NULL means the study's own number.
#' @param checkpoint,BPPARAM as in [cv_zeronorm()].
#' @param ... unused, and an error if given.
#' @return A data frame of class `zeronorm_study` with a row per printed number and claim: `dataset`,
#'   `method`, `setting`, `metric`, `paper` and its standard error `paper_se`, `ours` and its standard
#'   deviation `se` over the runs, `difference` (ours - paper), `verdict` (`"agrees"`, `"differs"`, or NA
#'   where nothing can be compared), `left_out` (why a printed value does not count, as times and chosen
#'   parameters do not) and `note`.
#' @references
#' Weston, J., Elisseeff, A., Schoelkopf, B. and Tipping, M. (2003). Use of the zero-norm with linear models
#' and kernel methods. *JMLR* 3, 1439-1461.
#'
#' Neumann, J., Schnoerr, C. and Steidl, G. (2005). Combined SVM-based feature selection and classification.
#' *Machine Learning* 61, 129-150.
#'
#' Rinaldi, F. and Sciandrone, M. (2010). Feature selection combining linear support vector machines and
#' concave optimization. *Optimization Methods and Software* 25, 117-128.
#'
#' Huang, K., Zheng, D., King, I. and Lyu, M. R. (2010). Arbitrary norm support vector machines. *Neural
#' Computation* 21, 560-582.
#'
#' Lal, T. N., Chapelle, O., Weston, J. and Elisseeff, A. (2006). Embedded methods. In *Feature Extraction*,
#' 137-165. Springer.
#' @examples
#' set.seed(1)
#' study("weston2003", table = "text", quick = TRUE)
#' study_overview()
#' @export
study <- function(paper, table = NULL, quick = FALSE, data_dir = NULL, runs = NULL, checkpoint = NULL,
                  BPPARAM = NULL, ...) {
  check_unused(...)
  check_flag(quick, "quick")
  protocol <- find_protocol(paper, table)
  if (is.null(runs)) runs <- if (quick) min(2, protocol$runs) else protocol$runs
  runs <- check_count(runs, "runs")
  clock <- new_clock(Inf)
  sets <- lapply(stats::setNames(nm = protocol$parts), function(part) {
    if (part %in% names(protocol$data)) study_data(protocol$data[[part]], data_dir) else list(note = "")
  })
  present <- names(Filter(function(set) !nzchar(set$note), sets))
  tasks <- expand.grid(fold = seq_along(protocol$parts), run = seq_len(runs))
  wanted <- protocol$parts[tasks$fold] %in% present & tasks$run <= runs_of_parts(protocol, runs)[tasks$fold]
  tasks <- lapply(seq_len(nrow(tasks)), function(k) as.list(tasks[k, ]))
  work <- function(task) {
    part <- protocol$parts[task$fold]
    cbind(protocol$run(part, sets[[part]], quick), run = task$run)
  }
  tasks <- if (quick) on_stream(c(10407L, 1:6), draw_streams(tasks)) else draw_streams(tasks)
  tasks <- tasks[wanted]  # those left out change no other's random numbers
  about <- list(paper = paper, table = protocol$table, quick = quick, runs = runs,
                data = lapply(sets, `[[`, "checksum"))
  tasks <- open_checkpoint(checkpoint, about, tasks)
  found <- if (length(tasks)) values_of(run_tasks(tasks, work, checkpoint, BPPARAM), "parts of the study")
  found <- with_derived(do.call(rbind, c(list(no_values), found)), protocol)
  about <- list(paper = paper, table = protocol$table, caption = protocol$caption, runs = runs, quick = quick,
                seconds = elapsed(clock),
                checksum = unlist(lapply(sets, `[[`, "checksum")))
  new_study(rbind(compare_printed(found, protocol, sets, judged = !quick),
                  compare_claims(found, protocol, judged = !quick)), about)
}

# Dear parts are run less often than the others.
runs_of_parts <- function(protocol, runs) {
  often <- stats::setNames(rep(runs, length(protocol$parts)), protocol$parts)
  often[names(protocol$fewer)] <- pmin(runs, protocol$fewer)
  unname(often)
}

study_file <- function(...) system.file("studies", ..., package = "zeronorm")

study_names <- function() sub("[.]R$", "", list.files(study_file(), "[.]R$"))

# The protocol of a table, with its paper and table.  A list of
#   caption, and runs: how often the whole protocol is run;
#   parts: names of its independent parts; data: which of them work on a data set, and on which;
#   run(part, set, quick): rows of dataset, method, setting, metric (as in printed.csv) and value
# and, where there are any,
#   fewer: how often at most, of parts that are run less often;
#   derive(rows of one run): more such rows, such as means over the data sets;
#   claims(value): a named list of TRUE, FALSE or NA, from value(dataset, method, setting, metric);
#   skipped: why rows of a data set have no value, c(dataset = reason);
#   note(rows): why rows that differ do; draw(study): its picture.
find_protocol <- function(paper, table) {
  protocols <- read_protocols(paper)
  if (is.null(table) && length(protocols) == 1) table <- names(protocols)
  table <- check_choice(if (!is.null(table)) as.character(table), "table", names(protocols))
  c(protocols[[table]], list(paper = paper, table = table))
}

# Read once in a session.
read_protocols <- function(paper) {
  paper <- check_choice(paper, "paper", study_names())
  if (is.null(protocols_read[[paper]])) {
    found <- new.env(parent = topenv())
    sys.source(study_file(paste0(paper, ".R")), found)
    protocols_read[[paper]] <- found$protocols
  }
  protocols_read[[paper]]
}

protocols_read <- new.env()

study_tables <- function(paper) names(read_protocols(paper))


# --- rows ---

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

# --- kept results ---

#' @rdname study
#' @export
study_results <- function(paper, table = NULL) {
  protocol <- find_protocol(paper, table)
  file <- study_file("results", paste0(protocol$paper, "-", protocol$table, ".csv"))
  if (!nzchar(file)) {
    stop_zeronorm("table", paste0("'", protocol$table, "' has no kept result."),
                  "Run it: study(paper, table).")
  }
  head <- read.dcf(textConnection(sub("^# ?", "", grep("^#", readLines(file), value = TRUE))))[1, ]
  # A column of nothing but NA has its type all the same.
  text <- c(cell_of, "verdict", "left_out", "note")
  numbers <- c("paper", "paper_se", "ours", "se", "difference")
  types <- c(stats::setNames(rep("character", length(text)), text),
             stats::setNames(rep("numeric", length(numbers)), numbers))
  rows <- utils::read.csv(file, comment.char = "#", na.strings = "NA", colClasses = types)
  about <- list(paper = protocol$paper, table = protocol$table, caption = protocol$caption,
                runs = as.integer(head[["runs"]]), quick = FALSE, seconds = as.numeric(head[["seconds"]]),
                date = head[["date"]], version = head[["version"]], seed = as.integer(head[["seed"]]))
  values <- rows$metric != "claim"
  rows$verdict[values] <- verdicts(rows[values, ])
  new_study(rows, about)
}

# Writes what study_results() reads.
keep_study <- function(x, directory, seed) {
  about <- attr(x, "study")
  data <- if (length(about$checksum)) paste(names(about$checksum), about$checksum)
  file <- file.path(directory, paste0(about$paper, "-", about$table, ".csv"))
  head <- c(date = format(Sys.Date()), version = as.character(utils::packageVersion("zeronorm")), seed = seed,
            runs = about$runs, seconds = round(about$seconds),
            if (length(data)) c(data = paste(data, collapse = ", ")))
  writeLines(paste0("# ", names(head), ": ", head), file)
  rows <- as.data.frame(x)
  numbers <- vapply(rows, is.numeric, NA)
  rows[numbers] <- lapply(rows[numbers], signif, 6)
  suppressWarnings(utils::write.table(rows, file, append = TRUE, sep = ",", row.names = FALSE,
                                      qmethod = "double"))
  invisible(file)
}

#' @rdname study
#' @export
study_overview <- function() {
  kept <- strsplit(sub("[.]csv$", "", list.files(study_file("results"), "[.]csv$")), "-")
  rows <- lapply(kept, function(name) {
    x <- study_results(name[1], name[2])
    data.frame(paper = name[1], table = name[2], runs = attr(x, "study")$runs,
               compared = sum(!is.na(x$verdict)), agrees = sum(x$verdict == "agrees", na.rm = TRUE),
               differs = sum(x$verdict == "differs", na.rm = TRUE),
               no_data = sum(is.na(x$ours) & !nzchar(x$left_out)), left_out = sum(nzchar(x$left_out)))
  })
  do.call(rbind, rows)
}

# --- what a study shows ---

#' @method print zeronorm_study
#' @export
print.zeronorm_study <- function(x, digits = 3, ...) {
  about <- attr(x, "study")
  if (is.null(about)) return(invisible(print(as.data.frame(x), digits = digits)))  # some of its rows
  cat("<zeronorm study> ", about$paper, ", ", describe_table(about$table), ": ", about$caption, "\n  ",
      if (about$quick) "quick form, no verdict", if (!about$quick) plural(about$runs, "run"),
      ", ", format(about$seconds, digits = 2), " s",
      if (!is.null(about$date)) paste0(", kept on ", about$date), "\n", sep = "")
  for (metric in setdiff(unique(x$metric), "")) {
    rows <- as.data.frame(x)[x$metric == metric, names(x) != "metric"]
    counts <- table(factor(rows$verdict, c("agrees", "differs")))
    cat("\n", metric, if (sum(counts)) ": ", if (sum(counts)) paste(counts, names(counts), collapse = ", "),
        "\n", sep = "")
    empty <- vapply(rows, function(column) all(is.na(column) | column == ""), NA)
    print(rows[!empty], digits = digits, row.names = FALSE)
  }
  skipped <- x[is.na(x$ours) & nzchar(x$note), ]
  for (note in unique(skipped$note)) {
    absent <- unique(skipped$dataset[skipped$note == note])
    cat("\nskipped: ", paste(absent, collapse = ", "), ": ", note, "\n",
        sep = "")
  }
  invisible(x)
}

describe_table <- function(table) {
  if (grepl("^fig", table)) return(sub("fig", "figure ", table))
  if (table == "text") table else paste("table", table)
}

#' @method as.data.frame zeronorm_study
#' @export
as.data.frame.zeronorm_study <- function(x, ...) {
  attr(x, "study") <- NULL
  structure(x, class = "data.frame")
}

# A part of a study is a plain data frame.
#' @method [ zeronorm_study
#' @export
`[.zeronorm_study` <- function(x, ...) as.data.frame(x)[...]

#' @rdname study
#' @param x a study.
#' @method plot zeronorm_study
#' @export
plot.zeronorm_study <- function(x, ...) {
  about <- attr(x, "study")
  draw <- find_protocol(about$paper, about$table)$draw
  if (is.null(draw) || all(is.na(x$ours))) plot_printed(x, ...) else draw(x, ...)
  invisible(x)
}

# Printed values against ours, a panel for each metric.
plot_printed <- function(x, ...) {
  rows <- x[!is.na(x$paper) & !is.na(x$ours) & x$metric != "claim" & !nzchar(x$left_out), ]
  if (!nrow(rows)) return(inform("No printed value is compared here, so there is nothing to draw."))
  metrics <- unique(rows$metric)
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(metrics)))
  on.exit(graphics::par(old))
  for (metric in metrics) {
    here <- rows[rows$metric == metric, ]
    reach <- 2 * ifelse(is.na(here$se), 0, here$se)
    limits <- range(here$paper, here$ours - reach, here$ours + reach)
    colour <- ifelse(is.na(here$verdict), "#000000", ifelse(here$verdict == "agrees", "#0072B2", "#D55E00"))
    graphics::plot(here$paper, here$ours, xlim = limits, ylim = limits, xlab = "paper", ylab = "ours",
                   main = metric, pch = ifelse(here$verdict %in% "differs", 17, 19), col = colour, ...)
    graphics::abline(0, 1, col = "grey60")
    graphics::segments(here$paper, here$ours - reach, here$paper, here$ours + reach, col = colour)
  }
}
