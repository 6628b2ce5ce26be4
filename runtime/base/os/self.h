//===- self.h - What each thread has of the runtime ---------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two blocks for each thread, one small and hot, whose members belong to the
// files named beside them; what they point to, those files alone know. They are
// all zero at first.
// A file that has something to do at the end of a thread has one function
// called there, and all of these are called by one destructor.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_OS_SELF_H
#define ASYNC_GPU_RUNTIME_BASE_OS_SELF_H

#include "base/os/platform.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What has something to do at the end of a thread, in the order in which they
/// do it: what others still need comes last.
typedef enum agpu__thread_part {
  AGPU__PART_EMU_NOTE,
  AGPU__PART_EMU_CONTEXTS,
  AGPU__PART_DRIVER_GATE,
  AGPU__PART_ABORT_CAUSE,
  AGPU__PART_TASK_ERROR,
  AGPU__PART_OUTSIDE,
  AGPU__PART_MAGAZINE,
  AGPU__PART_COUNTER,
  AGPU__PART_TRACE,
  AGPU__PARTS,
} agpu__thread_part;

/// What code has chosen on the thread that runs it. A task that runs on top of
/// other code begins without any, and leaves the other's (exec/wait.c).
typedef struct agpu__choices {
  struct agpu_stream *stream; ///< gpu/calls/choices.c
  int32_t default_device;     ///< gpu/process/devices.c: from 1; 0: none chosen
} agpu__choices;

/// What each task needs, so that it costs one instruction. It is of the little
/// that the system reserves for libraries that are loaded late, where every
/// other library wants some, too: what can wait for a load more is in
/// agpu__thread_self.
typedef struct agpu__thread_hot {
  agpu__choices choices;
  struct agpu__counter_cells *counts; ///< base/memory/counter.c
  struct agpu__magazines *magazines;  ///< base/memory/magazine.c
  struct {
    struct agpu__seat *seat; ///< NULL: not a worker, or gave its seat away
    /// Run before those queued; no `next_resume`: none. No other thread sees
    /// it, so it is there only while none could be wanted: from the end of one
    /// task to the search for the next.
    void *next_handle;
    void (*next_resume)(void *handle);
    uint64_t task_number;
    uint32_t depth;        ///< tasks on the stack
    uint32_t started_here; ///< what runs on top of its spawner (enough.c)
    uint32_t ran_inline;   ///< of that, in its first moment
    uint32_t spawns_left;  ///< until throttle.c looks
    int64_t early_since;
    /// Of the task that the thread queues next, outside: agpu__names.
    uint64_t names;
    uint64_t last_names;  ///< of the one queued last (outside.c)
    uint64_t last_ticket; ///< of the same
    uint8_t help;         ///< census.c: whether it helps: agpu__help
    bool is_orphan;       ///< was in a task that forked: this is the child
    bool knows_stack;     ///< of enough.c, as is what follows
    uintptr_t shallow_low, shallow_size;
    struct agpu__outbox *outbox; ///< outside.c: NULL: none
  } exec;
  struct {
    uint32_t next_number, numbers_left; ///< object.c
    /// object.c: the number of the first object since the thread named a task
    /// last, and the newest token's.
    uint32_t unnamed, newest_token;
  } async;
} agpu__thread_hot;

_Static_assert(sizeof(agpu__thread_hot) <= 160, "what libraries share is 512");

typedef struct agpu__thread_self {
  uint32_t parts; ///< self.c: bit i: part i has something to do at the end
  uint8_t main;   ///< base/os/thread.c: whether it is the process's first
#ifdef AGPU__CHECK_RANKS
  struct {
    const void *lock;
    int rank;
  } held[128];         ///< base/sync/ranks.c: locks, as they were taken
  unsigned held_count; ///< of these
#endif
  struct {
    struct agpu__trace_ring *ring; ///< base/trace/ring.c; NULL before an event
    const void *here;              ///< base/trace/in_place.c: agpu_trace_here
    /// agpu__trace_enter: regions inside of each other, of which there are so
    /// many.
    const void *regions[8];
    unsigned depth;
    /// graph/notes.c: the region, or NULL, of a node that it enqueues now.
    const void *const *replayed;
    bool is_named; ///< ranges.c: the tool knows what it is called
  } trace;
  struct {
    struct agpu__outside *outside; ///< outside.c: what the outbox belongs to
    size_t outbox_number;          ///< from 1; 0 before the first task
  } exec;
  struct {
    struct agpu_status_record *abort_cause; ///< abort_cause.c: told of last
    struct agpu_status_record *error;       ///< task_error.c: its last record
    uint64_t error_task;                    ///< and the task it was made in
    struct agpu__helping_wait *helping;     ///< wait.c: what helps, or NULL
  } async;
  struct {
    // device.c: the context of a device that has been entered and not left;
    // which was current before; and which is, since it was asked for last.
    struct CUctx_st *entered, *found, *current;
    struct agpu__gate_slot *gate; ///< driver/gate.c; NULL before a call
    uint32_t number;              ///< driver/log.c: its name; 0: none yet
    int32_t traced_device;        ///< trace/driver_trace.c: whose context is
    uint64_t traced_work;         ///< what the next call of the driver enqueues
    bool has_closed;              ///< driver/gate.c: it is this one's to pass
    struct agpu__recorder *part;  ///< graph/record.c: of the round that is open
    /// calls/graph_call.c: whose streams a call of the program's gets, or NULL.
    const struct agpu__device *capturing;
    // driver/client.c: what the next calls of the driver are for, and what host
    // functions touch that they enqueue.
    bool is_silent;
    const char *what, *kernel, *location;
    const void *touched;
    size_t touched_count;
    const char *host_call; ///< calls/host_access.c: where it called last
  } gpu;
  struct {
    struct agpu__emu_texts *texts; ///< base/result.c; NULL before an error
    struct CUctx_st *context;      ///< base/context.c: the current one, or NULL
    struct agpu__emu_below *below; ///< base/context_stack.c: those under it
    void (*describe_work)(char *out, size_t size); ///< likewise; NULL: no work
    int capture_mode; ///< device/capture_rules.c: its own
    bool in_host_function;
    const struct agpu__emu_op *running; ///< device/op.c: what that describes
    struct agpu__emu_runner *runner;    ///< simt/block.c; NULL: runs no block
    struct {
      uintptr_t address, code; ///< code: 0 where the machine does not tell
      const char *verb;
    } fault; ///< simt/kernel_fault.c: what the thread explains
    /// base/client.c: of the node of a graph that it enqueues, or NULL; and the
    /// number of that work.
    const struct agpu__op_name *node_origin;
    uint64_t node_work;
  } emu;
} agpu__thread_self;

/// The calling thread's.
extern AGPU__HOT_THREAD_LOCAL agpu__thread_hot agpu__hot;

/// Of the calling thread, once it has one; else NULL.
extern AGPU__HOT_THREAD_LOCAL agpu__thread_self *agpu__self_known;

/// The first of agpu__self on a thread: gives it a block, which goes at its end
/// after all parts. Ends the process where memory is out.
agpu__thread_self *agpu__self_begin(void) __attribute__((cold));

static inline agpu__thread_self *agpu__self_get(void) {
  agpu__thread_self *known = agpu__self_known;
  return __builtin_expect(known != NULL, true) ? known : agpu__self_begin();
}

/// The calling thread's. A handler of signals asks agpu__self_known.
#define agpu__self (*agpu__self_get())

/// Has `end` called once when the calling thread ends, the same for all threads
/// that have this part of the block. What needs the part again after that asks
/// again. False where the system has no memory for it: nothing is called then.
bool agpu__self_at_end(agpu__thread_part part, void (*end)(void));

#endif // ASYNC_GPU_RUNTIME_BASE_OS_SELF_H
