//===- abort_cause.c - Why compiled code aborts -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The block of each thread holds a reference to what it was told of last. The
// handler of SIGABRT reads that and calls nothing but write(2) before it passes
// the signal on.
//
//===----------------------------------------------------------------------===//

#include "async/task_error.h"

#include "async/runtime.h"
#include "base/os/write.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

typedef struct line {
  char text[1024];
  size_t size;
} line;

static void add(line *to, const char *text) {
  size_t size = strlen(text);
  size_t room = sizeof(to->text) - to->size;
  if (size > room)
    size = room;
  memcpy(to->text + to->size, text, size);
  to->size += size;
}

/// Only what may be called in a signal handler.
static void print_cause(void) {
  agpu_status cause =
      agpu__self_known ? agpu__self_known->async.abort_cause : NULL;
  if (!cause)
    return;
  line to = {.size = 0};
  const char *location = agpu_status_get_location(cause);
  add(&to, location);
  add(&to, *location ? ": error: " : "error: ");
  add(&to, agpu_status_get_message(cause));
  add(&to, "\nnote: the program awaited this, and calls abort()\n");
  agpu__write_stderr(to.text, to.size);
}

static void handle(int number, siginfo_t *info, void *context) {
  const struct sigaction before = agpu__the_runtime.handler_before;
  print_cause();
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(number, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(number);
  } else if (before.sa_handler == SIG_DFL) {
    // abort() would do the same; others that send the signal would not.
    (void)signal(number, SIG_DFL);
    (void)raise(number);
  }
}

static void start(void) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  action.sa_sigaction = handle;
  (void)sigaction(SIGABRT, &action, &agpu__the_runtime.handler_before);
}

/// The next one, or NULL, in place of the last.
static void replace(agpu_status status) {
  agpu_status last = agpu__self.async.abort_cause;
  agpu__self.async.abort_cause = status;
  agpu_status_release(last);
}

void agpu__abort_cause_forget(void) { replace(NULL); }

void agpu__abort_cause_set(agpu_status status) {
  (void)pthread_once(&agpu__the_runtime.handler_once, start);
  replace(agpu_status_retain(status));
  (void)agpu__self_at_end(AGPU__PART_ABORT_CAUSE, agpu__abort_cause_forget);
}
