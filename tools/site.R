# Builds the site with pkgdown, without a network.  Formulas become MathML here, so that pages need no host
# but their own: pkgdown leaves them to a script from elsewhere.
options(pkgdown.internet = FALSE)
pkgdown::build_site(preview = FALSE, install = FALSE, devel = FALSE, new_process = FALSE)

from_html <- function(text) gsub("&amp;", "&", gsub("&gt;", ">", gsub("&lt;", "<", text)), fixed = TRUE)

# One run of pandoc for all formulas of all pages.
in_mathml <- function(formulas, display) {
  fence <- ifelse(display, "$$", "$")
  input <- tempfile(fileext = ".md")
  output <- tempfile(fileext = ".html")
  writeLines(paste0(fence, trimws(gsub("\\s+", " ", from_html(formulas))), fence, "\n"), input)
  rmarkdown::pandoc_convert(input, to = "html", from = "markdown", output = output, options = "--mathml")
  made <- paste(readLines(output), collapse = "\n")
  made <- regmatches(made, gregexpr("(?s)<p>.*?</p>", made, perl = TRUE))[[1]]
  sub("</p>$", "", sub("^<p>", "", made))
}

pages <- list.files("build/site", "[.]html$", recursive = TRUE, full.names = TRUE)
texts <- vapply(pages, function(page) paste(readLines(page, warn = FALSE), collapse = "\n"), "")
places <- gregexpr("(?s)\\\\\\(.*?\\\\\\)|\\$\\$.*?\\$\\$|\\\\\\[.*?\\\\\\]", texts, perl = TRUE)
found <- regmatches(texts, places)
formulas <- unlist(found)
math <- in_mathml(substr(formulas, 3, nchar(formulas) - 2), !startsWith(formulas, "\\("))
stopifnot(length(math) == length(formulas))
regmatches(texts, places) <- relist(math, found)
for (k in seq_along(pages)) writeLines(texts[[k]], pages[k], useBytes = TRUE)
