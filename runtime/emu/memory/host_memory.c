//===- host_memory.c - Memory of the host that devices address ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices reach all memory of the host here. What the API asks for is kept all
// the same: ranges that were registered, which do not overlap, and ranges that
// were allocated, which are freed once.
//
//===----------------------------------------------------------------------===//

#include "emu/memory/host_memory.h"

#include "base/sync/lock.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/queue.h>

#define ALIGNMENT ((size_t)4096)

static struct {
  agpu__lock lock;
  LIST_HEAD(, range) ranges AGPU__GUARDED_BY(lock);
} all;

typedef struct range {
  LIST_ENTRY(range) link AGPU__GUARDED_BY(all.lock);
  uintptr_t base;
  size_t bytes;
  void *allocated; // or NULL: registered
} range;

/// Takes the range off that starts at `pointer` and came by allocation or not;
/// NULL: there is none.
static range *take(const void *pointer, bool is_allocated) {
  range *found;
  agpu__lock_acquire(&all.lock);
  LIST_FOREACH (found, &all.ranges, link)
    if (found->base == (uintptr_t)pointer &&
        (found->allocated != NULL) == is_allocated)
      break;
  if (found)
    LIST_REMOVE(found, link);
  agpu__lock_release(&all.lock);
  return found;
}

/// One that has any of these bytes; NULL: there is none.
static const range *find_near(uintptr_t from, size_t bytes)
    AGPU__REQUIRES(all.lock) {
  const range *of;
  LIST_FOREACH (of, &all.ranges, link)
    if (of->base < from + bytes && from < of->base + of->bytes)
      break;
  return of;
}

/// Adds a range. ALREADY_REGISTERED: it is to be registered and overlaps
/// another one. What is allocated is new: an older range there is of memory
/// that is gone.
static CUresult add(void *pointer, size_t bytes, void *allocated) {
  range *added = malloc(sizeof *added);
  if (!added)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *added = (range){
      .base = (uintptr_t)pointer, .bytes = bytes, .allocated = allocated};
  agpu__lock_acquire(&all.lock);
  bool is_new = allocated || !find_near(added->base, bytes);
  if (is_new)
    LIST_INSERT_HEAD(&all.ranges, added, link);
  agpu__lock_release(&all.lock);
  if (!is_new)
    free(added);
  return is_new ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
}

bool agpu__emu_host_memory_is_mapped(CUdeviceptr pointer, size_t bytes) {
  const range *of;
  agpu__lock_acquire(&all.lock);
  LIST_FOREACH (of, &all.ranges, link)
    if (pointer >= of->base && pointer - of->base < of->bytes &&
        of->bytes - (pointer - of->base) >= bytes)
      break;
  agpu__lock_release(&all.lock);
  return of != NULL;
}

bool agpu__emu_host_memory_is_near(CUdeviceptr from, size_t bytes) {
  agpu__lock_acquire(&all.lock);
  bool found = find_near((uintptr_t)from, bytes) != NULL;
  agpu__lock_release(&all.lock);
  return found;
}

bool agpu__emu_host_memory_bounds(CUdeviceptr pointer, CUdeviceptr *out_from,
                                  size_t *out_bytes) {
  agpu__lock_acquire(&all.lock);
  const range *of = find_near((uintptr_t)pointer, 1);
  if (of) {
    *out_from = of->base;
    *out_bytes = of->bytes;
  }
  agpu__lock_release(&all.lock);
  return of != NULL;
}

void agpu__emu_host_memory_reset(void) {
  range *of;
  agpu__lock_acquire(&all.lock);
  while ((of = LIST_FIRST(&all.ranges))) {
    LIST_REMOVE(of, link);
    free(of->allocated);
    free(of);
  }
  agpu__lock_release(&all.lock);
}

CUresult agpu__emu_host_memory_allocate(void **pointer, size_t bytes) {
  if (bytes > SIZE_MAX - ALIGNMENT)
    return CUDA_ERROR_OUT_OF_MEMORY;
  void *memory =
      aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1));
  if (!memory || add(memory, bytes, memory)) {
    free(memory);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *pointer = memory;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_host_memory_free(void *pointer) {
  range *found = take(pointer, true);
  if (!found)
    return CUDA_ERROR_INVALID_VALUE;
  free(found->allocated);
  free(found);
  return CUDA_SUCCESS;
}

/// Whether there is memory at the byte. A driver pins all pages of a range; the
/// first and the last tell what no program can have.
static bool is_there(uintptr_t byte) {
  unsigned char resident;
  return mincore((void *)(byte & ~(ALIGNMENT - 1)), 1, &resident) == 0;
}

CUresult agpu__emu_host_memory_register(void *pointer, size_t bytes) {
  uintptr_t first = (uintptr_t)pointer, last;
  if (__builtin_add_overflow(first, bytes - 1, &last) || !is_there(first) ||
      !is_there(last))
    return CUDA_ERROR_INVALID_VALUE;
  return add(pointer, bytes, NULL);
}

CUresult agpu__emu_host_memory_unregister(void *pointer) {
  range *found = take(pointer, false);
  free(found);
  return found ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}
