//===- events.h - The events of all threads, in order -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_EVENTS_H
#define ASYNC_GPU_TOOLS_TRACE_EVENTS_H

#include "trace/dump.h"

typedef struct agpu__thread_event {
  const agpu__trace_event *event; ///< of the dump
  size_t thread;
} agpu__thread_event;

/// Zero: none.
typedef struct agpu__events {
  agpu__thread_event *data, *other; ///< in order, and room to sort in
  size_t count, capacity;
} agpu__events;

/// All of a dump, by time. Signal-safe. False: out of memory.
bool agpu__events_gather(agpu__events *self, const agpu__dump *dump);
void agpu__events_free(agpu__events *self);

#endif // ASYNC_GPU_TOOLS_TRACE_EVENTS_H
