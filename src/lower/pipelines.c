//===- pipelines.c - Named pipelines --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lower/pass.h"

#include "lower/ir.h"

//===----------------------------------------------------------------------===//
// async-gpu-lower
//===----------------------------------------------------------------------===//

/// Upstream's conversions of what is left when async and gpu are gone.
static const char host_conversions[] =
    "expand-strided-metadata,"
    "lower-affine,"
    "convert-vector-to-scf,"
    "convert-scf-to-cf,"
    "convert-math-to-llvm,"
    "convert-vector-to-llvm,"
    "finalize-memref-to-llvm,"
    "convert-index-to-llvm,"
    "convert-arith-to-llvm,"
    "convert-func-to-llvm,"
    "convert-cf-to-llvm,"
    "reconcile-unrealized-casts";

static char *lower_expand(const agpu_pass_values *values) {
  (void)values;
  return agpu__format("%s", host_conversions);
}

const agpu_pipeline agpu__pipeline_lower = {
    .argument = "async-gpu-lower",
    .summary = "The whole way from async and gpu to the LLVM dialect",
    .description = "Lowers a program to the LLVM dialect.",
    .expand = lower_expand,
};
