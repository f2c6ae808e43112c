#' A report of a fit as one page
#'
#' Writes an HTML page that needs nothing but itself: the selected features with weights and class means,
#' the curve of the cross-validation or the path, a heatmap, the labels told right and wrong, the certificate,
#' a text for the methods section of a paper with references, and the versions of the packages. Pictures are
#' in the page.
#'
#' @param object a fit of [zeronorm()] or a result of [cv_zeronorm()].
#' @param x,y data, such as those the fit was made of.
#' @param file name of the file that is written; one without a suffix gets `.html`. NULL: a temporary file. In an
#'   interactive session the browser shows it.
#' @param title heading of the page.
#' @param nonzero,s,index which solution is shown, as in [coef.zeronorm()] or [predict.zeronorm_cv()]; a fit with
#'   several needs one of them.
#' @param most number of features in the table.
#' @param ... unused, and an error if given.
#' @return The name of the file, invisibly.
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 100), 40, dimnames = list(NULL, paste0("g", 1:100)))
#' y <- factor(ifelse(x[, 1] - x[, 2] > 0, "tumour", "normal"))
#' fit <- zeronorm(x, y)
#' page <- report(fit, x, y, nonzero = 12)
#' file.size(page)
#' @export
report <- function(object, ...) UseMethod("report")

#' @rdname report
#' @export
report.zeronorm <- function(object, x, y = NULL, file = NULL, title = NULL, nonzero = NULL, s = NULL, index = NULL,
                            most = 200, ...) {
  check_unused(...)
  check_result(object)
  file <- check_page(x, file)
  k <- one_solution(object, nonzero, s, index, "report()")
  write_page(new_page(object, x, y, k, NULL, NULL, title, check_count(most, "most")), file)
}

#' @rdname report
#' @export
report.zeronorm_cv <- function(object, x, y = NULL, file = NULL, title = NULL, s = "1se", nonzero = NULL, index = NULL,
                               most = 200, ...) {
  check_unused(...)
  check_result(object)
  file <- check_page(x, file)
  k <- pick_cv(object, s, nonzero, index)
  if (length(k) != 1) {
    stop_zeronorm("index", paste0("points at ", length(k), " solutions."),
                  "Use s = \"1se\" or index = 1, say.")
  }
  write_page(new_page(object$fit, x, y, k, why_chosen(object, k), object, title, check_count(most, "most")),
             file)
}

# The name of the file.
check_page <- function(x, file) {
  if (missing(x)) stop_without_data("x", "Use report(fit, x, y).")
  if (!is.null(file) && (!is.character(file) || length(file) != 1 || is.na(file))) {
    stop_zeronorm("file", "is not the name of a file.", "Use report(fit, x, y, \"report.html\").")
  }
  if (!capabilities("png")) {
    stop_zeronorm("file", "needs pictures, but this R has no png device.",
                  "Use an R built with cairo or X11.")
  }
  if (is.null(file)) tempfile("report-", fileext = ".html") else file
}

why_chosen <- function(cv, k) {
  label <- measure_table()[[cv$measure]]$label
  least <- paste0("the least cross-validated ", label)
  if (k == cv$best[["1se"]]) return(paste("the sparsest within one standard error of", least))
  if (k == cv$best[["min"]]) return(paste("the one with", least))
}

# list(fit, k, cv, title, x, y, most, why): all that the sections are made of.
new_page <- function(fit, x, y, k, why, cv, title, most) {
  data <- picture_data(fit, x, y)
  if (is.null(title)) title <- paste0(fit$method$label, " on ", plural(fit$d, "feature"))
  list(fit = fit, k = k, cv = cv, why = why, title = title, x = data$x, newdata = x, y = data$y,
       given_y = labels_beside(fit, x, y),
       most = most, features = has_features(fit) && fit$certificate$nonzero[k] > 0)
}

write_page <- function(page, file) {
  sections <- list(
    "What was fitted" = page_summary(page),
    "Selected features" = if (page$features) page_features(page),
    "Curve" = page_curve(page),
    "Heatmap" = if (page$features) page_picture(page, "heatmap", 8, min(11, 3 + 0.18 * page_rows(page))),
    "Boundary" = if (has_boundary(page)) page_picture(page, "boundary", 6, 6),
    "Labels" = page_labels(page),
    "Certificate" = page_certificate(page),
    "Methods" = page_methods(page),
    "References" = page_references(page),
    "Software" = page_software()
  )
  sections <- sections[!vapply(sections, is.null, NA)]
  body <- paste0("<section>\n<h2>", names(sections), "</h2>\n", unlist(sections), "\n</section>")
  text <- c("<!DOCTYPE html>", "<html lang=\"en\">", "<head>", "<meta charset=\"utf-8\">",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
            paste0("<title>", escape(page$title), "</title>"), "<style>", page_style, "</style>", "</head>",
            "<body>", paste0("<h1>", escape(page$title), "</h1>"), body, "</body>", "</html>")
  if (!nzchar(tools::file_ext(file))) file <- paste0(file, ".html")
  connection <- file(file, "wb")
  on.exit(close(connection))
  writeLines(enc2utf8(text), connection, useBytes = TRUE)
  if (interactive()) utils::browseURL(file)
  invisible(file)
}

page_style <- c(
  "body { font: 16px/1.5 sans-serif; color: #222; max-width: 66em; margin: 2em auto; padding: 0 1em; }",
  "h1 { font-size: 1.6em; } h2 { font-size: 1.2em; margin-top: 2em; border-bottom: 1px solid #ccc; }",
  "img { max-width: 100%; height: auto; } .scroll { overflow-x: auto; max-height: 40em; }",
  "table { border-collapse: collapse; font-size: 0.9em; } th { position: sticky; top: 0; background: #fff; }",
  "th, td { padding: 0.15em 0.8em; border-bottom: 1px solid #e5e5e5; text-align: right; }",
  "th, td { white-space: nowrap; }",
  "th:first-child, td:first-child { text-align: left; } .note { color: #555; }",
  "@media print { .scroll { overflow: visible; max-height: none; } }"
)

# --- pieces of HTML ---

escape <- function(text) {
  text <- gsub("&", "&amp;", enc2utf8(as.character(text)), fixed = TRUE)
  text <- gsub("<", "&lt;", text, fixed = TRUE)
  gsub("\"", "&quot;", gsub(">", "&gt;", text, fixed = TRUE), fixed = TRUE)
}

paragraph <- function(..., class = NULL) {
  paste0("<p", if (!is.null(class)) paste0(" class=\"", class, "\""), ">", escape(paste0(...)), "</p>")
}

html_table <- function(data) {
  cells <- lapply(data, function(column) escape(html_numbers(column)))
  rows <- do.call(paste, c(lapply(cells, function(cell) paste0("<td>", cell, "</td>")), sep = ""))
  head <- paste0("<th>", escape(names(data)), "</th>", collapse = "")
  paste(c("<div class=\"scroll\"><table>", paste0("<tr>", head, "</tr>"), paste0("<tr>", rows, "</tr>"),
          "</table></div>"), collapse = "\n")
}

html_numbers <- function(column) {
  if (!is.numeric(column) || is.integer(column)) return(ifelse(is.na(column), "", as.character(column)))
  ifelse(is.na(column), "", vapply(column, format, "", digits = 4))
}

# A picture drawn into the page, width and height in inches.
html_picture <- function(draw, width, height, about) {
  file <- tempfile(fileext = ".png")
  on.exit(unlink(file))
  type <- if (capabilities("cairo")) "cairo" else getOption("bitmapType")
  grDevices::png(file, width, height, units = "in", res = 120, type = type)
  drawn <- FALSE
  tryCatch({
    draw()
    drawn <- TRUE
  }, finally = grDevices::dev.off())
  bytes <- readBin(file, "raw", file.size(file))
  paste0("<img alt=\"", escape(about), "\" width=\"", round(96 * width), "\" src=\"data:image/png;base64,",
         base64(bytes), "\">")
}

base64 <- function(bytes) {
  missing <- -length(bytes) %% 3
  triples <- matrix(as.integer(c(bytes, raw(missing))), 3)
  value <- triples[1, ] * 65536 + triples[2, ] * 256 + triples[3, ]
  digits <- rbind(value %/% 262144, value %/% 4096 %% 64, value %/% 64 %% 64, value %% 64)
  text <- c(LETTERS, letters, 0:9, "+", "/")[digits + 1]
  if (missing) text[length(text) + 1 - seq_len(missing)] <- "="
  paste(text, collapse = "")
}

# --- sections ---

page_rows <- function(page) min(50, page$fit$certificate$nonzero[page$k])

page_summary <- function(page) {
  fit <- page$fit
  table <- fit$certificate[page$k, ]
  size <- if (has_features(fit)) plural(table$nonzero, "feature")
          else plural(table$support_vectors, "support vector")
  which <- if (nrow(fit$certificate) == 1) "The solution"
           else paste0("Of ", nrow(fit$certificate), " solutions, number ", page$k)
  if (!is.null(page$why)) which <- paste0(which, ", ", page$why, ",")
  errors <- if (!is.na(table$errors)) paste0(" and ", plural(table$errors, error_words(fit)))
  cv <- page$cv
  paste(c(
    paragraph(format(fit$method), ": ", plural(fit$n, "observation"), " of ", plural(fit$d, "feature"), "; ",
              what_is_predicted(fit), "."),
    paragraph(which, " has ", size, errors, "."),
    if (!is.null(cv)) paragraph(cv_sentence(cv, page$k)),
    if (is.null(cv)) {
      paragraph("Errors on the data of the fit say little about new data; cv_zeronorm() estimates those, ",
                "with the selection inside every fold.", class = "note")
    }
  ), collapse = "\n")
}

cv_sentence <- function(cv, k) {
  row <- cv$summary[k, ]
  paste0("Cross-validated ", measure_table()[[cv$measure]]$label, ": ", format(row$mean, digits = 3),
         if (!is.na(row$se)) paste0(" (standard error ", format(row$se, digits = 2), ")"), ", ",
         describe_splits(cv$splits), ", selection inside every fold. The choice among the solutions itself is not in ",
         "this number: ",
         "nested_zeronorm() has it.")
}

page_features <- function(page) {
  fit <- page$fit
  table <- feature_table(fit, page$k)
  total <- nrow(table)
  table <- head(table, page$most)
  table <- data.frame(rank = seq_len(nrow(table)), table, check.names = FALSE)
  if (is.null(fit$polynomial)) table <- data.frame(table, class_means(page, nrow(table)), check.names = FALSE)
  if (!is.null(page$cv) && !is.null(page$cv$frequency) && !selects_features(fit)) {
    share <- page$cv$frequency[, page$k]
    table[["share of folds"]] <- share[match(table$feature, names(share))]
  }
  table <- table[c("feature", setdiff(names(table), "feature"))]
  paste(c(
    html_table(table),
    if (total > nrow(table)) {
      paragraph("The ", nrow(table), " most important of ", total, ".", class = "note")
    },
    paragraph("Weights are on the scale of the data; importance is the weight on the standardised scale",
              if (!is.null(fit$outputs)) ", summed over the classes", ".", class = "note")
  ), collapse = "\n")
}

# Means of the first `most` features in each class.
class_means <- function(page, most) {
  if (!is.factor(page$y)) return(list2DF(nrow = most))
  columns <- head(feature_columns(page$fit, page$k), most)
  x <- as.matrix(fit_columns(page$fit, page$x, columns))
  present <- levels(page$y)[table(page$y) > 0]
  means <- lapply(present, function(level) unname(colMeans(x[page$y == level, , drop = FALSE])))
  structure(list2DF(means), names = paste("mean of", present))
}

page_curve <- function(page) {
  fit <- page$fit
  path <- has_features(fit) && sum(is_optimal(fit)) > 1
  pictures <- list(
    if (!is.null(page$cv)) {
      html_picture(function() plot(page$cv), 8, 5, "cross-validated loss against the number of features")
    },
    if (path) html_picture(function() plot(fit, "path"), 8, 5, "importance of the features along the path"),
    if (page$features) {
      html_picture(function() plot(fit, "weights", index = page$k), 8, 5, "weights of the features")
    },
    if (any(is.finite(rounds(fit)$objective))) {
      html_picture(function() plot(fit, "convergence"), 8, 4, "objective after each round")
    }
  )
  paste(unlist(pictures), collapse = "\n")
}

page_picture <- function(page, type, width, height) {
  html_picture(function() plot(page$fit, type, page$newdata, page$given_y, index = page$k), width, height,
               switch(type, heatmap = "heatmap of the selected features under bars of the classes",
                      boundary = "regions of the classes in two dimensions"))
}

has_boundary <- function(page) {
  fit <- page$fit
  page$features && fit$task %in% c("two-class", "k-class") && fit$d > 1 && !is_kernel_machine(fit) &&
    length(feature_columns(fit, page$k)) <= 2
}

# True and predicted labels: of a cross-validation those of the observations held out, so that they belong to the
# error beside them; else those of the data given.
page_labels <- function(page) {
  fit <- page$fit
  if (!is.null(page$cv$confusion)) {
    counts <- confusion_table(page$cv, index = page$k)
    return(paste(c(html_confusion(counts, fit$levels),
                   paragraph("Observations held out in the cross-validation, counted once in each repeat.",
                             class = "note")), collapse = "\n"))
  }
  if (fit$task == "regression") {
    residual <- page$y - predict(fit, page$newdata, "link", index = page$k)
    return(paragraph("Root of the mean squared residual on the data given: ",
                     format(sqrt(mean(residual^2)), digits = 4), "."))
  }
  predicted <- predict(fit, page$newdata, "class", index = page$k)
  if (fit$task == "multi-label") {
    wrong <- colSums(predicted != page$y)
    return(html_table(data.frame(label = fit$levels, with = as.integer(colSums(page$y)),
                                 wrong = as.integer(wrong))))
  }
  paste(c(html_confusion(table(page$y, predicted), fit$levels),
          paragraph("Predictions of the data given to the report. Where these are the training data, the table ",
                    "says nothing about new data.", class = "note")), collapse = "\n")
}

html_confusion <- function(counts, levels) {
  counts <- unclass(counts)
  table <- data.frame(levels, lapply(seq_along(levels), function(j) as.integer(counts[, j])))
  names(table) <- c("true label", paste("predicted", levels))
  html_table(table)
}

page_certificate <- function(page) {
  table <- page$fit$certificate
  shown <- c(page$fit$tuning, "status", "stop", "engine", "rounds", "kind", "primal", "dual", "gap", "kkt",
             "nonzero", "support_vectors", "errors")
  table <- data.frame(solution = seq_len(nrow(table)), table[shown], check.names = FALSE)
  paste(c(paragraph(paste(trimws(how_certain(page$fit)), collapse = "; "), "."), html_table(table),
          paragraph("Primal and dual value of the last convex problem, their relative gap and the largest ",
                    "relative violation of the optimality conditions, recomputed from the data and the ",
                    "solution.", class = "note")), collapse = "\n")
}

page_methods <- function(page) {
  fit <- page$fit
  settings <- fit$settings
  table <- fit$certificate[page$k, ]
  named <- c(unpenalized = "without a penalty", keep = "always kept")
  forced <- vapply(names(named), function(name) {
    columns <- settings[[name]]
    if (length(columns)) paste0(" ", plural(length(columns), "feature"), " ", named[[name]], ".") else ""
  }, "")
  paragraph(
    "We fitted the ", fit$method$label, " (", fit$method$reference, ") with the package zeronorm ",
    fit$version, " of R, in its terms ", format(fit$method), ", to ", plural(fit$n, "observation"), " of ",
    plural(fit$d, "feature"), ". Features were ", if (!settings$standardize) "not ",
    "standardised; the decision function had ", if (settings$intercept) "an" else "no", " intercept.",
    paste(forced, collapse = ""),
    if (!is.null(settings$class_weights)) " Classes were weighted.",
    if (nrow(fit$certificate) > 1) paste0(" Of ", nrow(fit$certificate), " solutions we took ",
                                          if (is.null(page$why)) paste("number", page$k) else page$why, "."),
    if (has_features(fit)) paste0(" It uses ", plural(table$nonzero, "feature"), "."),
    if (!is.null(page$cv)) paste0(" ", cv_sentence(page$cv, page$k)),
    certificate_sentence(table)
  )
}

certificate_sentence <- function(table) {
  if (table$kind == "none") return("")
  what <- if (table$kind == "gap") " Its relative duality gap is "
          else " It is a stationary point; the relative duality gap of the last convex problem is "
  paste0(what, small(table$gap, 1e-12), ".")
}

# The references of the method's help page; its short one where help is not installed.
page_references <- function(page) {
  html <- help_references(page$fit$method$name)
  if (is.null(html)) html <- paragraph(page$fit$method$reference)
  if (is.null(page$cv)) return(html)
  paste(html, help_references("cv_zeronorm"), sep = "\n")
}

help_references <- function(topic) {
  pages <- tryCatch(tools::Rd_db("zeronorm"), error = function(e) list())
  tags_of <- function(rd) vapply(rd, function(part) attr(part, "Rd_tag"), "")
  for (rd in pages) {
    tags <- tags_of(rd)
    if (!topic %in% trimws(vapply(rd[tags == "\\alias"], paste, "", collapse = ""))) next
    section <- rd[tags == "\\references"]
    if (!length(section)) return(NULL)
    text <- utils::capture.output(tools::Rd2HTML(section[[1]], fragment = TRUE))
    return(paste(text, collapse = "\n"))
  }
  NULL
}

page_software <- function() {
  packages <- c("zeronorm", "Matrix", "Rcpp")
  versions <- vapply(packages, function(package) as.character(utils::packageVersion(package)), "")
  paste(html_table(data.frame(software = c("R", packages),
                              version = c(paste(R.version$major, R.version$minor, sep = "."), versions))),
        paragraph(R.version$platform, ", ", format(Sys.Date()), class = "note"), sep = "\n")
}
