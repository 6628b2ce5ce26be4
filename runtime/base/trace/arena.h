//===- arena.h - Memory that a trace needs ------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Straight from the system, so that a trace can be written in a signal handler,
// whatever lock of the allocator the thread holds.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_ARENA_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Memory of `bytes`, all zero, or NULL. Signal-safe, any thread.
void *agpu__trace_map(size_t bytes);

/// Gives it back. NULL is allowed.
void agpu__trace_unmap(void *memory, size_t bytes);

/// From numbers, not 0, to numbers. All zero at first.
typedef struct agpu__trace_map_entry {
  uint64_t key, value; ///< key 0: free
} agpu__trace_map_entry;

typedef struct agpu__trace_table {
  agpu__trace_map_entry *entries;
  size_t count, capacity; ///< a power of two, or 0
} agpu__trace_table;

/// The value of `key`, to be read and changed until the next call; NULL if it
/// has none.
uint64_t *agpu__trace_table_find(const agpu__trace_table *table, uint64_t key);

/// The same, with a value 0 where it had none; NULL where memory is out.
uint64_t *agpu__trace_table_add(agpu__trace_table *table, uint64_t key);

/// Takes `key` out.
void agpu__trace_table_remove(agpu__trace_table *table, uint64_t key);

void agpu__trace_table_free(agpu__trace_table *table);

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_ARENA_H
