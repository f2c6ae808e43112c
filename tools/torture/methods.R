# For methods functions of (n, d, task) that draw their arguments, and the largest n and d that keep a problem at some
# milliseconds. A method without such a function has the arguments of its example.

draw_C <- function(hard = 0.15) if (chance(hard)) Inf else power_of_ten(-3, 4)
draw_path <- function(draw) if (chance(0.2)) vapply(1:3, function(k) draw(), 0) else draw()
draw_sizes <- function(d) {
  if (chance(0.5)) sample.int(d, 1) else if (chance(0.5)) "path" else sort(sample.int(d, min(d, 2)))
}
draw_step <- function() some_of(list(0.5, 0.5, 0.9, 0.3, 1, 3))[[1]]
draw_costs <- function(d) if (chance(0.15)) runif(d, 0, 2) * (runif(d) < 0.9)
draw_refit <- function(...) some_of(c("l2", "l2", "l1", ...))
draw_refit_C <- function() if (chance(0.5)) Inf else power_of_ten(-2, 3)
draw_groups <- function(d) if (chance(0.15)) sample.int(max(1, d %/% 2), d, TRUE)
draw_validation <- function(p = 0.06) if (chance(p)) "validation"

draw_penalty <- function() {
  one_of(exp_penalty(5), exp_penalty(power_of_ten(-1, 1.5)), exp_penalty(c(1, 5, 20)),
         log_penalty(power_of_ten(-6, -1)), power_penalty(runif(1, 0.1, 0.9), power_of_ten(-6, -2)),
         inverse_penalty(1, power_of_ten(-6, -1)), l1_penalty(), capped_penalty(power_of_ten(-2, 1)),
         scad_penalty(power_of_ten(-1, 1)), mcp_penalty(power_of_ten(-1, 1)))
}

draw_kernel <- function(p, ...) {
  if (!chance(p)) return("linear")
  one_of(gaussian_kernel(power_of_ten(-0.7, 1)), poly_kernel(2), poly_kernel(3, "power"), ...)
}

draw_start <- function() some_of(c(0, 1))

draw_method <- function(name, n, d, task) {
  draw <- method_draws()[[name]]
  if (is.null(draw)) default_methods[[name]] else draw(n, d, task)
}

method_draws <- function() {
  list(
    l1_svm = function(n, d, task) l1_svm(draw_path(draw_C), draw_costs(d)),
    l2_svm = function(n, d, task) {
      l2_svm(draw_path(draw_C), draw_kernel(0.2), some_of(c("hinge", "hinge", "squared_hinge")))
    },
    linf_svm = function(n, d, task) linf_svm(draw_path(draw_C)),
    rlp = function(n, d, task) rlp(some_of(c("sum", "class_mean"))),
    l2_l1_svm = function(n, d, task) {
      l2_l1_svm(power_of_ten(-1, 4), draw_path(function() if (chance(0.1)) 0 else power_of_ten(-3, 1)),
                draw_costs(d), if (d <= 8 && chance(0.1)) 2 else 1)
    },
    m_svm = function(n, d, task) m_svm(some_of(c("l2", "l1")), draw_C(0.4)),
    arom = function(n, d, task) {
      tube <- if (task == "regression") power_of_ten(-2, 0)
      errors <- one_of(NULL, NULL, "l2", "l2", "l1", if (is.null(tube)) "zero")
      arom(some_of(c("l2", "l1", "l2-l1")), if (chance(0.5)) draw_sizes(d), errors = errors,
           lambda = draw_path(function() power_of_ten(-1, 2)), epsilon = tube,
           slack_form = some_of(c("literal", "weighted")),
           multiclass = some_of(c("joint", "coupled", "ovr")), refit = draw_refit("none"),
           refit_C = draw_refit_C(), refit_multiclass = some_of(c("m_svm", "ovr")))
    },
    fsv = function(n, d, task) {
      sizes <- if (chance(0.3)) draw_sizes(d)
      fsv(draw_path(function() runif(1)^3 * 0.95), draw_penalty(), some_of(c("mean", "sum", "class_mean")),
          draw_start(), sizes, draw_refit("none"), draw_refit_C(),
          if (is.null(sizes)) draw_kernel(0.1) else "linear", if (is.null(sizes)) draw_validation())
    },
    quadratic_fsv = function(n, d, task) {
      quadratic_fsv(runif(1)^2 * 0.9, penalty = if (chance(0.3)) draw_penalty(),
                    average = some_of(c("mean", "sum", "class_mean")), start = draw_start())
    },
    fw1 = function(n, d, task) {
      fw1(draw_penalty(), draw_start(), if (chance(0.3)) draw_sizes(d), draw_refit("none"), draw_refit_C())
    },
    dca = function(n, d, task) {
      loss <- if (task == "regression") some_of(c("squared", "epsilon_insensitive"))
              else some_of(c("hinge", "squared_hinge", "logistic", "squared"))
      ridge <- if (chance(0.4)) power_of_ten(-2, 1) else 0
      dca(loss, draw_penalty(), ridge, draw_C(if (loss %in% c("logistic", "squared")) 0 else 0.1),
          starts = some_of(c(1, 1, 2)), start = draw_start(), nonzero = if (chance(0.3)) draw_sizes(d),
          refit = draw_refit("none"), refit_C = draw_refit_C(),
          magnitude = if (loss == "hinge" && ridge == 0 && chance(0.2)) "max" else "sum")
    },
    l2_l0_svm = function(n, d, task) {
      l2_l0_svm(power_of_ten(-1, 3), draw_path(function() power_of_ten(-3, 0.5)), penalty = draw_penalty(),
                start = draw_start(), nonzero = if (chance(0.3)) draw_sizes(d), refit = draw_refit("none"))
    },
    fs_svmcp = function(n, d, task) {
      fs_svmcp(if (chance(0.5)) inverse_penalty(1, 1e-6) else draw_penalty(), 10^sort(runif(3, -2, 3)),
               some_of(2:4))
    },
    svm_rfe = function(n, d, task) {
      kernel <- if (task == "two-class" && d <= 15) draw_kernel(0.15) else "linear"
      if (!identical(kernel, "linear")) return(svm_rfe(draw_sizes(d), draw_step(), draw_C(), kernel))
      svm_rfe(draw_sizes(d), draw_step(), draw_C(0.4), groups = draw_groups(d),
              group_score = some_of(c("sum", "mean")), retrain = d <= 8 && chance(0.2),
              refit = draw_refit("none"), refit_C = draw_refit_C(),
              refit_multiclass = some_of(c("ovr", "m_svm")))
    },
    correlation_filter = function(n, d, task) {
      correlation_filter(draw_sizes(d), draw_refit(), draw_refit_C(), some_of(c("ovr", "m_svm")))
    },
    top_weights = function(n, d, task) {
      top_weights(draw_sizes(d), some_of(c("l2", "l1")), draw_C(0.4), draw_refit("none"), draw_refit_C())
    },
    ranking_filter = function(n, d, task) {
      ranking_filter(draw_C(0.3), sample.int(4, 1), refit = draw_refit("none"),
                     refit_C = if (chance(0.5)) draw_refit_C())
    },
    sensitivity_rfe = function(n, d, task) {
      kernel <- if (d <= 12) draw_kernel(0.3) else "linear"
      norm <- some_of(c("l2", "l1"))
      if (!identical(kernel, "linear")) return(sensitivity_rfe(norm, draw_sizes(d), draw_step(), draw_C(),
                                                               kernel))
      sensitivity_rfe(norm, draw_sizes(d), draw_step(), draw_C(), refit = draw_refit("none"),
                      refit_C = draw_refit_C())
    },
    bound_rfe = function(n, d, task) {
      order <- some_of(c(0, 0, 1))
      kernel <- if (d <= 8) draw_kernel(0.15) else "linear"
      bound_rfe(some_of(c("radius_margin", "span")), order, order == 0 && d <= 6 && chance(0.2),
                draw_sizes(d), draw_step(), draw_C(0.5), kernel,
                refit = if (identical(kernel, "linear")) draw_refit() else "l2", refit_C = draw_refit_C())
    },
    alma_rfe = function(n, d, task) alma_rfe(runif(1, 0.4, 1), draw_refit(), draw_refit_C()),
    lasso = function(n, d, task) draw_lasso(lasso, d),
    generalized_lasso = function(n, d, task) draw_lasso(generalized_lasso, d),
    multiplicative_update = function(n, d, task) {
      multiplicative_update(if (chance(0.5)) draw_sizes(d), power_of_ten(-1, 2),
                            if (task == "regression") power_of_ten(-2, 0),
                            some_of(c("joint", "coupled", "ovr")), draw_refit("none"), draw_refit_C())
    },
    scaling_lp = function(n, d, task) scaling_lp(),
    sparse_fisher = function(n, d, task) {
      sparse_fisher(draw_path(function() power_of_ten(-2, 2)), draw_kernel(0.2))
    },
    p_svm = function(n, d, task) {
      p_svm(power_of_ten(-2, 1.5), if (chance(0.3)) Inf else power_of_ten(-2, 1), draw_costs(d))
    },
    med_svm = function(n, d, task) {
      med_svm(power_of_ten(-6, 0), 1 + power_of_ten(-2, 3), if (chance(0.3)) draw_sizes(d),
              draw_refit("none"),
              draw_refit_C())
    },
    jcfo = function(n, d, task) jcfo(power_of_ten(-2, 0.5), power_of_ten(-2, 0.5), draw_kernel(0.5)),
    norm_svm = function(n, d, task) {
      fast <- chance(0.15)
      margin <- fast || chance(0.9)
      norm_svm(some_of(list(0, 0, 0.5, 1, 2, Inf))[[1]], power_of_ten(-2, 4),
               if (margin && chance(0.1)) 0 else power_of_ten(-3, 4), draw_kernel(0.8), fast, margin,
               multiclass = some_of(c("ovo", "ovr")))
    },
    ard = function(n, d, task) {
      kernel <- draw_kernel(0.3)
      if (identical(kernel, "linear")) ard() else ard(kernel)
    },
    forward_ls = function(n, d, task) forward_ls(draw_sizes(d), draw_refit("ls", "ls"), draw_refit_C()),
    gram_schmidt = function(n, d, task) {
      single <- task %in% c("two-class", "regression")
      stop <- if (single) some_of(c("none", "probe", "fisher", "loo")) else "none"
      sizes <- if (stop == "none") draw_sizes(d) else sample.int(d, 1)
      gram_schmidt(sizes, stop, probes = if (stop == "probe") some_of(c(0, 20)) else 0,
                   degree = if (d <= 6 && chance(0.15)) 2 else 1,
                   backward = if (single) some_of(c("none", "fisher", "loo")) else "none",
                   refit = draw_refit("ls", "ls"), refit_C = draw_refit_C())
    },
    grafting = function(n, d, task) {
      norm <- task %in% c("two-class", "regression") && chance(0.2)
      grafting(draw_path(function() power_of_ten(-3, -0.5)), if (chance(0.5)) power_of_ten(-3, 0) else 0,
               if (chance(0.2)) power_of_ten(-3, -1) else 0,
               if (task == "regression") "squared" else some_of(c("logistic", "squared", "squared_hinge")),
               if (norm) "norm" else "squared")
    },
    tree_importance = function(n, d, task) {
      tree_importance(if (chance(0.5)) draw_sizes(d),
                      if (task == "regression") "error" else some_of(c("information", "error")),
                      some_of(c(1, 3, Inf)), some_of(c(1, 2)), draw_refit("ls"), draw_refit_C())
    },
    logistic_rfe = function(n, d, task) {
      logistic_rfe(power_of_ten(-4, 2), draw_sizes(d), draw_step(), draw_groups(d),
                   refit = draw_refit("none", "none"),
                   refit_C = draw_refit_C())
    },
    obd = function(n, d, task) {
      hidden <- if (n <= 15 && d <= 4 && chance(0.3)) 2 else 0
      obd(hidden, draw_sizes(d), draw_step(),
          if (task == "regression") "squared" else some_of(c("logistic", "squared",
                                                             if (hidden == 0) "hinge")),
          power_of_ten(-3, 1), some_of(c("exact", "gauss_newton")), 2, refit = draw_refit("none", "none"),
          refit_C = draw_refit_C())
    },
    r2w2 = function(n, d, task) {
      kernel <- if (d <= 6) draw_kernel(0.1) else "linear"
      r2w2(if (chance(0.7)) draw_sizes(d),
           some_of(c("radius_margin", "radius_margin", "variance", "span", "validation")),
           some_of(c("scale", "scale", "retrain", "second_order")), chance(0.2), kernel, draw_C(0.5),
           some_of(c(Inf, 0.5, 1)), if (identical(kernel, "linear")) draw_refit() else "l2", draw_refit_C())
    },
    adaptive_scaling = function(n, d, task) {
      adaptive_scaling(some_of(list(0.5, 1, 2, 2, 3))[[1]], if (chance(0.3)) power_of_ten(-1, 1), draw_C(0.3),
                       if (d <= 6) draw_kernel(0.2) else "linear")
    },
    kernel_alignment = function(n, d, task) {
      kernel_alignment(runif(1)^2 * 0.9, gaussian_kernel(if (chance(0.5)) power_of_ten(-0.5, 1)),
                       C = power_of_ten(-2, 3))
    }
  )
}

draw_lasso <- function(constructor, d) {
  costs <- draw_costs(d)
  if (chance(0.5)) return(constructor(s = draw_path(function() power_of_ten(-2, 2)), costs = costs))
  if (chance(0.08)) return(constructor(costs = costs))
  constructor(lambda = draw_path(function() power_of_ten(-3, 2)), costs = costs)
}

# Largest n and d.
method_sizes <- function(name) {
  few <- list(quadratic_fsv = c(24, 5), bound_rfe = c(25, 15), alma_rfe = c(16, 40), jcfo = c(16, 5),
              norm_svm = c(30, 20), r2w2 = c(20, 12), kernel_alignment = c(24, 8), obd = c(40, 30),
              ard = c(40, 40), adaptive_scaling = c(40, 40), fs_svmcp = c(50, 100), m_svm = c(40, 60),
              dca = c(60, 100), sensitivity_rfe = c(40, 60), gram_schmidt = c(60, 100))
  if (name %in% names(few)) few[[name]] else c(60, 200)
}
