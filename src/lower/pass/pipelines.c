//===- pipelines.c - Named pipelines --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole way, `async-gpu-lower`, and its first part. Its options are those
// of its passes under longer names.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/pass.h"

//===----------------------------------------------------------------------===//
// async-gpu-plan
//===----------------------------------------------------------------------===//

// clang-format off
#define SEQUENTIAL_OPTIONS                                                     \
  {"sequential", AGPU_OPTION_BOOL, "false",                                    \
   "Place memory of the host that kernels are given, and form regions, of "    \
   "functions that have no token of their own."},                              \
  {"noalias-arguments", AGPU_OPTION_BOOL, "false",                             \
   "With sequential: take it that no two memref arguments of a function are "  \
   "the same memory, nor a global."},                                          \
  AGPU__MEMORY_OPTION,                                                         \
  {"host-region-ops", AGPU_OPTION_INT, "100000",                               \
   "With sequential: how many ops of the host a region has to hold to be "     \
   "worth one."},                                                              \
  {"device-region-ops", AGPU_OPTION_INT, "500000",                             \
   "With sequential: the same of a kernel, in ops of all its threads; on a "    \
   "GPU, unless ranks exchange messages, in an eighth of them, and of 32,768 " \
   "threads where it has fewer."},                                             \
  {"device", AGPU_OPTION_WORD, "gpu|emu",                                      \
   "With sequential: what regions are for: gpu, or emu for the emulated "      \
   "device, which shares the host's CPUs."}
// clang-format on

static const char plan_text[] =
    "async-gpu-bufferize,"
    "async-gpu-check-input,"
    "async-gpu-mpi{abi=<abi> remarks=<remarks>},"
    "async-gpu-kernel-globals,"
    "[sequential:expand-realloc,func.func(lower-affine),"
    "async-gpu-place-data{noalias-arguments=<noalias-arguments> "
    "memory=<memory> remarks=<remarks>},]"
    "async-gpu-host-memory,"
    "async-gpu-non-blocking{all=<non-blocking>},"
    "gpu-kernel-outlining,"
    "async-gpu-merge-kernels,"
    "[share-kernels:async-gpu-share-kernels,]"
    "async-gpu-tensor-maps,"
    "[sequential:async-gpu-form-regions{noalias-arguments=<noalias-arguments> "
    "host-region-ops=<host-region-ops> device-region-ops=<device-region-ops> "
    "device=<device> remarks=<remarks>},]"
    "async-gpu-kernel-facts,"
    "async-gpu-loops,"
    "async-gpu-token-chains,"
    "async-gpu-regions{reuse-streams=<reuse-streams> remarks=<remarks>}";

static const agpu_pass_option plan_options[] = {
    SEQUENTIAL_OPTIONS,
    AGPU__ABI_OPTION,
    {"non-blocking", AGPU_OPTION_BOOL, "false",
     "Make every function that awaits non-blocking, not only those with the "
     "attribute async_gpu.non_blocking."},
    {"reuse-streams", AGPU_OPTION_BOOL, "true",
     "Let a region that is the only successor of its only predecessor reuse "
     "its stream, without an event."},
    {"share-kernels", AGPU_OPTION_BOOL, "true",
     "Make one kernel of those that are alike."},
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Emit what was decided about each region, its stream, its dependencies "
     "and its waits, as remarks."},
};

const agpu_pipeline agpu__pipeline_plan = {
    .argument = "async-gpu-plan",
    .summary = "Lower async and gpu to regions with streams",
    AGPU__OPTIONS(plan_options),
    .text = plan_text,
};

//===----------------------------------------------------------------------===//
// async-gpu-lower
//===----------------------------------------------------------------------===//

/// From async and gpu to functions with branches, from there to calls, and to
/// the LLVM dialect. async-gpu-check-accesses looks at accesses that are in
/// that and functions that are not. Kernels that are alike have places in the
/// source of their own.
static const char lower_text[] =
    "async-gpu-plan{sequential=<sequential> "
    "noalias-arguments=<noalias-arguments> memory=<memory> "
    "host-region-ops=<host-region-ops> device-region-ops=<device-region-ops> "
    "device=<device> abi=<abi> non-blocking=<non-blocking> "
    "reuse-streams=<reuse-streams> "
    "[check-accesses:share-kernels=false ]"
    "[gpu-count:share-kernels=false ]"
    "[gpu-line-info:share-kernels=false ]"
    "remarks=<remarks>},"
    "async-gpu-failures{abi=<abi>},"
    "async-gpu-parallel{abi=<abi> remarks=<remarks>},"
    "async-gpu-outline,"
    "async-gpu-devices,"
    "async-gpu-graphs{graphs=<graphs> remarks=<remarks>},"
    "async-gpu-kernels{chip=<gpu-chip> features=<gpu-features> "
    "format=<gpu-format> targets=<gpu-targets> opt-level=<gpu-opt-level> "
    "line-info=<gpu-line-info> math=<gpu-math> toolkit={<gpu-toolkit>} "
    "check-accesses=<check-accesses> count=<gpu-count> "
    "native-threads=<gpu-native-threads> "
    "bare-pointers=<gpu-bare-pointers>},"
    "async-gpu-memory-spaces,"
    "async-gpu-branches,"
    "async-gpu-box-unranked,"
    "async-gpu-starts{remarks=<remarks>},"
    "async-gpu-coroutines,"
    "async-gpu-reference-counts,"
    "async-gpu-reference-counts-opt,"
    "async-gpu-stream-calls,"
    "async-gpu-runtime-calls{trace=<trace>},"
    "async-gpu-check-sizes,"
    "async-gpu-expand-math,"
    "async-gpu-to-llvm,"
    "[check-accesses:async-gpu-check-accesses,]"
    "convert-func-to-llvm,"
    "reconcile-unrealized-casts,"
    "async-gpu-check-lowered";

static const agpu_pass_option lower_options[] = {
    {"gpu-chip", AGPU_OPTION_STRING, "sm_75",
     "Chips to make code for, as in sm_75,sm_90; PTX runs on later ones too."},
    {"gpu-features", AGPU_OPTION_STRING, "",
     "PTX version, as in +ptx80; empty for the lowest that chip and kernels "
     "allow."},
    {"gpu-format", AGPU_OPTION_STRING, "ptx",
     "What to embed for CUDA: ptx, cubin (needs ptxas), or both."},
    {"gpu-targets", AGPU_OPTION_STRING, "ptx,native",
     "What to make code for: ptx for CUDA, native for the emulated device."},
    {"gpu-opt-level", AGPU_OPTION_INT, "2",
     "How much LLVM optimises the PTX, 0 to 3."},
    {"gpu-line-info", AGPU_OPTION_BOOL, "false",
     "Keep the source's lines in the PTX, for profilers and sanitizers."},
    {"gpu-math", AGPU_OPTION_WORD, "libdevice|expand",
     "Math functions without an instruction: libdevice, or expand for "
     "expansions and the chip's approximations of f32."},
    {"gpu-toolkit", AGPU_OPTION_STRING, "",
     "The CUDA toolkit's folder; empty to search for one."},
    {"check-accesses", AGPU_OPTION_BOOL, "false",
     "Have the program report its memory accesses to the emulated device, for "
     "ASYNC_GPU_EMU_CHECK."},
    {"gpu-count", AGPU_OPTION_BOOL, "false",
     "Have kernels on the emulated device say what they execute and access, "
     "for ASYNC_GPU_EMU_MODEL."},
    {"gpu-native-threads", AGPU_OPTION_WORD, "auto|coroutines",
     "How the emulated device runs threads that wait for each other: auto, "
     "which is loops where they all reach the same barriers, or coroutines "
     "always."},
    {"gpu-bare-pointers", AGPU_OPTION_BOOL, "false",
     "Pass memrefs to kernels as one pointer each instead of as descriptors; "
     "their sizes, strides and offset must be static."},
    SEQUENTIAL_OPTIONS,
    AGPU__ABI_OPTION,
    {"non-blocking", AGPU_OPTION_BOOL, "false",
     "Make every function that awaits non-blocking, not only those with the "
     "attribute async_gpu.non_blocking."},
    {"reuse-streams", AGPU_OPTION_BOOL, "true",
     "Let a region that is the only successor of its only predecessor reuse "
     "its stream, without an event."},
    {"graphs", AGPU_OPTION_STRING, "off",
     "Whether device work that repeats itself becomes CUDA graphs: off, on, or "
     "auto, where it pays."},
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Emit the plan of regions, streams and waits, where regions start and how "
     "parallel loops run, "
     "as remarks."},
    {"trace", AGPU_OPTION_BOOL, "false",
     "Have regions that run in place, and are no task, tell traces of it."},
};

const agpu_pipeline agpu__pipeline_lower = {
    .argument = "async-gpu-lower",
    .summary = "Lower async and gpu to the LLVM dialect",
    AGPU__OPTIONS(lower_options),
    .text = lower_text,
};
