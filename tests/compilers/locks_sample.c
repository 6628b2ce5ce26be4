//===- locks_sample.c - What clang finds about locks ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses of runtime/base/sync/capability.h that are wrong, each marked.
//
//===----------------------------------------------------------------------===//

#include "base/sync/lock.h"
#include "base/sync/mutex.h"
#include "base/sync/rwlock.h"

struct counter {
  agpu__mutex lock;
  int count AGPU__GUARDED_BY(lock);
  int *where AGPU__POINTEE_GUARDED_BY(lock);
};

static agpu__lock brief;
static int total AGPU__GUARDED_BY(brief);

static void add(struct counter *to) AGPU__REQUIRES(to->lock);
static void add(struct counter *to) {
  ++to->count;
  ++total; // found
}

static void add_alone(struct counter *to) AGPU__EXCLUDES(to->lock);
static void add_alone(struct counter *to) {
  agpu__mutex_lock(&to->lock);
  add(to);
  *to->where = to->count;
  agpu__mutex_unlock(&to->lock);
  *to->where = 0; // found
}

static void wait(agpu__condition *changed, struct counter *until) {
  agpu__condition_wait(changed, &until->lock); // found
}

static int use(struct counter *one, agpu__condition *changed) {
  agpu__mutex_init(&one->lock, AGPU__RANK_EXEC);
  one->count = 0;
  return changed != 0;
}

static agpu__rwlock shared;
static int table[2] AGPU__GUARDED_BY(shared);

static int look(int at) AGPU__REQUIRES_SHARED(shared);
static int look(int at) {
  table[1] = 0; // found
  return table[at];
}

static int read_table(void) {
  agpu__rwlock_read(&shared);
  int first = look(0);
  table[0] = 1; // found
  agpu__rwlock_end_read(&shared);
  agpu__rwlock_write(&shared);
  table[0] = first;
  first += look(1);
  agpu__rwlock_end_write(&shared);
  return first + look(1); // found
}

int main(void) {
  static struct counter it;
  static agpu__condition changed;
  (void)use(&it, &changed);
  add(&it); // found
  agpu__mutex_lock(&it.lock);
  add_alone(&it); // found
  agpu__mutex_unlock(&it.lock);
  agpu__lock_acquire(&brief);
  ++total;
  if (it.where) // a way on which it is kept
    return 1;
  agpu__lock_release(&brief);
  wait(&changed, &it);
  (void)read_table();
  agpu__lock_release(&brief); // found
  return 0;
} // found
