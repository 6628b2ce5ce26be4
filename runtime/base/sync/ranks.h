//===- ranks.h - The order in which locks are taken ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All locks of the runtime and of the emulated device, in one table: a thread
// takes a lock only where its rank, its place in the table, is above the ranks
// of all that the thread holds. So no circle of threads can wait for each
// other's locks. A condition's wait takes its mutex again, which therefore has
// to be the highest that is held.
//
// With -DASYNC_GPU_CHECK_RANKS=ON, as in the presets for debugging and of the
// sanitizers, each lock has its rank beside it, and a thread that breaks the
// rule ends the process with a message that names both locks, whether or not
// any other thread is there to wait for. Otherwise all of this is nothing.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_SYNC_RANKS_H
#define ASYNC_GPU_RUNTIME_BASE_SYNC_RANKS_H

#include "base/os/platform.h"

#include <stdbool.h>

/// X(name, several, what it guards), the lowest rank first. SEVERAL: one thread
/// may hold several of that rank, taken by ascending addresses.
#define AGPU__RANK_TABLE(X)                                                    \
  X(EMU_HOST_FUNCTION, false, "emu/base/context.c: a host function that runs") \
  X(RUNTIME_END, false, "async/runtime.h: a shutdown")                         \
  X(MPI_PROGRESS, false, "mpi/progress.c: requests that are on their way")     \
  X(MPI_BLOCKING, false, "mpi/blocking.c: calls that block their thread")      \
  X(MPI_QUEUE, false, "mpi/progress.c: sends that have not begun")             \
  X(MPI_PIECED_SENDS, false, "mpi/pieces.c: numbers of long sends")            \
  X(MPI_PIECES, false, "mpi/pieces.h: how far a long message is")              \
  X(MPI_DEADLOCK, false, "mpi/deadlock.c: what ranks have told each other")    \
  X(MPI_COMMS, false, "mpi/comms.c: communicators")                            \
  X(DEVICES_CLOSING, false, "gpu/process/devices.c: that devices stay open")   \
  X(DEVICES, false, "gpu/process/devices.c: the devices")                      \
  X(RUNTIME_START, false, "async/runtime.h: the start of the runtime")         \
  X(GRAPH_SITES, false, "gpu/graph/site.c: recorders of all loops")            \
  X(MODULES, false, "gpu/kernel/module.c: modules of a device")                \
  X(RAW_MODULES, false, "gpu/kernel/raw_module.c: upstream's modules")         \
  X(SHARED_BYTES, false, "gpu/kernel/module.c: workgroup memory of functions") \
  X(FUNCTIONS, false, "gpu/device/device.h: functions that descriptors cache") \
  X(HOST_MEMORY, false, "gpu/memory/host_memory.c: registrations")             \
  X(PINS, false, "gpu/device/pins.c: pages that the driver has pinned")        \
  X(BLOCKS, false, "gpu/memory/block.c: blocks of device memory")              \
  X(STREAMS_CREATING, false, "gpu/stream/pool.c: who creates a stream")        \
  X(STREAMS, false, "gpu/stream/pool.c: streams of a device")                  \
  X(STAGING, false, "gpu/stream/copy.c: staged copies of a stream")            \
  X(STREAM, false, "gpu/stream/pool.h: the latest event of a stream")          \
  X(EVENT_RECORDING, false, "gpu/stream/event.h: who records an event")        \
  X(RECORDERS, false, "gpu/graph/notes.c: recorders with an open round")       \
  X(RECORDER, false, "gpu/graph/record.h: notes of a round")                   \
  X(EVENTS, false, "gpu/stream/event_pool.c: events of a device")              \
  X(STAGING_LIST, false, "gpu/stream/copy.c: batches that are on their way")   \
  X(COMPLETION, false, "gpu/stream/completion.c: entries that came")           \
  X(HELPER, false, "gpu/stream/helper.c: jobs of the helper's thread")         \
  X(DRIVER_GATE, false, "gpu/driver/gate.c: threads that call the driver")     \
  X(DRIVER_LOG, false, "gpu/driver/log.c: numbers of handles in the log")      \
  X(LOOP_ERROR, false, "async/abi/loops.c: a parallel loop's first error")     \
  X(EXEC_START, false, "exec/census.h: the start of the executor")             \
  X(EXEC, false, "exec/census.h: who works and who rests")                     \
  X(EXEC_OUTSIDE, false, "exec/queue/outside.h: outboxes of other threads")    \
  X(EXEC_COMMON, false, "exec/queue/outside.h: who adds to the common queue")  \
  X(COUNTERS, false, "base/memory/counter.c: counters of threads")             \
  X(MAGAZINE_SLABS, false, "base/memory/magazine.c: slabs of memory")          \
  X(MAGAZINE_DEPOT, true, "base/memory/magazine.c: free blocks of a size")     \
  X(TRACE_SETTLE, false, "base/trace/settle.c: who copies texts")              \
  X(DRIVER_TRACE, false, "gpu/trace/driver_trace.c: a trace's start or end")   \
  X(TRACE_NOTES, false, "base/trace/session.c: notes of a trace")              \
  X(TRACED, false, "gpu/trace/traced.h: streams, functions and events")        \
  X(TIMED_EVENTS, false, "gpu/trace/timed_events.c: times yet to be told")     \
  X(CUPTI, false, "gpu/trace/cupti.c: halves of CUPTI's records")              \
  X(WORK_CLOCK, false, "gpu/trace/work_clock.c: how good times are")           \
  X(STREAM_TRACKS, false, "gpu/trace/stream_track.c: work on streams")         \
  X(TRACE_NAMES, false, "base/trace/names.c: names of code")                   \
  X(TRACE_RINGS, false, "base/trace/ring.c: rings of threads")                 \
  X(EMU_START, false, "emu/start.c: the start of the emulated device")         \
  X(EMU_CONTEXTS, false, "emu/base/context.c: contexts")                       \
  X(EMU_CAPTURES, false, "emu/device/sequence.c: sequences of capture")        \
  X(EMU_GRAPHS, false, "emu/device/graph.c: graphs and their nodes")           \
  X(EMU_EXEC, false, "emu/device/graph.h: the last launch of a graph")         \
  X(EMU_STREAMS, false, "emu/device/stream.c: streams")                        \
  X(EMU_STREAM, false, "emu/device/queue.h: the queue of a stream")            \
  X(EMU_EVENTS, false, "emu/device/event.c: events")                           \
  X(EMU_EVENT, false, "emu/device/event.c: the last record of an event")       \
  X(EMU_MARKER, false, "emu/device/marker.c: a place in a stream's work")      \
  X(EMU_CONNECTION, false, "emu/device/connection.c: waiters for one")         \
  X(EMU_CARRIERS, false, "emu/device/carrier.c: threads that are idle")        \
  X(EMU_MODULES, false, "emu/device/module.c: modules")                        \
  X(EMU_LAUNCH, false, "emu/simt/launch.c: jobs that threads share")           \
  X(EMU_HISTORY, false, "emu/check/history.c: what work has accessed")         \
  X(EMU_CONDITIONS, false, "emu/device/condition.c: which conditions exist")   \
  X(EMU_WATCH, false, "emu/simt/watch.c: blocks that run")                     \
  X(EMU_HEAP, false, "emu/simt/heap.c: the kernels' heap")                     \
  X(EMU_HOST_RACES, false, "emu/check/host_races.c: the host's memory in use") \
  X(EMU_TIMELINE, false, "emu/model/lock.c: modelled time")                    \
  X(EMU_ORDER, false, "emu/check/order.c: what the host knows to be done")     \
  X(EMU_MEMORY, false, "emu/memory/chunk.c: allocations")                      \
  X(EMU_CAPACITY, false, "emu/memory/capacity.c: bytes taken")                 \
  X(EMU_GUARD, false, "emu/memory/guard.c: ranges closed to the host")         \
  X(EMU_HOST_MEMORY, false, "emu/memory/host_memory.c: registered memory")     \
  X(EMU_HANDLES, false, "emu/base/handle.c: handles")                          \
  X(EMU_ERRORS, false, "emu/base/context.c: the text of an error")             \
  X(EMU_REPORTS, false, "emu/check/report.c: places that were reported")       \
  X(EMU_OUTPUT, false, "emu/simt/output.c: what kernels print")                \
  X(TEXTS, false, "base/memory/text.c: copies of texts")

typedef enum agpu__rank {
  AGPU__RANK_NONE, ///< zeroed memory: no lock may be left so
#define AGPU__RANK(name, several, what) AGPU__RANK_##name,
  AGPU__RANK_TABLE(AGPU__RANK)
#undef AGPU__RANK
} agpu__rank;

#ifdef AGPU__CHECK_RANKS

/// The member of a lock, and its value where the lock is initialised.
#define AGPU__RANK_MEMBER agpu__rank rank;
#define AGPU__RANK_VALUE(rank) , rank

/// This thread is about to take `lock`, or has given it back.
AGPU__SHARED void agpu__rank_take(const void *lock, agpu__rank rank);
AGPU__SHARED void agpu__rank_give(const void *lock, agpu__rank rank);

/// It is about to wait for a condition with `lock`, the highest it holds.
AGPU__SHARED void agpu__rank_wait(const void *lock, agpu__rank rank);

/// It holds `lock`, or the process ends.
AGPU__SHARED void agpu__rank_require(const void *lock, agpu__rank rank);

/// `lock` is made anew, as in the child of a fork: nobody holds it.
AGPU__SHARED void agpu__rank_forget(const void *lock);

// The same of a lock of any kind.
#define AGPU__RANK_TAKE(lock) agpu__rank_take((lock), (lock)->rank)
#define AGPU__RANK_GIVE(lock) agpu__rank_give((lock), (lock)->rank)
#define AGPU__RANK_WAIT(lock) agpu__rank_wait((lock), (lock)->rank)
#define AGPU__RANK_START(lock, of)                                             \
  (agpu__rank_forget(lock), (void)((lock)->rank = (of)))

/// Ends the process where this thread does not hold `lock`: what clang does not
/// see, which checks of a lock in a structure that one of the kind is held.
#define AGPU__ASSERT_HELD(lock) agpu__rank_require((lock), (lock)->rank)

#else

#define AGPU__RANK_MEMBER
#define AGPU__RANK_VALUE(rank)
#define AGPU__RANK_TAKE(lock) ((void)(lock))
#define AGPU__RANK_GIVE(lock) ((void)(lock))
#define AGPU__RANK_WAIT(lock) ((void)(lock))
#define AGPU__RANK_START(lock, of) ((void)(lock), (void)(of))
#define AGPU__ASSERT_HELD(lock) ((void)sizeof *(lock))

#endif

#endif // ASYNC_GPU_RUNTIME_BASE_SYNC_RANKS_H
