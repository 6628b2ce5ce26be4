//===- allocas.c - Memory of a thread's own -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that a function allocates in a loop, of a size that is known, is the
// same each time around: one llvm.alloca in the first block, as LLVM's back end
// for NVPTX has it too. Where rounds of the loop need memory of their own,
// async-gpu-kernels-to-nvvm has refused that (gpu/nvvm/allocations.c).
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"

/// The constant number of elements that `alloca` allocates, or a null op.
static MlirOperation constant_size(MlirOperation alloca) {
  MlirValue count = mlirOperationGetOperand(alloca, 0);
  if (!mlirValueIsAOpResult(count))
    return (MlirOperation){NULL};
  MlirOperation source = mlirOpResultGetOwner(count);
  return agpu__op_is(source, "llvm.mlir.constant") ? source
                                                   : (MlirOperation){NULL};
}

bool agpu__simt_has_constant_size(MlirOperation alloca) {
  return !mlirOperationIsNull(constant_size(alloca));
}

void agpu__simt_hoist_allocas(MlirOperation function) {
  MlirBlock entry = agpu__entry_block(function);
  MlirOperation first = mlirBlockGetFirstOperation(entry);
  AGPU__OPS_IN_FOREACH (op, function, "llvm.alloca") {
    MlirOperation size = constant_size(op);
    if (mlirOperationIsNull(size))
      continue;
    size = mlirOperationClone(size);
    mlirBlockInsertOwnedOperationBefore(entry, first, size);
    mlirOperationSetOperand(op, 0, mlirOperationGetResult(size, 0));
    if (mlirOperationEqual(op, first))
      first = mlirOperationGetNextInBlock(op);
    else
      mlirOperationMoveBefore(op, first);
  }
}
