//===- abort.c - Programs that abort say why ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As MLIR's own lowering of an await does: the runtime is asked whether the
// object is in error, and then abort() is called. Each case is a process.
//
//===----------------------------------------------------------------------===//

#include "child.h"
#include "helpers.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#define AWAITED "note: the program awaited this, and calls abort()\n"

/// A token that failed, and that the program has asked about.
static void await_failed(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  agpu_object_set_error(token, "out of luck", "a.mlir:1:2");
  mlirAsyncRuntimeAwaitToken(token);
  CHECK(mlirAsyncRuntimeIsTokenError(token));
  mlirAsyncRuntimeDropRef(token, 1);
}

static void abort_at_await(void) {
  await_failed();
  abort();
}

static void abort_at_second_await(void) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeSetTokenError(token);
  CHECK(mlirAsyncRuntimeIsTokenError(token));
  await_failed();
  abort();
}

static void abort_at_overfull_group(void) {
  agpu_object *group = mlirAsyncRuntimeCreateGroup(1);
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeAddTokenToGroup(token, group);
  mlirAsyncRuntimeAddTokenToGroup(token, group);
  mlirAsyncRuntimeEmplaceToken(token);
  mlirAsyncRuntimeAwaitAllInGroup(group);
  CHECK(mlirAsyncRuntimeIsGroupError(group));
  abort();
}

/// The error has been dealt with.
static void abort_later(void) {
  await_failed();
  mlirAsyncRuntimeDropRef(mlirAsyncRuntimeCreateToken(), 2);
  abort();
}

static void be_killed(void) {
  await_failed();
  raise(SIGABRT);
  printf("not killed\n");
}

static void say_so(int number) {
  (void)number;
  static const char text[] = "the program's handler\n";
  (void)!write(STDERR_FILENO, text, strlen(text));
}

static void abort_with_a_handler(void) {
  CHECK(signal(SIGABRT, say_so) != SIG_ERR);
  abort_at_await();
}

static void say_more(int number, siginfo_t *info, void *context) {
  (void)context;
  CHECK_EQ(info->si_signo, number);
  say_so(number);
}

static void abort_with_another_handler(void) {
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  action.sa_sigaction = say_more;
  CHECK(sigaction(SIGABRT, &action, NULL) == 0);
  abort_at_await();
}

static void check_aborts(void (*body)(void), const char *expected) {
  char text[1024];
  int status = child_run(body, text, sizeof(text));
  CHECK_STR(text, expected);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void) {
  static const char said[] = "a.mlir:1:2: error: out of luck\n" AWAITED;
  check_aborts(abort_at_await, said);
  check_aborts(abort_at_second_await, said);
  check_aborts(abort_at_overfull_group,
               "error: a group created for 1 members was given 2\n" AWAITED);
  check_aborts(abort_later, "");
  check_aborts(be_killed, said);
  char both[256];
  snprintf(both, sizeof(both), "%sthe program's handler\n", said);
  check_aborts(abort_with_a_handler, both);
  check_aborts(abort_with_another_handler, both);
  return 0;
}
