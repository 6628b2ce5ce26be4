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

#include "gpu/linalg/kernels.h"
#include "lower/ir/ir.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

static const agpu_pass_option options[] = {
    {"form-regions", AGPU_OPTION_BOOL, "true",
     "Let independent kernels and host code run concurrently "
     "(async-gpu-form-regions)."},
    {"noalias-arguments", AGPU_OPTION_BOOL, "false",
     "Take it that no two memref arguments of a function are the same memory, "
     "nor a global. Tensors never are."},
    AGPU__DEVICE_OPTION,
    AGPU__MEMORY_OPTION,
    {"remarks", AGPU_OPTION_BOOL, "false",
     "Say of each op what kernel it becomes, where its memory is, and what "
     "runs concurrently, as remarks."},
};

static char *expand(const agpu_pass_values *values) {
  const char *noalias = agpu__pass_value_string(values, "noalias-arguments");
  const char *remarks = agpu__pass_value_string(values, "remarks");
  char *regions =
      agpu__pass_value_bool(values, "form-regions")
          ? agpu__format(",async-gpu-form-regions{noalias-arguments=%s "
                         "remarks=%s}",
                         noalias, remarks)
          : agpu__format("%s", "");
  char *all =
      agpu__format("async-gpu-bufferize{fuse=true},"
                   "async-gpu-shard-messages,"
                   "async-gpu-map-linalg{device=%s remarks=%s},"
                   "expand-realloc,canonicalize,cse,"
                   "async-gpu-place-data{noalias-arguments=%s "
                   "memory=%s remarks=%s}%s",
                   agpu__pass_value_string(values, "device"), remarks, noalias,
                   agpu__pass_value_string(values, "memory"), remarks, regions);
  free(regions);
  return all;
}

const agpu_pipeline agpu__pipeline_from_linalg = {
    .argument = "async-gpu-from-linalg",
    .summary = "From linalg and tensors to host code that launches kernels",
    .options = options,
    .option_count = sizeof(options) / sizeof(*options),
    .expand = expand,
};
