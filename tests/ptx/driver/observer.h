//===- observer.h - What a profiler is told of ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CUDA driver and CUPTI know each other by ways that are NVIDIA's own. Here,
// the driver exports a function that takes an observer: cupti/fake_cupti.c.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_OBSERVER_H
#define ASYNC_GPU_TESTS_PTX_OBSERVER_H

#include <stdint.h>

typedef enum ptx_activity {
  PTX_NO_ACTIVITY,
  PTX_KERNEL,
  PTX_COPY,
  PTX_FILL,
} ptx_activity;

/// Any thread.
typedef struct ptx_observer {
  /// The calling thread enqueues such work; returns its number, not 0.
  uint32_t (*enqueued)(ptx_activity activity, uint64_t bytes);
  void (*begins)(uint32_t correlation);
  void (*ends)(uint32_t correlation);
} ptx_observer;

/// From now on `by` is told, which must last. Exported.
void ptx_device_observe(const ptx_observer *by);

#endif // ASYNC_GPU_TESTS_PTX_OBSERVER_H
