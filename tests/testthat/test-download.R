# tools/download.R, by which configure gets the sources of an engine.
script <- test_path("..", "..", "tools", "download.R")

# In an R whose repositories are set to `repos`.
download <- function(package, directory, repos, env = character()) {
  profile <- tempfile(fileext = ".R")
  on.exit(unlink(profile))
  writeLines(paste("options(repos = ", paste(deparse(repos), collapse = " "), ")"), profile)
  said <- tempfile()
  printed <- suppressWarnings(
    system2(file.path(R.home("bin"), "Rscript"), shQuote(c(normalizePath(script), package, directory)),
            stdout = TRUE, stderr = said, env = c(paste0("R_PROFILE_USER=", shQuote(profile)), env))
  )
  list(file = as.character(printed), said = readLines(said), status = attr(printed, "status"))
}

# A repository on the disk with one source package.
local_repository <- function() {
  place <- normalizePath(tempfile("repository"), "/", mustWork = FALSE)
  contrib <- file.path(place, "src", "contrib")
  dir.create(file.path(contrib, "engine"), recursive = TRUE)
  writeLines(c("Package: engine", "Version: 1.2"), file.path(contrib, "engine", "DESCRIPTION"))
  old <- setwd(contrib)
  on.exit(setwd(old))
  utils::tar("engine_1.2.tar.gz", "engine", "gzip", tar = "internal")
  unlink("engine", recursive = TRUE)
  tools::write_PACKAGES(".", type = "source")
  c(CRAN = paste0("file://", if (!startsWith(place, "/")) "/", place))
}

test_that("an engine's sources come into the directory from a repository on the disk as well", {
  skip_if_not(file.exists(script), "no source tree")
  repos <- local_repository()
  # As R CMD build starts R, and with nothing but base, where no repository is known until utils is loaded.
  for (env in list(character(), "R_DEFAULT_PACKAGES=NULL")) {
    directory <- normalizePath(tempfile("down"), "/", mustWork = FALSE)
    dir.create(directory)
    got <- download("engine", directory, repos, env)
    expect_null(got$status, info = got$said)
    expect_identical(got$file, file.path(directory, "engine_1.2.tar.gz"))
    expect_true("engine/DESCRIPTION" %in% utils::untar(got$file, list = TRUE, tar = "internal"))
  }
})

test_that("without the sources the reason is told", {
  skip_if_not(file.exists(script), "no source tree")
  repos <- local_repository()
  got <- download("another", tempdir(), repos)
  expect_identical(got$status, 1L)
  expect_match(paste(got$said, collapse = " "), "no package .another. at the repositories")
  got <- download("engine", tempdir(), sub("repository", "nowhere", repos))
  expect_identical(got$status, 1L)
  expect_match(paste(got$said, collapse = " "), "nowhere.*No such file")
})
