//===- native_program.c - Kernels compiled and run in a test --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "native_program.h"

#include "async_gpu/compiled/native_thread.h"
#include "async_gpu/stream.h"
#include "lower/convert/convert.h"
#include "lower/ir/ir.h"
#include "lower/pass/pipeline.h"

#include "mlir-c/Target/LLVMIR.h"

#include "llvm-c/Core.h"
#include "llvm-c/LLJIT.h"
#include "llvm-c/Target.h"
#include "llvm-c/TargetMachine.h"
#include "llvm-c/Transforms/PassBuilder.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct native_program {
  LLVMOrcLLJITRef jit;
  char *ir; ///< after optimisation
  char *ptx;
  const agpu_native_image *image;
};

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static void check_error(const char *what, LLVMErrorRef error) {
  if (error)
    fail(what, LLVMGetErrorMessage(error));
}

/// The contents of a file.
static agpu__text read_file(const char *path) {
  agpu__text text = {0};
  FILE *file = fopen(path, "r");
  if (!file)
    fail(path, "cannot be opened");
  char buffer[4096];
  for (size_t size; (size = fread(buffer, 1, sizeof(buffer), file)) > 0;)
    agpu__text_append(&text, buffer, size);
  fclose(file);
  return text;
}

/// MLIR text to a module in the LLVM dialect.
static MlirModule lower(MlirContext context, const char *path,
                        const char *options) {
  agpu__text source = read_file(path);
  MlirModule module =
      mlirModuleCreateParse(context, agpu__str(agpu__text_get(&source)));
  agpu__text_free(&source);
  if (mlirModuleIsNull(module))
    fail("parse", "failed");
  MlirOperation op = mlirModuleGetOperation(module);
  agpu__text error = {0};
  char *pipeline = agpu__format("async-gpu-kernels{%s},convert-func-to-llvm,"
                                "reconcile-unrealized-casts",
                                options ? options : "");
  bool built;
  if (mlirLogicalResultIsFailure(
          agpu__pipeline_run(op, pipeline, &built, &error)))
    fail(pipeline, agpu__text_get(&error));
  free(pipeline);
  agpu__text_free(&error);
  return module;
}

/// Compiles for this host as the JIT of a program would.
static void optimize(LLVMModuleRef module) {
  char *triple = LLVMGetDefaultTargetTriple();
  char *cpu = LLVMGetHostCPUName();
  char *features = LLVMGetHostCPUFeatures();
  LLVMTargetRef target;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(triple, &target, &message))
    fail("target", message);
  LLVMTargetMachineRef machine = LLVMCreateTargetMachine(
      target, triple, cpu, features, LLVMCodeGenLevelDefault, LLVMRelocPIC,
      LLVMCodeModelDefault);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetModuleDataLayout(module, layout);
  LLVMSetTarget(module, triple);
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  check_error("optimise",
              LLVMRunPasses(module, "default<O2>", machine, options));
  agpu__expand_bfloat(module);
  LLVMDisposePassBuilderOptions(options);
  LLVMDisposeTargetData(layout);
  LLVMDisposeTargetMachine(machine);
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
}

native_program *native_program_create(const char *path, const char *options) {
  LLVMInitializeNativeTarget();
  LLVMInitializeNativeAsmPrinter();
  agpu__context_register_passes();
  MlirContext context = agpu__context_create();
  MlirModule mlir = lower(context, path, options);

  LLVMContextRef llvm = LLVMContextCreate();
  LLVMOrcThreadSafeContextRef safe =
      LLVMOrcCreateNewThreadSafeContextFromLLVMContext(llvm);
  LLVMModuleRef module =
      mlirTranslateModuleToLLVMIR(mlirModuleGetOperation(mlir), llvm);
  if (!module)
    fail("translate", "failed");
  mlirModuleDestroy(mlir);
  mlirContextDestroy(context);

  native_program *program = calloc(1, sizeof(*program));
  // The test looks the module descriptor up by name.
  LLVMSetLinkage(LLVMGetNamedGlobal(module, "agpu_module.m"),
                 LLVMExternalLinkage);
  optimize(module);
  program->ir = LLVMPrintModuleToString(module);
  check_error("jit", LLVMOrcCreateLLJIT(&program->jit, NULL));
  LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(program->jit);
  LLVMOrcDefinitionGeneratorRef process;
  check_error(
      "process symbols",
      LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
          &process, LLVMOrcLLJITGetGlobalPrefix(program->jit), NULL, NULL));
  LLVMOrcJITDylibAddGenerator(library, process);
  check_error("add", LLVMOrcLLJITAddLLVMIRModule(
                         program->jit, library,
                         LLVMOrcCreateNewThreadSafeModule(module, safe)));
  LLVMOrcDisposeThreadSafeContext(safe);
  LLVMOrcExecutorAddress address;
  check_error("lookup",
              LLVMOrcLLJITLookup(program->jit, &address, "agpu_module.m"));

  const agpu_module_desc *desc = (const agpu_module_desc *)address;
  assert(desc->version == AGPU_MODULE_VERSION && !strcmp(desc->name, "m"));
  assert(desc->program()->kernel_count);
  for (uint32_t i = 0; i < desc->image_count; ++i) {
    const agpu_image_desc *image = &desc->images[i];
    if (image->format == AGPU_IMAGE_PTX) {
      program->ptx = strdup(image->data);
      assert(image->size == strlen(program->ptx) + 1 && image->chip == 75);
    } else {
      assert(image->format == AGPU_IMAGE_NATIVE);
      assert(image->flags & AGPU_IMAGE_BY_FUNCTION);
      const void *(*get)(void);
      memcpy(&get, &image->data, sizeof(get));
      program->image = get();
      assert(image->size == sizeof(*program->image));
    }
  }
  assert(program->image->magic == AGPU_NATIVE_MAGIC);
  return program;
}

void native_program_release(native_program *program) {
  check_error("dispose", LLVMOrcDisposeLLJIT(program->jit));
  LLVMDisposeMessage(program->ir);
  free(program->ptx);
  free(program);
}

const char *native_program_ptx(const native_program *program) {
  return program->ptx;
}

int native_program_contains(const native_program *program, const char *text) {
  return strstr(program->ir, text) != NULL;
}

/// What the emulated device does for loops over the threads of a block. A test
/// runs one launch at a time; its memory lasts until that ends.
static struct {
  size_t thread_count;
  void **pieces;
  size_t count;
} memory;

void *agpu_native_memory(uint64_t bytes) {
  size_t size = (size_t)bytes * memory.thread_count;
  void **pieces =
      realloc(memory.pieces, (memory.count + 1) * sizeof(*memory.pieces));
  void *piece = aligned_alloc(64, (size + 63) / 64 * 64);
  if (!pieces || !piece)
    fail("agpu_native_memory", "no memory");
  memory.pieces = pieces;
  return memory.pieces[memory.count++] = piece;
}

/// Programs give their modules back at their end: none knows of them here.
void agpu_module_release(const agpu_module_desc *module) { (void)module; }

static void free_memory(void) {
  for (size_t i = 0; i < memory.count; ++i)
    free(memory.pieces[i]);
  free(memory.pieces);
  memory.pieces = NULL;
  memory.count = 0;
}

void native_program_launch(const native_program *program, const char *name,
                           launch_shape shape, void *const *params,
                           size_t param_count) {
  const agpu_native_kernel *kernel = NULL;
  for (uint32_t i = 0; i < program->image->kernel_count; ++i)
    if (!strcmp(program->image->kernels[i].name, name))
      kernel = &program->image->kernels[i];
  if (!kernel)
    fail(name, "no such kernel");
  assert(kernel->param_count == param_count);

  // Every parameter at an odd address: nothing may rely on alignment.
  unsigned char *packed = malloc(64 * param_count + 1);
  void **moved = calloc(param_count + 1, sizeof(*moved));
  for (size_t i = 0; i < param_count; ++i) {
    assert(kernel->param_sizes[i] <= 48);
    moved[i] = packed + 64 * i + 1;
    memcpy(moved[i], params[i], kernel->param_sizes[i]);
  }
  memory.thread_count =
      (size_t)shape.block[0] * shape.block[1] * shape.block[2];
  agpu_native_block block = {0};
  memcpy(block.grid_dim, shape.grid, sizeof(shape.grid));
  memcpy(block.block_dim, shape.block, sizeof(shape.block));
  for (block.block_id[2] = 0; block.block_id[2] < shape.grid[2];
       ++block.block_id[2])
    for (block.block_id[1] = 0; block.block_id[1] < shape.grid[1];
         ++block.block_id[1])
      for (block.block_id[0] = 0; block.block_id[0] < shape.grid[0];
           ++block.block_id[0])
        kernel->run((void *const *)moved, &block);
  free_memory();
  free(moved);
  free(packed);
}

memref memref_1d(void *data, int64_t size) {
  return (memref){data, data, 0, {size, 0}, {1, 0}};
}

memref memref_2d(void *data, int64_t rows, int64_t columns) {
  return (memref){data, data, 0, {rows, columns}, {columns, 1}};
}
