//===- host_memory.c - Memory of the host that devices address ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices reach all memory of the host here. What the API asks for is kept all
// the same: ranges that were registered, which have no page in common, as a
// driver pins pages, and ranges that were allocated, which are freed once.
//
//===----------------------------------------------------------------------===//

#include "emu/memory/host_memory.h"

#include "base/sync/lock.h"
#include "driver_api/values.h"
#include "emu/base/result.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/queue.h>
#include <unistd.h>

static struct {
  agpu__lock lock;
  LIST_HEAD(, range) ranges AGPU__GUARDED_BY(lock);
} all = {.lock = AGPU__LOCK_INIT(AGPU__RANK_EMU_HOST_MEMORY)};

typedef struct range {
  LIST_ENTRY(range) link AGPU__GUARDED_BY(all.lock);
  uintptr_t base;
  size_t bytes;
  void *allocated;   // or NULL: registered
  bool is_read_only; // for devices
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

/// 4 KiB on x86-64; 4, 16 or 64 on 64-bit ARM.
static size_t page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static uintptr_t first_page(uintptr_t byte) {
  return byte & ~(page_bytes() - 1);
}

/// One that has a page of these bytes; NULL: there is none.
static const range *find_on_pages(uintptr_t from, size_t bytes)
    AGPU__REQUIRES(all.lock) {
  uintptr_t first = first_page(from), last = first_page(from + bytes - 1);
  const range *of;
  LIST_FOREACH (of, &all.ranges, link)
    if (first_page(of->base) <= last &&
        first <= first_page(of->base + of->bytes - 1))
      break;
  return of;
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

/// Adds a range. ALREADY_REGISTERED: it is to be registered and has a page of
/// another one. What is allocated is new: an older range there is of memory
/// that is gone.
static CUresult add(void *pointer, size_t bytes, void *allocated,
                    bool is_read_only) {
  range *added = malloc(sizeof *added);
  if (!added)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *added = (range){.base = (uintptr_t)pointer,
                   .bytes = bytes,
                   .allocated = allocated,
                   .is_read_only = is_read_only};
  agpu__lock_acquire(&all.lock);
  const range *other = allocated ? NULL : find_on_pages(added->base, bytes);
  bool is_new = !other;
  if (other)
    agpu__emu_note("the %zu bytes at %p have a page in common with the %zu at "
                   "0x%zx, which are registered: pages are registered once",
                   bytes, pointer, other->bytes, (size_t)other->base);
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

bool agpu__emu_host_memory_is_read_only(CUdeviceptr from, size_t bytes) {
  agpu__lock_acquire(&all.lock);
  const range *of = bytes ? find_near((uintptr_t)from, bytes) : NULL;
  bool result = of && of->is_read_only;
  agpu__lock_release(&all.lock);
  return result;
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
  size_t page = page_bytes();
  if (bytes > SIZE_MAX - page)
    return CUDA_ERROR_OUT_OF_MEMORY;
  void *memory = aligned_alloc(page, (bytes + page - 1) & ~(page - 1));
  if (!memory || add(memory, bytes, memory, false)) {
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
  return mincore((void *)first_page(byte), 1, &resident) == 0;
}

/// Whether the host can write the byte's page, as far as the system tells: it
/// is made one of the process's own, as pinning it does.
static bool is_writable(uintptr_t byte) {
  // An older kernel takes no such advice, which is the same error as that of
  // memory that cannot be written.
  void *page = (void *)first_page(byte);
  void *writable = (void *)first_page((uintptr_t)&all);
  return !madvise(page, 1, MADV_POPULATE_WRITE) || errno != EINVAL ||
         madvise(writable, 1, MADV_POPULATE_WRITE);
}

CUresult agpu__emu_host_memory_register(void *pointer, size_t bytes,
                                        bool is_read_only) {
  uintptr_t first = (uintptr_t)pointer, last;
  if (__builtin_add_overflow(first, bytes - 1, &last) || !is_there(first) ||
      !is_there(last))
    return CUDA_ERROR_INVALID_VALUE;
  if (!is_read_only && (!is_writable(first) || !is_writable(last))) {
    agpu__emu_note("the host may only read the memory at %p: registering it "
                   "needs CU_MEMHOSTREGISTER_READ_ONLY",
                   pointer);
    return CUDA_ERROR_INVALID_VALUE;
  }
  return add(pointer, bytes, NULL, is_read_only);
}

CUresult agpu__emu_host_memory_unregister(void *pointer) {
  range *found = take(pointer, false);
  free(found);
  return found ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}
