//===- magazine.c - Blocks are apart, and come back ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/memory/magazine.h"
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

static bool is_aligned(const void *memory, int64_t alignment) {
  return (uintptr_t)memory % (uintptr_t)alignment == 0;
}

/// Blocks of all sizes at once: each keeps what was written into it.
static void test_blocks_are_apart(void) {
  enum { EACH = 300, SIZES = 14 };
  static const int64_t sizes[SIZES] = {
      0, 1, 64, 65, 128, 1024, 1025, 2048, 4096, 4097, 8128, 8129, 9000, 70000};
  static unsigned char *blocks[SIZES][EACH];
  for (int i = 0; i < EACH; ++i)
    for (int k = 0; k < SIZES; ++k) {
      blocks[k][i] = agpu__magazine_alloc(sizes[k], 16, "a test");
      CHECK(is_aligned(blocks[k][i], 64));
      memset(blocks[k][i], (i + k) & 255, (size_t)sizes[k]);
    }
  for (int i = 0; i < EACH; ++i)
    for (int k = 0; k < SIZES; ++k) {
      for (int64_t at = 0; at < sizes[k]; ++at)
        CHECK_EQ(blocks[k][i][at], (i + k) & 255);
      agpu__magazine_free(blocks[k][i]);
    }
}

static void test_alignments(void) {
  for (int64_t alignment = 1; alignment <= 1 << 20; alignment *= 2)
    for (int64_t size = 1; size <= 100000; size *= 10) {
      void *memory = agpu__magazine_alloc(size, alignment, "a test");
      CHECK(is_aligned(memory, alignment));
      memset(memory, 1, (size_t)size);
      agpu__magazine_free(memory);
    }
}

#define PASSED 1024
static _Atomic(void *) passed[PASSED];
#define ROUNDS 100000

static void *allocate(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; ++i) {
    uint64_t *block = agpu__magazine_alloc(256, 16, "a test");
    *block = 42;
    void *none = NULL;
    while (!atomic_compare_exchange_weak(&passed[i % PASSED], &none, block)) {
      none = NULL;
      sched_yield();
    }
  }
  return NULL;
}

static void *release(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; ++i) {
    uint64_t *block;
    while (!(block = atomic_exchange(&passed[i % PASSED], NULL)))
      sched_yield();
    CHECK_EQ(*block, 42);
    *block = 0;
    agpu__magazine_free(block);
  }
  return NULL;
}

static long peak_kib(void) {
  struct rusage usage;
  CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
  return usage.ru_maxrss;
}

/// One thread only allocates, another only frees: the blocks go round. All of
/// them together would take 25 MiB.
static void test_blocks_flow_back(void) {
  long before = peak_kib();
  pthread_t threads[2];
  CHECK(pthread_create(&threads[0], NULL, allocate, NULL) == 0);
  CHECK(pthread_create(&threads[1], NULL, release, NULL) == 0);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK(peak_kib() - before < 16 * 1024);
#else
  (void)before;
#endif
}

static void *come_and_go(void *unused) {
  (void)unused;
  void *blocks[200];
  for (int i = 0; i < 200; ++i)
    blocks[i] = agpu__magazine_alloc(512, 16, "a test");
  for (int i = 0; i < 200; ++i)
    agpu__magazine_free(blocks[i]);
  return NULL;
}

/// What ended threads had is used by the next: a thousand of them would need
/// 100 MiB.
static void test_threads_leave_their_blocks(void) {
  long before = peak_kib();
  for (int i = 0; i < 1000; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, come_and_go, NULL) == 0);
    pthread_join(thread, NULL);
  }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK(peak_kib() - before < 16 * 1024);
#else
  (void)before;
#endif
}

typedef struct pooled {
  char link[AGPU__POOL_LINK];
  uint32_t is_used, number;
} pooled;

static void count_used(void *block, void *seen) {
  const pooled *one = block;
  if (one->is_used)
    ++((int *)seen)[one->number];
}

static void *free_half(void *data) {
  pooled **blocks = data;
  for (int i = 0; i < 3000; i += 2) {
    blocks[i]->is_used = 0;
    agpu__pool_free(AGPU__POOL_64, blocks[i]);
  }
  return NULL;
}

/// Those in use, whoever has freed the others and wherever these are.
static void test_blocks_of_a_pool_are_visited(void) {
  static pooled *blocks[3000];
  static int seen[3000];
  for (uint32_t i = 0; i < 3000; ++i) {
    blocks[i] = agpu__pool_alloc(AGPU__POOL_64);
    CHECK(is_aligned(blocks[i], 64) && !blocks[i]->is_used);
    blocks[i]->number = i;
    blocks[i]->is_used = 1;
  }
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, free_half, blocks) == 0);
  pthread_join(thread, NULL);
  agpu__pool_visit(AGPU__POOL_64, count_used, seen);
  for (int i = 0; i < 3000; ++i)
    CHECK_EQ(seen[i], i % 2);
}

int main(void) {
  test_blocks_of_a_pool_are_visited();
  test_blocks_are_apart();
  test_alignments();
  test_blocks_flow_back();
  test_threads_leave_their_blocks();
  return 0;
}
