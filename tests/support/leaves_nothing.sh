#!/bin/sh
# Runs a test with an empty TMPDIR of its own, and fails if anything is left there.
#
#   leaves_nothing.sh COMMAND...
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

folder=$(mktemp -d) || exit 1
status=0
TMPDIR=$folder "$@" || status=$?
if [ $status -eq 0 ] && ! rmdir "$folder" 2>/dev/null; then
  echo "left behind in TMPDIR:"
  (cd "$folder" && find . ! -name .)
  status=1
fi
rm -rf "$folder"
exit $status
