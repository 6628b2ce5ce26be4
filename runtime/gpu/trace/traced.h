//===- traced.h - What the recording of calls shares --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host says in what order it enqueues work, records of events and waits
// for them; when work ran becomes known later, in any order. A stream's items
// go into the trace in the order of the stream, with the times at which it got
// to them: a record when all before it was over, a wait from then until what it
// waits for was.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_TRACE_TRACED_H
#define ASYNC_GPU_RUNTIME_GPU_TRACE_TRACED_H

#include "base/os/clock.h"
#include "base/os/self.h"
#include "base/sync/mutex.h"
#include "base/trace/arena.h"
#include "base/trace/kinds.h"
#include "base/trace/trace.h"
#include "gpu/driver/driver.h"
#include "gpu/trace/work_clock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct agpu__stream_track agpu__stream_track;

/// Something on a stream.
typedef struct agpu__stream_item {
  agpu__trace_kind kind;  ///< RECORD and STREAM_WAIT; all others are work
  uint64_t id;            ///< the work's or the record's, not 0
  const char *name;       ///< lasts as texts of a trace do
  uint64_t second, third; ///< arguments; the first is how long it took
} agpu__stream_item;

/// The flow of a piece of work, or of a record.
static inline uint64_t agpu__traced_flow(uint64_t id, bool is_work) {
  return id << 1 | !is_work;
}

/// A track for stream `number` of `device`. It stays for good. Never NULL. Any
/// thread, as all below.
agpu__stream_track *agpu__stream_track_create(int device, unsigned number);

/// Its track (agpu__trace_track).
uint32_t agpu__stream_track_id(const agpu__stream_track *track);

/// Work is about to be enqueued; a record or a wait has been.
void agpu__stream_track_add(agpu__stream_track *track,
                            const agpu__stream_item *item);

/// The work was not: the call has failed.
void agpu__stream_track_cancel(uint64_t work);

/// No one will wait for the record any more: its event is recorded anew, or is
/// gone.
void agpu__stream_track_forget(uint64_t record);

/// An agpu__work_ran, of which only what has a `round` may come several times.
void agpu__stream_track_ran(uint64_t work, uint64_t round, int64_t begin,
                            int64_t end);

/// Nothing more will be known of the work of `device`: what waits for times
/// goes into the trace without.
void agpu__stream_track_flush(int device);

/// A trace is over: what has not got there does not get into the next one.
void agpu__stream_track_drop_all(void);

/// Pieces of work that went into the trace without times, and runs of nodes in
/// bodies that it leaves out.
typedef struct agpu__stream_track_losses {
  uint64_t untimed, left_out;
} agpu__stream_track_losses;
agpu__stream_track_losses agpu__stream_track_lost(void);

//===----------------------------------------------------------------------===//
// What the recording of calls shares
//
// Of driver_trace.c and the files whose functions it installs. The functions of
// the table have no place for a context pointer, so there is one trace.
//===----------------------------------------------------------------------===//

typedef struct agpu__traced_state {
  const agpu__driver *inner; ///< set before the table is used
  /// NULL: there are no times. Set before a trace begins.
  _Atomic(const agpu__work_clock *) clock;
  agpu__mutex lock;
  // By handle: tracks of streams; kernels' names, and their registers before
  // bytes of shared memory; the last record of an event, and that of it which
  // the host has learned of.
  agpu__trace_table streams AGPU__GUARDED_BY(lock);
  unsigned stream_counts[AGPU__MAX_DEVICES] AGPU__GUARDED_BY(lock);
  agpu__trace_table kernels AGPU__GUARDED_BY(lock);
  agpu__trace_table sizes AGPU__GUARDED_BY(lock);
  agpu__trace_table events AGPU__GUARDED_BY(lock);
  agpu__trace_table learned AGPU__GUARDED_BY(lock);
  /// Allocations by address: their bytes, and the device in the highest byte.
  agpu__trace_table blocks AGPU__GUARDED_BY(lock);
} agpu__traced_state;

extern agpu__traced_state agpu__traced;

/// The device whose context is current.
static inline int agpu__traced_device(void) {
  return agpu__self.gpu.traced_device;
}

/// The value of `key`, or 0.
static inline uint64_t agpu__traced_find(const agpu__trace_table *table,
                                         uint64_t key)
    AGPU__REQUIRES(agpu__traced.lock) {
  const uint64_t *found = key ? agpu__trace_table_find(table, key) : NULL;
  return found ? *found : 0;
}

/// Stores it, and returns what was there before, or 0. Where memory is out, it
/// is lost.
static inline uint64_t agpu__traced_store(agpu__trace_table *table,
                                          uint64_t key, uint64_t value)
    AGPU__REQUIRES(agpu__traced.lock) {
  uint64_t *place = key ? agpu__trace_table_add(table, key) : NULL;
  uint64_t before = place ? *place : 0;
  if (place)
    *place = value;
  return before;
}

/// A slice of the calling thread, from `begin` until now. `flow` may be 0.
static inline void agpu__traced_call(agpu__trace_kind kind, int64_t begin,
                                     uint64_t id, uint64_t flow,
                                     const void *name, uint64_t second,
                                     uint64_t third) {
  agpu__trace_record_at(AGPU__TRACE_OWN_TRACK, begin, kind, id, flow, name,
                        (uint64_t)(agpu__clock_now_ns() - begin), second,
                        third);
}

static inline const agpu__work_clock *agpu__traced_clock(void) {
  return atomic_load_explicit(&agpu__traced.clock, memory_order_acquire);
}

/// Records of events are no longer known: their flows go from one call to
/// another of the same trace.
void agpu__traced_forget_events(void);

/// Numbers for so many pieces of work, the first of which it returns.
uint64_t agpu__traced_take_works(uint64_t count);

/// So much work, of these numbers, is of `region` (an agpu_trace_name), which
/// need not be what runs now; NULL: of none. In a trace this stands before the
/// calls that enqueue the work.
static inline void agpu__traced_tell_region(const void *region, uint64_t first,
                                            size_t count, int64_t time) {
  if (region || agpu__trace_get_region())
    agpu__trace_record_at(AGPU__TRACE_OWN_TRACK, time, AGPU__TRACE_NODES, first,
                          0, NULL, (uintptr_t)region, count, 0);
}

/// What a launch, and a copy, are called in a trace.
agpu__stream_item agpu__traced_describe_launch(CUfunction function,
                                               const uint32_t grid[3],
                                               const uint32_t block[3],
                                               uint32_t shared_bytes);
const char *agpu__traced_describe_copy(CUdeviceptr target, CUdeviceptr source);

/// Before any memory is allocated.
void agpu__traced_memory_begin(void);

/// The track of a stream; the first time, of one that the program has made.
/// NULL is the null stream of the current device.
agpu__stream_track *agpu__traced_stream(CUstream stream);

/// That of one of the chains of graphs that are launched on the stream; 0 is
/// the stream's own.
agpu__stream_track *agpu__traced_lane(CUstream stream, unsigned lane);

/// A record of what is on the track so far; returns its number. Forgotten by
/// agpu__stream_track_forget.
uint64_t agpu__traced_add_record(agpu__stream_track *track);

/// A node of a graph.
typedef struct agpu__traced_node {
  agpu__stream_item item; ///< without its number
  const char *location;
  const void *region; ///< an agpu_trace_name, or NULL: that which launches it
  const uint32_t *dependencies; ///< places of nodes before it
  size_t count;                 ///< of these
  size_t inside; ///< so many of those that follow are in its body, at any depth
} agpu__traced_node;

/// Of agpu__stream_track_add: nodes[0], of that number, and those inside of it.
void agpu__stream_track_add_node(agpu__stream_track *track,
                                 const agpu__traced_node *nodes, uint64_t work);

/// Whether launches of graphs are recorded: the next function makes them then.
bool agpu__traced_shows_graphs(void);

/// The driver's cuGraphLaunch. A trace shows the nodes, in the order in which
/// they were added to the graph, as if each had been launched alone, and each
/// run of those in bodies; where the clock has no times of nodes, the graph as
/// one piece of work. With `events`, which are taken over, it has those of the
/// nodes in no body.
CUresult agpu__traced_launch_graph(const agpu__driver *driver, CUgraphExec exec,
                                   CUstream stream,
                                   const agpu__traced_node *nodes, size_t count,
                                   struct agpu__node_events *events);

/// The functions that are recorded.
#define AGPU__TRACED_FUNCTIONS(X)                                              \
  X(cuDevicePrimaryCtxRetain)                                                  \
  X(cuDevicePrimaryCtxRelease)                                                 \
  X(cuCtxSetCurrent)                                                           \
  X(cuCtxGetCurrent)                                                           \
  X(cuStreamCreate)                                                            \
  X(cuStreamCreateWithPriority)                                                \
  X(cuStreamDestroy)                                                           \
  X(cuStreamSynchronize)                                                       \
  X(cuStreamWaitEvent)                                                         \
  X(cuEventRecord)                                                             \
  X(cuEventQuery)                                                              \
  X(cuEventSynchronize)                                                        \
  X(cuEventDestroy)                                                            \
  X(cuModuleLoadDataEx)                                                        \
  X(cuModuleGetFunction)                                                       \
  X(cuLaunchKernel)                                                            \
  X(cuLaunchKernelEx)                                                          \
  X(cuMemcpyAsync)                                                             \
  X(cuMemcpy3DAsync)                                                           \
  X(cuMemsetD8Async)                                                           \
  X(cuMemsetD16Async)                                                          \
  X(cuMemsetD32Async)                                                          \
  X(cuMemsetD2D8Async)                                                         \
  X(cuMemsetD2D16Async)                                                        \
  X(cuMemsetD2D32Async)                                                        \
  X(cuMemAlloc)                                                                \
  X(cuMemAllocAsync)                                                           \
  X(cuMemAllocManaged)                                                         \
  X(cuMemFree)                                                                 \
  X(cuMemFreeAsync)

// Not all of these are there.
#define AGPU__TRACED_DECLARE(need, name, symbol, parameters, arguments)        \
  CUresult agpu__traced_##name parameters;
AGPU__DRIVER_FUNCTIONS(AGPU__TRACED_DECLARE)
#undef AGPU__TRACED_DECLARE

#endif // ASYNC_GPU_RUNTIME_GPU_TRACE_TRACED_H
