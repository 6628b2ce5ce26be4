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

#include "gpu/native/unsupported.h"

#include "gpu/native/base/simt.h"
#include "gpu/native/calls.h"
#include "gpu/native/check.h"
#include "lower/ir/llvm_ops.h"

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
    mark = agpu__attr(reached.data[i], AGPU__SIMT_UNSUPPORTED);
  agpu__ops_free(&reached);
  return mark;
}

static MlirValue text_of(agpu__builder *at, MlirOperation gpu_module,
                         MlirAttribute mark, intptr_t part) {
  // The context keeps strings with a NUL behind them.
  return agpu__string_constant(
      at, gpu_module,
      mlirStringAttrGetValue(mlirArrayAttrGetElement(mark, part)).data);
}

/// Puts a kernel with all attributes of `old`, which goes away, in its place,
/// that only fails.
static void replace(MlirOperation old, MlirOperation gpu_module,
                    MlirAttribute mark) {
  MlirLocation location = mlirOperationGetLocation(old);
  MlirBlock body = agpu__entry_block(old),
            entry = mlirBlockCreate(0, NULL, NULL);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    mlirBlockAddArgument(entry, mlirValueGetType(mlirBlockGetArgument(body, i)),
                         location);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, entry);
  intptr_t count = mlirOperationGetNumAttributes(old);
  MlirNamedAttribute *attributes =
      agpu__allocate((size_t)count, sizeof *attributes);
  for (intptr_t i = 0; i < count; ++i)
    attributes[i] = mlirOperationGetAttribute(old, i);
  agpu__op_spec spec = {.name = "llvm.func",
                        .location = location,
                        .attributes = attributes,
                        .attribute_count = (size_t)count,
                        .regions = &region,
                        .region_count = 1};
  agpu__builder outside = agpu__builder_before(old);
  MlirOperation made = agpu__build(&outside, &spec);
  agpu__remove_attr(made, AGPU__SIMT_UNSUPPORTED);
  free(attributes);
  agpu__builder at = agpu__builder_at_end(entry, location);
  MlirValue operands[] = {text_of(&at, gpu_module, mark, 0),
                          text_of(&at, gpu_module, mark, 1)};
  agpu__call_runtime(&at, gpu_module, "agpu_native_refuse", operands, 2,
                     (MlirType){NULL});
  agpu__llvm_return(&at, (MlirValue){NULL});
  mlirOperationDestroy(old);
}

void agpu__simt_replace_unsupported(MlirOperation gpu_module) {
  agpu__ops kernels = {0};
  agpu__simt_functions(gpu_module, true, &kernels);
  for (size_t i = 0; i < kernels.count; ++i) {
    MlirAttribute mark = find_mark(gpu_module, kernels.data[i]);
    if (!mlirAttributeIsNull(mark))
      replace(kernels.data[i], gpu_module, mark);
  }
  agpu__ops_free(&kernels);
  agpu__simt_drop_unused(gpu_module);
}
