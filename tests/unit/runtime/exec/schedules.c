//===- schedules.c - The executor under many schedules --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     unit-runtime-exec-schedules [SEEDS [FIRST]]
//
// Trees of tasks that threads outside spawn and wait for, with schedules drawn
// from SEEDS seeds from FIRST on (base/sync/schedule.h) and 1 to 16 workers. A
// node
//
// - waits, as functions do that regions call, for children that it has spawned,
// - is continued by the last of its children, as regions that await are, or
// - runs some children on top of itself, and waits for the others.
//
// A failure names the seed and the number of workers, which repeat it.
//
//===----------------------------------------------------------------------===//

#include "base/report/status_track.h"
#include "check.h"
#include "exec/executor.h"
#include "exec/loop/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define SECONDS 20 // after which a run is stuck

enum { OUTSIDE = 3, NODES = 48, MOST_CHILDREN = 4 };

typedef enum kind { WAITS, CONTINUED, ON_TOP, IS_LEAF, LOOPS, KINDS } kind;

typedef struct node {
  struct node *parent;
  kind kind;
  uint32_t random;
  int first, size; ///< its nodes, itself included, in the tree
  atomic_int missing;
  int count; ///< nodes that ran below it, and itself
  agpu__parker done;
  struct node *tree;
} node;

static const int worker_counts[] = {1, 2, 3, 4, 8, 16};
static long current_seed;
static int current_workers;

/// A signal handler.
static void say_stuck(int unused) {
  (void)unused;
  char line[128];
  int length = snprintf(line, sizeof(line),
                        "stuck: ASYNC_GPU_SEED=%ld ASYNC_GPU_NUM_THREADS=%d\n",
                        current_seed, current_workers);
  (void)!write(STDERR_FILENO, line, (size_t)length);
  _exit(1);
}

static uint32_t draw(uint32_t *random) {
  *random = *random * 1664525u + 1013904223u;
  return *random >> 8;
}

static void run(void *handle);

/// The node's part of the tree is done. Its task ends with this.
static void finish(node *this) {
  node *parent = this->parent;
  if (!parent || parent->kind != CONTINUED) {
    agpu__parker_signal(&this->done, AGPU__EXEC_DONE);
    return;
  }
  if (atomic_fetch_sub(&parent->missing, 1) != 1)
    return;
  agpu__exec_announce();
  agpu__exec_submit_next((agpu__task){parent, run});
}

static void finish_later(void *handle) { finish(handle); }

static int add_up(node *this, node **children, int count) {
  int sum = 1;
  for (int i = 0; i < count; ++i)
    sum += children[i]->count;
  return this->count = sum;
}

/// Divides what is below the node among children.
static int make_children(node *this, node **children) {
  int left = this->size - 1, next = this->first + 1;
  int count = 1 + (int)(draw(&this->random) % MOST_CHILDREN);
  int made = 0;
  while (left > 0) {
    int size = made + 1 == count
                   ? left
                   : 1 + (int)(draw(&this->random) % (uint32_t)left);
    node *child = &this->tree[next];
    *child = (node){.parent = this,
                    .random = draw(&this->random),
                    .first = next,
                    .size = size,
                    .tree = this->tree};
    child->kind = (kind)(draw(&child->random) % KINDS);
    if (size == 1)
      child->kind = IS_LEAF;
    else if (child->kind == IS_LEAF)
      child->kind = CONTINUED;
    agpu__parker_init(&child->done);
    children[made++] = child;
    next += size;
    left -= size;
  }
  return made;
}

static void spawn(node *child) {
  agpu__exec_submit((agpu__task){child, run});
  agpu__exec_throttle();
}

static void wait_for(node *child) {
  agpu__exec_wait(&child->done, (agpu__wanted){0});
}

static void count_iterations(void *sum, int64_t begin, int64_t end) {
  atomic_fetch_add((atomic_int *)sum, (int)(end - begin));
}

static void run(void *handle) {
  node *this = handle;
  node *children[MOST_CHILDREN + 1];
  // Who comes here again has been continued; what it drew, it draws again.
  bool again = this->kind == CONTINUED && this->count < 0;
  uint32_t random = this->random;
  int count = 0;
  if (!again) {
    count = make_children(this, children);
    atomic_init(&this->missing, count);
  } else {
    for (int at = this->first + 1; at < this->first + this->size;
         at += this->tree[at].size)
      children[count++] = &this->tree[at];
  }
  switch (this->kind) {
  case WAITS:
    for (int i = 0; i < count; ++i)
      spawn(children[i]);
    if (random % 4 == 0)
      usleep(random % 64);
    for (int i = count - 1; i >= 0; --i)
      wait_for(children[i]);
    break;
  case CONTINUED:
    if (again)
      break;
    this->count = -1;
    // After the last of them is spawned the node may be gone on, or gone.
    for (int i = 0; i < count; ++i)
      spawn(children[i]);
    return;
  case ON_TOP:
    for (int i = 0; i < count; ++i) {
      bool blocks =
          children[i]->kind != IS_LEAF && children[i]->kind != CONTINUED;
      if (!blocks && agpu__exec_run_inline()) {
        run(children[i]);
        agpu__exec_started_here(/*suspended=*/true);
      } else {
        spawn(children[i]);
      }
    }
    for (int i = 0; i < count; ++i)
      wait_for(children[i]);
    break;
  case LOOPS: {
    for (int i = 0; i < count; ++i)
      spawn(children[i]);
    atomic_int sum = 0;
    agpu__exec_parallel_for(100, 1, count_iterations, &sum);
    CHECK_EQ(atomic_load(&sum), 100);
    for (int i = 0; i < count; ++i)
      wait_for(children[i]);
    break;
  }
  case IS_LEAF:
  case KINDS: break;
  }
  (void)add_up(this, children, count);
  if (this->kind == IS_LEAF && random % 2) {
    // Ends by handing on, as a region that something awaits.
    agpu__exec_announce();
    agpu__exec_submit_next((agpu__task){this, finish_later});
    return;
  }
  finish(this);
}

static void *be_outside(void *number) {
  static node trees[OUTSIDE][NODES];
  node *tree = trees[*(int *)number];
  for (int i = 0; i < 2; ++i) {
    tree[0] = (node){.random = (uint32_t)current_seed * 31u +
                               (uint32_t)(*(int *)number * 2 + i),
                     .size = NODES,
                     .tree = tree,
                     .kind = WAITS};
    tree[0].kind = draw(&tree[0].random) % 2 ? WAITS : CONTINUED;
    agpu__parker_init(&tree[0].done);
    spawn(&tree[0]);
    wait_for(&tree[0]);
    CHECK_EQ(tree[0].count, NODES);
  }
  return NULL;
}

static void run_once(long seed, int workers) {
  current_seed = seed;
  current_workers = workers;
  char text[24];
  snprintf(text, sizeof(text), "%ld", seed);
  setenv("ASYNC_GPU_SEED", text, 1);
  snprintf(text, sizeof(text), "%d", workers);
  setenv("ASYNC_GPU_NUM_THREADS", text, 1);
  alarm(SECONDS);
  pthread_t threads[OUTSIDE];
  int numbers[OUTSIDE];
  for (int i = 0; i < OUTSIDE; ++i) {
    numbers[i] = i;
    if (i > 0)
      CHECK(pthread_create(&threads[i], NULL, be_outside, &numbers[i]) == 0);
  }
  (void)be_outside(&numbers[0]);
  for (int i = 1; i < OUTSIDE; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
  agpu__exec_drain();
  CHECK(agpu__exec_is_quiet());
  agpu__exec_stop();
  CHECK(!agpu__status_take_reported()); // the library was found
  alarm(0);
}

int main(int argc, char **argv) {
  long seeds = argc > 1 ? strtol(argv[1], NULL, 10) : 30;
  long first = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
  (void)signal(SIGALRM, say_stuck);
  for (long seed = first; seed < first + seeds; ++seed)
    for (size_t i = 0; i < sizeof(worker_counts) / sizeof(worker_counts[0]);
         ++i)
      run_once(seed, worker_counts[i]);
  return 0;
}
