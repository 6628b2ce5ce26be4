//===- parallel.c - Thread loops that depend on nothing --------------===//
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
// after and that is no part of an atomic operation, where threads do meet. Nor
// is it in a loop of the kernel: LLVM moves the mark to that loop where both
// begin at one place. The others keep LLVM's own analysis, which checks at run
// time whether the parameters overlap.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

#include <stdlib.h>

/// True if `op` reads memory as far as the vectoriser may move it.
static bool is_load(MlirOperation op) { return agpu__op_is(op, "llvm.load"); }

/// The only store among `ops`, or null if there is another number of them or
/// they touch memory in any other way.
static MlirOperation only_store(const agpu__ops *ops) {
  MlirOperation store = {NULL};
  for (size_t i = 0; i < ops->count; ++i) {
    MlirOperation op = ops->data[i];
    if (agpu__op_is(op, "llvm.store")) {
      if (!mlirOperationIsNull(store) || agpu__has_attr(op, AGPU__SIMT_ATOMIC))
        return (MlirOperation){NULL};
      store = op;
    } else if (agpu__op_is_any(op, "llvm.alloca llvm.call llvm.atomicrmw "
                                   "llvm.cmpxchg llvm.fence")) {
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

/// True if a load in `blocks`, or `store` itself, can run after it for the same
/// thread.
static bool may_move(const agpu__simt_graph *graph, const MlirBlock *blocks,
                     size_t count, MlirOperation store) {
  if (block_loads(mlirOperationGetNextInBlock(store)))
    return true;
  AGPU__SCOPED(simt_set) reached = agpu__simt_set_create(graph);
  size_t own = agpu__simt_block_of(graph, store);
  agpu__simt_reach_from(graph, own, AGPU__MAP_NONE, &reached);
  bool found = reached.has[own];
  for (size_t i = 0; i < count && !found; ++i) {
    MlirOperation first = mlirBlockGetFirstOperation(blocks[i]);
    found =
        block_loads(first) && reached.has[agpu__simt_block_of(graph, first)];
  }
  return found;
}

MlirAttribute agpu__simt_mark_parallel(const agpu__simt_graph *graph,
                                       const MlirBlock *blocks, size_t count,
                                       bool is_kept,
                                       MlirAttribute *out_access_groups) {
  MlirContext context =
      mlirOperationGetContext(mlirBlockGetTerminator(blocks[0]));
  MlirAttribute annotation =
      is_kept ? agpu__parse_attr(
                    context, "#llvm.loop_annotation<unroll = <disable = true>>")
              : mlirAttributeGetNull();
  *out_access_groups = mlirAttributeGetNull();
  AGPU__SCOPED(ops) ops = {0};
  for (size_t b = 0; b < count; ++b)
    AGPU__OPS_FOREACH (op, blocks[b])
      agpu__ops_push(&ops, op);
  MlirOperation store = only_store(&ops);
  if (!mlirOperationIsNull(store) && !may_move(graph, blocks, count, store)) {
    // Parsed together, so that both attributes speak of one access group.
    MlirAttribute marks = agpu__parse_attr(
        context, is_kept ? "[[#llvm.access_group<id = distinct[0]<>>],"
                           " #llvm.loop_annotation<unroll = <disable = true>,"
                           " parallelAccesses ="
                           " #llvm.access_group<id = distinct[0]<>>>]"
                         : "[[#llvm.access_group<id = distinct[0]<>>],"
                           " #llvm.loop_annotation<parallelAccesses ="
                           " #llvm.access_group<id = distinct[0]<>>>]");
    *out_access_groups = mlirArrayAttrGetElement(marks, 0);
    for (size_t i = 0; i < ops.count; ++i)
      if (is_load(ops.data[i]) || mlirOperationEqual(ops.data[i], store))
        agpu__set_attr(ops.data[i], "access_groups", *out_access_groups);
    annotation = mlirArrayAttrGetElement(marks, 1);
  }
  return annotation;
}
