//===- capture.h - Work that becomes a graph --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_DRIVER_CAPTURE_H
#define ASYNC_GPU_TESTS_PTX_DRIVER_CAPTURE_H

#include "driver/graph.h"

/// Adds the node of what a call says that `of` is.
typedef CUresult ptx_add_function(CUgraphNode *node, CUgraph graph,
                                  const CUgraphNode *after, size_t count,
                                  const void *of);

/// Before work goes on the stream: true where it is captured, or may not be
/// used now; then `out_result` is the call's.
bool ptx_capture(CUstream stream, ptx_add_function *add, const void *of,
                 CUresult *out_result);

/// The same of a record of the event, and of a wait for it.
bool ptx_capture_record(CUevent event, CUstream stream, CUresult *out_result);
bool ptx_capture_wait(CUstream stream, CUevent event, CUresult *out_result);

/// ptx_enter_context for calls that do something at once which no graph does
/// again: an error where they may not.
CUresult ptx_enter_unsafe(CUcontext *out_context);
/// The same for calls that wait for a stream or an event, or ask of it.
CUresult ptx_capture_await_stream(CUstream stream);
CUresult ptx_capture_await_event(CUevent event);

/// No function of the runtime's table.
CUresult cuThreadExchangeStreamCaptureMode(int *mode);

/// They are about to be destroyed.
void ptx_capture_forget_stream(CUstream stream);
void ptx_capture_forget_event(CUevent event);

#endif // ASYNC_GPU_TESTS_PTX_DRIVER_CAPTURE_H
