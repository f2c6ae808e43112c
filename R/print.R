#' @method print zeronorm
#' @export
print.zeronorm <- function(x, ...) {
  cat(header(x), sep = "\n")
  cat(what_was_found(x), sep = "\n")
  cat(how_certain(x), sep = "\n")
  invisible(x)
}

header <- function(fit) {
  c(paste0("<zeronorm> ", fit$method$label, ": ", format(fit$method)),
    paste0("  ", fit$n, " observations x ", fit$d, if (fit$d == 1) " feature" else " features", "; '",
           fit$levels[2], "' (", fit$counts[2], ", positive) against '", fit$levels[1], "' (",
           fit$counts[1], ")"))
}

what_was_found <- function(fit) {
  table <- fit$certificate
  m <- nrow(table)
  sizes <- table$nonzero[is_optimal(fit)]
  if (is_kernel_machine(fit)) {
    counts <- range(table$support_vectors[is_optimal(fit)])
    return(paste0("  ", solution_count(m), paste(unique(counts), collapse = " to "), " support vectors"))
  }
  if (m > 1) {
    return(c(paste0("  ", solution_count(m), paste(unique(range(sizes)), collapse = " to "), " features"),
             smallest_line(fit)))
  }
  c(paste0("  ", sizes, if (sizes == 1) " feature" else " features", if (sizes) ": ",
           if (sizes) name_some(selected(fit))), error_line(fit, 1))
}

solution_count <- function(m) if (m == 1) "" else paste0(m, " solutions with ")

smallest_line <- function(fit) {
  table <- fit$certificate
  fewest <- min(table$errors[is_optimal(fit)])
  k <- which(is_optimal(fit) & table$errors == fewest)
  k <- k[which.min(table$nonzero[k])]
  if (!length(k)) return(NULL)
  paste0("  sparsest with fewest training errors (", fewest, "), index ", k, ": ",
         name_some(selected(fit, index = k)))
}

error_line <- function(fit, k) paste0("  ", fit$certificate$errors[k], " training errors of ", fit$n)

name_some <- function(features, most = 8) {
  if (!length(features)) return("none")
  text <- paste(head(features, most), collapse = ", ")
  if (length(features) > most) paste0(text, ", ... (", length(features), ")") else text
}

how_certain <- function(fit) {
  table <- fit$certificate
  ok <- is_optimal(fit)
  kinds <- unique(table$kind[ok])
  kind <- c(gap = "optimal", stationarity = "stationary, last convex problem optimal")[kinds]
  kind[is.na(kind)] <- kinds[is.na(kind)]
  lines <- paste0("  ", paste(kind, collapse = " or "), " to a relative gap of ",
                  format(max(table$gap[ok]), digits = 2), "; engine ",
                  paste(unique(table$engine[ok]), collapse = ", "),
                  if (any(table$fallback)) " (as a fallback)", ", ", format(fit$seconds, digits = 2), " s")
  if (!all(ok)) lines <- c(lines, paste0("  ", sum(!ok), " solutions failed: see certificate()"))
  lines
}
