//===- events.h - Where a function touches memory, and from which side -*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PLACE_EVENTS_H
#define ASYNC_GPU_GPU_PLACE_EVENTS_H

#include "gpu/memory/summary.h"

/// An op that touches an object, from the host or from the device.
typedef struct agpu__event {
  MlirOperation op;
  bool on_device;
  bool reads; ///< needs what is there: it reads, or writes a part
  bool writes;
  bool by_other_name; ///< or so it may be: it is not given the object
} agpu__event;

/// All of them, in program order.
typedef struct agpu__events {
  agpu__event *data;
  size_t count, capacity;
} agpu__events;

/// What a function does with each of its objects.
typedef struct agpu__touches {
  agpu__summaries *summaries;
  const agpu__summary *function;
  agpu__events *of; ///< for each object
  agpu__ops *uses;  ///< ops with an operand of it, outside of launches
  agpu__ops *inner; ///< the same in a gpu.launch
  size_t *open;     ///< objects that may be reached by another name
  size_t open_count;
} agpu__touches;

/// Free with agpu__touches_free.
void agpu__touches_create(agpu__summaries *summaries,
                          const agpu__summary *function,
                          agpu__touches *out_touches);
void agpu__touches_free(agpu__touches *touches);

/// Of an object with several members, or that control flow hands on: what
/// touches that one or may do so, in program order. False if the device is
/// given what control flow gives, which may be it or not. Free
/// `out_events->data`.
bool agpu__touches_of_member(const agpu__touches *touches, size_t member,
                             agpu__events *out_events);

/// True for gpu.launch and gpu.launch_func.
bool agpu__is_launch(MlirOperation op);

/// True if `op` holds work for the device, so that what is in it is looked at
/// one by one.
bool agpu__holds_device_work(MlirOperation op);

#endif // ASYNC_GPU_GPU_PLACE_EVENTS_H
