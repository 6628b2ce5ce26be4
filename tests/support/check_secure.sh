#!/bin/sh
# A program that runs with the rights of another user than its caller (set-uid) takes
# nothing from the environment: it writes no file and loads no library that a variable
# names. The same program, called by its owner, does both.
#
#   check_secure.sh OPT PROGRAM.mlir WORK_DIR
#
# CC names the C compiler. Exit status 77 where such a program cannot be made.
#
# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu
opt=$1
program=$2
work=$3
skip() {
  echo "skipped: $*"
  exit 77
}
fail() {
  echo "failed: $*"
  exit 1
}
[ "$(id -u)" = 0 ] || skip "only root makes a program of another user's"
command -v setpriv >/dev/null || skip "setpriv (package util-linux) is not installed"
rm -rf "$work"
mkdir -p "$work"

cat >"$work/secure.c" <<'C'
#include <sys/auxv.h>
int main(void) { return getauxval(AT_SECURE) ? 0 : 1; }
C
cat >"$work/tool.c" <<'C'
#include <unistd.h>
__attribute__((constructor)) static void load(void) {
  (void)!write(1, "injected\n", 9);
}
C
${CC:-cc} "$work/secure.c" -o "$work/secure"
${CC:-cc} -shared -fPIC "$work/tool.c" -o "$work/tool.so"
"$opt" --emit=exe --runtime=static "$program" -o "$work/program"
chmod 755 "$work"
chmod 4755 "$work/secure" "$work/program"

as_nobody() { setpriv --reuid 65534 --clear-groups "$@"; }
# By way of another program: setpriv itself may pass folders that nobody may.
as_nobody env "$work/secure" 2>/dev/null ||
  skip "set-uid programs do not work in $work"

# run COMMAND...: the program, with variables that write and load.
run() {
  echo precious >"$work/run.trace"
  "$@" env ASYNC_GPU_DEVICE=emu ASYNC_GPU_TRACE="$work/run.trace" \
    NVTX_INJECTION64_PATH="$work/tool.so" "$work/program" >"$work/output" 2>&1 ||
    fail "the program: $(cat "$work/output")"
}
run sh -c 'exec "$@"' sh
grep -q precious "$work/run.trace" && fail "its owner gets no trace"
grep -q injected "$work/output" || fail "its owner's tool is not loaded"
run as_nobody
grep -q precious "$work/run.trace" || fail "a trace was written for another user"
grep -q injected "$work/output" && fail "another user's tool was loaded"
ls "$work"/*.tmp 2>/dev/null && fail "a temporary file was written"
echo passed
