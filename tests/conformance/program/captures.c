//===- captures.c - Streams that are captured -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is quoted is the driver's manual at the function that the test is about,
// or the programming guide's section on stream capture.
//
//===----------------------------------------------------------------------===//

#include "program.h"

#include <pthread.h>

#ifdef CUDA_H // which has other parameters for these names
#undef cuStreamUpdateCaptureDependencies
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes,
                                           size_t count, unsigned int flags);
#undef cuStreamGetCaptureInfo_v2
CUresult cuStreamGetCaptureInfo_v2(CUstream stream,
                                   CUstreamCaptureStatus *status,
                                   cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **dependencies,
                                   size_t *count);
#endif

/// What every test has: two streams that the default one leaves alone, one that
/// it does not, an event, and 16 words of memory, which are 0.
typedef struct setting {
  CUstream a, b, blocking;
  CUevent event, other;
  CUdeviceptr words;
} setting;

static CUevent make_event(void) {
  CUevent event;
  CALL(cuEventCreate(&event, 0));
  return event;
}

static setting begin(void) {
  need("cuStreamBeginCapture_v2");
  need("cuThreadExchangeStreamCaptureMode");
  need("cuGraphInstantiateWithFlags");
  CUcontext context;
  CALL(cuDevicePrimaryCtxRetain(&context, 0));
  CALL(cuCtxSetCurrent(context));
  setting s;
  CALL(cuStreamCreate(&s.a, CU_STREAM_NON_BLOCKING));
  CALL(cuStreamCreate(&s.b, CU_STREAM_NON_BLOCKING));
  CALL(cuStreamCreate(&s.blocking, 0));
  s.event = make_event();
  s.other = make_event();
  s.words = make_memory(64);
  CALL(cuMemsetD32Async(s.words, 0, 16, s.a));
  CALL(cuStreamSynchronize(s.a));
  return s;
}

static CUdeviceptr word(const setting *s, unsigned number) {
  return s->words + 4 * (CUdeviceptr)number;
}

/// Puts work on the stream that makes the word `value`.
static void put(const setting *s, unsigned number, unsigned value,
                CUstream stream) {
  CALL(cuMemsetD32Async(word(s, number), value, 1, stream));
}

/// And that copies a word to the next one.
static void move(const setting *s, unsigned number, CUstream stream) {
  CALL(cuMemcpyDtoDAsync(word(s, number + 1), word(s, number), 4, stream));
}

static void expect_word(const setting *s, unsigned number, uint32_t value) {
  uint32_t found = read_word(word(s, number), s->a);
  if (found != value)
    fprintf(stderr, "word %u is %u, not %u\n", number, found, value);
  CHECK(found == value);
}

static void capture(CUstream stream) {
  CALL(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
}

static CUgraph end(CUstream stream) {
  CUgraph graph = NULL;
  CALL(cuStreamEndCapture(stream, &graph));
  CHECK(graph);
  return graph;
}

/// The end of a sequence that has been invalidated: "a NULL graph will be
/// returned".
static void end_invalid(CUstream stream) {
  CUgraph graph = (CUgraph)stream;
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
         cuStreamEndCapture(stream, &graph));
  CHECK(!graph);
}

static CUstreamCaptureStatus status_of(CUstream stream) {
  CUstreamCaptureStatus status;
  CALL(cuStreamIsCapturing(stream, &status));
  return status;
}

static void run(CUgraph graph, CUstream stream) {
  CUgraphExec exec;
  CALL(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CALL(cuGraphLaunch(exec, stream));
  CALL(cuStreamSynchronize(stream));
  CALL(cuGraphExecDestroy(exec));
}

/// "all operations pushed into the stream will not be executed, but will
/// instead be captured into a graph"
void test_capture_makes_a_graph(void) {
  setting s = begin();
  CUfunction increment = make_kernel(0, "increment");
  CUdeviceptr at = word(&s, 1);
  void *params[] = {&at};
  capture(s.a);
  put(&s, 0, 7, s.a);
  move(&s, 0, s.a);
  CALL(cuLaunchKernel(increment, 1, 1, 1, 1, 1, 1, 0, s.a, params, NULL));
  CUgraph graph = end(s.a);
  at = word(&s, 5); // parameters are those of the call
  expect_word(&s, 1, 0);
  run(graph, s.b);
  expect_word(&s, 1, 8);
  put(&s, 1, 0, s.a);
  expect_word(&s, 1, 0);
  run(graph, s.a);
  expect_word(&s, 1, 8);
  CALL(cuGraphDestroy(graph));
}

void test_capture_is_told_of(void) {
  setting s = begin();
  need("cuStreamGetCaptureInfo_v2");
  CUstreamCaptureStatus status;
  cuuint64_t first, second;
  CUgraph graph;
  const CUgraphNode *nodes;
  size_t count;
  CHECK(status_of(s.a) == CU_STREAM_CAPTURE_STATUS_NONE);
  CHECK(status_of(NULL) == CU_STREAM_CAPTURE_STATUS_NONE);
  capture(s.a);
  CHECK(status_of(s.a) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CHECK(status_of(s.b) == CU_STREAM_CAPTURE_STATUS_NONE);
  CALL(cuStreamGetCaptureInfo_v2(s.a, &status, &first, &graph, &nodes, &count));
  CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && graph && !count);
  put(&s, 0, 1, s.a);
  CALL(cuStreamGetCaptureInfo_v2(s.a, &status, NULL, NULL, &nodes, &count));
  CHECK(count == 1 && nodes[0]);
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(s.a));
  CHECK(status_of(s.a) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  end_invalid(s.a);
  CHECK(status_of(s.a) == CU_STREAM_CAPTURE_STATUS_NONE);
  // "unique over the lifetime of the process"
  capture(s.a);
  CALL(cuStreamGetCaptureInfo_v2(s.a, &status, &second, NULL, NULL, NULL));
  CHECK(first != second);
  CALL(cuGraphDestroy(end(s.a)));
}

/// "Capture must be ended on the same stream in which it was initiated, and it
/// may only be initiated if the stream is not already in capture mode."
void test_capture_begins_and_ends_on_one_stream(void) {
  setting s = begin();
  CUgraph graph;
  EXPECT(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(s.a, &graph));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCapture(s.a, 3));
  capture(s.a);
  EXPECT(CUDA_ERROR_ILLEGAL_STATE,
         cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_RELAXED));
  CALL(cuEventRecord(s.event, s.a));
  CALL(cuStreamWaitEvent(s.b, s.event, 0));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(s.b, &graph));
  end_invalid(s.a);
  // "Capture may not be initiated if stream is CU_STREAM_LEGACY."
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
         cuStreamBeginCapture(CU_STREAM_LEGACY, 0));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture(NULL, 0));
}

typedef struct ending {
  CUcontext context;
  CUstream stream;
  CUresult result;
  CUgraph graph;
} ending;

static void *end_elsewhere(void *argument) {
  ending *e = argument;
  CALL(cuCtxSetCurrent(e->context));
  e->result = cuStreamEndCapture(e->stream, &e->graph);
  return NULL;
}

/// "If mode is not CU_STREAM_CAPTURE_MODE_RELAXED, cuStreamEndCapture must be
/// called on this stream from the same thread."
void test_capture_ends_on_its_thread(void) {
  setting s = begin();
  ending e = {.context = get_current(), .stream = s.a};
  pthread_t thread;
  capture(s.a);
  CHECK(!pthread_create(&thread, NULL, end_elsewhere, &e));
  pthread_join(thread, NULL);
  CHECK(e.result == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  CUgraph graph = NULL;
  (void)cuStreamEndCapture(s.a, &graph);
  if (graph)
    CALL(cuGraphDestroy(graph));
  CALL(cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_RELAXED));
  put(&s, 0, 3, s.a);
  CHECK(!pthread_create(&thread, NULL, end_elsewhere, &e));
  pthread_join(thread, NULL);
  CHECK(e.result == CUDA_SUCCESS);
  run(e.graph, s.a);
  expect_word(&s, 0, 3);
  CALL(cuGraphDestroy(e.graph));
}

/// "Cross-stream dependencies and events": a stream that waits for a captured
/// event is captured, too.
void test_capture_takes_in_streams_by_events(void) {
  setting s = begin();
  put(&s, 4, 9, s.b); // before
  capture(s.a);
  put(&s, 0, 5, s.a);
  CALL(cuEventRecord(s.event, s.a));
  CALL(cuStreamWaitEvent(s.b, s.event, 0));
  CHECK(status_of(s.b) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  move(&s, 0, s.b);
  put(&s, 8, 6, s.a);
  CALL(cuEventRecord(s.event, s.b)); // recorded again
  CALL(cuStreamWaitEvent(s.a, s.event, 0));
  move(&s, 1, s.a);
  move(&s, 8, s.a);
  CUgraph graph = end(s.a);
  CHECK(status_of(s.b) == CU_STREAM_CAPTURE_STATUS_NONE);
  CALL(cuStreamSynchronize(s.b));
  expect_word(&s, 4, 9);
  expect_word(&s, 2, 0);
  for (int round = 0; round < 20; ++round) {
    CALL(cuMemsetD32Async(s.words, 0, 16, s.a));
    run(graph, s.a);
    expect_word(&s, 2, 5);
    expect_word(&s, 9, 6);
  }
  CALL(cuGraphDestroy(graph));
}

/// The error is of a "fork that was not joined to the primary stream".
void test_capture_forks_are_joined(void) {
  setting s = begin();
  CUgraph graph = (CUgraph)s.a;
  capture(s.a);
  CALL(cuEventRecord(s.event, s.a));
  CALL(cuStreamWaitEvent(s.b, s.event, 0));
  put(&s, 0, 1, s.b);
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cuStreamEndCapture(s.a, &graph));
  CHECK(!graph && status_of(s.b) == CU_STREAM_CAPTURE_STATUS_NONE);
  put(&s, 0, 2, s.b);
  CALL(cuStreamSynchronize(s.b));
  expect_word(&s, 0, 2);
}

/// "It is invalid to merge two separate capture graphs".
void test_captures_are_not_merged(void) {
  setting s = begin();
  capture(s.a);
  capture(s.b);
  put(&s, 0, 1, s.a);
  CALL(cuEventRecord(s.event, s.a));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_MERGE, cuStreamWaitEvent(s.b, s.event, 0));
  end_invalid(s.a);
  end_invalid(s.b);
}

/// "It is invalid to wait on a non-captured event from a stream which is being
/// captured"; and afterwards all is refused until the end.
void test_capture_is_isolated(void) {
  setting s = begin();
  CALL(cuEventRecord(s.event, s.b));
  capture(s.a);
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
         cuStreamWaitEvent(s.a, s.event, 0));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
         cuMemsetD32Async(s.words, 1, 1, s.a));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuEventRecord(s.event, s.a));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
         cuStreamWaitEvent(s.a, s.event, 0));
  end_invalid(s.a);
  put(&s, 0, 4, s.a);
  expect_word(&s, 0, 4);
}

/// "It is invalid to synchronize or query the execution status of a stream
/// which is being captured or a captured event", or "a broader handle".
void test_captured_streams_and_events_are_not_waited_for(void) {
  setting s = begin();
  for (int way = 0; way < 5; ++way) {
    CALL(cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_RELAXED));
    CALL(cuEventRecord(s.event, s.a));
    CUresult result = way == 0   ? cuStreamSynchronize(s.a)
                      : way == 1 ? cuStreamQuery(s.a)
                      : way == 2 ? cuEventSynchronize(s.event)
                      : way == 3 ? cuEventQuery(s.event)
                                 : cuCtxSynchronize();
    CHECK(result == (way == 2 || way == 3
                         ? CUDA_ERROR_CAPTURED_EVENT
                         : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED));
    end_invalid(s.a);
  }
}

/// "operation not permitted on an event which was last recorded in a capturing
/// stream"
void test_captured_events_stay_so_until_recorded_again(void) {
  setting s = begin();
  capture(s.a);
  CALL(cuEventRecord(s.event, s.a));
  CALL(cuEventRecord(s.other, s.a));
  CALL(cuGraphDestroy(end(s.a)));
  EXPECT(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery(s.event));
  CALL(cuEventRecord(s.event, s.b));
  CALL(cuEventSynchronize(s.event));
  CALL(cuEventQuery(s.event));
  CALL(cuEventDestroy(s.other));
  s.other = make_event();
  CALL(cuEventQuery(s.other));
}

/// "When any stream in the same context is being captured, and it was not
/// created with CU_STREAM_NON_BLOCKING, any attempted use of the legacy stream
/// is invalid." To ask is no use: "The blocking stream capture is not
/// invalidated."
void test_capture_holds_the_default_stream(void) {
  setting s = begin();
  CUstreamCaptureStatus status;
  capture(s.blocking);
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
         cuStreamIsCapturing(CU_STREAM_LEGACY, &status));
  CHECK(status_of(s.blocking) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
         cuMemsetD32Async(s.words, 1, 1, NULL));
  end_invalid(s.blocking);
  CALL(cuStreamBeginCapture(s.blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamSynchronize(NULL));
  end_invalid(s.blocking);
  // One that does not wait for the default stream leaves it alone.
  capture(s.a);
  CALL(cuMemsetD32Async(s.words, 5, 1, NULL));
  CALL(cuGraphDestroy(end(s.a)));
  CALL(cuStreamSynchronize(NULL));
  expect_word(&s, 0, 5);
}

/// "some actions, such as a call to cudaMalloc, may be unsafe"
void test_capture_forbids_what_is_unsafe(void) {
  setting s = begin();
  CUdeviceptr more;
  for (int mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
       mode <= CU_STREAM_CAPTURE_MODE_THREAD_LOCAL; ++mode) {
    CALL(cuStreamBeginCapture(s.a, mode));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemAlloc(&more, 4));
    end_invalid(s.a);
    // "The local thread is not prohibited from potentially unsafe API calls."
    CUstreamCaptureMode own = CU_STREAM_CAPTURE_MODE_RELAXED;
    CALL(cuThreadExchangeStreamCaptureMode(&own));
    CHECK(own == CU_STREAM_CAPTURE_MODE_GLOBAL); // "the default mode"
    CALL(cuStreamBeginCapture(s.a, mode));
    CALL(cuMemAlloc(&more, 4));
    CALL(cuGraphDestroy(end(s.a)));
    CALL(cuMemFree(more));
    CALL(cuThreadExchangeStreamCaptureMode(&own));
    CHECK(own == CU_STREAM_CAPTURE_MODE_RELAXED);
  }
  CALL(cuStreamBeginCapture(s.a, CU_STREAM_CAPTURE_MODE_RELAXED));
  CALL(cuMemAlloc(&more, 4));
  CALL(cuGraphDestroy(end(s.a)));
  CALL(cuMemFree(more));
  CUstreamCaptureMode wrong = 3;
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuThreadExchangeStreamCaptureMode(&wrong));
}

typedef struct other_thread {
  CUcontext context;
  CUstreamCaptureMode mode;
  CUresult result;
} other_thread;

static void *allocate_elsewhere(void *argument) {
  other_thread *o = argument;
  CUdeviceptr more;
  CUstreamCaptureMode mode = o->mode;
  CALL(cuCtxSetCurrent(o->context));
  CALL(cuThreadExchangeStreamCaptureMode(&mode));
  o->result = cuMemAlloc(&more, 4);
  if (!o->result)
    CALL(cuMemFree(more));
  return NULL;
}

/// "if any other thread has a concurrent capture sequence initiated with
/// GLOBAL, this thread is prohibited"; of THREAD_LOCAL: "Concurrent capture
/// sequences in other threads are ignored."
void test_capture_of_another_thread_is_ignored_by_mode(void) {
  setting s = begin();
  for (int mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
       mode <= CU_STREAM_CAPTURE_MODE_RELAXED; ++mode)
    for (int own = CU_STREAM_CAPTURE_MODE_GLOBAL;
         own <= CU_STREAM_CAPTURE_MODE_RELAXED; ++own) {
      other_thread o = {.context = get_current(),
                        .mode = (CUstreamCaptureMode)own};
      bool forbids = mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                     own == CU_STREAM_CAPTURE_MODE_GLOBAL;
      pthread_t thread;
      CALL(cuStreamBeginCapture(s.a, (CUstreamCaptureMode)mode));
      CHECK(!pthread_create(&thread, NULL, allocate_elsewhere, &o));
      pthread_join(thread, NULL);
      CHECK(o.result ==
            (forbids ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS));
      if (forbids)
        end_invalid(s.a);
      else
        CALL(cuGraphDestroy(end(s.a)));
    }
}

/// "Modifies the dependency set of a capturing stream."
void test_capture_has_dependencies_that_programs_change(void) {
  setting s = begin();
  need("cuStreamUpdateCaptureDependencies");
  CUstreamCaptureStatus status;
  const CUgraphNode *nodes;
  size_t count;
  // "CUDA_ERROR_ILLEGAL_STATE if the stream is not capturing"
  EXPECT(CUDA_ERROR_ILLEGAL_STATE,
         cuStreamUpdateCaptureDependencies(s.a, NULL, 0, 0));
  capture(s.a);
  put(&s, 0, 1, s.a);
  CALL(cuStreamGetCaptureInfo_v2(s.a, &status, NULL, NULL, &nodes, &count));
  CUgraphNode first = nodes[0];
  put(&s, 2, 2, s.a);
  CALL(cuStreamUpdateCaptureDependencies(s.a, &first, 1,
                                         CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
  CALL(cuStreamGetCaptureInfo_v2(s.a, &status, NULL, NULL, &nodes, &count));
  CHECK(count == 2);
  move(&s, 0, s.a);
  CUgraph graph = end(s.a);
  run(graph, s.a);
  expect_word(&s, 1, 1);
  CALL(cuGraphDestroy(graph));
}

/// cuMemAllocAsync and cuMemFreeAsync: "During stream capture, this function
/// results in the creation of an allocation node."
void test_capture_allocates_by_nodes(void) {
  setting s = begin();
  need("cuMemAllocAsync");
  CUdeviceptr inside;
  capture(s.a);
  CALL(cuMemAllocAsync(&inside, 64, s.a));
  CALL(cuMemsetD32Async(inside, 11, 1, s.a));
  CALL(cuMemcpyDtoDAsync(s.words, inside, 4, s.a));
  CALL(cuMemFreeAsync(inside, s.a));
  CUgraph graph = end(s.a);
  run(graph, s.a);
  expect_word(&s, 0, 11);
  CALL(cuGraphDestroy(graph));
}

void test_capture_of_destroyed_streams_is_invalid(void) {
  setting s = begin();
  capture(s.a);
  CALL(cuEventRecord(s.event, s.a));
  CALL(cuStreamWaitEvent(s.b, s.event, 0));
  (void)cuStreamDestroy(s.b);
  end_invalid(s.a);
  capture(s.blocking);
  (void)cuStreamDestroy(s.blocking);
  put(&s, 0, 1, s.a);
  CALL(cuStreamSynchronize(NULL));
  expect_word(&s, 0, 1);
}

/// cuGraphAddChildGraphNode: "the child graph is cloned"; of its update: "The
/// topology of childGraph, as well as the node insertion order, must match";
/// "The modifications only affect future launches".
void test_child_graphs_are_copies_and_change(void) {
  setting s = begin();
  CUgraph graphs[3], whole;
  for (unsigned i = 0; i < 3; ++i) {
    capture(s.a);
    put(&s, 0, 20 + i, s.a);
    move(&s, 0, s.a);
    if (i == 2)
      move(&s, 1, s.a);
    graphs[i] = end(s.a);
  }
  CUgraphNode child;
  CUgraphExec exec;
  CALL(cuGraphCreate(&whole, 0));
  CALL(cuGraphAddChildGraphNode(&child, whole, NULL, 0, graphs[0]));
  CALL(cuGraphDestroy(graphs[0]));
  CALL(cuGraphInstantiateWithFlags(&exec, whole, 0));
  CALL(cuGraphLaunch(exec, s.a));
  expect_word(&s, 1, 20);
  CALL(cuGraphExecChildGraphNodeSetParams(exec, child, graphs[1]));
  CALL(cuGraphLaunch(exec, s.a));
  expect_word(&s, 1, 21);
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphExecChildGraphNodeSetParams(exec, child, graphs[2]));
  CALL(cuGraphLaunch(exec, s.a));
  expect_word(&s, 1, 21);
  // A launch while a stream is captured is a node, too.
  capture(s.b);
  CALL(cuGraphLaunch(exec, s.b));
  move(&s, 1, s.b);
  CUgraph around = end(s.b);
  expect_word(&s, 2, 0);
  run(around, s.a);
  expect_word(&s, 2, 21);
  CALL(cuGraphDestroy(around));
  CALL(cuGraphExecDestroy(exec));
  CALL(cuGraphDestroy(whole));
  CALL(cuGraphDestroy(graphs[1]));
  CALL(cuGraphDestroy(graphs[2]));
}
