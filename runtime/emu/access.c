//===- access.c - Checked accesses of kernels -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emu/block.h"

// Below this address there is no memory: a null pointer and a small offset.
#define FIRST_ADDRESS ((uintptr_t)4096)

void agpu_native_check(const void *address, uint64_t size, uint32_t flags,
                       const char *location, uint32_t x, uint32_t y,
                       uint32_t z) {
  const agpu_native_block *block = &agpu__emu_runner_current()->block;
  const char *verb = flags & AGPU_NATIVE_WRITES ? "writes" : "reads";
  uintptr_t place = (uintptr_t)address;
  if (flags & AGPU_NATIVE_SHARED) {
    uintptr_t offset = place - (uintptr_t)block->shared;
    if (offset <= block->shared_bytes && size <= block->shared_bytes - offset)
      return;
    agpu__emu_block_fail(
        CUDA_ERROR_ILLEGAL_ADDRESS, location,
        "thread %u,%u,%u %s %llu bytes at offset %lld of workgroup memory of "
        "%u bytes",
        x, y, z, verb, (unsigned long long)size, (long long)offset,
        block->shared_bytes);
  }
  if (place < FIRST_ADDRESS)
    agpu__emu_block_fail(CUDA_ERROR_ILLEGAL_ADDRESS, location,
                         "thread %u,%u,%u %s %llu bytes at %p", x, y, z, verb,
                         (unsigned long long)size, address);
  if (agpu__emu_memory_is_usable((CUdeviceptr)place, (size_t)size))
    return;
  agpu__emu_block_fail(CUDA_ERROR_ILLEGAL_ADDRESS, location,
                       "thread %u,%u,%u %s %s", x, y, z, verb,
                       agpu__emu_get_note());
}
