//===- timeline.c - What a profile looks at -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Listens where the file is written, in place of the file. A slice's kind
// follows from its category and its arguments, which come after it: it counts
// as what it is by then. Texts are kept once, in memory of the system's.
//
//===----------------------------------------------------------------------===//

#include "trace/timeline.h"

#include <string.h>

/// Texts are put together in pieces of that size, or of their own.
#define PIECE ((size_t)1 << 16)

typedef struct piece {
  char *text;
  size_t used, bytes;
} piece;

const char *agpu__timeline_kind_name(agpu__timeline_kind kind) {
  static const char *const names[] = {
#define NAME(kind, name, heading) name,
      AGPU__TIMELINE_KINDS(NAME)
#undef NAME
  };
  return names[kind];
}

/// A copy, or NULL for NULL and where memory is out.
static const char *keep(agpu__timeline *run, const char *text) {
  if (!text)
    return NULL;
  size_t size = strlen(text) + 1;
  piece *last =
      run->texts.count ? (piece *)run->texts.data + run->texts.count - 1 : NULL;
  if (!last || last->bytes - last->used < size) {
    size_t bytes = size > PIECE ? size : PIECE;
    last = agpu__trace_array_add(&run->texts, sizeof *last);
    if (last && (last->text = agpu__trace_map(bytes)))
      last->bytes = bytes;
    else
      run->is_incomplete = true;
    if (!last || !last->text)
      return NULL;
  }
  char *kept = last->text + last->used;
  memcpy(kept, text, size);
  last->used += size;
  return kept;
}

static uint64_t hash(uint64_t from, const char *text) {
  for (; text && *text; ++text)
    from = (from ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
  return (from ^ 0xff) * UINT64_C(0x100000001B3);
}

static bool is_same(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

static uint32_t add_label(agpu__timeline *run, agpu__timeline_label wanted) {
  uint64_t key = hash(hash((uint64_t)wanted.kind + 1 +
                               ((uint64_t)(wanted.region + 1) << 8) +
                               ((uint64_t)(uint32_t)(wanted.rank + 1) << 40),
                           wanted.name),
                      wanted.place);
  // Labels whose keys are the same by chance have the following ones.
  for (;; ++key) {
    uint64_t *found = agpu__trace_table_add(&run->by_text, key ? key : 1);
    if (!found) {
      run->is_incomplete = true;
      return AGPU__TIMELINE_NO_LABEL;
    }
    if (!*found) {
      agpu__timeline_label *added =
          agpu__trace_array_add(&run->labels, sizeof *added);
      if (!added) {
        run->is_incomplete = true;
        return AGPU__TIMELINE_NO_LABEL;
      }
      *found = run->labels.count; // from 1
      *added = wanted;
      added->name = keep(run, wanted.name);
      added->place = keep(run, wanted.place);
      if (!added->name)
        added->name = "";
      return (uint32_t)*found - 1;
    }
    const agpu__timeline_label *known = &agpu__timeline_labels(run)[*found - 1];
    if (known->kind == wanted.kind && known->region == wanted.region &&
        known->rank == wanted.rank && is_same(known->name, wanted.name) &&
        is_same(known->place, wanted.place))
      return (uint32_t)*found - 1;
  }
}

uint32_t agpu__timeline_add_label(agpu__timeline *run, agpu__timeline_kind kind,
                                  const char *name, agpu__emit_track track) {
  int32_t rank = run->is_joined ? (int32_t)(track.group / AGPU__EMIT_RANK) : -1;
  return add_label(run, (agpu__timeline_label){kind, name, NULL, -1, rank});
}

//===----------------------------------------------------------------------===//
// The listener
//===----------------------------------------------------------------------===//

/// The slice whose arguments come now, or NULL.
static agpu__timeline_slice *get_current(agpu__timeline *run) {
  return run->is_in_slice ? &agpu__timeline_slices(run)[run->slices.count - 1]
                          : NULL;
}

static const agpu__timeline_label *label_of(const agpu__timeline *run,
                                            const agpu__timeline_slice *slice) {
  return &agpu__timeline_labels(run)[slice->label];
}

static void set_label(agpu__timeline *run, agpu__timeline_slice *slice,
                      agpu__timeline_label wanted) {
  uint32_t label = add_label(run, wanted);
  if (label != AGPU__TIMELINE_NO_LABEL)
    slice->label = label;
}

/// As far as the category tells.
static agpu__timeline_kind get_kind(const char *category) {
  static const struct {
    const char *category;
    agpu__timeline_kind kind;
  } kinds[] = {{"region", AGPU__TIMELINE_REGION},
               {"wait", AGPU__TIMELINE_WAIT},
               {"runtime", AGPU__TIMELINE_RUNTIME},
               {"module", AGPU__TIMELINE_MODULE},
               {"kernel", AGPU__TIMELINE_KERNEL},
               {"copy", AGPU__TIMELINE_COPY},
               {"fill", AGPU__TIMELINE_FILL},
               {"conditional", AGPU__TIMELINE_CONDITIONAL},
               {"record", AGPU__TIMELINE_RECORD},
               {"learn", AGPU__TIMELINE_LEARN},
               {"send", AGPU__TIMELINE_MESSAGE},
               {"receive", AGPU__TIMELINE_MESSAGE},
               {"collective", AGPU__TIMELINE_COLLECTIVE},
               {"enqueue", AGPU__TIMELINE_ENQUEUE},
               {"program", AGPU__TIMELINE_PROGRAM},
               {"stream wait", AGPU__TIMELINE_STREAM_WAIT}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (strcmp(category, kinds[i].category) == 0)
      return kinds[i].kind;
  return AGPU__TIMELINE_OTHER;
}

static void begin(agpu__emit_listener *listener, const char *phase,
                  const char *category, const char *name, agpu__emit_point at,
                  int64_t length) {
  agpu__timeline *run = (agpu__timeline *)listener;
  run->is_in_slice = false;
  if (phase[0] != 'X')
    return;
  agpu__timeline_kind kind = get_kind(category);
  // Until it is said for what.
  if (kind == AGPU__TIMELINE_WAIT && strcmp(name, "wait") == 0)
    name = "the device or another thread";
  uint32_t label = agpu__timeline_add_label(run, kind, name, at.track);
  agpu__timeline_slice *added =
      label == AGPU__TIMELINE_NO_LABEL
          ? NULL
          : agpu__trace_array_add(&run->slices, sizeof *added);
  if (!added) {
    run->is_incomplete = true;
    return;
  }
  *added = (agpu__timeline_slice){.track = at.track,
                                  .begin = at.time,
                                  .end = at.time + length,
                                  .kind = kind,
                                  .label = label,
                                  .number = run->slices.count - 1};
  run->is_in_slice = true;
}

static void take_number(agpu__emit_listener *listener, const char *key,
                        uint64_t value) {
  agpu__timeline *run = (agpu__timeline *)listener;
  agpu__timeline_slice *slice = get_current(run);
  if (!slice)
    return;
  agpu__timeline_label label = *label_of(run, slice);
  label.region = (int64_t)value;
  if (strcmp(key, "run") == 0)
    slice->run = value;
  else if (strcmp(key, slice->kind == AGPU__TIMELINE_REGION
                           ? "region"
                           : "for_region") == 0)
    set_label(run, slice, label);
  else if (strcmp(key, "part") == 0)
    slice->part = value;
  else if (strcmp(key, "bytes") == 0)
    slice->bytes = value;
  else if (strcmp(key, "left_out") == 0)
    run->left_out += value;
}

static void take_text(agpu__emit_listener *listener, const char *key,
                      const char *value) {
  agpu__timeline *run = (agpu__timeline *)listener;
  agpu__timeline_slice *slice = get_current(run);
  // Of a region, "at" says where it suspends: not where it is.
  if (!slice || (slice->kind != AGPU__TIMELINE_WAIT &&
                 slice->kind != AGPU__TIMELINE_MESSAGE &&
                 slice->kind != AGPU__TIMELINE_COLLECTIVE))
    return;
  agpu__timeline_label label = *label_of(run, slice);
  if (strcmp(key, "at") == 0 && *value)
    label.place = value;
  else if (strcmp(key, "for") == 0)
    label.name = value;
  set_label(run, slice, label);
}

static void take_late(agpu__emit_listener *listener, int64_t ns) {
  agpu__timeline_slice *slice = get_current((agpu__timeline *)listener);
  if (slice)
    slice->late = ns;
}

static void take_arrow(agpu__emit_listener *listener, const char *kind,
                       agpu__emit_point from, agpu__emit_point to) {
  agpu__timeline *run = (agpu__timeline *)listener;
  agpu__timeline_arrow *added =
      agpu__trace_array_add(&run->arrows, sizeof *added);
  if (added)
    *added = (agpu__timeline_arrow){kind, from, to};
  else
    run->is_incomplete = true;
}

static void take_track(agpu__emit_listener *listener, agpu__emit_track track,
                       const char *name) {
  agpu__timeline *run = (agpu__timeline *)listener;
  agpu__timeline_track *added =
      agpu__trace_array_add(&run->tracks, sizeof *added);
  if (added)
    *added = (agpu__timeline_track){track, keep(run, name)};
  else
    run->is_incomplete = true;
}

void agpu__timeline_begin(agpu__timeline *run, bool is_joined) {
  *run = (agpu__timeline){.listener = {.begin = begin,
                                       .number = take_number,
                                       .text = take_text,
                                       .arrow = take_arrow,
                                       .late = take_late,
                                       .track = take_track},
                          .is_joined = is_joined};
}

void agpu__timeline_free(agpu__timeline *run) {
  for (size_t i = 0; i < run->texts.count; ++i) {
    const piece *of = (const piece *)run->texts.data + i;
    agpu__trace_unmap(of->text, of->bytes);
  }
  agpu__trace_array_free(&run->texts, sizeof(piece));
  agpu__trace_array_free(&run->slices, sizeof(agpu__timeline_slice));
  agpu__trace_array_free(&run->arrows, sizeof(agpu__timeline_arrow));
  agpu__trace_array_free(&run->tracks, sizeof(agpu__timeline_track));
  agpu__trace_array_free(&run->labels, sizeof(agpu__timeline_label));
  agpu__trace_table_free(&run->by_text);
}
