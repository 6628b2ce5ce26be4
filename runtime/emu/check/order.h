//===- order.h - What happens before what, on the emulated device -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ASYNC_GPU_EMU_CHECK=races: vector clocks over streams. Each op is stamped
// when it is enqueued with how far every stream has to be before it may run,
// by the order of streams, by events, and by what the host had learned.
//
// The host counts as one: what one of its threads has learned, all know from
// then on. The device cannot see how they tell each other; so what the host
// orders is never reported, and what it orders by chance may be missed.
//
// Without the check nothing here does anything, and stamps are empty. All
// functions may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_ORDER_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_ORDER_H

#include "gpu/driver/driver.h"

#include <stdbool.h>

/// For each stream by number, an op's position there.
typedef struct agpu__emu_clock {
  uint64_t *positions;
  unsigned count;
} agpu__emu_clock;

/// A stream's part: its number, and the clock of what it has been told to run.
typedef struct agpu__emu_order {
  unsigned number;
  agpu__emu_clock clock;
} agpu__emu_order;

/// An op's: its stream, its clock (which counts itself), and whose it is.
typedef struct agpu__emu_stamp {
  unsigned stream;
  agpu__emu_clock clock;
  agpu__op_name origin;
} agpu__emu_stamp;

void agpu__emu_order_init(agpu__emu_order *order);
void agpu__emu_order_clear(agpu__emu_order *order);

/// The stream's next op: behind what was on the stream, what the host knows,
/// and `after` (a stamp, or NULL). For one thread at a time per stream.
void agpu__emu_order_step(agpu__emu_order *order, const agpu__emu_stamp *after,
                          agpu__emu_stamp *out_stamp);

/// All ops on the stream so far, as a stamp.
void agpu__emu_order_get(const agpu__emu_order *order,
                         agpu__emu_stamp *out_stamp);

/// The host learns that the op with this stamp is done.
void agpu__emu_order_observe(const agpu__emu_stamp *stamp);

/// Whether the host has learned that the op at `position` of `stream` is done.
bool agpu__emu_order_is_known(unsigned stream, uint64_t position);

void agpu__emu_stamp_copy(agpu__emu_stamp *target,
                          const agpu__emu_stamp *source);
void agpu__emu_stamp_clear(agpu__emu_stamp *stamp);

/// The position of the op on its stream; 0: the stamp is empty.
uint64_t agpu__emu_stamp_position(const agpu__emu_stamp *stamp);

/// Whether the op at `position` of `stream` comes before the op with `stamp`.
bool agpu__emu_stamp_is_behind(const agpu__emu_stamp *stamp, unsigned stream,
                               uint64_t position);

/// Forgets everything, with the context.
void agpu__emu_order_reset(void);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_ORDER_H
