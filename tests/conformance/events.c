//===- events.c - Events --------------------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conformance.h"
#include "driver_api/values.h"

#include <time.h>

void test_event_never_recorded_is_complete(const bench *b) {
  CUstream stream = make_stream(b);
  CUevent event = make_event(b);
  CALL(cuEventQuery(event));
  CALL(cuEventSynchronize(event));
  CALL(cuStreamWaitEvent(stream, event, 0));
  CALL(cuStreamSynchronize(stream));
  CALL(cuEventDestroy(event));
  CALL(cuStreamDestroy(stream));
}

void test_event_orders_streams(const bench *b) {
  CUstream producer = make_stream(b), consumer = make_stream(b);
  CUevent event = make_event(b);
  CUdeviceptr cell = make_memory(b, 4);
  uint32_t *seen = make_pinned(b, 4);
  gate g;
  gate_close(b, &g, producer);
  CALL(cuMemsetD32Async(cell, 7, 1, producer));
  CALL(cuEventRecord(event, producer));
  CALL(cuStreamWaitEvent(consumer, event, 0));
  CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)seen, cell, 4, consumer));
  EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(consumer));
  EXPECT(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  gate_open(&g);
  CALL(cuStreamSynchronize(consumer));
  CALL(cuEventQuery(event));
  CHECK(*seen == 7);
  CALL(cuMemFreeHost(seen));
  CALL(cuMemFree(cell));
  CALL(cuEventDestroy(event));
  CALL(cuStreamDestroy(producer));
  CALL(cuStreamDestroy(consumer));
}

void test_event_wait_is_for_the_record_before_it(const bench *b) {
  CUstream first = make_stream(b), held = make_stream(b),
           waiting = make_stream(b);
  CUevent event = make_event(b);
  CALL(cuEventRecord(event, first));
  CALL(cuStreamWaitEvent(waiting, event, 0));
  gate g;
  gate_close(b, &g, held);
  CALL(cuEventRecord(event, held));
  CALL(cuStreamSynchronize(waiting)); // not for the second record
  EXPECT(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  gate_open(&g);
  CALL(cuEventSynchronize(event));
  CALL(cuEventDestroy(event));
  CALL(cuStreamDestroy(first));
  CALL(cuStreamDestroy(held));
  CALL(cuStreamDestroy(waiting));
}

void test_event_destroyed_while_waited_for(const bench *b) {
  CUstream held = make_stream(b), waiting = make_stream(b);
  CUevent event = make_event(b);
  gate g;
  gate_close(b, &g, held);
  CALL(cuEventRecord(event, held));
  CALL(cuStreamWaitEvent(waiting, event, 0));
  CALL(cuEventDestroy(event));
  EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(waiting));
  gate_open(&g);
  CALL(cuStreamSynchronize(waiting));
  CALL(cuStreamDestroy(held));
  CALL(cuStreamDestroy(waiting));
}

void test_event_query_follows_the_last_record(const bench *b) {
  CUstream stream = make_stream(b);
  CUevent event = make_event(b);
  gate g;
  gate_close(b, &g, stream);
  CALL(cuEventRecord(event, stream));
  EXPECT(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  gate_open(&g);
  CALL(cuEventSynchronize(event));
  gate_close(b, &g, stream);
  CALL(cuEventQuery(event)); // work behind it is none of its business
  CALL(cuEventRecord(event, stream));
  EXPECT(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  gate_open(&g);
  CALL(cuEventSynchronize(event));
  CALL(cuEventDestroy(event));
  CALL(cuStreamDestroy(stream));
}

void test_event_flags(const bench *b) {
  static const unsigned flags[] = {
      0, CU_EVENT_BLOCKING_SYNC, CU_EVENT_DISABLE_TIMING,
      CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING};
  CUstream stream = make_stream(b);
  CUdeviceptr cell = make_memory(b, 4);
  for (uint32_t i = 0; i < sizeof flags / sizeof *flags; ++i) {
    CUevent event;
    uint32_t seen = 0;
    CALL(cuEventCreate(&event, flags[i]));
    CALL(cuMemsetD32Async(cell, i + 1, 1, stream));
    CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)&seen, cell, 4, stream));
    CALL(cuEventRecord(event, stream));
    CALL(cuEventSynchronize(event)); // whether it sleeps or spins
    CHECK(seen == i + 1);
    CALL(cuEventQuery(event));
    CALL(cuEventDestroy(event));
  }
  CUevent event;
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&event, 1u << 20));
  CALL(cuMemFree(cell));
  CALL(cuStreamDestroy(stream));
}

void test_event_times(const bench *b) {
  enum { PAUSE_MS = 3 };
  NEED(cuEventElapsedTime);
  CUstream stream = make_stream(b), other = make_stream(b);
  CUevent untimed = make_event(b), events[3];
  for (int i = 0; i < 3; ++i)
    CALL(cuEventCreate(&events[i], 0));
  float ms = -1;
  EXPECT(CUDA_ERROR_INVALID_HANDLE,
         cuEventElapsedTime(&ms, events[0], events[1])); // never recorded
  CALL(cuEventRecord(untimed, stream));
  CALL(cuEventRecord(events[0], stream));
  CALL(cuEventSynchronize(events[0]));
  gate g;
  gate_close(b, &g, stream);
  CALL(cuEventRecord(events[1], stream));
  CALL(cuStreamWaitEvent(other, events[1], 0));
  CALL(cuEventRecord(events[2], other)); // of another stream
  EXPECT(CUDA_ERROR_NOT_READY, cuEventElapsedTime(&ms, events[0], events[1]));
  nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000}, NULL);
  gate_open(&g);
  CALL(cuEventSynchronize(events[2]));
  CALL(cuEventElapsedTime(&ms, events[0], events[1]));
  CHECK(ms >= (float)PAUSE_MS - 0.1f);
  float total;
  CALL(cuEventElapsedTime(&total, events[0], events[2]));
  CHECK(total >= ms);
  CALL(cuEventElapsedTime(&ms, events[2], events[0])); // backwards
  CHECK(ms == -total);
  CALL(cuEventElapsedTime(&ms, events[1], events[1]));
  CHECK(ms == 0);
  EXPECT(CUDA_ERROR_INVALID_HANDLE,
         cuEventElapsedTime(&ms, untimed, events[1]));
  // Invalid value, the manual says; a driver of CUDA 13.0 says invalid handle.
  CHECK(b->driver->cuEventElapsedTime(NULL, events[0], events[1]));
  for (int i = 0; i < 3; ++i)
    CALL(cuEventDestroy(events[i]));
  CALL(cuEventDestroy(untimed));
  CALL(cuStreamDestroy(stream));
  CALL(cuStreamDestroy(other));
}

void test_event_wait_on_own_stream(const bench *b) {
  CUstream stream = make_stream(b);
  CUevent event = make_event(b);
  CALL(cuEventRecord(event, stream));
  CALL(cuStreamWaitEvent(stream, event, 0));
  CALL(cuStreamSynchronize(stream));
  CALL(cuEventDestroy(event));
  CALL(cuStreamDestroy(stream));
}

void test_event_chain_across_many_streams(const bench *b) {
  enum { STREAMS = 8, STEPS = 64 };
  CUstream streams[STREAMS];
  CUevent events[STREAMS];
  CUdeviceptr cell = make_memory(b, 4);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  for (int i = 0; i < STREAMS; ++i) {
    streams[i] = make_stream(b);
    events[i] = make_event(b);
  }
  // One cell, incremented without atomics from stream after stream: right only
  // if every step waits for the one before.
  CALL(cuMemsetD32Async(cell, 0, 1, streams[0]));
  CALL(cuEventRecord(events[0], streams[0]));
  for (int i = 1; i <= STEPS; ++i) {
    int now = i % STREAMS, before = (i - 1) % STREAMS;
    CALL(cuStreamWaitEvent(streams[now], events[before], 0));
    launch(b, increment, 1, 1, streams[now], (void *[]){&cell});
    CALL(cuEventRecord(events[now], streams[now]));
  }
  CALL(cuEventSynchronize(events[STEPS % STREAMS]));
  uint32_t value = 0;
  download(b, &value, cell, 4);
  CHECK(value == STEPS);
  CALL(cuMemFree(cell));
  for (int i = 0; i < STREAMS; ++i) {
    CALL(cuEventDestroy(events[i]));
    CALL(cuStreamDestroy(streams[i]));
  }
}

void test_event_recorded_again_while_waited_for(const bench *b) {
  CUstream first = make_stream(b), second = make_stream(b),
           waiting = make_stream(b);
  CUevent event = make_event(b);
  gate g;
  gate_close(b, &g, first);
  CALL(cuEventRecord(event, first));
  CALL(cuStreamWaitEvent(waiting, event, 0));
  CALL(cuEventRecord(event, second)); // nothing is before it
  CALL(cuEventSynchronize(event));
  EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(waiting)); // still for the first
  gate_open(&g);
  CALL(cuStreamSynchronize(waiting));
  CALL(cuEventDestroy(event));
  CALL(cuStreamDestroy(first));
  CALL(cuStreamDestroy(second));
  CALL(cuStreamDestroy(waiting));
}

void test_event_destroyed_before_it_completes(const bench *b) {
  CUstream stream = make_stream(b);
  CUdeviceptr cell = make_memory(b, 4);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  uint32_t value = 0;
  upload(b, cell, &value, 4);
  gate g;
  gate_close(b, &g, stream);
  for (int i = 0; i < 20; ++i) {
    CUevent event = make_event(b);
    launch(b, increment, 1, 1, stream, (void *[]){&cell});
    CALL(cuEventRecord(event, stream));
    CALL(cuEventDestroy(event));
  }
  gate_open(&g);
  CALL(cuStreamSynchronize(stream));
  download(b, &value, cell, 4);
  CHECK(value == 20);
  CALL(cuMemFree(cell));
  CALL(cuStreamDestroy(stream));
}
