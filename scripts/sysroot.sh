#!/bin/sh
# Makes a root of Debian 12 for 64-bit ARM with LLVM and MLIR, out of Debian's
# packages: what the compiler for such machines is linked with on this one (preset
# cross-aarch64-compiler), and runs with under QEMU. It takes no rights: packages are
# unpacked, and nothing of this machine changes.
#
#   scripts/sysroot.sh [FOLDER]         default: build-sysroot-aarch64
#
# 230 MB are downloaded, and 1.7 GB are unpacked. The packages are not kept.
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
  echo "usage: scripts/sysroot.sh [FOLDER]" >&2
  exit 2
  ;;
esac
folder=${1:-$root/build-sysroot-aarch64}
release=$(read_release)
if [ "$release" != "debian 12" ]; then
  die "only Debian 12's apt is asked for packages of 64-bit ARM" \
    "this system: $release" \
    "Unpack what corresponds to them, LLVM and MLIR 22 included, and name the" \
    "folder with -DASYNC_GPU_SYSROOT."
fi
if [ -f "$folder/.complete" ]; then
  echo "$folder"
  exit
fi

# apt's lists and packages of that architecture are in a folder of their own.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
: >"$work/status"
ask_apt() {
  apt-get -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 \
    -o Dir::State="$work" -o Dir::State::lists="$work/lists" \
    -o Dir::State::status="$work/status" -o Dir::Cache="$work/cache" \
    -o APT::Sandbox::User= -o Acquire::Languages=none "$@" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    die "apt-get could not get the packages; its messages are above" \
      "Is there a network, and are Debian 12's main and security suites among" \
      "the apt sources?"
  }
}
say "getting Debian's packages for 64-bit ARM"
ask_apt update
ask_apt install --download-only -y --no-install-recommends libc6-dev \
  libstdc++-12-dev llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
say "unpacking them to $folder"
rm -rf "$folder"
mkdir -p "$folder"
for package in "$work"/cache/archives/*.deb; do
  dpkg-deb --extract "$package" "$folder"
done
: >"$folder/.complete"
echo "$folder"
