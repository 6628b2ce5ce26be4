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
// A stamp's positions are a clock, and that of a stream's last op the stream's.
// All functions may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_CHECK_ORDER_H
#define ASYNC_GPU_RUNTIME_EMU_CHECK_ORDER_H

#include "emu/base/hooks.h"
#include "emu/device/op.h"

/// A stream begins: it gets its number.
void agpu__emu_order_init(agpu__emu_order *order);

/// Stamps the stream's next op: after what was on the stream, what the host
/// knows, and `after` (a stamp, or NULL). For one thread at a time per stream.
void agpu__emu_order_step(agpu__emu_order *order, const agpu__emu_stamp *after,
                          agpu__emu_op *op);

/// The host learns that the op with this stamp is done; NULL: there was none.
void agpu__emu_order_observe(const agpu__emu_stamp *stamp);

/// Whether the host has learned that the op at `position` of `stream` is done.
bool agpu__emu_order_is_known(unsigned stream, uint64_t position);

/// The position of the op on its stream.
uint64_t agpu__emu_stamp_position(const agpu__emu_stamp *stamp);

/// Whether the op at `position` of `stream` comes before the op with `stamp`.
bool agpu__emu_stamp_is_behind(const agpu__emu_stamp *stamp, unsigned stream,
                               uint64_t position);

/// Forgets everything, with the context.
void agpu__emu_order_reset(void);

#endif // ASYNC_GPU_RUNTIME_EMU_CHECK_ORDER_H
