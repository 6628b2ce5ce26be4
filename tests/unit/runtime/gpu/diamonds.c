//===- diamonds.c - Regions that depend on each other, in number ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A diamond of four regions on four streams, without atomics: right only if
// every dependency holds. Many threads at once, more loans than streams, random
// schedules.
//
//===----------------------------------------------------------------------===//

#include "support.h"

#include <pthread.h>

enum { THREADS = 3, ROUNDS = 60 };

static agpu_object *finish(agpu_stream *stream) {
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  agpu_object_set_enqueued(token, stream);
  agpu_stream_release(stream);
  return token;
}

static void *run_diamonds(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; ++i) {
    int64_t start = i, result = -1;
    agpu_stream *top = agpu_stream_acquire(NULL);
    char *cells = agpu_alloc(top, 4 * 8, false, NULL);
    agpu_memset(top, cells, 0, 8, 4, NULL);
    agpu_memcpy(top, cells, &start, 8, NULL);
    launch_increment(top, cells); // i + 1
    agpu_object *top_done = finish(top);

    agpu_stream *left = agpu_stream_acquire(NULL);
    agpu_stream_wait(left, top_done);
    launch_add(left, cells + 8, cells, cells); // 2 (i + 1)
    agpu_object *left_done = finish(left);

    agpu_stream *right = agpu_stream_acquire(NULL);
    agpu_stream_wait(right, top_done);
    launch_add(right, cells + 16, cells, cells);
    launch_increment(right, cells + 16); // 2 (i + 1) + 1
    agpu_object *right_done = finish(right);

    agpu_stream *bottom = agpu_stream_acquire(NULL);
    agpu_stream_wait(bottom, left_done);
    agpu_stream_wait(bottom, right_done);
    launch_add(bottom, cells + 24, cells + 8, cells + 16);
    agpu_memcpy(bottom, &result, cells + 24, 8, NULL);
    agpu_dealloc(bottom, cells, NULL);
    agpu_object *bottom_done = finish(bottom);

    mlirAsyncRuntimeDropRef(top_done, 1);
    mlirAsyncRuntimeDropRef(left_done, 1);
    mlirAsyncRuntimeDropRef(right_done, 1);
    await_and_drop(bottom_done);
    CHECK_EQ(result, 4 * (i + 1) + 1);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, run_diamonds, NULL) == 0);
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
  check_end();
  return 0;
}
