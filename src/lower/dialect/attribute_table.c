//===- attribute_table.c - Where attributes stand and what they say -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row an attribute. Those of programs are first, then those of host code,
// in the order in which a program meets them, then those of kernels.
//
//===----------------------------------------------------------------------===//

#include "lower/dialect/attributes.h"

#include "lower/ir/symbols.h"

#define UNIT AGPU__ATTRIBUTE_UNIT
#define BOOL AGPU__ATTRIBUTE_BOOL
#define NUMBER AGPU__ATTRIBUTE_NUMBER
#define WORD AGPU__ATTRIBUTE_WORD
#define NAME AGPU__ATTRIBUTE_NAME
#define NAMES AGPU__ATTRIBUTE_NAMES
#define SYMBOLS AGPU__ATTRIBUTE_SYMBOLS
#define I32S AGPU__ATTRIBUTE_I32S
#define I64S AGPU__ATTRIBUTE_I64S
#define KERNEL {"gpu.func", "llvm.func"}

// clang-format off
const agpu__attribute agpu__attributes[] = {
    // What programs say.
    {AGPU__CAPTURE_ATTR, true, WORD,
     {AGPU__CAPTURE_THREAD_LOCAL, AGPU__CAPTURE_RELAXED, AGPU__CAPTURE_NEVER},
     {"func.call", "func.func"},
     "Whether what a call with `async_gpu.enqueue` enqueues may be captured as "
     "part of a graph, and how ([graphs.md](graphs.md#calls-of-libraries)); on "
     "a declaration, for all calls that do not say. `async-gpu-regions` reads "
     "it."},
    {AGPU__DEVICE_ATTR, true, NUMBER, {NULL},
     {"async.execute", "async.func", "func.func"},
     "The device that it works on. `async-gpu-regions` and `async-gpu-devices` "
     "read it ([gpu-host.md](gpu-host.md))."},
    {AGPU__ENQUEUE_ATTR, true, UNIT, {NULL}, {"func.call", "func.func"},
     "The call enqueues work on the region's stream, which the callee finds "
     "with `agpu_stream_current`. The plan, `async-gpu-failures` and "
     "`async-gpu-parallel` read it, `async-gpu-stream-calls` removes it."},
    {AGPU__GRAPHS_ATTR, true, WORD, {"off", "on", "auto"}, {NULL},
     "On a loop or a function: whether what repeats in it becomes graphs "
     "([graphs.md](graphs.md)). `async-gpu-graphs` reads and removes it."},
    {AGPU__NON_BLOCKING, true, UNIT, {NULL}, {"func.func"},
     "Calls of the function in regions suspend: `async-gpu-non-blocking` makes "
     "it so, and removes it. On a declaration: the function does not block, so "
     "that regions that call it may start in their spawner."},
    {AGPU__OBSERVES_ATTR, true, BOOL, {NULL}, {NULL},
     "Whether the op may observe what the device does; on a function, whether "
     "all calls of it may. The plan reads it."},
    {AGPU__PRIORITY_ATTR, true, AGPU__ATTRIBUTE_PRIORITY, {NULL},
     {"async.execute", "agpu.stream_acquire"},
     "The priority of the device work of the region and of regions in it that "
     "have none of their own: 0 is the default, less is more urgent "
     "([gpu-host.md](gpu-host.md#priorities)). `async-gpu-regions` reads it, "
     "`async-gpu-stream-calls` what that has left."},
    // Of the module.
    {AGPU__ABI_ATTR, false, WORD, {AGPU__ABI_OWN, AGPU__ABI_UPSTREAM},
     {"builtin.module"},
     "The runtime that the program will run on. The first pass with the option "
     "`abi` writes it, `async-gpu-check-lowered` removes it."},
    {AGPU__ALIKE_ATTR, false, UNIT, {NULL}, {"builtin.module"},
     "Kernels that are alike may be one. From `async-gpu-map-linalg` to "
     "`async-gpu-share-kernels`."},
    {AGPU__EXPORTS_ATTR, false, AGPU__ATTRIBUTE_EXPORTS, {NULL}, {"builtin.module"},
     "What is called by the address of its values: of each function its name, "
     "its symbol, how many parameters each argument has in the LLVM dialect, "
     "and how many results there are. A program that embeds the compiler writes "
     "it, for the JIT."},
    {AGPU__TRACE_ATTR, false, UNIT, {NULL}, {"builtin.module"},
     "Regions that run in place tell traces of it. Written by "
     "`async-gpu-runtime-calls{trace}`, read when code is made."},
    {AGPU__UNIFIED_ATTR, false, UNIT, {NULL},
     {"builtin.module", "func.func", "async.func"},
     "Launches are given memory of the host as it is, which devices have to "
     "reach. From `async-gpu-place-data{memory=unified}` to "
     "`async-gpu-host-memory`, `async-gpu-kernel-facts` and "
     "`async-gpu-embed-kernels`."},
    // What the plan and later passes decide.
    {AGPU__KIND_ATTR, false, WORD,
     {AGPU__KIND_HOST, AGPU__KIND_DEVICE, AGPU__KIND_MIXED},
     {"async.execute", "async.func"},
     "The region holds no GPU op, GPU ops and what cannot observe them, or "
     "both. From `async-gpu-regions` to `async-gpu-coroutines`."},
    {AGPU__REGION_ATTR, false, NUMBER, {NULL},
     {"async.execute", "async.func", "func.func", "llvm.func"},
     "The region's number in [the plan](plan.md). `async-gpu-form-regions` "
     "writes it for what it remarks, `async-gpu-regions` for all; "
     "`async-gpu-outline` names functions by it, and traces have it."},
    {AGPU__STREAM_ATTR, false, NUMBER, {NULL},
     {"async.execute", "async.func", "func.func", "llvm.func"},
     "The number of its stream there, if it has one."},
    {AGPU__HOW_ATTR, false, WORD,
     {AGPU__WAIT_EVENT, AGPU__WAIT_STREAM, AGPU__WAIT_LAST, AGPU__WAIT_NONE},
     {"agpu.stream_wait", "agpu.stream_depend"},
     "How the stream comes to wait; without it by an event, where the work is "
     "on another stream. From `async-gpu-regions` to `async-gpu-stream-calls`."},
    {AGPU__GRAPH_ATTR, false, UNIT, {NULL},
     {"agpu.stream_acquire", "async.add_to_group",
      "async.runtime.add_to_group"},
     "It may stand in a part that becomes a graph. From `async-gpu-graphs` to "
     "`async-gpu-runtime-calls`."},
    {AGPU__START_ATTR, false, WORD,
     {AGPU__START_EXECUTOR, AGPU__START_SPAWNER, AGPU__START_EITHER,
      AGPU__START_READY},
     {"async.func"},
     "Where a region of kind `host` starts; without it on the executor. From "
     "`async-gpu-starts` to `async-gpu-coroutines`."},
    {AGPU__FAILS_ATTR, false, UNIT, {NULL}, {"func.func"},
     "It can fail: its first result is a token that then has the error. From "
     "`async-gpu-parallel` and `async-gpu-failures` to `async-gpu-coroutines`."},
    {AGPU__CHECKED_ATTR, false, UNIT, {NULL},
     {"memref.alloc", "memref.alloca", "memref.realloc"},
     "What follows depends on whether there was memory. From `async-gpu-starts` "
     "and `async-gpu-coroutines` to `async-gpu-check-sizes`."},
    {AGPU__SHARD_OP_ATTR, false, WORD,
     {"exchange", "reduce", "shard_agree", "shard_open", "shard_rank",
      "shard_size"},
     {"func.func"},
     "The op of the dialect `agpu` that calls of it become. From "
     "`async-gpu-shard` to `async-gpu-shard-messages`."},
    {AGPU__SHARD_NUMBERS_ATTR, false, I64S, {NULL}, {"func.func"},
     "That op's `numbers`."},
    {AGPU__SHARD_AXES_ATTR, false, I64S, {NULL}, {NULL},
     "Along which axes the op's loops are split, and behind these the dimension "
     "of the result that is scattered or -1, while `async-gpu-shard` "
     "rewrites a function."},
    // What async-gpu-coroutines leaves.
    {AGPU__RESULT_ATTR, false, UNIT, {NULL}, {"async.runtime.create"},
     "Of a coroutine's result: its caller has the one reference that is "
     "counted, the coroutine the producer's, which goes when it completes the "
     "object. Read by `async-gpu-reference-counts`."},
    {AGPU__TASK_ATTR, false, UNIT, {NULL}, {"async.runtime.create"},
     "The first of these lies in one piece of memory with the frame, as the "
     "coroutine always begins on the executor. Read by "
     "`async-gpu-runtime-calls`."},
    {AGPU__RESULTS_ATTR, false, NUMBER, {NULL},
     {"func.func", "func.call", "async.runtime.resume"},
     "So many first arguments are results that the function completes in that "
     "way, so many objects, the last that were created, the coroutine. Read by "
     "`async-gpu-reference-counts` and `async-gpu-runtime-calls`."},
    {AGPU__AWAITED_ATTR, false, NUMBER, {NULL}, {"func.call"},
     "The call takes place once so many operands, after the results, are "
     "ENQUEUED; if one is in error, its results are, and it does not. Read by "
     "`async-gpu-runtime-calls`."},
    {AGPU__BRIEF_ATTR, false, UNIT, {NULL},
     {"async.runtime.resume", "agpu.resume_after"},
     "The coroutine takes a moment. Read by `async-gpu-runtime-calls`."},
    {AGPU__SUSPENSION_ATTR, false, NUMBER, {NULL},
     {"async.coro.suspend", "llvm.intr.coro.suspend"},
     "No other one in the function has that number, so that no two blocks that "
     "suspend are alike."},
    // Of kernels.
    {AGPU__CONVENTION_ATTR, false, WORD,
     {AGPU__CONVENTION_BARE, AGPU__CONVENTION_DESCRIPTORS},
     {"builtin.module"},
     "How kernels take memrefs. The first pass with the option "
     "`bare-pointers` writes it, `async-gpu-stream-calls` removes it."},
    {AGPU__FRESH_ATTR, false, I32S, {NULL}, KERNEL,
     "Arguments that are allocations of the device, and so aligned. From "
     "`async-gpu-kernel-facts`, like the next three, to "
     "`async-gpu-kernel-targets`, which makes LLVM's attributes of them."},
    {AGPU__SIZED_ATTR, false, I32S, {NULL}, KERNEL,
     "Those of them that are known to have a number of bytes."},
    {AGPU__BYTES_ATTR, false, I64S, {NULL}, KERNEL,
     "That number, for each in `agpu.sized`."},
    {AGPU__APART_ATTR, false, I32S, {NULL}, KERNEL,
     "Arguments that no other argument is a view of."},
    {AGPU__ALIKE_TO, false, NAME, {NULL}, KERNEL,
     "The kernel, as `agpu.name` has it, whose body this one shares, with other "
     "constants. From `async-gpu-kernel-targets` to `async-gpu-native-share`."},
    {AGPU__ALIKE_CONSTANTS, false, SYMBOLS, {NULL}, KERNEL,
     "The constants of a kernel that shares a body, in the body's order."},
    {AGPU__AS_WRITTEN_ATTR, false, UNIT, {NULL},
     {"llvm.atomicrmw", "llvm.cmpxchg"},
     "Written in the kernel so, with an order that stays."},
    {AGPU__WHOLE_SHUFFLE, false, UNIT, {NULL}, {"gpu.shuffle"},
     "Only lanes below its width execute it."},
    {AGPU__TARGET, false, WORD, {AGPU__TARGET_PTX, AGPU__TARGET_NATIVE},
     {"gpu.module"},
     "What it is for. From `async-gpu-kernel-targets`, like the next two, to "
     "`async-gpu-embed-kernels`."},
    {AGPU__SOURCE_MODULE, false, NAME, {NULL}, {"gpu.module"},
     "What the program's module is called."},
    {AGPU__KERNEL_NAME, false, NAME, {NULL}, KERNEL,
     "What the program's kernel is called."},
    {AGPU__IMAGE_NAME, false, NAME, {NULL}, KERNEL,
     "What the kernel is called in images: a name that PTX can spell."},
    {AGPU__KERNEL_POINTERS, false, I64S, {NULL}, KERNEL,
     "Parameters that are addresses, six numbers each: parameter, argument, "
     "kind, alignment, bytes of an element, offset. From "
     "`async-gpu-kernels-to-nvvm` to `async-gpu-embed-kernels`."},
    {AGPU__CHIPS_ATTR, false, NAMES, {NULL}, {"gpu.module"},
     "The chips that PTX is made for. From `async-gpu-kernel-targets`, like the "
     "next two, to `async-gpu-embed-kernels`."},
    {AGPU__PTX_VERSIONS_ATTR, false, I32S, {NULL}, {"gpu.module"},
     "The version of PTX for each of them."},
    {AGPU__TOOLKIT_ATTR, false, NAME, {NULL}, {"gpu.module"},
     "The folder of the CUDA toolkit; empty: none."},
    {AGPU__SIMT_UNSUPPORTED, false, AGPU__ATTRIBUTE_TWO_NAMES, {NULL}, {"llvm.func"},
     "What the emulated device cannot do and the function does, and where. "
     "Launches report it. Inside of `async-gpu-native-legalize`."},
    {AGPU__SIMT_CHECKED, false, UNIT, {NULL}, {"gpu.module"},
     "Accesses are checked. From `async-gpu-native-shared-memory`, like the "
     "next, to `async-gpu-native-loops`."},
    {AGPU__SIMT_COUNTED, false, UNIT, {NULL}, {"gpu.module"},
     "What kernels do is counted."},
    {AGPU__SIMT_SHARED_BYTES, false, NUMBER, {NULL}, {"llvm.func"},
     "The shared memory of a kernel. From `async-gpu-native-shared-memory` to "
     "`async-gpu-embed-kernels`."},
    {AGPU__SIMT_MOST_SHARED, false, NUMBER, {NULL}, {"llvm.func"},
     "The most that a launch of it may have. From `async-gpu-kernel-targets` to "
     "`async-gpu-embed-kernels`."},
    {AGPU__SIMT_OFFSET, false, NUMBER, {NULL}, {"llvm.mlir.global"},
     "Where it is in shared memory. From `async-gpu-native-shared-memory`, like "
     "the next two, to `async-gpu-native-context`."},
    {AGPU__SIMT_DYNAMIC, false, UNIT, {NULL}, {"llvm.mlir.global"},
     "It is the shared memory whose size a launch gives."},
    {AGPU__SIMT_SHARED_ACCESS, false, UNIT, {NULL}, {NULL},
     "It accesses shared memory."},
    {AGPU__SIMT_ATOMIC, false, UNIT, {NULL}, {"llvm.store"},
     "It is half of an atomic operation on shared memory. From "
     "`async-gpu-native-shared-memory` to `async-gpu-native-loops`."},
    {AGPU__SIMT_CONTEXT, false, NUMBER, {NULL}, {"llvm.func"},
     "So many parameters come before its context. From "
     "`async-gpu-native-context` to `async-gpu-native-block`."},
    {AGPU__SIMT_ENDS_THREAD, false, UNIT, {NULL}, {"llvm.unreachable"},
     "The thread ends here, others go on. From `async-gpu-native-context` to "
     "`async-gpu-native-coroutines`."},
    {AGPU__SIMT_SITES, false, NUMBER, {NULL}, {"gpu.module"},
     "So many places in it have a number at run time. From "
     "`async-gpu-native-loops` to `async-gpu-native-coroutines`."},
    {AGPU__SIMT_THREADS, false, WORD,
     {AGPU__SIMT_LOOPS, AGPU__SIMT_CALLS, AGPU__SIMT_COROUTINES},
     {"llvm.func"},
     "How the threads of a block are run: by loops in the body, or by a call of "
     "it for each, which may suspend. From `async-gpu-native-loops` and "
     "`async-gpu-native-coroutines` to `async-gpu-native-block`."},
    {AGPU__SIMT_PARAM_SIZES, false, I32S, {NULL}, {"llvm.func"},
     "The bytes of each parameter of the kernel that this function runs a block "
     "of. From `async-gpu-native-block` to `async-gpu-embed-kernels`."},
    {AGPU__SIMT_UNIFORM, false, UNIT, {NULL}, {NULL},
     "All threads of a block have the same result. "
     "`async-gpu-native-uniformity` shows it, and the next two."},
    {AGPU__SIMT_DIVERGENT, false, UNIT, {NULL}, {NULL},
     "Threads go different ways at this end of a block."},
    {AGPU__SIMT_VARYING, false, I32S, {NULL}, {NULL},
     "Arguments of this block that threads have different values of."},
    {AGPU__PTX_ATTR, false, NAME, {NULL}, {"llvm.mlir.global"},
     "It is the PTX of that module, from `async-gpu-embed-kernels`."},
    {AGPU__CUBIN_ATTR, false, NAME, {NULL}, {"llvm.mlir.global"},
     "The same, a cubin."},
    {AGPU__NATIVE_IMAGE_ATTR, false, NAME, {NULL}, {"llvm.mlir.global"},
     "The same, native code."},
    {AGPU__STRING, false, UNIT, {NULL}, {"llvm.mlir.global"},
     "It is a text of messages or names, which all uses of that text share."},
    {AGPU__HIDDEN_ATTR, false, NAME, {NULL}, {"func.call"},
     "The op of messages that it stands for while `async-gpu-bufferize` runs."},
    {AGPU__HIDDEN_ATTRIBUTES, false, AGPU__ATTRIBUTE_DICTIONARY, {NULL},
     {"func.call"},
     "That op's attributes."},
};
// clang-format on

const size_t agpu__attribute_count = AGPU__COUNT(agpu__attributes);
