#!/bin/sh
# Writes what is generated of the pages: docs/passes*.md, and the table
# of docs/environment.md; or says what of it is stale.
#
#   scripts/docs.sh [--check]
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
. "$root/scripts/lib/setup.sh"

check=${1-}
case $check in
'' | --check) ;;
*)
  echo "usage: scripts/docs.sh [--check]" >&2
  exit 2
  ;;
esac

choose_preset
# shellcheck disable=SC2086
ensure_packages $build_packages
build bin/async-gpu-docs bin/async-gpu-info
new=$(mktemp)
trap 'rm -f "$new"' EXIT
trap 'exit 1' HUP INT TERM

# update PAGE COMMAND...: what the command prints becomes the page.
update() {
  page=$1
  shift
  "$@" >"$new"
  if cmp -s "$new" "$root/$page"; then
    say "$page is up to date"
  elif [ "$check" = --check ]; then
    die "$page is stale: run scripts/docs.sh"
  else
    cat "$new" >"$root/$page"
    say "wrote $page"
  fi
}

for page in passes passes-linalg passes-plan passes-kernels passes-llvm; do
  update "docs/$page.md" "$build_dir/bin/async-gpu-docs" "$page"
done
update docs/environment.md python3 "$root/scripts/lib/settings_table.py" \
  "$root/docs/environment.md" "$build_dir/bin/async-gpu-info"
[ "$check" = --check ] || "$root/tests/suites/page.py"
