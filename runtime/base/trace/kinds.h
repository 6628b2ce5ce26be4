//===- kinds.h - The kinds of events of a trace, in one table -----*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every event that is recorded is of a kind of this table. The recorder stores
// numbers; what they mean, and how the file shows them, stands here.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_TRACE_KINDS_H
#define ASYNC_GPU_RUNTIME_BASE_TRACE_KINDS_H

/// KIND(name, shape, flow, category, shown, argument 1 to 3: key, format)
/// New ones come last: dumps have their numbers.
///
/// Shapes:
///   TASK     what the executor does with tasks, and objects with those that
///            wait for them: tasks.c makes slices and arrows of them
///   SLICE    began at the event's time; argument 1 is how long it was, NS
///   COUNTER  argument 1 is what the counter of the event's name is now
///   MESSAGE  of a request of MPI (runtime/mpi/trace.h)
///
/// Flows: an arrow goes from each OUT to all INs of the same `flow` after it,
/// until the next OUT; it is called by the category of the IN. NONE: the event
/// has no arrow. Flows of the driver's calls are numbers of work, with the
/// lowest bit 0, and of records of events, with the lowest bit 1.
///
/// CONDITIONAL is a loop or a branch of the device: kinds BODY are nodes of its
/// body, whose `flow` is the round, from 1.
///
/// NODES: the work of number `id`, and of so many numbers from there on, which
/// the thread enqueues next, is of that region.
///
/// Formats of arguments, NO where there is none:
///   COUNT    a number; SIGNED: of an int64_t
///   NS       nanoseconds
///   PLACE    a `const char *`, "file:line:column", or NULL
///   NAME     an agpu_trace_name (async_gpu/compiled/trace.h), or NULL
///   GRID     agpu__trace_pack_grid
///   BLOCK    agpu__trace_pack_block: block, registers, shared memory
///
/// Of a TASK, `id` is the task's handle, the address of the parker of a thread
/// that waits, or that of a group; `name` is its code (base/trace/names.h).
#define AGPU__TRACE_KINDS(KIND)                                                \
  KIND(QUEUE, TASK, NONE, "task", "queue", "", NO, "", NO, "", NO)             \
  KIND(RUN, TASK, NONE, "task", "run", "", NO, "", NO, "", NO)                 \
  KIND(RAN, TASK, NONE, "task", "ran", "", NO, "", NO, "", NO)                 \
  KIND(HERE, TASK, NONE, "task", "start here", "region", NAME, "", NO, "", NO) \
  KIND(HERE_END, TASK, NONE, "task", "started here", "", NO, "", NO, "", NO)   \
  KIND(AWAIT, TASK, NONE, "task", "await", "object", COUNT, "at", PLACE,       \
       "how", COUNT)                                                           \
  KIND(SERVE, TASK, NONE, "task", "complete", "object", COUNT, "", NO, "", NO) \
  KIND(WAIT, TASK, NONE, "wait", "wait", "", NO, "", NO, "", NO)               \
  KIND(WAIT_END, TASK, NONE, "wait", "waited", "", NO, "", NO, "", NO)         \
  KIND(IN_PLACE, TASK, NONE, "task", "in place", "region", NAME, "", NO, "",   \
       NO)                                                                     \
  KIND(IN_PLACE_END, TASK, NONE, "task", "was in place", "", NO, "", NO, "",   \
       NO)                                                                     \
  KIND(ENQUEUE, SLICE, OUT, "enqueue", "", "", NS, "at", PLACE, "track",       \
       COUNT)                                                                  \
  KIND(KERNEL, SLICE, IN, "kernel", "", "", NS, "", GRID, "", BLOCK)           \
  KIND(COPY, SLICE, IN, "copy", "", "", NS, "bytes", COUNT,                    \
       "bytes_per_second", COUNT)                                              \
  KIND(FILL, SLICE, IN, "fill", "", "", NS, "bytes", COUNT,                    \
       "bytes_per_second", COUNT)                                              \
  KIND(RECORD, SLICE, OUT, "record", "record", "", NS, "", NO, "", NO)         \
  KIND(STREAM_WAIT, SLICE, NONE, "event", "wait for an event", "", NS, "", NO, \
       "", NO)                                                                 \
  KIND(STREAM_WAITED, SLICE, IN, "stream wait", "waited", "", NS, "", NO, "",  \
       NO)                                                                     \
  KIND(LEARN, SLICE, IN, "learn", "learn", "", NS, "", NO, "", NO)             \
  KIND(SYNCHRONIZE, SLICE, NONE, "wait", "synchronize", "", NS, "track",       \
       COUNT, "", NO)                                                          \
  KIND(MODULE, SLICE, NONE, "module", "load module", "", NS, "device", COUNT,  \
       "", NO)                                                                 \
  KIND(SETTLE, SLICE, NONE, "recorder", "nothing is recorded", "", NS, "", NO, \
       "", NO)                                                                 \
  KIND(MEMORY, COUNTER, NONE, "counter", "", "value", SIGNED, "", NO, "", NO)  \
  KIND(SEND, MESSAGE, NONE, "send", "", "at", PLACE, "", NO, "", NO)           \
  KIND(RECEIVE, MESSAGE, NONE, "receive", "", "at", PLACE, "", NO, "", NO)     \
  KIND(MESSAGE_HAND, MESSAGE, NONE, "", "", "", NO, "", NO, "", NO)            \
  KIND(MESSAGE_END, MESSAGE, NONE, "", "", "", NO, "", NO, "", NO)             \
  KIND(COLLECTIVE, MESSAGE, NONE, "collective", "", "at", PLACE, "", NO, "",   \
       NO)                                                                     \
  KIND(CONDITIONAL, SLICE, IN, "conditional", "", "", NS, "rounds", COUNT,     \
       "left_out", COUNT)                                                      \
  KIND(BODY_KERNEL, SLICE, NONE, "kernel", "", "", NS, "", GRID, "", BLOCK)    \
  KIND(BODY_COPY, SLICE, NONE, "copy", "", "", NS, "bytes", COUNT,             \
       "bytes_per_second", COUNT)                                              \
  KIND(BODY_FILL, SLICE, NONE, "fill", "", "", NS, "bytes", COUNT,             \
       "bytes_per_second", COUNT)                                              \
  KIND(BODY_CONDITIONAL, SLICE, NONE, "conditional", "", "", NS, "rounds",     \
       COUNT, "", NO)                                                          \
  KIND(NODES, TASK, NONE, "task", "nodes", "region", NAME, "nodes", COUNT, "", \
       NO)

typedef enum agpu__trace_kind {
#define NAME_IT(name, ...) AGPU__TRACE_##name,
  AGPU__TRACE_KINDS(NAME_IT)
#undef NAME_IT
      AGPU__TRACE_KIND_COUNT
} agpu__trace_kind;

typedef enum agpu__trace_shape {
  AGPU__TRACE_SHAPE_TASK,
  AGPU__TRACE_SHAPE_SLICE,
  AGPU__TRACE_SHAPE_COUNTER,
  AGPU__TRACE_SHAPE_MESSAGE,
} agpu__trace_shape;

typedef enum agpu__trace_flow {
  AGPU__TRACE_FLOW_NONE,
  AGPU__TRACE_FLOW_OUT,
  AGPU__TRACE_FLOW_IN,
} agpu__trace_flow;

typedef enum agpu__trace_format {
  AGPU__TRACE_FORMAT_NO,
  AGPU__TRACE_FORMAT_COUNT,
  AGPU__TRACE_FORMAT_SIGNED,
  AGPU__TRACE_FORMAT_NS,
  AGPU__TRACE_FORMAT_PLACE,
  AGPU__TRACE_FORMAT_NAME,
  AGPU__TRACE_FORMAT_GRID,
  AGPU__TRACE_FORMAT_BLOCK,
} agpu__trace_format;

typedef struct agpu__trace_kind_row {
  agpu__trace_shape shape;
  agpu__trace_flow flow;
  const char *category, *shown;
  struct {
    const char *key;
    agpu__trace_format format;
  } args[3];
} agpu__trace_kind_row;

extern const agpu__trace_kind_row agpu__trace_kinds[AGPU__TRACE_KIND_COUNT];

#endif // ASYNC_GPU_RUNTIME_BASE_TRACE_KINDS_H
