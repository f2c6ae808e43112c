# Claim: norm_svm(p = 0) trains at least 20 times (fast form) and 7 times (exact form) faster than a relevance
# vector classifier in plain R, on Ripley's data (100) and on diabetes (768); at n = 2,000 within 60 s and 10 s;
# and predicting 1e5 rows takes at least 20 times longer with 1,000 support vectors than with 10.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))

# The original relevance vector classifier: all basis functions and a bias at the start, alpha = 1/n^2, weights
# by iteratively reweighted least squares, alpha_i = gamma_i / w_i^2, until no log alpha moves by 1e-3.
plain_rvm <- function(K, t, most = 1e12, rounds = 1000) {
  phi <- cbind(K, 1)
  alpha <- rep(1 / nrow(K)^2, ncol(phi))
  w <- numeric(ncol(phi))
  for (round in seq_len(rounds)) {
    on <- which(alpha < most)
    mode <- posterior_mode(phi[, on, drop = FALSE], t, alpha[on], w[on])
    w[] <- 0
    w[on] <- mode$w
    gamma <- 1 - alpha[on] * mode$variance
    new <- gamma / mode$w^2
    moved <- max(abs(log(new[new < most] / alpha[on][new < most])), 0)
    alpha[on] <- new
    if (moved < 1e-3) break
  }
  list(w = w, vectors = sum(alpha[seq_len(nrow(K))] < most), rounds = round)
}

posterior_mode <- function(phi, t, alpha, w) {
  error <- function(w) {
    f <- drop(phi %*% w)
    sum(pmax(f, 0) - t * f + log1p(exp(-abs(f)))) + sum(alpha * w^2) / 2
  }
  now <- error(w)
  for (step in 1:25) {
    p <- 1 / (1 + exp(-drop(phi %*% w)))
    gradient <- drop(crossprod(phi, t - p)) - alpha * w
    U <- chol(crossprod(sqrt(p * (1 - p)) * phi) + diag(alpha, length(alpha)))
    if (step > 1 && max(abs(gradient)) / length(w) < 1e-6) break
    move <- backsolve(U, backsolve(U, gradient, transpose = TRUE))
    length <- 1
    while (error(w + length * move) > now && length > 2^-8) length <- length / 2
    w <- w + length * move
    now <- error(w)
  }
  list(w = w, variance = rowSums(backsolve(U, diag(length(alpha)))^2))
}

ripley <- {
  set.seed(1)
  rows <- sample(nrow(MASS::synth.tr), 100)
  list(x = as.matrix(MASS::synth.tr[rows, 1:2]), y = MASS::synth.tr$yc[rows], width = 0.5)
}
diabetes <- {
  e <- new.env()
  utils::data("PimaIndiansDiabetes", package = "mlbench", envir = e)
  list(x = scale(as.matrix(e$PimaIndiansDiabetes[1:8])), width = 2,
       y = as.integer(e$PimaIndiansDiabetes$diabetes == "pos"))
}

median_of <- function(times, expr) {
  call <- substitute(expr)
  frame <- parent.frame()
  stats::median(vapply(seq_len(times), function(k) elapsed(eval(call, frame)), 0))
}

compare <- function(data, name, times) {
  y <- factor(data$y)
  kernel <- gaussian_kernel(data$width)
  fit <- function(method) suppressWarnings(zeronorm(data$x, y, method, standardize = FALSE))
  vectors <- function(method) certificate(fit(method))$support_vectors
  K <- exp(-as.matrix(dist(data$x))^2 / (2 * data$width^2))
  reference <- elapsed(plain <- plain_rvm(K, data$y))
  sigma <- 1 / (2 * data$width^2)
  peer <- elapsed(other <- kernlab::rvm(data$x, 2 * data$y - 1, kernel = "rbfdot", kpar = list(sigma = sigma)))
  fast <- norm_svm(0, kernel = kernel, fast = TRUE)
  exact <- norm_svm(0, kernel = kernel)
  seconds <- c(reference, median_of(times, fit(fast)), median_of(times, fit(exact)),
               median_of(times, fit(ard(kernel))), peer)
  what <- c("relevance vector classifier in plain R", "norm_svm(0, fast = TRUE)", "norm_svm(0)", "ard(kernel)",
            "kernlab::rvm, regression on -1 and +1")
  data.frame(data = name, what = what, seconds = seconds, faster = reference / seconds,
             vectors = c(plain$vectors, vectors(fast), vectors(exact), vectors(ard(kernel)),
                         length(kernlab::RVindex(other))))
}

large <- function(d) {
  set.seed(1)
  x <- matrix(rnorm(2000 * d), 2000)
  y <- factor(rowSums(x[, 1:2]^2) + rnorm(2000) > 1.6)
  forms <- c(exact = FALSE, fast = TRUE)
  do.call(rbind, lapply(names(forms), function(form) {
    seconds <- elapsed(fit <- suppressWarnings(zeronorm(x, y, norm_svm(fast = forms[[form]]))))
    data.frame(d = d, form = form, seconds = seconds, rounds = certificate(fit)$rounds,
               vectors = certificate(fit)$support_vectors, gap = certificate(fit)$gap)
  }))
}

prediction <- function() {
  set.seed(1)
  x <- matrix(rnorm(1000 * 2), 1000)
  y <- factor(rowSums(x^2) + rnorm(1000) > 1.6)
  newdata <- matrix(rnorm(1e5 * 2), 1e5)
  dense <- zeronorm(x, y, norm_svm(2))
  few <- zeronorm(x, y, norm_svm(0, C_alpha = 0.15))
  data.frame(vectors = c(certificate(dense)$support_vectors, certificate(few)$support_vectors),
             seconds = c(median_of(5, predict(dense, newdata)), median_of(5, predict(few, newdata))))
}

training <- rbind(compare(ripley, "Ripley", 15), compare(diabetes, "diabetes", 3))
sizes <- rbind(large(2), large(10))
predicting <- prediction()
ratio <- predicting$seconds[1] / predicting$seconds[2]
ratios <- split(training$faster, training$what)
report("norm_svm-speed", "The arbitrary norm SVM: training and prediction", list(training, sizes, predicting),
       c("Whole calls of zeronorm(), the kernel matrix included; medians. The second table: n = 2,000, Gaussian.",
         sprintf("Prediction of 1e5 rows: ratio %.0f.", ratio)),
       rbind(claim("norm_svm(0, fast = TRUE): time of a relevance vector classifier in plain R / ours",
                   min(ratios[["norm_svm(0, fast = TRUE)"]]), at_least = 20),
             claim("norm_svm(0): time of a relevance vector classifier in plain R / ours", min(ratios[["norm_svm(0)"]]),
                   at_least = 7),
             claim("norm_svm(0), n = 2,000, exact", max(sizes$seconds[sizes$form == "exact"]), at_most = 60,
                   unit = "s"),
             claim("norm_svm(0), n = 2,000, fast", max(sizes$seconds[sizes$form == "fast"]), at_most = 10, unit = "s"),
             claim("prediction with 1,000 support vectors / with 10", ratio, at_least = 20)))
