//===- branches.c - scf to branches ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-branches`: upstream's convert-scf-to-cf, with long blocks
// split first.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"
#include "lower/pass/pass.h"

static MlirLogicalResult run(MlirOperation module) {
  agpu__split_long_blocks(module);
  return agpu__upstream_run(module, "convert-scf-to-cf");
}

const agpu_pass agpu__pass_branches = {
    .argument = "async-gpu-branches",
    .summary = "Convert scf to branches",
    .run = run,
};
