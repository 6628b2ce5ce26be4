//===- access.c - Checked accesses of kernels -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels call before an access where they are compiled to: its place is
// checked, moved to where guarded memory is, and given to the check for races.
//
//===----------------------------------------------------------------------===//

#include "driver_api/values.h"
#include "emu/base/hooks.h"
#include "emu/base/result.h"
#include "emu/base/settings.h"
#include "emu/check/flights.h"
#include "emu/check/report.h"
#include "emu/check/thread_races.h"
#include "emu/check/written.h"
#include "emu/memory/guard.h"
#include "emu/memory/host_memory.h"
#include "emu/memory/memory.h"
#include "emu/simt/async.h"
#include "emu/simt/block.h"
#include "emu/simt/pageable.h"

#include <string.h>

// Below this address there is no memory: a null pointer and a small offset.
#define FIRST_ADDRESS ((uintptr_t)4096)

static const char *verb(uint32_t flags) {
  return flags & AGPU_NATIVE_WRITES ? "writes" : "reads";
}

/// The known allocation that [place, place + size) lies in, or NULL.
static const agpu__emu_range *find_range(agpu__emu_runner *runner,
                                         uintptr_t place, uint64_t size) {
  enum { COUNT = sizeof runner->ranges / sizeof *runner->ranges };
  unsigned version = agpu__emu_memory_version();
  for (unsigned i = 0; i < COUNT; ++i) {
    const agpu__emu_range *range = &runner->ranges[i];
    if (place - range->from < range->to - range->from &&
        range->version == version)
      return size <= range->to - place ? range : NULL;
  }
  agpu__emu_range found;
  if (!agpu__emu_memory_find((CUdeviceptr)place, &found))
    return NULL;
  memmove(&runner->ranges[1], &runner->ranges[0],
          (COUNT - 1) * sizeof *runner->ranges);
  runner->ranges[0] = found;
  return size <= found.to - place ? &runner->ranges[0] : NULL;
}

static void check_shared(const agpu__emu_runner *runner, uintptr_t place,
                         uint64_t size, uint32_t flags, const char *location,
                         uint32_t x, uint32_t y, uint32_t z) {
  const agpu_native_block *block = &runner->block;
  uintptr_t offset = place - (uintptr_t)block->shared;
  if (offset <= block->shared_bytes && size <= block->shared_bytes - offset)
    return;
  agpu__emu_block_fail(
      CUDA_ERROR_ILLEGAL_ADDRESS, location,
      "thread %u,%u,%u %s %llu bytes at offset %lld of workgroup memory of "
      "%u bytes",
      x, y, z, verb(flags), (unsigned long long)size, (long long)offset,
      block->shared_bytes);
}

/// As a GPU does, whether the memory is there or not.
static void check_alignment(uintptr_t place, uint64_t size, uint32_t alignment,
                            uint32_t flags, const char *location, uint32_t x,
                            uint32_t y, uint32_t z) {
  if (!size || place % alignment == 0)
    return;
  agpu__emu_block_fail(
      CUDA_ERROR_MISALIGNED_ADDRESS, location,
      "thread %u,%u,%u %s %llu bytes at 0x%llx, which is not a multiple of %u",
      x, y, z, verb(flags), (unsigned long long)size, (unsigned long long)place,
      alignment);
}

/// A thread reads what nothing has written: as on hardware the launch goes on.
static void report_unwritten(uintptr_t place, uint64_t size,
                             const char *location, uint32_t x, uint32_t y,
                             uint32_t z) {
  if (!agpu__emu_report_is_new(AGPU__EMU_UNWRITTEN, location))
    return;
  char memory[384];
  agpu__emu_memory_describe((CUdeviceptr)place, memory, sizeof memory);
  agpu__emu_report(location, x, y, z,
                   "reads %llu bytes that nothing has written, %s",
                   (unsigned long long)size, memory);
}

/// Returns how far from its address the memory is.
static ptrdiff_t check_global(agpu__emu_runner *runner, uintptr_t place,
                              uint64_t size, uint32_t flags,
                              const char *location, uint32_t x, uint32_t y,
                              uint32_t z) {
  const agpu__emu_range *range = find_range(runner, place, size);
  if (range) {
    size_t from = (size_t)(place - range->from);
    if (flags & AGPU_NATIVE_READS &&
        !agpu__emu_written_is_set(range->written, from, (size_t)size) &&
        !agpu__emu_guard_was_opened())
      report_unwritten(place, size, location, x, y, z);
    if (flags & AGPU_NATIVE_WRITES)
      agpu__emu_written_set(range->written, from, (size_t)size);
    return range->distance;
  }
  if (!size)
    return 0;
  if (place < FIRST_ADDRESS)
    agpu__emu_block_fail(CUDA_ERROR_ILLEGAL_ADDRESS, location,
                         "thread %u,%u,%u %s %llu bytes at 0x%llx", x, y, z,
                         verb(flags), (unsigned long long)size,
                         (unsigned long long)place);
  char memory[384];
  if (agpu__emu_pageable_describe(runner->launch, place,
                                  flags & AGPU_NATIVE_LOADED, memory,
                                  sizeof memory))
    agpu__emu_block_fail(CUDA_ERROR_ILLEGAL_ADDRESS, location,
                         "thread %u,%u,%u %s %llu bytes of %s", x, y, z,
                         verb(flags), (unsigned long long)size, memory);
  if (!agpu__emu_memory_is_usable((CUdeviceptr)place, (size_t)size))
    agpu__emu_block_fail(CUDA_ERROR_ILLEGAL_ADDRESS, location,
                         "thread %u,%u,%u %s %s", x, y, z, verb(flags),
                         agpu__emu_get_note());
  if (flags & AGPU_NATIVE_WRITES &&
      agpu__emu_host_memory_is_read_only((CUdeviceptr)place, (size_t)size))
    agpu__emu_block_fail(CUDA_ERROR_ILLEGAL_ADDRESS, location,
                         "thread %u,%u,%u writes %llu bytes of host memory "
                         "that is registered for reading alone",
                         x, y, z, (unsigned long long)size);
  return 0; // host memory
}

void *agpu_native_check(void *address, uint64_t size, uint32_t alignment,
                        uint32_t flags, const char *location, uint32_t x,
                        uint32_t y, uint32_t z) {
  agpu__emu_runner *runner = agpu__emu_runner_current();
  const agpu_native_block *block = &runner->block;
  const agpu__emu_settings *settings = agpu__emu_get_settings();
  uintptr_t place = (uintptr_t)address;
  if (runner->counted)
    agpu__emu_hooks_table.accessed(
        runner, place, size, flags,
        flags & AGPU_NATIVE_SHARED || agpu__emu_owner(address), location,
        x + block->block_dim[0] * (y + block->block_dim[1] * z));
  ptrdiff_t distance = 0;
  if (settings->check_memory) {
    check_alignment(place, size, alignment, flags, location, x, y, z);
    const agpu__emu_runner *owner = agpu__emu_owner(address);
    bool shared = flags & AGPU_NATIVE_SHARED || owner;
    if (owner && owner->has_ended && size)
      agpu__emu_block_fail(CUDA_ERROR_LAUNCH_FAILED, location,
                           "thread %u,%u,%u %s %llu bytes of a block of its "
                           "cluster that has ended",
                           x, y, z, verb(flags), (unsigned long long)size);
    if (shared && size)
      check_shared(owner ? owner : runner, place, size, flags, location, x, y,
                   z);
    else if (!shared)
      distance = check_global(runner, place, size, flags, location, x, y, z);
  }
  if (!settings->check_memory && settings->check_races) {
    const agpu__emu_range *range = find_range(runner, place, size);
    distance = range ? range->distance : 0;
  }
  if (settings->check_races &&
      flags & (AGPU_NATIVE_READS | AGPU_NATIVE_WRITES)) {
    uint32_t thread = x + block->block_dim[0] * (y + block->block_dim[1] * z);
    agpu__emu_flights_access(runner, place, size, flags, location, thread);
    agpu__emu_thread_races_access(runner, place, size, flags, location,
                                  (uint16_t)thread);
  }
  return (char *)address + distance;
}
