//===- event_pool.h - The events of a device ----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events that no one refers to, for event.c. What others call is in event.h.
// Any thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_STREAM_EVENT_POOL_H
#define ASYNC_GPU_RUNTIME_GPU_STREAM_EVENT_POOL_H

#include "gpu/stream/event.h"

/// A free event, with one reference, or NULL. Now and then `*out_enough` is how
/// many events would have done for long, else INT64_MAX: for _shrink, once the
/// caller has no lock.
agpu__event *agpu__event_pool_take(agpu__event_pool *pool, int64_t *out_enough);

/// Adds free events, for use behind `last`; the driver may take its time. The
/// device has been entered.
agpu_status agpu__event_pool_grow(const agpu__device *device,
                                  const agpu__op_name *last);

/// Destroys free events until there are no more than `keep` of all. The device
/// has been entered.
void agpu__event_pool_shrink(agpu__event_pool *pool, int64_t keep);

/// The events that someone refers to, a reference each, in `*out_held`, which
/// the caller frees; returns how many. No other thread makes events meanwhile.
size_t agpu__event_pool_hold(agpu__event_pool *pool, agpu__event ***out_held);

/// Takes an event back that no one refers to.
void agpu__event_pool_give(agpu__event *event);

#endif // ASYNC_GPU_RUNTIME_GPU_STREAM_EVENT_POOL_H
