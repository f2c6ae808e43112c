# The recipe for a penalty in CONTRIBUTING.md, followed to the letter in a copy of the tree.  The changes of
# each step are the blocks of code on that page.
root <- test_path("..", "..")

# The lines of all fenced blocks of one language.
code_blocks <- function(lines, language) {
  fence <- grep("^```", lines)
  opening <- fence[c(TRUE, FALSE)]
  closing <- fence[c(FALSE, TRUE)]
  chosen <- lines[opening] == paste0("```", language)
  unlist(Map(function(from, to) lines[seq(from + 1, to - 1)], opening[chosen], closing[chosen]))
}

# With objects and their dates, so that only what changed is compiled again.
copy_tree <- function(to) {
  parts <- setdiff(list.files(root, all.files = TRUE, no.. = TRUE), c(".git", "build"))
  file.copy(file.path(root, parts), to, recursive = TRUE, copy.date = TRUE)
}

run_in <- function(place, command, args, env = character()) {
  old <- setwd(place)
  on.exit(setwd(old))
  said <- suppressWarnings(system2(command, args, stdout = TRUE, stderr = TRUE, env = env))
  status <- attr(said, "status")
  expect_true(is.null(status), label = paste(c(command, args, ":", tail(said, 20)), collapse = "\n"))
  said
}

test_that("the recipe of a penalty applies to the sources as they are", {
  skip_if_not(file.exists(file.path(root, "CONTRIBUTING.md")), "no source tree")
  skip_if(Sys.which("git") == "", "no git")
  recipe <- code_blocks(readLines(file.path(root, "CONTRIBUTING.md")), "diff")
  changed <- sub("^\\+\\+\\+ b/", "", grep("^\\+\\+\\+ ", recipe, value = TRUE))
  expect_setequal(changed, c("R/method-penalty.R", "src/core/problem/penalty.cpp", "tests/cpp/test-penalty.cpp"))
  place <- tempfile("tree")
  on.exit(unlink(place, recursive = TRUE))
  for (file in changed) {
    dir.create(dirname(file.path(place, file)), recursive = TRUE, showWarnings = FALSE)
    file.copy(file.path(root, file), file.path(place, file))
  }
  writeLines(recipe, file.path(place, "recipe.diff"))
  run_in(place, "git", c("apply", "--verbose", "recipe.diff"))
  for (file in changed) {
    expect_true(any(grepl("atan", readLines(file.path(place, file)))), label = file)
  }
})

test_that("a contributor's penalty builds, passes and descends", {
  skip_if(Sys.getenv("ZERONORM_TEST_ALL") == "", "compiles")
  skip_if_not(file.exists(file.path(root, "CONTRIBUTING.md")), "no source tree")
  skip_if(Sys.which("git") == "", "no git")
  skip_if_not_installed("callr")
  began <- proc.time()[["elapsed"]]
  place <- tempfile("tree")
  library <- tempfile("library")
  on.exit(unlink(c(place, library), recursive = TRUE))
  dir.create(place)
  dir.create(library)
  copy_tree(normalizePath(place))
  recipe <- code_blocks(readLines(file.path(root, "CONTRIBUTING.md")), "diff")
  writeLines(recipe, file.path(place, "recipe.diff"))
  run_in(place, "git", c("apply", "recipe.diff"))

  libraries <- paste(c(normalizePath(library), .libPaths()), collapse = .Platform$path.sep)
  env <- c(paste0("R_LIBS=", shQuote(libraries)), "MAKEFLAGS=", "MAKELEVEL=")
  run_in(place, "make", "installed", env)
  documented <- nzchar(system.file(package = "roxygen2"))
  if (documented) {
    run_in(place, "make", "document", env)
    expect_true("export(atan_penalty)" %in% readLines(file.path(place, "NAMESPACE")))
    expect_true(any(grepl("atan_penalty(theta = 1)", readLines(file.path(place, "man", "penalties.Rd")),
                          fixed = TRUE)))
    run_in(place, "make", "installed", env)
  }
  # Of the core's tests those of penalties alone.
  run_in(place, "make", c("-C", "tests/cpp", "BUILD=../../build/penalty", "CORE=core/problem/penalty.cpp",
                          shQuote("TESTS=main.cpp test-penalty.cpp")), env)
  said <- run_in(place, file.path("build", "penalty", "run"), shQuote("penalties:*"))
  expect_match(said, "All tests passed", all = FALSE)

  found <- callr::r(function(exported) {
    take <- if (exported) getExportedValue else utils::getFromNamespace
    own <- if (exported) take("zeronorm", "atan_penalty") else take("atan_penalty", "zeronorm")
    set.seed(1)
    x <- matrix(stats::rnorm(60 * 40), 60)
    y <- x[, 1] - x[, 2] + stats::rnorm(60) / 2 > 0
    # The same two functions, written in R.
    other <- zeronorm::custom_penalty(function(t) atan(t / 0.5), function(t) 0.5 / (0.25 + t^2))
    fit <- function(penalty) zeronorm::zeronorm(x, y, zeronorm::fsv(lambda = 0.1, penalty = penalty))
    list(printed = format(own(0.5)), own = fit(own(0.5)), other = fit(other),
         named = inherits(fit("atan"), "zeronorm"))
  }, list(documented), libpath = c(library, .libPaths()))
  expect_identical(found$printed, "atan_penalty(0.5)")
  expect_true(found$named)
  expect_identical(certificate(found$own)$status, "optimal")
  expect_lte(certificate(found$own)$gap, 1e-8)
  expect_equal(coef(found$own), coef(found$other), tolerance = 1e-8)
  objective <- rounds(found$own)$objective
  expect_gt(length(objective), 1)
  expect_true(all(diff(objective) <= 1e-8 * (1 + abs(head(objective, -1)))))
  message(sprintf("A penalty by the recipe: %.0f seconds.", proc.time()[["elapsed"]] - began))
})
