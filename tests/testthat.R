library(testthat)
library(zeronorm)

test_check("zeronorm")
