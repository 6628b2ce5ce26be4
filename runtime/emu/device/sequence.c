//===- sequence.c - Sequences of capture ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sequence has the streams that are captured, and its graph; events that were
// recorded last in one remember where. Few at a time, so that lists do.
//
//===----------------------------------------------------------------------===//

#include "emu/device/sequence.h"

#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/device/stream.h"

#include <stdlib.h>

agpu__mutex agpu__emu_captures_lock = AGPU__MUTEX_INIT(AGPU__RANK_EMU_CAPTURES);
agpu__emu_sequence_list agpu__emu_sequences =
    LIST_HEAD_INITIALIZER(agpu__emu_sequences);

void agpu__emu_count_captured(int by) {
  atomic_fetch_add_explicit(&agpu__emu_captured, (unsigned)by,
                            memory_order_acq_rel);
}

agpu__emu_member *agpu__emu_find_member(CUstream stream)
    AGPU__REQUIRES(agpu__emu_captures_lock) {
  agpu__emu_sequence *of;
  agpu__emu_member *at;
  LIST_FOREACH (of, &agpu__emu_sequences, link)
    LIST_FOREACH (at, &of->members, link)
      if (at->stream == stream)
        return at;
  return NULL;
}

bool agpu__emu_add_end(agpu__emu_ends *to, CUgraphNode node) {
  for (size_t i = 0; i < to->count; ++i)
    if (to->nodes[i] == node)
      return true;
  CUgraphNode *grown = realloc(to->nodes, (to->count + 1) * sizeof(*to->nodes));
  if (!grown)
    return false;
  to->nodes = grown;
  to->nodes[to->count++] = node;
  return true;
}

bool agpu__emu_add_ends(agpu__emu_ends *to, const agpu__emu_ends *of) {
  bool fits = true;
  for (size_t i = 0; i < of->count && fits; ++i)
    fits = agpu__emu_add_end(to, of->nodes[i]);
  return fits;
}

agpu__emu_mark_list agpu__emu_marks = LIST_HEAD_INITIALIZER(agpu__emu_marks);

agpu__emu_mark *agpu__emu_find_mark(CUevent event)
    AGPU__REQUIRES(agpu__emu_captures_lock) {
  agpu__emu_mark *at;
  LIST_FOREACH (at, &agpu__emu_marks, link)
    if (at->event == event)
      break;
  return at;
}

void agpu__emu_drop_mark(agpu__emu_mark *old)
    AGPU__REQUIRES(agpu__emu_captures_lock) {
  LIST_REMOVE(old, link);
  free(old->at.nodes);
  free(old);
  agpu__emu_count_captured(-1);
}

void agpu__emu_drop_marks(CUcontext context) {
  for (agpu__emu_mark *at = LIST_FIRST(&agpu__emu_marks), *next; at;
       at = next) {
    next = LIST_NEXT(at, link);
    if (at->context == context)
      agpu__emu_drop_mark(at);
  }
}

CUresult agpu__emu_invalidate(agpu__emu_sequence *of, CUresult result) {
  of->is_invalid = true;
  return result;
}

bool agpu__emu_sequence_join(agpu__emu_sequence *of, CUstream stream,
                             const agpu__emu_ends *next) {
  agpu__emu_member *made = calloc(1, sizeof *made);
  if (!made || !agpu__emu_add_ends(&made->next, next)) {
    free(made);
    return false;
  }
  made->of = of;
  made->stream = stream;
  LIST_INSERT_HEAD(&of->members, made, link);
  return true;
}

void agpu__emu_sequence_leave(agpu__emu_member *old) {
  LIST_REMOVE(old, link);
  free(old->next.nodes);
  free(old);
}

/// Its streams are captured no more. The graph stays.
void agpu__emu_close_sequence(agpu__emu_sequence *of)
    AGPU__REQUIRES(agpu__emu_captures_lock) {
  agpu__emu_mark *at;
  LIST_FOREACH (at, &agpu__emu_marks, link)
    if (at->of == of)
      at->of = NULL;
  while (!LIST_EMPTY(&of->members))
    agpu__emu_sequence_leave(LIST_FIRST(&of->members));
  LIST_REMOVE(of, link);
  free(of);
  agpu__emu_count_captured(-1);
}

void agpu__emu_drop_sequence(agpu__emu_sequence *of)
    AGPU__REQUIRES(agpu__emu_captures_lock) {
  CUgraph graph = of->graph;
  agpu__emu_close_sequence(of);
  (void)agpu__emu_cuGraphDestroy(graph);
}

bool agpu__emu_is_default_held(bool invalidates)
    AGPU__REQUIRES(agpu__emu_captures_lock) {
  agpu__emu_sequence *of;
  agpu__emu_member *at;
  bool found = false;
  LIST_FOREACH (of, &agpu__emu_sequences, link)
    LIST_FOREACH (at, &of->members, link)
      if (of->context == agpu__emu_get_context() &&
          agpu__emu_stream_is_blocking(at->stream)) {
        found = true;
        of->is_invalid |= invalidates;
      }
  return found;
}

agpu__emu_member *agpu__emu_find_open(CUstream stream, CUresult *out_result)
    AGPU__REQUIRES(agpu__emu_captures_lock) {
  *out_result = CUDA_SUCCESS;
  if (agpu__emu_is_default_stream(stream)) {
    // "any attempted use of the legacy stream is invalid"
    if (agpu__emu_is_default_held(true))
      *out_result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    return NULL;
  }
  agpu__emu_member *at = agpu__emu_find_member(stream);
  if (at && at->of->is_invalid) {
    *out_result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    return NULL;
  }
  return at;
}

void agpu__emu_sequence_forget_stream(CUstream stream) {
  agpu__mutex_lock(&agpu__emu_captures_lock);
  agpu__emu_member *at = agpu__emu_find_member(stream);
  agpu__emu_sequence *of = at ? at->of : NULL;
  if (of)
    of->is_invalid = true;
  if (of && of->origin == stream)
    agpu__emu_drop_sequence(of);
  else if (of)
    agpu__emu_sequence_leave(at);
  agpu__mutex_unlock(&agpu__emu_captures_lock);
}

void agpu__emu_sequences_end(CUcontext context) {
  agpu__mutex_lock(&agpu__emu_captures_lock);
  for (agpu__emu_sequence *at = LIST_FIRST(&agpu__emu_sequences), *next; at;
       at = next) {
    next = LIST_NEXT(at, link);
    if (at->context == context)
      agpu__emu_close_sequence(at); // the graph is one of the context's
  }
  agpu__emu_drop_marks(context);
  agpu__mutex_unlock(&agpu__emu_captures_lock);
}
