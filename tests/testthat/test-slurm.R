# Reference of a cluster: the same call one after the other on this machine.  A one-node Slurm is started for
# it, so that it is part of `make test-all` only.

if (nzchar(Sys.getenv("ZERONORM_TEST_ALL"))) test_that("Slurm gives the same, a killed job costs no fold", {
  skip_if_not_installed("future.batchtools")
  skip_if_not(Sys.info()[["effective_user"]] == "root" && nzchar(Sys.which("apt-get")),
              "needs root on Debian")
  script <- normalizePath(file.path("..", "..", "tools", "slurm.sh"), mustWork = FALSE)
  skip_if_not(file.exists(script), "needs the source tree")
  home <- tempfile("slurm")
  expect_identical(system2("sh", c(script, "start", home)), 0L)
  registry <- tempfile("registry")
  dir.create(registry)
  wd <- setwd(registry)
  set <- list(SLURM_CONF = file.path(home, "slurm.conf"), R_LIBS = paste(.libPaths(), collapse = ":"),
              USER = "root")
  old <- Sys.getenv(names(set), unset = NA)
  do.call(Sys.setenv, set)
  # A future that R collects when Slurm is gone, at its end at the latest, would ask squeue.
  finalize <- options(future.finalize = FALSE)
  plan <- future::plan()
  on.exit({
    future::plan(plan)
    options(finalize)
    setwd(wd)
    system2("sh", c(script, "stop", home))
    Sys.unsetenv(names(old)[is.na(old)])
    if (!all(is.na(old))) do.call(Sys.setenv, as.list(old[!is.na(old)]))
  })
  jobs <- function() system2("squeue", c("-h", "-o", "%i"), stdout = TRUE)

  data <- with_stream(1, {
    x <- matrix(rnorm(60 * 30), 60)
    list(x = x, y = factor(x[, 1] - x[, 2] + rnorm(60) / 2 > 0))
  })
  run <- function(...) {
    with_stream(4, nested_zeronorm(data$x, data$y, arom("l2", nonzero = c(8, 2), errors = "l2"),
                             folds = 3,
                             repeats = 2, inner_folds = 3, ...))
  }
  expected <- run()
  # Not batchtools_slurm: it asks sacct, and this Slurm keeps no accounts.
  slurm <- batchtools::makeClusterFunctionsSlurm("slurm-simple")
  # future does not know the arguments of this plan, and says so.
  suppressWarnings(future::plan(future.batchtools::batchtools_custom, cluster.functions = slurm, workers = 3,
                                resources = list(walltime = 600, memory = 500, ncpus = 1)))
  expect_identical(suppressWarnings(run()), expected)

  # One job of three is cancelled once two folds are finished.
  directory <- tempfile("parts")
  killer <- callr::r_bg(function(directory, conf) {
    Sys.setenv(SLURM_CONF = conf)
    for (k in 1:2400) {
      if (length(dir(directory, "^part")) >= 2) {
        running <- system2("squeue", c("-h", "-o", "%i"), stdout = TRUE)
        if (length(running)) return(system2("scancel", running[length(running)]))
      }
      Sys.sleep(0.05)
    }
  }, list(directory, Sys.getenv("SLURM_CONF")))
  slow <- function(t) {
    Sys.sleep(0.02)
    rep(1, length(t))
  }
  method <- dca(penalty = custom_penalty(function(t) t, slow), C = c(0.1, 1))
  cut_off <- function() {
    with_stream(5, cv_zeronorm(data$x, data$y, method, folds = 6, repeats = 2,
                               checkpoint = directory))
  }
  expect_error(suppressWarnings(cut_off()), "Finished parts are kept", class = "zeronorm_error")
  killer$wait()
  kept <- dir(directory, "^part", full.names = TRUE)
  expect_true(length(kept) >= 2 && length(kept) < 12)
  times <- file.mtime(kept)
  for (job in jobs()) system2("scancel", job)
  # A cancelled job holds its core until it has ended.
  for (k in 1:600) if (length(jobs())) Sys.sleep(0.1)
  expect_length(jobs(), 0)
  again <- suppressWarnings(cut_off())
  expect_identical(file.mtime(kept), times)
  future::plan(plan)
  expect_identical(again, with_stream(5, cv_zeronorm(data$x, data$y, method, folds = 6, repeats = 2)))
})
