# The protocols of papers, and a run of one.

run_study <- function(paper, table, quick, data_dir, runs, checkpoint, BPPARAM) {
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

# Each is read once in a session.
protocols_read <- new.env()

read_protocols <- function(paper) {
  paper <- check_choice(paper, "paper", study_names())
  if (is.null(protocols_read[[paper]])) {
    found <- new.env(parent = study_code())
    sys.source(study_file(paste0(paper, ".R")), found)
    protocols_read[[paper]] <- found$protocols
  }
  protocols_read[[paper]]
}

study_tables <- function(paper) names(read_protocols(paper))
