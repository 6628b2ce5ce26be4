//===- loop_values.c - What the functions of a loop take along ----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the functions of a loop take along from its frame: values from outside
// of the loop, once each, as one structure in memory of the frame. Constants
// are copied instead, and counted objects refused, since the passes after this
// one could not follow their counts.
//
//===----------------------------------------------------------------------===//

#include "host/parallel/parallel.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

static void use(agpu__loop_values *self, MlirValue value) {
  if (agpu__values_find(&self->outside, value) < 0)
    agpu__values_push(&self->outside, value);
}

bool agpu__loop_values_collect(const agpu__loop *loop,
                               agpu__loop_values *out_values) {
  agpu__loop_values *self = out_values;
  *self = (agpu__loop_values){.structure = {NULL}};
  for (size_t i = 0; i < loop->dimensions; ++i) {
    use(self, agpu__loop_lower_bound(loop, i));
    use(self, agpu__loop_step(loop, i));
    // A single row gets its part of the iterations as numbers.
    if (loop->dimensions > 1)
      use(self, agpu__loop_upper_bound(loop, i));
  }
  for (size_t i = 0; i < loop->reductions; ++i)
    use(self, agpu__loop_initial(loop, i));
  AGPU__OPS_IN_FOREACH (nested, loop->op, NULL)
    for (intptr_t n = 0; n < mlirOperationGetNumOperands(nested); ++n) {
      MlirValue value = mlirOperationGetOperand(nested, n);
      if (!agpu__defined_inside(value, loop->op))
        use(self, value);
    }

  size_t count = self->outside.count;
  self->stored = agpu__allocate(count, sizeof(*self->stored));
  AGPU__OWNED MlirType *fields = agpu__allocate(count, sizeof(*fields));
  size_t field_count = 0;
  bool possible = true;
  for (size_t i = 0; i < count; ++i) {
    MlirValue value = self->outside.data[i];
    if (!mlirOperationIsNull(agpu__constant_op(value)))
      continue;
    MlirType type = mlirValueGetType(value);
    self->stored[i] = agpu__payload_type(type);
    // Objects are counted, which the passes after this one could not follow.
    possible &= !agpu__type_is_object(type) && !mlirTypeIsNull(self->stored[i]);
    fields[field_count++] = self->stored[i];
  }
  if (possible)
    self->structure =
        mlirLLVMStructTypeLiteralGet(mlirOperationGetContext(loop->op),
                                     (intptr_t)field_count, fields, false);
  return possible;
}

void agpu__loop_values_free(agpu__loop_values *values) {
  agpu__values_free(&values->outside);
  free(values->stored);
}

MlirValue agpu__loop_memory(const agpu__loop *loop, MlirType type) {
  agpu__builder entry = agpu__builder_at_start(
      agpu__entry_block(loop->frame), mlirOperationGetLocation(loop->op));
  return agpu__llvm_alloca(&entry, type, agpu__llvm_i64(&entry, 1), 0);
}

MlirValue agpu__loop_values_store(const agpu__loop_values *values,
                                  const agpu__loop *loop, agpu__builder *at) {
  MlirValue memory = agpu__loop_memory(loop, values->structure);
  MlirValue whole = agpu__llvm_undef(at, values->structure);
  int64_t field = 0;
  for (size_t i = 0; i < values->outside.count; ++i)
    if (!mlirTypeIsNull(values->stored[i]))
      whole = agpu__llvm_insert(
          at, whole, agpu__cast(at, values->outside.data[i], values->stored[i]),
          field++);
  agpu__llvm_store(at, whole, memory);
  return memory;
}

void agpu__loop_values_load(const agpu__loop_values *values, agpu__builder *at,
                            MlirValue address, agpu__values *out_inside) {
  MlirValue whole = agpu__llvm_load(at, address, values->structure);
  int64_t field = 0;
  for (size_t i = 0; i < values->outside.count; ++i) {
    MlirValue value = values->outside.data[i];
    MlirOperation constant = agpu__constant_op(value);
    if (mlirOperationIsNull(constant)) {
      MlirValue stored =
          agpu__llvm_extract(at, whole, values->stored[i], field++);
      agpu__values_push(out_inside,
                        agpu__cast(at, stored, mlirValueGetType(value)));
    } else {
      MlirOperation copy = mlirOperationClone(constant);
      mlirBlockAppendOwnedOperation(at->block, copy);
      agpu__values_push(out_inside, agpu__result(copy, 0));
    }
  }
}

MlirValue agpu__loop_value(const agpu__loop_values *values,
                           const agpu__values *inside, MlirValue outside) {
  return inside->data[agpu__values_find(&values->outside, outside)];
}

void agpu__loop_values_replace(const agpu__loop_values *values,
                               const agpu__values *inside, MlirOperation root) {
  AGPU__OPS_IN_FOREACH (op, root, NULL)
    for (intptr_t n = 0; n < mlirOperationGetNumOperands(op); ++n) {
      intptr_t number =
          agpu__values_find(&values->outside, mlirOperationGetOperand(op, n));
      if (number >= 0)
        mlirOperationSetOperand(op, n, inside->data[number]);
    }
}
