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

#include "emu/emu.h"

#include <stdlib.h>

#define ALIGNMENT ((size_t)4096)

typedef struct range {
  struct range *next;
  uintptr_t base;
  size_t bytes;
  void *allocated; // or NULL: registered
} range;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static range *ranges; // under the lock

/// Takes the range off that starts at `pointer` and came by allocation or not;
/// NULL: there is none.
static range *take(const void *pointer, bool is_allocated) {
  pthread_mutex_lock(&lock);
  range **link = &ranges;
  while (*link && ((*link)->base != (uintptr_t)pointer ||
                   ((*link)->allocated != NULL) != is_allocated))
    link = &(*link)->next;
  range *found = *link;
  if (found)
    *link = found->next;
  pthread_mutex_unlock(&lock);
  return found;
}

/// False where it is to be registered and overlaps another one. What is
/// allocated is new: an older range there is of memory that is gone.
static bool add(range *added) {
  pthread_mutex_lock(&lock);
  const range *other = added->allocated ? NULL : ranges;
  while (other && (other->base >= added->base + added->bytes ||
                   added->base >= other->base + other->bytes))
    other = other->next;
  if (!other) {
    added->next = ranges;
    ranges = added;
  }
  pthread_mutex_unlock(&lock);
  return !other;
}

bool agpu__emu_host_memory_is_mapped(CUdeviceptr pointer, size_t bytes) {
  pthread_mutex_lock(&lock);
  const range *of = ranges;
  while (of && (pointer < of->base || pointer - of->base >= of->bytes ||
                of->bytes - (pointer - of->base) < bytes))
    of = of->next;
  pthread_mutex_unlock(&lock);
  return of != NULL;
}

bool agpu__emu_host_memory_is_near(CUdeviceptr from, size_t bytes) {
  pthread_mutex_lock(&lock);
  const range *of = ranges;
  while (of && (of->base >= from + bytes || from >= of->base + of->bytes))
    of = of->next;
  pthread_mutex_unlock(&lock);
  return of != NULL;
}

void agpu__emu_host_memory_reset(void) {
  pthread_mutex_lock(&lock);
  while (ranges) {
    range *next = ranges->next;
    free(ranges->allocated);
    free(ranges);
    ranges = next;
  }
  pthread_mutex_unlock(&lock);
}

CUresult agpu__emu_mem_host_alloc(void **pointer, size_t bytes,
                                  unsigned int flags) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!pointer || bytes == 0 ||
      (flags &
       ~(unsigned)(CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP |
                   CU_MEMHOSTALLOC_WRITECOMBINED)))
    return CUDA_ERROR_INVALID_VALUE;
  if (bytes > SIZE_MAX - ALIGNMENT)
    return CUDA_ERROR_OUT_OF_MEMORY;
  range *added = malloc(sizeof *added);
  void *memory =
      aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1));
  if (!added || !memory) {
    free(added);
    free(memory);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *added =
      (range){.base = (uintptr_t)memory, .bytes = bytes, .allocated = memory};
  (void)add(added);
  *pointer = memory;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_mem_free_host(void *pointer) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  // As a driver does: not while work may use it.
  agpu__emu_streams_wait();
  range *found = take(pointer, true);
  if (!found)
    return CUDA_ERROR_INVALID_VALUE;
  free(found->allocated);
  free(found);
  return CUDA_SUCCESS;
}

CUresult agpu__emu_mem_host_register(void *pointer, size_t bytes,
                                     unsigned int flags) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!pointer || bytes == 0 ||
      (flags &
       ~(unsigned)(CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP)))
    return CUDA_ERROR_INVALID_VALUE;
  range *added = malloc(sizeof *added);
  if (!added)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *added = (range){.base = (uintptr_t)pointer, .bytes = bytes};
  if (add(added))
    return CUDA_SUCCESS;
  free(added);
  return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
}

CUresult agpu__emu_mem_host_unregister(void *pointer) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  agpu__emu_streams_wait();
  range *found = take(pointer, false);
  free(found);
  return found ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}
