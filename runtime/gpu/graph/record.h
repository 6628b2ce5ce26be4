//===- record.h - A device that records ---------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a part of a program is to become a graph, its regions borrow streams of
// a device that looks like the one they would use, and whose driver does not
// enqueue work, but collects it: its streams are lanes, on which work has an
// order; its events are the driver's own, and told to it when the graph has
// been launched, if anyone refers to them by then. So whoever enqueues does not
// know the difference, and does nothing for it.
//
// A round may use several devices. There is a recording one for each, a side.
// Nodes are in the contexts of their devices; the graph is launched on a stream
// of one, whose context all events are of, as it is there that they are
// recorded. What other devices have before and behind the graph, that stream
// waits for, or they wait for it.
//
// What a graph cannot have ends the recording: what has been collected is
// enqueued one by one, and what follows goes to the same stream at once.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_GRAPH_RECORD_H
#define ASYNC_GPU_RUNTIME_GPU_GRAPH_RECORD_H

#include "async_gpu/compiled/graph.h"
#include "base/os/self.h"
#include "base/trace/arena.h"
#include "gpu/driver/driver.h"
#include "gpu/graph/nodes.h"
#include "gpu/stream/event.h"

typedef struct agpu__lane agpu__lane;
typedef struct agpu__asked agpu__asked;
typedef struct agpu__kept_block agpu__kept_block;

/// A device in the rounds of a recorder.
typedef struct agpu__side {
  agpu__device device; // first: what loans are given
  const agpu__device *base;
  /// What calls that are captured have for a device, with streams and events
  /// that nothing else uses; NULL: nothing has been captured.
  agpu__device *capturing;
} agpu__side;

typedef struct agpu__recorder {
  agpu__side own;      // first: of the device that graphs are launched on
  agpu__driver driver; ///< the sides'
  agpu__work_ops ops;  ///< their events', which are all of that device
  const agpu__device *base;
  agpu__side *sides[AGPU__MAX_DEVICES]; ///< by number, `own` too; NULL: none
  agpu__node_list list;    ///< of the round that is going on, and the last one
  agpu__built_graph built; ///< of the list
  agpu__shapes shapes;     ///< these two, and others
  agpu__param_layout *layouts;
  LIST_ENTRY(agpu__recorder) link; ///< site.c's
  LIST_ENTRY(agpu__recorder) open; ///< of those in a round
  LIST_HEAD(, agpu__lane) lanes;
  uint64_t trimmed_at;    ///< site.c's: launches by then
  agpu__kept_block *kept; ///< kept.c's: memory
  size_t kept_count, kept_capacity;
  agpu__pool_stream *kept_on; ///< work that uses it is there

  SLIST_HEAD(, agpu__capture) captures;
  size_t capture_count;
  uint64_t captured; ///< calls since it was made

  // Of a loop, of which a graph has several rounds.
  uint64_t most;          ///< rounds that a graph may have; 0: it is no loop
  bool is_fixed;          ///< all do the same
  uint64_t rounds;        ///< that a graph has
  uint64_t all, last_all; ///< since it began; when it ran the last time

  // gpu/calls/graph.c's: whose round it is; the stream's loan by number.
  const void *part;
  struct agpu_stream *loan;
  agpu__pool_stream *last_stream;
  uint64_t number;

  // Of the round that is going on: its thread's.
  uint64_t round;
  unsigned depth;            ///< rounds inside of it
  agpu__pool_stream *stream; ///< of `base`: where the graph will be
  size_t nodes;              ///< the most that it has had
  uint64_t collected;        ///< whole rounds in the list
  /// Rounds have been seen to do the same, and do nothing any more: how many of
  /// these have still to be launched.
  bool is_seen;
  uint64_t skipped;
  bool has_joined;  ///< a side has been made
  bool has_waited;  ///< for work of other rounds, or of none
  const char *why;  ///< what ended the recording; NULL: nothing has
  CUresult refusal; ///< what the driver said, where that is why
  agpu_status error;
  bool is_offered; ///< that has ended it: another thread's round is waited for
  uint64_t offers, small_rounds; ///< site.c's: so many, in all rounds
  uint32_t *scratch;             ///< dependencies of the next node
  size_t scratch_capacity;
  /// Who asks for completions now does not wait for them in this round: they
  /// are asked for at its end.
  bool asks_later;
  bool is_asking; ///< what that enqueues is no part of the round
  agpu__asked *asked;
  size_t asked_count, asked_capacity;
  // For those who ask of events. Odd while a round goes on, and 2 more each
  // time that work has been enqueued: release, with the acquire of who waits
  // for that: a futex. The thread of the round, by its own state; relaxed.
  _Atomic(uint32_t) told;
  _Atomic(uint32_t) waiters; ///< for that
  _Atomic(const agpu__thread_self *) thread;
  agpu__lock lock;
  agpu__trace_table notes AGPU__GUARDED_BY(lock);
  uint32_t *noted AGPU__GUARDED_BY(lock); ///< nodes that events depend on
  size_t noted_count AGPU__GUARDED_BY(lock);
  size_t noted_capacity AGPU__GUARDED_BY(lock);
} agpu__recorder;

/// One for `base`, which has all that graphs need; of a loop, `most` rounds a
/// graph, which all do the same where it `is_fixed`, or else 0.
agpu__recorder *agpu__recorder_create(const agpu__device *base, uint64_t most,
                                      bool is_fixed);

/// Of the work that uses memory of rounds.
typedef enum agpu__kept_work {
  AGPU__KEPT_DONE,    ///< there is none any more
  AGPU__KEPT_PENDING, ///< there may be
  AGPU__KEPT_AWAITED, ///< likewise, and it is waited for
} agpu__kept_work;

/// Gives all back. No object refers to its events (agpu__recorder_is_in_use),
/// or none ever will any more. Enters the device.
void agpu__recorder_destroy(agpu__recorder *recorder, agpu__kept_work work);
bool agpu__recorder_is_in_use(const agpu__recorder *recorder);

/// Whether its rounds have used the device.
static inline bool agpu__recorder_has(const agpu__recorder *recorder,
                                      const agpu__device *base) {
  const agpu__side *side = recorder->sides[base->ordinal];
  return side && side->base == base;
}

/// Drops the present graph, and gives those of other shapes back.
void agpu__recorder_drop(agpu__recorder *recorder);

/// What loans of `base` are given in the round of the calling thread.
agpu__side *agpu__recorder_get_side(agpu__recorder *recorder,
                                    const agpu__device *base);

/// `device` as the loan's round has it, where the calling thread is in that.
const agpu__device *agpu__record_device(const agpu__device *of_loan,
                                        const agpu__device *device);

/// The driver's objects alone; no other thread may call it any more.
void agpu__recorder_abandon(agpu__recorder *recorder);

/// A round begins on the calling thread, whose graph will depend on all that
/// `stream` holds now and later, until it ends. The status is what went wrong
/// in it, or NULL; `out_nodes` how much work it had.
void agpu__recorder_begin(agpu__recorder *recorder, agpu__pool_stream *stream);
agpu_status agpu__recorder_end(agpu__recorder *recorder, size_t *out_nodes);

/// Of a loop, whose first round has begun with the above: the next one begins.
/// False: it is to do nothing.
bool agpu__recorder_next(agpu__recorder *recorder);

/// Of the calling thread's round: what has been collected is enqueued at once,
/// and memory that is free after it goes back to the driver. False, and
/// nothing done, where there is none.
bool agpu__recorder_release_memory(agpu__recorder *recorder);

/// Rounds that did nothing are launched, all of them.
void agpu__recorder_catch_up(agpu__recorder *recorder);

//===----------------------------------------------------------------------===//
// Orders of recorded work
//
// What a recording device has for streams. The handle of a lane is told from
// real ones by its lowest bit. A lane that is used outside of its round, or by
// another thread, is the stream that it was last launched on.
//===----------------------------------------------------------------------===//

struct agpu__lane {
  LIST_ENTRY(agpu__lane) link;
  agpu__recorder *of;
  const agpu__side *side;
  uint64_t round;    ///< that it is part of
  int priority;      ///< of the loan that had it last: its kernels'
  int64_t tail;      ///< its last node in that; -1: none
  uint32_t *pending; ///< other nodes that the next one depends on
  size_t pending_count, pending_capacity;
  _Atomic(agpu__pool_stream *) real; ///< NULL: none yet
  /// Of work of the loan that it is lent to, which is not all enqueued: no more
  /// is.
  _Atomic(CUresult) failure;
};

static inline bool agpu__is_lane(CUstream handle) {
  return (uintptr_t)handle & 1;
}
static inline CUstream agpu__lane_get_handle(const agpu__lane *lane) {
  return (CUstream)((uintptr_t)lane | 1);
}
static inline agpu__lane *agpu__lane_from(CUstream handle) {
  return (agpu__lane *)((uintptr_t)handle & ~(uintptr_t)1);
}

/// True for the thread of a round that records: work is collected.
static inline bool agpu__lane_records(const agpu__lane *lane) {
  return agpu__self.gpu.part == lane->of && !lane->of->why;
}

/// The lane is part of its thread's round from now on, after what it held; on
/// another thread, and outside of a round, it stays what it is.
CUresult agpu__lane_join(agpu__lane *lane);

/// Work that `of` holds comes before what follows on `stream`.
CUresult agpu__lane_order(agpu__pool_stream *stream, agpu__pool_stream *of);

/// Its next node depends on that one, too.
void agpu__lane_add_pending(agpu__lane *lane, uint32_t node);

/// Writes the nodes that its end depends on; returns how many.
size_t agpu__lane_get_ends(const agpu__lane *lane, uint32_t *out_nodes);

/// `node` is its last now.
void agpu__lane_add(agpu__lane *lane, size_t node);

/// The stream that stands for it where nothing is recorded, which graphs are
/// launched on. Never NULL.
agpu__pool_stream *agpu__lane_get_stream(const agpu__lane *lane);

/// Around calls that enqueue work of `device` behind what `stream` holds, and
/// ahead of what follows there: the stream for them is that one, or another one
/// of that device, which it waits for. Leaves the device entered. Hands the
/// calls' result on.
CUresult agpu__lane_cross(agpu__pool_stream *stream, const agpu__device *device,
                          agpu__pool_stream **out_stream);
CUresult agpu__lane_return(agpu__pool_stream *stream, agpu__pool_stream *from,
                           CUresult result);

/// Of who ends the recorder. A lane stays where its stream is destroyed: others
/// may still hold it.
void agpu__lane_free(agpu__lane *lane);

/// cuStreamCreate and cuStreamDestroy of the recording driver.
CUresult agpu__record_cuStreamCreate(CUstream *stream, unsigned int flags);
CUresult agpu__record_cuStreamDestroy(CUstream stream);

//===----------------------------------------------------------------------===//
// Memory of rounds
//
// Memory in the order of a stream that a round allocates and frees. It is kept
// for later allocations of that size, of this round and of the next: so a round
// that does what the last one did has the same addresses, and costs no call.
//
// These are no nodes of the graph: who records has to know an address before it
// is known whether the graph will be launched at all.
//===----------------------------------------------------------------------===//

/// What follows on the round's stream comes after the work of the rounds before
/// that uses memory that is kept.
CUresult agpu__kept_follow(agpu__recorder *of);

/// A block that is kept, for what follows on the lane, which records. False:
/// there is none of that size.
bool agpu__kept_take(agpu__lane *lane, size_t bytes, CUdeviceptr *out_pointer);

/// `pointer`, of so many bytes of the lane's device, has been allocated in the
/// round: it may be kept once it is freed.
void agpu__kept_add(const agpu__lane *lane, CUdeviceptr pointer, size_t bytes);

/// It is freed after what the lane, which records, holds. If it is not one
/// that may be kept, the driver is told at the end of the round.
void agpu__kept_give(agpu__lane *lane, CUdeviceptr pointer);

/// The driver frees it itself.
void agpu__kept_forget(agpu__recorder *of, CUdeviceptr pointer);

/// What has been enqueued is on the stream: frees behind it what may not be
/// kept, and with `all`, what is in use is not the part's any more. The result
/// is that of the first call that fails, for `*out_location`.
CUresult agpu__kept_end(agpu__recorder *of, bool all,
                        const char **out_location);

/// Whether there is memory that is not in use.
bool agpu__kept_has_free(const agpu__recorder *of);

/// Frees what is kept and not in use, after the work that uses it. Enters the
/// device. False: there is nothing.
bool agpu__kept_release(agpu__recorder *of, agpu__kept_work work);

//===----------------------------------------------------------------------===//
// Events of a round
//===----------------------------------------------------------------------===//

/// A round is going on from now on, on the calling thread; and is over.
void agpu__record_open(agpu__recorder *recorder);
void agpu__record_close(agpu__recorder *recorder);

/// What it had so far is on its stream: other threads find it there.
void agpu__record_tell_waiters(agpu__recorder *recorder);

/// What has been collected is on the stream now, or has come to `error`: the
/// events that are referred to depend on it.
void agpu__record_tell_events(agpu__recorder *recorder, CUresult error);

/// The first `count` nodes of the list are enqueued one by one, and the round's
/// events are told of.
void agpu__record_replay(agpu__recorder *recorder, size_t count);

/// Ends the recording, unless it has ended: what has been collected is enqueued
/// one by one. `why` lasts.
void agpu__record_flush(agpu__recorder *recorder, const char *why);

/// The driver, for calls about a stream that is no lane, but the program's own:
/// what comes before them has been enqueued.
const agpu__driver *agpu__record_leave(void);

/// What a recorder's events are to objects: the host is about to wait for one.
/// It waits in the driver for those of rounds that are over.
bool agpu__record_wait(agpu__work *work);
void agpu__record_settle(agpu__work *work); ///< waits for another thread's
void agpu__record_request(agpu__work *work, agpu_object *object);

/// Of agpu_graph_branch, on a lane that is part of the round.
void agpu__record_branch(agpu__lane *lane, int64_t what);

/// What `call` was captured as for that device, or NULL; a new capture, with
/// its graph.
agpu__capture *agpu__capture_find(const agpu__recorder *of,
                                  const agpu__device *device,
                                  const agpu_graph_call *call);
agpu__capture *agpu__capture_add(agpu__recorder *of, const agpu__device *device,
                                 const agpu_graph_call *call, CUgraph graph);

/// The next node on the lane, which records. An error is the driver's.
CUresult agpu__record_call(agpu__lane *lane, agpu__capture *capture);

/// Likewise, on any lane. True: it is the next node, or `*out_result` is an
/// error. False: the caller has to enqueue it.
bool agpu__record_host(CUstream stream, agpu__host_call call,
                       CUresult *out_result);

/// What was put off by agpu__recorder.asks_later is asked for.
void agpu__record_ask(agpu__recorder *recorder);

/// In the child of a fork, where no round is going on.
void agpu__record_fork(void);

// Of the recording driver.
CUresult agpu__record_cuEventRecord(CUevent event, CUstream stream);
CUresult agpu__record_cuEventQuery(CUevent event);
CUresult agpu__record_cuStreamWaitEvent(CUstream stream, CUevent event,
                                        unsigned int flags);

//===----------------------------------------------------------------------===//
// Work that is recorded
//===----------------------------------------------------------------------===//

/// Fills `*out_driver` with the recording driver's functions, and with those of
/// `inner` for all that neither streams nor events are told of.
void agpu__record_fill_driver(agpu__driver *out_driver,
                              const agpu__driver *inner);

//===----------------------------------------------------------------------===//
// Parts of programs, from round to round (site.c)
//===----------------------------------------------------------------------===//

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

#endif // ASYNC_GPU_RUNTIME_GPU_GRAPH_RECORD_H
