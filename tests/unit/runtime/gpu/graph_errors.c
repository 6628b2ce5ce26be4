//===- graph_errors.c - Work of rounds that the driver refuses ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch that is too large is refused when its round is enqueued, after its
// stream was told that it had it. What follows has that error, and no other.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/graph.h"
#include "async_gpu/compiled/mgpu.h"
#include "support.h"

static char *cells;

static void launch_too_large(agpu_stream *stream) {
  agpu_launch(stream, &test_increment, 1, 1, 1, 4096, 1, 1, 0,
              (void *[]){&cells}, "a.mlir:7:3");
}

/// There is an error; drops the caller's reference.
static void check_error(agpu_object *token) {
  mlirAsyncRuntimeAwaitToken(token);
  CHECK(agpu_object_is_error(token));
  mlirAsyncRuntimeDropRef(token, 1);
}

/// It is the launch's.
static void check_refused(agpu_object *token) {
  mlirAsyncRuntimeAddRef(token, 1);
  const char *message = get_error_and_drop(token);
  CHECK(strstr(message, "launch of kernel 'increment'"));
  agpu_status status = agpu_object_get_status(token);
  CHECK_STR(agpu_status_get_location(status), "a.mlir:7:3");
  agpu_status_release(status);
  mlirAsyncRuntimeDropRef(token, 1);
}

/// A round of a loop that continues `token`, which it takes over, or begins
/// something, and may be refused. Returns its own.
static agpu_object *run_region(agpu_object *token, bool is_refused) {
  agpu_stream *of = agpu_graph_stream_acquire(NULL);
  if (token) {
    agpu_stream_wait(of, token);
    mlirAsyncRuntimeDropRef(token, 1);
  }
  if (is_refused)
    launch_too_large(of);
  else
    launch_increment(of, cells);
  token = agpu_stream_record(of);
  agpu_stream_release(of);
  return token;
}

/// Four rounds, of which the first is none of a graph, and the others are too
/// few for one. The last one may be refused, which is seen at the end.
static agpu_object *run_loop(agpu_graph_site *part, agpu_object *token,
                             bool is_refused) {
  agpu_graph_begin(part, NULL);
  for (int i = 0; i < 4; ++i) {
    CHECK(agpu_graph_round(part, NULL));
    token = run_region(token, is_refused && i == 3);
  }
  agpu_graph_end(part, NULL);
  return token;
}

/// A token of work that was refused stays in error, whichever streams the
/// regions after it are on.
static void check_token(bool is_on_other) {
  static agpu_graph_site parts[2] = {{.mode = AGPU_GRAPH_ON, .rounds = 8},
                                     {.mode = AGPU_GRAPH_ON, .rounds = 8}};
  agpu_graph_site *part = &parts[is_on_other];
  agpu_object *token = run_loop(part, NULL, true);
  agpu_graph_begin(part, NULL);
  CHECK(agpu_graph_round(part, NULL));
  agpu_stream *first = is_on_other ? agpu_graph_stream_acquire(NULL) : NULL;
  token = run_region(token, false);
  if (first)
    agpu_stream_release(first);
  agpu_graph_end(part, NULL);
  check_error(token);
}

/// A stream of a round that was refused is as good as new for the next one,
/// also where that is no graph.
static void check_next(void) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON, .rounds = 8};
  check_error(run_loop(&part, NULL, true));
  void *own = mgpuStreamCreate();
  agpu_graph_begin(&part, NULL);
  CHECK(agpu_graph_round(&part, NULL));
  agpu_object *tokens[3];
  agpu_stream *streams[3];
  for (int i = 0; i < 3; ++i)
    streams[i] = agpu_graph_stream_acquire(NULL);
  for (int i = 0; i < 3; ++i) {
    agpu_launch_with(streams[i], &test_increment, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0,
                     own, (void *[]){&cells}, NULL);
    launch_increment(streams[i], cells);
    tokens[i] = agpu_stream_record(streams[i]);
    agpu_stream_release(streams[i]);
  }
  agpu_graph_end(&part, NULL);
  for (int i = 0; i < 3; ++i)
    await_and_drop(tokens[i]);
  mgpuStreamDestroy(own);
}

/// A round that is recorded.
static agpu_stream *begin_round(agpu_graph_site *part) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  for (int i = 0; i < 2; ++i) {
    agpu_graph_begin(part, stream);
    if (i == 0)
      agpu_graph_end(part, stream);
  }
  return stream;
}

static void end_round(agpu_graph_site *part, agpu_stream *stream) {
  agpu_graph_end(part, stream);
  check_refused(agpu_stream_record(stream));
  agpu_stream_release(stream);
}

/// What is enqueued after that has the error of what was refused.
static void check_following(void) {
  static agpu_graph_site part = {.mode = AGPU_GRAPH_ON};
  agpu_stream *stream = begin_round(&part);
  launch_too_large(stream);
  check_error(agpu_stream_record(stream));
  launch_increment(stream, cells);
  end_round(&part, stream);
}

/// A call whose work would follow is not made, or not again.
static void check_call(bool is_captured) {
  static agpu_graph_site parts[2] = {{.mode = AGPU_GRAPH_ON},
                                     {.mode = AGPU_GRAPH_ON}};
  agpu_graph_site *part = &parts[is_captured];
  agpu_stream *stream = begin_round(part);
  launch_too_large(stream);
  if (!is_captured)
    check_error(agpu_stream_record(stream));
  agpu_graph_call call = {.function = part, .mode = 1};
  CHECK_EQ(agpu_graph_call_begin(stream, &call), is_captured);
  if (is_captured) { // a token that somebody has cannot be captured
    launch_increment(agpu_stream_current(), cells);
    agpu_object *token = agpu_stream_record(agpu_stream_current());
    CHECK(!agpu_graph_call_end(stream, &call));
    mlirAsyncRuntimeDropRef(token, 1);
  }
  CHECK(!agpu_stream_current());
  end_round(part, stream);
}

int main(void) {
  agpu_stream *stream = agpu_stream_acquire(NULL);
  cells = agpu_alloc(stream, 64, false, NULL);
  agpu_memset(stream, cells, 0, 8, 8, NULL);
  await_and_drop(agpu_stream_record(stream));
  check_following();
  check_call(false);
  check_call(true);
  check_token(false);
  check_token(true);
  check_next();
  agpu_dealloc(stream, cells, NULL);
  agpu_stream_release(stream);
  // Nobody has been told of the loops' errors but their tokens.
  agpu_status status = agpu_runtime_shutdown();
  CHECK(status);
  CHECK_STR(agpu_status_get_location(status), "a.mlir:7:3");
  agpu_status_release(status);
  return 0;
}
