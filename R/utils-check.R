# Errors and the checks that raise them. Every message names the argument, says what was found and what
# to do.

stop_zeronorm <- function(argument, found, advice = NULL, class = NULL) {
  message <- paste0("`", argument, "`: ", paste(c(found, advice), collapse = " "))
  stop(structure(class = c(class, "zeronorm_error", "error", "condition"),
                 list(message = message, call = NULL, argument = argument)))
}

# C++ that got no memory says so in the user's words.
in_memory_left <- function(code) {
  short <- function(e) {
    stop_zeronorm("x", "needs more memory than there is: the computation was given up and changed nothing.",
                  "Free memory, raise its limit, or take fewer rows, features or kernel values.",
                  class = "zeronorm_memory_error")
  }
  tryCatch(code, "std::bad_alloc" = short, "std::bad_array_new_length" = short)
}

# What a user passed, in a few words.
describe <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.atomic(x) && length(x) == 1 && is.null(dim(x))) {
    return(if (is.character(x)) paste0("\"", x, "\"") else format(x))
  }
  size <- if (is.null(dim(x))) paste("of length", length(x)) else paste(dim(x), collapse = " x ")
  paste("an object of class", class(x)[1], size)
}

# At most `most` items as 'a', 'b', 'c' and 7 more.
enumerate <- function(items, most = 5) {
  shown <- paste0("'", head(items, most), "'", collapse = ", ")
  if (length(items) > most) paste(shown, "and", length(items) - most, "more") else shown
}

check_numbers <- function(value, argument, lower = 0, upper = Inf, open_lower = FALSE, infinite = FALSE,
                          several = TRUE) {
  numbers <- is.numeric(value) && is.null(dim(value)) && length(value) > 0 &&
    (several || length(value) == 1)
  fine <- numbers
  if (numbers) {
    fine <- !is.na(value) & value <= upper & (infinite | is.finite(value)) &
      (if (open_lower) value > lower else value >= lower)
  }
  if (all(fine)) return(as.double(value))
  found <- if (!numbers || length(value) == 1) paste0("is ", describe(value), ".")
           else paste0("holds the value ", format(value[!fine][1]), ".")
  allowed <- paste0(if (open_lower) "above " else "at least ", lower,
                  if (is.finite(upper)) paste(" and at most", upper), if (infinite) " (Inf is allowed)")
  stop_zeronorm(argument, found, paste0("Use ", if (several) "numbers " else "one number ", allowed, "."))
}

check_number <- function(value, argument, ...) check_numbers(value, argument, ..., several = FALSE)

check_count <- function(value, argument, lower = 1) {
  value <- check_number(value, argument, lower = lower, upper = .Machine$integer.max)
  if (value != round(value)) stop_zeronorm(argument, paste0("is ", value, "."), "Use a whole number.")
  as.integer(value)
}

stop_missing_labels <- function() stop_zeronorm("y", "is missing.", "Give one label for every row of `x`.")

# For verbs that need data which no fit keeps.
stop_without_data <- function(argument, advice) {
  stop_zeronorm(argument, "is missing; a fit keeps no training data.", advice)
}

# The `...` of verbs that take nothing in it, so that a misspelt argument is not ignored.
check_unused <- function(...) {
  if (!...length()) return(invisible())
  name <- c(names(list(...)), "")[1]
  advice <- if (name %in% c("new_data", "data", "x")) "New observations are `newdata`."
            else advice_on_argument(name, "See the help page for its arguments.")
  stop_zeronorm(if (nzchar(name)) name else "...", "is not an argument of this function.", advice)
}

# Refuses arguments of the function that called this one, or called its caller (back = 2), which are not named in
# full: R takes the beginning of a name for the whole.
check_argument_names <- function(back = 1) {
  call <- sys.call(-back)
  known <- names(formals(sys.function(-back)))
  given <- names(call)
  if (any(vapply(as.list(call)[-1], identical, NA, quote(...)))) {
    given <- c(given, eval(quote(names(substitute(list(...)))), parent.frame(back + 1)))
  }
  partial <- setdiff(given, c(known, "", NA))
  if (!length(partial)) return(invisible())
  name <- partial[1]
  close <- unique(c(known[startsWith(known, name)], known[utils::adist(name, known)[1, ] <= 2]))
  stop_zeronorm(name, paste0("is not an argument", if (is.name(call[[1]])) paste0(" of ", call[[1]], "()"), "."),
                paste0("Did you mean ", paste0("`", close, "`", collapse = " or "), "? Names are written in full."))
}

check_flag <- function(value, argument) {
  if (is.logical(value) && length(value) == 1 && !is.na(value)) return(value)
  stop_zeronorm(argument, paste0("is ", describe(value), "."), "Use TRUE or FALSE.")
}

check_choice <- function(value, argument, choices) {
  if (is.character(value) && length(value) == 1 && value %in% choices) return(value)
  stop_zeronorm(argument, paste0("is ", describe(value), "."),
                paste0("Use one of ", paste0("\"", choices, "\"", collapse = ", "), "."))
}

check_control <- function(control) {
  if (inherits(control, "zeronorm_control")) return(control)
  stop_zeronorm("control", paste0("is ", describe(control), "."), "Use zeronorm_control(tol = 1e-8).")
}

# Sizes asked for: NULL, "path" or whole numbers.
check_nonzero <- function(nonzero) {
  if (is.null(nonzero) || identical(nonzero, "path")) return(nonzero)
  if (!is.numeric(nonzero) || !length(nonzero) || anyNA(nonzero) || any(nonzero < 1) ||
        any(nonzero != round(nonzero)) || any(nonzero > .Machine$integer.max)) {
    stop_zeronorm("nonzero", paste0("is ", describe(nonzero), "."),
                  "Use whole numbers of features from 1 up, or \"path\".")
  }
  unique(as.integer(nonzero))
}

# Columns by name, index or logical mask -> sorted indices.
check_columns <- function(columns, argument, names, d) {
  if (is.null(columns)) return(integer())
  if (is.character(columns)) {
    doubtful <- unique(columns[columns %in% names[duplicated(names)]])
    if (length(doubtful)) {
      stop_zeronorm(argument, paste0("the column name ", enumerate(doubtful), " occurs more than once."),
                    "Use indices of columns.")
    }
    index <- match(columns, names)
    if (anyNA(index)) {
      stop_zeronorm(argument, paste0("`x` has no column ", enumerate(columns[is.na(index)]), "."),
                    "Use names of columns of `x`, or their indices.")
    }
  } else if (is.logical(columns) && length(columns) == d && !anyNA(columns)) {
    index <- which(columns)
  } else if (is.numeric(columns) && !anyNA(columns) && all(columns >= 1 & columns <= d) &&
               all(columns == round(columns))) {
    index <- as.integer(columns)
  } else {
    stop_zeronorm(argument, paste0("is ", describe(columns), "."),
                  paste0("Use names, indices from 1 to ", d, ", or TRUE/FALSE for every column of `x`."))
  }
  sort(unique(index))
}

# Packages that are only suggested.
need_package <- function(package, verb, install = "install.packages") {
  if (requireNamespace(package, quietly = TRUE)) return(invisible())
  stop_zeronorm("package", paste0(package, ", which ", verb, " needs, is not installed."),
                paste0("Use ", install, "(\"", package, "\")."))
}
