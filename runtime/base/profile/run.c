//===- run.c - What a profile looks at ------------------------------------===//
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

#include "base/profile/run.h"

#include <string.h>

/// Texts are put together in pieces of that size, or of their own.
#define PIECE ((size_t)1 << 16)

typedef struct piece {
  char *text;
  size_t used, bytes;
} piece;

const char *agpu__run_kind_name(agpu__run_kind kind) {
  static const char *const names[] = {
#define NAME(kind, name, heading) name,
      AGPU__RUN_KINDS(NAME)
#undef NAME
  };
  return names[kind];
}

/// A copy, or NULL for NULL and where memory is out.
static const char *keep(agpu__run *run, const char *text) {
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

uint32_t agpu__run_add_label(agpu__run *run, agpu__run_kind kind,
                             const char *name, const char *place) {
  uint64_t key = hash(hash((uint64_t)kind + 1, name), place);
  // Labels whose keys are the same by chance have the following ones.
  for (;; ++key) {
    uint64_t *found = agpu__trace_table_add(&run->by_text, key ? key : 1);
    if (!found) {
      run->is_incomplete = true;
      return AGPU__RUN_NO_LABEL;
    }
    if (!*found) {
      agpu__run_label *added =
          agpu__trace_array_add(&run->labels, sizeof *added);
      if (!added) {
        run->is_incomplete = true;
        return AGPU__RUN_NO_LABEL;
      }
      *found = run->labels.count; // from 1
      *added = (agpu__run_label){kind, keep(run, name), keep(run, place)};
      if (!added->name)
        added->name = "";
      return (uint32_t)*found - 1;
    }
    const agpu__run_label *known = &agpu__run_labels(run)[*found - 1];
    if (known->kind == kind && is_same(known->name, name) &&
        is_same(known->place, place))
      return (uint32_t)*found - 1;
  }
}

//===----------------------------------------------------------------------===//
// The listener
//===----------------------------------------------------------------------===//

/// The slice whose arguments come now, or NULL.
static agpu__run_slice *get_current(agpu__run *run) {
  return run->is_in_slice ? &agpu__run_slices(run)[run->slices.count - 1]
                          : NULL;
}

static const agpu__run_label *label_of(const agpu__run *run,
                                       const agpu__run_slice *slice) {
  return &agpu__run_labels(run)[slice->label];
}

static void set_label(agpu__run *run, agpu__run_slice *slice,
                      agpu__run_kind kind, const char *name,
                      const char *place) {
  uint32_t label = agpu__run_add_label(run, kind, name, place);
  if (label == AGPU__RUN_NO_LABEL)
    return;
  slice->kind = kind;
  slice->label = label;
}

/// As far as the category tells.
static agpu__run_kind get_kind(const char *category) {
  static const struct {
    const char *category;
    agpu__run_kind kind;
  } kinds[] = {
      {"region", AGPU__RUN_REGION},   {"wait", AGPU__RUN_WAIT},
      {"runtime", AGPU__RUN_RUNTIME}, {"module", AGPU__RUN_MODULE},
      {"kernel", AGPU__RUN_KERNEL},   {"copy", AGPU__RUN_COPY},
      {"fill", AGPU__RUN_FILL},       {"record", AGPU__RUN_RECORD},
      {"learn", AGPU__RUN_LEARN},     {"enqueue", AGPU__RUN_ENQUEUE},
      {"program", AGPU__RUN_PROGRAM}, {"stream wait", AGPU__RUN_STREAM_WAIT}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (strcmp(category, kinds[i].category) == 0)
      return kinds[i].kind;
  return AGPU__RUN_OTHER;
}

static void begin(agpu__emit_listener *listener, const char *phase,
                  const char *category, const char *name, agpu__emit_point at,
                  int64_t length) {
  agpu__run *run = (agpu__run *)listener;
  run->is_in_slice = false;
  if (phase[0] != 'X')
    return;
  agpu__run_kind kind = get_kind(category);
  // Until it is said for what.
  if (kind == AGPU__RUN_WAIT && strcmp(name, "wait") == 0)
    name = "the device or another thread";
  uint32_t label = agpu__run_add_label(run, kind, name, NULL);
  agpu__run_slice *added =
      label == AGPU__RUN_NO_LABEL
          ? NULL
          : agpu__trace_array_add(&run->slices, sizeof *added);
  if (!added) {
    run->is_incomplete = true;
    return;
  }
  *added = (agpu__run_slice){.track = at.track,
                             .begin = at.time,
                             .end = at.time + length,
                             .kind = kind,
                             .label = label,
                             .number = run->slices.count - 1};
  run->is_in_slice = true;
}

static void take_number(agpu__emit_listener *listener, const char *key,
                        uint64_t value) {
  agpu__run_slice *slice = get_current((agpu__run *)listener);
  if (!slice)
    return;
  if (strcmp(key, "region") == 0)
    slice->region = value;
  else if (strcmp(key, "part") == 0)
    slice->part = value;
  else if (strcmp(key, "bytes") == 0)
    slice->bytes = value;
}

static void take_text(agpu__emit_listener *listener, const char *key,
                      const char *value) {
  agpu__run *run = (agpu__run *)listener;
  agpu__run_slice *slice = get_current(run);
  // Of a region, "at" says where it suspends: not where it is.
  if (!slice || slice->kind != AGPU__RUN_WAIT)
    return;
  const agpu__run_label *label = label_of(run, slice);
  if (strcmp(key, "at") == 0 && *value)
    set_label(run, slice, slice->kind, label->name, value);
  else if (strcmp(key, "for") == 0)
    set_label(run, slice, slice->kind, value, label->place);
}

static void take_arrow(agpu__emit_listener *listener, const char *kind,
                       agpu__emit_point from, agpu__emit_point to) {
  agpu__run *run = (agpu__run *)listener;
  agpu__run_arrow *added = agpu__trace_array_add(&run->arrows, sizeof *added);
  if (added)
    *added = (agpu__run_arrow){kind, from, to};
  else
    run->is_incomplete = true;
}

static void take_track(agpu__emit_listener *listener, agpu__emit_track track,
                       const char *name) {
  agpu__run *run = (agpu__run *)listener;
  agpu__run_track *added = agpu__trace_array_add(&run->tracks, sizeof *added);
  if (added)
    *added = (agpu__run_track){track, keep(run, name)};
  else
    run->is_incomplete = true;
}

void agpu__run_begin(agpu__run *run) {
  *run = (agpu__run){.listener = {.begin = begin,
                                  .number = take_number,
                                  .text = take_text,
                                  .arrow = take_arrow,
                                  .track = take_track}};
}

void agpu__run_free(agpu__run *run) {
  for (size_t i = 0; i < run->texts.count; ++i) {
    const piece *of = (const piece *)run->texts.data + i;
    agpu__trace_unmap(of->text, of->bytes);
  }
  agpu__trace_array_free(&run->texts, sizeof(piece));
  agpu__trace_array_free(&run->slices, sizeof(agpu__run_slice));
  agpu__trace_array_free(&run->arrows, sizeof(agpu__run_arrow));
  agpu__trace_array_free(&run->tracks, sizeof(agpu__run_track));
  agpu__trace_array_free(&run->labels, sizeof(agpu__run_label));
  agpu__trace_table_free(&run->by_text);
}
