#!/bin/sh
# The measurements end with one line where what they measure is not built.
#
#   check_unbuilt.sh BENCH_DIR
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
says='is missing; build everything with: cmake --build'
for name in compile emulated gpu_instructions graphs instructions linalg models mpi \
  ptx scaling sequential startup task_bench tasks trace; do
  set -- "$1"
  case $name in models | task_bench) set -- "$1" . ;; esac
  python3 -B "$1/$name.py" --build "$work/nothing" ${2+"$2"} >"$work/output" 2>&1 &&
    exit 1
  grep -q "^$name.py: error: $work/nothing/.* $says" "$work/output" &&
    [ "$(wc -l <"$work/output")" -eq 1 ] || {
    cat "$work/output"
    exit 1
  }
done
