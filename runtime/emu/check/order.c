//===- order.c - What happens before what, on the emulated device ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stamp is made anew for each op and never changes, so that streams, ops and
// markers share them. What the host knows is one clock for all of its threads.
//
//===----------------------------------------------------------------------===//

#include "emu/check/order.h"

#include <pthread.h>

static struct {
  pthread_mutex_t lock;  // guards what follows
  agpu__emu_stamp *host; // done, and the host knows; NULL: nothing
  unsigned streams;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void join(agpu__emu_stamp *target, const agpu__emu_stamp *source) {
  for (unsigned i = 0; source && i < source->count; ++i)
    if (source->positions[i] > target->positions[i])
      target->positions[i] = source->positions[i];
}

static unsigned count_of(const agpu__emu_stamp *stamp) {
  return stamp ? stamp->count : 0;
}

static unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }

void agpu__emu_order_init(agpu__emu_order *order) {
  pthread_mutex_lock(&all.lock);
  order->number = all.streams++;
  pthread_mutex_unlock(&all.lock);
}

void agpu__emu_order_step(agpu__emu_order *order, const agpu__emu_stamp *after,
                          agpu__emu_op *op) {
  pthread_mutex_lock(&all.lock);
  agpu__emu_stamp *host = agpu__emu_stamp_retain(all.host);
  pthread_mutex_unlock(&all.lock);
  unsigned count = larger(order->number + 1, count_of(order->last));
  count = larger(larger(count, count_of(host)), count_of(after));
  agpu__emu_stamp *next = agpu__emu_stamp_create(order->number, count);
  join(next, order->last);
  join(next, host);
  join(next, after);
  ++next->positions[order->number];
  agpu__emu_stamp_release(host);
  agpu__emu_stamp_release(order->last);
  order->last = next;
  op->stamp = agpu__emu_stamp_retain(next);
}

void agpu__emu_order_observe(const agpu__emu_stamp *stamp) {
  if (!stamp)
    return;
  pthread_mutex_lock(&all.lock);
  agpu__emu_stamp *old = all.host;
  agpu__emu_stamp *next =
      agpu__emu_stamp_create(0, larger(count_of(old), stamp->count));
  join(next, old);
  join(next, stamp);
  all.host = next;
  pthread_mutex_unlock(&all.lock);
  agpu__emu_stamp_release(old);
}

bool agpu__emu_order_is_known(unsigned stream, uint64_t position) {
  pthread_mutex_lock(&all.lock);
  bool known = agpu__emu_stamp_is_behind(all.host, stream, position);
  pthread_mutex_unlock(&all.lock);
  return known;
}

uint64_t agpu__emu_stamp_position(const agpu__emu_stamp *stamp) {
  return stamp->positions[stamp->stream];
}

bool agpu__emu_stamp_is_behind(const agpu__emu_stamp *stamp, unsigned stream,
                               uint64_t position) {
  return stream < count_of(stamp) && stamp->positions[stream] >= position;
}

void agpu__emu_order_reset(void) {
  pthread_mutex_lock(&all.lock);
  agpu__emu_stamp_release(all.host);
  all.host = NULL;
  all.streams = 0;
  pthread_mutex_unlock(&all.lock);
}
