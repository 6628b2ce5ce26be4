#!/bin/sh
# Compiles an MLIR program ahead of time and links it.
#
#   build_program.sh OPT CC FILE.mlir OUTPUT [LINKER ARGUMENT...]
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
opt=$1
cc=$2
source=$3
output=$4
shift 4
mkdir -p "$(dirname "$output")"
rm -f "$output" "$output.o"
"$opt" --emit=obj "$source" -o "$output.o"
"$cc" -o "$output" "$output.o" "$@"
