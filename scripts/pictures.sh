#!/bin/sh
# Makes the pictures of the documentation again, docs/pictures, from examples.
#
#   scripts/pictures.sh
#
# Plans are drawn by Graphviz, timelines from one of a hundred runs on the
# emulated device: of the shortest, the one in which streams overlap the most.
# tests/docs/check_pictures.py says when they are stale.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
. "$root/scripts/lib/setup.sh"
[ $# = 0 ] || {
  echo "usage: scripts/pictures.sh" >&2
  exit 2
}

choose_preset
# shellcheck disable=SC2086
ensure_packages $build_packages graphviz
build bin/async-gpu-opt bin/async-gpu-runner
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Places in pictures are as a reader would write them.
cd "$root"
opt=$build_dir/bin/async-gpu-opt
runner=$build_dir/bin/async-gpu-runner
unset ASYNC_GPU_LOG ASYNC_GPU_EMU_CHECK ASYNC_GPU_EMU_SEED ASYNC_GPU_SEED

# What else there is to see of the tutorial's third step is in its text.
for name in fork_join tutorial/3_kernel tutorial/4_regions tutorial/5_streams; do
  program=examples/$name.mlir
  mkdir -p "$(dirname "docs/pictures/$name")"
  "$opt" --emit=plan-dot "$program" -o "$work/plan.dot"
  "$opt" --emit=plan-json "$program" -o "$work/plan.json"
  "$opt" --emit=plan-svg "$program" -o "$work/plan.svg"
  # Graphviz draws differently from release to release: the test compares this.
  {
    cat "$work/plan.svg"
    printf '<!-- plan-dot %s -->\n' \
      "$(sha256sum <"$work/plan.dot" | cut -d ' ' -f 1)"
  } >"docs/pictures/$name-plan.svg"
  say "wrote docs/pictures/$name-plan.svg"
  [ $name != tutorial/3_kernel ] || continue
  rm -f "$work"/[0-9]*.json
  for run in $(seq 100); do
    ASYNC_GPU_DEVICE=emu "$runner" --trace="$work/$run.json" "$program" >/dev/null
  done
  python3 scripts/lib/draw_timeline.py --of "$work"/[0-9]*.json \
    --plan "$work/plan.json" -o "docs/pictures/$name-timeline.svg"
  say "wrote docs/pictures/$name-timeline.svg"
done
