//===- signals.c - Traces of programs that a signal ends ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A signal that is ignored stays so. One that has a handler goes to that once
// the trace is written; should the program run on, so does the trace, and is
// written again. One that has none ends the process as it would have.
//
//===----------------------------------------------------------------------===//

#include "base/trace/session.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGABRT};
static const char *const reasons[] = {"signal SIGINT", "signal SIGTERM",
                                      "signal SIGHUP", "signal SIGABRT"};

#define COUNT (sizeof(numbers) / sizeof(numbers[0]))

/// Who handled them.
static struct sigaction before[COUNT];

static void handle(int number, siginfo_t *info, void *context) {
  int error = errno;
  size_t index = 0;
  while (numbers[index] != number)
    ++index;
  (void)agpu__trace_finish(reasons[index], /*in_signal=*/true);
  if (before[index].sa_flags & SA_SIGINFO) {
    before[index].sa_sigaction(number, info, context);
  } else if (before[index].sa_handler != SIG_DFL) {
    before[index].sa_handler(number);
  } else {
    // It comes once more when this has returned.
    (void)sigaction(number, &before[index], NULL);
    (void)raise(number);
    errno = error;
    return;
  }
  agpu__trace_resume();
  errno = error;
}

void agpu__trace_signals_begin(void) {
  for (size_t i = 0; i < COUNT; ++i) {
    if (sigaction(numbers[i], NULL, &before[i]) != 0 ||
        (!(before[i].sa_flags & SA_SIGINFO) && before[i].sa_handler == SIG_IGN))
      continue;
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = handle;
    (void)sigaction(numbers[i], &action, NULL);
  }
}
