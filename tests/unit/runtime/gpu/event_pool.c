//===- event_pool.c - The pool of events grows and shrinks ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support.h"

enum { MANY = 500, ROUNDS = 14000 };

static int count_alive(void) {
  return log_count("cuEventCreate(") - log_count("cuEventDestroy(");
}

/// Tokens at once, each behind an event of its own.
static void hold_events(agpu_stream *stream, int count) {
  static agpu_object *tokens[MANY];
  int64_t *cell = agpu_alloc(stream, 8, false, NULL);
  for (int i = 0; i < count; ++i) {
    agpu_memset(stream, cell, 0, 8, 1, NULL);
    tokens[i] = agpu_stream_record(stream);
  }
  agpu_dealloc(stream, cell, NULL);
  for (int i = 0; i < count; ++i)
    mlirAsyncRuntimeDropRef(tokens[i], 1);
}

int main(void) {
  log_begin();
  agpu_stream *stream = agpu_stream_acquire(NULL);
  // One event for who needs one.
  hold_events(stream, 1);
  CHECK_EQ(count_alive(), 1);
  hold_events(stream, MANY);
  int most = count_alive();
  CHECK(most >= MANY && most <= 3 * MANY);
  // The same again asks for no more.
  for (int i = 0; i < 3; ++i)
    hold_events(stream, MANY);
  CHECK_EQ(count_alive(), most);
  // A program that needs one event at a time from then on keeps a few.
  for (int i = 0; i < ROUNDS; ++i)
    hold_events(stream, 1);
  CHECK(count_alive() <= 32);
  int created = log_count("cuEventCreate(");
  for (int i = 0; i < ROUNDS; ++i)
    hold_events(stream, 1);
  CHECK_EQ(log_count("cuEventCreate("), created);
  agpu_stream_release(stream);
  check_end();
  CHECK_EQ(count_alive(), 0);
  return 0;
}
