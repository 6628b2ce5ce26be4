//===- pageable.c - Memory of the host in kernels -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stand-ins lie in a range of addresses that is reserved once and never has
// memory: a slot for each pointer of a kernel, in the middle of which its
// stand-in lies, so that what the kernel adds or takes off stays in the slot.
// Launches use the same slots: it is the launch of the thread that faults which
// says what an address there stands for.
//
//===----------------------------------------------------------------------===//

#include "emu/simt/pageable.h"

#include "driver_api/values.h"
#include "emu/base/result.h"
#include "emu/base/settings.h"
#include "emu/memory/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define MOST_SLOTS ((uintptr_t)64)
#define SLOT_BYTES ((uintptr_t)1 << 32)
/// What stand-ins keep of an address, for code that looks at its alignment.
#define KEPT_BITS (((uintptr_t)1 << 16) - 1)
/// Below this address there is no memory: a null pointer, and a small offset.
#define FIRST_ADDRESS ((uintptr_t)4096)

static struct {
  pthread_once_t once;
  uintptr_t first, slots; // 0: there are none
} stand_ins = {.once = PTHREAD_ONCE_INIT};

/// A process may have as little as 39 bits of addresses, on 64-bit ARM, and
/// not all of them in one piece.
static void reserve(void) {
  void *reserved = MAP_FAILED;
  uintptr_t slots = 2 * MOST_SLOTS;
  while (reserved == MAP_FAILED && (slots /= 2))
    reserved = mmap(NULL, slots * SLOT_BYTES, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  stand_ins.first = slots ? (uintptr_t)reserved : 0;
  stand_ins.slots = slots;
}

static uintptr_t stand_in_for(uint32_t number, CUdeviceptr pointer) {
  return stand_ins.first + number % stand_ins.slots * SLOT_BYTES +
         SLOT_BYTES / 2 + ((uintptr_t)pointer & KEPT_BITS);
}

/// Whether a GPU faults wherever the kernel uses that address. With checked
/// accesses the place of each is reported.
static bool is_misaligned(const agpu_native_pointer *of, CUdeviceptr address) {
  return of->alignment > 1 && address % of->alignment != 0;
}

/// Whether a kernel that gets this address must not touch what it is of.
static bool is_out_of_reach(CUdeviceptr first) {
  return !agpu__emu_is_unified() && first >= FIRST_ADDRESS &&
         agpu__emu_memory_is_pageable(first, 1);
}

/// The same where elements are at that address.
static bool is_to_be_hidden(const agpu_native_pointer *of, CUdeviceptr first) {
  return (!agpu__emu_checks_accesses() && is_misaligned(of, first)) ||
         is_out_of_reach(first);
}

/// The first byte that the kernel reaches through an address.
static CUdeviceptr first_byte(const agpu__emu_launch *launch,
                              const agpu_native_pointer *of,
                              CUdeviceptr pointer) {
  int64_t elements;
  if (of->kind != AGPU_NATIVE_MEMREF)
    return pointer + (uint64_t)of->offset;
  memcpy(&elements, launch->params[of->param + 1], sizeof elements);
  return pointer + (uint64_t)elements * of->element_bytes;
}

/// Of the descriptor of a memref, which the runtime has made for this launch.
typedef struct descriptor {
  CUdeviceptr allocated, aligned;
  int64_t offset;
} descriptor;

/// Stores a stand-in at `place`, where an address is. False: there is none.
static bool hide(const agpu__emu_launch *launch, uint32_t number, void *place) {
  CUdeviceptr pointer;
  memcpy(&pointer, place, sizeof pointer);
  (void)pthread_once(&stand_ins.once, reserve);
  if (!stand_ins.first) {
    agpu__emu_note("argument %u of kernel '%s' is not memory that the device "
                   "can reach, or has an address of the wrong alignment",
                   launch->kernel->pointers[number].argument,
                   launch->kernel->name);
    return false;
  }
  launch->hidden[number] = pointer;
  pointer = stand_in_for(number, pointer);
  memcpy(place, &pointer, sizeof pointer);
  return true;
}

/// Stores at `place` where the memory at `pointer` is.
static void move(void *place, CUdeviceptr pointer) {
  if (agpu__emu_checks_accesses())
    return;
  uintptr_t memory = (uintptr_t)agpu__emu_memory_host(pointer);
  memcpy(place, &memory, sizeof memory);
}

bool agpu__emu_pageable_prepare(const agpu__emu_launch *launch) {
  const agpu_native_kernel *kernel = launch->kernel;
  for (uint32_t i = 0; i < kernel->pointer_count; ++i) {
    const agpu_native_pointer *of = &kernel->pointers[i];
    char *place = launch->params[of->param];
    CUdeviceptr pointer;
    memcpy(&pointer, place, sizeof pointer);
    CUdeviceptr first = first_byte(launch, of, pointer);
    bool in_memory = of->kind == AGPU_NATIVE_DESCRIPTOR;
    if (in_memory ? is_out_of_reach(first) : is_to_be_hidden(of, first)) {
      if (!hide(launch, i, place))
        return false;
      continue;
    }
    move(place, pointer);
    if (!in_memory || !pointer)
      continue;
    descriptor *memref = agpu__emu_memory_host(pointer);
    first = memref->aligned + (uint64_t)memref->offset * of->element_bytes;
    if (is_to_be_hidden(of, first) && !hide(launch, i, &memref->aligned))
      return false;
  }
  return true;
}

static const char how_to[] =
    "copy it to the device (gpu.memcpy), register it (gpu.host_register), or "
    "allocate it for both (gpu.alloc host_shared)";

CUresult agpu__emu_pageable_describe(const agpu__emu_launch *launch,
                                     uintptr_t address, bool is_loaded,
                                     char *out, size_t size) {
  const agpu_native_kernel *kernel = launch->kernel;
  uintptr_t slot = (address - stand_ins.first) / SLOT_BYTES;
  if (slot < stand_ins.slots) {
    // Of more pointers than slots, the first that was hidden will do.
    uint32_t i = (uint32_t)slot;
    while (i < kernel->pointer_count && !launch->hidden[i])
      i += (uint32_t)stand_ins.slots;
    if (i >= kernel->pointer_count)
      return CUDA_SUCCESS;
    const agpu_native_pointer *of = &kernel->pointers[i];
    CUdeviceptr hidden = launch->hidden[i];
    unsigned long long place = hidden + address - stand_in_for(i, hidden);
    if (is_misaligned(of, hidden)) {
      (void)snprintf(out, size,
                     "0x%llx, in argument %u, whose elements have to be at "
                     "multiples of %u bytes",
                     place, of->argument, of->alignment);
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    }
    (void)snprintf(out, size,
                   "memory of the host at 0x%llx, in argument %u, which the "
                   "device cannot reach: %s",
                   place, of->argument, how_to);
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  if (!is_loaded || !is_out_of_reach(address))
    return CUDA_SUCCESS;
  (void)snprintf(out, size,
                 "memory of the host at 0x%zx, an address that it found in "
                 "memory, which the device cannot reach: %s",
                 (size_t)address, how_to);
  return CUDA_ERROR_ILLEGAL_ADDRESS;
}
