//===- memory.c - The allocator under upstream's names --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The allocation functions that upstream's generic lowering of memrefs calls:
// the C library's. What is out of memory is for the caller to notice.
//
//===----------------------------------------------------------------------===//

#include "utils.h"

#include <stdlib.h>

void *mlirAlloc(uint64_t bytes) { return malloc(bytes); }

void *mlirAlignedAlloc(uint64_t alignment, uint64_t bytes) {
  return aligned_alloc(alignment, bytes);
}

void mlirFree(void *pointer) { free(pointer); }

void mlirAlignedFree(void *pointer) { free(pointer); }
