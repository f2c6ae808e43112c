test_that("the table of methods shows what each declares", {
  table <- zeronorm_methods()
  expect_identical(names(table), c("method", "task", "sparse", "kernel", "certificate", "descends",
                                   "max_features", "reference"))
  expect_identical(table$method, names(example_methods()))
  expect_true(all(nzchar(table$reference)))
})

test_that("a method may be named", {
  expect_identical(as_method("fsv")$name, "fsv")
  expect_zeronorm_error(as_method("svm"), "method", "fsv()")
  expect_identical(as_method(fsv), fsv())
  expect_zeronorm_error(as_method(mean), "method", "method object")
  expect_zeronorm_error(as_method(l2_l1_svm), "mu", "missing")
})
