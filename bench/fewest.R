# Claims: two genes separate the leukemia data, proven in under 1 s; colon needs three, proven in under 0.2 s; all pairs
# are looked at in 15 ns each or less on one thread; polish() never takes more features than there were, and comes to
# the proven optimum wherever the scan of pairs or triples finds one.  DATA_DIR: sets that no package has (optional).
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
data_dir <- Sys.getenv("DATA_DIR")
names <- c("colon", "leukemia", "duke", "lymphoma96", "bcr_abl")
sets <- lapply(stats::setNames(nm = names), zeronorm:::study_code()$study_data,
               data_dir = if (nzchar(data_dir)) data_dir)
sets <- Filter(function(set) !nzchar(set$note), sets)
sets$colon$x <- log(sets$colon$x)
if (!is.null(sets$lymphoma96)) sets$lymphoma96$x[is.na(sets$lymphoma96$x)] <- 0

proofs <- lapply(sets, function(set) {
  set.seed(1)
  cpu <- system.time(proof <- certify_zero_norm(set$x, set$y, largest = 2, permutations = 0))[["user.self"]]
  core <- list(x = set$x, y = ifelse(set$y == levels(set$y)[2], 1, -1), always = 0, errors = 0, hinge = 0)
  scans <- replicate(5, system.time(zeronorm:::scan_core(core, 2L, 1000L, Inf, NULL))[["user.self"]])
  list(proof = proof, cpu = cpu, scan = stats::median(scans))
})
ladder <- do.call(rbind, lapply(names(sets), function(name) {
  p <- proofs[[name]]
  set <- sets[[name]]
  pairs <- choose(ncol(set$x), 2)
  data.frame(data = name, n = nrow(set$x), d = as.character(ncol(set$x)), lower = p$proof$lower, upper = p$proof$upper,
             separating_pairs = if (nrow(p$proof$scans) > 1) p$proof$scans$separating[2] else NA, seconds = p$cpu,
             ns_per_pair = 1e9 * p$scan / pairs)
}))

growth <- do.call(rbind, lapply(c(2500, 5000, 10000, 20000), function(d) {
  data <- simulated(100, d)
  core <- list(x = data$x, y = data$y, always = 0, errors = 0, hinge = 0)
  scan <- stats::median(replicate(3, system.time(zeronorm:::scan_core(core, 2L, 1L, Inf, NULL))[["user.self"]]))
  data.frame(n = 100, d = d, pairs = choose(d, 2), seconds = scan, ns_per_pair = 1e9 * scan / choose(d, 2))
}))

methods <- list("l2-AROM" = arom("l2"), FSV = fsv(lambda = 0.05), "FS-SVMCP" = fs_svmcp())
polished <- do.call(rbind, lapply(names(sets), function(name) {
  set <- sets[[name]]
  do.call(rbind, lapply(names(methods), function(method) {
    set.seed(1)
    fit <- suppressWarnings(zeronorm(set$x, set$y, methods[[method]]))
    seconds <- system.time(better <- polish(fit, set$x, set$y, largest = 2))[["user.self"]]
    proof <- certify_zero_norm(fit, set$x, set$y, largest = 2, permutations = 0)
    data.frame(data = name, method = method, errors = better$polish$errors, before = better$polish$before,
               after = better$polish$after, proven_lower = proof$lower, seconds = seconds)
  }))
}))

report("fewest", "How far from the fewest features", list(
  "Bounds, all single features and pairs; seconds (bounds from above included) and nanoseconds of CPU" = ladder,
  "All pairs of d features, n = 100" = growth,
  "polish(): features before and after, with no more training errors" = polished
), claims = rbind(
  claim("leukemia: two genes separate, proven in", ladder$seconds[ladder$data == "leukemia"], below = 1, unit = "s"),
  claim("colon: three genes needed, proven in", ladder$seconds[ladder$data == "colon"], below = 0.2, unit = "s"),
  claim("all pairs: time of one", max(growth$ns_per_pair), at_most = 15, unit = "ns"),
  claim("polish(): cases with more features than before", sum(polished$after > polished$before), at_most = 0)
))
