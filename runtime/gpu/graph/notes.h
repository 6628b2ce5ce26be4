//===- notes.h - Events of a round --------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_GRAPH_NOTES_H
#define ASYNC_GPU_RUNTIME_GPU_GRAPH_NOTES_H

#include "gpu/graph/record.h"

/// A round is going on from now on, on the calling thread; and is over.
void agpu__record_open(agpu__recorder *recorder);
void agpu__record_close(agpu__recorder *recorder);

/// What has been collected is on the stream now, or has come to `error`: the
/// events that are referred to depend on it.
void agpu__record_tell_events(agpu__recorder *recorder, CUresult error);

/// The first `count` nodes of the list are enqueued one by one, and the round's
/// events are told of.
void agpu__record_replay(agpu__recorder *recorder, size_t count);

/// Ends the recording, unless it has ended: what has been collected is enqueued
/// one by one. `why` lasts.
void agpu__record_flush(agpu__recorder *recorder, const char *why);

/// What a recorder's events are to objects: the host is about to wait for one.
void agpu__record_request(agpu__work *work, agpu_object *object);

/// What was put off by agpu__recorder.asks_later is asked for.
void agpu__record_ask(agpu__recorder *recorder);

/// In the child of a fork, where no round is going on.
void agpu__record_fork(void);

// Of the recording driver.
CUresult agpu__record_cuEventRecord(CUevent event, CUstream stream);
CUresult agpu__record_cuEventQuery(CUevent event);
CUresult agpu__record_cuStreamWaitEvent(CUstream stream, CUevent event,
                                        unsigned int flags);

#endif // ASYNC_GPU_RUNTIME_GPU_GRAPH_NOTES_H
