//===- loops.c - linalg and affine to loops of scf ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-loops`: upstream's conversions of linalg on memrefs and
// of affine to scf, each only where the program has something for it.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"
#include "lower/pass/pass.h"

typedef struct contents {
  bool affine, linalg;
} contents;

static MlirWalkResult note_op(MlirOperation op, void *data) {
  contents *found = data;
  found->affine |= agpu__op_in_dialect(op, "affine");
  found->linalg |= agpu__op_in_dialect(op, "linalg");
  return MlirWalkResultAdvance;
}

static MlirLogicalResult run(MlirOperation module) {
  contents found = {0};
  mlirOperationWalk(module, note_op, &found, MlirWalkPreOrder);
  AGPU__SCOPED(text) pipeline = {0};
  if (found.linalg)
    agpu__text_puts(&pipeline, "convert-linalg-to-loops,");
  // Indices of linalg's loops are maps.
  if (found.affine || found.linalg)
    agpu__text_puts(&pipeline, "lower-affine,");
  return agpu__upstream_run(module, agpu__text_get(&pipeline));
}

const agpu_pass agpu__pass_loops = {
    .argument = "async-gpu-loops",
    .summary = "Convert linalg and affine to loops of scf",
    .run = run,
};
