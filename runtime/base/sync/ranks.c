//===- ranks.c - Who takes which lock under which --------------------------
//===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread's locks, in the order in which it has taken them. A lock is noted
// before it is waited for: what would stand still is told instead.
//
//===----------------------------------------------------------------------===//

#include "base/sync/ranks.h"

#ifdef AGPU__CHECK_RANKS

#include "base/os/self.h"
#include "base/os/write.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
  const char *name, *what;
  bool several;
} table[] = {{"NONE", "has no rank", false},
#define ROW(name, several, what) {#name, what, several},
             AGPU__RANK_TABLE(ROW)
#undef ROW
};

_Noreturn static void fail(const char *did, agpu__rank rank, const char *while_,
                           agpu__rank other) {
  char text[512];
  (void)snprintf(text, sizeof text,
                 "%s lock %s (rank %d, %s) %s lock %s (rank %d, %s)", did,
                 table[rank].name, (int)rank, table[rank].what, while_,
                 table[other].name, (int)other, table[other].what);
  agpu__write_line(NULL, "error", text);
  abort();
}

_Noreturn static void fail_alone(const char *did, agpu__rank rank) {
  char text[256];
  (void)snprintf(text, sizeof text, "%s lock %s (rank %d, %s)", did,
                 table[rank].name, (int)rank, table[rank].what);
  agpu__write_line(NULL, "error", text);
  abort();
}

/// Its index in what this thread holds, or the number of these.
static unsigned find(const void *lock) {
  for (unsigned i = agpu__self.held_count; i-- > 0;)
    if (agpu__self.held[i].lock == lock)
      return i;
  return agpu__self.held_count;
}

static agpu__rank get_rank(unsigned held) {
  return (agpu__rank)agpu__self.held[held].rank;
}

static bool may_follow(const void *lock, agpu__rank rank, unsigned held) {
  const void *below = agpu__self.held[held].lock;
  return rank > get_rank(held) ||
         (rank == get_rank(held) && table[rank].several &&
          (uintptr_t)lock > (uintptr_t)below);
}

static void add(const void *lock, agpu__rank rank) {
  unsigned most = sizeof agpu__self.held / sizeof *agpu__self.held;
  if (agpu__self.held_count == most)
    fail_alone("a thread holds too many locks to take", rank);
  unsigned last = agpu__self.held_count++;
  agpu__self.held[last].lock = lock;
  agpu__self.held[last].rank = (int)rank;
}

void agpu__rank_take(const void *lock, agpu__rank rank) {
  if (rank == AGPU__RANK_NONE)
    fail_alone("a thread takes a lock without a rank:", rank);
  for (unsigned i = agpu__self.held_count; i-- > 0;)
    if (!may_follow(lock, rank, i))
      fail("a thread takes", rank, "while it holds", get_rank(i));
  add(lock, rank);
}

static void remove_at(unsigned index) {
  unsigned count = --agpu__self.held_count;
  for (unsigned i = index; i < count; ++i)
    agpu__self.held[i] = agpu__self.held[i + 1];
}

void agpu__rank_give(const void *lock, agpu__rank rank) {
  agpu__rank_require(lock, rank);
  remove_at(find(lock));
}

void agpu__rank_wait(const void *lock, agpu__rank rank) {
  agpu__rank_require(lock, rank);
  unsigned own = find(lock);
  for (unsigned i = 0; i < agpu__self.held_count; ++i)
    if (i != own && !may_follow(lock, rank, i))
      fail("a thread waits with", rank, "while it holds", get_rank(i));
}

void agpu__rank_require(const void *lock, agpu__rank rank) {
  if (find(lock) == agpu__self.held_count)
    fail_alone("a thread does not hold", rank);
}

void agpu__rank_forget(const void *lock) {
  unsigned index = find(lock);
  if (index < agpu__self.held_count)
    remove_at(index);
}

#endif
