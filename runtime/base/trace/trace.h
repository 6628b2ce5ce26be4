//===- trace.h - Recording what a program does --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With ASYNC_GPU_TRACE=FILE the runtime records events and writes them to a
// file when the process ends (docs/tracing.md). This is what those call who
// have something to record; the table of kinds is in kinds.h.
//
//     if (agpu__trace_on())
//       agpu__trace_record(AGPU__TRACE_KIND, id, flow, name, a, b, c);
//
// Recording takes some dozens of nanoseconds, no lock, and memory for as many
// events of each thread as ASYNC_GPU_TRACE_EVENTS says; older ones are dropped
// and counted. Texts are not copied: they last as long as the program's code,
// and who releases that calls agpu__trace_settle before.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_TRACE_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_TRACE_H

#include "base/os/fork.h"
#include "base/os/hooks.h"
#include "base/os/self.h"
#include "base/trace/event.h"

#include <stdbool.h>
#include <stdint.h>

/// The thread's own track.
#define AGPU__TRACE_OWN_TRACK 0

/// Whether events are recorded. One branch that is predicted.
static inline bool agpu__trace_on(void) {
  return agpu__hooks_on() && agpu__hooks_has(AGPU__HOOK_TRACE);
}

/// Whether a trace may begin later (agpu_runtime_allow_traces).
AGPU__SHARED bool agpu__trace_is_allowed(void);

/// Whether events are recorded, or a tool is told of tasks and waits.
static inline bool agpu__trace_has_listener(void) {
  return agpu__hooks_has(AGPU__HOOK_TRACE | AGPU__HOOK_RANGES);
}

/// Records an event of the calling thread, now. What `id`, `flow`, `name` (a
/// text, or NULL) and the arguments mean, the kind says. Does nothing where
/// nothing is recorded. Any thread, and not in a signal handler.
void agpu__trace_record(agpu__trace_kind kind, uint64_t id, uint64_t flow,
                        const void *name, uint64_t first, uint64_t second,
                        uint64_t third);

/// The same on `track` (agpu__trace_track), at `time_ns` of CLOCK_MONOTONIC:
/// for work of a device, by whoever learns of it.
AGPU__SHARED void agpu__trace_record_at(uint32_t track, int64_t time_ns,
                                        agpu__trace_kind kind, uint64_t id,
                                        uint64_t flow, const void *name,
                                        uint64_t first, uint64_t second,
                                        uint64_t third);

/// What agpu_trace_here has told the calling thread of last, or NULL; once.
static inline const void *agpu__trace_take_here(void) {
  const void *here = agpu__self.trace.here;
  agpu__self.trace.here = NULL;
  return here;
}

/// The calling thread is in `region` (an agpu_trace_name), which runs in place,
/// or in what is none, NULL, until its agpu__self.trace.depth is less again.
static inline void agpu__trace_enter(const void *region) {
  agpu__thread_self *self = &agpu__self;
  if (self->trace.depth < sizeof self->trace.regions / sizeof region)
    self->trace.regions[self->trace.depth] = region;
  ++self->trace.depth;
}

/// The innermost; NULL: none, or none that is known.
static inline const void *agpu__trace_get_region(void) {
  const agpu__thread_self *self = &agpu__self;
  const unsigned at = self->trace.depth - 1; // from 0 on
  return at < sizeof self->trace.regions / sizeof(void *)
             ? self->trace.regions[at]
             : NULL;
}

/// The last task event (QUEUE or AWAIT) that the thread has recorded is about
/// the region that runs on top of its spawner.
void agpu__trace_claim_last(void);

/// A new track `name` of `group` ("device 0: NAME"), which are copied; it lasts
/// until the process ends. 0 where memory is out. Any thread.
AGPU__SHARED uint32_t agpu__trace_track(const char *group, const char *name);

/// A line `key`: "text" of the file's `otherData`, in printf form; the same key
/// once more replaces it. Lost where memory is out. Any thread.
void agpu__trace_note(const char *key, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Arguments of formats GRID and BLOCK.
static inline uint64_t agpu__trace_pack_grid(uint32_t x, uint32_t y,
                                             uint32_t z) {
  return (uint64_t)x << 32 | (uint64_t)(y & 0xffff) << 16 | (z & 0xffff);
}
static inline uint64_t agpu__trace_pack_block(uint32_t x, uint32_t y,
                                              uint32_t z, uint32_t registers,
                                              uint32_t shared_bytes) {
  return (uint64_t)(x & 0x7ff) << 53 | (uint64_t)(y & 0x7ff) << 42 |
         (uint64_t)(z & 0x7f) << 35 | (uint64_t)(registers & 0x3ff) << 25 |
         (shared_bytes & 0x1ffffff);
}

/// Before code or constants of a program go away: what has been recorded keeps
/// copies of the texts it refers to. Not in a signal handler.
void agpu__trace_settle(void);

/// At a fork. The child's process records nothing, or a trace of its own where
/// ASYNC_GPU_TRACE has the process's number in its name.
void agpu__trace_fork(agpu__fork_step step);

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_TRACE_H
