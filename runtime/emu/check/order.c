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

#include "base/sync/lock.h"

static struct {
  agpu__lock lock;
  // Done, and the host knows; NULL: nothing.
  agpu__emu_stamp *host AGPU__GUARDED_BY(lock);
  unsigned streams AGPU__GUARDED_BY(lock);
} all = {.lock = AGPU__LOCK_INIT(AGPU__RANK_EMU_ORDER)};

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
  agpu__lock_acquire(&all.lock);
  order->number = all.streams++;
  agpu__lock_release(&all.lock);
}

void agpu__emu_order_step(agpu__emu_order *order, const agpu__emu_stamp *after,
                          agpu__emu_op *op) {
  agpu__lock_acquire(&all.lock);
  agpu__emu_stamp *host = agpu__emu_stamp_retain(all.host);
  agpu__lock_release(&all.lock);
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
  agpu__lock_acquire(&all.lock);
  agpu__emu_stamp *old = all.host;
  agpu__emu_stamp *next =
      agpu__emu_stamp_create(0, larger(count_of(old), stamp->count));
  join(next, old);
  join(next, stamp);
  all.host = next;
  agpu__lock_release(&all.lock);
  agpu__emu_stamp_release(old);
}

bool agpu__emu_order_is_known(unsigned stream, uint64_t position) {
  agpu__lock_acquire(&all.lock);
  bool known = agpu__emu_stamp_is_behind(all.host, stream, position);
  agpu__lock_release(&all.lock);
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
  agpu__lock_acquire(&all.lock);
  agpu__emu_stamp_release(all.host);
  all.host = NULL;
  all.streams = 0;
  agpu__lock_release(&all.lock);
}
