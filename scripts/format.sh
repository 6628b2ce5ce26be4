#!/bin/sh
# Formats the C sources in place, or says which are not formatted.
#
#   scripts/format.sh [--check]
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
. "$root/scripts/lib/setup.sh"

mode=-i
case ${1-} in
'') ;;
--check) mode='--dry-run --Werror' ;;
*)
  echo "usage: scripts/format.sh [--check]" >&2
  exit 2
  ;;
esac

# One release for everybody: another formats some lines differently.
command -v clang-format-22 >/dev/null || ensure_packages clang-format-22
cd "$root"
# shellcheck disable=SC2086
find include runtime src tools tests integration bench \
  -name '*.[ch]' -print0 |
  xargs -0 -r -n 32 -P "$(nproc)" clang-format-22 $mode
