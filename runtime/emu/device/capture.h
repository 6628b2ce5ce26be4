//===- capture.h - Work that becomes a graph -------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a stream is captured, what is enqueued there becomes nodes of a graph,
// each behind those that the stream's next one depends on. Another stream joins
// by waiting for an event that was recorded there. A call that would connect
// what is captured with what is not is refused, and so is, by the thread's mode
// and the sequence's, one whose effect no graph would repeat; either
// invalidates the sequences that it is about, until they are ended.
//
// Any thread. As long as nothing is captured, and no event remembers that it
// was, each of these is one load.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_CAPTURE_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_CAPTURE_H

#include "emu/base/context.h"
#include "emu/device/graph.h"

/// What the functions below do, which capture.c says before there is anything
/// that they would have to do.
typedef struct agpu__emu_capture_table {
  CUresult (*check_unsafe)(void);
  bool (*work)(CUstream stream, agpu__emu_node of, CUresult *out_result);
  bool (*record)(CUevent event, CUstream stream, CUresult *out_result);
  bool (*wait)(CUstream stream, CUevent event, CUresult *out_result);
  bool (*launch)(CUstream stream, agpu__emu_exec *of, CUresult *out_result);
  bool (*is_captured)(CUstream stream);
  CUresult (*await_stream)(CUstream stream);
  CUresult (*await_context)(void);
  CUresult (*await_event)(CUevent event);
  void (*forget_stream)(CUstream stream);
  void (*forget_event)(CUevent event);
  void (*end)(CUcontext context);
} agpu__emu_capture_table;

/// Sequences, and events that were recorded last in one. Release and acquire:
/// who sees any sees the table.
extern atomic_uint agpu__emu_captured;
extern agpu__emu_capture_table agpu__emu_capturing;

static inline bool agpu__emu_captures_any(void) {
  return __builtin_expect(
      atomic_load_explicit(&agpu__emu_captured, memory_order_acquire) != 0, 0);
}

/// agpu__emu_enter for calls that a capture may forbid: "potentially unsafe API
/// calls", which do something at once that no graph does again.
static inline CUresult agpu__emu_enter_unsafe(void) {
  CUresult result = agpu__emu_enter();
  return result || !agpu__emu_captures_any()
             ? result
             : agpu__emu_capturing.check_unsafe();
}

/// Before work goes on `stream`, one of the current context: true where that is
/// captured, or may not be used now; then `*out_result` is the call's, and what
/// `of` has is taken over.
static inline bool agpu__emu_capture(CUstream stream, agpu__emu_node of,
                                     CUresult *out_result) {
  return agpu__emu_captures_any() &&
         agpu__emu_capturing.work(stream, of, out_result);
}

/// The same for a record of `event`, a wait for it, and the launch of an
/// executable graph.
static inline bool agpu__emu_capture_record(CUevent event, CUstream stream,
                                            CUresult *out_result) {
  return agpu__emu_captures_any() &&
         agpu__emu_capturing.record(event, stream, out_result);
}
static inline bool agpu__emu_capture_wait(CUstream stream, CUevent event,
                                          CUresult *out_result) {
  return agpu__emu_captures_any() &&
         agpu__emu_capturing.wait(stream, event, out_result);
}
static inline bool agpu__emu_capture_launch(CUstream stream, agpu__emu_exec *of,
                                            CUresult *out_result) {
  return agpu__emu_captures_any() &&
         agpu__emu_capturing.launch(stream, of, out_result);
}

/// Whether what is enqueued there would be captured, or refused.
static inline bool agpu__emu_is_captured(CUstream stream) {
  return agpu__emu_captures_any() && agpu__emu_capturing.is_captured(stream);
}

/// Before the host waits for a stream, for all of the current context, or for
/// an event, or asks of it: an error where it may not.
static inline CUresult agpu__emu_capture_await_stream(CUstream stream) {
  return agpu__emu_captures_any() ? agpu__emu_capturing.await_stream(stream)
                                  : CUDA_SUCCESS;
}
static inline CUresult agpu__emu_capture_await_context(void) {
  return agpu__emu_captures_any() ? agpu__emu_capturing.await_context()
                                  : CUDA_SUCCESS;
}
static inline CUresult agpu__emu_capture_await_event(CUevent event) {
  return agpu__emu_captures_any() ? agpu__emu_capturing.await_event(event)
                                  : CUDA_SUCCESS;
}

/// They are about to be destroyed; so is all of the context.
static inline void agpu__emu_capture_forget_stream(CUstream stream) {
  if (agpu__emu_captures_any())
    agpu__emu_capturing.forget_stream(stream);
}
static inline void agpu__emu_capture_forget_event(CUevent event) {
  if (agpu__emu_captures_any())
    agpu__emu_capturing.forget_event(event);
}
static inline void agpu__emu_captures_end(CUcontext context) {
  if (agpu__emu_captures_any())
    agpu__emu_capturing.end(context);
}

/// A graph that does what the executable one does. NULL: out of memory.
agpu__emu_graph *agpu__emu_graph_of_exec(const agpu__emu_exec *of);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_CAPTURE_H
