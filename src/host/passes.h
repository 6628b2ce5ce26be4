//===- passes.h - Passes of the host side -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_PASSES_H
#define ASYNC_GPU_HOST_PASSES_H

#include "lower/pass/pass.h"

extern const agpu_pass agpu__pass_shard;
extern const agpu_pass agpu__pass_shard_messages;
extern const agpu_pass agpu__pass_mpi;
extern const agpu_pass agpu__pass_non_blocking;
extern const agpu_pass agpu__pass_failures;
extern const agpu_pass agpu__pass_parallel;
extern const agpu_pass agpu__pass_outline;
extern const agpu_pass agpu__pass_box_unranked;
extern const agpu_pass agpu__pass_starts;
extern const agpu_pass agpu__pass_coroutines;
extern const agpu_pass agpu__pass_reference_counts;
extern const agpu_pass agpu__pass_reference_counts_opt;
extern const agpu_pass agpu__pass_runtime_calls;
extern const agpu_pass agpu__pass_check_sizes;
extern const agpu_pass agpu__pass_check_accesses;

#endif // ASYNC_GPU_HOST_PASSES_H
