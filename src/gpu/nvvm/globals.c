//===- globals.c - Memory that a kernel's module declares -----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Leaves no llvm.mlir.global without an alignment: what LLVM's optimiser would
// assume of it is written down, so that both targets keep it.
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/globals.h"

#include "lower/ir/ir.h"
#include "lower/ir/type_size.h"

#include "mlir-c/BuiltinAttributes.h"

// LLVM's optimiser takes a variable of more bytes than this, defined where it
// can see it and without an alignment of its own, to be aligned to as many
// (DataLayout::getPreferredAlign). The NVPTX backend writes that of the type
// alone, so that what is not said is assumed and not kept.
#define LARGE 16u

static void align(MlirOperation global) {
  MlirAttribute asked = agpu__attr(global, "alignment");
  if (!mlirAttributeIsNull(asked) && mlirIntegerAttrGetValueInt(asked) > 0)
    return;
  MlirType type = mlirTypeAttrGetValue(agpu__attr(global, "global_type"));
  uint64_t alignment;
  // What the launch gives the size of may be large.
  uint64_t size = agpu__type_size(type, &alignment);
  if ((!size || size > LARGE) && alignment < LARGE)
    alignment = LARGE;
  agpu__set_attr(
      global, "alignment",
      agpu__i64_attr(mlirOperationGetContext(global), (int64_t)alignment));
}

void agpu__align_globals(MlirOperation gpu_module) {
  for (MlirOperation op =
           mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (agpu__op_is(op, "llvm.mlir.global"))
      align(op);
}
