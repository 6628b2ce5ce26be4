//===- magazine.c - Memory from per-thread magazines --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After J. Bonwick and J. Adams, "Magazines and Vmem" (USENIX 2001).
//
// Blocks lie in chunks of CHUNK bytes, aligned to as many, whose first line
// says what size its blocks have: freeing finds it by the address alone. A
// block that is too large for the lists has such a chunk to itself, and one
// with an alignment of CHUNK or more none; it is known by its address, which
// only the line in front can have in a chunk.
//
// A thread has two batches for each size. `current` is what it takes from and
// puts into; `other` is empty or full, so that a thread that allocates
// and frees at the edge of a batch does not use the common list each time.
//
// A pool is a size of its own, with chunks of its own.
//
// What goes by a magazine that has a block, or room for one, is in the header.
//
//===----------------------------------------------------------------------===//

#include "base/memory/magazine.h"

#include "base/memory/memory.h"
#include "base/os/platform.h"
#include "base/os/self.h"
#include "base/report/assert.h"
#include "base/sync/lock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK AGPU__MAGAZINE_CHUNK
#define LINE AGPU__CACHE_LINE

/// Sizes up to SMALL come in steps of a line, then double.
#define SMALL AGPU__MAGAZINE_SMALL
#define SMALL_CLASSES (SMALL / LINE)
#define FIRST_POOL AGPU__MAGAZINE_FIRST_POOL
#define CLASSES AGPU__MAGAZINE_CLASSES
#define LARGEST 8128 // eight of them and a line are a chunk
#define NO_CLASS AGPU__MAGAZINE_CLASSES

/// Bytes that a batch aims at, and the fewest blocks in one.
#define BATCH_BYTES 8192
#define BATCH_LEAST 4

typedef agpu__magazine_chunk chunk;
typedef agpu__magazine_block block;
typedef agpu__magazine magazine;
typedef struct agpu__magazines magazines;

typedef struct depot {
  AGPU__CACHE_ALIGNED agpu__lock lock;
  block *batches AGPU__GUARDED_BY(lock);
} depot;

/// What all threads share.
__extension__ static struct {
  depot depots[CLASSES];
  _Atomic(chunk *) chunks;
  agpu__lock slab_lock;
  uint32_t chunks_made AGPU__GUARDED_BY(slab_lock);
  /// What is left of the newest.
  char *slab AGPU__GUARDED_BY(slab_lock);
  char *slab_end AGPU__GUARDED_BY(slab_lock);
  /// Never given back, but never lost either.
  chunk *slabs AGPU__GUARDED_BY(slab_lock);
} common = {.depots = {[0 ... CLASSES - 1] = {.lock = AGPU__LOCK_INIT(
                                                  AGPU__RANK_MAGAZINE_DEPOT)}},
            .slab_lock = AGPU__LOCK_INIT(AGPU__RANK_MAGAZINE_SLABS)};

_Static_assert(AGPU__POOL_LINK == sizeof(block), "what the header says");

static unsigned class_of(int64_t size) {
  if (size <= LINE)
    return 0;
  if (size <= SMALL)
    return (unsigned)(size - 1) / LINE;
  return SMALL_CLASSES + (size <= 2048 ? 0 : size <= 4096 ? 1 : 2);
}

static uint32_t size_of(unsigned class) {
#define SIZE(bytes) bytes,
  static const uint32_t others[] = {2048, 4096, LARGEST,
                                    AGPU__POOL_SIZES(SIZE)};
#undef SIZE
  _Static_assert(sizeof(others) / sizeof(*others) == CLASSES - SMALL_CLASSES,
                 "one for each class");
  return class < SMALL_CLASSES ? (class + 1) * LINE
                               : others[class - SMALL_CLASSES];
}

static uint32_t batch_of(unsigned class) {
  uint32_t count = BATCH_BYTES / size_of(class);
  return count < BATCH_LEAST ? BATCH_LEAST : count;
}

/// Chunks come one by one as long as there are few, then a slab of them at a
/// time, for which the system is asked for large pages: it takes less time to
/// give one of those than the same in small pages.
#define FEW_CHUNKS 16
#define SLAB (2 << 20)

static chunk *alloc_chunk(void) {
  agpu__lock_acquire(&common.slab_lock);
  chunk *made;
  if (common.chunks_made++ < FEW_CHUNKS) {
    made = agpu__memory_alloc(CHUNK, CHUNK, "blocks");
  } else {
    if (common.slab == common.slab_end) {
      common.slab = agpu__memory_alloc(SLAB, SLAB, "blocks");
      common.slab_end = common.slab + SLAB;
      (void)madvise(common.slab, SLAB, MADV_HUGEPAGE); // a wish
      ((chunk *)common.slab)->older_slab = common.slabs;
      common.slabs = (chunk *)common.slab;
    }
    made = (chunk *)common.slab;
    common.slab += CHUNK;
  }
  agpu__lock_release(&common.slab_lock);
  return made;
}

static void give(unsigned class, block *first, uint32_t count) {
  if (count == 0)
    return;
  depot *to = &common.depots[class];
  first->count = count;
  agpu__lock_acquire(&to->lock);
  first->next_batch = to->batches;
  to->batches = first;
  agpu__lock_release(&to->lock);
}

/// At the end of a thread: others can use what it has. Should it free a block
/// after this, it gets new magazines, and this is called again.
static void give_all(void) {
  magazines *of_thread = agpu__hot.magazines;
  agpu__hot.magazines = NULL;
  for (unsigned class = 0; class < CLASSES; ++class) {
    magazine *full = &of_thread->of[class];
    give(class, full->first, batch_of(class) - full->room);
    if (full->other)
      give(class, full->other, batch_of(class));
  }
  agpu__memory_free(of_thread);
}

static magazines *own_magazines(void) {
  magazines *own = agpu__hot.magazines;
  if (own)
    return own;
  own = agpu__memory_alloc(sizeof(*own), LINE, "a thread's magazines");
  for (unsigned class = 0; class < CLASSES; ++class)
    own->of[class] = (magazine){.room = batch_of(class)};
  agpu__hot.magazines = own;
  // Should this fail, others cannot use what the thread leaves.
  (void)agpu__self_at_end(AGPU__PART_MAGAZINE, give_all);
  return own;
}

/// Returns a batch of a new chunk, with its count; the others are given to all.
static block *new_chunk(unsigned class) {
  chunk *made = alloc_chunk();
  made->class = class;
  if (class >= FIRST_POOL)
    memset((char *)made + LINE, 0, CHUNK - LINE);
  made->next = atomic_load_explicit(&common.chunks, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&common.chunks, &made->next,
                                                made, memory_order_release,
                                                memory_order_relaxed))
    ;
  uint32_t size = size_of(class);
  uint32_t left = (CHUNK - LINE) / size;
  char *at = (char *)made + LINE;
  block *first = NULL;
  uint32_t count = 0;
  while (left > 0) {
    give(class, first, count);
    count = left < batch_of(class) ? left : batch_of(class);
    left -= count;
    first = (block *)at;
    for (uint32_t i = 0; i < count; ++i, at += size)
      ((block *)at)->next = i + 1 < count ? (block *)(at + size) : NULL;
  }
  first->count = count;
  return first;
}

static block *take(unsigned class) {
  depot *from = &common.depots[class];
  agpu__lock_acquire(&from->lock);
  block *first = from->batches;
  if (first)
    from->batches = first->next_batch;
  agpu__lock_release(&from->lock);
  return first ? first : new_chunk(class);
}

/// Fills `current`, which is empty.
static void refill(magazine *mine, unsigned class) {
  AGPU__ASSERT(!mine->first);
  if (mine->other) {
    mine->first = mine->other;
    mine->other = NULL;
    mine->room = 0;
  } else {
    mine->first = take(class);
    mine->room = batch_of(class) - mine->first->count;
  }
}

/// Makes room in `current`, which is full.
static void make_room(magazine *mine, unsigned class) {
  AGPU__ASSERT(mine->room == 0);
  if (mine->other)
    give(class, mine->other, batch_of(class));
  mine->other = mine->first;
  mine->first = NULL;
  mine->room = batch_of(class);
}

/// A block that no list has: in a chunk of its own, or, with an alignment that
/// a chunk cannot give, at its start.
static void *alloc_large(int64_t size, int64_t alignment, const char *what) {
  if (alignment >= CHUNK)
    return agpu__memory_alloc(size, alignment, what);
  int64_t offset = alignment > LINE ? alignment : LINE;
  int64_t bytes = size >= 0 && size <= INT64_MAX - offset ? size + offset : -1;
  chunk *made = agpu__memory_alloc(bytes, CHUNK, what);
  made->class = NO_CLASS;
  return (char *)made + offset;
}

static __attribute__((noinline)) void *alloc_of_class(unsigned class) {
  magazine *mine = &own_magazines()->of[class];
  if (!mine->first)
    refill(mine, class);
  return agpu__magazine_take(mine);
}

static __attribute__((noinline)) void free_of_class(unsigned class,
                                                    void *memory) {
  magazine *mine = &own_magazines()->of[class];
  if (mine->room == 0)
    make_room(mine, class);
  agpu__magazine_put(mine, memory);
}

void *agpu__magazine_alloc_slowly(int64_t size, int64_t alignment,
                                  const char *what) {
  if (AGPU__MAGAZINE_SEPARATE)
    return agpu__memory_alloc(size, alignment > LINE ? alignment : LINE, what);
  if (size < 0 || size > LARGEST || alignment > LINE)
    return alloc_large(size, alignment, what);
  return alloc_of_class(class_of(size));
}

void agpu__magazine_free_slowly(void *memory) {
  if (AGPU__MAGAZINE_SEPARATE || ((uintptr_t)memory & (CHUNK - 1)) == 0) {
    agpu__memory_free(memory);
    return;
  }
  unsigned class = agpu__magazine_chunk_of(memory)->class;
  if (class == NO_CLASS) {
    agpu__memory_free(agpu__magazine_chunk_of(memory));
    return;
  }
  free_of_class(class, memory);
}

void *agpu__pool_alloc_slowly(agpu__pool pool) {
  return alloc_of_class(FIRST_POOL + (unsigned)pool);
}

void agpu__pool_free(agpu__pool pool, void *freed) {
  magazines *own = agpu__hot.magazines;
  unsigned class = FIRST_POOL + (unsigned)pool;
  AGPU__ASSERT(agpu__magazine_chunk_of(freed)->class == class);
  if (own && own->of[class].room > 0)
    agpu__magazine_put(&own->of[class], freed);
  else
    free_of_class(class, freed);
}

void agpu__pool_visit(agpu__pool pool,
                      void (*visit)(void *block, void *argument),
                      void *argument) {
  uint32_t size = size_of(FIRST_POOL + (unsigned)pool);
  for (chunk *each = atomic_load_explicit(&common.chunks, memory_order_acquire);
       each; each = each->next)
    if (each->class == FIRST_POOL + (unsigned)pool)
      for (uint32_t at = LINE; at + size <= CHUNK; at += size)
        visit((char *)each + at, argument);
}

/// Takes the locks in one call and gives them back in another.
AGPU__UNCHECKED_LOCKS void agpu__magazine_fork(agpu__fork_step step) {
  if (step == AGPU__FORK_BEFORE)
    agpu__lock_acquire(&common.slab_lock);
  else
    agpu__lock_release(&common.slab_lock);
  for (unsigned class = 0; class < CLASSES; ++class)
    if (step == AGPU__FORK_BEFORE)
      agpu__lock_acquire(&common.depots[class].lock);
    else
      agpu__lock_release(&common.depots[class].lock);
}
