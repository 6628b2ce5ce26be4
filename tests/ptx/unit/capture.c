//===- capture.c - Streams that are captured -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are those that tests/conformance/program/captures.c has of the
// emulated device, by functions that this driver does not have.
//
//===----------------------------------------------------------------------===//

#include "harness.h"

#include "driver/capture.h"

#include <pthread.h>

enum { GLOBAL, THREAD_LOCAL, RELAXED };

static CUstream a, b, blocking;
static CUevent event;
static CUdeviceptr words; // 4, which are 0

#define EXPECT(code, call) CHECK_EQ((int)(call), (int)(code))

static void begin(void) {
  CALL(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
  CALL(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
  CALL(cuStreamCreate(&blocking, 0));
  CALL(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  CALL(cuMemAlloc_v2(&words, 16));
  CALL(cuMemsetD32Async(words, 0, 4, a));
  CALL(cuStreamSynchronize(a));
}

static CUresult fill(unsigned number, unsigned value, CUstream stream) {
  return cuMemsetD32Async(words + 4 * (CUdeviceptr)number, value, 1, stream);
}

static uint32_t word(unsigned number) {
  uint32_t values[4];
  CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)values, words, 16, b));
  CALL(cuStreamSynchronize(b));
  return values[number];
}

static CUgraph end(void) {
  CUgraph graph;
  CALL(cuStreamEndCapture(a, &graph));
  CHECK(graph);
  return graph;
}

/// It has been invalidated.
static void end_invalid(CUstream stream) {
  CUgraph graph;
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
         cuStreamEndCapture(stream, &graph));
  CHECK(!graph);
}

static void run(CUgraph graph) {
  CUgraphExec exec;
  CALL(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CALL(cuGraphLaunch(exec, b));
  CALL(cuStreamSynchronize(b));
  CALL(cuGraphExecDestroy(exec));
}

static void add(void *counter) { ++*(int *)counter; }

/// Fills, copies, host functions and other graphs are nodes, behind each other
/// on a stream and behind events.
static void make_graphs(void) {
  int calls = 0;
  CALL(cuStreamBeginCapture_v2(a, THREAD_LOCAL));
  CALL(fill(0, 7, a));
  CALL(cuEventRecord(event, a));
  CALL(cuStreamWaitEvent(b, event, 0));
  CALL(cuMemcpyAsync(words + 4, words, 4, b));
  CALL(cuLaunchHostFunc(b, add, &calls));
  CALL(cuEventRecord(event, b));
  CALL(cuStreamWaitEvent(a, event, 0));
  CALL(cuMemcpyAsync(words + 8, words + 4, 4, a));
  CUgraph graph = end();
  CHECK_EQ(word(2), 0);
  for (int i = 1; i < 10; ++i) {
    CALL(cuMemsetD32Async(words, 0, 4, b));
    run(graph);
    CHECK_EQ(word(2), 7);
    CHECK_EQ(calls, i);
  }
  CUgraphExec exec;
  CALL(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CALL(cuStreamBeginCapture_v2(a, RELAXED));
  CALL(cuGraphLaunch(exec, a));
  CALL(cuMemcpyAsync(words + 12, words + 8, 4, a));
  CUgraph outer = end();
  run(outer);
  CHECK_EQ(word(3), 7);
  CALL(cuGraphExecDestroy(exec));
  CALL(cuGraphDestroy(outer));
  CALL(cuGraphDestroy(graph));
}

static void begin_and_end(void) {
  CUgraph graph;
  EXPECT(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(a, &graph));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCapture_v2(a, 3));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
         cuStreamBeginCapture_v2(NULL, RELAXED));
  CALL(cuStreamBeginCapture_v2(a, THREAD_LOCAL));
  EXPECT(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCapture_v2(a, RELAXED));
  CALL(cuEventRecord(event, a));
  CALL(cuStreamWaitEvent(b, event, 0));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(b, &graph));
  end_invalid(a);
  CALL(cuStreamBeginCapture_v2(a, RELAXED));
  CALL(cuEventRecord(event, a));
  CALL(cuStreamWaitEvent(b, event, 0));
  CALL(fill(0, 1, b));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cuStreamEndCapture(a, &graph));
  CALL(fill(0, 2, b)); // which is captured no more
  CHECK_EQ(word(0), 2);
}

static void connect(void) {
  CALL(cuEventRecord(event, b));
  CALL(cuStreamBeginCapture_v2(a, RELAXED));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cuStreamWaitEvent(a, event, 0));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, fill(0, 1, a));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuEventRecord(event, a));
  end_invalid(a);
  CALL(cuStreamBeginCapture_v2(a, RELAXED));
  CALL(cuStreamBeginCapture_v2(b, RELAXED));
  CALL(cuEventRecord(event, a));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_MERGE, cuStreamWaitEvent(b, event, 0));
  end_invalid(a);
  end_invalid(b);
}

static void wait_for_captured(void) {
  for (int way = 0; way < 4; ++way) {
    CALL(cuStreamBeginCapture_v2(a, RELAXED));
    CALL(cuEventRecord(event, a));
    EXPECT(way < 2 ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                   : CUDA_ERROR_CAPTURED_EVENT,
           way == 0   ? cuStreamSynchronize(a)
           : way == 1 ? cuStreamQuery(a)
           : way == 2 ? cuEventSynchronize(event)
                      : cuEventQuery(event));
    end_invalid(a);
  }
  EXPECT(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery(event));
  EXPECT(CUDA_ERROR_CAPTURED_EVENT, cuStreamWaitEvent(b, event, 0));
  CALL(cuEventRecord(event, b));
  CALL(cuEventSynchronize(event));
}

static void hold_default(void) {
  CALL(cuStreamBeginCapture_v2(blocking, RELAXED));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, fill(0, 1, NULL));
  end_invalid(blocking);
  CALL(cuStreamBeginCapture_v2(blocking, RELAXED));
  EXPECT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamSynchronize(NULL));
  end_invalid(blocking);
  CALL(cuStreamBeginCapture_v2(a, RELAXED));
  CALL(fill(0, 5, NULL));
  CALL(cuGraphDestroy(end()));
  CALL(cuStreamSynchronize(NULL));
  CHECK_EQ(word(0), 5);
}

static CUcontext context;
static CUresult elsewhere;

static void *allocate(void *unused) {
  CUdeviceptr more;
  (void)unused;
  CALL(cuCtxSetCurrent(context));
  elsewhere = cuMemAlloc_v2(&more, 4);
  if (!elsewhere)
    CALL(cuMemFree_v2(more));
  return NULL;
}

static void do_what_is_unsafe(void) {
  CUdeviceptr more;
  pthread_t thread;
  for (int mode = GLOBAL; mode <= RELAXED; ++mode) {
    CALL(cuStreamBeginCapture_v2(a, mode));
    CHECK(pthread_create(&thread, NULL, allocate, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    EXPECT(mode == GLOBAL ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                          : CUDA_SUCCESS,
           elsewhere);
    if (mode == RELAXED) {
      CALL(cuMemAlloc_v2(&more, 4));
      CALL(cuGraphDestroy(end()));
      CALL(cuMemFree_v2(more));
    } else {
      EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemAlloc_v2(&more, 4));
      end_invalid(a);
    }
  }
}

/// A child takes other parameters, but no other nodes.
static void change_child(void) {
  CUgraph graphs[3], whole;
  CUgraphNode node;
  CUgraphExec exec;
  for (unsigned i = 0; i < 3; ++i) {
    CALL(cuStreamBeginCapture_v2(a, THREAD_LOCAL));
    CALL(fill(0, i + 1, a));
    if (i == 2)
      CALL(fill(1, 1, a));
    graphs[i] = end();
  }
  CALL(cuGraphCreate(&whole, 0));
  CALL(cuGraphAddChildGraphNode(&node, whole, NULL, 0, graphs[0]));
  CALL(cuGraphInstantiateWithFlags(&exec, whole, 0));
  CALL(cuGraphExecChildGraphNodeSetParams(exec, node, graphs[1]));
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuGraphExecChildGraphNodeSetParams(exec, node, graphs[2]));
  CALL(cuGraphLaunch(exec, b));
  CHECK_EQ(word(0), 2);
}

int main(void) {
  harness_start();
  harness_open();
  begin();
  CALL(cuCtxGetCurrent(&context));
  make_graphs();
  begin_and_end();
  connect();
  wait_for_captured();
  hold_default();
  do_what_is_unsafe();
  change_child();
  return 0;
}
