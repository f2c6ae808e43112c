# Rscript install.R [PACKAGE ...]: installs what is missing of the packages that DESCRIPTION needs and of
# those named.  With root on Debian built packages are taken, and CRAN only for what Debian lacks; else CRAN,
# into the user's own library.  Programs are named with a colon before, :qpdf; without root they are only
# asked for.
arguments <- commandArgs(trailingOnly = TRUE)
programs <- sub("^:", "", grep("^:", arguments, value = TRUE))
wanted <- grep("^:", arguments, value = TRUE, invert = TRUE)

description <- read.dcf("DESCRIPTION", fields = c("Depends", "Imports", "LinkingTo"))
hard <- trimws(sub("[(].*", "", unlist(strsplit(description[!is.na(description)], ","))))
wanted <- setdiff(c(hard, wanted), c("R", ""))

missing <- function(packages) Filter(function(package) !nzchar(system.file(package = package)), packages)
say <- function(...) message("zeronorm: ", ...)

debian <- Sys.which("apt-get") != "" && Sys.info()[["effective_user"]] == "root"
apt <- function(...) {
  system2("apt-get", c("-q", "-y", "-o", "DPkg::Lock::Timeout=300", ...),
          env = "DEBIAN_FRONTEND=noninteractive", stdout = FALSE)
}
# Those of Debian's packages that Debian has.
apt_install <- function(names) {
  if (length(names) == 0L) return(invisible())
  if (is.null(updated)) updated <<- apt("update")
  names <- intersect(names, system2("apt-cache", "pkgnames", stdout = TRUE))
  if (length(names) == 0L) return(invisible())
  say("installing ", paste(names, collapse = " "))
  apt("install", "--no-install-recommends", names)
}
updated <- NULL
from_debian <- function(packages) {
  if (debian) apt_install(paste0(rep(c("r-cran-", "r-bioc-"), each = length(packages)), tolower(packages)))
}

tools <- c("cmake", "g++", "make", if ("rmarkdown" %in% wanted) "pandoc", programs)
# Debian's packages have the names of their programs, but for these.
package_of <- c(checkbashisms = "devscripts")
if (debian) {
  missing_tools <- tools[!nzchar(Sys.which(tools))]
  apt_install(ifelse(missing_tools %in% names(package_of), package_of[missing_tools], missing_tools))
}
for (tool in programs[!nzchar(Sys.which(programs))]) say("there is no ", tool, "; what needs it is left out")

# Where the first library is not the user's to write, R takes the user's own once it is there.
if (file.access(.libPaths()[1L], 2L) != 0L) {
  library <- strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep)[[1L]][1L]
  dir.create(library, recursive = TRUE, showWarnings = FALSE)
  .libPaths(library)
}

lacking <- missing(wanted)
if (length(lacking)) {
  from_debian(lacking)
  lacking <- missing(wanted)
}
if (length(lacking)) {
  # mlr3 calls functions of a newer checkmate than it asks for.
  if ("mlr3" %in% lacking) lacking <- c("checkmate", lacking)
  if ("@CRAN@" %in% getOption("repos")) utils::chooseCRANmirror(graphics = FALSE, ind = 1L)
  options(timeout = max(600, getOption("timeout")), Ncpus = parallel::detectCores())
  available <- utils::available.packages()
  from_debian(missing(unlist(tools::package_dependencies(lacking, available, recursive = TRUE))))
  say("installing ", paste(lacking, collapse = " "), " from CRAN")
  utils::install.packages(lacking, quiet = TRUE)
  lacking <- missing(wanted)
}
if (length(lacking)) {
  say("could not install ", paste(lacking, collapse = ", "), "; install by hand, then try again")
  quit(status = 1L)
}
