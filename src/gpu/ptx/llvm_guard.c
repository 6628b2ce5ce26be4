//===- llvm_guard.c - Fatal errors of LLVM as messages --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM calls a handler, which must not return, before it ends the process.
// While a guarded call runs, that handler jumps back to it. One lock makes the
// handler, of which LLVM has one for the process, that of one guarded call at a
// time.
//
//===----------------------------------------------------------------------===//

#include "gpu/ptx/ptx.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

/// Where the guarded call of this thread goes on after a fatal error.
typedef struct landing {
  jmp_buf place;
  agpu__text *error;
} landing;

static _Thread_local landing *current;

// The handler is the process's, so that one guarded call at a time owns it.
static pthread_mutex_t handler_lock = PTHREAD_MUTEX_INITIALIZER;

/// What holds outside of guarded calls, or NULL: LLVM does not tell. Under the
/// lock.
static LLVMFatalErrorHandler outer_handler;

/// Leaves LLVM's frames behind, as LLVM's own CrashRecoveryContext does (the C
/// API does not offer it). LLVM holds no lock while it calls the handler.
static void handle_fatal_error(const char *reason) {
  if (!current) {
    // Another thread, outside any guard: what the program wants, or LLVM does
    // without a handler. Without the lock, which the guarded thread holds, and
    // under which `outer_handler` does not change.
    if (outer_handler)
      outer_handler(reason);
    fprintf(stderr, "LLVM ERROR: %s\n", reason);
    abort();
  }
  agpu__text_puts(current->error, reason);
  longjmp(current->place, 1);
}

/// Under the lock. An LLVM with assertions takes one only where none is.
static void install(LLVMFatalErrorHandler handler) {
  LLVMResetFatalErrorHandler();
  if (handler)
    LLVMInstallFatalErrorHandler(handler);
}

void agpu__llvm_on_fatal_error(LLVMFatalErrorHandler handler) {
  pthread_mutex_lock(&handler_lock);
  outer_handler = handler;
  install(handler);
  pthread_mutex_unlock(&handler_lock);
}

bool agpu__llvm_guard(void (*body)(void *data), void *data, agpu__text *error) {
  landing here;
  here.error = error;
  pthread_mutex_lock(&handler_lock);
  install(handle_fatal_error);
  current = &here;
  volatile bool completed = false;
  if (setjmp(here.place) == 0) {
    body(data);
    completed = true;
  }
  current = NULL;
  install(outer_handler);
  pthread_mutex_unlock(&handler_lock);
  return completed;
}
