//===- capture_events.c - Events of a capture -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An event that is recorded in a sequence is a place in its graph, and who
// waits for it comes behind that: as long as the sequence goes on. Then the
// event is of no use until it is recorded again.
//
//===----------------------------------------------------------------------===//

#include "emu/device/sequence.h"

#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/result.h"
#include "emu/device/stream.h"

#include <stdlib.h>

bool agpu__emu_sequence_record(CUevent event, CUstream stream,
                               CUresult *out_result) {
  agpu__mutex_lock(&agpu__emu_captures_lock);
  agpu__emu_member *at = agpu__emu_find_open(stream, out_result);
  agpu__emu_mark *old = agpu__emu_find_mark(event);
  if (old && !*out_result)
    agpu__emu_drop_mark(old);
  if (at) {
    agpu__emu_mark *made = calloc(1, sizeof *made);
    if (made && agpu__emu_add_ends(&made->at, &at->next)) {
      made->event = event;
      made->context = at->of->context;
      made->of = at->of;
      LIST_INSERT_HEAD(&agpu__emu_marks, made, link);
      agpu__emu_count_captured(1);
    } else {
      free(made);
      *out_result = agpu__emu_invalidate(at->of, CUDA_ERROR_OUT_OF_MEMORY);
    }
  }
  agpu__mutex_unlock(&agpu__emu_captures_lock);
  return at || *out_result;
}

/// The stream of the sequence (NULL: it is in none yet) waits for the mark.
static CUresult wait_for(agpu__emu_member *at, CUstream stream,
                         const agpu__emu_mark *to) {
  agpu__emu_sequence *of = to->of;
  if (!at && !of)
    return CUDA_ERROR_CAPTURED_EVENT;
  if (at && !of)
    return agpu__emu_invalidate(at->of, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  if (at && at->of != of) {
    at->of->is_invalid = true;
    return agpu__emu_invalidate(of, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  if (of->is_invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (agpu__emu_is_default_stream(stream))
    return agpu__emu_invalidate(of, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  if (agpu__emu_stream_context(stream) != of->context) {
    agpu__emu_note("the emulated device captures streams of one context");
    return agpu__emu_invalidate(of, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  bool fits = at ? agpu__emu_add_ends(&at->next, &to->at)
                 : agpu__emu_sequence_join(of, stream, &to->at);
  return fits ? CUDA_SUCCESS
              : agpu__emu_invalidate(of, CUDA_ERROR_OUT_OF_MEMORY);
}

bool agpu__emu_sequence_wait(CUstream stream, CUevent event,
                             CUresult *out_result) {
  agpu__mutex_lock(&agpu__emu_captures_lock);
  agpu__emu_member *at = agpu__emu_find_open(stream, out_result);
  const agpu__emu_mark *to = agpu__emu_find_mark(event);
  if (to && !*out_result)
    *out_result = wait_for(at, stream, to);
  else if (at) // "invalid to wait on a non-captured event"
    *out_result =
        agpu__emu_invalidate(at->of, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  agpu__mutex_unlock(&agpu__emu_captures_lock);
  return at || to || *out_result;
}

void agpu__emu_sequence_forget_event(CUevent event) {
  agpu__mutex_lock(&agpu__emu_captures_lock);
  agpu__emu_mark *old = agpu__emu_find_mark(event);
  if (old)
    agpu__emu_drop_mark(old);
  agpu__mutex_unlock(&agpu__emu_captures_lock);
}
