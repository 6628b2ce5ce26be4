//===- fatal.c - One message, whoever fails -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/report/fatal.h"
#include "base/memory/memory.h"
#include "child.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *fail_in_thread(void *unused) {
  (void)unused;
  agpu__fatal(agpu_status_create(AGPU_STATUS_PROGRAM, "a.mlir:1:2", "bad"),
              "b.mlir:3:4", 1);
}

static void fail_in_eight_threads(void) {
  printf("printed before\n");
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i)
    CHECK(pthread_create(&threads[i], NULL, fail_in_thread, NULL) == 0);
  for (;;)
    pause();
}

static void fail_with_the_awaits_place(void) {
  agpu__fatal(agpu_status_create(AGPU_STATUS_PROGRAM, NULL, "bad"),
              "b.mlir:3:4", 3);
}

static void fail_without_a_place(void) {
  agpu__fatal(agpu_status_create(AGPU_STATUS_PROGRAM, NULL, "bad"), NULL, 1);
}

static void ask_for_too_much(void) {
  (void)agpu__memory_alloc(INT64_MAX, 64, "a value");
}

static void ask_for_less_than_nothing(void) {
  (void)agpu__memory_alloc(-1, 64, "a value");
}

#ifndef __SANITIZE_THREAD__ // whose _exit flushes
/// Nobody reads the pipe that standard output is, and it is full.
static void fail_behind_a_full_pipe(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  CHECK(dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO);
  enum { BYTES = 1 << 20 };
  static char buffer[BYTES];
  CHECK(setvbuf(stdout, buffer, _IOFBF, BYTES) == 0);
  for (int i = 0; i < BYTES / 2; ++i)
    putchar('x');
  fail_without_a_place();
}
#endif

/// Nor what standard error is.
static void fail_where_nobody_reads(void) {
  int ends[2];
  CHECK(pipe2(ends, O_NONBLOCK) == 0);
  char byte = 'x';
  while (write(ends[1], &byte, 1) == 1)
    ;
  CHECK(fcntl(ends[1], F_SETFL, 0) == 0);
  CHECK(dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
  fail_without_a_place();
}

/// As where a call of printf is given memory that it cannot read.
static void fail_while_it_prints(void) {
  printf("printed before\n");
  flockfile(stdout);
  fail_without_a_place();
}

static void fail_without_a_thread(void) {
  pthread_attr_t too_large;
  CHECK(pthread_attr_init(&too_large) == 0);
  CHECK(pthread_attr_setstacksize(&too_large, (size_t)1 << 50) == 0);
  CHECK(pthread_setattr_default_np(&too_large) == 0);
  printf("printed before\n");
  fail_without_a_place();
}

int main(void) {
  char text[4096];
#ifndef __SANITIZE_THREAD__
  CHECK_EQ(child_exit(fail_behind_a_full_pipe, text, sizeof(text)), 1);
  CHECK_STR(text, "error: bad\n");
#endif
  CHECK_EQ(child_exit(fail_where_nobody_reads, text, sizeof(text)), 1);
  CHECK_STR(text, "");
  CHECK_EQ(child_exit(fail_while_it_prints, text, sizeof(text)), 1);
  CHECK_STR(text, "printed before\nerror: bad\n");
  CHECK_EQ(child_exit(fail_without_a_thread, text, sizeof(text)), 1);
  CHECK_STR(text, "printed before\nerror: bad\n");
  CHECK_EQ(child_exit(fail_in_eight_threads, text, sizeof(text)), 1);
  CHECK_STR(text, "printed before\na.mlir:1:2: error: bad\n");
  CHECK_EQ(child_exit(fail_with_the_awaits_place, text, sizeof(text)), 3);
  CHECK_STR(text, "b.mlir:3:4: error: bad\n");
  CHECK_EQ(child_exit(fail_without_a_place, text, sizeof(text)), 1);
  CHECK_STR(text, "error: bad\n");
  CHECK_EQ(child_exit(ask_for_too_much, text, sizeof(text)), 1);
  CHECK(strstr(
      text,
      "error: out of host memory: cannot allocate 9223372036854775807 bytes "
      "for a value\n"));
  CHECK_EQ(child_exit(ask_for_less_than_nothing, text, sizeof(text)), 1);
  CHECK_STR(
      text,
      "error: out of host memory: cannot allocate -1 bytes for a value\n");
  return 0;
}
