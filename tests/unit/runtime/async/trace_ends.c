//===- trace_ends.c - Programs that end in different ways, traced ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tests/support/check_trace_ends.py runs: a hundred regions, one that will
// never run, and then the end that the argument names.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mlir_async_runtime.h"
#include "async_gpu/object.h"
#include "async_gpu/runtime.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void finish(void *token) { mlirAsyncRuntimeEmplaceToken(token); }

static void never(void *unused) { (void)unused; }

static void run_regions(int count) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(count);
  for (int i = 0; i < count; ++i) {
    agpu_object *token = mlirAsyncRuntimeCreateToken();
    mlirAsyncRuntimeAddTokenToGroup(token, group);
    mlirAsyncRuntimeExecute(token, finish);
    mlirAsyncRuntimeDropRef(token, 1);
  }
  mlirAsyncRuntimeAwaitAllInGroup(group);
  mlirAsyncRuntimeDropRef(group, 1);
}

static volatile sig_atomic_t handled;

static void handle(int number) { handled = number; }

static void wait_for_signal(void) {
  puts("ready");
  (void)fflush(stdout);
  while (!handled)
    (void)usleep(1000);
}

int main(int argc, char **argv) {
  const char *end = argc > 1 ? argv[1] : "return";
  if (strcmp(end, "handled") == 0)
    (void)signal(SIGINT, handle);
  if (argc > 2) {
    agpu_status status = agpu_runtime_set_trace(argv[2]);
    if (status) {
      (void)fprintf(stderr, "%s\n", agpu_status_get_message(status));
      agpu_status_release(status);
      return 3;
    }
  }
  run_regions(100);
  (void)printf("output of the program\n");
  if (strcmp(end, "waits") == 0) {
    agpu_object *token = mlirAsyncRuntimeCreateToken();
    mlirAsyncRuntimeAwaitTokenAndExecute(token, token, never);
    wait_for_signal();
  } else if (strcmp(end, "handled") == 0) {
    // Only a program's own handler is in front of the trace's. What ends while
    // the trace is written is not in it: so nothing does.
    agpu_status_release(agpu_runtime_shutdown());
    wait_for_signal();
    run_regions(50);
  } else if (strcmp(end, "exit") == 0) {
    exit(5);
  } else if (strcmp(end, "abort") == 0) {
    (void)fflush(stdout);
    abort();
  } else if (strcmp(end, "error") == 0) {
    agpu_object *token = mlirAsyncRuntimeCreateToken();
    agpu_object_set_error(token, "that failed", "here.mlir:1:2");
    agpu_object_await(token, "there.mlir:3:4");
  } else if (strcmp(end, "fork") == 0) {
    (void)fflush(stdout);
    pid_t child = fork();
    run_regions(10);
    if (child == 0)
      exit(0);
    int status;
    (void)waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }
  return 0;
}
