//===- latch.c - The end of a loop over threads ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over the threads of a block count up to one of its sizes, which is
// never 0: launches refuse that, as CUDA does. So they are tested at their end.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"

#include "lower/ir/template.h"

#include <stdlib.h>

static const agpu__template sum = {.file = "latch.mlir", .function = "sum"};

void agpu__simt_loop_latch(agpu__builder *at, MlirBlock header, MlirBlock exit,
                           MlirValue counter, MlirValue bound, MlirValue one,
                           MlirAttribute annotation) {
  MlirValue operands[] = {counter, one}, next;
  if (mlirLogicalResultIsFailure(
          agpu__template_build(at, &sum, operands, &next)))
    abort();
  MlirValue more = agpu__llvm_compare(at, AGPU__UNSIGNED_LESS, next, bound);
  MlirOperation branch = agpu__llvm_branch_if(at, more, header, &next, 1, exit);
  if (!mlirAttributeIsNull(annotation))
    agpu__set_attr(branch, "loop_annotation", annotation);
}
