#!/bin/sh
# Finds or builds the two engines and prints, as shell assignments,
#   HIGHS_CPPFLAGS HIGHS_LIBS OSQP_CPPFLAGS OSQP_LIBS
# Each engine comes from the first of: HIGHS_HOME / OSQP_HOME, pkg-config, the cache, a build of the
# engine's source package into the cache.  Everything but the assignments goes to standard error.
set -e
unset MAKEFLAGS MFLAGS MAKELEVEL

tools=$(cd "$(dirname "$0")" && pwd)
: "${R_HOME:=$(R RHOME)}"
R="$R_HOME/bin/R"
RSCRIPT="$R_HOME/bin/Rscript"
CC=$("$R" CMD config CC)
CXX=$("$R" CMD config CXX17)
SHARED=$("$R" CMD config SHLIB_CXX17LDFLAGS)

say() { printf '%s\n' "$*" >&2; }
die() {
  say "zeronorm: $*"
  exit 1
}

cache=${ZERONORM_CACHE:-$("$RSCRIPT" --vanilla -e 'cat(tools::R_user_dir("zeronorm", "cache"))')}
case $(uname -s) in
  MINGW* | MSYS* | CYGWIN*)
    generator="MSYS Makefiles"
    cache=$(printf '%s' "$cache" | tr '\\' /) # the shell would take backslashes for its own
    ;;
  *) generator="Unix Makefiles" ;;
esac
compiler=$($CXX -dumpmachine)-$(basename "${CXX%% *}")$($CXX -dumpfullversion -dumpversion)
work=$(mktemp -d)
unfinished=$cache/unfinished-$$
trap 'rm -rf "$work" "$unfinished"' EXIT
trap 'exit 1' HUP INT TERM

# ---- flags -------------------------------------------------------------------------------------

# A word for a compiler's command line, quoted where the shell would split or read it.
word() {
  case $1 in
    *[!A-Za-z0-9_./+=:@%,-]*) printf '"%s"' "$1" ;;
    *) printf '%s' "$1" ;;
  esac
}

# -I for those of the directories that exist.
include_flags() {
  for directory in "$@"; do
    if [ -n "$1" ] && [ -d "$directory" ]; then printf ' %s' "-I$(word "$directory")"; fi
  done
}

# Library $2 in or below the directory $1; a shared one is also looked for there when the package is loaded.
library_flags() {
  [ -n "$1" ] || return 1
  for directory in "$1" "$1/lib" "$1/lib64" "$1"/lib/*-*-*; do
    for file in "$directory/lib$2.so" "$directory/lib$2.dylib"; do
      if [ -f "$file" ]; then
        printf ' %s' "-L$(word "$directory") -Wl,-rpath,$(word "$directory") -l$2"
        return
      fi
    done
    file="$directory/lib$2.a"
    if [ -f "$file" ]; then
      printf ' %s' "-L$(word "$directory") -l$2"
      if grep -q inflateInit "$file"; then printf ' -lz'; fi
      return
    fi
  done
  return 1
}

# Variable $2 of pkg-config's entry for engine $1, or nothing.
of_system() { pkg-config --variable="$2" "$1" 2>/dev/null || :; }

# Whether the program on standard input compiles with flags $1 and links with $2.
links() {
  cat >"$work/probe.cpp"
  eval "$CXX -std=c++17 -fPIC $1 $SHARED -o \"\$work/probe\" \"\$work/probe.cpp\" $2" >/dev/null 2>&1
}
highs_links() {
  echo '#include <highs_c_api.h>
    void* probe() { return Highs_create(); }' | links "$CPP" "$LIBS"
}
osqp_links() {
  echo '#include <osqp.h>
    OSQPSolver* solver;
    auto probe() { return osqp_setup(&solver, 0, 0, 0, 0, 0, 0, 0, 0); }' | links "$CPP" "$LIBS"
}

# ---- the cache ---------------------------------------------------------------------------------

# The latest finished build of engine $1 in the cache, or nothing.
cached() {
  for home in "$cache/$1"-[0-9]*-"$compiler"; do
    if [ -f "$home/complete" ] && { [ -z "$latest" ] || [ "$home" -nt "$latest" ]; }; then latest=$home; fi
  done
  printf '%s' "$latest"
}

# Downloads and unpacks the source package $1 and prints its version.
unpack() {
  file=$("$RSCRIPT" "$tools/download.R" "$1" "$work") && [ -f "$file" ] ||
    die "cannot download the source package '$1', which holds an engine that zeronorm needs.
  Connect to the network and choose a CRAN repository (options(repos = )), or set HIGHS_HOME and
  OSQP_HOME to the directories of installed copies of HiGHS and OSQP (each with include/ and lib/)."
  # By its bare name: tar takes C: for the name of a computer.
  (cd "$work" && tar -xzf "$(basename "$file")") && sed -n 's/^Version: *//p' "$work/$1/DESCRIPTION"
}

# cmake for engine $1 from sources $2 into $3, static and position independent; then its own options.
cmake_install() {
  name=$1 source=$2 prefix=$3
  shift 3
  (CC=$CC CXX=$CXX cmake -S "$source" -B "$work/build-$name" -G "$generator" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF "$@" &&
    cmake --build "$work/build-$name" --target install --parallel "$jobs") >"$work/log-$name" 2>&1 || {
    tail -n 30 "$work/log-$name" >&2
    die "$name did not build"
  }
}

# Builds engine $1 by build_$1 SOURCES PREFIX and prints where it now is.  The finished directory
# appears in the cache in one step, so that an interrupted build leaves nothing to be found.
build() {
  command -v cmake >/dev/null || die "building the engine '$1' needs cmake: install cmake, or set" \
    "HIGHS_HOME and OSQP_HOME to installed copies of HiGHS and OSQP"
  jobs=$( (nproc || sysctl -n hw.ncpu || echo 1) 2>/dev/null | head -n 1)
  include="-I$(word "$("$RSCRIPT" --vanilla -e 'cat(R.home("include"))')")"
  version=$(unpack "$1")
  home=$cache/$1-$version-$compiler
  mkdir -p "$unfinished" || die "cannot write to the cache '$cache'; ZERONORM_CACHE names another place"
  say "zeronorm: building $1 $version once, into $home"
  "build_$1" "$work/$1" "$unfinished"
  touch "$unfinished/complete"
  rm -rf "$home"
  mv "$unfinished" "$home"
  printf '%s' "$home"
}

# The package's sources print and stop through its shim: every file sees it, and the archive has it.
# About five core-minutes; R's own flags are left out for their -g (an archive of 365 MB).
build_highs() {
  shim="-O2 -fPIC -DNDEBUG -include $(word "$1/src/hi_shim.h") $include"
  cmake_install HiGHS "$1/inst/HiGHS" "$2" -DCMAKE_C_FLAGS="$shim -fexceptions" -DCMAKE_CXX_FLAGS="$shim" \
    -DBUILD_TESTING=OFF -DBUILD_EXAMPLES=OFF -DZLIB=OFF -DFAST_BUILD=ON
  eval "$CXX $shim -c \"\$1/src/hi_shim.cpp\" -o \"\$work/hi_shim.o\"" >&2
  ar rs "$2/lib/libhighs.a" "$work/hi_shim.o" 2>/dev/null
  strip -S "$2/lib/libhighs.a"
}

build_osqp() {
  sources=$1/src/osqp_sources
  qdldl=$1/src/qdldl_sources
  cp "$1/src/osqp_configure_R.h" "$sources/include/private/osqp_configure.h"
  cp "$1/src/printing_R.h" "$sources/include/private/printing.h"
  cp "$1/src/qdldl_types_R.h" "$qdldl/include/qdldl_types.h"
  cmake_install OSQP "$sources" "$2" -DCMAKE_C_FLAGS="$include" -DR_LANG=TRUE \
    -DOSQP_ALGEBRA_BACKEND=builtin -DOSQP_ENABLE_PRINTING=ON -DOSQP_ENABLE_PROFILING=ON \
    -DOSQP_ENABLE_INTERRUPT=ON -DOSQP_USE_LONG=OFF -DOSQP_USE_FLOAT=OFF -DOSQP_BUILD_UNITTESTS=OFF \
    -DOSQP_CODEGEN=OFF -DOSQP_ENABLE_DERIVATIVES=OFF -DOSQP_BUILD_SHARED_LIB=OFF \
    -DOSQP_BUILD_DEMO_EXE=OFF -DFETCHCONTENT_SOURCE_DIR_QDLDL="$qdldl"
}

# ---- HiGHS: sets CPP and LIBS ------------------------------------------------------------------

# HiGHS with its headers in or below $1 and its library in or below $2.
highs_in() {
  CPP=$(include_flags "$1" "$1/highs" "$1/interfaces" "$1/highs/interfaces")
  LIBS="$(library_flags "$2" highs) -lpthread" && with_c_interface
}

# HiGHS without its C interface gets the few functions of it that we use, compiled over its classes.
with_c_interface() {
  if echo '#include <highs_c_api.h>' | links "$CPP" ""; then
    highs_links
    return
  fi
  echo '#include <Highs.h>' | links "$CPP" "$LIBS" || return 1
  sources=$tools/highs_c
  key=$( (cat "$sources"/*; echo "$CPP $LIBS") | cksum | cut -d' ' -f1)
  interface=$cache/highs_c-$key-$compiler
  if [ ! -f "$interface/libhighs_c.a" ]; then
    mkdir -p "$interface"
    eval "$CXX -std=c++17 -O2 -fPIC -DNDEBUG $CPP" \
      "-c \"\$sources/highs_c_api.cpp\" -o \"\$work/highs_c_api.o\"" >&2 ||
      die "the installed HiGHS has no C interface, and ours does not compile over it"
    ar rcs "$work/libhighs_c.a" "$work/highs_c_api.o"
    cp "$sources/highs_c_api.h" "$interface/"
    mv "$work/libhighs_c.a" "$interface/"
  fi
  CPP="-I$(word "$interface") $CPP"
  LIBS="-L$(word "$interface") -lhighs_c $LIBS"
}

if [ -n "$HIGHS_HOME" ]; then
  highs_in "$HIGHS_HOME/include" "$HIGHS_HOME" ||
    die "HIGHS_HOME is '$HIGHS_HOME', but there is no usable HiGHS in its include/ and lib/"
elif ! highs_in "$(of_system highs includedir)" "$(of_system highs libdir)"; then
  home=$(cached highs)
  [ -n "$home" ] || home=$(build highs)
  highs_in "$home/include" "$home" ||
    die "the HiGHS built in '$home' cannot be used; remove that directory and try again"
fi
printf "HIGHS_CPPFLAGS='%s'\nHIGHS_LIBS='%s'\n" "$CPP" "$LIBS"

# ---- OSQP: sets CPP and LIBS -------------------------------------------------------------------

# OSQP with its headers in or below $1 and its library in or below $2; versions before 1.0 have another
# interface and are not taken.
osqp_in() {
  CPP=$(include_flags "$1" "$1/osqp")
  LIBS=$(library_flags "$2" osqpstatic || library_flags "$2" osqp) && osqp_links
}

if [ -n "$OSQP_HOME" ]; then
  osqp_in "$OSQP_HOME/include" "$OSQP_HOME" ||
    die "OSQP_HOME is '$OSQP_HOME', but there is no usable OSQP 1.0 in its include/ and lib/"
elif ! osqp_in "$(of_system osqp includedir)" "$(of_system osqp libdir)"; then
  home=$(cached osqp)
  [ -n "$home" ] || home=$(build osqp)
  osqp_in "$home/include" "$home" ||
    die "the OSQP built in '$home' cannot be used; remove that directory and try again"
fi
printf "OSQP_CPPFLAGS='%s'\nOSQP_LIBS='%s'\n" "$CPP" "$LIBS"
