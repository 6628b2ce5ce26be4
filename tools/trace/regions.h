//===- regions.h - Lives of regions -------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The regions that a trace knows at a time, for tasks.c. Signal-safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_REGIONS_H
#define ASYNC_GPU_TOOLS_TRACE_REGIONS_H

#include "trace/tasks.h"

typedef enum agpu__region_state {
  AGPU__REGION_NONE,
  AGPU__REGION_QUEUED,
  AGPU__REGION_WAITING,
  AGPU__REGION_RUNNING,
} agpu__region_state;

typedef struct agpu__region {
  uint64_t id, handle;
  const agpu_trace_name *name;
  const agpu__code *code;
  uint64_t spawner; ///< id of a region; 0: none
  agpu__region_state state;
  uint32_t next;     ///< with the same handle; or the next free one
  uint32_t previous; ///< with the same handle; 0: it has none
  uint32_t runs;     ///< stretches that have begun
  uint32_t open;     ///< of these, slices that have not ended
  bool is_over;      ///< agpu__region_destroy came before the last of them
  uint32_t thread;   ///< that it runs on
  bool is_in_queue;  ///< counts as such
  bool has_cause;    ///< what follows is known
  bool is_spawn;     ///< the cause is its being spawned
  agpu__emit_point cause;
  bool has_end;              ///< its first wait, before it ran, is over:
  agpu__emit_point wait_end; ///< there
  uint64_t causer;           ///< id of the region that ended its wait
  uint64_t object;           ///< that it waits or waited for; 0: none
  const char *place;         ///< of the await
} agpu__region;

/// Something that has begun on a thread.
typedef struct agpu__frame {
  uint16_t kind; ///< RUN, HERE, WAIT, or of shape BEGIN
  bool suspended;
  uint32_t region; ///< of RUN and HERE
  uint32_t part;   ///< of the region: the how manieth stretch
  uint32_t wait;   ///< of WAIT
  int64_t begin;
  const agpu__trace_event *event;
  uint64_t object; ///< of RUN and HERE: waits for it
  const char *place;
} agpu__frame;

/// The region of a number, until the next one is made.
agpu__region *agpu__region_at(agpu__tasks *self, uint32_t index);

/// The innermost run of a region on the thread, or NULL.
agpu__frame *agpu__region_top(agpu__tasks_thread *thread);

/// So many more or fewer are alive, and queued.
void agpu__region_count(agpu__tasks *self, int64_t time, int alive, int queued);
void agpu__region_emit_counter(agpu__tasks *self, const char *name,
                               int64_t time, int64_t value);

/// A region that the thread spawns now, not yet known by a handle; 0 where
/// memory is out.
uint32_t agpu__region_create(agpu__tasks *self, size_t thread, int64_t time);

/// From now on it is known by `handle`, if it is queued behind others that are.
void agpu__region_bind(agpu__tasks *self, uint32_t index, uint64_t handle);

/// What it does from now on.
void agpu__region_set_state(agpu__tasks *self, uint32_t index,
                            agpu__region_state state);

/// It has ended.
void agpu__region_destroy(agpu__tasks *self, uint32_t index, int64_t time);

/// A stretch of the region begins a slice, which number it returns, and ends
/// it. That may be after the next one has begun on another thread, and even
/// after the region has ended there: it is known until then.
uint32_t agpu__region_open(agpu__tasks *self, uint32_t index);
void agpu__region_close(agpu__tasks *self, uint32_t index);

/// The region with this handle in `state`, or 0.
uint32_t agpu__region_find(agpu__tasks *self, uint64_t handle,
                           agpu__region_state state);

#endif // ASYNC_GPU_TOOLS_TRACE_REGIONS_H
