# What a family of methods may do in its own way: generics of S3 on the family. A family has its methods in the file of
# its constructor; the defaults are here.

# The method with a path, where the constructor has left it to the data.
complete_path <- function(method, problem, settings) UseMethod("complete_path")
complete_path.zeronorm_method <- function(method, problem, settings) method

# What a family of methods adds to the problem, as random starts or probes; the only place where fits draw them.
prepare_problem <- function(method, problem) UseMethod("prepare_problem")
prepare_problem.zeronorm_method <- function(method, problem) problem

# The solutions of a problem; families that do more than follow their path have a method of their own.
fit_method <- function(method, problem, settings) UseMethod("fit_method")
fit_method.zeronorm_method <- function(method, problem, settings) solve_problem(problem, method, settings)

# What the core reads for a method alone: values that the constructor has checked, and those of the data and of these
# steps of the path.
core_options <- function(method, problem, steps) UseMethod("core_options")
core_options.zeronorm_method <- function(method, problem, steps) method$core

# Steps of the path that one call of the core can take together.
call_groups <- function(method, steps) UseMethod("call_groups")
call_groups.zeronorm_method <- function(method, steps) steps$hard

# Whether a solution is also one of the linear programme with the slopes of the penalty there as costs.
has_linear_tangent <- function(method) UseMethod("has_linear_tangent")
has_linear_tangent.zeronorm_method <- function(method) FALSE
has_linear_tangent.zeronorm_convex <- function(method) TRUE

# Whether margin violations are features whose scales are optimised; weights of observations have no meaning then.
has_slack_features <- function(method) UseMethod("has_slack_features")
has_slack_features.zeronorm_method <- function(method) FALSE
