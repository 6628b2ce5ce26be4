//===- requests.h - Requests of MPI in a trace --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices of messages and collective operations, and arrows from sends to
// receives. Those of a rank overlap: they are on as many tracks of its host as
// that takes, lanes, called "MPI", "MPI 2" and so on. Signal-safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_REQUESTS_H
#define ASYNC_GPU_TOOLS_TRACE_REQUESTS_H

#include "trace/emit.h"
#include "trace/ranks.h"

/// A rank, as its slices are emitted.
typedef struct agpu__request_tracks {
  uint32_t host;             ///< its group
  agpu__trace_array threads; ///< agpu__emit_track: of the dump's threads
  agpu__trace_array lanes;   ///< uint32_t: of the rank's messages
} agpu__request_tracks;

/// Chooses lanes. False where memory is out.
bool agpu__requests_place(agpu__request_tracks *tracks, const agpu__rank *rank);

/// Emits names of lanes and slices of a rank.
void agpu__requests_emit(agpu__emitter *emitter, const agpu__rank *rank,
                         const agpu__ranks *ranks,
                         const agpu__request_tracks *tracks);

/// Emits arrows between ranks, once the slices of all are there; to a listener
/// what began and ended each request instead. `tracks` has one for each rank.
void agpu__requests_connect(agpu__emitter *emitter, const agpu__ranks *ranks,
                            const agpu__request_tracks *tracks);

void agpu__requests_free(agpu__request_tracks *tracks);

#endif // ASYNC_GPU_TOOLS_TRACE_REQUESTS_H
