//===- thread.c - Own threads are told from others ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/os/thread.h"
#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef __SANITIZE_THREAD__ // which has a thread of its own

static pthread_barrier_t begun, end;

static void *wait_for_the_end(void *blocked) {
  pthread_sigmask(SIG_SETMASK, NULL, blocked);
  CHECK(!agpu__thread_is_main());
  pthread_barrier_wait(&begun);
  pthread_barrier_wait(&end);
  return blocked;
}

static void *wait_named(void *name) {
  pthread_setname_np(pthread_self(), name);
  pthread_barrier_wait(&begun);
  pthread_barrier_wait(&end);
  return NULL;
}

/// A thread that has ended may be in the list of the system for a moment.
static void check_becomes(bool expected) {
  for (int i = 0; i < 10000 && agpu__thread_only_known() != expected; ++i)
    usleep(100);
  CHECK(agpu__thread_only_known() == expected);
}

static void join(pthread_t thread) {
  pthread_barrier_wait(&end);
  pthread_join(thread, NULL);
}

static void test_own_threads_are_known(void) {
  pthread_t thread;
  sigset_t blocked;
  CHECK(agpu__thread_create(&thread, "own", wait_for_the_end, &blocked) == 0);
  pthread_barrier_wait(&begun);
  // Of the process: the program's threads take them.
  CHECK(sigismember(&blocked, SIGINT) == 1);
  CHECK(sigismember(&blocked, SIGCHLD) == 1);
  // What the thread itself raises, and what profilers need.
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGTRAP,
                            SIGABRT, SIGSYS, SIGPIPE, SIGXFSZ, SIGPROF};
  for (size_t i = 0; i < sizeof(own) / sizeof(*own); ++i)
    CHECK(sigismember(&blocked, own[i]) == 0);
  char name[16];
  CHECK(pthread_getname_np(thread, name, sizeof(name)) == 0);
  CHECK_STR(name, "own");
  CHECK(agpu__thread_only_known());
  join(thread);
  check_becomes(true);
}

static void *get_signal_stack(void *stack) {
  CHECK(sigaltstack(NULL, stack) == 0);
  return NULL;
}

static void ignore(int number) { (void)number; }

typedef int create(pthread_t *out_thread, const char *name,
                   void *(*run)(void *), void *argument);

/// Whether a new thread has a stack for signals, which goes with it.
static bool has_signal_stack(create *of) {
  pthread_t thread;
  stack_t stack;
  CHECK(of(&thread, "own", get_signal_stack, &stack) == 0);
  pthread_join(thread, NULL);
  bool has_one = !(stack.ss_flags & SS_DISABLE);
  if (has_one) {
    CHECK(stack.ss_size >= 64 << 10);
    CHECK(msync(stack.ss_sp, 1, MS_ASYNC) != 0 && errno == ENOMEM);
  }
  return has_one;
}

static void test_handlers_have_a_stack_where_they_want_one(void) {
  struct sigaction before, handler = {.sa_handler = ignore};
  CHECK(sigaction(SIGSEGV, &handler, &before) == 0);
#ifndef __SANITIZE_ADDRESS__ // which gives each thread one of its own
  CHECK(!has_signal_stack(agpu__thread_create));
#endif
  handler.sa_flags = (int)SA_ONSTACK;
  CHECK(sigaction(SIGSEGV, &handler, NULL) == 0);
  CHECK(has_signal_stack(agpu__thread_create));
  CHECK(has_signal_stack(agpu__thread_create_driver));
  CHECK(sigaction(SIGSEGV, &before, NULL) == 0);
}

static void test_others_are_not(void) {
  pthread_t thread;
  char name[] = "stranger";
  CHECK(pthread_create(&thread, NULL, wait_named, name) == 0);
  pthread_barrier_wait(&begun);
  CHECK(!agpu__thread_only_known());
  join(thread);
  check_becomes(true);
}

static void test_harmless_threads_are(void) {
  pthread_t thread;
  char name[] = "llvm-worker-0";
  CHECK(pthread_create(&thread, NULL, wait_named, name) == 0);
  pthread_barrier_wait(&begun);
  CHECK(agpu__thread_only_known());
  join(thread);
  check_becomes(true);
}

static bool another_user_has_come;

static bool is_shared(void) { return another_user_has_come; }

static void test_the_drivers_are_while_it_is_the_runtimes_alone(void) {
  pthread_t thread;
  char name[] = "cuda-EvtHandlr";
  CHECK(pthread_create(&thread, NULL, wait_named, name) == 0);
  pthread_barrier_wait(&begun);
  CHECK(!agpu__thread_only_known());
  agpu__thread_trust_driver(is_shared);
  CHECK(agpu__thread_only_known());
  another_user_has_come = true;
  CHECK(!agpu__thread_only_known());
  another_user_has_come = false;
  agpu__thread_trust_driver(is_shared); // someone still uses it
  CHECK(!agpu__thread_only_known());
  join(thread);
}

#endif

int main(void) {
  CHECK(agpu__thread_is_main());
#ifndef __SANITIZE_THREAD__
  pthread_barrier_init(&begun, NULL, 2);
  pthread_barrier_init(&end, NULL, 2);
  test_own_threads_are_known();
  test_handlers_have_a_stack_where_they_want_one();
  test_others_are_not();
  test_harmless_threads_are();
  test_the_drivers_are_while_it_is_the_runtimes_alone();
#endif
  return 0;
}
