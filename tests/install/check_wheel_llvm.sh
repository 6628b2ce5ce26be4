#!/bin/sh
# Links what wheels have of LLVM, and looks at what comes out: which libraries and
# which glibc it takes, and what others see of it.
#
#   check_wheel_llvm.sh SOURCE_DIR CACHE WORK_DIR
#
# Exit status 77 where CACHE has not what scripts/wheel.sh gets from PyPI.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
source=$1
cache=$2
work=$3
fail() {
  echo "failed: $*"
  exit 1
}

machine=$(uname -m)
set -- "$cache/$machine"/llvm-*/.complete
if ! [ -f "$1" ]; then
  echo "skipped: no archives of LLVM in $cache; scripts/wheel.sh --cache gets them"
  exit 77
fi
export ASYNC_GPU_BUILD_DIR="$work"
library=$("$source/scripts/wheel.sh" --cache "$cache" --arch "$machine" --llvm-only)
readelf -dW "$library" | grep 'R.*PATH' && fail "it names folders"
needed=$(readelf -dW "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
  grep -v '^lib\(c\|m\|dl\|pthread\|gcc_s\|rt\)\.so\|^ld-linux') || :
[ -z "$needed" ] || fail "it needs $needed"
# Of the functions of the C API that it has, those that are called, and no C++.
nm -D --defined-only "$library" | sed 's/.* //; s/@.*//' |
  grep -v '^\(mlir\|LLVM\)[A-Z]\|^ASYNC_GPU_LLVM$' && fail "it exports more than it should"
newest=$(nm -D --undefined-only "$library" | sed -n 's/.*@GLIBC_\([0-9.]*\)$/\1/p' |
  sort -V | tail -n 1)
[ "$(printf '%s\n2.28\n' "$newest" | sort -V | tail -n 1)" = 2.28 ] ||
  fail "it needs glibc $newest"
echo "passed: $library needs glibc $newest"
