#!/bin/sh
# Fetches Task Bench into a folder that does not exist, at the revision of task_bench.tsv.
#
#   tests/suites/fetch_task_bench.sh FOLDER
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
[ $# = 1 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2; }
revision=bf4ad1982d4b748bf3fd54e8239e798114e6ade8
git init -q "$1"
git -C "$1" fetch -q --depth 1 https://github.com/StanfordLegion/task-bench "$revision"
git -C "$1" checkout -q FETCH_HEAD
