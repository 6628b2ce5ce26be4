//===- node_events.h - When nodes of a graph ran, by events ------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events that a launch of a graph records, one behind each node that is in no
// body, for who asks for them (ASYNC_GPU_TRACE_CLOCK=nodes). A node ends when
// its event was recorded, and begins when all that it depends on had ended.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_TRACE_NODE_EVENTS_H
#define ASYNC_GPU_RUNTIME_GPU_TRACE_NODE_EVENTS_H

#include "gpu/trace/traced.h"

/// Of one launch. One thread at a time.
typedef struct agpu__node_events agpu__node_events;

/// Whether launches are to have them, from now on. Any thread.
bool agpu__node_events_are_wanted(void);

/// So many, none of which is there yet.
agpu__node_events *agpu__node_events_create(size_t count);

/// The event of that node, of the current context, which is created. An error
/// is the driver's.
CUresult agpu__node_events_add(agpu__node_events *of, size_t node,
                               CUevent *out);

/// The nodes, of which there are as many; copied.
void agpu__node_events_describe(agpu__node_events *of,
                                const agpu__traced_node *nodes);

/// The launch is over, and began at `begin`, when `first` was recorded; or
/// where that is NULL, nothing is known of it. Tells of each node, whose
/// numbers begin with `work`.
void agpu__node_events_tell(const agpu__node_events *of, CUevent first,
                            int64_t begin, uint64_t work, agpu__work_ran *ran);

/// Destroys the events, which a launch may record still.
void agpu__node_events_free(agpu__node_events *of);

#endif // ASYNC_GPU_RUNTIME_GPU_TRACE_NODE_EVENTS_H
