#!/bin/sh
# Makes the Debian packages and the source tarball. On a machine that has none of
# what that takes, it first installs the packages and builds async-gpu.
#
#   scripts/packages.sh [FOLDER]        where they go (default: packages in the build)
#   ASYNC_GPU_PRESET=cross-aarch64-compiler scripts/packages.sh
#                                       those for 64-bit ARM
#   ASYNC_GPU_PRESET=cross-aarch64 scripts/packages.sh
#                                       those of programs there, without the compiler
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
. "$root/scripts/lib/setup.sh"

case $#,${1-} in
0, | 1,[!-]*) ;;
*)
  echo "usage: scripts/packages.sh [FOLDER]" >&2
  exit 2
  ;;
esac
choose_preset
# g++ is for what upstream's tools load of us.
lacking=$(list_missing g++)
case $preset in
cross-*)
  # shellcheck disable=SC2086,SC2154
  ensure_packages cmake ninja-build python3 dpkg-dev file $cross_packages
  if [ "$preset" = cross-aarch64-compiler ]; then
    ensure_packages g++-aarch64-linux-gnu
    "$root/scripts/sysroot.sh" >/dev/null
  fi
  ;;
*)
  # shellcheck disable=SC2086
  ensure_packages $build_packages dpkg-dev file g++
  ;;
esac
# A build configured without it looks for it again: its rules count as old.
if [ -n "$lacking" ] && [ -f "$build_dir/build.ninja" ]; then
  touch -d @1 "$build_dir/build.ninja"
fi
build installed
folder=${1:-$build_dir/packages}
# cpack leaves where it worked beside what it made.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
for config in CPackConfig CPackSourceConfig; do
  cpack --config "$build_dir/$config.cmake" -B "$work/packages" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    die "cpack failed; its messages are above"
  }
done
mkdir -p "$folder"
mv "$work/packages/"*.deb "$work/packages/"*.tar.xz "$folder"
ls "$folder"
