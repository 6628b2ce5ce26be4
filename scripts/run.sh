#!/bin/sh
# Compiles and runs one MLIR program. On a machine that has none of what that
# takes, it first installs the packages and builds async-gpu.
#
#   scripts/run.sh FILE [options of async-gpu-runner]
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
. "$root/scripts/lib/setup.sh"

if [ $# -eq 0 ]; then
  echo "usage: scripts/run.sh FILE [options of async-gpu-runner]" >&2
  exit 2
fi
# Not after minutes of building. Options may stand before the file.
case $1 in
-*) ;;
*)
  if ! [ -r "$1" ] || [ -d "$1" ]; then
    die "cannot read the program '$1'"
  fi
  ;;
esac

choose_preset
# shellcheck disable=SC2086
ensure_packages $build_packages
build installed
exec "$build_dir/bin/async-gpu-runner" "$@"
