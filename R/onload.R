# Adapters register themselves when their package loads, before or after this one.
.onLoad <- function(libname, pkgname) {
  when_loaded("parsnip", register_parsnip)
  when_loaded("tune", register_tune)
  when_loaded("mlr3", register_mlr3)
}

when_loaded <- function(package, register) {
  # An adapter that does not fit the version of its package must not keep this one from loading.
  try_to <- function(...) {
    tryCatch(register(), error = function(e) {
      packageStartupMessage("zeronorm: not registered with ", package, ": ", conditionMessage(e))
    })
  }
  if (isNamespaceLoaded(package)) try_to()
  setHook(packageEvent(package, "onLoad"), try_to)
}
