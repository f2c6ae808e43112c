# Data sets of the studies: list(x, y, checksum, note).  The second level of y is the papers' class +1.
# `note` says why a set is not at hand.
study_data <- function(name, data_dir = NULL) {
  source <- study_sets()[[name]]
  if (is.null(source)) return(data_from_file(name, data_dir))
  if (!requireNamespace(source$package, quietly = TRUE)) {
    return(list(note = paste0("needs the package ", source$package)))
  }
  set <- tryCatch(source$make(), zeronorm_no_data = function(e) list(note = conditionMessage(e)))
  if (is.null(set$note)) return(with_checksum(set))
  own <- data_from_file(name, data_dir)
  if (nzchar(own$note)) list(note = paste0(set$note, "; ", own$note)) else own
}

data_from_file <- function(name, data_dir) {
  file <- paste0(name, ".rds")
  if (is.null(data_dir)) return(list(note = paste0("no package has it: data_dir = a folder with ", file)))
  if (!file.exists(file.path(data_dir, file))) return(list(note = paste0("`data_dir` has no ", file)))
  with_checksum(readRDS(file.path(data_dir, file)))
}

# Of the numbers, not of the file: the same on every machine.
with_checksum <- function(set) {
  file <- tempfile()
  on.exit(unlink(file))
  writeBin(c(as.double(set$x), as.integer(set$y)), file, endian = "little")
  set$checksum <- unname(tools::md5sum(file))
  set$note <- ""
  set
}

study_sets <- function() {
  list(
    colon = list(package = "zeronorm", make = function() {
      list(x = unname(zeronorm::colon$x), y = factor(zeronorm::colon$y, c("tumour", "normal")))
    }),
    leukemia = list(package = "SIS", make = leukemia),
    leukemia_libsvm = list(package = "SIS", make = function() {
      set <- leukemia()
      set$x <- libsvm_scaled(set$x)
      set
    }),
    wpbc24 = list(package = "TH.data", make = function() recurrence(24)),
    wpbc60 = list(package = "TH.data", make = function() recurrence(60)),
    liver = list(package = "ddalpha", make = function() labelled("bupa", "ddalpha", 1:6, "C", c(2, 1))),
    heart_statlog = list(package = "ddalpha", make = function() {
      labelled("heart", "ddalpha", 1:13, 14, c(1, 2))
    }),
    cleveland = list(package = "kmed", make = function() {
      rows <- from_package("heart", "kmed")
      list(x = numbers(rows[, 1:13]), y = factor(rows$class == 0, c(FALSE, TRUE), c("disease", "healthy")))
    }),
    ionosphere = list(package = "mlbench", make = function() {
      labelled("Ionosphere", "mlbench", 1:34, "Class", c("bad", "good"))
    }),
    pima = list(package = "mlbench", make = function() {
      labelled("PimaIndiansDiabetes", "mlbench", 1:8, "diabetes", c("pos", "neg"))
    }),
    bcw = list(package = "mlbench", make = function() {
      rows <- from_package("BreastCancer", "mlbench")
      rows <- rows[stats::complete.cases(rows), ]
      list(x = numbers(rows[, 2:10]), y = factor(rows$Class, c("malignant", "benign")))
    }),
    sonar = list(package = "mlbench", make = function() {
      labelled("Sonar", "mlbench", 1:60, "Class", c("R", "M"))
    }),
    musk = list(package = "kernlab", make = function() labelled("musk", "kernlab", 1:166, "Class", c(0, 1))),
    ripley = list(package = "MASS", make = function() {
      rows <- rbind(MASS::synth.tr, MASS::synth.te)
      list(x = numbers(rows[, 1:2]), y = factor(rows$yc, 0:1), train = 1:250, test = 251:1250)
    }),
    thyroid = list(package = "mclust", make = function() {
      rows <- from_package("thyroid", "mclust")
      ill <- rows$Diagnosis != "Normal"
      list(x = numbers(rows[, -1]), y = factor(ill, c(FALSE, TRUE), c("normal", "abnormal")))
    }),
    titanic = list(package = "datasets", make = function() {
      counts <- as.data.frame(datasets::Titanic)
      rows <- counts[rep(seq_len(nrow(counts)), counts$Freq), ]
      list(x = cbind(as.integer(rows$Class), rows$Age == "Child", rows$Sex == "Male") * 1,
           y = factor(rows$Survived, c("No", "Yes")))
    }),
    bcr_abl = list(package = "ALL", make = function() {
      need_package("Biobase", "the data set", "BiocManager::install")
      set <- from_package("ALL", "ALL")
      about <- Biobase::pData(set)
      kept <- grepl("^B", about$BT) & about$mol.biol %in% c("BCR/ABL", "NEG")
      list(x = unname(t(Biobase::exprs(set)[, kept])), y = factor(about$mol.biol[kept], c("NEG", "BCR/ABL")))
    })
  )
}

from_package <- function(name, package) {
  place <- new.env()
  suppressWarnings(utils::data(list = name, package = package, envir = place))
  if (!is.null(place[[name]])) return(place[[name]])
  # Packages drop data sets: mlbench 2.1.11 has no Pima data any more.
  said <- sprintf("%s %s has no data set '%s'", package, utils::packageVersion(package), name)
  stop(errorCondition(said, class = "zeronorm_no_data"))
}

leukemia <- function() {
  rows <- rbind(from_package("leukemia.train", "SIS"), from_package("leukemia.test", "SIS"))
  list(x = numbers(rows[, 1:7129]), y = factor(rows[, 7130], c(1, 0), c("AML", "ALL")))
}

# As the LIBSVM collection has its microarrays: each sample to mean 0 and variance 1, then each gene, over all
# samples.
libsvm_scaled <- function(x) {
  x <- x - rowMeans(x)
  unname(scale(x / sqrt(rowMeans(x^2)))[, ])
}

# Factors of numbers become the numbers.
numbers <- function(columns) {
  plain <- function(column) as.numeric(if (is.factor(column)) as.character(column) else column)
  unname(do.call(cbind, lapply(columns, plain)))
}

labelled <- function(name, package, columns, label, levels) {
  rows <- from_package(name, package)
  list(x = numbers(rows[columns]), y = factor(rows[[label]], levels))
}

# Complete cases; those that recurred within so many months against those watched for longer.
recurrence <- function(months) {
  rows <- from_package("wpbc", "TH.data")
  rows <- rows[stats::complete.cases(rows), ]
  early <- rows$status == "R" & rows$time <= months
  rows <- rows[early | rows$time > months, ]
  early <- rows$status == "R" & rows$time <= months
  list(x = numbers(rows[-(1:2)]), y = factor(early, c(FALSE, TRUE), c("later", "recurred")))
}

# Means and standard deviations of the training rows, for both; constant columns become 0.
scaled_by <- function(train, x) {
  spread <- apply(train, 2, stats::sd)
  spread[!is.finite(spread) | spread == 0] <- Inf
  scale(x, colMeans(train), spread)[, , drop = FALSE]
}
