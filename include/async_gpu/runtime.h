//===- runtime.h - The runtime's life ---------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime starts by itself with the first call that needs it, and ends
// when the process exits. Programs that embed it can configure it before, and
// shut it down when they want to know how things ended.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_H
#define ASYNC_GPU_RUNTIME_H

#include "async_gpu/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum agpu_device_kind {
  AGPU_DEVICE_AUTO = 0, ///< CUDA where a device answers, else emulated
  AGPU_DEVICE_CUDA,
  AGPU_DEVICE_EMU,
} agpu_device_kind;

/// Chooses the driver for this process, as ASYNC_GPU_DEVICE does, which it
/// overrides. INVALID_ARGUMENT once a device is in use.
AGPU_EXPORT agpu_status agpu_runtime_set_device(agpu_device_kind kind);

/// The driver that this process uses or would use: AGPU_DEVICE_CUDA or
/// AGPU_DEVICE_EMU; never AUTO. Starts the driver. The error says why the
/// driver asked for is not available, or that ASYNC_GPU_DEVICE is malformed.
AGPU_EXPORT agpu_status agpu_runtime_get_device(agpu_device_kind *out_kind);

/// Whether all devices of this process reach all memory of the host, so that
/// programs may be compiled for that: `async-gpu-lower{memory=unified}`, which
/// makes no copies of what the compiler places. False for the emulated device
/// where it checks accesses. Starts the driver.
AGPU_EXPORT agpu_status agpu_runtime_get_unified_memory(bool *out_unified);

/// How many multiprocessors the device of this process has that has fewest: of
/// a modelled machine its card's, of the emulated device otherwise the threads
/// that run blocks. For `async-gpu-from-linalg{blocks=...}`, which wants that
/// number or the power of two below. INVALID_ARGUMENT where `out_count` is
/// NULL, else what the driver says. Starts the driver. Any thread.
AGPU_EXPORT agpu_status agpu_runtime_get_multiprocessors(int *out_count);

/// Whether the settings of the environment are well formed: INVALID_ARGUMENT
/// with a line for each that is not. Names that begin with ASYNC_GPU_ and are
/// no setting are written to standard error, as a warning, by the first call in
/// the process. The runtime calls this itself when it starts; where the call
/// that starts it returns no status, the program then ends with the message and
/// exit status 1. Any thread.
AGPU_EXPORT agpu_status agpu_runtime_check_settings(void);

/// Has a trace of the process written to `file` when it ends, as
/// ASYNC_GPU_TRACE does, which it overrides: a dump, which async-gpu-report
/// reads. "%p" in the name is the process's number. What has happened before is
/// not in it, unless that was recorded already. An error where it cannot be
/// written there, or the name does not end in ".trace", unless it is that of a
/// pipe or a device. Before the process has other threads that use the runtime.
AGPU_EXPORT agpu_status agpu_runtime_set_trace(const char *file);

/// Is told when the trace of a process that ends has been written to `path`, by
/// the thread that ends the process. That may be in a signal handler: so it may
/// do what is allowed there. False, after it has said why, turns exit status 0
/// into 1.
typedef bool agpu_trace_handler(const char *path);

/// Has `handler` told in place of the user, for whom a line on standard error
/// names async-gpu-report. NULL: the user is. Any thread.
AGPU_EXPORT void agpu_runtime_set_trace_handler(agpu_trace_handler *handler);

/// From now on traces may begin while the program runs: a call of the device's
/// driver costs a test more. Before a device is in use; work of devices that
/// are in use already is in no such trace.
AGPU_EXPORT void agpu_runtime_allow_traces(void);

/// Records what the process does from now on, until agpu_runtime_end_trace:
/// `file` gets the trace, as with agpu_runtime_set_trace. Should the process
/// end before, it is written then. INVALID_ARGUMENT where a trace is recorded
/// already, or the file cannot be written. One thread at a time; others may use
/// the runtime meanwhile.
AGPU_EXPORT agpu_status agpu_runtime_begin_trace(const char *file);

/// Writes the trace that agpu_runtime_begin_trace has begun, or that with which
/// the process began, and records no more. What still runs is shown as such;
/// work of devices that is not over has no times. INVALID_ARGUMENT where
/// nothing is recorded, or it cannot be written. Likewise.
AGPU_EXPORT agpu_status agpu_runtime_end_trace(void);

/// Waits for all work in flight, on the host and on the device, stops all
/// threads, and gives everything back. The status is the first error that no
/// one has observed, if any (NULL: none). INVALID_ARGUMENT inside a task. No
/// other thread calls the runtime meanwhile, except for this function. Without
/// it the process does the same when it exits, prints such an error, and turns
/// exit status 0 into 1.
///
/// The next call that needs the runtime starts it again, with what the
/// environment says then. Tokens, values and groups of before that are READY or
/// in ERROR can still be asked and released, unless device work belonged to
/// them. All else is gone: such objects, device memory, streams, modules. Where
/// the runtime does not run, there is nothing to do.
AGPU_EXPORT agpu_status agpu_runtime_shutdown(void);

/// Waits until no task runs or is queued and no device has work that a task
/// waits for, or for `timeout_ns` at most; false where it is not so then, as
/// inside a task. For unloading a program's code: a task that has made a
/// token ready is still inside of that code for a moment. What other threads
/// spawn meanwhile is waited for, too. Any thread.
AGPU_EXPORT bool agpu_runtime_settle(int64_t timeout_ns);

/// Objects alive, for tests and leak checks.
typedef struct agpu_runtime_counters {
  int64_t tokens, values, groups; ///< alive now
  int64_t frames;                 ///< coroutine frames alive now
  int64_t streams, events;        ///< lent by their pools now
} agpu_runtime_counters;

AGPU_EXPORT void agpu_runtime_get_counters(agpu_runtime_counters *out_counters);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_RUNTIME_H
