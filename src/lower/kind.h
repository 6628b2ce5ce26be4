//===- kind.h - The kind of a region -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_KIND_H
#define ASYNC_GPU_LOWER_KIND_H

/// On async.execute and, once outlined, on async.func: "host", "device" or
/// "mixed". async-gpu-regions writes it, async-gpu-coroutines acts on it.
#define AGPU__KIND_ATTR "async_gpu.kind"

/// On async.execute, async.func and func.func: the number of the device that it
/// works on, an i32 that is not negative. async-gpu-regions checks it,
/// async-gpu-outline hands it on, async-gpu-devices acts on it.
#define AGPU__DEVICE_ATTR "async_gpu.device"

#endif // ASYNC_GPU_LOWER_KIND_H
