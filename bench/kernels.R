# Instructions executed by each engine on the colon microarray, 62 x 2000, and by the functions where most are spent:
# counted by valgrind's callgrind, so that they do not depend on the load of the machine.  Each count is from reading
# the data to the recomputed certificate.  Compare them between versions of zeronorm; the compiler's flags matter.
# Without valgrind the script says so and measures nothing.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
tour <- engine_tour(standardised(colon()))
child <- commandArgs(trailingOnly = TRUE)
if (length(child)) {
  for (solve in tour) solve()
  quit(status = 0)
}
if (!nzchar(Sys.which("valgrind")) || !nzchar(Sys.which("callgrind_annotate"))) {
  message("kernels.R: valgrind is not on the path, so that no instruction was counted.")
  quit(status = 0)
}

# One profile for each call of the engines, in their order.
profile <- function() {
  folder <- tempfile()
  dir.create(folder)
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  valgrind <- paste("valgrind --tool=callgrind --collect-atstart=no --toggle-collect=_zeronorm_solve_surrogates",
                    "--dump-after=_zeronorm_solve_surrogates",
                    paste0("--callgrind-out-file=", file.path(folder, "count")))
  out <- system2(file.path(R.home("bin"), "R"),
                 c("-d", shQuote(valgrind), "--vanilla", "--quiet", paste0("--file=", script), "--args", "child"),
                 stdout = TRUE, stderr = TRUE)
  files <- file.path(folder, paste0("count.", seq_along(tour)))
  if (!all(file.exists(files))) stop("callgrind left no counts: ", paste(utils::tail(out, 5), collapse = "\n"))
  files
}

# Functions and their own instructions, most first; and the total.
annotated <- function(file) {
  lines <- system2("callgrind_annotate", c("--threshold=100", "--auto=no", file), stdout = TRUE, stderr = FALSE)
  number <- function(text) as.numeric(gsub(",", "", sub("^ *([0-9,]+).*", "\\1", text)))
  total <- number(grep("PROGRAM TOTALS", lines, value = TRUE)[1])
  inner <- grep("^ *[0-9,]+ .*zeronorm::", lines, value = TRUE)
  bare <- gsub("(anonymous namespace)::", "", sub(".*?zeronorm::", "", inner, perl = TRUE), fixed = TRUE)
  name <- sub("[(<[].*", "", bare)
  own <- tapply(number(inner), name, sum)
  list(total = total, own = sort(own, decreasing = TRUE))
}

counts <- lapply(profile(), annotated)
rows <- data.frame(what = names(tour), `million instructions` = vapply(counts, function(count) count$total / 1e6, 0),
                   `most in` = vapply(counts, function(count) {
                     top <- utils::head(count$own, 4)
                     paste(sprintf("%s %.0f %%", names(top), 100 * top / count$total), collapse = ", ")
                   }, ""), check.names = FALSE)
report("kernels", "Instructions of the engines on colon, 62 x 2000", list(rows))
