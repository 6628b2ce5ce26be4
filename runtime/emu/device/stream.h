//===- stream.h - Queues and their threads ---------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream is known to programs by its handle (handle.h). What a handle stood
// for stays there until the stream's ops are done.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_STREAM_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_STREAM_H

#include "emu/device/op.h"

/// Appends `op` (taken over on every path) to the stream with that handle,
/// giving it a thread when it has none. INVALID_HANDLE where there is no such
/// stream, or another context is current; only waiting for events is allowed
/// from everywhere.
CUresult agpu__emu_stream_append(CUstream stream, agpu__emu_op *op);

/// The same, or captures it.
CUresult agpu__emu_stream_enqueue(CUstream stream, agpu__emu_op *op);

/// What a call that is about a stream needs: agpu__emu_enter, and a stream of
/// the current context.
CUresult agpu__emu_enter_stream(CUstream stream);

/// A stream of the device's own, which no count has, and its end; whether it
/// and the default stream wait for each other, and a priority that there is.
CUresult agpu__emu_stream_begin(CUstream *out, bool is_blocking, int priority);
CUresult agpu__emu_stream_end(CUstream stream);

/// Before it ends: the default stream of its context, if that is current, has
/// yet to wait for its work.
void agpu__emu_stream_leave(CUstream stream);

/// Whether it has done all it holds, the default stream also what it would wait
/// for; the host relies on it then. INVALID_HANDLE: there is no such stream.
CUresult agpu__emu_stream_is_idle(CUstream stream, bool *out_idle);

/// Whether it and the default stream wait for each other. It is a stream.
bool agpu__emu_stream_is_blocking(CUstream stream);

/// Priorities go from 0 to this, the greatest. It is a stream.
#define AGPU__EMU_GREATEST_PRIORITY (-5)
int agpu__emu_stream_priority(CUstream stream);

/// The context of the stream with that handle; NULL: there is no such stream.
CUcontext agpu__emu_stream_context(CUstream stream);

/// Has the calling thread, which waits until is_done(of), run what no thread
/// has begun with of that stream, if there is one. It holds no lock.
void agpu__emu_stream_run_here(CUstream stream, bool (*is_done)(void *of),
                               void *of);

/// Waits until all streams have done what they hold now; those of a context.
void agpu__emu_streams_wait(void);
void agpu__emu_streams_wait_of(CUcontext context);

/// The same for the current context, as a driver may do in a call that does not
/// promise it: no order comes of it.
void agpu__emu_streams_stall(void);

/// Waits for the streams of the context and destroys those that are left;
/// after the last one, joins the threads.
void agpu__emu_streams_end(CUcontext context, bool is_last);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_STREAM_H
