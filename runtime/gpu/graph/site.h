//===- site.h - Parts of programs, from round to round ------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_GRAPH_SITE_H
#define ASYNC_GPU_RUNTIME_GPU_GRAPH_SITE_H

#include "async_gpu/compiled/graph.h"
#include "gpu/graph/record.h"

/// What the runtime keeps of a part: the recorders that its rounds use, of
/// which there are several where rounds run at the same time.
typedef struct agpu__site agpu__site;

/// Counts a round of the part on `device`. False: it is to run as it does
/// without graphs. Any thread.
bool agpu__site_is_due(agpu_graph_site *part, const agpu__device *device);

/// A recorder for such a round, the caller's until agpu__site_give, for a
/// launch on `stream`, or where that is NULL, on one of the recorder's own:
/// another one than that of a launch beside which it may run. NULL: there is
/// none left. Any thread.
agpu__recorder *agpu__site_take(agpu_graph_site *part,
                                const agpu__device *device,
                                const agpu__pool_stream *stream);

/// Gives it back after a round of so many nodes.
void agpu__site_give(agpu_graph_site *part, agpu__recorder *recorder,
                     size_t nodes);

/// If no part of the device has run since the last call: gives its graphs back.
/// False otherwise. Any thread.
bool agpu__sites_trim(const agpu__device *device);

/// Memory of the device is out: gives back what parts keep that are in no
/// round, once the device is idle, or else what the calling thread's round
/// does, which ends its recording. False: there is nothing. Any thread.
bool agpu__sites_release_memory(const agpu__device *device);

/// Before kernels of `module` are unloaded: graphs that may launch them go. No
/// round of its parts is going on.
void agpu__sites_release_module(const agpu_module_desc *module);

/// Gives back what the device has of graphs; no other thread uses any.
void agpu__sites_close(const agpu__device *device);

/// The driver's objects alone; no other thread may call it any more. Before any
/// device is given back: a graph of one may have memory of another.
void agpu__sites_abandon(void);

/// In the child of a fork.
void agpu__sites_fork(void);

#endif // ASYNC_GPU_RUNTIME_GPU_GRAPH_SITE_H
