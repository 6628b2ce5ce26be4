//===- devices.c - Work on several devices --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tests have ASYNC_GPU_EMU_DEVICES=3.
//
//===----------------------------------------------------------------------===//

#include "async_gpu/compiled/mgpu.h"
#include "async_gpu/device.h"
#include "gpu/calls/loan.h"
#include "support.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static agpu_stream *acquire_on(int32_t device) {
  agpu_enter_device(device);
  return agpu_stream_acquire("acquire.mlir:1:1");
}

static void *check_default_and_leave(void *argument) {
  CHECK_EQ(agpu_default_device(), 0);
  agpu_enter_device(*(int32_t *)argument);
  agpu_stream *stream = agpu_stream_acquire(NULL);
  CHECK_EQ(stream->device->ordinal, *(int32_t *)argument);
  agpu_stream_release(stream);
  return NULL;
}

/// Each thread has a default of its own.
static void default_is_a_threads_own(void) {
  CHECK_EQ(agpu_device_count(), 3);
  int32_t numbers[] = {2, 1};
  pthread_t threads[2];
  agpu_enter_device(1);
  for (int i = 0; i < 2; ++i)
    CHECK(!pthread_create(&threads[i], NULL, check_default_and_leave,
                          &numbers[i]));
  for (int i = 0; i < 2; ++i)
    CHECK(!pthread_join(threads[i], NULL));
  CHECK_EQ(agpu_default_device(), 1);
  agpu_enter_device(0);
}

/// Streams, functions and memory are a device's own.
static void same_kernel_on_every_device(void) {
  agpu_stream *streams[3];
  int64_t *cells[3], seen[3];
  agpu_object *tokens[3];
  for (int32_t i = 0; i < 3; ++i) {
    streams[i] = acquire_on(i);
    CHECK_EQ(streams[i]->device->ordinal, i);
    cells[i] = agpu_alloc(streams[i], 8, i == 1, NULL);
    agpu_memset(streams[i], cells[i], (uint64_t)i * 10, 8, 1, NULL);
    launch_increment(streams[i], cells[i]);
    agpu_memcpy(streams[i], &seen[i], cells[i], 8, NULL);
    agpu_dealloc(streams[i], cells[i], NULL);
    tokens[i] = agpu_stream_record(streams[i]);
    agpu_stream_release(streams[i]);
  }
  for (int i = 0; i < 3; ++i) {
    await_and_drop(tokens[i]);
    CHECK_EQ(seen[i], i * 10 + 1);
  }
  agpu_enter_device(0);
}

/// A chain that goes from device to device, in memory of the first: each step
/// waits for an event of another device, copies from another device, and gives
/// a kernel memory of another device. The last frees it.
static void chain_across_devices(void) {
  agpu_stream *stream = acquire_on(0);
  int64_t *first = agpu_alloc(stream, 8, false, NULL), seen = 0;
  agpu_memset(stream, first, 0, 8, 1, NULL);
  launch_pause(stream, first, 5);
  agpu_object *token = agpu_stream_record(stream);
  agpu_stream_release(stream);
  for (int step = 1; step < 30; ++step) {
    stream = acquire_on(step % 3);
    agpu_stream_wait(stream, token);
    mlirAsyncRuntimeDropRef(token, 1);
    int64_t *own = agpu_alloc(stream, 8, false, NULL);
    agpu_memcpy(stream, own, first, 8, NULL);
    launch_increment(stream, own);
    agpu_memcpy(stream, first, own, 8, NULL);
    launch_increment(stream, first);
    agpu_dealloc(stream, own, NULL);
    token = agpu_stream_record(stream);
    agpu_stream_release(stream);
  }
  stream = acquire_on(1);
  agpu_stream_wait(stream, token);
  mlirAsyncRuntimeDropRef(token, 1);
  agpu_memcpy(stream, &seen, first, 8, NULL);
  agpu_dealloc(stream, first, "free.mlir:1:1"); // device 0's
  token = agpu_stream_record(stream);
  agpu_stream_release(stream);
  await_and_drop(token);
  CHECK_EQ(seen, 59);
  agpu_enter_device(0);
}

/// gpu.set_default_device in the middle of a region: what follows is elsewhere,
/// and behind what came before.
static void stream_moves_to_another_device(void) {
  agpu_stream *stream = acquire_on(0);
  int64_t *cell = agpu_alloc(stream, 8, false, NULL), seen = 0;
  agpu_memset(stream, cell, 1, 8, 1, NULL);
  launch_pause(stream, cell, 20);
  for (int32_t device = 2; device >= 0; --device) {
    agpu_set_default_device(stream, device, "choose.mlir:1:1");
    CHECK_EQ(stream->device->ordinal, device);
    CHECK_EQ(agpu_default_device(), device);
    launch_increment(stream, cell);
  }
  agpu_memcpy(stream, &seen, cell, 8, NULL);
  agpu_dealloc(stream, cell, NULL);
  agpu_object *token = agpu_stream_record(stream);
  agpu_stream_release(stream);
  await_and_drop(token);
  CHECK_EQ(seen, 5);
}

/// What a free block of one device keeps of another's work is nobody's: at the
/// end no event is left.
static void freed_behind_another_device(void) {
  agpu_stream *stream = acquire_on(0);
  int64_t *cell = agpu_alloc(stream, 8, false, NULL);
  agpu_memset(stream, cell, 1, 8, 1, NULL);
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  stream = acquire_on(2);
  launch_increment(stream, cell);
  agpu_dealloc(stream, cell, NULL);
  await_and_drop(agpu_stream_record(stream));
  agpu_stream_release(stream);
  agpu_enter_device(0);
}

static void device_that_is_not_there(void) {
  agpu_stream *stream = acquire_on(3);
  CHECK(!agpu_alloc(stream, 8, false, NULL));
  const char *text = get_error_and_drop(agpu_stream_record(stream));
  CHECK(strcmp(text, "acquire.mlir:1:1: there is no device 3: the emu driver "
                     "has 3 devices") == 0);
  agpu_stream_release(stream);
  stream = acquire_on(0);
  agpu_set_default_device(stream, -7, "choose.mlir:2:2");
  text = get_error_and_drop(agpu_stream_record(stream));
  CHECK(strstr(text, "choose.mlir:2:2: there is no device -7"));
  agpu_stream_release(stream);
  agpu_enter_device(0);
}

/// Upstream's functions: what is created is on the thread's default device,
/// what has a stream on the stream's.
static void upstreams_functions(void) {
  agpu_enter_device(0);
  void *streams[2], *cells[2], *events[2];
  int64_t seen = 0;
  for (int32_t i = 0; i < 2; ++i) {
    mgpuSetDefaultDevice(2 - i);
    CHECK_EQ(agpu_default_device(), 2 - i);
    struct CUmod_st *module = mgpuModuleLoad(get_test_image(), 0);
    struct CUfunc_st *increment = mgpuModuleGetFunction(module, "increment");
    streams[i] = mgpuStreamCreate();
    events[i] = mgpuEventCreate();
    cells[i] = mgpuMemAlloc(8, streams[i], false);
    mgpuMemset32(cells[i], i ? 0 : 7, 2, streams[i]);
    if (i) {
      mgpuStreamWaitEvent(streams[1], events[0]); // of the other device
      mgpuMemcpy(cells[1], cells[0], 8, streams[1]);
    }
    mgpuLaunchKernel(increment, 1, 1, 1, 1, 1, 1, 0, streams[i],
                     (void *[]){&cells[i]}, NULL, 1);
    mgpuEventRecord(events[i], streams[i]);
  }
  mgpuSetDefaultDevice(0);
  mgpuMemcpy(&seen, cells[1], 8, streams[1]);
  mgpuStreamSynchronize(streams[1]);
  CHECK_EQ(seen, ((int64_t)7 << 32) + 9);
  for (int i = 0; i < 2; ++i) {
    mgpuMemFree(cells[i], streams[i]);
    mgpuEventSynchronize(events[i]);
    mgpuEventDestroy(events[i]);
    mgpuStreamDestroy(streams[i]);
  }
}

/// Work of one device that another waits for fails: so does what waits, and the
/// device that waited is fine.
static void failure_of_another_device(void) {
  agpu_stream *bad = acquire_on(2), *good = acquire_on(1);
  int64_t *cell = agpu_alloc(good, 8, false, NULL), seen = 0;
  agpu_memset(good, cell, 4, 8, 1, NULL);
  // Memory of a third device that is freed before the kernel comes to it.
  void *freed = agpu_alloc(bad, 8, false, NULL);
  agpu_stream *other = acquire_on(2);
  agpu_object *token = agpu_stream_record(bad);
  agpu_stream_wait(other, token);
  mlirAsyncRuntimeDropRef(token, 1);
  agpu_dealloc(other, freed, NULL);
  token = agpu_stream_record(other);
  await_and_drop(token);
  launch_increment(bad, freed);
  token = agpu_stream_record(bad);
  agpu_stream_wait(good, token);
  mlirAsyncRuntimeDropRef(token, 1);
  agpu_memcpy(good, &seen, cell, 8, NULL);
  const char *text = get_error_and_drop(agpu_stream_record(good));
  CHECK(strstr(text, "CUDA_ERROR_ILLEGAL_ADDRESS"));
  agpu_stream_release(good);
  good = acquire_on(0);
  int64_t *fine = agpu_alloc(good, 8, false, NULL);
  agpu_memset(good, fine, 5, 8, 1, NULL);
  agpu_memcpy(good, &seen, fine, 8, NULL);
  agpu_dealloc(good, fine, NULL);
  await_and_drop(agpu_stream_record(good));
  CHECK_EQ(seen, 5);
  agpu_stream_release(good);
  agpu_stream_release(other);
  agpu_stream_release(bad);
}

static void await_gate(void *gate) { CHECK(!sem_wait(gate)); }

/// The same where an allocation has found that the work behind a free is over,
/// before anybody asked for what has become of it.
static void failure_behind_a_block(void) {
  agpu_stream *bad = acquire_on(2), *good = acquire_on(1);
  int64_t *cell = agpu_alloc(good, 8, false, NULL);
  // It fails when all that waits for it has been enqueued.
  sem_t gate;
  CHECK(!sem_init(&gate, 0, 0));
  // The first launch loads the kernel, which waits for the device.
  int64_t *other_cell = agpu_alloc(bad, 8, false, NULL);
  launch_increment(bad, other_cell);
  CHECK(!bad->device->driver->cuLaunchHostFunc(bad->stream->handle, await_gate,
                                               &gate));
  // Memory of the host that no device knows.
  launch_increment(bad, (void *)8);
  agpu_object *token = agpu_stream_record(bad);
  agpu_stream_wait(good, token);
  mlirAsyncRuntimeDropRef(token, 1);
  agpu_dealloc(good, cell, NULL);
  token = agpu_stream_record(good);
  CHECK(!sem_post(&gate));
  agpu_stream *other = acquire_on(1);
  bool is_over = false;
  while (!is_over) {
    is_over = agpu_alloc(other, 8, false, NULL) == cell;
    const struct timespec pause = {.tv_nsec = 1000000};
    (void)nanosleep(&pause, NULL);
  }
  const char *text = get_error_and_drop(token);
  CHECK(strstr(text, "CUDA_ERROR_ILLEGAL_ADDRESS"));
  agpu_stream_release(other);
  agpu_stream_release(good);
  agpu_stream_release(bad);
  CHECK(!sem_destroy(&gate));
}

/// The driver fails to say whose memory it is, which is no answer: nothing is
/// freed by a guess.
static void owner_is_unknown(void) {
  agpu_stream *first = acquire_on(0), *second = acquire_on(1);
  void *memory = agpu_alloc(second, 8, false, NULL);
  agpu_dealloc(first, memory, "free.mlir:1:1");
  const char *text = get_error_and_drop(agpu_stream_record(first));
  CHECK(strstr(text, "deallocation: CUDA_ERROR_UNKNOWN"));
  agpu_stream_release(first);
  agpu_dealloc(second, memory, NULL);
  await_and_drop(agpu_stream_record(second));
  agpu_stream_release(second);
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "owner") == 0) {
    owner_is_unknown();
    agpu_status_release(agpu_runtime_shutdown());
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "failure") == 0) {
    failure_of_another_device();
    agpu_status_release(agpu_runtime_shutdown());
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "block") == 0) {
    failure_behind_a_block();
    agpu_status_release(agpu_runtime_shutdown());
    return 0;
  }
  default_is_a_threads_own();
  for (int round = 0; round < 5; ++round) {
    same_kernel_on_every_device();
    chain_across_devices();
    stream_moves_to_another_device();
  }
  device_that_is_not_there();
  upstreams_functions();
  freed_behind_another_device();
  check_end();
  return 0;
}
