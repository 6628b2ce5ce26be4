//===- stream_order.c - Which streams wait for which ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "async/object.h"
#include "gpu/calls/loan.h"
#include "support.h"

/// Nothing orders the work of these tests, so each has a place of its own.
static int64_t cells[64];
static int used;

static void work(agpu_stream *stream) {
  CHECK(used < 64);
  launch_increment(stream, &cells[used++]);
}

static agpu_stream *acquire(void) { return agpu_stream_acquire(NULL); }

/// The end of a region that enqueues something more on `stream`.
static agpu_object *end_region(agpu_stream *stream) {
  work(stream);
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  agpu_object_set_enqueued(token, stream);
  agpu_stream_release(stream);
  return token;
}

static void drop(agpu_object *token) { mlirAsyncRuntimeDropRef(token, 1); }

static int count_waits(void) { return log_count("cuStreamWaitEvent("); }
static int count_records(void) { return log_count("cuEventRecord("); }

/// What nobody asks for is not recorded, and what never starts needs no stream.
static void check_nothing(void) {
  int records = count_records();
  drop(end_region(acquire()));
  CHECK_EQ(count_records(), records);

  int streams = log_count("cuStreamCreate(");
  agpu_stream *unused = acquire();
  agpu_object *now = agpu_stream_record(unused);
  CHECK(agpu_object_is_ready(now));
  agpu_object *end = mlirAsyncRuntimeCreateToken();
  agpu_object_set_enqueued(end, unused);
  CHECK(agpu_object_is_ready(end));
  agpu_stream_release(unused);
  drop(now);
  drop(end);
  CHECK_EQ(log_count("cuStreamCreate("), streams);

  // Nor does what only waits for one thing: its end is that one's.
  agpu_object *token = end_region(acquire());
  streams = log_count("cuStreamCreate(");
  unused = acquire();
  agpu_stream_wait(unused, token);
  end = mlirAsyncRuntimeCreateToken();
  agpu_object_set_enqueued(end, unused);
  agpu_stream_release(unused);
  CHECK_EQ(log_count("cuStreamCreate("), streams);
  await_and_drop(end);
  drop(token);
}

/// A chain of regions stays on one stream and needs no event.
static void check_chain(void) {
  int records = count_records(), waits = count_waits();
  agpu_object *token = end_region(acquire());
  const agpu__pool_stream *first = NULL;
  for (int i = 0; i < 10; ++i) {
    agpu_stream *next = acquire();
    agpu_stream_continue(next, token, true);
    drop(token);
    if (!first)
      first = next->stream;
    CHECK(next->stream == first);
    token = end_region(next);
  }
  CHECK_EQ(count_records(), records);
  CHECK_EQ(count_waits(), waits);
  await_and_drop(token);
  CHECK_EQ(count_records(), records + 1);
}

/// Where someone else may wait for the end of the region, it is recorded before
/// anything comes behind.
static void check_not_last(void) {
  int records = count_records();
  agpu_object *token = end_region(acquire());
  agpu_stream *next = acquire();
  agpu_stream_continue(next, token, false);
  CHECK_EQ(count_records(), records + 1);
  drop(token);
  await_and_drop(end_region(next));

  // A token that is known to have no other holder, and has one all the same.
  token = end_region(acquire());
  records = count_records();
  agpu__event *held =
      agpu__event_retain(agpu__event_from_work(agpu__object_get_work(token)));
  next = acquire();
  agpu_stream_continue(next, token, true);
  CHECK_EQ(count_records(), records + 1);
  agpu__event_release(held);
  drop(token);
  drop(end_region(next));
}

/// Who comes second, or comes before the end, gets a stream of its own.
static void check_fork(void) {
  agpu_object *token = end_region(acquire());
  agpu_stream *one = acquire(), *two = acquire();
  int waits = count_waits();
  agpu_stream_continue(one, token, false);
  CHECK_EQ(count_waits(), waits);
  agpu_stream_continue(two, token, false);
  CHECK_EQ(count_waits(), waits);
  work(two);
  CHECK_EQ(count_waits(), waits + 1);
  CHECK(one->stream != two->stream);
  drop(token);

  token = agpu_stream_record(one); // goes on
  agpu_stream *three = acquire();
  agpu_stream_continue(three, token, false);
  work(three);
  CHECK(three->stream && three->stream != one->stream);
  CHECK_EQ(count_waits(), waits + 2);
  drop(token);

  // What was waited for before does not keep it from going on there.
  token = end_region(acquire());
  agpu_object *other = agpu_stream_record(one);
  agpu_stream *four = acquire();
  waits = count_waits();
  agpu_stream_wait(four, other);
  CHECK(!four->stream);
  agpu_stream_continue(four, token, true);
  CHECK(four->stream && four->stream != one->stream);
  CHECK_EQ(count_waits(), waits + 1);
  drop(token);
  drop(other);
  drop(end_region(four));
  waits = count_waits() - 2;

  // Work on a stream of its own cannot move to another.
  token = end_region(one);
  const agpu__pool_stream *own = two->stream;
  agpu_stream_continue(two, token, true);
  CHECK(two->stream == own);
  CHECK_EQ(count_waits(), waits + 3);
  drop(token);
  drop(end_region(two));
  drop(end_region(three));
}

/// A region that is in error takes over nothing and leaves nothing behind.
static void check_error(void) {
  agpu_object *failed = mlirAsyncRuntimeCreateToken();
  agpu_object_set_error(failed, "no", "a.mlir:1:1");
  agpu_stream *next = acquire();
  agpu_stream_continue(next, failed, true);
  work(next);
  CHECK(!next->stream);
  agpu_object *end = agpu_stream_record(next);
  CHECK(agpu_object_is_error(end));
  agpu_stream_release(next);
  CHECK_STR(get_error_and_drop(end), "a.mlir:1:1: no");
  CHECK_STR(get_error_and_drop(failed), "a.mlir:1:1: no");

  agpu_stream *fails = acquire();
  work(fails);
  agpu_stream_fail(fails, "no", "a.mlir:2:1");
  agpu_object *token = mlirAsyncRuntimeCreateToken();
  agpu_object_set_enqueued(token, fails);
  agpu_stream_release(fails);
  next = acquire();
  agpu_stream_continue(next, token, true);
  CHECK(!next->stream);
  end = agpu_stream_record(next);
  agpu_stream_release(next);
  CHECK_STR(get_error_and_drop(end), "a.mlir:2:1: no");
  drop(token);
  // The stream itself is as good as before.
  await_and_drop(end_region(acquire()));
}

/// A wait is not repeated, nor one that another implies.
static void check_implied(void) {
  agpu_stream *a = acquire(), *b = acquire(), *c = acquire();
  int waits = count_waits();
  work(a);
  agpu_object *early = agpu_stream_record(a);
  work(a);
  agpu_object *late = agpu_stream_record(a);
  work(b);
  agpu_object *before = agpu_stream_record(b);

  agpu_stream_wait(b, late);
  agpu_stream_wait(b, late);
  agpu_stream_wait(b, early);
  CHECK_EQ(count_waits(), waits + 1);
  work(b);
  agpu_object *behind = agpu_stream_record(b);

  // What b did before it waited says nothing of a; what it did since does.
  work(c);
  agpu_stream_wait(c, before);
  agpu_stream_wait(c, early);
  CHECK_EQ(count_waits(), waits + 3);
  agpu_stream_wait(c, behind);
  CHECK_EQ(count_waits(), waits + 4);
  agpu_stream_wait(c, late);
  CHECK_EQ(count_waits(), waits + 4);

  // a has gone on since.
  work(a);
  agpu_object *later = agpu_stream_record(a);
  agpu_stream_wait(c, later);
  CHECK_EQ(count_waits(), waits + 5);
  drop(early);
  drop(late);
  drop(before);
  drop(behind);
  drop(later);
  drop(end_region(a));
  drop(end_region(b));
  await_and_drop(end_region(c));
}

int main(void) {
  log_begin();
  // Again after shutdowns: streams of before are none to follow.
  for (int life = 0; life < 3; ++life) {
    used = 0;
    check_nothing();
    check_chain();
    check_not_last();
    check_fork();
    check_error();
    check_implied();
    check_end();
  }
  return 0;
}
