//===- helpers.c - What the tests of objects share ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helpers.h"

#include "child.h"

#include <unistd.h>

static fake_work *as_fake(agpu__work *work) { return (fake_work *)work; }

static void release(agpu__work *work) {
  CHECK(atomic_fetch_sub(&as_fake(work)->references, 1) > 0);
}

static void request(agpu__work *work, agpu_object *object) {
  atomic_store(&as_fake(work)->requested, object);
  atomic_fetch_add(&as_fake(work)->requests, 1);
}

void fake_work_init(fake_work *work) {
  static const agpu__work_ops ops = {.release = release, .request = request};
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
  char text[4096];
  int status = child_exit(body, text, sizeof(text));
  CHECK_STR(text, expected_text);
  CHECK_EQ(status, expected_status);
}
