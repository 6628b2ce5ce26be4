#!/bin/sh
# Fails where a public header does not stand alone: each is compiled as the first
# and only one of a file, as C11 and as C++, and twice in one file.
#
#   check_headers.sh INCLUDE COMPILER ...
#
# COMPILER is a C compiler, or one for C++ if its name says so (g++, clang++);
# those that are not there are left out, but not all.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
include=$1
shift
status=0
used=
for compiler; do
  command -v "$compiler" >/dev/null || continue
  used="$used $compiler"
  case $compiler in
  *++*) options='-x c++ -std=c++11' ;;
  *) options='-x c -std=c11 -Wstrict-prototypes' ;;
  esac
  for header in "$include"/async_gpu/*.h "$include"/async_gpu/compiled/*.h; do
    name=${header#"$include"/}
    # shellcheck disable=SC2086
    printf '#include <%s>\n#include <%s>\nextern int x;\n' "$name" "$name" |
      "$compiler" $options -pedantic -Wall -Wextra -Wshadow -Werror \
        -I "$include" -fsyntax-only - || {
      echo "$compiler: $name does not stand alone" >&2
      status=1
    }
  done
done
if [ -z "$used" ]; then
  echo "none of the compilers is there" >&2
  exit 1
fi
echo "compiled with$used"
exit $status
