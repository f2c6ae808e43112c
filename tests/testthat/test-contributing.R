# The recipes for a penalty and for a method in CONTRIBUTING.md, followed to the letter in a copy of the tree. The
# changes of each step are the blocks of code in their sections of that page.
root <- test_path("..", "..")

# The lines of all fenced blocks of one language in the section of this title.
code_blocks <- function(title, language) {
  lines <- readLines(file.path(root, "CONTRIBUTING.md"))
  heads <- c(grep("^## ", lines), length(lines) + 1)
  from <- match(paste("##", title), lines)
  lines <- lines[seq(from, heads[heads > from][1] - 1)]
  fence <- grep("^```", lines)
  opening <- fence[c(TRUE, FALSE)]
  closing <- fence[c(FALSE, TRUE)]
  chosen <- lines[opening] == paste0("```", language)
  unlist(Map(function(from, to) lines[seq(from + 1, to - 1)], opening[chosen], closing[chosen]))
}

# With objects and their dates, so that only what changed is compiled again; those of the core's tests as well, where
# there are any.
copy_tree <- function(to) {
  parts <- setdiff(list.files(root, all.files = TRUE, no.. = TRUE), c(".git", "build"))
  file.copy(file.path(root, parts), to, recursive = TRUE, copy.date = TRUE)
  dir.create(file.path(to, "build"))
  file.copy(file.path(root, "build", "cpp"), file.path(to, "build"), recursive = TRUE, copy.date = TRUE)
}

run_in <- function(place, command, args, env = character()) {
  old <- setwd(place)
  on.exit(setwd(old))
  said <- suppressWarnings(system2(command, args, stdout = TRUE, stderr = TRUE, env = env))
  status <- attr(said, "status")
  expect_true(is.null(status), label = paste(c(command, args, ":", tail(said, 20)), collapse = "\n"))
  said
}

apply_recipe <- function(recipe, place) {
  writeLines(recipe, file.path(place, "recipe.diff"))
  run_in(place, "git", c("apply", "--verbose", "recipe.diff"))
}

# Applies the recipe to the files that it changes; each of them, and of those it makes, then has the word.
expect_applies <- function(title, changed, made = character(), word) {
  skip_if_not(file.exists(file.path(root, "CONTRIBUTING.md")), "no source tree")
  skip_if(Sys.which("git") == "", "no git")
  recipe <- code_blocks(title, "diff")
  files <- function(sign) {
    named <- grep(paste0("^[", sign, "]{3} "), recipe, value = TRUE)
    sub("^.{4}([ab]/)?", "", named)
  }
  expect_setequal(setdiff(files("-"), "/dev/null"), changed)
  expect_setequal(files("+"), c(changed, made))
  expect_false(any(file.exists(file.path(root, made))))
  place <- tempfile("tree")
  on.exit(unlink(place, recursive = TRUE))
  for (file in changed) {
    dir.create(dirname(file.path(place, file)), recursive = TRUE, showWarnings = FALSE)
    file.copy(file.path(root, file), file.path(place, file))
  }
  apply_recipe(recipe, place)
  for (file in c(changed, made)) {
    expect_true(any(grepl(word, readLines(file.path(place, file)))), label = file)
  }
}

# A copy of the tree after the recipe, built and documented: list(place, library, env, documented). `help` is a line of
# the page `page` that the recipe brings.
build_by_recipe <- function(title, export, page, help) {
  skip_if(Sys.getenv("ZERONORM_TEST_ALL") == "", "compiles")
  skip_if_not(file.exists(file.path(root, "CONTRIBUTING.md")), "no source tree")
  skip_if(Sys.which("git") == "", "no git")
  skip_if_not_installed("callr")
  place <- tempfile("tree")
  library <- tempfile("library")
  dir.create(place)
  dir.create(library)
  copy_tree(normalizePath(place))
  apply_recipe(code_blocks(title, "diff"), place)
  libraries <- paste(c(normalizePath(library), .libPaths()), collapse = .Platform$path.sep)
  env <- c(paste0("R_LIBS=", shQuote(libraries)), "MAKEFLAGS=", "MAKELEVEL=")
  run_in(place, "make", "installed", env)
  documented <- nzchar(system.file(package = "roxygen2"))
  if (documented) {
    run_in(place, "make", "document", env)
    expect_true(paste0("export(", export, ")") %in% readLines(file.path(place, "NAMESPACE")))
    expect_true(any(grepl(help, readLines(file.path(place, "man", page)), fixed = TRUE)))
    run_in(place, "make", "installed", env)
  }
  list(place = place, library = library, env = env, documented = documented)
}

test_that("the recipe of a penalty applies to the sources as they are", {
  expect_applies("A penalty", c("R/method-penalty.R", "src/core/problem/penalty.cpp", "tests/cpp/test-penalty.cpp"),
                 word = "atan")
})

test_that("the recipe of a method applies to the sources as they are: four new files and one list", {
  expect_applies("A method", "R/method-table.R",
                 c("src/core/methods/relaxed.cpp", "tests/cpp/test-relaxed.cpp", "R/method-relaxed_svm.R",
                   "tests/testthat/test-method-relaxed_svm.R"), "relaxed")
})

test_that("a contributor's penalty builds, passes and descends", {
  began <- proc.time()[["elapsed"]]
  tree <- build_by_recipe("A penalty", "atan_penalty", "penalties.Rd", "atan_penalty(theta = 1)")
  on.exit(unlink(c(tree$place, tree$library), recursive = TRUE))
  # Of the core's tests those of penalties alone.
  run_in(tree$place, "make", c("-C", "tests/cpp", "BUILD=../../build/penalty", "CORE=core/problem/penalty.cpp",
                               shQuote("TESTS=main.cpp test-penalty.cpp")), tree$env)
  said <- run_in(tree$place, file.path("build", "penalty", "run"), shQuote("penalties:*"))
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
  }, list(tree$documented), libpath = c(tree$library, .libPaths()))
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

# The tests of one file of the copy, with the package built there.
run_tests <- function(tree, name) {
  run_in(tree$place, "Rscript", c("-e", shQuote(sprintf(
    "testthat::test_file(\"tests/testthat/test-%s.R\", package = \"zeronorm\", load_package = \"installed\",
                         reporter = \"check\", stop_on_failure = TRUE)", name))), tree$env)
}

test_that("a contributor's method builds, and passes by its name in the list alone", {
  began <- proc.time()[["elapsed"]]
  tree <- build_by_recipe("A method", "relaxed_svm", "relaxed_svm.Rd", "relaxed_svm(C = 1, phi = 0.5)")
  on.exit(unlink(c(tree$place, tree$library), recursive = TRUE))
  skip_if_not(tree$documented, "no roxygen2")
  run_in(tree$place, "make", c("-C", "tests/cpp", shQuote("TESTS=main.cpp r_stubs.cpp test-relaxed.cpp"),
                               "../../build/cpp/run"), tree$env)
  said <- run_in(tree$place, file.path("build", "cpp", "run"), shQuote("relaxed:*"))
  expect_match(said, "All tests passed", all = FALSE)

  # What runs through all methods runs through this one alone.
  writeLines(c("contract_methods <- example_methods <- function() zeronorm:::example_methods()[\"relaxed_svm\"]",
               "all_arguments <- method_arguments",
               "method_arguments <- function() all_arguments(zeronorm:::method_constructors()[\"relaxed_svm\"])"),
             file.path(tree$place, "tests", "testthat", "helper-only.R"))
  for (name in c("method-relaxed_svm", "contract", "request", "vignettes")) run_tests(tree, name)
  # Random problems with the arguments of the example, graded in plain R.
  failures <- callr::r(function() {
    suppressPackageStartupMessages(base::library(zeronorm))
    for (file in list.files("tools/torture", full.names = TRUE)) source(file)
    first <- match("relaxed_svm", listed$method) - 1
    unlist(lapply(first + nrow(listed) * 0:19, function(seed) run_problem(seed)$failures))
  }, libpath = c(tree$library, .libPaths()), wd = tree$place)
  expect_length(failures, 0)
  message(sprintf("A method by the recipe: %.0f seconds.", proc.time()[["elapsed"]] - began))
})
