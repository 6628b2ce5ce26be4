# shellcheck shell=sh disable=SC2034,SC2154
# What the scripts share: messages, packages, configuring and building.
# Sourced by them, with $root set to the top of the source tree.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The packages that building and running takes. libmlir-22-dev's CMake files
# insist on the programs of mlir-22-tools; llvm-22-tools brings python3.
build_packages="cmake gcc libc6-dev ninja-build llvm-22-dev llvm-22-tools
  libmlir-22-dev mlir-22-tools python3"

# What the tests take beyond that: lit ends a hanging test with psutil, and one
# test looks at how the sources are formatted, some at what clang says of them
# (both are small: their libraries come with llvm-22-dev), one installs
# async-gpu and finds it with pkg-config, one makes Debian packages of it, and one
# makes a site of the pages. Arrays of NumPy's go through the Python package. Programs
# of several ranks run under both MPI libraries; scripts/test.sh goes on without them
# where they cannot be had.
test_packages="python3-psutil python3-numpy clang-format-22 clang-22 pkgconf
  dpkg-dev file mkdocs"
mpi_packages="openmpi-bin libopenmpi-dev mpich libmpich-dev"
# Programs for 64-bit ARM are made by a cross compiler, and run under QEMU.
cross_packages="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
if [ "$(uname -m)" != x86_64 ]; then
  cross_packages=
fi
# Plans are drawn by Graphviz; the page of async-gpu-report is opened.
browser_packages="chromium graphviz fonts-dejavu-core"

say() {
  printf 'async-gpu: %s\n' "$*" >&2
}

die() {
  printf 'async-gpu: error: %s\n' "$1" >&2
  shift
  for line; do
    printf '  %s\n' "$line" >&2
  done
  exit 1
}

# The comment on top of a script says what it does and takes. Before anything is
# installed or built.
case ${1-} in
-h | --help)
  sed -n '2,/^# Part of/{/^# Part of/d;s/^# \{0,1\}//;p;}' "$0"
  exit 0
  ;;
esac

# Prints those of the packages "$@" that are not installed.
list_missing() {
  if ! command -v dpkg-query >/dev/null; then
    echo "$*"
    return
  fi
  # It fails when a package is unknown, but lists the others all the same.
  installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' "$@" \
    2>/dev/null || :) "
  missing=
  for package; do
    case $installed in
    *" installed:$package "*) ;;
    *) missing="$missing $package" ;;
    esac
  done
  echo "${missing# }"
}

# Prints the distribution's name and release: "debian 12".
read_release() {
  if [ -r /etc/os-release ]; then
    (. /etc/os-release && echo "${ID:-unknown} ${VERSION_ID:-unknown}")
  else
    echo "unknown unknown"
  fi
}

# Makes sure that the packages "$@" are installed, or ends the script with the
# list of those that are missing.
ensure_packages() {
  missing=$(list_missing "$@")
  if [ -z "$missing" ]; then
    return
  fi
  release=$(read_release)
  if [ "$release" != "debian 12" ]; then
    die "packages are missing, and only Debian 12 is set up by this script" \
      "this system: $release" \
      "missing, by the names they have in Debian 12: $missing" \
      "Install what corresponds to them, LLVM and MLIR 22 included, then:" \
      "cmake --preset release && cmake --build --preset release"
  fi
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      die "packages are missing, and installing them takes root or sudo" \
        "missing: $missing" \
        "as root: apt-get install --no-install-recommends $missing"
    fi
    as_root=sudo
    if ! sudo -n true 2>/dev/null; then
      # Ask for the password here, where it is clear what it is for.
      say "installing packages takes sudo: $missing"
      if ! [ -t 0 ] || ! sudo -v; then
        die "packages are missing, and sudo gave no rights to install them" \
          "missing: $missing" \
          "as root: apt-get install --no-install-recommends $missing"
      fi
    fi
  fi
  say "installing: $missing"
  say "updating the package lists (apt-get update)"
  # Lists of a source that does not answer may be old; only what is then not
  # found matters.
  $as_root apt-get -qq -o DPkg::Lock::Timeout=300 update >&2 ||
    say "apt-get update reported errors; going on with the lists there are"
  absent=
  for package in $missing; do
    if ! LC_ALL=C apt-cache policy "$package" | grep -q 'Candidate: [^(]'; then
      absent="$absent $package"
    fi
  done
  if [ -n "$absent" ]; then
    die "apt has no package of this name:$absent" \
      "missing: $missing" \
      "Is there a network, and are Debian 12's main and security suites" \
      "among the apt sources (/etc/apt/sources.list, /etc/apt/sources.list.d)?"
  fi
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
    -o DPkg::Lock::Timeout=300 install --no-install-recommends $missing >&2 ||
    die "apt-get install failed; its messages are above" \
      "missing: $(list_missing "$@")" \
      "Is there a network, and room on the disk?"
  missing=$(list_missing "$@")
  if [ -n "$missing" ]; then
    die "apt-get succeeded, but packages are still missing" "missing: $missing"
  fi
}

# Chooses the preset (ASYNC_GPU_PRESET, by default release) and the folder to
# build in (ASYNC_GPU_BUILD_DIR, by default the preset's), and sets $preset and
# $build_dir.
choose_preset() {
  preset=${ASYNC_GPU_PRESET:-release}
  case $preset in
  release) build_dir=$root/build ;;
  ci | debug | asan-ubsan | tsan | cross-aarch64 | cross-aarch64-compiler) build_dir=$root/build-$preset ;;
  *)
    die "ASYNC_GPU_PRESET=$preset is no preset" \
      "known: release ci debug asan-ubsan tsan cross-aarch64 cross-aarch64-compiler"
    ;;
  esac
  case ${ASYNC_GPU_BUILD_DIR-} in
  '') ;;
  /*) build_dir=$ASYNC_GPU_BUILD_DIR ;;
  *) build_dir=$PWD/$ASYNC_GPU_BUILD_DIR ;;
  esac
}

# Of what ninja prints where no terminal shows one line that moves: what a tool says,
# and a line each tenth of the way.
shorten() {
  shown=0
  while IFS= read -r line; do
    case $line in
    'ninja: Entering directory'* | 'ninja: no work to do.'* | *'Re-checking globbed'*) ;;
    '['[0-9]*/[0-9]*'] '*)
      done=${line#?}
      all=${done#*/}
      tenth=$((10 * ${done%%/*} / ${all%%]*}))
      if [ $tenth -lt $shown ]; then
        shown=0
      fi
      if [ $tenth -gt $shown ]; then
        printf '%s\n' "$line"
        shown=$tenth
      fi
      ;;
    *) printf '%s\n' "$line" ;;
    esac
  done
}

# Configures where that has not been done, and builds the targets "$@" (none:
# all). Ninja configures again by itself when a CMake file has changed.
build() {
  mkdir -p "$build_dir" || die "cannot make $build_dir" \
    "ASYNC_GPU_BUILD_DIR names another folder to build in."
  if ! [ -w "$build_dir" ]; then
    die "no right to write to $build_dir" \
      "Was it built by another user? Remove it, run this as that user, or" \
      "name another folder with ASYNC_GPU_BUILD_DIR."
  fi
  # Two scripts at once take turns. Programs started later do not inherit it.
  exec 9>"$build_dir/.lock"
  if ! flock -n 9; then
    say "waiting for another build in $build_dir"
    flock 9
  fi
  home=
  if [ -f "$build_dir/build.ninja" ] && [ -f "$build_dir/CMakeCache.txt" ]; then
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' \
      "$build_dir/CMakeCache.txt")
  fi
  if [ "$home" != "$root" ]; then
    say "configuring (preset $preset)"
    (cd "$root" &&
      cmake --fresh --preset "$preset" -B "$build_dir" >&2 9>&-) ||
      die "cmake could not configure; its messages are above"
  fi
  status=0
  if [ -t 2 ]; then
    (cd "$build_dir" && ninja "$@" >&2 9>&-) || status=$?
  else
    status=$({
      {
        ninja -C "$build_dir" "$@" 2>&1 9>&-
        echo $? >&3
      } | shorten >&2
    } 3>&1) || :
  fi
  if [ "$status" != 0 ]; then
    die "the build failed; its messages are above" "folder: $build_dir"
  fi
  exec 9>&-
}
