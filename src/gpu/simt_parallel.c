//===- simt_parallel.c - Thread loops that depend on nothing --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of a block are independent, and LLVM can be told so of a loop
// (llvm.loop.parallel_accesses). But it then drops all its knowledge of
// dependences, those inside one iteration included: the loop vectoriser groups
// strided accesses and moves loads up over stores and stores down, which
// breaks a thread that writes through one parameter and reads the same memory
// through another. So only kernels in which nothing can be moved past anything
// are marked: no memory of the thread's own, and one store that no load comes
// after. The others keep LLVM's own analysis, which checks at run time whether
// the parameters overlap.
//
//===----------------------------------------------------------------------===//

#include "gpu/simt.h"

#include "lower/ir.h"

#include "mlir-c/BuiltinAttributes.h"

/// True if `op` reads memory as far as the vectoriser may move it.
static bool is_load(MlirOperation op) { return agpu__op_is(op, "llvm.load"); }

/// The only store of `kernel`, or null if it has another number of them or
/// touches memory in any other way.
static MlirOperation only_store(const agpu__ops *ops) {
  MlirOperation store = {NULL};
  for (size_t i = 0; i < ops->count; ++i) {
    MlirOperation op = ops->data[i];
    if (agpu__op_is(op, "llvm.store")) {
      if (!mlirOperationIsNull(store))
        return (MlirOperation){NULL};
      store = op;
    } else if (agpu__op_is(op, "llvm.alloca") || agpu__op_is(op, "llvm.call") ||
               agpu__op_is(op, "llvm.atomicrmw") ||
               agpu__op_is(op, "llvm.cmpxchg") ||
               agpu__op_is(op, "llvm.fence")) {
      return (MlirOperation){NULL};
    }
  }
  return store;
}

static bool block_loads(MlirOperation first) {
  for (MlirOperation op = first; !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_load(op))
      return true;
  return false;
}

/// Adds the successors of `block` to `blocks` (as terminators, whose blocks
/// they stand for) unless they are there.
static void push_successors(agpu__ops *blocks, MlirBlock block) {
  MlirOperation terminator = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < mlirOperationGetNumSuccessors(terminator); ++i) {
    MlirOperation next =
        mlirBlockGetTerminator(mlirOperationGetSuccessor(terminator, i));
    bool known = false;
    for (size_t k = 0; k < blocks->count && !known; ++k)
      known = mlirOperationEqual(blocks->data[k], next);
    if (!known)
      agpu__ops_push(blocks, next);
  }
}

/// True if a load can run after `store` in the same thread.
static bool load_follows(MlirOperation store) {
  if (block_loads(mlirOperationGetNextInBlock(store)))
    return true;
  bool found = false;
  agpu__ops reached = {0};
  push_successors(&reached, mlirOperationGetBlock(store));
  for (size_t i = 0; i < reached.count && !found; ++i) {
    MlirBlock block = mlirOperationGetBlock(reached.data[i]);
    found = block_loads(mlirBlockGetFirstOperation(block));
    push_successors(&reached, block);
  }
  agpu__ops_free(&reached);
  return found;
}

MlirAttribute agpu__simt_mark_parallel(MlirOperation kernel) {
  MlirAttribute annotation = mlirAttributeGetNull();
  agpu__ops ops = {0};
  agpu__collect(kernel, NULL, &ops);
  MlirOperation store = only_store(&ops);
  if (!mlirOperationIsNull(store) && !load_follows(store)) {
    // Parsed together, so that both attributes speak of one access group.
    MlirContext context = mlirOperationGetContext(kernel);
    MlirAttribute marks =
        agpu__parse_attr(context, "[[#llvm.access_group<id = distinct[0]<>>],"
                                  " #llvm.loop_annotation<parallelAccesses ="
                                  " #llvm.access_group<id = distinct[0]<>>>]");
    for (size_t i = 0; i < ops.count; ++i)
      if (is_load(ops.data[i]) || mlirOperationEqual(ops.data[i], store))
        mlirOperationSetAttributeByName(ops.data[i], agpu__str("access_groups"),
                                        mlirArrayAttrGetElement(marks, 0));
    annotation = mlirArrayAttrGetElement(marks, 1);
  }
  agpu__ops_free(&ops);
  return annotation;
}
