//===- kind.h - What is known of a region -*- C -*-===//
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

/// On async.execute and, once outlined, on async.func, where one is not
/// AGPU__WAIT_EVENT: an array with a string for each operand of the region
/// (they are the function's first arguments), how its stream comes to be behind
/// that. async-gpu-regions writes it, async-gpu-streams acts on it.
#define AGPU__WAITS_ATTR "async_gpu.waits"

/// By an event, where the operand's work is on another stream.
#define AGPU__WAIT_EVENT "event"
/// By going on on the other region's stream.
#define AGPU__WAIT_STREAM "stream"
/// The same, and nobody else ever waits for the operand.
#define AGPU__WAIT_LAST "last"
/// It is already, as another operand's work is behind this one's.
#define AGPU__WAIT_NONE "none"

/// On agpu.stream_wait and agpu.stream_depend: one of these; none is the first.
#define AGPU__HOW_ATTR "how"

/// On an async.func that is a region of kind "host": where it starts.
/// async-gpu-starts writes it, async-gpu-coroutines acts on it.
#define AGPU__START_ATTR "async_gpu.start"

/// On the executor; so without the attribute.
#define AGPU__START_EXECUTOR "executor"
/// In whoever spawns it: until it first suspends it does next to nothing.
#define AGPU__START_SPAWNER "spawner"
/// In whoever spawns it, where that has spawned enough for the other threads.
#define AGPU__START_EITHER "either"

#endif // ASYNC_GPU_LOWER_KIND_H
