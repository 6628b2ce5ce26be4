//===- progress.c - What the compiler is at -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler is at, for the message of a crash: one text for each
// thread, read by a signal handler of that same thread.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/progress.h"

#include <string.h>

const char agpu__progress_program[] = "the program ran";

// Volatile: what reads them is a signal handler of the same thread.
static _Thread_local const char *volatile current;
static _Thread_local const char *volatile current_detail;
static _Thread_local const char *volatile current_op;

const char *agpu__progress_get(void) { return current; }
const char *agpu__progress_get_pass(void) {
  static const char prefix[] = AGPU__PROGRESS_PASS;
  const char *what = current;
  return what && strncmp(what, prefix, sizeof(prefix) - 1) == 0
             ? what + sizeof(prefix) - 1
             : NULL;
}
const char *agpu__progress_get_detail(void) { return current_detail; }
const char *agpu__progress_get_op(void) { return current_op; }

const char *agpu__progress_set(const char *what) {
  const char *before = current;
  current_detail = current_op = 0;
  current = what;
  return before;
}

void agpu__progress_set_detail(const char *detail) { current_detail = detail; }
void agpu__progress_set_op(const char *op) { current_op = op; }
