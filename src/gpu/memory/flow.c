//===- flow.c - Memrefs that control flow hands on -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table: which values an operand of an op of control flow becomes. What it
// does not name is not followed.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/accesses.h"

/// Where an operand goes, and whom to tell of it.
typedef struct flow {
  MlirValue from;
  agpu__flow visit;
  void *data;
} flow;

static void to_result(const flow *self, MlirOperation op, intptr_t number) {
  self->visit(self->from, agpu__result(op, number), self->data);
}

static void to_argument(const flow *self, MlirBlock block, intptr_t number) {
  self->visit(self->from, mlirBlockGetArgument(block, number), self->data);
}

static bool follow_yield(const flow *self, MlirOperation parent,
                         intptr_t number) {
  if (agpu__op_is_any(
          parent,
          "scf.if scf.index_switch scf.execute_region memref.alloca_scope")) {
    to_result(self, parent, number);
  } else if (agpu__op_is(parent, "scf.for")) {
    to_argument(self, agpu__region_entry(parent, 0), number + 1);
    to_result(self, parent, number);
  } else if (agpu__op_is(parent, "scf.while")) {
    to_argument(self, agpu__region_entry(parent, 0), number);
  } else {
    return false;
  }
  return true;
}

static bool follow_for(const flow *self, MlirOperation op, intptr_t number) {
  intptr_t first =
      mlirOperationGetNumOperands(op) - mlirOperationGetNumResults(op);
  if (number < first)
    return false;
  to_argument(self, agpu__region_entry(op, 0), number - first + 1);
  to_result(self, op, number - first);
  return true;
}

static bool follow_branch(const flow *self, MlirOperation op, intptr_t number) {
  bool found = false;
  for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(op); ++s) {
    intptr_t begin, count;
    agpu__edge_operands(op, s, &begin, &count);
    if (number < begin || number >= begin + count)
      continue;
    to_argument(self, mlirOperationGetSuccessor(op, s), number - begin);
    found = true;
  }
  return found;
}

bool agpu__follow_operand(MlirOperation op, intptr_t number, agpu__flow visit,
                          void *data) {
  flow self = {mlirOperationGetOperand(op, number), visit, data};
  if (agpu__op_is_any(op, "scf.yield memref.alloca_scope.return"))
    return follow_yield(&self, mlirOperationGetParentOperation(op), number);
  if (agpu__op_is_any(op, "cf.br cf.cond_br cf.switch"))
    return follow_branch(&self, op, number);
  if (agpu__op_is(op, "scf.for"))
    return follow_for(&self, op, number);
  if (agpu__op_is(op, "scf.while")) {
    to_argument(&self, agpu__region_entry(op, 0), number);
    return true;
  }
  if (agpu__op_is(op, "scf.condition") && number > 0) {
    MlirOperation parent = mlirOperationGetParentOperation(op);
    to_argument(&self, agpu__region_entry(parent, 1), number - 1);
    to_result(&self, parent, number - 1);
    return true;
  }
  if (agpu__op_is(op, "arith.select") && number > 0) {
    to_result(&self, op, 0);
    return true;
  }
  return false;
}
