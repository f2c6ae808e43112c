# Runs code with another function in the place of one of the package.
with_replaced <- function(name, replacement, code) {
  namespace <- asNamespace("zeronorm")
  put <- function(value) {
    unlockBinding(name, namespace)
    assign(name, value, envir = namespace)
    lockBinding(name, namespace)
  }
  old <- get(name, envir = namespace)
  on.exit(put(old))
  put(replacement)
  code
}
