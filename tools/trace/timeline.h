//===- timeline.h - What a profile looks at ----------------------------*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The slices and the arrows of a trace, as the writer of its file has them: so
// that a profile is about what a person sees there, and nothing is made out of
// the events twice. Signal-safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_TIMELINE_H
#define ASYNC_GPU_TOOLS_TRACE_TIMELINE_H

#include "trace/array.h"
#include "trace/emit.h"

/// X(kind, name in files, heading)
#define AGPU__TIMELINE_KINDS(X)                                                \
  X(PROGRAM, "program", "host") /* of a thread, outside of all slices */       \
  X(REGION, "region", "region")                                                \
  X(RUNTIME, "runtime", "runtime") /* threads of the runtime's own */          \
  X(MODULE, "module", "module")                                                \
  X(KERNEL, "kernel", "kernel")                                                \
  X(COPY, "copy", "copy")                                                      \
  X(FILL, "fill", "fill")                                                      \
  X(CONDITIONAL, "conditional", "device") /* around what its body runs */      \
  X(WAIT, "wait", "for")                                                       \
  X(RECORD, "record", "event")                                                 \
  X(STREAM_WAIT, "stream wait", "event")                                       \
  X(LEARN, "learn", "event")                                                   \
  X(MESSAGE, "message", "message")                                             \
  X(COLLECTIVE, "collective", "collective")                                    \
  X(ENQUEUE, "enqueue", "call")                                                \
  X(OTHER, "other", "call")

typedef enum agpu__timeline_kind {
#define AGPU__NAME_TIMELINE(kind, name, heading) AGPU__TIMELINE_##kind,
  AGPU__TIMELINE_KINDS(AGPU__NAME_TIMELINE)
#undef AGPU__NAME_TIMELINE
      AGPU__TIMELINE_KIND_COUNT
} agpu__timeline_kind;

const char *agpu__timeline_kind_name(agpu__timeline_kind kind);

/// What is looked at together: slices of one kind and name, and, of waits, of
/// one place.
typedef struct agpu__timeline_label {
  agpu__timeline_kind kind;
  const char *name;  ///< the run's
  const char *place; ///< "file:line:column", or NULL
  int64_t region;    ///< of a region: its number in the plan; else -1
  int32_t rank;      ///< of a run of several that are joined; else -1
} agpu__timeline_label;

typedef struct agpu__timeline_slice {
  agpu__emit_track track;
  int64_t begin, end; ///< ns
  agpu__timeline_kind kind;
  uint32_t label;
  uint64_t run, part; ///< of a region; 0
  uint64_t bytes;     ///< of copies, fills and messages
  int64_t late;       ///< of a request: how long the other side was later
  uint64_t number;    ///< in the order in which the file has them
} agpu__timeline_slice;

typedef struct agpu__timeline_arrow {
  const char *kind; ///< of the trace: "spawn", "resume", "device", "event"
  agpu__emit_point from, to;
} agpu__timeline_arrow;

typedef struct agpu__timeline_track {
  agpu__emit_track track;
  const char *name; ///< the run's
} agpu__timeline_track;

/// All zero: nothing yet. Elements of the arrays are of the types above.
typedef struct agpu__timeline {
  agpu__emit_listener listener; ///< first
  agpu__trace_array slices, arrows, tracks, labels;
  agpu__trace_array texts;   ///< char *: mapped memory
  agpu__trace_table by_text; ///< hashes of labels
  uint64_t left_out;         ///< runs in loops and branches of devices
  bool is_joined;            ///< of several ranks
  bool is_in_slice;
  bool is_incomplete; ///< memory was out
} agpu__timeline;

/// Makes `run` an empty one, whose `listener` an emitter can have.
void agpu__timeline_begin(agpu__timeline *run, bool is_joined);
void agpu__timeline_free(agpu__timeline *run);

/// The number of the label, of something on `track`; a new one if there is none
/// like it. Texts are copied. AGPU__TIMELINE_NO_LABEL where memory is out.
uint32_t agpu__timeline_add_label(agpu__timeline *run, agpu__timeline_kind kind,
                                  const char *name, agpu__emit_track track);

#define AGPU__TIMELINE_NO_LABEL UINT32_MAX

static inline agpu__timeline_slice *
agpu__timeline_slices(const agpu__timeline *run) {
  return run->slices.data;
}

static inline agpu__timeline_label *
agpu__timeline_labels(const agpu__timeline *run) {
  return run->labels.data;
}

/// Whether it has requests of MPI.
static inline bool agpu__timeline_is_lane(agpu__emit_track track) {
  return track.group % AGPU__EMIT_RANK == AGPU__EMIT_HOST &&
         track.track >= AGPU__EMIT_LANES && track.track < 2 * AGPU__EMIT_LANES;
}

/// Whether it is a thread's, not a stream's.
static inline bool agpu__timeline_is_host(agpu__emit_track track) {
  return track.group % AGPU__EMIT_RANK == AGPU__EMIT_HOST &&
         !agpu__timeline_is_lane(track);
}

/// Whether it is work of a device that takes time.
static inline bool agpu__timeline_is_work(agpu__timeline_kind kind) {
  return kind == AGPU__TIMELINE_KERNEL || kind == AGPU__TIMELINE_COPY ||
         kind == AGPU__TIMELINE_FILL || kind == AGPU__TIMELINE_CONDITIONAL;
}

#endif // ASYNC_GPU_TOOLS_TRACE_TIMELINE_H
