//===- lowering.h - One op on its way to the runtime --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_LOWERING_H
#define ASYNC_GPU_HOST_LOWERING_H

#include "lower/ir/ir.h"

#define NONE ((MlirValue){NULL})

/// The object of a coroutine that lies in one piece with the frame, as long as
/// the ops of its function are lowered; those of a function follow each other.
typedef struct agpu__frame_owner {
  MlirOperation function;
  MlirValue object;
} agpu__frame_owner;

/// An op of the dialects async and agpu that becomes calls of the runtime.
typedef struct agpu__lowering {
  MlirOperation module;
  MlirOperation op;
  agpu__builder at; ///< before it
  bool upstream;    ///< only calls that upstream's runtime and libc have
  agpu__frame_owner *owner;
} agpu__lowering;

static inline MlirValue agpu__operand(const agpu__lowering *self,
                                      intptr_t index) {
  return mlirOperationGetOperand(self->op, index);
}

/// The op's only result takes the value `with`; the op goes away.
static inline void agpu__replace(agpu__lowering *self, MlirValue with) {
  if (!mlirValueIsNull(with))
    mlirValueReplaceAllUsesOfWith(agpu__result(self->op, 0), with);
  mlirOperationDestroy(self->op);
}

/// A call with up to three operands; its result, or null.
static inline MlirValue agpu__call(agpu__lowering *self, const char *name,
                                   MlirValue a, MlirValue b, MlirValue c,
                                   MlirType result) {
  MlirValue operands[] = {a, b, c};
  size_t count = 0;
  while (count < 3 && !mlirValueIsNull(operands[count]))
    ++count;
  return agpu__call_runtime(&self->at, self->module, name, operands, count,
                            result);
}

/// coroutine_calls.c: the ops of a coroutine, its start and its awaits; false
/// for all others.
bool agpu__lower_coroutine_op(agpu__lowering *self);

/// The object that came with the frame of the coroutine that the op stands in;
/// null where none has.
MlirValue agpu__task_of(const agpu__lowering *self);

/// The size and alignment of that frame.
typedef struct agpu__frame_layout {
  MlirValue size, alignment;
} agpu__frame_layout;

agpu__frame_layout agpu__build_frame_layout(agpu__builder *at);

/// The address of the function that resumes a coroutine, made on first use.
MlirValue agpu__resume_function(agpu__lowering *self);

/// object_calls.c: questions, payloads, references, errors and boxes; false for
/// all other ops. `out_result` says whether there was a diagnostic.
bool agpu__lower_object_op(agpu__lowering *self, MlirLogicalResult *out_result);

#endif // ASYNC_GPU_HOST_LOWERING_H
