#!/bin/sh
# Runs the tests. On a machine that has none of what that takes, it first
# installs the packages and builds async-gpu.
#
#   scripts/test.sh [options of ctest]
#   scripts/test.sh -L unit               one label: unit, lit, integration
#   scripts/test.sh -R fork_join          tests by name
#   ASYNC_GPU_PRESET=tsan scripts/test.sh
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
. "$root/scripts/lib/setup.sh"

# Not after minutes of installing and building. (CTest itself may not be there yet.)
for option; do
  case $option in
  -[RELCDIOMTSA] | -LE | -F[ASC] | -[NQUVFH] | -VV | -j* | -W | [!-]*) ;;
  --parallel* | --progress | --verbose | --extra-verbose | --debug | --quiet) ;;
  --output-on-failure | --output-log* | --output-junit* | --test-output-*) ;;
  --stop-on-failure | --rerun-failed | --repeat* | --schedule-random) ;;
  --timeout* | --stop-time* | --test-load* | --show-only* | --print-labels) ;;
  --tests-regex* | --exclude-regex* | --label-regex* | --label-exclude*) ;;
  --fixture-exclude-* | --tests-information* | --union | --max-width*) ;;
  --no-label-summary | --no-subproject-summary | --no-tests* | --build-config*) ;;
  --resource-spec-file* | --force-new-ctest-process | --interactive-debug-mode*) ;;
  *) die "'$option' is no option of ctest, which runs the tests" \
    "usage: scripts/test.sh [options of ctest], such as -L unit or -R fork_join" ;;
  esac
done

choose_preset
# shellcheck disable=SC2086
ensure_packages $build_packages $test_packages
# shellcheck disable=SC2086,SC2154
lacking=$(list_missing $mpi_packages $cross_packages)
# In a shell of its own, which ends where they cannot be had.
# shellcheck disable=SC2086
(ensure_packages $mpi_packages) ||
  say "going on without MPI: tests of several ranks are left out"
# shellcheck disable=SC2086,SC2154
(ensure_packages $cross_packages) ||
  say "going on without a cross compiler and QEMU: nothing is run for 64-bit ARM"
# A browser is large: only where everything has to pass.
# shellcheck disable=SC2086,SC2154
[ "$preset" != ci ] || (ensure_packages $browser_packages) ||
  say "going on without a browser: what async-gpu-report's page shows is not tested"
# A build configured without them looks for them again: its rules count as old.
if [ -n "$lacking" ] && [ -f "$build_dir/build.ninja" ]; then
  touch -d @1 "$build_dir/build.ninja"
fi
# shellcheck disable=SC2119
build
say "testing $build_dir"
# Why tests were skipped stands in front of the summary. A pipe has the status of its
# last command.
exec 5>&1
status=$({
  {
    ctest --test-dir "$build_dir" --output-on-failure --no-tests=error \
      --parallel "$(nproc)" "$@" 2>&1 3>&- 5>&- &&
      echo 0 >&3 || echo $? >&3
  } | python3 "$root/tests/support/tell_skipped.py" "$build_dir" >&5 3>&-
} 3>&1)
exit "$status"
