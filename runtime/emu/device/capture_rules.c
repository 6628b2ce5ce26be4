//===- capture_rules.c - What a capture forbids, and what it tells --------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The modes are those of cuThreadExchangeStreamCaptureMode in the driver's
// manual. Which calls are "potentially unsafe" it does not list: here it is
// those that allocate and free at once, load and unload code, and wait or ask
// for work.
//
//===----------------------------------------------------------------------===//

#include "emu/device/sequence.h"

#include "base/os/self.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/result.h"
#include "emu/device/stream.h"

CUresult agpu__emu_cuThreadExchangeStreamCaptureMode(int *mode) {
  CUresult result = agpu__emu_enter_driver();
  if (result)
    return result;
  if (!mode || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL ||
      *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  int before = agpu__self.emu.capture_mode;
  agpu__self.emu.capture_mode = *mode;
  *mode = before;
  return CUDA_SUCCESS;
}

/// Whether the sequence forbids the calling thread what is unsafe: "If the
/// local thread has an ongoing capture sequence that was not initiated with
/// RELAXED, or if any other thread has a concurrent capture sequence initiated
/// with GLOBAL".
static bool forbids(const agpu__emu_sequence *of) {
  int mode = agpu__self.emu.capture_mode;
  if (mode == CU_STREAM_CAPTURE_MODE_RELAXED)
    return false;
  return pthread_equal(of->thread, pthread_self())
             ? of->mode != CU_STREAM_CAPTURE_MODE_RELAXED
             : mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                   of->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

/// Of an unsafe call.
static CUresult check_unsafe(void) AGPU__REQUIRES(agpu__emu_captures_lock) {
  CUresult result = CUDA_SUCCESS;
  agpu__emu_sequence *of;
  LIST_FOREACH (of, &agpu__emu_sequences, link)
    if (forbids(of))
      result = agpu__emu_invalidate(of, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  if (result)
    agpu__emu_note("a call that a graph would not repeat, while the thread's "
                   "mode or the sequence's forbids it");
  return result;
}

CUresult agpu__emu_sequence_check_unsafe(void) {
  agpu__mutex_lock(&agpu__emu_captures_lock);
  CUresult result = check_unsafe();
  agpu__mutex_unlock(&agpu__emu_captures_lock);
  return result;
}

CUresult agpu__emu_sequence_await_stream(CUstream stream) {
  CUresult result;
  agpu__mutex_lock(&agpu__emu_captures_lock);
  agpu__emu_member *at = agpu__emu_find_open(stream, &result);
  if (at)
    result =
        agpu__emu_invalidate(at->of, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  else if (!result)
    result = check_unsafe();
  agpu__mutex_unlock(&agpu__emu_captures_lock);
  return result;
}

CUresult agpu__emu_sequence_await_context(void) {
  agpu__mutex_lock(&agpu__emu_captures_lock);
  CUresult result = check_unsafe();
  agpu__emu_sequence *of;
  LIST_FOREACH (of, &agpu__emu_sequences, link)
    if (of->context == agpu__emu_get_context())
      result = agpu__emu_invalidate(of, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  agpu__mutex_unlock(&agpu__emu_captures_lock);
  return result;
}

CUresult agpu__emu_sequence_await_event(CUevent event) {
  agpu__mutex_lock(&agpu__emu_captures_lock);
  agpu__emu_mark *at = agpu__emu_find_mark(event);
  CUresult result = at ? CUDA_ERROR_CAPTURED_EVENT : check_unsafe();
  if (at && at->of)
    at->of->is_invalid = true;
  agpu__mutex_unlock(&agpu__emu_captures_lock);
  return result;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// "The blocking stream capture is not invalidated."
static CUresult enter_question(CUstream stream)
    AGPU__REQUIRES(agpu__emu_captures_lock) {
  return agpu__emu_is_default_stream(stream) && agpu__emu_is_default_held(false)
             ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
             : CUDA_SUCCESS;
}

static int status_of(const agpu__emu_member *at) {
  return !at                  ? CU_STREAM_CAPTURE_STATUS_NONE
         : at->of->is_invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                              : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult agpu__emu_cuStreamGetCaptureInfo_v2(CUstream stream, int *status,
                                             uint64_t *id, CUgraph *graph,
                                             const CUgraphNode **dependencies,
                                             size_t *count) {
  CUresult result = agpu__emu_enter_stream(stream);
  if (result)
    return result;
  if (!status)
    return CUDA_ERROR_INVALID_VALUE;
  agpu__mutex_lock(&agpu__emu_captures_lock);
  const agpu__emu_member *at = agpu__emu_find_member(stream);
  result = enter_question(stream);
  *status = status_of(at);
  bool is_active = *status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (is_active && id)
    *id = at->of->id;
  if (is_active && graph)
    *graph = at->of->graph;
  if (is_active && dependencies)
    *dependencies = at->next.nodes;
  if (is_active && count)
    *count = at->next.count;
  agpu__mutex_unlock(&agpu__emu_captures_lock);
  return result;
}

CUresult agpu__emu_cuStreamGetCaptureInfo(CUstream stream, int *status,
                                          uint64_t *id) {
  return agpu__emu_cuStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL,
                                             NULL);
}

CUresult agpu__emu_cuStreamIsCapturing(CUstream stream, int *status) {
  return agpu__emu_cuStreamGetCaptureInfo_v2(stream, status, NULL, NULL, NULL,
                                             NULL);
}

CUresult agpu__emu_cuStreamUpdateCaptureDependencies(CUstream stream,
                                                     CUgraphNode *nodes,
                                                     size_t count,
                                                     unsigned int flags) {
  CUresult result = agpu__emu_enter_stream(stream);
  if (result)
    return result;
  if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (count && !nodes))
    return CUDA_ERROR_INVALID_VALUE;
  agpu__mutex_lock(&agpu__emu_captures_lock);
  agpu__emu_member *at = agpu__emu_find_open(stream, &result);
  // "Returns CUDA_ERROR_ILLEGAL_STATE if the stream is not capturing."
  if (!at && !result)
    result = CUDA_ERROR_ILLEGAL_STATE;
  for (size_t i = 0; i < count && !result; ++i) {
    const agpu__emu_node *node = agpu__emu_node_find(nodes[i]);
    if (!node || node->graph != agpu__emu_graph_find(at->of->graph))
      result = CUDA_ERROR_INVALID_VALUE;
  }
  if (!result && flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
    at->next.count = 0;
  for (size_t i = 0; i < count && !result; ++i)
    if (!agpu__emu_add_end(&at->next, nodes[i]))
      result = CUDA_ERROR_OUT_OF_MEMORY;
  agpu__mutex_unlock(&agpu__emu_captures_lock);
  return result;
}
