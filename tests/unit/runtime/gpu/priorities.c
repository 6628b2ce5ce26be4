//===- priorities.c - Streams of regions that are urgent ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "async/object.h"
#include "gpu/calls/loan.h"
#include "support.h"

static int64_t cells[32];
static int used;

/// A loan of that priority that has enqueued something.
static agpu_stream *acquire(int32_t priority) {
  agpu_stream *loan = agpu_stream_acquire(NULL);
  agpu_stream_set_priority(loan, priority);
  launch_increment(loan, &cells[used++]);
  return loan;
}

static int count_created(const char *priority) {
  char text[64];
  (void)snprintf(text, sizeof text, "flags=1, priority=%s)", priority);
  return log_count(text);
}

/// Each priority has as many streams as there may be, before any is shared.
static void check_pools(void) {
  static const int32_t priorities[] = {0, -2, -5};
  agpu_stream *loans[9];
  for (int i = 0; i < 9; ++i) {
    loans[i] = acquire(priorities[i / 3]);
    CHECK_EQ(loans[i]->stream->level->priority, priorities[i / 3]);
  }
  for (int i = 0; i < 9; i += 3) {
    CHECK(loans[i]->stream != loans[i + 1]->stream);
    CHECK(loans[i + 2]->stream == loans[i]->stream ||
          loans[i + 2]->stream == loans[i + 1]->stream);
  }
  CHECK_EQ(log_count("cuStreamCreate("), 2);
  CHECK_EQ(count_created("-2"), 2);
  CHECK_EQ(count_created("-5"), 2);
  for (int i = 0; i < 9; ++i)
    agpu_stream_release(loans[i]);
  // They are found again.
  agpu_stream *again = acquire(-2);
  CHECK_EQ(again->stream->level->priority, -2);
  agpu_stream_release(again);
  CHECK_EQ(log_count("cuStreamCreateWithPriority("), 4);
}

/// What no device has: the default, and the most urgent there is.
static void check_clamped(void) {
  agpu_stream *low = acquire(INT32_MAX), *high = acquire(INT32_MIN);
  CHECK_EQ(low->stream->level->priority, 0);
  CHECK_EQ(high->stream->level->priority, AGPU__GREATEST_PRIORITY);
  agpu_stream_release(low);
  agpu_stream_release(high);
}

/// The region that goes on with what one of priority -2 did: on its stream only
/// where it has that priority, too.
static void check_continue(int32_t priority, bool is_same) {
  agpu_stream *before = acquire(-2), *next = agpu_stream_acquire(NULL);
  agpu__pool_stream *stream = before->stream;
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  agpu_object_set_enqueued(token, before);
  agpu_stream_release(before);
  agpu_stream_set_priority(next, priority);
  int waits = log_count("cuStreamWaitEvent(");
  agpu_stream_continue(next, token, false);
  launch_increment(next, &cells[used++]);
  CHECK_EQ(next->stream == stream, is_same);
  CHECK_EQ(next->stream->level->priority, priority);
  // Where it is over by then, nobody waits.
  CHECK(log_count("cuStreamWaitEvent(") - waits <= !is_same);
  agpu_stream_release(next);
  mlirAsyncRuntimeDropRef(token, 1);
}

/// A driver with too little for such a stream has another one.
static void check_out_of_memory(void) {
  agpu_stream *loan = acquire(-2);
  CHECK(!loan->error);
  CHECK_EQ(loan->stream->level->priority, 0);
  agpu_stream_release(loan);
}

int main(void) {
  if (getenv("ASYNC_GPU_EMU_FAULT")) {
    check_out_of_memory();
    check_end();
    return 0;
  }
  log_begin();
  check_pools();
  check_clamped();
  check_continue(-2, true);
  check_continue(-1, false);
  check_continue(0, false);
  check_end();
  return 0;
}
