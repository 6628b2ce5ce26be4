//===- kept.h - Memory of rounds ----------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory in the order of a stream that a round allocates and frees. It is kept
// for later allocations of that size, of this round and of the next: so a round
// that does what the last one did has the same addresses, and costs no call.
//
// These are no nodes of the graph: who records has to know an address before it
// is known whether the graph will be launched at all.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_GRAPH_KEPT_H
#define ASYNC_GPU_RUNTIME_GPU_GRAPH_KEPT_H

#include "gpu/graph/lane.h"

/// A block that is kept, for what follows on the lane, which records. False:
/// there is none of that size.
bool agpu__kept_take(agpu__lane *lane, size_t bytes, CUdeviceptr *out_pointer);

/// `pointer`, of so many bytes, has been allocated in the round: it may be kept
/// once it is freed.
void agpu__kept_add(agpu__recorder *of, CUdeviceptr pointer, size_t bytes);

/// It is freed after what the lane, which records, holds. If it is not one
/// that may be kept, the driver is told at the end of the round.
void agpu__kept_give(agpu__lane *lane, CUdeviceptr pointer);

/// The driver frees it itself.
void agpu__kept_forget(agpu__recorder *of, CUdeviceptr pointer);

/// What has been enqueued is on the stream: frees there what may not be kept,
/// and with `all`, what is in use is not the part's any more. The result is
/// that of the first call that fails, for `*out_location`.
CUresult agpu__kept_end(agpu__recorder *of, bool all,
                        const char **out_location);

/// Whether there is memory that is not in use.
bool agpu__kept_has_free(const agpu__recorder *of);

/// Frees what is kept and not in use, after the work that uses it. Enters the
/// device. False: there is nothing.
bool agpu__kept_release(agpu__recorder *of, agpu__kept_work work);

#endif // ASYNC_GPU_RUNTIME_GPU_GRAPH_KEPT_H
