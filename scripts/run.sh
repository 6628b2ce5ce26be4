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

choose_preset
# shellcheck disable=SC2086
ensure_packages $build_packages
build bin/async-gpu-runner
exec "$build_dir/bin/async-gpu-runner" "$@"
