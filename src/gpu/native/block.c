//===- block.c - async-gpu-native-block -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last pass for native code: one function for each kernel that runs a block
// of threads, whichever way its body was prepared for. What it leaves is code
// of a host, and says all that a program has to know of its kernels.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"
#include "gpu/native/native.h"
#include "gpu/nvvm/nvvm.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// The kernel that a block function is built for.
typedef struct kernel {
  MlirOperation gpu_module;
  MlirOperation own;  ///< what it was made of
  MlirOperation body; ///< the same, or another's that it shares
  MlirType type;      ///< of the body
  intptr_t inputs, params;
  int64_t shared_bytes; ///< the kernel's own
  bool loops, waits;
  MlirAttribute size; ///< of all blocks, an array of three i32; or null
} kernel;

//===----------------------------------------------------------------------===//
// The block function
//===----------------------------------------------------------------------===//

/// A load with the given alignment in bytes.
static MlirValue load(agpu__builder *at, MlirValue address, MlirType type,
                      int64_t alignment) {
  return agpu__build_with(at, "llvm.load", &address, 1, type, "alignment",
                          agpu__i64_attr(at->context, alignment));
}

static void call_body(agpu__builder *at, const kernel *self,
                      const MlirValue *operands) {
  agpu__llvm_call(
      at, mlirStringAttrGetValue(agpu__attr(self->body, "sym_name")).data,
      operands, (size_t)self->inputs, (MlirType){NULL});
}

/// The three words at `offset` of the agpu_native_block at `block`.
static void load_triple(agpu__builder *at, MlirValue block, size_t offset,
                        MlirValue *out_words) {
  for (int dimension = 0; dimension < 3; ++dimension) {
    int64_t place = (int64_t)(offset + (size_t)dimension * sizeof(uint32_t));
    out_words[dimension] = load(at, agpu__llvm_byte(at, block, place),
                                agpu__i32_type(at->context), sizeof(uint32_t));
  }
}

/// Loads the parameters once, before the loops. Launches may have packed them,
/// so nothing is assumed of their alignment.
static void load_parameters(agpu__builder *at, MlirValue params,
                            MlirType body_type, intptr_t count,
                            MlirValue *out_values) {
  MlirType pointer = agpu__ptr_type(at->context);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue slot = agpu__llvm_element_at(at, params, pointer, (int32_t)i);
    MlirValue address = load(at, slot, pointer, sizeof(void *));
    out_values[i] =
        load(at, address, mlirLLVMFunctionTypeGetInput(body_type, i), 1);
  }
}

/// The llvm.func after `own`, with an entry block.
static MlirOperation build_function(MlirOperation own, const char *symbol) {
  agpu__builder at = agpu__builder_after(own);
  MlirType inputs[] = {agpu__ptr_type(at.context), agpu__ptr_type(at.context)};
  const agpu__function_spec spec = {
      .op = "llvm.func",
      .name = symbol,
      .type = mlirLLVMFunctionTypeGet(mlirLLVMVoidTypeGet(at.context), 2,
                                      inputs, false),
      .with_body = true,
      .is_internal = true};
  return agpu__build_function(&at, &spec);
}

/// The record of the thread with the given ids, in the block's array.
static MlirValue thread_record(agpu__builder *at, MlirValue threads,
                               const MlirValue *ids) {
  MlirType bytes = mlirLLVMArrayTypeGet(agpu__i8_type(at->context),
                                        sizeof(agpu_native_thread));
  return agpu__llvm_element(at, threads, bytes,
                            agpu__simt_linear_thread(at, ids));
}

/// Calls the body for each thread: loops over z, y, x. `operands` are all but
/// the ids of the thread and its record. No dimension of a block is 0: launches
/// refuse that, as CUDA does. `at` goes after the loops.
static void build_calls(agpu__builder *at, MlirRegion region,
                        const kernel *self, MlirValue *operands, MlirValue *ids,
                        MlirValue threads) {
  MlirType i32 = agpu__i32_type(at->context);
  MlirBlock headers[3], ends[3];
  for (int dimension = 2; dimension >= 0; --dimension) {
    headers[dimension] = mlirBlockCreate(1, &i32, &at->location);
    mlirRegionAppendOwnedBlock(region, headers[dimension]);
  }
  for (int dimension = 0; dimension < 3; ++dimension) {
    ends[dimension] = mlirBlockCreate(0, NULL, NULL);
    mlirRegionAppendOwnedBlock(region, ends[dimension]);
    ids[3 * AGPU__SIMT_TID + dimension] =
        mlirBlockGetArgument(headers[dimension], 0);
  }
  MlirValue zero = agpu__llvm_i32(at, 0);
  MlirValue one = agpu__llvm_i32(at, 1);
  for (int dimension = 2; dimension >= 0; --dimension) {
    agpu__llvm_branch(at, headers[dimension], &zero, 1);
    *at = agpu__builder_at_end(headers[dimension], at->location);
  }
  if (self->waits)
    ids[AGPU__SIMT_CONTEXT_COUNT] = thread_record(at, threads, ids);
  call_body(at, self, operands);
  for (int dimension = 0; dimension < 3; ++dimension) {
    agpu__simt_loop_latch(at, headers[dimension], ends[dimension],
                          ids[3 * AGPU__SIMT_TID + dimension],
                          ids[3 * AGPU__SIMT_NTID + dimension], one,
                          mlirAttributeGetNull());
    *at = agpu__builder_at_end(ends[dimension], at->location);
  }
}

/// Has launches with blocks of another size fail.
static void expect_size(agpu__builder *at, MlirOperation gpu_module,
                        MlirAttribute size) {
  MlirValue operands[3];
  for (intptr_t d = 0; d < 3; ++d)
    operands[d] = agpu__llvm_i32(at, mlirDenseI32ArrayGetElement(size, d));
  agpu__call_runtime(at, gpu_module, "agpu_native_expect_size", operands, 3,
                     (MlirType){NULL});
}

/// Builds the block function.
static MlirOperation build_block(const kernel *self) {
  MlirLocation location = mlirOperationGetLocation(self->own);
  MlirType pointer = agpu__ptr_type(mlirLocationGetContext(location));
  AGPU__OWNED char *symbol =
      agpu__embed_symbol("agpu_native", agpu__source_module(self->gpu_module),
                         agpu__source_kernel(self->own));
  MlirOperation function = build_function(self->own, symbol);
  MlirBlock entry = agpu__entry_block(function);
  agpu__builder at = agpu__builder_at_end(entry, location);
  AGPU__OWNED MlirValue *operands =
      agpu__allocate((size_t)self->inputs, sizeof(*operands));
  MlirValue *ids = operands + self->params;
  MlirValue block = mlirBlockGetArgument(entry, 1);
  load_triple(&at, block, offsetof(agpu_native_block, block_dim),
              ids + 3 * AGPU__SIMT_NTID);
  load_triple(&at, block, offsetof(agpu_native_block, block_id),
              ids + 3 * AGPU__SIMT_CTAID);
  load_triple(&at, block, offsetof(agpu_native_block, grid_dim),
              ids + 3 * AGPU__SIMT_NCTAID);
  ids[AGPU__SIMT_SHARED] = load(
      &at, agpu__llvm_byte(&at, block, offsetof(agpu_native_block, shared)),
      pointer, sizeof(void *));
  ids[AGPU__SIMT_DYNAMIC_SHARED] =
      agpu__llvm_byte(&at, ids[AGPU__SIMT_SHARED], self->shared_bytes);
  load_parameters(&at, mlirBlockGetArgument(entry, 0), self->type, self->params,
                  operands);
  if (!mlirAttributeIsNull(self->size))
    expect_size(&at, self->gpu_module, self->size);
  MlirValue threads = {NULL};
  if (self->waits)
    threads = agpu__call_runtime(&at, self->gpu_module,
                                 "agpu_native_begin_block", &block, 1, pointer);
  if (self->loops) {
    for (int dimension = 0; dimension < 3; ++dimension)
      ids[3 * AGPU__SIMT_TID + dimension] = agpu__llvm_i32(&at, 0);
    call_body(&at, self, operands);
  } else {
    build_calls(&at, mlirOperationGetRegion(function, 0), self, operands, ids,
                threads);
  }
  if (self->waits)
    agpu__call_runtime(&at, self->gpu_module, "agpu_native_run_block", &block,
                       1, (MlirType){NULL});
  agpu__llvm_return(&at, (MlirValue){NULL});
  return function;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Hands on what the program's descriptor of the kernel has to hold.
static void describe(const kernel *self, MlirOperation function) {
  const struct {
    const char *name;
    MlirOperation from;
  } kept[] = {{AGPU__KERNEL_NAME, self->own},
              {AGPU__IMAGE_NAME, self->own},
              {AGPU__ALIKE_TO, self->own},
              {AGPU__ALIKE_CONSTANTS, self->own},
              {AGPU__KERNEL_POINTERS, self->body},
              {AGPU__SIMT_SHARED_BYTES, self->body},
              {AGPU__SIMT_MOST_SHARED, self->body}};
  for (size_t i = 0; i < AGPU__COUNT(kept); ++i)
    if (agpu__has_attr(kept[i].from, kept[i].name))
      agpu__set_attr(function, kept[i].name,
                     agpu__attr(kept[i].from, kept[i].name));
  AGPU__OWNED int32_t *sizes =
      agpu__allocate((size_t)self->params, sizeof(*sizes));
  for (intptr_t i = 0; i < self->params; ++i) {
    uint64_t alignment;
    sizes[i] = (int32_t)agpu__type_size(
        mlirLLVMFunctionTypeGetInput(self->type, i), &alignment);
  }
  agpu__set_attr(function, AGPU__SIMT_PARAM_SIZES,
                 mlirDenseI32ArrayGet(mlirOperationGetContext(function),
                                      self->params, sizes));
}

/// Makes a function or global one of a host's program.
static void internalize(MlirOperation op, const kernel *self) {
  MlirContext context = mlirOperationGetContext(op);
  // Marks for the NVPTX backend mean nothing or the wrong thing on the host.
  for (intptr_t i = mlirOperationGetNumDiscardableAttributes(op); i-- > 0;) {
    MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(op, i);
    mlirOperationRemoveDiscardableAttributeByName(
        op, mlirIdentifierStr(attribute.name));
  }
  agpu__set_attr(op, "linkage",
                 mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageInternal));
  if (!self)
    return;
  // A coroutine must be split before any part of it is inlined; what has loops
  // of its own keeps what is said of its parameters.
  if (self->loops) {
    agpu__set_attr(op, "no_inline", mlirUnitAttrGet(context));
    // Where there are vectors of 512 bits: compilers avoid them for the sake of
    // the code around, of which there is none.
    agpu__set_attr(
        op, "passthrough",
        agpu__parse_attr(context, "[[\"prefer-vector-width\", \"512\"]]"));
  } else if (!self->waits) {
    agpu__set_attr(op, "always_inline", mlirUnitAttrGet(context));
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The kernel whose body is that of `own`; null after a diagnostic.
static MlirOperation find_body(const agpu__ops *kernels, MlirOperation own) {
  if (!agpu__has_attr(own, AGPU__ALIKE_TO))
    return own;
  MlirStringRef name = agpu__get_string(own, AGPU__ALIKE_TO);
  for (size_t i = 0; i < kernels->count; ++i)
    if (mlirStringRefEqual(agpu__source_kernel(kernels->data[i]), name))
      return kernels->data[i];
  agpu__error(mlirOperationGetLocation(own),
              "shares the body of a kernel '%.*s', which is not there",
              AGPU__STR(name));
  return (MlirOperation){NULL};
}

/// What the passes before have left of `own`, whose body `body` has; fails with
/// a diagnostic where something is missing.
static MlirLogicalResult read_kernel(MlirOperation gpu_module,
                                     MlirOperation own, MlirOperation body,
                                     kernel *out) {
  MlirValue context[AGPU__SIMT_CONTEXT_COUNT];
  if (mlirLogicalResultIsFailure(agpu__simt_context(body, context)))
    return mlirLogicalResultFailure();
  *out =
      (kernel){.gpu_module = gpu_module,
               .own = own,
               .body = body,
               .type = agpu__function_type(body),
               .params = agpu__get_int(body, AGPU__SIMT_CONTEXT, 0),
               .shared_bytes = agpu__get_int(body, AGPU__SIMT_SHARED_BYTES, -1),
               .loops = agpu__simt_threads_are(body, AGPU__SIMT_LOOPS),
               .waits = agpu__simt_threads_are(body, AGPU__SIMT_COROUTINES),
               .size = agpu__simt_known_size(body)};
  out->inputs = mlirLLVMFunctionTypeGetNumInputs(out->type);
  if (out->shared_bytes < 0)
    return agpu__missing_attribute(body, AGPU__SIMT_SHARED_BYTES,
                                   AGPU__SIMT_PASS("shared-memory"));
  if (!out->loops && !out->waits &&
      !agpu__simt_threads_are(body, AGPU__SIMT_CALLS))
    return agpu__missing_attribute(body, AGPU__SIMT_THREADS,
                                   AGPU__SIMT_PASS("coroutines"));
  if (out->inputs !=
      out->params + AGPU__SIMT_CONTEXT_COUNT + (out->waits ? 1 : 0))
    return agpu__missing_attribute(body, AGPU__SIMT_CONTEXT,
                                   AGPU__SIMT_PASS("context"));
  return mlirLogicalResultSuccess();
}

/// Drops declarations of functions that the GPU's side has. Everything else is
/// made the host's.
static void finish(MlirOperation gpu_module) {
  MlirOperation op = mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
  while (!mlirOperationIsNull(op)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    if (agpu__op_is(op, "llvm.func") && agpu__is_declaration(op)) {
      mlirOperationDestroy(op);
    } else if (agpu__op_is(op, "llvm.func") &&
               !agpu__has_attr(op, AGPU__SIMT_PARAM_SIZES) &&
               !agpu__nvvm_is_kernel(op)) {
      internalize(op, NULL);
    } else if (agpu__op_is(op, "llvm.mlir.global") &&
               !agpu__has_attr(op, AGPU__STRING)) {
      internalize(op, NULL);
    }
    op = next;
  }
}

static MlirLogicalResult run(MlirOperation gpu_module) {
  if (!agpu__simt_is_meant(gpu_module))
    return mlirLogicalResultSuccess();
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) kernels = {0};
  agpu__simt_functions(gpu_module, true, &kernels);
  finish(gpu_module);
  AGPU__OWNED kernel *all = agpu__allocate(kernels.count, sizeof(*all));
  for (size_t i = 0; i < kernels.count; ++i) {
    MlirOperation own = kernels.data[i], body = find_body(&kernels, own);
    if (mlirOperationIsNull(body) ||
        mlirLogicalResultIsFailure(read_kernel(gpu_module, own, body, &all[i])))
      result = mlirLogicalResultFailure();
    else
      describe(&all[i], build_block(&all[i]));
  }
  for (size_t i = 0; i < kernels.count && mlirLogicalResultIsSuccess(result);
       ++i)
    if (mlirOperationEqual(all[i].own, all[i].body))
      internalize(all[i].body, &all[i]);
    else
      mlirOperationDestroy(all[i].own);
  return result;
}

const agpu_pass agpu__pass_native_block = {
    .argument = AGPU__SIMT_PASS("block"),
    .anchor = "gpu.module",
    .summary = "Build the function that runs a block of each kernel",
    .run = run,
};
