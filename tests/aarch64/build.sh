#!/bin/sh
# Builds what programs link, and the tests of it, for 64-bit ARM.
#
#   build.sh SOURCE_DIR BUILD_DIR LINK WERROR [LAUNCHER]
#
# LINK becomes a link to the libraries; WERROR: whether warnings are errors; LAUNCHER
# is what the compiler is called by.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
if ! [ -f "$2/build.ninja" ]; then
  (cd "$1" && cmake --preset cross-aarch64 -B "$2" \
    -DASYNC_GPU_WERROR="$4" -DCMAKE_C_COMPILER_LAUNCHER="${5-}")
fi
cmake --build "$2" -j2
rm -rf "$3"
ln -s "$2/lib" "$3"
