//===- reference_ops.c - What ops do with references -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which ops take references over and which give them: what the counts of
// objects are inserted and removed by. Every other op uses an object while its
// operand holds it.
//
//===----------------------------------------------------------------------===//

#include "host/references/references.h"

#include "lower/dialect/attributes.h"

int64_t agpu__references_taken(MlirOperation op, MlirValue value) {
  static const char *const all[] = {"func.call", "func.call_indirect",
                                    "func.return"};
  // A store keeps what it stores, not where it stores it.
  intptr_t count = AGPU__OP_IS_ANY(op, all) ? mlirOperationGetNumOperands(op)
                   : agpu__op_is(op, "async.runtime.store") ? 1
                                                            : 0;
  int64_t taken = 0;
  for (intptr_t i = (intptr_t)agpu__get_int(op, AGPU__RESULTS_ATTR, 0);
       i < count; ++i)
    taken += mlirValueEqual(mlirOperationGetOperand(op, i), value);
  return taken;
}

bool agpu__gives_references(MlirOperation op) {
  static const char *const names[] = {"func.call",
                                      "func.call_indirect",
                                      "async.runtime.create",
                                      "async.runtime.create_group",
                                      "agpu.box_unranked",
                                      "agpu.graph_token",
                                      "agpu.stream_record",
                                      "agpu.ready_token"};
  return AGPU__OP_IS_ANY(op, names);
}

bool agpu__is_own_result(MlirValue value) {
  if (mlirValueIsAOpResult(value))
    return agpu__has_attr(mlirOpResultGetOwner(value), AGPU__RESULT_ATTR);
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  MlirOperation function = mlirBlockGetParentOperation(block);
  return mlirBlockEqual(block, agpu__entry_block(function)) &&
         mlirBlockArgumentGetArgNumber(value) <
             agpu__get_int(function, AGPU__RESULTS_ATTR, 0);
}
