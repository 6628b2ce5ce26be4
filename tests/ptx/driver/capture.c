//===- capture.c - Work that becomes a graph -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is quoted is the manual at cuStreamBeginCapture, cuStreamEndCapture and
// cuThreadExchangeStreamCaptureMode, or the programming guide's section on
// stream capture. Streams and events remember their sequence, which stays in
// memory for good: one that is over is none.
//
//===----------------------------------------------------------------------===//

#include "driver/capture.h"

#include <stdlib.h>

struct ptx_sequence {
  ptx_sequence *next; ///< of all there ever were
  bool is_open, is_invalid;
  bool holds_default; ///< a stream in it waits for the default one
  CUcontext context;
  CUstream origin;
  int mode;
  pthread_t thread; ///< that began it
  CUgraph graph;
};

/// Taken before ptx_lock.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ptx_sequence *sequences;
static _Atomic(bool) has_captured;

static ptx_sequence *sequence_of(CUstream stream) {
  return stream->captured.of && stream->captured.of->is_open
             ? stream->captured.of
             : NULL;
}

static bool is_default(CUstream stream) {
  return stream == stream->context->null_stream;
}

static CUresult invalidate(ptx_sequence *of, CUresult result) {
  of->is_invalid = true;
  return result;
}

/// "any attempted use of the legacy stream is invalid"
static CUresult check_default(CUstream stream) {
  CUresult result = CUDA_SUCCESS;
  for (ptx_sequence *of = sequences; is_default(stream) && of; of = of->next)
    if (of->is_open && of->context == stream->context && of->holds_default)
      result = invalidate(of, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  return result;
}

/// The sequence of the stream; NULL: none, or `out_result` is an error.
static ptx_sequence *find_open(CUstream stream, CUresult *out_result) {
  *out_result = check_default(stream);
  ptx_sequence *of = *out_result ? NULL : sequence_of(stream);
  if (!of || !of->is_invalid)
    return of;
  *out_result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  return NULL;
}

static void add_end(ptx_place *to, CUgraphNode node) {
  for (size_t i = 0; i < to->count; ++i)
    if (to->nodes[i] == node)
      return;
  CUgraphNode *nodes =
      ptx_graph_allocate((to->count + 1) * sizeof(CUgraphNode));
  for (size_t i = 0; i < to->count; ++i)
    nodes[i] = to->nodes[i];
  nodes[to->count++] = node;
  to->nodes = nodes;
}

static void add_ends(ptx_place *to, const ptx_place *of) {
  for (size_t i = 0; i < of->count; ++i)
    add_end(to, of->nodes[i]);
}

static void join(ptx_sequence *of, CUstream stream, const ptx_place *behind) {
  stream->captured = (ptx_place){.of = of};
  if (behind)
    add_ends(&stream->captured, behind);
  of->holds_default |= stream->is_blocking;
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
  CUcontext context;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (result)
    return result;
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL ||
      mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  // "Capture may not be initiated if stream is CU_STREAM_LEGACY."
  if (is_default(stream))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  CUgraph graph;
  pthread_mutex_lock(&lock);
  // "It may only be initiated if the stream is not already in capture mode."
  result =
      sequence_of(stream) ? CUDA_ERROR_ILLEGAL_STATE : cuGraphCreate(&graph, 0);
  if (!result) {
    ptx_sequence *made = ptx_graph_allocate(sizeof *made);
    *made = (ptx_sequence){.next = sequences,
                           .is_open = true,
                           .context = stream->context,
                           .origin = stream,
                           .mode = mode,
                           .thread = pthread_self(),
                           .graph = graph};
    sequences = made;
    join(made, stream, NULL);
    has_captured = true;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

static void mark_behind(CUgraph graph, size_t index, bool *is_before) {
  const struct CUgraphNode_st *node = graph->nodes[index];
  if (is_before[index])
    return;
  is_before[index] = true;
  for (size_t i = 0; i < node->after_count; ++i)
    mark_behind(graph, node->after[i], is_before);
}

/// Whether all of the graph comes before the end of the stream.
static bool is_joined(CUgraph graph, const ptx_place *end) {
  bool *is_before = calloc(graph->count + 1, sizeof *is_before);
  bool result = true;
  if (!is_before)
    abort();
  for (size_t i = 0; i < end->count; ++i)
    mark_behind(graph, end->nodes[i]->index, is_before);
  for (size_t i = 0; i < graph->count; ++i)
    result &= is_before[i];
  free(is_before);
  return result;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  CUcontext context;
  CUresult result = ptx_enter_stream(&context, &stream);
  if (result)
    return result;
  if (!graph)
    return CUDA_ERROR_INVALID_VALUE;
  *graph = NULL;
  pthread_mutex_lock(&lock);
  ptx_sequence *of = sequence_of(stream);
  if (!of)
    result = CUDA_ERROR_ILLEGAL_STATE;
  else if (of->origin != stream)
    result = invalidate(of, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  else if (of->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
           !pthread_equal(of->thread, pthread_self()))
    result = invalidate(of, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  if (!result) {
    // "If capture was invalidated, due to a violation of the rules of stream
    // capture, then a NULL graph will be returned."
    result = of->is_invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
             : is_joined(of->graph, &stream->captured)
                 ? CUDA_SUCCESS
                 : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    of->is_open = false;
    if (result)
      (void)cuGraphDestroy(of->graph);
    else
      *graph = of->graph;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

//===----------------------------------------------------------------------===//
// What is captured
//===----------------------------------------------------------------------===//

bool ptx_capture(CUstream stream, ptx_add_function *add, const void *of,
                 CUresult *out_result) {
  if (!has_captured || ptx_performs(stream))
    return false;
  pthread_mutex_lock(&lock);
  ptx_sequence *in = find_open(stream, out_result);
  if (in) {
    CUgraphNode node;
    ptx_place *at = &stream->captured;
    *out_result = add(&node, in->graph, at->nodes, at->count, of);
    at->count = 0;
    if (*out_result)
      in->is_invalid = true;
    else
      add_end(at, node);
    if (!*out_result && node->kind != CHILD && node->kind != HOST)
      node->context = stream->context;
  }
  pthread_mutex_unlock(&lock);
  return in || *out_result;
}

bool ptx_capture_record(CUevent event, CUstream stream, CUresult *out_result) {
  if (!has_captured)
    return false;
  pthread_mutex_lock(&lock);
  ptx_sequence *of = find_open(stream, out_result);
  if (!*out_result)
    event->captured = (ptx_place){.of = of};
  if (of)
    add_ends(&event->captured, &stream->captured);
  pthread_mutex_unlock(&lock);
  return of || *out_result;
}

/// The stream, which is in the sequence `at` or in none, waits for an event
/// that was recorded in one.
static CUresult wait_for(ptx_sequence *at, CUstream stream,
                         const ptx_place *to) {
  ptx_sequence *of = to->of;
  if (!of->is_open)
    return at ? invalidate(at, CUDA_ERROR_STREAM_CAPTURE_ISOLATION)
              : CUDA_ERROR_CAPTURED_EVENT;
  if (at && at != of) {
    at->is_invalid = true;
    return invalidate(of, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  if (of->is_invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (is_default(stream))
    return invalidate(of, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  if (stream->context != of->context)
    return invalidate(of, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  if (at)
    add_ends(&stream->captured, to);
  else
    join(of, stream, to);
  return CUDA_SUCCESS;
}

bool ptx_capture_wait(CUstream stream, CUevent event, CUresult *out_result) {
  if (!has_captured || ptx_performs(stream))
    return false;
  pthread_mutex_lock(&lock);
  ptx_sequence *at = find_open(stream, out_result);
  const ptx_place *to = event->captured.of ? &event->captured : NULL;
  if (to && !*out_result)
    *out_result = wait_for(at, stream, to);
  else if (at) // "invalid to wait on a non-captured event"
    *out_result = invalidate(at, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  pthread_mutex_unlock(&lock);
  return at || to || *out_result;
}

//===----------------------------------------------------------------------===//
// What a capture forbids
//===----------------------------------------------------------------------===//

static _Thread_local int own_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

CUresult cuThreadExchangeStreamCaptureMode(int *mode) {
  CUresult result = ptx_enter();
  if (result)
    return result;
  if (!mode || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL ||
      *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  int before = own_mode;
  own_mode = *mode;
  *mode = before;
  return CUDA_SUCCESS;
}

/// "If the local thread has an ongoing capture sequence that was not initiated
/// with RELAXED, or if any other thread has a concurrent capture sequence
/// initiated with GLOBAL", where the thread's own mode is GLOBAL; of that, the
/// latter is allowed where it is THREAD_LOCAL, and all where it is RELAXED.
static CUresult check_unsafe(void) {
  CUresult result = CUDA_SUCCESS;
  for (ptx_sequence *of = sequences; of; of = of->next)
    if (of->is_open && own_mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
        (pthread_equal(of->thread, pthread_self())
             ? of->mode != CU_STREAM_CAPTURE_MODE_RELAXED
             : own_mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                   of->mode == CU_STREAM_CAPTURE_MODE_GLOBAL))
      result = invalidate(of, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  return result;
}

CUresult ptx_enter_unsafe(CUcontext *out_context) {
  CUresult result = ptx_enter_context(out_context);
  if (result || !has_captured)
    return result;
  pthread_mutex_lock(&lock);
  result = check_unsafe();
  pthread_mutex_unlock(&lock);
  return result;
}

CUresult ptx_capture_await_stream(CUstream stream) {
  if (!has_captured)
    return CUDA_SUCCESS;
  CUresult result;
  pthread_mutex_lock(&lock);
  ptx_sequence *of = find_open(stream, &result);
  if (of)
    result = invalidate(of, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  else if (!result)
    result = check_unsafe();
  pthread_mutex_unlock(&lock);
  return result;
}

CUresult ptx_capture_await_event(CUevent event) {
  if (!has_captured)
    return CUDA_SUCCESS;
  pthread_mutex_lock(&lock);
  ptx_sequence *of = event->captured.of;
  CUresult result = of ? CUDA_ERROR_CAPTURED_EVENT : check_unsafe();
  if (of)
    of->is_invalid = true;
  pthread_mutex_unlock(&lock);
  return result;
}

void ptx_capture_forget_stream(CUstream stream) {
  pthread_mutex_lock(&lock);
  ptx_sequence *of = sequence_of(stream);
  if (of)
    of->is_invalid = true;
  if (of && of->origin == stream) {
    of->is_open = false;
    (void)cuGraphDestroy(of->graph);
  }
  stream->captured = (ptx_place){0};
  pthread_mutex_unlock(&lock);
}

void ptx_capture_forget_event(CUevent event) {
  pthread_mutex_lock(&lock);
  event->captured = (ptx_place){0};
  pthread_mutex_unlock(&lock);
}
