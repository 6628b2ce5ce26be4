//===- arena.c - Memory that a trace needs --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pages of the system's; tables are open addressed, at most half full, and
// close the gap that an entry leaves which is taken out.
//
//===----------------------------------------------------------------------===//

#include "base/trace/arena.h"

#include <sys/mman.h>

void *agpu__trace_map(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void agpu__trace_unmap(void *memory, size_t bytes) {
  if (memory)
    (void)munmap(memory, bytes);
}

/// Addresses differ in the middle; so the bits are mixed.
static size_t place_of(uint64_t key, size_t capacity) {
  return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (capacity - 1);
}

/// The entry of `key`, or the free one where it belongs.
static agpu__trace_map_entry *look(const agpu__trace_table *table,
                                   uint64_t key) {
  size_t at = place_of(key, table->capacity);
  while (table->entries[at].key && table->entries[at].key != key)
    at = (at + 1) & (table->capacity - 1);
  return &table->entries[at];
}

uint64_t *agpu__trace_table_find(const agpu__trace_table *table, uint64_t key) {
  if (!table->capacity)
    return NULL;
  agpu__trace_map_entry *entry = look(table, key);
  return entry->key ? &entry->value : NULL;
}

static bool grow(agpu__trace_table *table) {
  agpu__trace_table next = {.capacity =
                                table->capacity ? table->capacity * 2 : 16,
                            .count = table->count};
  next.entries = agpu__trace_map(next.capacity * sizeof(*next.entries));
  if (!next.entries)
    return false;
  for (size_t i = 0; i < table->capacity; ++i)
    if (table->entries[i].key)
      *look(&next, table->entries[i].key) = table->entries[i];
  agpu__trace_table_free(table);
  *table = next;
  return true;
}

uint64_t *agpu__trace_table_add(agpu__trace_table *table, uint64_t key) {
  if (table->count * 2 >= table->capacity && !grow(table))
    return NULL;
  agpu__trace_map_entry *entry = look(table, key);
  if (!entry->key) {
    *entry = (agpu__trace_map_entry){.key = key};
    ++table->count;
  }
  return &entry->value;
}

void agpu__trace_table_remove(agpu__trace_table *table, uint64_t key) {
  if (!table->capacity)
    return;
  agpu__trace_map_entry *entry = look(table, key);
  if (!entry->key)
    return;
  size_t mask = table->capacity - 1;
  size_t gap = (size_t)(entry - table->entries);
  // What a search would no longer find after the gap moves into it.
  for (size_t at = (gap + 1) & mask; table->entries[at].key;
       at = (at + 1) & mask) {
    size_t home = place_of(table->entries[at].key, table->capacity);
    if (((at - home) & mask) >= ((at - gap) & mask)) {
      table->entries[gap] = table->entries[at];
      gap = at;
    }
  }
  table->entries[gap].key = 0;
  --table->count;
}

void agpu__trace_table_free(agpu__trace_table *table) {
  agpu__trace_unmap(table->entries, table->capacity * sizeof(*table->entries));
  *table = (agpu__trace_table){0};
}
