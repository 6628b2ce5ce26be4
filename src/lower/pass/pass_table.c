//===- pass_table.c - The table of async-gpu's passes ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass is defined in a file of its own as `const agpu_pass agpu__pass_NAME`,
// a pipeline as `const agpu_pipeline agpu__pipeline_NAME`. The lists below are
// in the order in which a program meets them.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ops.h"
#include "lower/pass/pass.h"

#define AGPU_PASSES(X)                                                         \
  X(drop_schedules)                                                            \
  X(shard)                                                                     \
  X(bufferize)                                                                 \
  X(shard_messages)                                                            \
  X(map_linalg)                                                                \
  X(check_input)                                                               \
  X(mpi)                                                                       \
  X(kernel_globals)                                                            \
  X(place_data)                                                                \
  X(host_memory)                                                               \
  X(non_blocking)                                                              \
  X(merge_kernels)                                                             \
  X(share_kernels)                                                             \
  X(tensor_maps)                                                               \
  X(form_regions)                                                              \
  X(kernel_facts)                                                              \
  X(loops)                                                                     \
  X(token_chains)                                                              \
  X(regions)                                                                   \
  X(failures)                                                                  \
  X(parallel)                                                                  \
  X(outline)                                                                   \
  X(devices)                                                                   \
  X(graphs)                                                                    \
  X(kernels_to_nvvm)                                                           \
  X(kernel_targets)                                                            \
  X(native_legalize)                                                           \
  X(native_shared_memory)                                                      \
  X(native_context)                                                            \
  X(native_uniformity)                                                         \
  X(native_loops)                                                              \
  X(native_coroutines)                                                         \
  X(native_block)                                                              \
  X(native_share)                                                              \
  X(embed_kernels)                                                             \
  X(memory_spaces)                                                             \
  X(branches)                                                                  \
  X(box_unranked)                                                              \
  X(starts)                                                                    \
  X(coroutines)                                                                \
  X(reference_counts)                                                          \
  X(reference_counts_opt)                                                      \
  X(stream_calls)                                                              \
  X(runtime_calls)                                                             \
  X(expand_math)                                                               \
  X(to_llvm)                                                                   \
  X(check_sizes)                                                               \
  X(check_accesses)                                                            \
  X(check_lowered)

#define AGPU_PIPELINES(X) X(from_linalg) X(lower) X(plan) X(kernels) X(native)

#define DECLARE_PASS(name) extern const agpu_pass agpu__pass_##name;
#define DECLARE_PIPELINE(name) extern const agpu_pipeline agpu__pipeline_##name;
AGPU_PASSES(DECLARE_PASS)
AGPU_PIPELINES(DECLARE_PIPELINE)

// The NULL at the end keeps the arrays valid C while a list is empty.
#define PASS_ROW(name) &agpu__pass_##name,
#define PIPELINE_ROW(name) &agpu__pipeline_##name,
const agpu_pass *const agpu__passes[] = {AGPU_PASSES(PASS_ROW) 0};
const agpu_pipeline *const agpu__pipelines[] = {AGPU_PIPELINES(PIPELINE_ROW) 0};

const size_t agpu__pass_count = AGPU__COUNT(agpu__passes) - 1;
const size_t agpu__pipeline_count = AGPU__COUNT(agpu__pipelines) - 1;
