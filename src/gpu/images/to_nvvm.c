//===- to_nvvm.c - async-gpu-kernels-to-nvvm ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass around the conversion of kernels, for reading what comes out, and
// for passes in between.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernels/kernels.h"
#include "gpu/nvvm/nvvm.h"

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  agpu__nvvm_options how = {0};
  AGPU__SCOPED(ops) modules = {0};
  MlirLogicalResult result =
      agpu__convention_set(module, values, &how.bare_pointers);
  if (mlirLogicalResultIsFailure(agpu__collect_gpu_modules(module, &modules)))
    result = mlirLogicalResultFailure();
  if (mlirLogicalResultIsSuccess(result))
    for (size_t i = 0; i < modules.count; ++i)
      if (mlirLogicalResultIsFailure(agpu__nvvm_lower(modules.data[i], &how)))
        result = mlirLogicalResultFailure();
  return result;
}

static const agpu_pass_option options[] = {AGPU__BARE_POINTERS_OPTION};

const agpu_pass agpu__pass_kernels_to_nvvm = {
    .argument = "async-gpu-kernels-to-nvvm",
    .summary = "Convert the kernels of each gpu.module to LLVM and NVVM",
    AGPU__OPTIONS(options),
    .run_with = run,
};
