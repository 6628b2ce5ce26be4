//===- magazine_interleaved.c - Magazines in all interleavings ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "interleave.h"

#include "base/memory/magazine.c"
#include "base/sync/lock.c"

#include "check.h"
#include "interleave_memory.h"
#include "own_self.h"

#include <stdlib.h>
#include <string.h>

// What else magazine.c needs of runtime/base.

bool agpu__self_at_end(agpu__thread_part part, void (*end)(void)) {
  (void)part;
  (void)end;
  return true;
}

/// The largest there is of the lists: batches of four, two of them in a chunk.
#define BYTES 8000

#define THREADS 3
#define BLOCKS 5 // of a thread; more than a batch

/// What each thread's block has.
static magazines *of_thread[THREADS];
static int running;

static void switch_to(int thread) {
  of_thread[running] = agpu__hot.magazines;
  running = thread;
  agpu__hot.magazines = of_thread[thread];
}

static unsigned char *blocks[THREADS][BLOCKS];

static void begin(void) {
  running = 0;
  agpu__hot.magazines = NULL;
  memset(of_thread, 0, sizeof(of_thread));
  memset(blocks, 0, sizeof(blocks));
}

/// Each block is one thread's alone, from its first byte to its last.
static void check_block(const unsigned char *of, int thread) {
  CHECK(of[0] == thread + 1 && of[BYTES - 1] == thread + 1);
}

static void allocate(int thread) {
  for (int i = 0; i < BLOCKS; ++i) {
    unsigned char *made = agpu__magazine_alloc(BYTES, 64, "a test");
    made[0] = made[BYTES - 1] = (unsigned char)(thread + 1);
    blocks[thread][i] = made;
  }
  for (int i = 0; i < BLOCKS; ++i)
    check_block(blocks[thread][i], thread);
}

static void give_back(int of) {
  for (int i = 0; i < BLOCKS; ++i)
    if (blocks[of][i]) {
      check_block(blocks[of][i], of);
      agpu__magazine_free(blocks[of][i]);
      blocks[of][i] = NULL;
    }
}

/// Allocate and free, and the end of a thread, which hands its lists on.
static void work(int thread) {
  allocate(thread);
  give_back(thread);
  give_all();
}

/// Thread 1 frees what thread 0 had before, which allocates anew.
static void begin_crossed(void) {
  begin();
  allocate(0);
  memcpy(blocks[2], blocks[0], sizeof(blocks[0]));
  memset(blocks[0], 0, sizeof(blocks[0]));
}

static void work_crossed(int thread) {
  if (thread == 0) {
    allocate(0);
    return;
  }
  for (int i = 0; i < BLOCKS; ++i) {
    check_block(blocks[2][i], 0);
    agpu__magazine_free(blocks[2][i]);
    blocks[2][i] = NULL;
  }
  give_all();
}

// One thread is left to look at the lists.

AGPU__UNCHECKED_LOCKS static void free_chunks(void) {
  chunk *each = common.chunks;
  while (each) {
    chunk *next = each->next;
    agpu__memory_free(each);
    each = next;
  }
  common.chunks = NULL;
  common.chunks_made = 0; // few enough that each is an allocation of its own
  for (unsigned class = 0; class < CLASSES; ++class)
    common.depots[class].batches = NULL;
}

/// Blocks of the class in the common list, and their chunks.
AGPU__UNCHECKED_LOCKS static void check_all_there(unsigned class) {
  int chunk_count = 0, block_count = 0;
  for (const chunk *each = common.chunks; each; each = each->next)
    ++chunk_count;
  for (const block *batch = common.depots[class].batches; batch;
       batch = batch->next_batch) {
    uint32_t count = 0;
    for (const block *each = batch; each; each = each->next)
      ++count;
    CHECK_EQ(count, batch->count);
    block_count += (int)count;
  }
  CHECK_EQ(block_count, chunk_count * ((CHUNK - LINE) / (int)size_of(class)));
}

static void end(void) {
  switch_to(0);
  check_all_there(class_of(BYTES));
  free_chunks();
}

static void end_crossed(void) {
  switch_to(0);
  give_back(0);
  give_all();
  end();
}

int main(void) {
  const interleaving cases[] = {
      {.threads = THREADS, .begin = begin, .run = work, .end = end},
      {.threads = 2,
       .begin = begin_crossed,
       .run = work_crossed,
       .end = end_crossed},
  };
  for (int i = 0; i < 2; ++i) {
    interleaving of = cases[i];
    of.preemptions = i == 0 ? INTERLEAVE_BOUND(2, 1) : INTERLEAVE_BOUND(4, 2);
    of.stale = 1;
    of.enter = switch_to;
    long runs = interleave(&of);
    printf("%ld runs\n", runs);
    CHECK(runs > 100);
  }
  return 0;
}
