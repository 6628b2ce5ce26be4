//===- context.c - An MLIR context that knows everything ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All dialects are registered, and those loaded that a pass may build ops of:
// no pass may load one while it runs.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/pipeline.h"

#include "lower/dialect/dialect.h"
#include "lower/ir/ir.h"

#include "mlir-c/RegisterEverything.h"

#include <pthread.h>

/// Dialects of which our passes, or those of upstream inside of them, build
/// ops, attributes or types, and those that convert-to-llvm is asked to convert
/// (to_llvm.c), which has to find them. MLIR loads a dialect by itself only
/// when it parses an op of it.
static const char *const dialects[] = {
    "affine", "arith",     "async", "bufferization", "cf",   "complex",
    "func",   "gpu",       "index", "linalg",        "llvm", "math",
    "memref", "mpi",       "nvgpu", "nvvm",          "scf",  "shard",
    "tensor", "transform", "ub",    "vector"};

/// Passes of upstream's that our passes run, and that ask for extensions of
/// dialects. MLIR adds these when it starts to run a pass, which it may not
/// inside of another.
static const char extending_passes[] = "gpu.module(convert-gpu-to-nvvm)";

static void add_extensions(MlirContext context) {
  agpu__context_register_passes();
  MlirModule module = mlirModuleCreateEmpty(mlirLocationUnknownGet(context));
  MlirPassManager manager =
      mlirPassManagerCreateOnOperation(context, agpu__str("builtin.module"));
  AGPU__SCOPED(text) said = {0};
  if (mlirLogicalResultIsSuccess(mlirOpPassManagerAddPipeline(
          mlirPassManagerGetAsOpPassManager(manager),
          agpu__str(extending_passes), agpu__text_callback, &said)))
    (void)mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module));
  mlirPassManagerDestroy(manager);
  mlirModuleDestroy(module);
}

MlirContext agpu__context_create(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  agpu__context_load_dialects(context);
  // Passes of upstream's translate too, gpu-module-to-binary among them, and
  // no pass may add to the context once it runs.
  mlirRegisterAllLLVMTranslations(context);
  add_extensions(context);
  return context;
}

void agpu__context_load_dialects(MlirContext context) {
  for (size_t i = 0; i < AGPU__COUNT(dialects); ++i)
    mlirContextGetOrLoadDialect(context, agpu__str(dialects[i]));
  agpu__dialect_load(context);
}

void agpu__context_register_passes(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, mlirRegisterAllPasses);
}
