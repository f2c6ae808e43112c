#!/bin/sh
# setups.sh [CASE ...]: installs and runs the package in roots of their own, and writes bench/setups.md.  Linux with
# debootstrap, overlayfs and the rights of root; the roots stay in SETUPS_DIR for the next time, and so do what each
# case said (CASE.log) and, where it failed, what it left in its root (run/CASE/upper).
#   SETUPS_CCACHE: a directory of ccache that all roots but the bare one share, so that the package is compiled once;
#   SETUPS_TREE: where the tree lies in a root, which ccache wants as deep as where it was filled.
cd "$(dirname "$0")/.." || exit 1
project=$PWD
place=${SETUPS_DIR:-/var/tmp/zeronorm-setups}
tree=${SETUPS_TREE:-/srv/zeronorm}
report=${SETUPS_REPORT:-$project/bench/setups.md}
engines=$(Rscript --vanilla -e 'cat(tools::R_user_dir("zeronorm", "cache"))')
engines=${ZERONORM_CACHE:-$engines}
all="bare offline_homes offline_none spaces user tarball hard_only"
mkdir -p "$place"

# --- roots, each made once on top of the other ---

# A minimal Debian, then what the README asks the user for, then what DESCRIPTION needs.
make_roots() {
  [ -f "$place/bare.complete" ] || {
    rm -rf "$place/bare" && debootstrap --variant=minbase bookworm "$place/bare" &&
      like_host "$place/bare" &&
      inside "$place/bare" 'apt-get -q update && apt-get -q -y install --no-install-recommends r-base-core g++ make' &&
      touch "$place/bare.complete"
  } >"$place/bare.log" 2>&1 || return 1
  [ -f "$place/hard.complete" ] || {
    rm -rf "$place/hard" && cp -a "$place/bare" "$place/hard" && mkdir -p "$place/hard/tmp/z/tools" &&
      cp DESCRIPTION "$place/hard/tmp/z/" && cp tools/install.R "$place/hard/tmp/z/tools/" &&
      inside "$place/hard" 'cd /tmp/z && Rscript tools/install.R' && rm -r "$place/hard/tmp/z" &&
      touch "$place/hard.complete"
  } >"$place/hard.log" 2>&1
}

# like_host ROOT: reaches the network as this machine does, whose name server and authorities may be its own.
like_host() {
  cp /etc/resolv.conf "$1/etc/"
  authorities=usr/local/share/ca-certificates
  [ -z "$(ls /$authorities 2>/dev/null)" ] || {
    mkdir -p "$1/$authorities" && cp -R /$authorities/. "$1/$authorities/"
    [ ! -x "$1/usr/sbin/update-ca-certificates" ] || inside "$1" update-ca-certificates
  }
}

# inside ROOT COMMANDS: with its own mounts and nothing of the caller's environment.
inside() {
  root=$1 commands=$2
  unshare -m sh -e -c '
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    [ -z "$3" ] || { mkdir -p "$1/ccache" && mount --bind "$3" "$1/ccache"; }
    exec chroot "$1" env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -c "$2"' \
    sh "$root" "$commands" "$SETUPS_CCACHE"
}

# fresh NAME LOWER: $root, a throw-away layer over a root, with the tree in it.
fresh() {
  layer=$place/run/$1
  umount "$layer/root" 2>/dev/null
  rm -rf "$layer" && mkdir -p "$layer/upper" "$layer/work" "$layer/root"
  mount -t overlay overlay -o "lowerdir=$place/$2,upperdir=$layer/upper,workdir=$layer/work" "$layer/root" || return 1
  root=$layer/root
  like_host "$root" || return 1
  mkdir -p "$root$tree" && git ls-files -z | tar -c --null -T - | tar -x -C "$root$tree"
  if [ -n "$SETUPS_CCACHE" ]; then
    mkdir -p "$root/usr/local/bin"
    cp "$(command -v ccache)" "$root/usr/local/bin/"
    for library in $(ldd "$(command -v ccache)" | grep -oE '/[^ ]+'); do
      [ -e "$root$library" ] || { mkdir -p "$root$(dirname "$library")" && cp -L "$library" "$root$library"; }
    done
    printf '#!/bin/sh\nexport CCACHE_DIR=/ccache CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=/\nexec ccache /usr/bin/g++ "$@"\n' \
      >"$root/usr/local/bin/g++"
    chmod +x "$root/usr/local/bin/g++"
  fi
}

with_engines() { mkdir -p "$root$1" && cp -a "$engines/." "$root$1/"; }

# A fit by every engine, so that both foreign ones are really linked, and whether the optimum is proven.
smoke='library(zeronorm); x <- log(colon$x); y <- colon$y
  one <- function(method, engine) certificate(zeronorm(x, y, method, engine = engine))
  primal <- c(one(l1_svm(0.1), "simplex")$primal, one(l1_svm(0.1), "highs")$primal)
  ridge <- c(one(l2_svm(0.1), "dual")$primal, one(l2_svm(0.1), "osqp")$primal)
  stopifnot(abs(diff(primal)) < 1e-6 * primal, abs(diff(ridge)) < 1e-4 * ridge)
  cat("agreed\n")'

# --- cases: each prints what happened; the last line goes into the table ---

# Nothing that another run or machine has compiled.
bare() {
  SETUPS_CCACHE=
  fresh bare bare && inside "$root" "cd $tree && make demo && tail -n 1 build/install.log" && echo "make demo ran"
}

# What `make test` says there; an hour of one core.
bare_test() {
  fresh bare_test bare && with_engines /root/.cache/R/zeronorm && inside "$root" "cd $tree && make test"
}

offline() {
  unshare -n sh -c 'ip link set lo up 2>/dev/null; exec "$@"' sh sh "$project/tools/setups.sh" --inside "$@"
}

offline_homes() {
  fresh offline_homes hard && mkdir -p "$root/opt" && cp -a "$engines"/highs-[0-9]* "$root/opt/highs" &&
    cp -a "$engines"/osqp-[0-9]* "$root/opt/osqp" &&
    offline "$root" "cd $tree && HIGHS_HOME=/opt/highs OSQP_HOME=/opt/osqp R CMD INSTALL . && Rscript -e '$smoke'" &&
    echo "installed; engines agree"
}

offline_none() {
  fresh offline_none hard && offline "$root" "cd $tree && R CMD INSTALL ." >"$place/run/said" 2>&1
  [ $? -ne 0 ] && cat "$place/run/said" && grep -q 'set HIGHS_HOME and' "$place/run/said" &&
    ! inside "$root" 'Rscript -e "library(zeronorm)"' >/dev/null 2>&1 && echo "refused, with the two variables to set"
}

spaces() {
  odd="$(dirname "$tree")/zero norm"
  fresh spaces hard && mv "$root$tree" "$root$odd" && with_engines "/my engines/in here" && mkdir "$root/my library" &&
    inside "$root" "export R_LIBS='/my library' ZERONORM_CACHE='/my engines/in here'
      cd '$odd' && make demo && test -d '/my library/zeronorm'" && echo "make demo ran"
}

# Whose R has no repository set, and who has one of the engines.
user() {
  fresh user hard && with_engines /home/user/.cache/R/zeronorm && rm -r "$root"/home/user/.cache/R/zeronorm/osqp-* &&
    inside "$root" "sed -i '/^local(/,/^})/d' /etc/R/Rprofile.site &&
      Rscript -e 'stopifnot(getOption(\"repos\") == \"@CRAN@\")' && useradd user && chown -R user /home/user $tree &&
      { [ ! -d /ccache ] || chmod -R a+rwX /ccache; } && su user -c 'cd $tree && HOME=/home/user make demo' &&
      ls -d /home/user/R/*/*/zeronorm /home/user/.cache/R/zeronorm/osqp-*" &&
    echo "OSQP downloaded and built; make demo ran, into the user's library"
}

tarball() {
  fresh tarball hard && with_engines /root/.cache/R/zeronorm &&
    inside "$root" "cd /tmp && R CMD build --no-build-vignettes $tree && rm -r $tree &&
      R CMD INSTALL zeronorm_*.tar.gz && Rscript -e '$smoke'" && echo "built and installed; engines agree"
}

# Tests need testthat, which brings some packages of its own.
hard_only() {
  fresh hard_only hard && with_engines /root/.cache/R/zeronorm &&
    inside "$root" "cd $tree && R CMD INSTALL . && Rscript -e '$smoke' && Rscript -e '$examples' &&
      apt-get -q update && apt-get -q -y install --no-install-recommends r-cran-testthat && Rscript -e '$tests'"
}
examples='library(zeronorm)
  pages <- tools::Rd_db("zeronorm")
  for (page in names(pages)) {
    file <- tempfile()
    tools::Rd2ex(pages[[page]], file, commentDontrun = TRUE)
    cat("Examples of", page, "\n")
    if (file.exists(file)) source(file, local = new.env())
  }'
tests='library(zeronorm)
  found <- as.data.frame(testthat::test_dir("tests/testthat", package = "zeronorm", load_package = "installed",
                                            reporter = "check", stop_on_failure = FALSE))
  bad <- found$failed > 0 | found$error
  cat(sprintf("examples ran; tests: %d passed, %d failed, %d skipped\n", sum(!bad & !found$skipped), sum(bad),
              sum(found$skipped)))
  quit(status = any(bad))'

# --- the table ---

if [ "$1" = --inside ]; then
  inside "$2" "$3"
  exit
fi
make_roots || {
  echo "the roots were not made: see $place/bare.log and $place/hard.log"
  exit 1
}
status=0
rows=$place/rows
[ $# -gt 0 ] || rm -f "$rows"
for case in ${*:-$all}; do
  start=$(date +%s)
  mkdir -p "$place/run"
  if ("$case") >"$place/$case.log" 2>&1; then
    result=$(tail -n 1 "$place/$case.log")
    umount "$place/run/$case/root"
    rm -rf "$place/run/$case"
  else
    result=FAILED status=1
    umount "$place/run/$case/root" 2>/dev/null
    echo "$case failed: $place/$case.log, $place/run/$case/upper"
  fi
  touch "$rows"
  grep -v "^| $case |" "$rows" >"$rows.new"
  echo "| $case | $result | $(($(date +%s) - start)) |" | tee -a "$rows.new"
  mv "$rows.new" "$rows"
done
{
  echo "# Installing where little or nothing is"
  echo
  echo "Debian 12 roots (debootstrap), $(date +%Y-%m-%d), cores: $(nproc); \`make setups\`. macOS and Windows: untried."
  echo
  echo "bare: nothing but R, g++ and make; all else is installed, HiGHS and OSQP are compiled."
  [ -z "$SETUPS_CCACHE" ] || echo "In the other cases most of the compiler's work was taken from earlier runs (ccache)."
  echo
  echo "| case | result | seconds |"
  echo "|---|---|---|"
  cat "$rows"
} >"$report"
exit $status
