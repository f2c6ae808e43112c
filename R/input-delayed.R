# A DelayedMatrix stays where it is, as a rule on a disk: the core asks for its blocks.

block_numbers <- 1e6  # in one block, unless a chunk of the file has more

is_delayed <- function(x) inherits(x, "DelayedMatrix")

need_bioconductor <- function(package, what) need_package(package, what, "BiocManager::install")

# Rows and columns of a block: whole chunks of the file, which are decompressed at once, rows first.
block_size <- function(x) {
  need_bioconductor("DelayedArray", "a DelayedMatrix")
  block_of(dim(x), DelayedArray::chunkdim(x))
}

block_of <- function(dim, chunk) {
  size <- pmax(1, dim)
  if (is.null(chunk)) chunk <- c(size[1], 1)
  chunk <- pmin(chunk, size)
  for (k in 1:2) {
    times <- max(1, floor(block_numbers / prod(chunk)))
    chunk[k] <- min(size[k], chunk[k] * times)
  }
  # A chunk far too large is read in parts.
  if (prod(chunk) > 4 * block_numbers) chunk[2] <- max(1, floor(4 * block_numbers / chunk[1]))
  if (prod(chunk) > 4 * block_numbers) chunk[1] <- 4 * block_numbers
  as.integer(chunk)
}

# What the core reads.
as_blocks <- function(x, tile) {
  since <- 0
  read <- function(row, rows, col, cols) {
    # Blocks already used would otherwise pile up until R thinks of collecting them.
    since <<- since + rows * cols
    if (since > block_numbers / 2) {
      since <<- 0
      gc(full = FALSE)
    }
    values <- DelayedArray::extract_array(x, list(seq.int(row, length.out = rows),
                                                  seq.int(col, length.out = cols)))
    if (is.double(values)) values else as.double(values)
  }
  list(dim = dim(x), tile = tile, read = read)
}

# What the core takes.
core_data <- function(x, tile = NULL) {
  if (!is_delayed(x)) return(x)
  as_blocks(x, if (is.null(tile)) block_size(x) else tile)
}

check_delayed <- function(x, method, task, engine) {
  if (!is_delayed(x)) return(invisible())
  if (!task %in% method$declares$blocks) {
    stop_zeronorm("x", paste0("is a DelayedMatrix, which ", format(method), " does not read block by block",
                              if (task != "two-class") " for such labels", "."),
                  paste("For two classes l1_svm(), arom(\"l2\") with errors NULL or \"l2\",",
                        "correlation_filter() and top_weights() do; as.matrix(x) loads the whole into",
                        "memory."))
  }
  if (engine %in% c("auto", "simplex", "dual")) return(invisible())
  stop_zeronorm("engine", paste0("\"", engine, "\" needs the whole matrix in memory."),
                "Use engine = \"auto\", or as.matrix(x).")
}

# Bytes of a matrix that any computer of today holds.
small_matrix <- 2^30

# Reading blocks costs many times what the fit does.
inform_delayed <- function(x) {
  bytes <- 8 * prod(dim(x))
  if (!is_delayed(x) || bytes > small_matrix) return(invisible())
  inform_once("delayed", "`x` is read from its file block by block. In memory it would take ",
              format(structure(bytes, class = "object_size"), units = "auto"),
              ", and fits would be many times faster: use as.matrix(x), or as.matrix() of the assay.")
}

in_memory <- function(x) if (is_delayed(x)) encode_matrix(as.matrix(x), "x") else x

# f of some rows at a time, whole chunks of them, one result below the other.
by_rows <- function(x, f) {
  if (!is_delayed(x) || nrow(x) == 0) return(f(x))
  chunk <- block_size(x)[1]
  rows <- chunk * max(1, floor(4 * block_numbers / (chunk * ncol(x))))
  do.call(rbind, lapply(seq(1, nrow(x), by = rows), function(from) {
    f(x[from:min(nrow(x), from + rows - 1), , drop = FALSE])
  }))
}

# What f says of the columns, some at a time.
delayed_columns <- function(x, f) {
  width <- max(1, floor(4 * block_numbers / nrow(x)))
  starts <- seq(1, ncol(x), by = width)
  unlist(lapply(starts, function(from) {
    f(as.matrix(x[, from:min(ncol(x), from + width - 1), drop = FALSE]))
  }))
}
