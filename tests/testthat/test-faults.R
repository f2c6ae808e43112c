# Real faults in other R processes: signals, no memory, a full disk.  Reference: the same process before.

heavy <- function() nzchar(Sys.getenv("ZERONORM_TEST_ALL"))

# What must be as before after any fault: no file, connection, descriptor, thread or option left over.
process_state <- function() {
  gc()
  list(files = sort(setdiff(list.files(tempdir(), all.files = TRUE, recursive = TRUE), "")),
       connections = nrow(showConnections(all = TRUE)),
       descriptors = length(list.files("/proc/self/fd")), threads = length(list.files("/proc/self/task")),
       progress = getOption("zeronorm.progress"), kind = RNGkind(), warn = getOption("warn"))
}

# The rest of what is interrupted: loops, proofs and blocks.
other_work <- function() {
  list(
    newton = function(x, y) zeronorm::zeronorm(x, y, zeronorm::l2_svm(10^(-3:2)), engine = "newton"),
    smooth = function(x, y) zeronorm::zeronorm(x, y, zeronorm::dca("logistic", C = c(0.1, 1))),
    norm_svm = function(x, y) zeronorm::zeronorm(x[1:300, ], y[1:300], zeronorm::norm_svm(0.5)),
    cv = function(x, y) {
      zeronorm::cv_zeronorm(x[1:200, ], y[1:200], zeronorm::arom(errors = "l2"), repeats = 5)
    },
    nested = function(x, y) zeronorm::nested_zeronorm(x[1:100, ], y[1:100], zeronorm::l1_svm(C = c(0.1, 1))),
    stability = function(x, y) {
      zeronorm::stability_selection(x[1:200, ], y[1:200], zeronorm::arom(nonzero = 10))
    },
    permutation = function(x, y) zeronorm::permutation_test(x[1:80, 1:200], y[1:80], zeronorm::l1_svm()),
    calibrate = function(x, y) {
      zeronorm::calibrate_zeronorm(zeronorm::zeronorm(x[1:300, ], y[1:300], zeronorm::l1_svm()), x[1:300, ], y[1:300])
    },
    certify = function(x, y) zeronorm::certify_zero_norm(x[1:60, ], y[1:60], seconds = 3, permutations = 5),
    polish = function(x, y) {
      fit <- zeronorm::zeronorm(x[1:80, ], y[1:80], zeronorm::fsv())
      zeronorm::polish(fit, x[1:80, ], y[1:80], seconds = 3)
    },
    penalty = function(x, y) {
      own <- zeronorm::custom_penalty(function(t) t / (1 + t), function(t) 1 / (1 + t)^2)
      zeronorm::zeronorm(x[1:400, ], y[1:400], zeronorm::fsv(penalty = own))
    },
    blocks = if (requireNamespace("HDF5Array", quietly = TRUE)) function(x, y) {
      if (!exists("on_disk", globalenv())) {
        assign("on_disk", HDF5Array::writeHDF5Array(x, chunkdim = c(500, 10)), envir = globalenv())
      }
      zeronorm::zeronorm(get("on_disk", globalenv()), y, zeronorm::l1_svm(0.01))
    }
  )
}

# Whether the stream of `before` reaches the state `after` by drawing.
advanced <- function(before, after, most = 20000) {
  if (identical(before, after)) return(TRUE)
  assign(".Random.seed", before, envir = globalenv())
  for (k in seq_len(most)) {
    stats::runif(1)
    if (identical(get(".Random.seed", globalenv()), after)) return(TRUE)
  }
  FALSE
}

# small_fit() draws nothing, so the state is that after the interrupt.
advanced_in <- function(session, seed) {
  session$run(function(advanced, before) advanced(before, get(".Random.seed", globalenv())),
              list(advanced, seed))
}

test_that("an interrupt at any moment leaves no state", {
  skip_on_cran()
  skip_on_os(c("windows", "mac"))
  skip_if_not_installed("callr")
  moments <- if (heavy()) 100 else 8
  session <- new_session()
  on.exit(session$kill())
  alone <- session$run(small_fit)
  work <- Filter(Negate(is.null), c(long_fits, other_work()))
  # Open what stays open by right: schedulers of engines, the file of blocks.
  session$run(function(work) {
    for (one in work) try(one(data$x[1:50, 1:20], data$y[1:50]), silent = TRUE)
    rm(list = intersect("on_disk", ls(globalenv())), envir = globalenv())
    NULL
  }, list(long_fits))
  if (!is.null(work$blocks)) session$run(function(blocks) {
    blocks(data$x, data$y)
    NULL
  }, list(work$blocks))
  delays <- with_stream(5, stats::runif(moments, 0, 1.5))
  ends <- character()
  for (k in seq_len(moments)) {
    name <- names(work)[(k - 1) %% length(work) + 1]
    before <- session$run(process_state)
    seed <- session$run(function(k) {
      set.seed(k)
      .Random.seed
    }, list(k))
    # What has finished waits for the signal, which would else end the process.
    session$call(function(code) {
      end <- "interrupted"
      tryCatch({
        suppressWarnings(suppressMessages(code(data$x, data$y)))
        end <- "finished"
        Sys.sleep(60)
      }, interrupt = function(condition) NULL, error = function(e) end <<- conditionMessage(e))
      end
    }, list(work[[name]]))
    session$poll_process(round(1000 * delays[k]))
    session$interrupt()
    back <- session$poll_process(10000) == "ready"
    # A proof that was interrupted gives what it has.
    if (!back) {
      session$interrupt()
      back <- session$poll_process(1000) == "ready"
    }
    expect_true(back, info = paste(name, "came back after", delays[k], "seconds"))
    if (!back) break
    end <- session$read()$result
    ends <- c(ends, end)
    expect_true(end %in% c("interrupted", "finished"), info = paste(name, delays[k], end))
    expect_identical(session$run(small_fit), alone, info = name)
    expect_identical(session$run(process_state), before, info = paste(name, "after", delays[k], "seconds"))
    expect_true(advanced_in(session, seed), info = paste(name, "after", delays[k], "seconds"))
  }
  expect_gt(sum(ends == "interrupted"), moments / 3)
})

# --- memory ---

# Runs code(data$x, data$y) with so many megabytes above what the process has now; then without a limit.
starved <- function(code, megabytes) {
  limit <- function(bytes) {
    system2("prlimit", c("--pid", Sys.getpid(), paste0("--as=", bytes, ":")), stdout = FALSE, stderr = FALSE)
  }
  # The stack counts too: let it have grown before.
  deep <- function(k) if (k > 0) c(deep(k - 1), k)
  deep(300)
  # Libraries of which R would only say that it cannot load them: LAPACK, those of messages, and those of loops.
  solve(1)
  requireNamespace("cli", quietly = TRUE)
  requireNamespace("future.apply", quietly = TRUE)
  gc()
  size <- grep("^VmSize", readLines("/proc/self/status"), value = TRUE)
  limit(format(1024 * as.numeric(gsub("[^0-9]", "", size)) + megabytes * 2^20, scientific = FALSE))
  said <- tryCatch({
    suppressWarnings(suppressMessages(code(data$x, data$y)))
    "finished"
  }, error = function(e) c(class(e)[1], conditionMessage(e)))
  limit("unlimited")
  said
}

starving_fits <- list(
  gram = function(x, y) zeronorm::zeronorm(x, y, zeronorm::l2_svm(1), engine = "dual"),
  simplex = function(x, y) zeronorm::zeronorm(x[, 1:300], y, zeronorm::l1_svm(0.01), engine = "simplex"),
  active_set = function(x, y) zeronorm::zeronorm(x[1:500, ], y[1:500], zeronorm::l2_l1_svm(1, 0.01)),
  newton = function(x, y) zeronorm::zeronorm(x, y, zeronorm::l2_svm(1), engine = "newton"),
  highs = function(x, y) zeronorm::zeronorm(x[1:300, ], y[1:300], zeronorm::l1_svm(0.1), engine = "highs"),
  osqp = function(x, y) zeronorm::zeronorm(x[1:300, 1:300], y[1:300], zeronorm::l2_svm(1), engine = "osqp"),
  kernel = function(x, y) zeronorm::zeronorm(x, y, zeronorm::l2_svm(1, zeronorm::gaussian_kernel(30))),
  arom = function(x, y) zeronorm::zeronorm(x[1:500, ], y[1:500], zeronorm::arom("l2", nonzero = 10)),
  monomials = function(x, y) {
    zeronorm::zeronorm(x[1:200, 1:200], y[1:200], zeronorm::l2_l1_svm(1, 0.1, degree = 2))
  },
  cv = function(x, y) zeronorm::cv_zeronorm(x[1:300, ], y[1:300], zeronorm::l1_svm(0.1), folds = 3),
  certify = function(x, y) zeronorm::certify_zero_norm(x[1:60, ], y[1:60], seconds = 2, permutations = 0)
)

test_that("too little memory is an error that says so, at any size, and harms nothing", {
  skip_on_cran()
  skip_on_os(c("windows", "mac"))
  skip_if_not_installed("callr")
  if (!nzchar(Sys.which("prlimit"))) skip("no prlimit to take memory away")
  session <- new_session()
  on.exit(session$kill())
  alone <- session$run(small_fit)
  ends <- character()
  for (name in names(starving_fits)) {
    for (megabytes in if (heavy()) c(1, 3, 6, 12, 25, 50, 100) else c(1, 12)) {
      end <- tryCatch(session$run(starved, list(starving_fits[[name]], megabytes)), error = conditionMessage)
      if (session$get_state() != "idle") session <- new_session()
      info <- paste(name, "with", megabytes, "MB:", paste(end, collapse = ": "))
      expect_true(end[1] == "finished" || grepl("memory|cannot allocate", end[length(end)]), info = info)
      expect_identical(session$run(small_fit), alone, info = info)
      ends <- c(ends, end[1])
    }
  }
  expect_true("zeronorm_memory_error" %in% ends)
})

# --- the disk ---

# A loop in a process of its own: list(error = its class and message, or NULL, summary = its result).
checkpointed <- function(directory, limit = NULL) {
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  answer <- file.path(folder, "answer.rds")
  code <- bquote({
    .libPaths(.(.libPaths()))
    set.seed(1)
    x <- matrix(stats::rnorm(400 * 30), 400)
    y <- x[, 1] + stats::rnorm(400) > 0
    said <- tryCatch({
      cv <- zeronorm::cv_zeronorm(x, y, zeronorm::l1_svm(C = 10^seq(-3, 0, by = 0.2)), folds = 6,
                                  checkpoint = .(directory))
      list(summary = cv$summary)
    }, error = function(e) list(error = c(class(e)[1], conditionMessage(e))))
    # What the limit left of a process can still say so.
    writeLines(deparse(said, control = "exact"))
  })
  script <- file.path(folder, "loop.R")
  writeLines(deparse(code), script)
  run <- paste(shQuote(file.path(R.home("bin"), "Rscript")), "--no-save", shQuote(script))
  # The signal that comes with the limit would end the process, and a file of counts cut off is lost.
  if (!is.null(limit)) {
    run <- paste0("trap '' XFSZ; ulimit -f ", limit, "; GCOV_PREFIX=", shQuote(folder), " ", run)
  }
  eval(parse(text = system2("sh", c("-c", shQuote(run)), stdout = TRUE, stderr = FALSE)))
}

parts_in <- function(directory) dir(directory, "^part-", full.names = TRUE)

test_that("a file that cannot grow ends the loop with a sentence, and nothing cut off is left", {
  skip_on_cran()
  skip_on_os("windows")
  directory <- tempfile()
  on.exit(unlink(directory, recursive = TRUE))
  expected <- checkpointed(NULL)
  whole <- checkpointed(directory)
  expect_identical(whole, expected)
  sizes <- file.size(parts_in(directory))
  unlink(parts_in(directory))
  # Blocks of 512 bytes: less than a part needs.
  full <- checkpointed(directory, limit = floor(min(sizes) / 512) - 1)
  expect_identical(full$error[1], "zeronorm_error")
  expect_match(full$error[2], "cannot be written to.*disk full")
  expect_identical(dir(directory), "plan.bin")
  expect_identical(checkpointed(directory), expected)
})

test_that("a full disk ends the loop with a sentence and keeps what was finished", {
  skip_on_cran()
  skip_on_os(c("windows", "mac"))
  directory <- tempfile()
  dir.create(directory)
  mounted <- suppressWarnings(system2("mount", c("-t", "tmpfs", "-o", "size=10m", "none", directory),
                                      stdout = FALSE, stderr = FALSE)) == 0
  on.exit({
    if (mounted) system2("umount", directory)
    unlink(directory, recursive = TRUE)
  })
  if (!mounted) skip("no right to mount a small disk")
  place <- file.path(directory, "loop")
  expected <- checkpointed(place)
  pages <- ceiling(file.size(dir(place, full.names = TRUE)) / 4096)
  unlink(place, recursive = TRUE)
  # Room for the plan, about three parts and a half, and the two directories.
  resize <- function(kilobytes) {
    system2("mount", c("-o", paste0("remount,size=", kilobytes, "k"), directory))
  }
  resize(4 * (pages[length(pages)] + floor(3.5 * pages[1]) + 1))
  full <- checkpointed(place)
  expect_identical(full$error[1], "zeronorm_error")
  expect_match(full$error[2], "cannot be written to.*disk full.*goes on from there")
  kept <- parts_in(place)
  expect_gte(length(kept), 2)
  expect_lt(length(kept), 6)
  expect_identical(length(dir(place)), length(kept) + 1L)
  times <- file.mtime(kept)
  resize(10000)
  expect_identical(checkpointed(place), expected)
  expect_identical(file.mtime(kept), times)
})

test_that("a part cut off or damaged in any place is computed again", {
  directory <- tempfile()
  on.exit(unlink(directory, recursive = TRUE))
  data <- planted(60, 10, noise = 1)
  run <- function() {
    with_stream(1, cv_zeronorm(data$x, data$y, l1_svm(C = c(0.1, 1)), folds = 3, checkpoint = directory))
  }
  expected <- run()
  part <- parts_in(directory)[1]
  bytes <- readBin(part, "raw", file.size(part))
  set.seed(1)
  for (k in sample(length(bytes), 20)) {
    writeBin(if (k %% 2) bytes[seq_len(k - 1)] else replace(bytes, k, xor(bytes[k], as.raw(4))), part)
    expect_identical(suppressWarnings(run()), expected, info = paste("byte", k))
  }
})
