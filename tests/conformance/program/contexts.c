//===- contexts.c - Contexts, and whose they are --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "program.h"

#include <pthread.h>

/// "When a context is created ... a usage count of 1 ... If a context is
/// already current to the thread, it is supplanted by the newly created context
/// and may be restored by a subsequent call to cuCtxPopCurrent()."
/// (cuCtxCreate) "If ctx is current to the calling thread then ctx will also be
/// popped from the current thread's context stack (as though cuCtxPopCurrent()
/// were called)." (cuCtxDestroy)
void test_context_is_current_once_created(void) {
  CHECK(get_current() == NULL);
  CUdevice device = -1;
  need("cuCtxGetDevice");
  EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice(&device));
  CUcontext first = make_context(0), second = make_context(0);
  CHECK(first && second && first != second);
  CHECK(get_current() == second);
  CALL(cuCtxGetDevice(&device));
  CHECK(device == 0);
  CALL(cuCtxDestroy(second));
  CHECK(get_current() == first);
  CALL(cuMemFree(make_memory(16)));
  CALL(cuCtxDestroy(first));
  CHECK(get_current() == NULL);
}

/// "If there exists a CUDA context stack on the calling CPU thread, this will
/// replace the top of that stack with ctx. If ctx is NULL then this will be
/// equivalent to popping the top of the CUDA context stack (or a no-op if the
/// stack is empty)." (cuCtxSetCurrent)
void test_contexts_are_a_stack(void) {
  CUcontext a = make_context(0), b = make_context(0), popped = NULL;
  CALL(cuCtxPushCurrent(a)); // a, b, a
  CHECK(get_current() == a);
  CALL(cuCtxPopCurrent(&popped));
  CHECK(popped == a && get_current() == b);
  CALL(cuCtxSetCurrent(a)); // a, a
  CHECK(get_current() == a);
  CALL(cuCtxPushCurrent(b)); // a, a, b
  CALL(cuCtxSetCurrent(NULL));
  CHECK(get_current() == a);
  CALL(cuCtxPopCurrent(NULL));
  CALL(cuCtxPopCurrent(&popped));
  CHECK(popped == a && get_current() == NULL);
  EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(&popped));
  CALL(cuCtxSetCurrent(NULL));
  EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
  // They are current on no thread, and are there.
  CALL(cuCtxPushCurrent(b));
  CALL(cuMemFree(make_memory(16)));
  CALL(cuCtxDestroy(b));
  CALL(cuCtxDestroy(a));
}

static void *use_other_context(void *argument) {
  CUcontext theirs = argument;
  CHECK(get_current() == NULL);
  CUcontext own = make_context(0);
  CALL(cuCtxPushCurrent(theirs));
  CALL(cuMemFree(make_memory(16)));
  CALL(cuCtxPopCurrent(NULL));
  CHECK(get_current() == own);
  // The thread ends with contexts on its stack.
  CALL(cuCtxPushCurrent(theirs));
  return own;
}

void test_contexts_are_each_threads_own(void) {
  CUcontext own = make_context(0);
  pthread_t thread;
  void *other;
  CHECK(pthread_create(&thread, NULL, use_other_context, own) == 0);
  CHECK(pthread_join(thread, &other) == 0);
  CHECK(get_current() == own);
  CALL(cuCtxSetCurrent(other));
  CALL(cuMemFree(make_memory(16)));
  CALL(cuCtxDestroy(other));
  CALL(cuCtxDestroy(own));
}

typedef struct elsewhere {
  pthread_barrier_t barrier;
  CUcontext context;
} elsewhere;

static void *keep_context(void *argument) {
  elsewhere *shared = argument;
  CALL(cuCtxPushCurrent(shared->context));
  pthread_barrier_wait(&shared->barrier);
  pthread_barrier_wait(&shared->barrier); // it has been destroyed
  CUdeviceptr pointer;
  EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&pointer, 16));
  EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());
  // Whatever has been created since.
  CHECK(make_context(0) != shared->context);
  CALL(cuMemFree(make_memory(16)));
  CALL(cuCtxPopCurrent(NULL));
  EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&pointer, 16));
  CALL(cuCtxPopCurrent(NULL));
  CHECK(get_current() == NULL);
  return NULL;
}

/// "If ctx is current to other threads, then ctx will remain current to those
/// threads, and attempting to access ctx from those threads will result in the
/// error CUDA_ERROR_CONTEXT_IS_DESTROYED." (cuCtxDestroy)
void test_context_that_is_destroyed_elsewhere(void) {
  elsewhere shared;
  CHECK(pthread_barrier_init(&shared.barrier, NULL, 2) == 0);
  shared.context = make_context(0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, keep_context, &shared) == 0);
  pthread_barrier_wait(&shared.barrier);
  CALL(cuCtxDestroy(shared.context));
  pthread_barrier_wait(&shared.barrier);
  CHECK(pthread_join(thread, NULL) == 0);
}

typedef struct migrant {
  pthread_mutex_t lock;
  CUcontext context;
  CUfunction increment;
  CUdeviceptr cell;
} migrant;

static void *use_in_turn(void *argument) {
  migrant *shared = argument;
  for (int i = 0; i < 10; ++i) {
    CHECK(pthread_mutex_lock(&shared->lock) == 0);
    CALL(cuCtxPushCurrent(shared->context));
    uint32_t before = read_word(shared->cell, NULL);
    CALL(cuLaunchKernel(shared->increment, 1, 1, 1, 1, 1, 1, 0, NULL,
                        (void *[]){&shared->cell}, NULL));
    CHECK(read_word(shared->cell, NULL) == before + 1);
    CUcontext popped;
    CALL(cuCtxPopCurrent(&popped));
    CHECK(popped == shared->context && get_current() == NULL);
    CHECK(pthread_mutex_unlock(&shared->lock) == 0);
  }
  return NULL;
}

/// "floating contexts": what is made in a context is used by any thread that
/// has pushed it, a thread at a time.
void test_context_goes_from_thread_to_thread(void) {
  enum { THREADS = 3 };
  pthread_t threads[THREADS];
  migrant shared = {.context = make_context(0),
                    .increment = make_kernel(0, "increment"),
                    .cell = make_memory(4)};
  CHECK(pthread_mutex_init(&shared.lock, NULL) == 0);
  CALL(cuMemsetD32(shared.cell, 0, 1));
  CALL(cuCtxPopCurrent(NULL));
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_create(&threads[i], NULL, use_in_turn, &shared) == 0);
  for (int i = 0; i < THREADS; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CALL(cuCtxPushCurrent(shared.context));
  CHECK(read_word(shared.cell, NULL) == THREADS * 10);
  CALL(cuMemFree(shared.cell));
  CALL(cuCtxDestroy(shared.context));
}

/// Two contexts of a device work side by side.
void test_context_owns_what_is_made_in_it(void) {
  CUcontext contexts[2];
  CUdeviceptr cells[2];
  CUstream streams[2];
  CUfunction increment[2];
  for (int i = 0; i < 2; ++i) {
    contexts[i] = make_context(0);
    cells[i] = make_memory(4);
    increment[i] = make_kernel(0, "increment");
    CALL(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    CALL(cuMemsetD32Async(cells[i], (unsigned)i * 10, 1, streams[i]));
  }
  for (int i = 0; i < 2; ++i) {
    CALL(cuCtxSetCurrent(contexts[i]));
    CALL(cuLaunchKernel(increment[i], 1, 1, 1, 1, 1, 1, 0, streams[i],
                        (void *[]){&cells[i]}, NULL));
  }
  for (int i = 0; i < 2; ++i) {
    CALL(cuCtxSetCurrent(contexts[i]));
    CHECK(read_word(cells[i], streams[i]) == (uint32_t)i * 10 + 1);
  }
  // The end of one is not the other's.
  CALL(cuCtxDestroy(contexts[1]));
  CALL(cuCtxSetCurrent(contexts[0]));
  CALL(cuLaunchKernel(increment[0], 1, 1, 1, 1, 1, 1, 0, streams[0],
                      (void *[]){&cells[0]}, NULL));
  CHECK(read_word(cells[0], streams[0]) == 2);
}

/// "Each context has its own distinct address space. As a result, CUdeviceptr
/// values from different contexts reference different memory locations." (CUDA
/// C++ Programming Guide, driver API) What a real device then does is
/// undefined.
void test_context_has_addresses_of_its_own(void) {
  int major;
  CALL(cuDeviceGetAttribute(&major,
                            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
  if (major) {
    fprintf(stderr, "the device is a real one\n");
    exit(77);
  }
  CUcontext first = make_context(0);
  CUdeviceptr theirs = make_memory(4);
  make_context(0);
  CALL(cuLaunchKernel(make_kernel(0, "increment"), 1, 1, 1, 1, 1, 1, 0, NULL,
                      (void *[]){&theirs}, NULL));
  EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  CALL(cuCtxSetCurrent(first)); // whose business it is not
  CALL(cuMemFree(theirs));
  CALL(cuCtxSynchronize());
}

/// "Destroys and cleans up all resources associated with the context."
/// (cuCtxDestroy)
void test_context_gives_back_what_it_owns(void) {
  // One that stays, so that the others are not the last.
  CUcontext first = make_context(0);
  size_t before, after, total;
  CALL(cuMemGetInfo(&before, &total));
  for (int i = 0; i < 20; ++i) {
    CUcontext context = make_context(0);
    CUstream stream;
    CUevent event;
    CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CALL(cuEventCreate(&event, 0));
    CUdeviceptr memory = make_memory(total / 4);
    CUfunction pause = make_kernel(0, "pause");
    uint64_t ns = 1000000;
    CALL(cuLaunchKernel(pause, 1, 1, 1, 1, 1, 1, 0, stream,
                        (void *[]){&memory, &ns}, NULL));
    CALL(cuEventRecord(event, stream));
    CALL(cuCtxDestroy(context));
  }
  CHECK(get_current() == first);
  CALL(cuMemGetInfo(&after, &total));
  CHECK(after + total / 4 > before);
}

/// "Blocks until the device has completed all preceding requested tasks" of the
/// context, in whatever stream (cuCtxSynchronize).
void test_context_is_waited_for(void) {
  CUcontext context = make_context(0);
  CUfunction pause = make_kernel(0, "pause");
  uint64_t ns = 20000000;
  CUdeviceptr cells = make_memory(16);
  CUstream streams[4], other;
  CALL(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  CALL(cuMemsetD32Async(cells, 0, 4, other));
  CALL(cuStreamSynchronize(other));
  for (int i = 0; i < 4; ++i) {
    CUdeviceptr cell = cells + 4 * (unsigned)i;
    CALL(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    CALL(cuLaunchKernel(pause, 1, 1, 1, 1, 1, 1, 0, streams[i],
                        (void *[]){&cell, &ns}, NULL));
  }
  CALL(cuStreamDestroy(streams[3])); // its work goes on
  CALL(cuCtxSynchronize());
  for (unsigned i = 0; i < 4; ++i)
    CHECK(read_word(cells + 4 * i, other) == 1);
  CALL(cuCtxDestroy(context));
}

/// "hEvent and hStream must be from the same context." (cuEventRecord)
void test_contexts_keep_their_handles_apart(void) {
  make_context(0);
  CUevent event;
  CALL(cuEventCreate(&event, 0));
  make_context(0);
  CUstream stream;
  CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  EXPECT(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(event, stream));
}

/// "Explicitly destroys and cleans up all resources associated with the current
/// device in the current process. ... Resetting the primary context does not
/// release it, an application that has retained the primary context should
/// explicitly release its usage." (cuDevicePrimaryCtxReset)
void test_primary_context_is_reset(void) {
  need("cuDevicePrimaryCtxReset_v2");
  need("cuDevicePrimaryCtxGetState");
  unsigned flags;
  int active = 1;
  CALL(cuDevicePrimaryCtxGetState(0, &flags, &active));
  CHECK(!active);
  CUcontext context;
  CALL(cuDevicePrimaryCtxRetain(&context, 0));
  CALL(cuDevicePrimaryCtxGetState(0, &flags, &active));
  CHECK(active);
  CALL(cuCtxSetCurrent(context));
  CUstream stream;
  CALL(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CALL(cuMemsetD32Async(make_memory(16), 1, 4, stream));
  CALL(cuDevicePrimaryCtxReset(0));
  CALL(cuDevicePrimaryCtxGetState(0, &flags, &active));
  CHECK(!active);
  CUdeviceptr pointer;
  EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&pointer, 16));
  CALL(cuDevicePrimaryCtxRelease(0));
  EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
  CALL(cuDevicePrimaryCtxRetain(&context, 0));
  CALL(cuCtxSetCurrent(context));
  CALL(cuMemFree(make_memory(16)));
  CALL(cuDevicePrimaryCtxRelease(0));
}

void test_primary_context_has_flags(void) {
  need("cuDevicePrimaryCtxSetFlags_v2");
  unsigned flags = 0;
  int active;
  CALL(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_BLOCKING_SYNC));
  CALL(cuDevicePrimaryCtxGetState(0, &flags, &active));
  CHECK(flags & CU_CTX_SCHED_BLOCKING_SYNC);
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuDevicePrimaryCtxSetFlags(0, 1u << 20));
  CUcontext context;
  CALL(cuDevicePrimaryCtxRetain(&context, 0));
  CALL(cuCtxSetCurrent(context));
  CALL(cuCtxGetFlags(&flags));
  CHECK(flags & CU_CTX_SCHED_BLOCKING_SYNC);
  CALL(cuDevicePrimaryCtxRelease(0));
}

/// "Using this function on primary contexts is not allowed": they are released.
void test_primary_context_is_not_destroyed(void) {
  CUcontext context;
  need("cuCtxDestroy_v2");
  CALL(cuDevicePrimaryCtxRetain(&context, 0));
  EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(context));
  CALL(cuCtxSetCurrent(context));
  CALL(cuMemFree(make_memory(16)));
  CALL(cuDevicePrimaryCtxRelease(0));
}
