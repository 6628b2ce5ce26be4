//===- enqueue.h - Work that is recorded --------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_GPU_GRAPH_ENQUEUE_H
#define ASYNC_GPU_RUNTIME_GPU_GRAPH_ENQUEUE_H

#include "gpu/driver/driver.h"

/// Fills `*out_driver` with the recording driver's functions, and with those of
/// `inner` for all that neither streams nor events are told of.
void agpu__record_fill_driver(agpu__driver *out_driver,
                              const agpu__driver *inner);

#endif // ASYNC_GPU_RUNTIME_GPU_GRAPH_ENQUEUE_H
