//===- memory.c - Allocation, copies and fills ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conformance.h"
#include "driver_api/values.h"

#define COUNT 1000

void test_copies_in_every_direction(const bench *b) {
  static uint32_t source[COUNT], target[COUNT];
  CUstream stream = make_stream(b);
  CUdeviceptr one = make_memory(b, sizeof source);
  CUdeviceptr two = make_memory(b, sizeof source);
  for (uint32_t i = 0; i < COUNT; ++i)
    source[i] = i * 2654435761u;
  CUdeviceptr from = (CUdeviceptr)(uintptr_t)source;
  CUdeviceptr to = (CUdeviceptr)(uintptr_t)target;
  CALL(cuMemcpyAsync(one, from, sizeof source, stream));
  CALL(cuMemcpyAsync(two + 4, one, sizeof source - 4, stream));
  CALL(cuMemcpyAsync(two, one, 4, stream));
  CALL(cuMemcpyAsync(to, two, sizeof source, stream));
  CALL(cuMemcpyAsync(to, two, 0, stream));
  CALL(cuStreamSynchronize(stream));
  CHECK(target[0] == source[0]);
  for (uint32_t i = 1; i < COUNT; ++i)
    CHECK(target[i] == source[i - 1]);
  // Host to host goes the same way.
  CALL(cuMemcpyAsync(to, from, sizeof source, stream));
  CALL(cuStreamSynchronize(stream));
  CHECK(memcmp(source, target, sizeof source) == 0);
  CALL(cuMemFree(one));
  CALL(cuMemFree(two));
  CALL(cuStreamDestroy(stream));
}

void test_copies_of_odd_sizes(const bench *b) {
  static const size_t sizes[] = {1, 2, 3, 5, 7, 15, 17, 63, 255, 1021, 4099};
  static unsigned char source[8192], seen[8192];
  CUstream stream = make_stream(b);
  CUdeviceptr one = make_memory(b, sizeof source);
  CUdeviceptr two = make_memory(b, sizeof source);
  for (size_t i = 0; i < sizeof source; ++i)
    source[i] = (unsigned char)(i * 37 + 11);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    // Up, over and down, from and to odd places; what is beside stays.
    size_t size = sizes[s], from = 2 * s + 1, to = 3 * s + 2;
    memset(seen, 0xee, sizeof seen);
    CALL(cuMemsetD8Async(two, 0xdd, sizeof source, stream));
    CALL(cuMemcpyAsync(one + to, (CUdeviceptr)(uintptr_t)(source + from), size,
                       stream));
    CALL(cuMemcpyAsync(two + from, one + to, size, stream));
    CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)(seen + 1), two + from - 1,
                       size + 2, stream));
    CALL(cuStreamSynchronize(stream));
    CHECK(seen[0] == 0xee && seen[1] == 0xdd);
    CHECK(memcmp(seen + 2, source + from, size) == 0);
    CHECK(seen[size + 2] == 0xdd && seen[size + 3] == 0xee);
  }
  CALL(cuMemFree(one));
  CALL(cuMemFree(two));
  CALL(cuStreamDestroy(stream));
}

void test_stream_ordered_free_on_another_stream(const bench *b) {
  if (!has_memory_pools(b))
    exit(SKIPPED);
  CUstream owner = make_stream(b), last = make_stream(b);
  CUevent used = make_event(b);
  CUdeviceptr memory, next;
  uint32_t *seen = make_pinned(b, 4);
  gate g;
  gate_close(b, &g, owner);
  CALL(cuMemAllocAsync(&memory, 64, owner));
  CALL(cuMemsetD32Async(memory, 3, 16, owner));
  CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)seen, memory + 60, 4, owner));
  CALL(cuEventRecord(used, owner));
  CALL(cuStreamWaitEvent(last, used, 0));
  CALL(cuMemFreeAsync(memory, last));
  // Behind the free it may be the same memory, and is another allocation.
  CALL(cuMemAllocAsync(&next, 64, last));
  CALL(cuMemsetD32Async(next, 4, 16, last));
  EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(last));
  gate_open(&g);
  CALL(cuStreamSynchronize(last));
  CHECK(*seen == 3);
  CALL(cuMemFreeHost(seen));
  // What streams ordered can be freed without one, too.
  CALL(cuMemFree(next));
  CALL(cuEventDestroy(used));
  CALL(cuStreamDestroy(owner));
  CALL(cuStreamDestroy(last));
}

void test_pageable_copies_hold_up_their_caller(const bench *b) {
  CUstream stream = make_stream(b);
  CUdeviceptr cell = make_memory(b, 4);
  uint32_t value = 0, seen = 0;
  for (uint32_t i = 1; i <= 100; ++i) {
    // What is copied to the device has been read when the call returns, what is
    // copied from it has been written.
    value = i;
    CALL(cuMemcpyAsync(cell, (CUdeviceptr)(uintptr_t)&value, 4, stream));
    value = 0;
    CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)&seen, cell, 4, stream));
    CHECK(seen == i);
  }
  CALL(cuMemFree(cell));
  CALL(cuStreamDestroy(stream));
}

void test_differs_managed_memory_of_the_host(const bench *b) {
  // Attached to the host alone (2), until a stream asks for it: the emulated
  // driver does not keep memory from a device, and refuses to seem to.
  CUdeviceptr memory = 0;
  EXPECT(b->is_emulated ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS,
         cuMemAllocManaged(&memory, 64, 2));
  if (memory)
    CALL(cuMemFree(memory));
}

void test_fills_of_every_width(const bench *b) {
  static unsigned char bytes[64];
  CUstream stream = make_stream(b);
  CUdeviceptr memory = make_memory(b, sizeof bytes);
  CALL(cuMemsetD8Async(memory, 0x11, sizeof bytes, stream));
  CALL(cuMemsetD16Async(memory + 2, 0x2233, 3, stream));
  CALL(cuMemsetD32Async(memory + 16, 0x44556677, 2, stream));
  CALL(cuMemsetD2D32Async(memory + 32, 8, 0x8899aabb, 1, 3, stream));
  CALL(cuMemsetD8Async(memory, 0xff, 0, stream)); // nothing
  CALL(cuStreamSynchronize(stream));
  download(b, bytes, memory, sizeof bytes);
  uint32_t word;
  uint16_t half;
  CHECK(bytes[0] == 0x11 && bytes[1] == 0x11 && bytes[8] == 0x11);
  for (int i = 0; i < 3; ++i) {
    memcpy(&half, bytes + 2 + 2 * i, 2);
    CHECK(half == 0x2233);
  }
  for (int i = 0; i < 2; ++i) {
    memcpy(&word, bytes + 16 + 4 * i, 4);
    CHECK(word == 0x44556677);
  }
  for (int i = 0; i < 4; ++i) {
    memcpy(&word, bytes + 32 + 8 * i, 4);
    CHECK(word == (i < 3 ? 0x8899aabb : 0x11111111));
    memcpy(&word, bytes + 36 + 8 * (i < 3 ? i : 2), 4);
    CHECK(word == 0x11111111);
  }
  EXPECT(CUDA_ERROR_INVALID_VALUE,
         cuMemsetD32Async(memory + 2, 0, 1, stream)); // misaligned
  CALL(cuMemFree(memory));
  CALL(cuStreamDestroy(stream));
}

void test_stream_ordered_memory(const bench *b) {
  if (!has_memory_pools(b))
    exit(SKIPPED);
  enum { BUFFERS = 200 };
  CUstream stream = make_stream(b), other = make_stream(b);
  CUevent allocated = make_event(b), used = make_event(b);
  uint32_t *seen = make_pinned(b, BUFFERS * sizeof *seen);
  gate g;
  gate_close(b, &g, stream); // nothing below has run when it is named
  for (uint32_t i = 0; i < BUFFERS; ++i) {
    CUdeviceptr memory;
    CALL(cuMemAllocAsync(&memory, 4 * (i + 1), stream));
    CALL(cuEventRecord(allocated, stream));
    CALL(cuStreamWaitEvent(other, allocated, 0));
    CALL(cuMemsetD32Async(memory, i, i + 1, other));
    CALL(cuMemcpyAsync((CUdeviceptr)(uintptr_t)&seen[i], memory + 4 * i, 4,
                       other));
    CALL(cuEventRecord(used, other));
    CALL(cuStreamWaitEvent(stream, used, 0));
    CALL(cuMemFreeAsync(memory, stream));
    if (i == 0)
      gate_open(&g);
  }
  CALL(cuStreamSynchronize(stream));
  for (uint32_t i = 0; i < BUFFERS; ++i)
    CHECK(seen[i] == i);
  CALL(cuMemFreeHost(seen));
  CALL(cuEventDestroy(allocated));
  CALL(cuEventDestroy(used));
  CALL(cuStreamDestroy(stream));
  CALL(cuStreamDestroy(other));
}

/// "When using cudaFree() to free memory allocated with cudaMallocAsync(), the
/// driver assumes that all accesses to the memory have been completed and
/// performs no further synchronization." (CUDA C++ Programming Guide,
/// stream-ordered memory allocator)
void test_stream_ordered_memory_is_freed_without_waiting(const bench *b) {
  if (!has_memory_pools(b))
    exit(SKIPPED);
  CUstream stream = make_stream(b), other = make_stream(b);
  CUdeviceptr memory;
  CALL(cuMemAllocAsync(&memory, 64, stream));
  CALL(cuStreamSynchronize(stream));
  gate g;
  gate_close(b, &g, other); // work that does not use the memory
  CALL(cuMemFree(memory));
  EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(other));
  gate_open(&g);
  CALL(cuStreamSynchronize(other));
  CALL(cuStreamDestroy(stream));
  CALL(cuStreamDestroy(other));
}

void test_allocation_limits(const bench *b) {
  CUdeviceptr memory = 0;
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&memory, 0));
  EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&memory, (size_t)1 << 60));
  CALL(cuMemFree(0));
  // Many sizes, all distinct and aligned to 256.
  enum { BLOCKS = 300 };
  static CUdeviceptr blocks[BLOCKS];
  for (size_t i = 0; i < BLOCKS; ++i) {
    CALL(cuMemAlloc(&blocks[i], 1 + i * 37));
    CHECK(blocks[i] % 256 == 0);
    for (size_t j = 0; j < i; ++j)
      CHECK(blocks[i] >= blocks[j] + 1 + j * 37 ||
            blocks[j] >= blocks[i] + 1 + i * 37);
  }
  for (size_t i = 0; i < BLOCKS; ++i)
    CALL(cuMemFree(blocks[i]));
  // Again and again, small and large: memory comes back. Few are large, since a
  // driver that is there for tests writes to all that it gives.
  for (int i = 0; i < 500; ++i) {
    CALL(cuMemAlloc(&memory, i % 20 ? 100 : (size_t)32 << 20));
    CALL(cuMemFree(memory));
  }
}

void test_memory_runs_out_and_comes_back(const bench *b) {
  enum { PIECES = 4 };
  size_t before, after, total;
  CUstream stream = make_stream(b);
  CUdeviceptr pieces[PIECES + 1], memory;
  if (b->is_emu) // a driver of CUDA 13.0 leaves out what is not asked for
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemGetInfo(NULL, &total));
  CALL(cuMemGetInfo(&before, &total));
  CHECK(before > 0 && before <= total);
  EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&memory, total + 1));
  // Each is less than what there is.
  size_t piece = before / PIECES, count = 0;
  CUresult result = CUDA_SUCCESS;
  while (count <= PIECES && !result) {
    result = b->driver->cuMemAlloc(&pieces[count], piece);
    count += !result;
  }
  CHECK(result == CUDA_ERROR_OUT_OF_MEMORY && count > 0 && count <= PIECES);
  CALL(cuMemGetInfo(&after, &total));
  CHECK(after < before);
  EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&memory, piece + (1 << 20)));
  // What is freed is there again, and works.
  CALL(cuMemFree(pieces[0]));
  CALL(cuMemAlloc(&pieces[0], piece));
  uint32_t last = 0;
  CUdeviceptr at = pieces[0] + (piece & ~(size_t)3) - 4;
  CALL(cuMemsetD32Async(at, 77, 1, stream));
  CALL(cuStreamSynchronize(stream));
  download(b, &last, at, 4);
  CHECK(last == 77);
  while (count)
    CALL(cuMemFree(pieces[--count]));
  CALL(cuMemGetInfo(&after, &total));
  CHECK(after + piece > before);
  if (has_memory_pools(b)) {
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY,
           cuMemAllocAsync(&memory, total + 1, stream));
    // Most of the memory, again and again: behind its free in the stream it is
    // there, whether the stream has come to that or not. A driver may wait for
    // the stream, so that a gate would not do.
    CUfunction pause = get_kernel(b, load_kernels(b), "pause");
    CUdeviceptr cell = make_memory(b, 4);
    uint64_t ns = 20000000;
    launch(b, pause, 1, 1, stream, (void *[]){&cell, &ns});
    for (int i = 0; i < 3; ++i) {
      CALL(cuMemAllocAsync(&memory, 3 * piece, stream));
      EXPECT(CUDA_ERROR_OUT_OF_MEMORY,
             cuMemAllocAsync(&pieces[0], 2 * piece, stream));
      CALL(cuMemFreeAsync(memory, stream));
    }
    CALL(cuStreamSynchronize(stream));
    CALL(cuMemFree(cell));
  }
  CALL(cuStreamDestroy(stream));
}

void test_emu_managed_memory_may_exceed_a_device(const bench *b) {
  // It is where it is used, on the device or the host. More than both have is
  // refused.
  CUdeviceptr memory;
  size_t free_bytes, total, left;
  CALL(cuMemGetInfo(&free_bytes, &total));
  CALL(cuMemAllocManaged(&memory, total + 4096, CU_MEM_ATTACH_GLOBAL));
  CALL(cuMemGetInfo(&left, &total));
  CHECK(left == free_bytes);
  CALL(cuMemFree(memory));
  EXPECT(CUDA_ERROR_OUT_OF_MEMORY,
         cuMemAllocManaged(&memory, (size_t)1 << 45, CU_MEM_ATTACH_GLOBAL));
}

void test_managed_memory_is_shared(const bench *b) {
  CUdeviceptr memory;
  CALL(cuMemAllocManaged(&memory, COUNT * 4, CU_MEM_ATTACH_GLOBAL));
  uint32_t *host = (uint32_t *)(uintptr_t)memory;
  host[0] = 5;
  CUstream stream = make_stream(b);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  launch(b, increment, 1, 1, stream, (void *[]){&memory});
  CALL(cuMemsetD32Async(memory + 4, 9, COUNT - 1, stream));
  CALL(cuStreamSynchronize(stream));
  CHECK(host[0] == 6 && host[1] == 9 && host[COUNT - 1] == 9);
  CALL(cuMemFree(memory));
  CALL(cuStreamDestroy(stream));
}

void test_host_allocation(const bench *b) {
  unsigned flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  CUstream stream = make_stream(b);
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  void *memory = NULL;
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemHostAlloc(&memory, 4096, 1u << 20));
  CALL(cuMemHostAlloc(&memory, 4096, flags));
  // A kernel writes it under the host's address.
  uint32_t *cells = memory;
  cells[1023] = 6;
  CUdeviceptr last = (CUdeviceptr)(uintptr_t)&cells[1023];
  launch(b, increment, 1, 1, stream, (void *[]){&last});
  CALL(cuStreamSynchronize(stream));
  CHECK(cells[1023] == 7);
  CALL(cuMemFreeHost(memory));
  EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(memory));
  CALL(cuStreamDestroy(stream));
}

void test_host_registration(const bench *b) {
  enum { PAGE = 65536 }; // the largest there is
  unsigned flags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
  unsigned char *memory = aligned_alloc(PAGE, 4 * PAGE);
  CHECK(memory);
  memset(memory, 0, 4 * PAGE);
  CALL(cuMemHostRegister(memory, 4 * PAGE, flags));
  EXPECT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
         cuMemHostRegister(memory, 4 * PAGE, flags));
  // A kernel writes it under the host's address.
  CUstream stream = make_stream(b);
  CUdeviceptr cell = (CUdeviceptr)(uintptr_t)memory;
  CUfunction increment = get_kernel(b, load_kernels(b), "increment");
  launch(b, increment, 1, 1, stream, (void *[]){&cell});
  CALL(cuStreamSynchronize(stream));
  CHECK(memory[0] == 1);
  CALL(cuMemHostUnregister(memory));
  EXPECT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(memory));
  CALL(cuStreamDestroy(stream));
  free(memory);
}
