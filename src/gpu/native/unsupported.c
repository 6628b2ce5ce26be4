//===- unsupported.c - Kernels that the emulated device cannot run ---===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program can be meant for CUDA devices and still be compiled for the
// emulated one. A kernel that it cannot run is no obstacle until it is launched
// there.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/simt.h"

#include "lower/ir/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// The mark of the first function that `kernel` reaches and that has one, or
/// null.
static MlirAttribute find_mark(MlirOperation gpu_module, MlirOperation kernel) {
  MlirAttribute mark = mlirAttributeGetNull();
  agpu__ops reached = {0};
  agpu__simt_reach(gpu_module, kernel, &reached);
  for (size_t i = 0; i < reached.count && mlirAttributeIsNull(mark); ++i)
    mark = mlirOperationGetAttributeByName(reached.data[i],
                                           agpu__str(AGPU__SIMT_UNSUPPORTED));
  agpu__ops_free(&reached);
  return mark;
}

static MlirValue text_of(agpu__builder *at, MlirOperation host_module,
                         MlirAttribute mark, intptr_t part) {
  // The context keeps strings with a NUL behind them.
  return agpu__string_constant(
      at, host_module,
      mlirStringAttrGetValue(mlirArrayAttrGetElement(mark, part)).data);
}

/// A kernel of the same name and type before `old` that only fails.
static MlirOperation build_failure(MlirOperation old, MlirOperation host_module,
                                   MlirAttribute mark) {
  MlirContext context = mlirOperationGetContext(old);
  MlirLocation location = mlirOperationGetLocation(old);
  MlirAttribute type =
      mlirOperationGetAttributeByName(old, agpu__str("function_type"));
  MlirType function_type = mlirTypeAttrGetValue(type);
  MlirBlock entry = mlirBlockCreate(0, NULL, NULL);
  for (intptr_t i = 0; i < mlirLLVMFunctionTypeGetNumInputs(function_type); ++i)
    mlirBlockAddArgument(entry, mlirLLVMFunctionTypeGetInput(function_type, i),
                         location);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, entry);
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "sym_name",
                  mlirOperationGetAttributeByName(old, agpu__str("sym_name"))),
      agpu__named(context, "function_type", type),
      agpu__named(context, "nvvm.kernel", mlirUnitAttrGet(context))};
  agpu__op_spec spec = {.name = "llvm.func",
                        .location = location,
                        .attributes = attributes,
                        .attribute_count = 3,
                        .regions = &region,
                        .region_count = 1};
  agpu__builder outside = agpu__builder_before(old);
  MlirOperation made = agpu__build(&outside, &spec);
  agpu__builder at = agpu__builder_at_end(entry, location);
  MlirValue operands[] = {text_of(&at, host_module, mark, 0),
                          text_of(&at, host_module, mark, 1)};
  agpu__call_runtime(&at, host_module, "agpu_native_refuse", operands, 2,
                     (MlirType){NULL});
  agpu__build_op(&at, "llvm.return", NULL, 0, (MlirType){NULL}, NULL, 0);
  return made;
}

void agpu__simt_replace_unsupported(MlirOperation gpu_module,
                                    MlirOperation host_module,
                                    agpu__kernel *kernels,
                                    size_t kernel_count) {
  for (size_t i = 0; i < kernel_count; ++i) {
    MlirOperation old = kernels[i].function;
    MlirAttribute mark = find_mark(gpu_module, old);
    if (mlirAttributeIsNull(mark))
      continue;
    kernels[i].function = build_failure(old, host_module, mark);
    mlirOperationDestroy(old);
  }
  agpu__simt_drop_unused(gpu_module, kernels, kernel_count);
}
