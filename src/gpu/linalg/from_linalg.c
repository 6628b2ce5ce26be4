//===- from_linalg.c - From linalg and tensors to kernels -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The named pipeline `async-gpu-from-linalg`, which stands in front of
// async-gpu-lower: what front ends hand over becomes host code that launches
// kernels.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"
#include "lower/pass/pass.h"

static const agpu_pass_option options[] = {
    {"form-regions", AGPU_OPTION_BOOL, "true",
     "Let independent kernels and host code run concurrently "
     "(async-gpu-form-regions)."},
    {"noalias-arguments", AGPU_OPTION_BOOL, "false",
     "Take it that no two memref arguments of a function are the same memory, "
     "nor a global. Tensors never are."},
    AGPU__DEVICE_OPTION,
    AGPU__BLOCKS_OPTION,
    AGPU__MEMORY_OPTION,
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Say of each op what kernel it becomes, where its memory is, and what "
     "runs concurrently, as remarks."},
};

static const char text[] =
    "async-gpu-bufferize{fuse=true},"
    "async-gpu-shard-messages,"
    "async-gpu-map-linalg{device=<device> blocks=<blocks> remarks=<remarks>},"
    "expand-realloc,canonicalize,cse,"
    "async-gpu-place-data{noalias-arguments=<noalias-arguments> "
    "memory=<memory> remarks=<remarks>}"
    "[form-regions:,async-gpu-form-regions{"
    "noalias-arguments=<noalias-arguments> device=<device> "
    "remarks=<remarks>}]";

const agpu_pipeline agpu__pipeline_from_linalg = {
    .argument = "async-gpu-from-linalg",
    .summary = "From linalg and tensors to host code that launches kernels",
    AGPU__OPTIONS(options),
    .text = text,
};
