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
#include "llvm/Config/llvm-config.h"

#include <cstdio>
#include <cstring>

extern "C" {
#include "mlir-c/RegisterEverything.h"
}

int main(int argc, char **argv) {
  // Upstream's answer is LLVM's version alone.
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0)
    return std::printf("async-gpu-lsp-server %s (LLVM %s)\n", AGPU_VERSION,
                       LLVM_VERSION_STRING) < 0 ||
           std::fflush(stdout) != 0;
  mlir::DialectRegistry registry;
  mlirRegisterAllDialects(wrap(&registry));
  agpuExtend(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
