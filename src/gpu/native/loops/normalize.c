//===- normalize.c - Blocks as loops over threads need them ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says which kernels can become loops as far as their ops go, and brings their
// blocks into the one form that the analyses and the rewriting know. The
// function means what it did.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

#include <stdlib.h>

/// True if `op` arrives at a barrier with a number, which a thread may do that
/// does not wait there.
static bool arrives(MlirOperation op) {
  MlirAttribute callee = agpu__attr(op, "callee");
  return !mlirAttributeIsNull(callee) &&
         mlirAttributeIsAFlatSymbolRef(callee) &&
         mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(callee),
                            agpu__str("agpu_native_arrive"));
}

/// True if each thread can have a place for what `alloca` gives.
static bool fits_slot(MlirOperation alloca) {
  return agpu__simt_has_constant_size(alloca) &&
         agpu__get_int(alloca, "alignment", 1) <= AGPU_NATIVE_MEMORY_ALIGNMENT;
}

bool agpu__simt_can_be_loops(MlirOperation function) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(function, NULL);
  bool can = true;
  for (size_t i = 0; i < ops.count && can; ++i) {
    MlirOperation op = ops.data[i];
    can = (!agpu__simt_is_wait(op) || agpu__simt_is_barrier(op) ||
           agpu__simt_is_collective(op)) &&
          !arrives(op) && (!agpu__op_is(op, "llvm.alloca") || fits_slot(op));
  }
  return can;
}

static void set_i32_array(MlirOperation op, const char *name, intptr_t count,
                          const int32_t *values) {
  mlirOperationSetAttributeByName(
      op, agpu__str(name),
      mlirDenseI32ArrayGet(mlirOperationGetContext(op), count, values));
}

/// Puts a block with an llvm.br, which hands on the values, on each edge of
/// `branch`, an llvm.cond_br or switch whose target has arguments.
static void split_edges(MlirOperation branch) {
  bool is_switch = agpu__op_is(branch, "llvm.switch");
  intptr_t successors = mlirOperationGetNumSuccessors(branch), next = 1;
  if (mlirOperationGetNumOperands(branch) == 1)
    return;
  for (intptr_t s = 0; s < successors; ++s) {
    MlirBlock to = mlirOperationGetSuccessor(branch, s);
    intptr_t count = mlirBlockGetNumArguments(to);
    if (!count)
      continue;
    AGPU__OWNED MlirValue *values =
        agpu__allocate((size_t)count, sizeof(*values));
    for (intptr_t i = 0; i < count; ++i)
      values[i] = mlirOperationGetOperand(branch, next++);
    MlirBlock middle = agpu__block_after(mlirOperationGetBlock(branch));
    agpu__builder at =
        agpu__builder_at_end(middle, mlirOperationGetLocation(branch));
    agpu__llvm_branch(&at, to, values, (size_t)count);
    mlirOperationSetSuccessor(branch, s, middle);
  }
  MlirValue decision = mlirOperationGetOperand(branch, 0);
  mlirOperationSetOperands(branch, 1, &decision);
  set_i32_array(branch, "operandSegmentSizes", 3, (const int32_t[]){1, 0, 0});
  if (is_switch) {
    AGPU__OWNED int32_t *none =
        agpu__allocate((size_t)successors, sizeof(*none));
    set_i32_array(branch, "case_operand_segments", successors - 1, none);
  }
}

void agpu__simt_normalize(MlirOperation function) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(function, NULL);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    if (agpu__op_is(op, "llvm.cond_br") || agpu__op_is(op, "llvm.switch"))
      split_edges(op);
  }
  for (size_t i = 0; i < ops.count; ++i) {
    if (!agpu__simt_is_wait(ops.data[i]) ||
        agpu__simt_only_synchronizes(ops.data[i]))
      continue;
    MlirBlock block = mlirOperationGetBlock(ops.data[i]);
    MlirBlock rest = agpu__split_after(ops.data[i]);
    agpu__builder at =
        agpu__builder_at_end(block, mlirOperationGetLocation(ops.data[i]));
    agpu__llvm_branch(&at, rest, NULL, 0);
  }
}
