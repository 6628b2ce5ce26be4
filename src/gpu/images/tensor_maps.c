//===- tensor_maps.c - async-gpu-tensor-maps ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map of the nvgpu dialect is an address: what makes one gives the
// address of device memory that holds it. Kernels and launches are told so
// here, on both sides at once, as their types have to agree.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernels/kernels.h"
#include "gpu/nvvm/nvvm.h"

/// The operands of a launch that are tensor maps become pointers.
static void repair_launch(MlirOperation launch) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(launch); ++i) {
    MlirValue operand = mlirOperationGetOperand(launch, i);
    if (!agpu__type_has_prefix(mlirValueGetType(operand),
                               "!nvgpu.tensormap.descriptor"))
      continue;
    agpu__builder at = agpu__builder_before(launch);
    mlirOperationSetOperand(
        launch, i, agpu__build_cast(&at, operand, agpu__ptr_type(at.context)));
  }
}

static MlirLogicalResult run(MlirOperation module) {
  AGPU__SCOPED(ops) modules = {0}, launches = {0};
  MlirLogicalResult result = agpu__collect_gpu_modules(module, &modules);
  for (size_t i = 0; i < modules.count; ++i)
    agpu__repair_tensor_maps(modules.data[i]);
  agpu__collect(module, "gpu.launch_func", &launches);
  for (size_t i = 0; i < launches.count; ++i)
    repair_launch(launches.data[i]);
  return result;
}

const agpu_pass agpu__pass_tensor_maps = {
    .argument = "async-gpu-tensor-maps",
    .summary = "Pass tensor maps to kernels as pointers",
    .run = run,
};
