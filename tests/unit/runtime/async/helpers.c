//===- helpers.c - What the tests of objects share ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helpers.h"

#include <sys/wait.h>
#include <unistd.h>

static fake_work *as_fake(agpu__work *work) { return (fake_work *)work; }

static void retain(agpu__work *work) {
  atomic_fetch_add(&as_fake(work)->references, 1);
}

static void release(agpu__work *work) {
  CHECK(atomic_fetch_sub(&as_fake(work)->references, 1) > 0);
}

static void request(agpu__work *work, agpu_object *object) {
  atomic_store(&as_fake(work)->requested, object);
  atomic_fetch_add(&as_fake(work)->requests, 1);
}

void fake_work_init(fake_work *work) {
  static const agpu__work_ops ops = {retain, release, request};
  work->base.ops = &ops;
  atomic_init(&work->references, 1);
  atomic_init(&work->requests, 0);
  atomic_init(&work->requested, NULL);
}

void fake_work_complete(fake_work *work, agpu_status status) {
  agpu_object *object = atomic_exchange(&work->requested, NULL);
  CHECK(object);
  agpu__object_complete(object, status);
}

void count_up(void *handle) { atomic_fetch_add((atomic_int *)handle, 1); }

void check_reaches(atomic_int *counter, int expected) {
  for (int i = 0; i < 100000 && atomic_load(counter) != expected; ++i)
    usleep(100);
  CHECK_EQ(atomic_load(counter), expected);
}

void check_end(const char *message) {
  agpu_status status = agpu_runtime_shutdown();
  CHECK_STR(agpu_status_get_message(status), message ? message : "ok");
  agpu_status_release(status);
  agpu_runtime_counters counters;
  agpu_runtime_get_counters(&counters);
  CHECK_EQ(counters.tokens, 0);
  CHECK_EQ(counters.values, 0);
  CHECK_EQ(counters.groups, 0);
  CHECK_EQ(counters.frames, 0);
}

void check_child(void (*body)(void), int expected_status,
                 const char *expected_text) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  fflush(NULL);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    body();
    exit(0);
  }
  close(ends[1]);
  char text[4096];
  size_t used = 0;
  ssize_t got;
  while ((got = read(ends[0], text + used, sizeof(text) - used - 1)) > 0)
    used += (size_t)got;
  text[used] = '\0';
  close(ends[0]);
  CHECK_STR(text, expected_text);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK_EQ(WEXITSTATUS(status), expected_status);
}
