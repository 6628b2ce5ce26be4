//===- streams.c - Streams and host functions -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conformance.h"
#include "driver_api/values.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

void test_stream_runs_in_order(const bench *b) {
  enum { ROUNDS = 50 };
  CUstream stream = make_stream(b);
  CUdeviceptr cell = make_memory(b, 4);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  uint32_t seen[ROUNDS];
  CALL(cuMemsetD32Async(cell, 0, 1, stream));
  for (int i = 0; i < ROUNDS; ++i) {
    launch(b, increment, 1, 1, stream, (void *[]){&cell});
    CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)&seen[i], cell, 4, stream));
  }
  CALL(cuStreamSynchronize(stream));
  for (uint32_t i = 0; i < ROUNDS; ++i)
    CHECK(seen[i] == i + 1);
  CALL(cuMemFree(cell));
  CALL(cuStreamDestroy(stream));
}

void test_streams_are_independent(const bench *b) {
  CUstream held = make_stream(b), other = make_stream(b);
  CUdeviceptr cells = make_memory(b, 8);
  CUdeviceptr first = cells, second = cells + 4;
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  uint32_t values[2] = {0, 0};
  upload(b, cells, values, sizeof values);
  gate g;
  gate_close(b, &g, held);
  launch(b, increment, 1, 1, held, (void *[]){&first});
  launch(b, increment, 1, 1, other, (void *[]){&second});
  CALL(cuStreamSynchronize(other)); // would never end if it waited for `held`
  EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(held));
  download(b, values, cells, sizeof values);
  CHECK(values[0] == 0 && values[1] == 1);
  gate_open(&g);
  CALL(cuStreamSynchronize(held));
  download(b, values, cells, sizeof values);
  CHECK(values[0] == 1 && values[1] == 1);
  CALL(cuMemFree(cells));
  CALL(cuStreamDestroy(held));
  CALL(cuStreamDestroy(other));
}

void test_stream_query_tells_idle_from_busy(const bench *b) {
  CUstream stream = make_stream(b);
  CALL(cuStreamQuery(stream));
  gate g;
  gate_close(b, &g, stream);
  EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
  gate_open(&g);
  CALL(cuStreamSynchronize(stream));
  CALL(cuStreamQuery(stream));
  CALL(cuStreamDestroy(stream));
}

void test_stream_destroyed_while_busy_finishes(const bench *b) {
  CUstream stream = make_stream(b);
  CUevent event = make_event(b);
  CUdeviceptr cell = make_memory(b, 4);
  uint32_t value = 0;
  upload(b, cell, &value, 4);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  gate g;
  gate_close(b, &g, stream);
  launch(b, increment, 1, 1, stream, (void *[]){&cell});
  CALL(cuEventRecord(event, stream));
  CALL(cuStreamDestroy(stream));
  EXPECT(CUDA_ERROR_NOT_READY, cuEventQuery(event));
  gate_open(&g);
  CALL(cuEventSynchronize(event));
  download(b, &value, cell, 4);
  CHECK(value == 1);
  CALL(cuMemFree(cell));
  CALL(cuEventDestroy(event));
}

void test_stream_writes_values_in_order(const bench *b) {
  if (!b->driver->cuStreamWriteValue32)
    exit(SKIPPED);
  CUstream stream = make_stream(b);
  void *memory;
  CALL(cuMemHostAlloc(&memory, 4096,
                      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  uint32_t *flag = memory, *cell = flag + 16;
  *flag = *cell = 0;
  CUdeviceptr flag_address = (CUdeviceptr)(uintptr_t)flag;
  CUdeviceptr cell_address = (CUdeviceptr)(uintptr_t)cell;
  CUdeviceptr device = make_memory(b, 8);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  gate g;
  gate_close(b, &g, stream);
  launch(b, increment, 1, 1, stream, (void *[]){&cell_address});
  CALL(cuStreamWriteValue32(stream, flag_address, 7,
                            CU_STREAM_WRITE_VALUE_DEFAULT));
  CALL(cuStreamWriteValue32(stream, device + 4, 41,
                            CU_STREAM_WRITE_VALUE_DEFAULT));
  CUdeviceptr second = device + 4;
  launch(b, increment, 1, 1, stream, (void *[]){&second});
  CHECK(__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0);
  gate_open(&g);
  // Who sees the flag, without a call of the driver, sees what came before it.
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != 7)
    ;
  CHECK(__atomic_load_n(cell, __ATOMIC_RELAXED) == 1);
  CALL(cuStreamSynchronize(stream));
  uint32_t value = 0;
  download(b, &value, second, 4);
  CHECK(value == 42);
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuStreamWriteValue32(stream, flag_address + 2, 1,
                              CU_STREAM_WRITE_VALUE_DEFAULT));
  CALL(cuMemFreeHost(memory));
  CALL(cuMemFree(device));
  CALL(cuStreamDestroy(stream));
}

typedef struct order {
  _Atomic(int) next;
  int seen[8];
} order;

static order ran;

static void note_order(void *argument) {
  ran.seen[atomic_fetch_add(&ran.next, 1)] = (int)(intptr_t)argument;
}

void test_host_function_runs_in_order(const bench *b) {
  CUstream stream = make_stream(b);
  CUdeviceptr cell = make_memory(b, 4);
  static uint32_t copied; // host functions see copies that came before
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  gate g;
  gate_close(b, &g, stream);
  CALL(cuMemsetD32Async(cell, 41, 1, stream));
  for (intptr_t i = 0; i < 4; ++i)
    CALL(cuLaunchHostFunc(stream, note_order, (void *)i));
  launch(b, increment, 1, 1, stream, (void *[]){&cell});
  CHECK(atomic_load(&ran.next) == 0);
  gate_open(&g);
  CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)&copied, cell, 4, stream));
  CALL(cuLaunchHostFunc(stream, note_order, (void *)(intptr_t)4));
  CALL(cuStreamSynchronize(stream));
  CHECK(atomic_load(&ran.next) == 5);
  for (int i = 0; i < 5; ++i)
    CHECK(ran.seen[i] == i);
  CHECK(copied == 42);
  CALL(cuMemFree(cell));
  CALL(cuStreamDestroy(stream));
}

/// A host function may do what it likes but call the driver.
typedef struct message {
  pthread_mutex_t lock;
  pthread_cond_t sent;
  char *text;
} message;

static void send_message(void *argument) {
  message *to = argument;
  char *text = malloc(8);
  pthread_mutex_lock(&to->lock);
  to->text = text ? strcpy(text, "hello") : NULL;
  pthread_cond_signal(&to->sent);
  pthread_mutex_unlock(&to->lock);
}

void test_host_function_may_signal_other_threads(const bench *b) {
  CUstream stream = make_stream(b);
  static message received = {.lock = PTHREAD_MUTEX_INITIALIZER,
                             .sent = PTHREAD_COND_INITIALIZER};
  CALL(cuLaunchHostFunc(stream, send_message, &received));
  pthread_mutex_lock(&received.lock);
  while (!received.text)
    pthread_cond_wait(&received.sent, &received.lock);
  pthread_mutex_unlock(&received.lock);
  CHECK(strcmp(received.text, "hello") == 0);
  free(received.text);
  CALL(cuStreamSynchronize(stream));
  CALL(cuStreamDestroy(stream));
}

typedef struct worker {
  const bench *b;
  CUcontext context;
  CUstream stream;
  CUfunction increment;
  CUdeviceptr cell;
} worker;

enum { WORKERS = 6, LAUNCHES = 50 };

static void *launch_often(void *argument) {
  worker *own = argument;
  const bench *b = own->b;
  CALL(cuCtxSetCurrent(own->context));
  CUevent event = make_event(b);
  for (int i = 0; i < LAUNCHES; ++i) {
    launch(b, own->increment, 1, 1, own->stream, (void *[]){&own->cell});
    CALL(cuEventRecord(event, own->stream));
  }
  CALL(cuEventSynchronize(event));
  CALL(cuEventDestroy(event));
  return NULL;
}

void test_stream_takes_work_from_many_threads(const bench *b) {
  CUcontext context;
  CALL(cuDevicePrimaryCtxRetain(&context, b->device));
  worker own = {.b = b,
                .context = context,
                .stream = make_stream(b),
                .increment = get_kernel(b, load_kernels(b), "increment"),
                .cell = make_memory(b, 4)};
  CALL(cuMemsetD32Async(own.cell, 0, 1, own.stream));
  pthread_t threads[WORKERS];
  for (int i = 0; i < WORKERS; ++i)
    CHECK(pthread_create(&threads[i], NULL, launch_often, &own) == 0);
  for (int i = 0; i < WORKERS; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
  uint32_t value = 0;
  CALL(cuStreamSynchronize(own.stream));
  download(b, &value, own.cell, 4);
  CHECK(value == WORKERS * LAUNCHES);
  CALL(cuMemFree(own.cell));
  CALL(cuStreamDestroy(own.stream));
  CALL(cuDevicePrimaryCtxRelease(b->device));
}
