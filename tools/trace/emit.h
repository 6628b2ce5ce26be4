//===- emit.h - Events of the file --------------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The objects of the Chrome trace format that the file is a list of: slices,
// arrows, counters, moments, names of tracks. Signal-safe.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_TRACE_EMIT_H
#define ASYNC_GPU_TOOLS_TRACE_EMIT_H

#include "async_gpu/compiled/trace.h"
#include "base/trace/names.h"
#include "base/trace/output.h"
#include "trace/array.h"
#include "trace/dump.h"
#include "trace/json_text.h"

#include <stdbool.h>
#include <stdint.h>

/// The process group that threads of the host are in; those of
/// agpu__trace_track have the following ones. Where ranks are joined, groups of
/// rank R are AGPU__EMIT_RANK * R higher.
#define AGPU__EMIT_HOST 1
#define AGPU__EMIT_RANK 1000

/// Tracks of the host from this on, up to twice that, are lanes (requests.h):
/// Linux has no threads with such numbers.
#define AGPU__EMIT_LANES (UINT32_C(1) << 22)

typedef struct agpu__emit_track {
  uint32_t group, track; ///< "pid" and "tid"
} agpu__emit_track;

/// A point of a track that an arrow begins or ends at.
typedef struct agpu__emit_point {
  agpu__emit_track track;
  int64_t time;
} agpu__emit_point;

/// Takes what would be written: slices and other events, the numbers and the
/// texts among their arguments, arrows, and names of tracks. Texts last for the
/// call.
typedef struct agpu__emit_listener agpu__emit_listener;
struct agpu__emit_listener {
  void (*begin)(agpu__emit_listener *self, const char *phase,
                const char *category, const char *name, agpu__emit_point at,
                int64_t length);
  void (*number)(agpu__emit_listener *self, const char *key, uint64_t value);
  void (*text)(agpu__emit_listener *self, const char *key, const char *value);
  void (*arrow)(agpu__emit_listener *self, const char *kind,
                agpu__emit_point from, agpu__emit_point to);
  void (*late)(agpu__emit_listener *self, int64_t ns);
  void (*track)(agpu__emit_listener *self, agpu__emit_track track,
                const char *name);
};

typedef struct agpu__emitter {
  agpu__trace_output *to;
  agpu__emit_listener *listener;     ///< not NULL: is told instead
  const agpu__trace_array *critical; ///< NULL, or a bool for each slice:
  size_t slices;                     ///< it is on the critical path
  bool is_slice;                     ///< what has begun
  int64_t zero;                      ///< the time that the file calls 0
  bool has_events, has_args;
  uint64_t arrows;
} agpu__emitter;

/// Begins an event of `phase`; what follows are its arguments, up to
/// agpu__emit_end. A slice is as long as `length` says; of others it is 0.
void agpu__emit_begin(agpu__emitter *self, const char *phase,
                      const char *category, const char *name,
                      agpu__emit_point at, int64_t length);

void agpu__emit_number(agpu__emitter *self, const char *key, uint64_t value);
void agpu__emit_signed(agpu__emitter *self, const char *key, int64_t value);
/// Nothing for NULL.
void agpu__emit_text(agpu__emitter *self, const char *key, const char *value);
void agpu__emit_true(agpu__emitter *self, const char *key);
void agpu__emit_time(agpu__emitter *self, const char *key, int64_t ns);
/// "late": of a request, how long the other side began it later.
void agpu__emit_late(agpu__emitter *self, int64_t ns);

void agpu__emit_end(agpu__emitter *self);

/// An arrow between slices, of a kind that has a name.
void agpu__emit_arrow(agpu__emitter *self, const char *kind,
                      agpu__emit_point from, agpu__emit_point to);

/// Gives a group (`track.track` is 0) or a track its name and place.
void agpu__emit_name(agpu__emitter *self, agpu__emit_track track,
                     const char *name, int64_t place);

/// The plan's numbers of the region and of its stream, as far as it has them;
/// NULL: of none.
void agpu__emit_region(agpu__emitter *self, const agpu_trace_name *name);

/// What a region is called into `label` of AGPU__LABEL bytes, which is
/// returned. `name` and `code` may be NULL.
const char *agpu__emit_label(char *label, const agpu_trace_name *name,
                             const agpu__code *code);

#endif // ASYNC_GPU_TOOLS_TRACE_EMIT_H
