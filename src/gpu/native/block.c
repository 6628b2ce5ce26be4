//===- block.c - The loop over the threads of a block ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/native/simt.h"

#include "async_gpu/compiled/native_thread.h"
#include "lower/ir/ir.h"
#include "lower/ir/llvm_ops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Ops of the LLVM dialect
//===----------------------------------------------------------------------===//

static MlirValue constant_i32(agpu__builder *at, int32_t value) {
  return agpu__llvm_constant(at, agpu__i32_attr(at->context, value));
}

/// The address of element `index` of an array of `element` at `base`.
static MlirValue element_address(agpu__builder *at, MlirValue base,
                                 MlirType element, int32_t index) {
  MlirNamedAttribute attributes[] = {
      agpu__named(at->context, "elem_type", mlirTypeAttrGet(element)),
      agpu__named(at->context, "rawConstantIndices",
                  mlirDenseI32ArrayGet(at->context, 1, &index))};
  return agpu__result(agpu__build_op(at, "llvm.getelementptr", &base, 1,
                                     agpu__ptr_type(at->context), attributes,
                                     2),
                      0);
}

/// A load with the given alignment in bytes.
static MlirValue load(agpu__builder *at, MlirValue address, MlirType type,
                      int64_t alignment) {
  MlirNamedAttribute attribute = agpu__named(
      at->context, "alignment", agpu__i64_attr(at->context, alignment));
  return agpu__result(
      agpu__build_op(at, "llvm.load", &address, 1, type, &attribute, 1), 0);
}

void agpu__simt_branch(agpu__builder *at, MlirBlock to, const MlirValue *values,
                       intptr_t count) {
  agpu__op_spec spec = {.name = "llvm.br",
                        .location = at->location,
                        .operands = values,
                        .operand_count = (size_t)count,
                        .successors = &to,
                        .successor_count = 1};
  agpu__build(at, &spec);
}

void agpu__simt_loop_latch(agpu__builder *at, MlirBlock header, MlirBlock exit,
                           MlirValue counter, MlirValue bound, MlirValue one,
                           MlirAttribute annotation) {
  MlirContext context = at->context;
  MlirNamedAttribute overflow =
      agpu__named(context, "overflowFlags",
                  agpu__parse_attr(context, "#llvm.overflow<nsw, nuw>"));
  MlirValue sum[] = {counter, one};
  MlirValue next =
      agpu__result(agpu__build_op(at, "llvm.add", sum, 2,
                                  agpu__i32_type(context), &overflow, 1),
                   0);
  // 6 is "unsigned less than".
  MlirNamedAttribute predicate =
      agpu__named(context, "predicate", agpu__i64_attr(context, 6));
  MlirValue compared[] = {next, bound};
  MlirValue more =
      agpu__result(agpu__build_op(at, "llvm.icmp", compared, 2,
                                  agpu__i1_type(context), &predicate, 1),
                   0);
  const int32_t segments[] = {1, 1, 0};
  MlirNamedAttribute attributes[2] = {
      agpu__named(context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(context, 3, segments))};
  size_t count = 1;
  if (!mlirAttributeIsNull(annotation))
    attributes[count++] = agpu__named(context, "loop_annotation", annotation);
  MlirValue operands[] = {more, next};
  MlirBlock successors[] = {header, exit};
  agpu__op_spec spec = {.name = "llvm.cond_br",
                        .location = at->location,
                        .operands = operands,
                        .operand_count = 2,
                        .attributes = attributes,
                        .attribute_count = count,
                        .successors = successors,
                        .successor_count = 2};
  agpu__build(at, &spec);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// The three words at `offset` of the agpu_native_block at `block`.
static void load_triple(agpu__builder *at, MlirValue block, size_t offset,
                        MlirValue *out_words) {
  MlirType byte = mlirIntegerTypeGet(at->context, 8);
  for (int dimension = 0; dimension < 3; ++dimension) {
    int32_t place = (int32_t)(offset + (size_t)dimension * sizeof(uint32_t));
    out_words[dimension] = load(at, element_address(at, block, byte, place),
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
    MlirValue slot = element_address(at, params, pointer, (int32_t)i);
    MlirValue address = load(at, slot, pointer, sizeof(void *));
    out_values[i] =
        load(at, address, mlirLLVMFunctionTypeGetInput(body_type, i), 1);
  }
}

static void call_body(agpu__builder *at, const char *body,
                      const MlirValue *operands, intptr_t count) {
  MlirContext context = at->context;
  const int32_t segments[] = {(int32_t)count, 0};
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "callee", agpu__symbol_attr(context, body)),
      agpu__named(context, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(context, 2, segments)),
      agpu__named(context, "op_bundle_sizes",
                  mlirDenseI32ArrayGet(context, 0, NULL))};
  agpu__build_op(at, "llvm.call", operands, (size_t)count, (MlirType){NULL},
                 attributes, 3);
}

/// The llvm.func with an empty entry block, which is stored.
static MlirRegion build_function(MlirOperation before, MlirLocation location,
                                 const char *symbol, MlirBlock *out_entry) {
  agpu__builder at = agpu__builder_before(before);
  at.location = location;
  MlirContext context = at.context;
  MlirType inputs[] = {agpu__ptr_type(context), agpu__ptr_type(context)};
  MlirType type =
      mlirLLVMFunctionTypeGet(mlirLLVMVoidTypeGet(context), 2, inputs, false);
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "sym_name", agpu__string_attr(context, symbol)),
      agpu__named(context, "function_type", mlirTypeAttrGet(type)),
      agpu__named(context, "linkage",
                  mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageInternal))};
  MlirLocation locations[] = {at.location, at.location};
  *out_entry = mlirBlockCreate(2, inputs, locations);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, *out_entry);
  agpu__op_spec spec = {.name = "llvm.func",
                        .location = at.location,
                        .attributes = attributes,
                        .attribute_count = 3,
                        .regions = &region,
                        .region_count = 1};
  return mlirOperationGetRegion(agpu__build(&at, &spec), 0);
}

/// `base` + `offset` bytes.
static MlirValue offset_address(agpu__builder *at, MlirValue base,
                                uint64_t offset) {
  return element_address(at, base, mlirIntegerTypeGet(at->context, 8),
                         (int32_t)offset);
}

/// The record of the thread with the given ids, in the block's array.
static MlirValue thread_record(agpu__builder *at, MlirValue threads,
                               const MlirValue *ids) {
  const MlirValue *tid = ids + 3 * AGPU__SIMT_TID;
  const MlirValue *size = ids + 3 * AGPU__SIMT_NTID;
  MlirValue row =
      agpu__build_binary(at, "llvm.add", tid[1],
                         agpu__build_binary(at, "llvm.mul", tid[2], size[1]));
  MlirValue number = agpu__build_binary(
      at, "llvm.add", tid[0], agpu__build_binary(at, "llvm.mul", row, size[0]));
  MlirValue operands[] = {threads, number};
  int32_t dynamic = INT32_MIN; // the index is the operand
  MlirType bytes = mlirLLVMArrayTypeGet(mlirIntegerTypeGet(at->context, 8),
                                        sizeof(agpu_native_thread));
  MlirNamedAttribute attributes[] = {
      agpu__named(at->context, "elem_type", mlirTypeAttrGet(bytes)),
      agpu__named(at->context, "rawConstantIndices",
                  mlirDenseI32ArrayGet(at->context, 1, &dynamic))};
  return agpu__result(agpu__build_op(at, "llvm.getelementptr", operands, 2,
                                     agpu__ptr_type(at->context), attributes,
                                     2),
                      0);
}

/// Calls the body for each thread: loops over z, y, x. `operands` are all but
/// the ids of the thread and its record. No dimension of a block is 0: launches
/// refuse that, as CUDA does. `at` goes behind the loops.
static void build_calls(agpu__builder *at, MlirRegion region,
                        const agpu__simt_block *spec, MlirValue *operands,
                        intptr_t inputs, MlirValue *ids, MlirValue threads) {
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
  MlirValue zero = constant_i32(at, 0);
  MlirValue one = constant_i32(at, 1);
  for (int dimension = 2; dimension >= 0; --dimension) {
    agpu__simt_branch(at, headers[dimension], &zero, 1);
    *at = agpu__builder_at_end(headers[dimension], at->location);
  }
  if (spec->method == AGPU__SIMT_COROUTINES)
    ids[AGPU__SIMT_CONTEXT_COUNT] = thread_record(at, threads, ids);
  call_body(at, spec->body, operands, inputs);
  for (int dimension = 0; dimension < 3; ++dimension) {
    agpu__simt_loop_latch(at, headers[dimension], ends[dimension],
                          ids[3 * AGPU__SIMT_TID + dimension],
                          ids[3 * AGPU__SIMT_NTID + dimension], one,
                          mlirAttributeGetNull());
    *at = agpu__builder_at_end(ends[dimension], at->location);
  }
}

/// Has launches with blocks of another size fail.
static void expect_size(agpu__builder *at, MlirOperation host_module,
                        MlirAttribute size) {
  MlirValue operands[3];
  for (intptr_t d = 0; d < 3; ++d)
    operands[d] = constant_i32(at, mlirDenseI32ArrayGetElement(size, d));
  agpu__call_runtime(at, host_module, "agpu_native_expect_size", operands, 3,
                     (MlirType){NULL});
}

void agpu__simt_build_block(MlirOperation host_module, MlirOperation before,
                            MlirLocation location,
                            const agpu__simt_block *spec) {
  MlirBlock entry;
  MlirRegion region = build_function(before, location, spec->symbol, &entry);
  MlirType pointer = agpu__ptr_type(mlirLocationGetContext(location));
  bool waits = spec->method == AGPU__SIMT_COROUTINES;

  agpu__builder at = agpu__builder_at_end(entry, location);
  intptr_t inputs = mlirLLVMFunctionTypeGetNumInputs(spec->body_type);
  intptr_t params = inputs - AGPU__SIMT_CONTEXT_COUNT - (waits ? 1 : 0);
  MlirValue *operands = calloc((size_t)inputs, sizeof(*operands));
  if (!operands)
    abort();
  MlirValue *ids = operands + params;
  MlirValue block = mlirBlockGetArgument(entry, 1);
  load_triple(&at, block, offsetof(agpu_native_block, block_dim),
              ids + 3 * AGPU__SIMT_NTID);
  load_triple(&at, block, offsetof(agpu_native_block, block_id),
              ids + 3 * AGPU__SIMT_CTAID);
  load_triple(&at, block, offsetof(agpu_native_block, grid_dim),
              ids + 3 * AGPU__SIMT_NCTAID);
  ids[AGPU__SIMT_SHARED] =
      load(&at, offset_address(&at, block, offsetof(agpu_native_block, shared)),
           pointer, sizeof(void *));
  ids[AGPU__SIMT_DYNAMIC_SHARED] =
      offset_address(&at, ids[AGPU__SIMT_SHARED], spec->shared_bytes);
  load_parameters(&at, mlirBlockGetArgument(entry, 0), spec->body_type, params,
                  operands);
  if (!mlirAttributeIsNull(spec->size))
    expect_size(&at, host_module, spec->size);
  MlirValue threads = {NULL};
  if (waits)
    threads = agpu__call_runtime(&at, host_module, "agpu_native_begin_block",
                                 &block, 1, pointer);
  if (spec->method == AGPU__SIMT_LOOPS) {
    for (int dimension = 0; dimension < 3; ++dimension)
      ids[3 * AGPU__SIMT_TID + dimension] = constant_i32(&at, 0);
    call_body(&at, spec->body, operands, inputs);
  } else {
    build_calls(&at, region, spec, operands, inputs, ids, threads);
  }
  if (waits)
    agpu__call_runtime(&at, host_module, "agpu_native_run_block", &block, 1,
                       (MlirType){NULL});
  agpu__build_op(&at, "llvm.return", NULL, 0, (MlirType){NULL}, NULL, 0);
  free(operands);
}
