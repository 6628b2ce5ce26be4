//===- shadow.c - Who has accessed a word of memory -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cells lie in pages like the memory that they are of, which a hash table
// finds. A page is kept for later launches; generations tell what of it is of
// this one.
//
//===----------------------------------------------------------------------===//

#include "emu/check/shadow.h"

#include "async_gpu/compiled/native_thread.h"
#include "base/memory/memory.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES ((uintptr_t)4096)
#define PAGE_CELLS (PAGE_BYTES / AGPU__EMU_WORD)
/// Pages that are kept from one launch to the next: some 100 MB of cells.
#define MOST_KEPT 1024u

static const char purpose[] = "the check for races";

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

void agpu__emu_cell_open(agpu__emu_cell *cell, uint32_t generation) {
  if (cell->generation == generation)
    return;
  cell->generation = generation;
  cell->count = 0;
  cell->read = cell->written = 0;
}

static bool writes(const agpu__emu_access *access) {
  return access->flags & AGPU_NATIVE_WRITES;
}

/// Whether whatever conflicts with `other` conflicts with `access`, too,
/// threads and order aside.
static bool covers(const agpu__emu_access *access,
                   const agpu__emu_access *other) {
  return !(other->mask & ~access->mask) && (writes(access) || !writes(other)) &&
         (other->flags & AGPU_NATIVE_ATOMIC ||
          !(access->flags & AGPU_NATIVE_ATOMIC));
}

/// Whether `old`, which comes before `added`, says nothing more: what depends
/// on `added` depends on it.
static bool is_replaced(const agpu__emu_access *old,
                        const agpu__emu_access *added) {
  return old->when.block == added->when.block &&
         (old->when.thread == added->when.thread ||
          old->when.epoch != added->when.epoch) &&
         covers(added, old);
}

/// Whether anyone who races with `access` races with one that is noted: two
/// threads of its block have done the same since the block's barrier, or
/// threads of two blocks.
static bool is_represented(const agpu__emu_cell *cell,
                           const agpu__emu_access *access) {
  const agpu__emu_access *first = NULL;
  unsigned alike = 0;
  for (uint32_t i = 0; i < cell->count; ++i) {
    const agpu__emu_access *old = &cell->accesses[i];
    if (!covers(old, access))
      continue;
    if (first && old->when.block != first->when.block)
      return true;
    first = old;
    alike += old->when.block == access->when.block &&
             old->when.epoch == access->when.epoch;
  }
  return alike >= 2;
}

/// The access that is given up for `added`: a read rather than a write.
static uint32_t choose_victim(const agpu__emu_cell *cell,
                              const agpu__emu_access *added) {
  for (uint32_t i = 0; i < cell->count; ++i)
    if (!writes(&cell->accesses[i]))
      return i;
  return added->when.thread % cell->count;
}

void agpu__emu_cell_add(agpu__emu_cell *cell, const agpu__emu_access *access) {
  if (writes(access))
    cell->written |= access->mask;
  if (access->flags & AGPU_NATIVE_READS)
    cell->read |= access->mask;
  uint16_t kept = 0;
  for (uint32_t i = 0; i < cell->count; ++i)
    if (!is_replaced(&cell->accesses[i], access))
      cell->accesses[kept++] = cell->accesses[i];
  cell->count = kept;
  if (is_represented(cell, access))
    return;
  if (cell->count < AGPU__EMU_CELL_ACCESSES)
    cell->accesses[cell->count++] = *access;
  else
    cell->accesses[choose_victim(cell, access)] = *access;
}

//===----------------------------------------------------------------------===//
// Pages
//===----------------------------------------------------------------------===//

typedef struct page {
  uintptr_t address;   ///< 0: none
  uint32_t generation; ///< that asked last
  agpu__emu_cell *cells;
} page;

// A hash table with linear probing; its size is a power of two.
static struct {
  page *pages;
  size_t count, capacity;
} all;

static page *find_place(page *in, size_t capacity, uintptr_t address) {
  size_t index = (address / PAGE_BYTES * 0x9e3779b97f4a7c15u) >> 32;
  while (in[index & (capacity - 1)].address &&
         in[index & (capacity - 1)].address != address)
    ++index;
  return &in[index & (capacity - 1)];
}

static void *create_zeroed(size_t bytes) {
  void *memory = agpu__memory_alloc((int64_t)bytes, 64, purpose);
  memset(memory, 0, bytes);
  return memory;
}

static void grow(void) {
  size_t capacity = all.capacity ? 2 * all.capacity : 64;
  page *grown = create_zeroed(capacity * sizeof *grown);
  for (size_t i = 0; i < all.capacity; ++i)
    if (all.pages[i].address)
      *find_place(grown, capacity, all.pages[i].address) = all.pages[i];
  agpu__memory_free(all.pages);
  all.pages = grown;
  all.capacity = capacity;
}

agpu__emu_cell *agpu__emu_shadow_page(uintptr_t address, uint32_t generation) {
  if (2 * all.count >= all.capacity)
    grow();
  page *found = find_place(all.pages, all.capacity, address);
  if (!found->address) {
    *found = (page){.address = address,
                    .cells = create_zeroed(PAGE_CELLS * sizeof *found->cells)};
    ++all.count;
  }
  found->generation = generation;
  return found->cells;
}

static int compare_pages(const void *one, const void *other) {
  uintptr_t a = ((const page *)one)->address;
  uintptr_t b = ((const page *)other)->address;
  return a < b ? -1 : a > b;
}

/// A run of bytes that grows until the next byte does not follow.
typedef struct run {
  uintptr_t from, to; ///< equal: none
  bool written;
  void (*visit)(uintptr_t from, uintptr_t to, bool written, void *argument);
  void *argument;
} run;

static void end_run(run *current) {
  if (current->from != current->to)
    current->visit(current->from, current->to, current->written,
                   current->argument);
  current->from = current->to = 0;
}

static void add_byte(run *current, uintptr_t address) {
  if (current->to != address) {
    end_run(current);
    current->from = address;
  }
  current->to = address + 1;
}

static void visit_page(const page *of, uint32_t generation, run *current) {
  for (size_t i = 0; i < PAGE_CELLS; ++i) {
    const agpu__emu_cell *cell = &of->cells[i];
    if (cell->generation != generation)
      continue;
    unsigned bytes = current->written ? cell->written
                                      : cell->read & ~(unsigned)cell->written;
    for (unsigned bit = 0; bit < AGPU__EMU_WORD; ++bit)
      if (bytes >> bit & 1u)
        add_byte(current, of->address + i * AGPU__EMU_WORD + bit);
  }
}

void agpu__emu_shadow_visit(uint32_t generation,
                            void (*visit)(uintptr_t from, uintptr_t to,
                                          bool written, void *argument),
                            void *argument) {
  page *found = agpu__memory_alloc((int64_t)((all.count + 1) * sizeof *found),
                                   64, purpose);
  size_t count = 0;
  for (size_t i = 0; i < all.capacity; ++i)
    if (all.pages[i].address && all.pages[i].generation == generation)
      found[count++] = all.pages[i];
  qsort(found, count, sizeof *found, compare_pages);
  for (int written = 1; written >= 0; --written) {
    run current = {
        .written = written != 0, .visit = visit, .argument = argument};
    for (size_t i = 0; i < count; ++i)
      visit_page(&found[i], generation, &current);
    end_run(&current);
  }
  agpu__memory_free(found);
}

void agpu__emu_shadow_reset(void) {
  for (size_t i = 0; i < all.capacity; ++i)
    agpu__memory_free(all.pages[i].cells);
  agpu__memory_free(all.pages);
  all.pages = NULL;
  all.count = all.capacity = 0;
}

void agpu__emu_shadow_trim(void) {
  if (all.count > MOST_KEPT)
    agpu__emu_shadow_reset();
}
