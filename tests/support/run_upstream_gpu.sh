#!/bin/sh
# Lowers a program's GPU ops with mlir-opt and runs it with mlir-runner, on the
# runtime in the place of upstream's libmlir_cuda_runtime (and async runtime).
#
#   run_upstream_gpu.sh FILE.mlir LLVM_TOOLS LLVM_LIBRARIES RUNTIME
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
source=$1
tools=$2
libraries=$3/libmlir_c_runner_utils.so,$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lowered=$work/lowered.mlir
messages=$work/messages
export JITDUMPDIR="$work" # where mlir-runner leaves folders

# Without a CUDA toolkit mlir-opt reports that libdevice is missing, and goes
# on: what it says matters only when it fails.
"$tools/mlir-opt" --pass-pipeline='builtin.module(
    gpu.module(convert-gpu-to-nvvm), gpu-module-to-binary{format=isa},
    async-to-async-runtime, async-runtime-ref-counting,
    convert-async-to-llvm, convert-vector-to-scf, convert-scf-to-cf,
    gpu-to-llvm, convert-vector-to-llvm, finalize-memref-to-llvm,
    convert-to-llvm, reconcile-unrealized-casts)' "$source" -o "$lowered" \
  2>"$messages" || { cat "$messages" >&2; exit 1; }
"$tools/mlir-runner" -O3 -e main --entry-point-result=void \
  --shared-libs="$libraries" "$lowered"
