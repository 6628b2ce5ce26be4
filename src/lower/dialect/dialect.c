//===- dialect.c - The agpu dialect -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect is a file, agpu.irdl.mlir; each context loads it once, before it
// parses anything.
//
//===----------------------------------------------------------------------===//

#include "lower/dialect/dialect.h"

#include "lower/ir/build.h"
#include "lower/ir/embedded.h"

#include "mlir-c/Dialect/IRDL.h"

MlirLogicalResult agpu__dialect_load(MlirContext context) {
  MlirModule module = mlirModuleCreateParse(
      context, agpu__str(agpu__embedded("agpu.irdl.mlir")));
  if (mlirModuleIsNull(module))
    return mlirLogicalResultFailure();
  MlirLogicalResult result = mlirLoadIRDLDialects(module);
  mlirModuleDestroy(module);
  return result;
}

MlirType agpu__stream_type(MlirContext context) {
  return agpu__parse_type(context, "!agpu.stream");
}
