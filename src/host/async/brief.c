//===- brief.c - Coroutines that take a moment --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decided by what ops are known to do, not by what they are known not to do.
//
// Loops could be long, or wait for memory to change; so could recursion. Code
// that only branches forward, and calls only such code, ends. Any branch to its
// own block or one before is taken for a loop. Ops of functions that are called
// count each time, which recursion does not survive.
//
//===----------------------------------------------------------------------===//

#include "host/async/async.h"

#include "lower/dialect/attributes.h"

/// Ops that a brief coroutine has at most, with what it calls.
#define OPS 200

bool agpu__only_computes(MlirOperation op) {
  return agpu__op_has(op, AGPU__OP_BRIEF) ||
         (agpu__computes(op) && !agpu__op_has(op, AGPU__OP_TELLS));
}

/// Whether `block` comes after `from` in their region.
static bool is_behind(MlirBlock block, MlirBlock from) {
  for (MlirBlock next = mlirBlockGetNextInRegion(from); !mlirBlockIsNull(next);
       next = mlirBlockGetNextInRegion(next))
    if (mlirBlockEqual(next, block))
      return true;
  return false;
}

bool agpu__only_branches_forward(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumSuccessors(op); ++i)
    if (!is_behind(mlirOperationGetSuccessor(op, i), mlirOperationGetBlock(op)))
      return false;
  return true;
}

/// What is being looked at.
typedef struct search {
  MlirSymbolTable symbols;
  MlirOperation resume; ///< puts the coroutine on the executor
  int ops_left;
} search;

static bool body_is_brief(search *self, MlirOperation function,
                          bool is_coroutine);

static bool call_is_brief(search *self, MlirOperation call) {
  if (!agpu__op_is(call, "func.call"))
    return false;
  MlirOperation callee = agpu__find_callee(self->symbols, call);
  return agpu__op_is(callee, "func.func") &&
         body_is_brief(self, callee, /*is_coroutine=*/false);
}

static bool op_is_brief(search *self, MlirOperation op, bool is_coroutine) {
  if (self->ops_left-- == 0)
    return false;
  if (is_coroutine && (mlirOperationEqual(op, self->resume) ||
                       agpu__op_has(op, AGPU__OP_COROUTINE)))
    return true;
  return (agpu__only_computes(op) && agpu__only_branches_forward(op)) ||
         call_is_brief(self, op);
}

static bool body_is_brief(search *self, MlirOperation function,
                          bool is_coroutine) {
  MlirBlock block = agpu__entry_block(function);
  if (mlirBlockIsNull(block))
    return false;
  for (; !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
    AGPU__OPS_FOREACH (op, block)
      if (!op_is_brief(self, op, is_coroutine))
        return false;
  return true;
}

static void mark(MlirSymbolTable symbols, const agpu__ops *resumes) {
  for (size_t i = 0; i < resumes->count; ++i) {
    MlirOperation resume = resumes->data[i];
    search self = {symbols, resume, OPS};
    if (body_is_brief(&self, mlirOperationGetParentOperation(resume),
                      /*is_coroutine=*/true))
      mlirOperationSetDiscardableAttributeByName(
          resume, agpu__str(AGPU__BRIEF_ATTR),
          mlirUnitAttrGet(mlirOperationGetContext(resume)));
  }
}

void agpu__mark_brief(MlirOperation module) {
  AGPU__SCOPED(ops) resumes = agpu__ops_in(module, "async.runtime.resume");
  agpu__collect(module, "agpu.resume_after", &resumes);
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  mark(symbols, &resumes);
  mlirSymbolTableDestroy(symbols);
}
