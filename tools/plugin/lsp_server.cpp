//===- lsp_server.cpp - MLIR's language server with our dialect -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// async-gpu-lsp-server: upstream's mlir-lsp-server, in whose contexts the agpu
// dialect is, so that editors know what stands between our passes, too.
//
//===----------------------------------------------------------------------===//

#include "extension.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

extern "C" {
#include "mlir-c/RegisterEverything.h"
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlirRegisterAllDialects(wrap(&registry));
  agpuExtend(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
