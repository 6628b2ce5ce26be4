#!/bin/sh
# Lowers a program with one project's tool and runs it with the other's.
#
#   run_pipeline.sh ours|upstream FILE.mlir LLVM_TOOLS LLVM_LIBRARIES OUR_TOOLS
#
# "ours" lowers with async-gpu-opt for upstream's runtime and runs with
# mlir-runner; "upstream" lowers with mlir-opt and runs with async-gpu-runner.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
lowering=$1
source=$2
llvm_tools=$3
llvm_libraries=$4
our_tools=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lowered=$work/lowered.mlir
export JITDUMPDIR="$work" # where mlir-runner leaves folders

case $lowering in
ours)
  "$our_tools/async-gpu-opt" --async-gpu-lower=abi=upstream "$source" \
    -o "$lowered"
  libraries=$llvm_libraries/libmlir_c_runner_utils.so
  libraries=$libraries,$llvm_libraries/libmlir_async_runtime.so
  "$llvm_tools/mlir-runner" -O3 -e main --entry-point-result=void \
    --shared-libs="$libraries" "$lowered"
  ;;
upstream)
  "$llvm_tools/mlir-opt" --async-to-async-runtime \
    --async-runtime-ref-counting --async-runtime-ref-counting-opt \
    --convert-async-to-llvm --convert-scf-to-cf --convert-vector-to-llvm \
    --finalize-memref-to-llvm --convert-to-llvm --reconcile-unrealized-casts \
    "$source" -o "$lowered"
  "$our_tools/async-gpu-runner" "$lowered"
  ;;
esac
