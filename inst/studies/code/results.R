# Kept results of full runs, and pictures of studies.

kept_result <- function(paper, table) {
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

# Writes what kept_result() reads.
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

overview <- function() {
  kept <- strsplit(sub("[.]csv$", "", list.files(study_file("results"), "[.]csv$")), "-")
  rows <- lapply(kept, function(name) {
    x <- kept_result(name[1], name[2])
    data.frame(paper = name[1], table = name[2], runs = attr(x, "study")$runs,
               compared = sum(!is.na(x$verdict)), agrees = sum(x$verdict == "agrees", na.rm = TRUE),
               differs = sum(x$verdict == "differs", na.rm = TRUE),
               no_data = sum(is.na(x$ours) & !nzchar(x$left_out)), left_out = sum(nzchar(x$left_out)))
  })
  do.call(rbind, rows)
}

# The picture of a protocol, or printed values against ours.
draw_study <- function(x, ...) {
  about <- attr(x, "study")
  draw <- find_protocol(about$paper, about$table)$draw
  if (is.null(draw) || all(is.na(x$ours))) plot_printed(x, ...) else draw(x, ...)
}

# A panel for each metric.
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
