//===- order.c - What happens before what, on the emulated device ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emu/check/order.h"

#include "base/memory/memory.h"
#include "emu/emu.h"

#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards what follows
static agpu__emu_clock host; // done, and the host knows
static unsigned stream_count;

static bool is_on(void) { return agpu__emu_get_settings()->check_races; }

static void grow(agpu__emu_clock *clock, unsigned count) {
  if (clock->count >= count)
    return;
  uint64_t *grown =
      agpu__memory_alloc((int64_t)(count * sizeof *grown), _Alignof(uint64_t),
                         "the check of the device's order");
  memset(grown, 0, count * sizeof *grown);
  if (clock->count)
    memcpy(grown, clock->positions, clock->count * sizeof *grown);
  agpu__memory_free(clock->positions);
  *clock = (agpu__emu_clock){grown, count};
}

static void join(agpu__emu_clock *target, const agpu__emu_clock *source) {
  grow(target, source->count);
  for (unsigned i = 0; i < source->count; ++i)
    if (source->positions[i] > target->positions[i])
      target->positions[i] = source->positions[i];
}

static void clear(agpu__emu_clock *clock) {
  agpu__memory_free(clock->positions);
  *clock = (agpu__emu_clock){NULL, 0};
}

void agpu__emu_order_init(agpu__emu_order *order) {
  if (!is_on())
    return;
  pthread_mutex_lock(&lock);
  order->number = stream_count++;
  pthread_mutex_unlock(&lock);
}

void agpu__emu_order_clear(agpu__emu_order *order) { clear(&order->clock); }

void agpu__emu_order_step(agpu__emu_order *order, const agpu__emu_stamp *after,
                          agpu__emu_stamp *out_stamp) {
  if (!is_on()) {
    out_stamp->origin = agpu__driver_get_origin();
    return;
  }
  pthread_mutex_lock(&lock);
  join(&order->clock, &host);
  pthread_mutex_unlock(&lock);
  if (after)
    join(&order->clock, &after->clock);
  grow(&order->clock, order->number + 1);
  ++order->clock.positions[order->number];
  agpu__emu_order_get(order, out_stamp);
  out_stamp->origin = agpu__driver_get_origin();
}

void agpu__emu_order_get(const agpu__emu_order *order,
                         agpu__emu_stamp *out_stamp) {
  *out_stamp = (agpu__emu_stamp){.stream = order->number};
  join(&out_stamp->clock, &order->clock);
}

void agpu__emu_order_observe(const agpu__emu_stamp *stamp) {
  if (!is_on())
    return;
  pthread_mutex_lock(&lock);
  join(&host, &stamp->clock);
  pthread_mutex_unlock(&lock);
}

bool agpu__emu_order_is_known(unsigned stream, uint64_t position) {
  pthread_mutex_lock(&lock);
  bool known = stream < host.count && host.positions[stream] >= position;
  pthread_mutex_unlock(&lock);
  return known;
}

void agpu__emu_stamp_copy(agpu__emu_stamp *target,
                          const agpu__emu_stamp *source) {
  *target = *source;
  target->clock = (agpu__emu_clock){NULL, 0};
  join(&target->clock, &source->clock);
}

void agpu__emu_stamp_clear(agpu__emu_stamp *stamp) { clear(&stamp->clock); }

uint64_t agpu__emu_stamp_position(const agpu__emu_stamp *stamp) {
  return stamp->stream < stamp->clock.count
             ? stamp->clock.positions[stamp->stream]
             : 0;
}

bool agpu__emu_stamp_is_behind(const agpu__emu_stamp *stamp, unsigned stream,
                               uint64_t position) {
  return stream < stamp->clock.count &&
         stamp->clock.positions[stream] >= position;
}

void agpu__emu_order_reset(void) {
  pthread_mutex_lock(&lock);
  clear(&host);
  stream_count = 0;
  pthread_mutex_unlock(&lock);
}
