//===- magazine.h - Memory from per-thread magazines ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks for what comes and goes with every task: frames, tokens, values. A
// thread takes them from, and puts them into, lists of its own, one for each
// size, without a lock; lists that are empty or full are exchanged as a whole
// with those of all threads. So blocks flow back from threads that only free
// to such as only allocate, one lock for a batch of them.
//
// Memory of small blocks is kept for further ones, never given back to the
// system: a process keeps what it needed at its peak. Under address sanitizer
// each block is an allocation of its own, so that misuse is found.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_MEMORY_MAGAZINE_H
#define ASYNC_GPU_RUNTIME_BASE_MEMORY_MAGAZINE_H

#include "base/os/fork.h"
#include "base/os/platform.h"
#include "base/os/self.h"

#include <stdbool.h>
#include <stdint.h>

/// Whether each block is an allocation of its own.
#if defined(__SANITIZE_ADDRESS__)
#define AGPU__MAGAZINE_SEPARATE true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AGPU__MAGAZINE_SEPARATE true
#endif
#endif
#ifndef AGPU__MAGAZINE_SEPARATE
#define AGPU__MAGAZINE_SEPARATE false
#endif

/// X(bytes) for the blocks of each pool, ascending: the first is that of
/// awaiters (async/awaiter.c), the others those of tasks (async/abi/task.c).
#define AGPU__POOL_SIZES(X) X(64) X(192) X(256) X(384) X(512)

/// Blocks of one kind and size, which are in chunks of their own, so that all
/// that are in use can be listed. A block is all zero when it is allocated for
/// the first time; later it has what it had when it was freed, but for its
/// first AGPU__POOL_LINK bytes. So its owner can keep in it whether it is in
/// use.
typedef enum agpu__pool {
#define AGPU__POOL_NAME(bytes) AGPU__POOL_##bytes,
  AGPU__POOL_SIZES(AGPU__POOL_NAME)
#undef AGPU__POOL_NAME
      AGPU__POOLS,
} agpu__pool;

#define AGPU__POOL_LINK 24

//===----------------------------------------------------------------------===//
// What the inline functions know of magazine.c
//===----------------------------------------------------------------------===//

#define AGPU__MAGAZINE_CHUNK 65536

/// Sizes up to this one come in steps of a cache line, each a class.
#define AGPU__MAGAZINE_SMALL 1024
#define AGPU__MAGAZINE_FIRST_POOL (AGPU__MAGAZINE_SMALL / AGPU__CACHE_LINE + 3)
#define AGPU__MAGAZINE_CLASSES (AGPU__MAGAZINE_FIRST_POOL + AGPU__POOLS)

/// One that is not used. The first of a batch on a common list has the next
/// batch and its own length too.
typedef struct agpu__magazine_block {
  struct agpu__magazine_block *next;
  struct agpu__magazine_block *next_batch;
  uint32_t count;
} agpu__magazine_block;

typedef struct agpu__magazine {
  agpu__magazine_block *first; ///< of `current`
  uint32_t room;               ///< until `current` is full
  agpu__magazine_block *other; ///< a full batch, or NULL
} agpu__magazine;

/// A thread's; there are none before its first block.
struct agpu__magazines {
  agpu__magazine of[AGPU__MAGAZINE_CLASSES];
};

/// What a chunk begins with.
typedef struct agpu__magazine_chunk {
  AGPU__CACHE_ALIGNED uint32_t class;
  struct agpu__magazine_chunk *next; ///< of all that have blocks for the lists
  struct agpu__magazine_chunk *older_slab; ///< of the first in a slab
} agpu__magazine_chunk;

static inline agpu__magazine_chunk *agpu__magazine_chunk_of(void *memory) {
  return (agpu__magazine_chunk *)((uintptr_t)memory &
                                  ~(uintptr_t)(AGPU__MAGAZINE_CHUNK - 1));
}

static inline void *agpu__magazine_take(agpu__magazine *mine) {
  agpu__magazine_block *taken = mine->first;
  mine->first = taken->next;
  ++mine->room;
  return taken;
}

static inline void agpu__magazine_put(agpu__magazine *mine,
                                      agpu__magazine_block *freed) {
  freed->next = mine->first;
  mine->first = freed;
  --mine->room;
}

/// Where there is no magazine that has a block, or room for one.
void *agpu__magazine_alloc_slowly(int64_t size, int64_t alignment,
                                  const char *what);
void agpu__magazine_free_slowly(void *block);
void *agpu__pool_alloc_slowly(agpu__pool pool);

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// `size` bytes aligned to `alignment` (a power of two), and to a cache line.
/// Never NULL: where memory is out, or `size` negative, ends the process with
/// a message that names `what`. Any thread.
static inline void *agpu__magazine_alloc(int64_t size, int64_t alignment,
                                         const char *what) {
  struct agpu__magazines *own = agpu__hot.magazines;
  if (!AGPU__MAGAZINE_SEPARATE && own &&
      (uint64_t)size - 1 < AGPU__MAGAZINE_SMALL &&
      alignment <= AGPU__CACHE_LINE) {
    agpu__magazine *mine = &own->of[(uint64_t)(size - 1) / AGPU__CACHE_LINE];
    if (mine->first)
      return agpu__magazine_take(mine);
  }
  return agpu__magazine_alloc_slowly(size, alignment, what);
}

/// Gives a block of agpu__magazine_alloc or agpu__pool_alloc back. Any thread.
static inline void agpu__magazine_free(void *block) {
  struct agpu__magazines *own = agpu__hot.magazines;
  if (!AGPU__MAGAZINE_SEPARATE && own &&
      ((uintptr_t)block & (AGPU__MAGAZINE_CHUNK - 1)) != 0) {
    unsigned class = agpu__magazine_chunk_of(block)->class;
    if (class != AGPU__MAGAZINE_CLASSES && own->of[class].room > 0) {
      agpu__magazine_put(&own->of[class], block);
      return;
    }
  }
  agpu__magazine_free_slowly(block);
}

/// The same of a block of agpu__magazine_alloc for so many bytes, at most
/// AGPU__MAGAZINE_SMALL.
static inline void agpu__magazine_free_of(void *block, int64_t size) {
  struct agpu__magazines *own = agpu__hot.magazines;
  uint64_t lines = (uint64_t)(size - 1) / AGPU__CACHE_LINE;
  if (!AGPU__MAGAZINE_SEPARATE && own && own->of[lines].room > 0)
    agpu__magazine_put(&own->of[lines], block);
  else
    agpu__magazine_free_slowly(block);
}

/// A block of the pool's size, aligned to a cache line. Ends the process where
/// memory is out. Any thread.
static inline void *agpu__pool_alloc(agpu__pool pool) {
  struct agpu__magazines *own = agpu__hot.magazines;
  unsigned class = AGPU__MAGAZINE_FIRST_POOL + (unsigned)pool;
  return own && own->of[class].first ? agpu__magazine_take(&own->of[class])
                                     : agpu__pool_alloc_slowly(pool);
}

/// Gives a block of agpu__pool_alloc back. Any thread.
void agpu__pool_free(agpu__pool pool, void *block);

/// Calls `visit` for every block of the pool, in use or not. Only while no
/// other thread allocates or frees any.
void agpu__pool_visit(agpu__pool pool,
                      void (*visit)(void *block, void *argument),
                      void *argument);

/// At a fork. What the parent's other threads had in their lists is lost to the
/// child.
void agpu__magazine_fork(agpu__fork_step step);

#endif // ASYNC_GPU_RUNTIME_BASE_MEMORY_MAGAZINE_H
