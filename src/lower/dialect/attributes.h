//===- attributes.h - What passes and programs say of ops -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attributes through which host code is known from pass to pass: each with
// its values, its writer and its readers. Those that a program may have are
// in docs/async.md and docs/passes.md.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_ATTRIBUTES_H
#define ASYNC_GPU_LOWER_ATTRIBUTES_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>

//===----------------------------------------------------------------------===//
// Of the module
//===----------------------------------------------------------------------===//

/// Which runtime the program will run on: AGPU__ABI_OWN or AGPU__ABI_UPSTREAM.
/// The first pass that has the option `abi` writes it, the others read it
/// (pass/abi.c), and async-gpu-check-lowered takes it away.
#define AGPU__ABI_ATTR "async_gpu.abi"
#define AGPU__ABI_OWN "async-gpu"
#define AGPU__ABI_UPSTREAM "upstream"

/// What is called from outside by the address of its values: an array with an
/// array for each such function, of the name it is known by, the function's
/// symbol, how many parameters each argument has in the LLVM dialect, and how
/// many results there are. A program that embeds the compiler writes it before
/// the program is lowered (host/native/exports.c), and the jit reads it.
#define AGPU__EXPORTS_ATTR "async_gpu.exports"

/// A unit attribute, on the module and on its functions of host code: launches
/// in them are given memory of the host as it is, so that a device has to reach
/// that. Written by async-gpu-place-data{memory=unified}, read by
/// async-gpu-host-memory, async-gpu-kernel-facts and async-gpu-embed-kernels.
#define AGPU__UNIFIED_ATTR "async_gpu.unified_memory"

/// A unit attribute: kernels that are alike may be one, as those of a model's
/// layers, which nobody has named. Written by async-gpu-map-linalg, read by
/// async-gpu-share-kernels.
#define AGPU__ALIKE_ATTR "async_gpu.alike_kernels"

/// A unit attribute: regions that run in place tell traces of it. Written by
/// async-gpu-runtime-calls{trace}, read when code is made
/// (host/native/region_names.c).
#define AGPU__TRACE_ATTR "async_gpu.trace"

//===----------------------------------------------------------------------===//
// What the program says
//===----------------------------------------------------------------------===//

/// On a func.call: it enqueues work on the region's stream, which the callee
/// finds with agpu_stream_current. The plan, async-gpu-failures and
/// async-gpu-parallel read it, and async-gpu-stream-calls takes it away.
#define AGPU__ENQUEUE_ATTR "async_gpu.enqueue"

/// On a loop or a function, by the user: whether what repeats in it becomes
/// graphs ("off", "on" or "auto").
#define AGPU__GRAPHS_ATTR "async_gpu.graphs"

/// Unit, on agpu.stream_acquire and async.add_to_group: it may stand in a part
/// that becomes a graph.
#define AGPU__GRAPH_ATTR "async_gpu.in_graph"

/// On a func.func (unit), by the user or a program that embeds the compiler:
/// calls of it in regions suspend. async-gpu-non-blocking sees to that, and
/// takes it away. On a declaration, by the user: the function does not block,
/// so that regions that call it may start in their spawner (async-gpu-starts).
#define AGPU__NON_BLOCKING "async_gpu.non_blocking"

/// On any op that accesses memory or does not, a boolean: whether it may
/// observe what the device does. On a function it says so of all calls. The
/// plan reads it.
#define AGPU__OBSERVES_ATTR "async_gpu.observes"

/// On async.execute, async.func and func.func: the number of the device that it
/// works on, an i32 that is not negative. async-gpu-regions checks it,
/// async-gpu-outline hands it on, async-gpu-devices acts on it and takes it
/// away.
#define AGPU__DEVICE_ATTR "async_gpu.device"

//===----------------------------------------------------------------------===//
// What the plan decides
//===----------------------------------------------------------------------===//

/// On async.execute and, once outlined, on async.func: the region holds no GPU
/// op, GPU ops and what cannot observe them, or both. async-gpu-regions writes
/// it; async-gpu-starts, async-gpu-devices and async-gpu-coroutines read it.
#define AGPU__KIND_ATTR "async_gpu.kind"
#define AGPU__KIND_HOST "host"
#define AGPU__KIND_DEVICE "device"
#define AGPU__KIND_MIXED "mixed"

/// On async.execute and async.func, and the functions that these become: the
/// number of the region, an i64 that no other one of the module has, which
/// remarks, pictures, traces and profiles call it by. async-gpu-form-regions
/// writes it, for what its remarks say, and the plan (gpu/plan/plan.h) keeps
/// it; async-gpu-regions writes it for all others, async-gpu-outline names
/// functions by it, and host/native/region_names.c hands it to traces.
#define AGPU__REGION_ATTR "async_gpu.region"

/// On the same, where it has a stream: the number of that in the plan, an i64.
#define AGPU__STREAM_ATTR "async_gpu.stream"

/// `to` is code of the region that `from` is, too.
void agpu__set_same_region(MlirOperation to, MlirOperation from);

/// On agpu.stream_wait and agpu.stream_depend: how the stream comes to wait;
/// without it, or with AGPU__WAIT_EVENT, by an event where the object's work is
/// on another stream. async-gpu-regions writes it, async-gpu-coroutines hands
/// it on, async-gpu-stream-calls reads it.
#define AGPU__HOW_ATTR "how"
#define AGPU__WAIT_EVENT "event"
/// By reusing the other region's stream.
#define AGPU__WAIT_STREAM "stream"
/// The same, and nobody else ever waits for the object.
#define AGPU__WAIT_LAST "last"
/// It does already, as what it waits for besides depends on this.
#define AGPU__WAIT_NONE "none"

/// On an async.func that is a region of kind "host": where it starts; without
/// it on the executor. async-gpu-starts writes it, async-gpu-coroutines reads
/// it.
#define AGPU__START_ATTR "async_gpu.start"
#define AGPU__START_EXECUTOR "executor"
/// In its spawner: until it first suspends it does next to nothing.
#define AGPU__START_SPAWNER "spawner"
/// In its spawner, where that has spawned enough for the other threads.
#define AGPU__START_EITHER "either"
/// The same, of one that only awaits its operands and does not spawn: if these
/// are READY it is no coroutine there. Does not leave async-gpu-starts.
#define AGPU__START_READY "ready"

/// On a func.func (unit): part of a parallel loop that can fail, or a function
/// that regions call and that can. Its first result is a token: what fails in
/// it is the token's error, and it ends there. async-gpu-parallel and
/// async-gpu-failures write it, async-gpu-coroutines acts on it and takes it
/// away.
#define AGPU__FAILS_ATTR "async_gpu.fails"

/// On a memref.alloc, .alloca or .realloc (unit): what follows depends on
/// whether there was memory. async-gpu-starts and async-gpu-coroutines write
/// it, async-gpu-check-sizes takes it away.
#define AGPU__CHECKED_ATTR "async_gpu.checked"

//===----------------------------------------------------------------------===//
// What async-gpu-coroutines leaves
//===----------------------------------------------------------------------===//

/// On the async.runtime.create of a coroutine's result (unit): its caller has
/// the object's one reference that is counted, and the coroutine the
/// producer's, which goes when it completes the object.
/// async-gpu-reference-counts reads it.
#define AGPU__RESULT_ATTR "async_gpu.result"

/// On the first of these, where the coroutine always begins on the executor
/// (unit): it lies in one piece of memory with the frame.
/// async-gpu-runtime-calls reads it.
#define AGPU__TASK_ATTR "async_gpu.task"

/// On a func.func: so many first arguments are results that it completes, in
/// the same way; and on the func.call of it, which takes no reference of these.
/// async-gpu-reference-counts reads it, async-gpu-runtime-calls takes it away.
/// On async.runtime.resume: the coroutine completes so many objects, which are
/// the last that were created; async-gpu-runtime-calls reads it.
#define AGPU__RESULTS_ATTR "async_gpu.results"

/// On a func.call: it takes place once so many operands, after the results,
/// are ENQUEUED; if one of them is in error, its results are, and it does not.
/// async-gpu-runtime-calls reads it.
#define AGPU__AWAITED_ATTR "async_gpu.awaited"

/// On async.runtime.resume and agpu.resume_after (unit): the coroutine takes a
/// moment (host/async/brief.h). async-gpu-runtime-calls reads it.
#define AGPU__BRIEF_ATTR "brief"

/// On async.coro.suspend and llvm.intr.coro.suspend: a number that no other one
/// in the function has, so that no two blocks that suspend are alike
/// (host/async/coroutine.c). async-gpu-runtime-calls hands it on; nothing reads
/// it.
#define AGPU__SUSPENSION_ATTR "async_gpu.suspension"

//===----------------------------------------------------------------------===//
// Those that are one of several words
//===----------------------------------------------------------------------===//

/// Whether `value` is a word that attribute `name`, one of AGPU__KIND_ATTR,
/// AGPU__START_ATTR and AGPU__HOW_ATTR, may be.
bool agpu__is_word(MlirAttribute value, const char *name);

/// Fails with a diagnostic at `op` where it has attribute `name` and that is
/// none of its words.
MlirLogicalResult agpu__check_word(MlirOperation op, const char *name);

#endif // ASYNC_GPU_LOWER_ATTRIBUTES_H
