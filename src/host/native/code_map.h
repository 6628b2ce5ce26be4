//===- code_map.h - Which function an address of code is in ----*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_CODE_MAP_H
#define ASYNC_GPU_HOST_CODE_MAP_H

#include "mlir-c/IR.h"
#include "llvm-c/Core.h"

#include <stddef.h>
#include <stdint.h>

typedef struct agpu__code {
  uint64_t offset, size; ///< in the section
  char *symbol;          ///< NULL in a map
  char *what;            ///< as the user knows it, or NULL
} agpu__code;

/// The functions of an object file. All zero: there are none.
typedef struct agpu__code_list {
  agpu__code *functions;
  size_t count, capacity;
} agpu__code_list;

/// The same, loaded, in memory that nothing can write to: a program that
/// crashes may have written to any other.
typedef struct agpu__code_map agpu__code_map;

/// Appends the functions of `object`, which was made of `module`.
void agpu__code_list_read(agpu__code_list *list, MlirOperation module,
                          LLVMMemoryBufferRef object);
void agpu__code_list_free(agpu__code_list *list);

/// `symbol`, a function in the list, is loaded at `address`. NULL where it is
/// not there, or memory is out. Free with agpu__code_map_destroy.
agpu__code_map *agpu__code_map_create(const agpu__code_list *list,
                                      const char *symbol, const void *address);
void agpu__code_map_destroy(agpu__code_map *map);

/// The function at `address`, in the user's words, or NULL. `map` may be NULL.
/// Signal-safe.
const char *agpu__code_map_find(const agpu__code_map *map, uintptr_t address);

#endif // ASYNC_GPU_HOST_CODE_MAP_H
