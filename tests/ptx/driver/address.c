//===- address.c - Addresses and what lies at them -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is a range of addresses without access rights; the bytes are
// mapped once more elsewhere, for the interpreter. A host that touches device
// memory ends as on a card. Addresses are never given out twice: what uses
// freed memory meets no other's.
//
//===----------------------------------------------------------------------===//

#include "driver/state.h"
#include "machine/host.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RESERVED_BYTES (UINT64_C(1) << 36)
/// Between two allocations, and their alignment: less than a card's 512 would
/// hide what relies on it, and more would show nothing.
enum { GRANULE = 512, PAGE = 4096 };
/// Of a larger allocation only the beginning is: pages are dear, and zeros are
/// where the rest is.
enum { MOST_POISONED = 4 << 20 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static _Atomic(uint64_t) version = 1;
static uint8_t *addresses, *bytes_behind;
static uint64_t next_offset = GRANULE * 64;
static int memory_file = -1;
static ptx_allocation *allocations; ///< by address
static size_t count, capacity;

void ptx_address_start(void) {
  memory_file = memfd_create("ptx-device", MFD_CLOEXEC);
  if (memory_file < 0 || ftruncate(memory_file, (off_t)RESERVED_BYTES))
    abort();
  addresses = mmap(NULL, RESERVED_BYTES, PROT_NONE, MAP_SHARED | MAP_NORESERVE,
                   memory_file, 0);
  bytes_behind = mmap(NULL, RESERVED_BYTES, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE, memory_file, 0);
  if (addresses == MAP_FAILED || bytes_behind == MAP_FAILED)
    abort();
}

bool ptx_address_is_device(CUdeviceptr address) {
  return address - (uintptr_t)addresses < RESERVED_BYTES;
}

void *ptx_address_host(CUdeviceptr address) {
  if (ptx_address_is_device(address))
    return bytes_behind + (address - (uintptr_t)addresses);
  return (void *)(uintptr_t)address;
}

CUdeviceptr ptx_address_reserve(uint64_t bytes) {
  pthread_rwlock_wrlock(&lock);
  uint64_t offset = next_offset;
  bool fits = bytes <= RESERVED_BYTES - offset - 2 * GRANULE;
  if (fits)
    next_offset = (offset + bytes + 2 * GRANULE - 1) / GRANULE * GRANULE;
  pthread_rwlock_unlock(&lock);
  if (!fits)
    return 0;
  memset(bytes_behind + offset, PTX_POISON_BYTE,
         bytes < MOST_POISONED ? bytes : MOST_POISONED);
  return (uintptr_t)addresses + offset;
}

/// The number of allocations that begin at or before an address.
static size_t count_up_to(CUdeviceptr address) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (allocations[middle].base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void ptx_allocation_add(ptx_allocation allocation) {
  allocation.is_live = true;
  pthread_rwlock_wrlock(&lock);
  size_t at = count_up_to(allocation.base);
  if (at && allocations[at - 1].base == allocation.base) {
    allocations[at - 1] = allocation; // the host has used its memory again
  } else {
    if (count == capacity) {
      capacity = capacity ? 2 * capacity : 256;
      allocations = realloc(allocations, capacity * sizeof *allocations);
      if (!allocations)
        abort();
    }
    memmove(&allocations[at + 1], &allocations[at],
            (count - at) * sizeof *allocations);
    allocations[at] = allocation;
    ++count;
  }
  ++version;
  pthread_rwlock_unlock(&lock);
}

/// Under the lock. The last one that begins before it; host memory that is dead
/// may have begun in between.
static ptx_allocation *find(CUdeviceptr address) {
  size_t at = count_up_to(address);
  ptx_allocation *nearest = at ? &allocations[at - 1] : NULL;
  while (at--) {
    ptx_allocation *a = &allocations[at];
    if (a->is_live && address < a->base + a->bytes)
      return a;
    if (a->is_live || ptx_address_is_device(address))
      break;
  }
  return nearest;
}

bool ptx_allocation_find(CUdeviceptr address, ptx_allocation *out) {
  pthread_rwlock_rdlock(&lock);
  const ptx_allocation *found = find(address);
  bool is_inside = found && address < found->base + found->bytes;
  if (is_inside)
    *out = *found;
  pthread_rwlock_unlock(&lock);
  return is_inside;
}

/// The pages that only this allocation has, back to the system.
static void give_back(const ptx_allocation *a) {
  if (!ptx_address_is_device(a->base))
    return;
  uint64_t offset = a->base - (uintptr_t)addresses;
  uint64_t first = (offset + PAGE - 1) / PAGE * PAGE;
  uint64_t end = (offset + a->bytes) / PAGE * PAGE;
  if (first < end)
    (void)!fallocate(memory_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     (off_t)first, (off_t)(end - first));
}

bool ptx_allocation_end(CUdeviceptr base, unsigned kinds) {
  pthread_rwlock_wrlock(&lock);
  ptx_allocation *a = find(base);
  bool is_one = a && a->is_live && a->base == base && kinds >> a->kind & 1;
  if (is_one) {
    a->is_live = false;
    give_back(a);
    ++version;
  }
  pthread_rwlock_unlock(&lock);
  return is_one;
}

bool ptx_allocation_begin_end(CUdeviceptr base, unsigned kinds) {
  pthread_rwlock_wrlock(&lock);
  ptx_allocation *a = find(base);
  bool is_one = a && a->is_live && !a->is_ending && a->base == base &&
                kinds >> a->kind & 1;
  if (is_one)
    a->is_ending = true;
  pthread_rwlock_unlock(&lock);
  return is_one;
}

uint64_t ptx_allocations_count(int device, bool is_ordered) {
  uint64_t bytes = 0;
  pthread_rwlock_rdlock(&lock);
  for (size_t i = 0; i < count; ++i) {
    const ptx_allocation *a = &allocations[i];
    if (a->is_live && a->device == device && !(is_ordered && a->is_ending) &&
        (a->kind == PTX_DEVICE_MEMORY || a->kind == PTX_POOL_MEMORY))
      bytes += a->bytes;
  }
  pthread_rwlock_unlock(&lock);
  return bytes;
}

uint64_t ptx_pool_bytes(int device) {
  uint64_t bytes = 0;
  pthread_rwlock_rdlock(&lock);
  for (size_t i = 0; i < count; ++i)
    if (allocations[i].is_live && allocations[i].device == device &&
        allocations[i].kind == PTX_POOL_MEMORY)
      bytes += allocations[i].bytes;
  pthread_rwlock_unlock(&lock);
  return bytes;
}

size_t ptx_allocations_end_all(int device, uint64_t *out_bytes) {
  size_t left = 0;
  *out_bytes = 0;
  pthread_rwlock_wrlock(&lock);
  for (size_t i = 0; i < count; ++i) {
    ptx_allocation *a = &allocations[i];
    if (!a->is_live || a->device != device)
      continue;
    if (a->kind != PTX_MODULE_VARIABLE) {
      ++left;
      *out_bytes += a->bytes;
    }
    a->is_live = false;
    give_back(a);
  }
  ++version;
  pthread_rwlock_unlock(&lock);
  return left;
}

bool ptx_range_is_valid(CUdeviceptr address, uint64_t bytes,
                        ptx_memory_kind *out_kind) {
  pthread_rwlock_rdlock(&lock);
  const ptx_allocation *a = find(address);
  bool is_inside = a && a->is_live && address < a->base + a->bytes &&
                   bytes <= a->base + a->bytes - address;
  *out_kind = is_inside ? a->kind : PTX_PLAIN;
  pthread_rwlock_unlock(&lock);
  return is_inside || !ptx_address_is_device(address);
}

void ptx_access_changed(void) { ++version; }

//===----------------------------------------------------------------------===//
// For the machine
//===----------------------------------------------------------------------===//

uint64_t ptx_memory_version(void) { return version; }

static bool may_access(int device, const ptx_allocation *a) {
  switch (a->kind) {
  case PTX_DEVICE_MEMORY:
  case PTX_MODULE_VARIABLE:
    return a->device == device || ptx_context_of(device)->can_access[a->device];
  case PTX_POOL_MEMORY:
    return a->device == device || ptx_pool_of(a->device)->can_access[device];
  default: return true;
  }
}

bool ptx_memory_translate(int device, uint64_t address, uint64_t bytes,
                          ptx_translation *out) {
  pthread_rwlock_rdlock(&lock);
  const ptx_allocation *a = find(address);
  bool is_there = a && a->is_live && address < a->base + a->bytes &&
                  bytes <= a->base + a->bytes - address &&
                  may_access(device, a);
  if (is_there)
    *out = (ptx_translation){.first = a->base,
                             .end = a->base + a->bytes,
                             .host = ptx_address_host(a->base)};
  pthread_rwlock_unlock(&lock);
  return is_there;
}

void ptx_memory_describe(uint64_t address, char *text, size_t size) {
  static const char *const kinds[] = {
      "plain", "device", "pool", "pinned", "managed", "registered", "variable"};
  pthread_rwlock_rdlock(&lock);
  const ptx_allocation *a = find(address);
  if (address < PAGE)
    snprintf(text, size, "a null pointer");
  else if (!a ||
           (!ptx_address_is_device(address) && address >= a->base + a->bytes))
    snprintf(text, size, "no memory that a device can access");
  else
    snprintf(text, size, "offset %llu of %s %s memory of %llu bytes, device %d",
             (unsigned long long)(address - a->base),
             a->is_live ? "live" : "FREED", kinds[a->kind],
             (unsigned long long)a->bytes, a->device);
  pthread_rwlock_unlock(&lock);
}
