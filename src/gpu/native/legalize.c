//===- legalize.c - async-gpu-native-legalize -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first pass on the way to native code: what it leaves is arithmetic and
// memory, registers, waits, and what a device does for its kernels.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"
#include "gpu/native/calls.h"
#include "gpu/native/check.h"
#include "gpu/native/instructions/instructions.h"
#include "gpu/native/names.h"
#include "gpu/ptx/libdevice.h"
#include "lower/pass/pass.h"

static MlirLogicalResult run(MlirOperation gpu_module,
                             const agpu_pass_values *values) {
  (void)values;
  if (!agpu__simt_is_meant(gpu_module))
    return mlirLogicalResultSuccess();
  agpu__simt_name_symbols(gpu_module);
  agpu__simt_replace_unsupported(gpu_module);
  // What async-gpu-kernel-targets has let through is marked by now.
  if (mlirLogicalResultIsFailure(agpu__simt_check(gpu_module, false)))
    return mlirLogicalResultFailure();
  agpu__simt_expand_instructions(gpu_module);
  if (mlirLogicalResultIsFailure(agpu__libdevice_to_host(gpu_module)) ||
      mlirLogicalResultIsFailure(agpu__simt_inline_waits(gpu_module)))
    return mlirLogicalResultFailure();
  agpu__simt_drop_unused(gpu_module);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_native_legalize = {
    .argument = AGPU__SIMT_PASS("legalize"),
    .anchor = "gpu.module",
    .summary = "Replace what only a GPU can run in kernels",
    .run = run,
};
