#!/bin/sh
# Builds what programs link, and the tests of it, for 64-bit ARM.
#
#   build.sh SOURCE_DIR BUILD_DIR LINK TARGETS OPTION ...
#
# LINK becomes a link to the libraries; TARGETS are separated by commas;
# OPTION is one of CMake's.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
source=$1
build=$2
link=$3
targets=$4
shift 4
(cd "$source" && cmake --preset cross-aarch64 -B "$build" "$@")
# shellcheck disable=SC2046
cmake --build "$build" -j2 --target $(echo "$targets" | tr , ' ')
rm -rf "$link"
ln -s "$build/lib" "$link"
