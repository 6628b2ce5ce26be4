//===- driver_trace.h - The driver's calls, recorded --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_TRACE_DRIVER_TRACE_H
#define ASYNC_GPU_RUNTIME_GPU_TRACE_DRIVER_TRACE_H

#include "gpu/driver/driver.h"

/// Fills `*out_driver` with functions that call `inner`, which must outlive it
/// and has not been started (cuInit), and record in the trace what they do.
/// INVALID_ARGUMENT where ASYNC_GPU_TRACE_CLOCK is malformed. For one driver
/// after the other, of which none is used any more when the next one comes.
agpu_status agpu__driver_load_trace(agpu__driver *out_driver,
                                    const agpu__driver *inner);

/// The driver that is loaded is not recorded, which traces that begin later are
/// to say.
void agpu__driver_without_trace(void);

#endif // ASYNC_GPU_RUNTIME_GPU_TRACE_DRIVER_TRACE_H
