//===- tasks.h - What became of the tasks -------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the events of tasks in the order of their times, and makes of them
// what a person wants to see: a slice for each stretch that a region ran, an
// arrow from who spawned it or ended its wait, waits of threads with what they
// waited for, and how many tasks there were. Signal-safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_TASKS_H
#define ASYNC_GPU_TOOLS_TRACE_TASKS_H

#include "trace/array.h"
#include "trace/dump.h"
#include "trace/emit.h"

/// A thread, as far as the events have been followed.
typedef struct agpu__tasks_thread {
  agpu__emit_track track;
  int64_t first, last;     ///< times of its events
  bool needs_cover;        ///< an arrow begins or ends outside all slices
  agpu__trace_array stack; ///< of slices that have begun
} agpu__tasks_thread;

typedef struct agpu__tasks {
  agpu__emitter *emitter;
  agpu__tasks_thread *threads;
  size_t thread_count;
  uint32_t host;               ///< group of the threads
  int64_t last, sampled;       ///< times; 0: none
  int64_t sample_every;        ///< nanoseconds between two of a counter
  agpu__trace_array regions;   ///< that live; [0] is none
  uint32_t free_region;        ///< 0: none
  uint64_t region_count;       ///< that there ever were
  agpu__trace_table by_handle; ///< to a region
  agpu__trace_table by_parker; ///< to a wait
  agpu__trace_array waits;     ///< [0] is none
  int64_t alive, queued, seen_alive, seen_queued;
  bool is_incomplete; ///< memory was out
} agpu__tasks;

/// An event of shape TASK of thread number `thread`. Later events
/// have later times.
void agpu__tasks_follow(agpu__tasks *self, size_t thread,
                        const agpu__trace_event *event);

/// The thread's own track at `time`, for an arrow: something will be there.
agpu__emit_point agpu__tasks_point(agpu__tasks *self, size_t thread,
                                   int64_t time);

/// What has begun and not ended lasts until the last event.
void agpu__tasks_finish(agpu__tasks *self);

/// For each region that waits still: into the open list of an object.
void agpu__tasks_emit_waiting(agpu__tasks *self);

void agpu__tasks_free(agpu__tasks *self);

#endif // ASYNC_GPU_TOOLS_TRACE_TASKS_H
