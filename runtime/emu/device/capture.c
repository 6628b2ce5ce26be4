//===- capture.c - Work that becomes a graph ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are those of "Stream capture" in CUDA's programming guide and of
// the driver's manual at cuStreamBeginCapture and cuStreamEndCapture.
//
//===----------------------------------------------------------------------===//

#include "emu/device/sequence.h"

#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/result.h"
#include "emu/device/conditional.h"
#include "emu/device/stream.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

static uint64_t ids AGPU__GUARDED_BY(agpu__emu_captures_lock);

static const agpu__emu_capture_table table = {
    .check_unsafe = agpu__emu_sequence_check_unsafe,
    .work = agpu__emu_sequence_work,
    .record = agpu__emu_sequence_record,
    .wait = agpu__emu_sequence_wait,
    .launch = agpu__emu_sequence_launch,
    .is_captured = agpu__emu_sequence_has,
    .await_stream = agpu__emu_sequence_await_stream,
    .await_context = agpu__emu_sequence_await_context,
    .await_event = agpu__emu_sequence_await_event,
    .forget_stream = agpu__emu_sequence_forget_stream,
    .forget_event = agpu__emu_sequence_forget_event,
    .end = agpu__emu_sequences_end};

CUresult agpu__emu_cuStreamBeginCapture(CUstream stream, int mode) {
  CUresult result = agpu__emu_enter_stream(stream);
  if (result)
    return result;
  if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL ||
      mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  if (agpu__emu_is_default_stream(stream)) {
    agpu__emu_note("the default stream cannot be captured");
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  agpu__emu_sequence *made = calloc(1, sizeof *made);
  CUgraph graph = NULL;
  const agpu__emu_ends none = {0};
  agpu__mutex_lock(&agpu__emu_captures_lock);
  // "it may only be initiated if the stream is not already in capture mode"
  if (agpu__emu_find_member(stream))
    result = CUDA_ERROR_ILLEGAL_STATE;
  else if (!made || agpu__emu_cuGraphCreate(&graph, 0) ||
           !agpu__emu_sequence_join(made, stream, &none))
    result = CUDA_ERROR_OUT_OF_MEMORY;
  if (!result) {
    made->id = ++ids;
    made->context = agpu__emu_get_context();
    made->origin = stream;
    made->mode = mode;
    made->thread = pthread_self();
    made->graph = graph;
    agpu__emu_graph_find(graph)->is_captured = true;
    LIST_INSERT_HEAD(&agpu__emu_sequences, made, link);
    if (!agpu__emu_capturing.work)
      agpu__emu_capturing = table;
    agpu__emu_count_captured(1);
  }
  agpu__mutex_unlock(&agpu__emu_captures_lock);
  if (result && graph)
    (void)agpu__emu_cuGraphDestroy(graph);
  if (result)
    free(made);
  return result;
}

/// Whether each stream's last work comes before the end of the first stream.
static bool is_joined(const agpu__emu_sequence *of,
                      const agpu__emu_member *origin) {
  const agpu__emu_graph *graph = agpu__emu_graph_find(of->graph);
  bool *is_before = calloc(graph->count + 1, sizeof *is_before);
  bool result = is_before;
  for (size_t i = 0; result && i < origin->next.count; ++i)
    is_before[agpu__emu_node_find(origin->next.nodes[i])->index] = true;
  for (size_t i = graph->count; result && i-- > 0;)
    for (size_t k = 0; is_before[i] && k < graph->nodes[i]->dependency_count;
         ++k)
      is_before[graph->nodes[i]->dependencies[k]] = true;
  const agpu__emu_member *at;
  if (result)
    LIST_FOREACH (at, &of->members, link)
      for (size_t i = 0; i < at->next.count; ++i)
        result &= is_before[agpu__emu_node_find(at->next.nodes[i])->index];
  free(is_before);
  return result;
}

CUresult agpu__emu_cuStreamEndCapture(CUstream stream, CUgraph *out) {
  CUresult result = agpu__emu_enter_stream(stream);
  if (result)
    return result;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = NULL;
  agpu__mutex_lock(&agpu__emu_captures_lock);
  agpu__emu_member *at = agpu__emu_find_member(stream);
  agpu__emu_sequence *of = at ? at->of : NULL;
  if (!of)
    result = CUDA_ERROR_ILLEGAL_STATE;
  else if (of->origin != stream)
    result = agpu__emu_invalidate(of, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  else if (of->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
           !pthread_equal(of->thread, pthread_self()))
    result = agpu__emu_invalidate(of, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  if (!result) {
    // "If capture was invalidated, due to a violation of the rules of stream
    // capture, then a NULL graph will be returned."
    if (of->is_invalid)
      result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (!is_joined(of, at))
      result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    else
      *out = of->graph;
    if (result)
      agpu__emu_drop_sequence(of);
    else
      agpu__emu_close_sequence(of);
  }
  agpu__mutex_unlock(&agpu__emu_captures_lock);
  return result;
}

//===----------------------------------------------------------------------===//
// What is captured
//===----------------------------------------------------------------------===//

static void drop_node(agpu__emu_node *of) {
  if (of->op)
    agpu__emu_op_free(of->op);
  if (of->child)
    agpu__emu_graph_release(of->child);
}

bool agpu__emu_sequence_work(CUstream stream, agpu__emu_node of,
                             CUresult *out_result) {
  agpu__mutex_lock(&agpu__emu_captures_lock);
  agpu__emu_member *at = agpu__emu_find_open(stream, out_result);
  if (at) {
    CUgraphNode node;
    of.context = of.child || of.op->kind == AGPU__EMU_OP_HOST
                     ? NULL
                     : agpu__emu_stream_context(stream);
    *out_result =
        agpu__emu_graph_add(agpu__emu_graph_find(at->of->graph), at->next.nodes,
                            at->next.count, of, &node);
    at->next.count = 0;
    if (!*out_result && !agpu__emu_add_end(&at->next, node))
      *out_result = CUDA_ERROR_OUT_OF_MEMORY;
    if (*out_result)
      at->of->is_invalid = true;
  } else if (*out_result) {
    drop_node(&of);
  }
  agpu__mutex_unlock(&agpu__emu_captures_lock);
  return at || *out_result;
}

bool agpu__emu_sequence_has(CUstream stream) {
  agpu__mutex_lock(&agpu__emu_captures_lock);
  bool result = agpu__emu_find_member(stream);
  agpu__mutex_unlock(&agpu__emu_captures_lock);
  return result;
}

bool agpu__emu_sequence_launch(CUstream stream, agpu__emu_exec *of,
                               CUresult *out_result) {
  if (!agpu__emu_sequence_has(stream)) {
    agpu__mutex_lock(&agpu__emu_captures_lock);
    (void)agpu__emu_find_open(stream, out_result);
    agpu__mutex_unlock(&agpu__emu_captures_lock);
    return *out_result;
  }
  if (agpu__emu_graph_has_memory(of->list.graph) ||
      agpu__emu_graph_has_conditions(of->list.graph)) {
    agpu__emu_note("a graph that allocates, frees or has conditions is no "
                   "child of another");
    *out_result = CUDA_ERROR_NOT_SUPPORTED;
    return true;
  }
  agpu__emu_graph *child = agpu__emu_graph_of_exec(of);
  if (!child) {
    *out_result = CUDA_ERROR_OUT_OF_MEMORY;
    return true;
  }
  return agpu__emu_sequence_work(stream, (agpu__emu_node){.child = child},
                                 out_result);
}
