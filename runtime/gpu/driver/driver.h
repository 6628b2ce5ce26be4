//===- driver.h - The device driver as a table --------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of the functions of driver_api/functions.h, as a library exports them
// that is opened at run time (loader.c): libcuda, or the emulated device's.
// Above it, `name` and what follows it are all that tells one from the other.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_DRIVER_DRIVER_H
#define ASYNC_GPU_RUNTIME_GPU_DRIVER_DRIVER_H

#include "async_gpu/compiled/kernel.h"
#include "async_gpu/runtime.h"
#include "async_gpu/status.h"
#include "base/os/self.h"
#include "driver_api/extension.h"
#include "driver_api/functions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Devices of a driver that are used, at most, so that a set of them is a word.
#define AGPU__MAX_DEVICES 64

/// Says which op the calling thread's next calls of the driver are for, so that
/// the emulated device can name it.
static inline void agpu__driver_set_origin(const agpu__op_name *op) {
  agpu__thread_self *self = &agpu__self;
  self->gpu.what = op->what;
  self->gpu.kernel = op->kernel;
  self->gpu.location = op->location;
  self->gpu.is_silent = op->is_silent;
}
static inline agpu__op_name agpu__driver_get_origin(void) {
  const agpu__thread_self *self = &agpu__self;
  return (agpu__op_name){self->gpu.what, self->gpu.kernel, self->gpu.location,
                         self->gpu.is_silent};
}

/// Says what the host functions touch that the calling thread enqueues next,
/// which the emulated device cannot see. The ranges must live until this is
/// called again, with none.
void agpu__driver_set_touched(const agpu__host_range *ranges, size_t count);

/// The driver. Tables are constant once filled and may be used by any thread.
typedef struct agpu__driver {
  const char *name;               ///< "cuda" or "emu"
  agpu_image_format image_format; ///< what cuModuleLoadDataEx takes
  /// Of the emulated device's library; NULL: the driver has none.
  const agpu__emu_extension *extension;
  const struct agpu__driver *guarded; ///< of a gate: what is behind it, or NULL
#define AGPU__FIELD(need, name, symbol, parameters, arguments)                 \
  CUresult(*name) parameters;
  AGPU__DRIVER_FUNCTIONS(AGPU__FIELD)
#undef AGPU__FIELD
} agpu__driver;

/// What the driver looks at (agpu__emu_extension).
static inline bool agpu__driver_checks_memory(const agpu__driver *driver) {
  return driver->extension && driver->extension->checks_memory;
}

/// Fills `*out_driver` from the library of that kind, which is opened where
/// that has not been done, and stays so until the process ends. NOT_FOUND where
/// there is none, UNSUPPORTED where it lacks functions (the message names them,
/// and what to do), INVALID_ARGUMENT where a setting of the emulated device is
/// malformed. Not AUTO. One thread at a time.
agpu_status agpu__driver_load(agpu_device_kind kind, agpu__driver *out_driver);

/// The extension of the driver that was loaded last; NULL: it has none. Any
/// thread.
const agpu__emu_extension *agpu__driver_get_extension(void);

/// What the runtime tells the emulated device.
extern const agpu__emu_client agpu__driver_client;

/// Has the functions that native kernels call (async_gpu/compiled/native_*.h)
/// done by what `find` gives for their names. Before a module is loaded.
void agpu__native_calls_set(void *(*find)(void *library, const char *name),
                            void *library);

/// Fills `*out_driver` with functions that call `inner`, which must outlive
/// it, and write each call to the log.
void agpu__driver_load_log(agpu__driver *out_driver, const agpu__driver *inner);

/// Fills `*out_driver` with functions that call `inner`, which must outlive it,
/// until agpu__driver_gate_close. From then on they return
/// CUDA_ERROR_DEINITIALIZED.
void agpu__driver_load_gate(agpu__driver *out_driver,
                            const agpu__driver *inner);

/// Fills `*out_driver` with functions that call `inner`, which must outlive it
/// and has not been started (cuInit), and record in the trace what they do.
/// INVALID_ARGUMENT where ASYNC_GPU_TRACE_CLOCK is malformed. For one driver
/// after the other, of which none is used any more when the next one comes.
agpu_status agpu__driver_load_trace(agpu__driver *out_driver,
                                    const agpu__driver *inner);

/// The driver that is loaded is not recorded, which traces that begin later are
/// to say.
void agpu__driver_without_trace(void);

/// Around what is no call, but uses what is the driver's, such as memory that
/// it has allocated. False after the gate once it is closed: it may be gone,
/// and there is nothing to leave. Any thread.
bool agpu__driver_gate_enter(void);
void agpu__driver_gate_leave(void);

/// For the end of a process that fails: no other thread makes a call of the
/// driver any more when this returns, and none is in one. The calling thread
/// may go on to. False where a call is not over in `timeout_ns`. Once.
bool agpu__driver_gate_close(int64_t timeout_ns);

/// A status for a cuInit that failed: what it gave and, for CUDA, what can be
/// done. NOT_FOUND where there is no device.
agpu_status agpu__driver_start_error(const agpu__driver *driver,
                                     CUresult result);

/// A status for a failed call: "<what>: CUDA_ERROR_X: text". `what` in printf
/// form says what was being done; where the error is that of earlier work, the
/// text says so.
agpu_status agpu__driver_error(const agpu__driver *driver, CUresult result,
                               const char *location, const char *what, ...)
    __attribute__((format(printf, 4, 5)));

/// The result of the driver's call that the status is of, or where it is of
/// none, the one that comes next to it. Takes over `status`, which may be NULL.
CUresult agpu__driver_take_result(agpu_status status);

/// A status for work on the device that failed, of which `last` was enqueued
/// last; without `what` that is not known.
agpu_status agpu__driver_work_error(const agpu__driver *driver, CUresult result,
                                    const agpu__op_name *last);

/// A status for a call that failed and is about an event behind `last`: `what`
/// was being done, or that work has failed.
agpu_status agpu__driver_event_error(const agpu__driver *driver,
                                     CUresult result, const agpu__op_name *last,
                                     const char *what);

#endif // ASYNC_GPU_RUNTIME_GPU_DRIVER_DRIVER_H
