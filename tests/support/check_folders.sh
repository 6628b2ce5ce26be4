#!/bin/sh
# The scripts that write whole folders leave those alone that have other files.
#
#   check_folders.sh SOURCE_DIR BUILD_DIR
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
source=$1
BUILD=$2
export BUILD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/mine"
echo precious >"$work/mine/file"
echo precious >"$work/file"

# refuse WHAT COMMAND...: it ends with an error that says WHAT.
refuse() {
  what=$1
  shift
  if "$@" >"$work/output" 2>&1; then
    echo "not refused: $*"
    exit 1
  fi
  grep -q "$what" "$work/output" || {
    cat "$work/output"
    exit 1
  }
}
refuse "has files in it" "$source/scripts/site.sh" "$work/mine"
refuse "is no folder" "$source/scripts/site.sh" "$work/file"
refuse "has files in it" "$source/integration/run-on-device" --pack "$work/mine"
refuse "is no folder" "$source/integration/run-on-device" --pack "$work/file"
BUILD=$work/mine
refuse "is missing; build everything with: cmake --build" \
  "$source/integration/run-on-device" --pack "$work/new"
grep -q precious "$work/mine/file"
grep -q precious "$work/file"
[ ! -e "$work/new" ]
