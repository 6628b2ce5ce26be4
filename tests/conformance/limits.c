//===- limits.c - What a card has a limited number of ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits that a driver may have, and that the emulated device has by default:
// on every driver the work gets done, and on the emulated device the limit is
// seen. Above each test is what the manual says.
//
//===----------------------------------------------------------------------===//

#include "conformance.h"
#include "driver_api/values.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

/// Gives a thread that should have stopped the time to go on.
static void wait_a_while(void) { usleep(50000); }

static void do_nothing(void *argument) { (void)argument; }

typedef struct filler {
  const bench *b;
  CUcontext context;
  CUstream stream;
  CUfunction increment;
  CUdeviceptr cell;
  uint32_t *seen;
  CUevent event;
  atomic_int calls; ///< that have returned
} filler;

enum { CALLS = 5000 };

/// Every kind of call that enqueues.
static void *fill_stream(void *argument) {
  filler *own = argument;
  const bench *b = own->b;
  CALL(cuCtxSetCurrent(own->context));
  for (int i = 0; i < CALLS; ++i) {
    if (i % 5 == 0)
      launch(b, own->increment, 1, 1, own->stream, (void *[]){&own->cell});
    else if (i % 5 == 1)
      CALL(cuEventRecord(own->event, own->stream));
    else if (i % 5 == 2)
      CALL(cuLaunchHostFunc(own->stream, do_nothing, NULL));
    else if (i % 5 == 3)
      CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)own->seen, own->cell, 4,
                         own->stream));
    else
      CALL(cuStreamWaitEvent(own->stream, own->event, 0));
    atomic_fetch_add(&own->calls, 1);
  }
  return NULL;
}

/// "Any CUDA API call may block or synchronize for various reasons such as
/// contention for or unavailability of internal resources. Such behavior is
/// subject to change and undocumented behavior should not be relied upon."
/// (API synchronization behavior) Cards have about 1,024 entries a stream.
void test_stream_holds_up_who_fills_it(const bench *b) {
  const char *setting = getenv("ASYNC_GPU_EMU_QUEUE");
  int limit = setting ? atoi(setting) : 1024; // 0: none
  filler own = {.b = b, .stream = make_stream(b), .event = make_event(b)};
  CUstream other = make_stream(b);
  CUevent elsewhere = make_event(b);
  own.increment = get_kernel(b, load_kernels(b), "increment");
  own.cell = make_memory(b, 4);
  own.seen = make_pinned(b, 4);
  CALL(cuDevicePrimaryCtxRetain(&own.context, b->device));
  CALL(cuMemsetD32Async(own.cell, 0, 1, own.stream));
  CALL(cuStreamSynchronize(own.stream));
  gate g;
  pthread_t thread;
  gate_close(b, &g, own.stream);
  CHECK(pthread_create(&thread, NULL, fill_stream, &own) == 0);
  if (b->is_emulated && limit) {
    while (atomic_load(&own.calls) < limit - 1) // the gate has one entry
      usleep(100);
    wait_a_while();
    CHECK(atomic_load(&own.calls) == limit - 1);
  }
  // Other streams have queues of their own; a thread that waits in a
  // card's driver may hold a lock.
  for (int i = 0; i < 10 && b->is_emulated; ++i)
    CALL(cuEventRecord(elsewhere, other));
  gate_open(&g);
  CHECK(pthread_join(thread, NULL) == 0);
  CALL(cuStreamSynchronize(own.stream));
  CALL(cuStreamSynchronize(other));
  CHECK(*own.seen == CALLS / 5);
  CALL(cuMemFreeHost(own.seen));
  CALL(cuMemFree(own.cell));
  CALL(cuEventDestroy(own.event));
  CALL(cuEventDestroy(elsewhere));
  CALL(cuStreamDestroy(own.stream));
  CALL(cuStreamDestroy(other));
  CALL(cuDevicePrimaryCtxRelease(b->device));
}

static void set_flag(void *flag) { atomic_store((atomic_bool *)flag, true); }

/// "Host functions without a mandated order (such as in independent streams)
/// execute in undefined order and may be serialized." (cuLaunchHostFunc)
void test_host_functions_take_turns(const bench *b) {
  CUstream held = make_stream(b), other = make_stream(b);
  static atomic_bool ran;
  gate g;
  gate_close(b, &g, held);
  // Which of the two comes first is nobody's promise.
  while (b->is_emulated && sem_trywait(&g.begun))
    usleep(100);
  CALL(cuLaunchHostFunc(other, set_flag, &ran));
  if (b->is_emulated) {
    wait_a_while();
    CHECK(!atomic_load(&ran));
    EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(other));
  }
  gate_open(&g);
  CALL(cuStreamSynchronize(held));
  CALL(cuStreamSynchronize(other));
  CHECK(atomic_load(&ran));
  CALL(cuStreamDestroy(held));
  CALL(cuStreamDestroy(other));
}

/// "CUDA_DEVICE_MAX_CONNECTIONS: 1 to 32 (default is 8). Sets the number of
/// compute and copy engine concurrent connections (work queues) from the host
/// to each device" (CUDA C++ Programming Guide, environment variables). There
/// are more streams than connections, so that some share one, and what is in
/// those waits for what was enqueued before it in another stream.
void test_streams_may_share_a_connection(const bench *b) {
  enum { STREAMS = 33 };
  const char *setting = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  int connections = setting ? atoi(setting) : 8;
  if (!setting && getenv("ASYNC_GPU_EMU_SEED"))
    connections = 32;
  CUstream streams[STREAMS];
  for (int i = 0; i < STREAMS; ++i)
    streams[i] = make_stream(b);
  CUdeviceptr cells = make_memory(b, 4 * STREAMS);
  uint32_t seen[STREAMS] = {0};
  upload(b, cells, seen, sizeof seen);
  gate g;
  gate_close(b, &g, streams[0]);
  for (unsigned i = 1; i < STREAMS; ++i)
    CALL(cuMemsetD32Async(cells + 4 * i, i, 1, streams[i]));
  if (b->is_emulated) {
    // A stream has the connection of the one that came so many before it.
    for (int i = 1; i < STREAMS; ++i)
      if (i % connections)
        CALL(cuStreamSynchronize(streams[i]));
    wait_a_while();
    for (int i = 0; i < STREAMS; i += connections)
      EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(streams[i]));
  }
  gate_open(&g);
  for (int i = 0; i < STREAMS; ++i)
    CALL(cuStreamSynchronize(streams[i]));
  download(b, seen, cells, sizeof seen);
  for (unsigned i = 0; i < STREAMS; ++i)
    CHECK(seen[i] == i);
  for (int i = 0; i < STREAMS; ++i)
    CALL(cuStreamDestroy(streams[i]));
  CALL(cuMemFree(cells));
}

static void count(void *counter) { ++*(int *)counter; }

/// What was enqueued behind a host function comes after it where their streams
/// share a connection, and an event in front of that may be over before.
void test_host_functions_may_hold_up_other_streams(const bench *b) {
  enum { ROUNDS = 3, LONG = 1 << 24 };
  CUstream first = make_stream(b), second = make_stream(b);
  CUdeviceptr cells = make_memory(b, 4 * LONG), cell = make_memory(b, 4);
  CUevent event;
  CALL(cuEventCreate(&event, 0));
  int counter = 0;
  for (unsigned i = 0; i < ROUNDS; ++i) {
    uint32_t seen = 0;
    CALL(cuMemsetD32Async(cells, i, LONG, first));
    CALL(cuLaunchHostFunc(first, count, &counter));
    CALL(cuEventRecord(event, second));
    CALL(cuMemsetD32Async(cell, i + 1, 1, second));
    CALL(cuStreamSynchronize(second));
    download(b, &seen, cell, sizeof seen);
    CHECK(seen == i + 1);
    CALL(cuStreamSynchronize(first));
    CHECK(counter == (int)i + 1);
  }
  CALL(cuEventDestroy(event));
  CALL(cuStreamDestroy(first));
  CALL(cuStreamDestroy(second));
  CALL(cuMemFree(cell));
  CALL(cuMemFree(cells));
}

static void run_await(void *const *params, const agpu_native_block *block) {
  (void)block;
  while (!atomic_load(*(_Atomic uint32_t *const *)params[0]))
    usleep(100);
}

/// A kernel that has begun holds up only its own stream: what another one of
/// its connection does can end it.
void test_emu_kernels_of_a_connection_run_together(const bench *b) {
  CUstream first = make_stream(b), second = make_stream(b);
  static const uint32_t pointer[] = {8};
  static const agpu_native_kernel kernel = {.name = "await",
                                            .run = run_await,
                                            .param_sizes = pointer,
                                            .param_count = 1};
  static const agpu_native_image image = {AGPU_NATIVE_MAGIC, 1, &kernel};
  CUmodule module;
  CALL(cuModuleLoadDataEx(&module, &image, 0, NULL, NULL));
  CUfunction await = get_kernel(b, module, "await");
  static atomic_bool ended;
  uint32_t *flag = make_pinned(b, 4);
  atomic_store((_Atomic uint32_t *)flag, 0);
  CUdeviceptr at = (CUdeviceptr)(uintptr_t)flag;
  launch(b, await, 1, 1, first, (void *[]){&at});
  CALL(cuMemsetD32Async(at, 1, 1, second));
  CALL(cuLaunchHostFunc(first, set_flag, &ended));
  CALL(cuStreamSynchronize(first));
  CHECK(atomic_load(&ended));
  CALL(cuMemFreeHost(flag));
  CALL(cuStreamDestroy(first));
  CALL(cuStreamDestroy(second));
}

/// The largest there is, on 64-bit ARM: a multiple of all others.
enum { PAGE = 65536 };

/// "Page-locks the memory range specified by p and bytesize"
/// (cuMemHostRegister): pages are locked once, so that two ranges that share
/// one may be too many.
void test_registration_is_by_page(const bench *b) {
  unsigned char *memory = aligned_alloc(PAGE, 2 * PAGE);
  CHECK(memory);
  memset(memory, 0, 2 * PAGE);
  CALL(cuMemHostRegister(memory, 64, CU_MEMHOSTREGISTER_PORTABLE));
  CUresult result = b->driver->cuMemHostRegister(memory + 128, 64,
                                                 CU_MEMHOSTREGISTER_PORTABLE);
  CHECK(result == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED ||
        (!b->is_emulated && result == CUDA_SUCCESS));
  if (!result)
    CALL(cuMemHostUnregister(memory + 128));
  CALL(cuMemHostRegister(memory + PAGE, 64, CU_MEMHOSTREGISTER_PORTABLE));
  CALL(cuMemHostUnregister(memory + PAGE));
  CALL(cuMemHostUnregister(memory));
  // Now the page is free.
  CALL(cuMemHostRegister(memory + 128, 64, CU_MEMHOSTREGISTER_PORTABLE));
  CALL(cuMemHostUnregister(memory + 128));
  free(memory);
}

static bool has(const bench *b, CUdevice_attribute attribute) {
  int value = 0;
  return !b->driver->cuDeviceGetAttribute(&value, attribute, b->device) &&
         value;
}

/// "On platforms without CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_
/// PAGE_TABLES, this flag is required in order to register memory mapped to the
/// CPU as read-only." (CU_MEMHOSTREGISTER_READ_ONLY)
void test_registration_of_memory_to_read(const bench *b) {
  if (!has(b, CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED))
    exit(SKIPPED);
  uint32_t *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  *memory = 42;
  CHECK(mprotect(memory, PAGE, PROT_READ) == 0);
  if (b->is_emulated)
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cuMemHostRegister(memory, PAGE, CU_MEMHOSTREGISTER_DEVICEMAP));
  CALL(cuMemHostRegister(memory, PAGE,
                         CU_MEMHOSTREGISTER_DEVICEMAP |
                             CU_MEMHOSTREGISTER_READ_ONLY));
  CUstream stream = make_stream(b);
  CUdeviceptr cell = make_memory(b, 4);
  uint32_t seen = 0;
  CALL(cuMemcpyAsync(cell, (CUdeviceptr)(uintptr_t)memory, 4, stream));
  CALL(cuStreamSynchronize(stream));
  download(b, &seen, cell, 4);
  CHECK(seen == 42);
  CALL(cuMemHostUnregister(memory));
  CHECK(munmap(memory, PAGE) == 0);
  CALL(cuMemFree(cell));
  CALL(cuStreamDestroy(stream));
}

/// "Device supports coherently accessing pageable memory without calling
/// cudaHostRegister on it" (PAGEABLE_MEMORY_ACCESS), and then "can coherently
/// access managed memory concurrently with the CPU"
/// (CONCURRENT_MANAGED_ACCESS). Elsewhere a kernel that does so fails.
void test_kernels_reach_what_the_device_says(const bench *b) {
  bool reaches = has(b, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS);
  if (reaches)
    CHECK(has(b, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS));
  else
    CHECK(!has(
        b, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES));
  if (b->is_emulated) {
    const char *kind = getenv("ASYNC_GPU_EMU_MEMORY");
    CHECK(reaches == (kind && !strcmp(kind, "unified")));
    CHECK(has(b, CU_DEVICE_ATTRIBUTE_INTEGRATED) == reaches);
  }
  uint32_t *memory = malloc(sizeof *memory), local = 1;
  CHECK(memory);
  *memory = 41;
  CUmodule module = load_kernels(b);
  CUfunction increment = get_kernel(b, module, "increment");
  CUstream stream = make_stream(b);
  CUdeviceptr at = (CUdeviceptr)(uintptr_t)memory;
  CUdeviceptr on_stack = (CUdeviceptr)(uintptr_t)&local;
  launch(b, increment, 1, 1, stream, (void *[]){&at});
  if (reaches)
    launch(b, increment, 1, 1, stream, (void *[]){&on_stack});
  EXPECT(reaches ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS,
         cuStreamSynchronize(stream));
  CHECK(*memory == (reaches ? 42 : 41));
  CHECK(local == (reaches ? 2 : 1));
  free(memory);
}

/// Whether the host may read there: the kernel of the system says so without a
/// signal. (QEMU has no process_vm_readv.)
static bool is_readable(const void *memory) {
  int ends[2];
  CHECK(!pipe(ends));
  bool is = write(ends[1], memory, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return is;
}

/// "the GPU has exclusive access to all managed data while any kernel is
/// executing", without CONCURRENT_MANAGED_ACCESS; and "explicit synchronization
/// is required even if kernel runs quickly and finishes before the CPU touches"
/// it. (CUDA C++ Programming Guide, coherency and concurrency) A driver may say
/// that it is not concurrent and let the host in all the same.
void test_managed_memory_is_the_devices_while_it_works(const bench *b) {
  bool is_concurrent = has(b, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS);
  if (b->is_emulated) {
    const char *managed = getenv("ASYNC_GPU_EMU_MANAGED");
    CHECK(is_concurrent == !(managed && !strcmp(managed, "exclusive")));
  }
  CUdeviceptr memory, other = make_memory(b, 4), late;
  CALL(cuMemAllocManaged(&memory, 4, CU_MEM_ATTACH_GLOBAL));
  uint32_t *host = (uint32_t *)(uintptr_t)memory;
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  CUstream stream = make_stream(b);
  CUevent event;
  CALL(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  *host = 5;
  launch(b, increment, 1, 1, stream, (void *[]){&memory});
  CHECK(is_readable(host) == is_concurrent || !b->is_emulated);
  CALL(cuStreamSynchronize(stream));
  CHECK(is_readable(host) && *host == 6);
  // All of it, whatever the kernel has been given.
  launch(b, increment, 1, 1, stream, (void *[]){&other});
  CALL(cuMemAllocManaged(&late, 4, CU_MEM_ATTACH_GLOBAL));
  CHECK(is_readable(host) == is_concurrent || !b->is_emulated);
  CHECK(is_readable((void *)(uintptr_t)late) == is_concurrent ||
        !b->is_emulated);
  CALL(cuEventRecord(event, stream));
  CALL(cuEventSynchronize(event));
  CHECK(is_readable(host) && is_readable((void *)(uintptr_t)late));
  // What is no kernel leaves it alone.
  CALL(cuMemsetD32Async(memory, 8, 1, stream));
  CALL(cuStreamSynchronize(stream));
  CHECK(*host == 8);
  launch(b, increment, 1, 1, stream, (void *[]){&memory});
  CALL(cuEventRecord(event, stream));
  while (b->driver->cuEventQuery(event) == CUDA_ERROR_NOT_READY)
    ;
  CHECK(*host == 9);
  CALL(cuMemFree(late));
  CALL(cuMemFree(memory));
  CALL(cuMemFree(other));
  CALL(cuEventDestroy(event));
  CALL(cuStreamDestroy(stream));
}

/// "treated as pointing to memory that is considered read-only by the device"
/// (CU_MEMHOSTREGISTER_READ_ONLY), whatever the host may do with it.
void test_emu_write_of_memory_to_read_is_sticky(const bench *b) {
  uint32_t *memory = aligned_alloc(PAGE, PAGE);
  CHECK(memory);
  CUdeviceptr at = (CUdeviceptr)(uintptr_t)memory;
  CALL(cuMemHostRegister(memory, PAGE, CU_MEMHOSTREGISTER_READ_ONLY));
  CUstream stream = make_stream(b);
  *memory = 7;
  CALL(cuMemsetD32Async(at, 1, 4, stream));
  EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
  CHECK(*memory == 7);
  free(memory);
}

typedef struct launcher {
  const bench *b;
  CUcontext context;
  CUmodule module;
  CUstream stream;
  CUdeviceptr cell;
  atomic_bool has_launched;
} launcher;

static void *launch_for_the_first_time(void *argument) {
  launcher *own = argument;
  const bench *b = own->b;
  CUfunction increment;
  CALL(cuCtxSetCurrent(own->context));
  CALL(cuModuleGetFunction(&increment, own->module, "increment"));
  launch(b, increment, 1, 1, own->stream, (void *[]){&own->cell});
  atomic_store(&own->has_launched, true);
  return NULL;
}

/// "Loading kernels may require context synchronization. Some programs
/// incorrectly treat the possibility of concurrent execution of kernels as a
/// guarantee." (CUDA C++ Programming Guide, lazy loading)
void test_loading_may_wait_for_the_context(const bench *b) {
  launcher own = {.b = b,
                  .module = load_kernels(b),
                  .stream = make_stream(b),
                  .cell = make_memory(b, 4)};
  CUstream held = make_stream(b);
  uint32_t value = 0;
  upload(b, own.cell, &value, 4);
  CALL(cuDevicePrimaryCtxRetain(&own.context, b->device));
  gate g;
  pthread_t thread;
  gate_close(b, &g, held);
  CHECK(pthread_create(&thread, NULL, launch_for_the_first_time, &own) == 0);
  if (b->is_emulated) {
    wait_a_while();
    CHECK(!atomic_load(&own.has_launched));
  }
  gate_open(&g);
  CHECK(pthread_join(thread, NULL) == 0);
  CALL(cuStreamSynchronize(own.stream));
  download(b, &value, own.cell, 4);
  CHECK(value == 1);
  CALL(cuMemFree(own.cell));
  CALL(cuModuleUnload(own.module));
  CALL(cuStreamDestroy(own.stream));
  CALL(cuStreamDestroy(held));
  CALL(cuDevicePrimaryCtxRelease(b->device));
}

/// "Preload all kernels that you hope to execute concurrently prior to trying
/// to execute them concurrently." (the same)
void test_kernels_that_are_loaded_wait_for_nothing(const bench *b) {
  CUstream held = make_stream(b), other = make_stream(b);
  CUdeviceptr cell = make_memory(b, 4);
  uint32_t value = 0;
  upload(b, cell, &value, 4);
  CUmodule module = load_kernels(b);
  CUfunction increment;
  CALL(cuModuleGetFunction(&increment, module, "increment"));
  load_kernel(b, increment);
  gate g;
  gate_close(b, &g, held);
  launch(b, increment, 1, 1, other, (void *[]){&cell});
  CALL(cuStreamSynchronize(other));
  EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(held));
  gate_open(&g);
  CALL(cuStreamSynchronize(held));
  download(b, &value, cell, 4);
  CHECK(value == 1);
  CALL(cuMemFree(cell));
  CALL(cuModuleUnload(module));
  CALL(cuStreamDestroy(held));
  CALL(cuStreamDestroy(other));
}

static uint64_t get_reserved(const bench *b, CUmemoryPool pool) {
  uint64_t bytes = 0;
  CALL(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
                             &bytes));
  return bytes;
}

/// "Amount of reserved memory in bytes to hold onto before trying to release
/// memory back to the OS. When more than the release threshold bytes of memory
/// are held by the memory pool, the allocator will try to release memory back
/// to the OS on the next call to stream, event or context synchronize. (default
/// 0)" (cuMemPoolSetAttribute)
void test_pools_keep_what_their_threshold_says(const bench *b) {
  if (!has_memory_pools(b) || !b->driver->cuDeviceGetDefaultMemPool ||
      !b->driver->cuMemPoolSetAttribute || !b->driver->cuMemPoolGetAttribute ||
      !b->driver->cuMemPoolTrimTo)
    exit(SKIPPED);
  const size_t bytes = (size_t)64 << 20;
  CUstream stream = make_stream(b);
  CUmemoryPool pool;
  CUdeviceptr memory;
  uint64_t threshold = 1;
  size_t before, kept, total;
  CALL(cuDeviceGetDefaultMemPool(&pool, b->device));
  CALL(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                             &threshold));
  CHECK(threshold == 0);
  CALL(cuMemAllocAsync(&memory, bytes, stream));
  CHECK(get_reserved(b, pool) >= bytes);
  CALL(cuMemFreeAsync(memory, stream));
  CALL(cuStreamSynchronize(stream));
  CHECK(get_reserved(b, pool) == 0);

  threshold = UINT64_MAX;
  CALL(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                             &threshold));
  CALL(cuMemGetInfo(&before, &total));
  CALL(cuMemAllocAsync(&memory, bytes, stream));
  CALL(cuMemFreeAsync(memory, stream));
  CALL(cuStreamSynchronize(stream));
  uint64_t reserved = get_reserved(b, pool), used = 1;
  CHECK(reserved >= bytes);
  CALL(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  CHECK(used == 0);
  CALL(cuMemGetInfo(&kept, &total));
  CHECK(kept + bytes <= before);
  // What is kept is used again.
  CALL(cuMemAllocAsync(&memory, bytes, stream));
  CHECK(get_reserved(b, pool) == reserved);
  // "The allocator cannot release OS allocations that back outstanding
  // asynchronous allocations." (cuMemPoolTrimTo)
  CALL(cuMemPoolTrimTo(pool, 0));
  CHECK(get_reserved(b, pool) >= bytes);
  CALL(cuMemFreeAsync(memory, stream));
  CALL(cuStreamSynchronize(stream));
  CALL(cuMemPoolTrimTo(pool, 0));
  CHECK(get_reserved(b, pool) == 0);
  CALL(cuStreamDestroy(stream));
}
