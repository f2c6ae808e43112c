# The sources stand beside the tests in a copy of the project, not in the installed package.
project <- function(...) {
  skip_if_not(file.exists(file.path("..", "..", "_pkgdown.yml")))
  file.path("..", "..", ...)
}

articles <- function() list.files(project("vignettes"), "[.]Rmd$", full.names = TRUE)

test_that("every help page has its place in the reference of the site", {
  site <- readLines(project("_pkgdown.yml"))
  places <- sub("^ +- ", "", grep("^ +- ([[:alnum:]_.-]+|has_concept[(].*[)])$", site, value = TRUE))
  placed <- vapply(list.files(project("man"), "[.]Rd$", full.names = TRUE), function(page) {
    text <- readLines(page)
    entries <- function(tag) sub("^[^{]*\\{(.*)\\}$", "\\1", grep(paste0("^\\\\", tag, "\\{"), text, value = TRUE))
    any(c(entries("alias"), sprintf("has_concept(\"%s\")", entries("concept"))) %in% places)
  }, NA)
  expect_identical(names(placed)[!placed], character())
})

test_that("every article has a title, its entry in the index, and a place on the site", {
  site <- paste(readLines(project("_pkgdown.yml")), collapse = "\n")
  for (file in articles()) {
    text <- readLines(file)
    title <- sub("title: \"(.*)\"", "\\1", text[2])
    expect_match(text, paste0("%\\VignetteIndexEntry{", title, "}"), fixed = TRUE, all = FALSE)
    expect_match(site, paste0("[[ ]", sub("[.]Rmd$", "", basename(file)), "[],]"))
  }
})

test_that("articles link to articles that exist, and their code fits the page", {
  pages <- sub("[.]Rmd$", ".html", basename(articles()))
  for (file in articles()) {
    text <- readLines(file)
    links <- unlist(regmatches(text, gregexpr("(?<=\\]\\()[a-z-]+[.]html", text, perl = TRUE)))
    expect_identical(setdiff(links, pages), character())
    fence <- cumsum(grepl("^```", text))
    shown <- !grepl("echo = FALSE|include = FALSE", text[match(fence, fence)])
    code <- fence %% 2 == 1 & shown & !grepl("^```", text)
    expect_true(all(nchar(text[code]) <= 84), info = basename(file))
  }
})
