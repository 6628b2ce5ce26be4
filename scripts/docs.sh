#!/bin/sh
# Writes the generated page docs/passes.md, or says that it is stale.
#
#   scripts/docs.sh [--check]
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
. "$root/scripts/lib/setup.sh"

case ${1-} in
'' | --check) ;;
*)
  echo "usage: scripts/docs.sh [--check]" >&2
  exit 2
  ;;
esac

choose_preset
# shellcheck disable=SC2086
ensure_packages $build_packages
build bin/async-gpu-docs
new=$(mktemp)
trap 'rm -f "$new"' EXIT
"$build_dir/bin/async-gpu-docs" >"$new"
if cmp -s "$new" "$root/docs/passes.md"; then
  say "docs/passes.md is up to date"
elif [ "${1-}" = --check ]; then
  die "docs/passes.md is stale: run scripts/docs.sh"
else
  cat "$new" >"$root/docs/passes.md"
  say "wrote docs/passes.md"
fi
