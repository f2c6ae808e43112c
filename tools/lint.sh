#!/bin/sh
# Checks what the compilers do not: inner loops all tried by themselves, the order of the core's folders, the border
# between core and R, style.
cd "$(dirname "$0")/.." || exit 1
status=0
bad() {
  printf '%s\n' "$*"
  status=1
}

for loop in $(grep -oE '^(double|void|Size) [a-z_0-9]+\(' src/core/base/simd.h | sed 's/.* //'); do
  grep -qF "simd::$loop" tests/cpp/test-simd.cpp || bad "tests/cpp/test-simd.cpp does not try simd::$loop)"
done

# What a file of the core includes lies in its own folder or in one further left, under its path below src/core.
folders="base data problem grade engines/parts engines proofs loop rules methods"
found=$(cd src/core && grep -roE '^#include "[^"]+"' . | sed 's|^\./||; s|:#include "| |; s|"$||' |
  awk -v folders="$folders" '
  function room(path) {
    while (sub("/[^/]*$", "", path)) if (path in place) return place[path]
    return 0
  }
  BEGIN { for (i = split(folders, names, " "); i > 0; --i) place[names[i]] = i }
  !room($1) { print "src/core/" $1 " is in none of the folders " folders }
  !room($2) || room($2) > room($1) { print "src/core/" $1 " includes " $2 }')
[ -z "$found" ] || bad "Includes that do not point to the left in $folders:
$found"

found=$(grep -rnE '#include *[<"](R|Rcpp|Rinternals|Rmath|R_ext/.*|RcppEigen)(\.h)?[>"]' src/core)
[ -z "$found" ] || bad "R below src/core:
$found"

sources=$(find src tests/cpp tests/fuzz tools \( -name '*.cpp' -o -name '*.h' \) ! -name 'RcppExports.cpp')
if command -v clang-format >/dev/null; then
  # shellcheck disable=SC2086
  clang-format --dry-run -Werror $sources || bad "make format lays these files out"
fi

if Rscript -e 'quit(status = !requireNamespace("lintr", quietly = TRUE))' 2>/dev/null; then
  Rscript -e 'lints <- do.call(c, lapply(c("R", "tests", "tools", "inst", "vignettes"), lintr::lint_dir))' \
    -e 'print(lints); quit(status = length(lints) > 0)' || status=1
fi

exit $status
