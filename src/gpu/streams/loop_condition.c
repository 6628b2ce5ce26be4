//===- loop_condition.c - Kernels that end a loop -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the host computes a loop's condition with, as a kernel of one thread: it
// loads from the memory that the host has a copy of, and ends with a call of
// the device's cudaGraphSetConditional, which the driver defines.
//
//     %v = memref.load %host[%c0]          gpu.func @k(%h: i64, %dev) kernel {
//     %go = arith.cmpi ne, %v, %zero  ->     %v = memref.load %dev[%c0]
//     scf.condition(%go)                     ...
//                                            call @cudaGraphSetConditional(%h,
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/device_loop.h"

#include "lower/ir/copies.h"
#include "lower/ir/ir.h"
#include "lower/ir/llvm_ops.h"
#include "lower/ir/text.h"

#include <stdlib.h>

/// What the condition is computed of.
typedef struct slice {
  const agpu__device_loop *loop;
  agpu__ops ops;       ///< in an order in which they may stand
  agpu__values inputs; ///< from outside of the loop
  const char *why;
} slice;

static bool is_input_type(MlirType type) {
  return mlirTypeIsAIndex(type) || mlirTypeIsAInteger(type) ||
         mlirTypeIsAFloat(type) || mlirTypeIsAMemRef(type);
}

static void add_input(slice *self, MlirValue value) {
  for (size_t i = 0; i < self->inputs.count; ++i)
    if (mlirValueEqual(self->inputs.data[i], value))
      return;
  if (!is_input_type(mlirValueGetType(value)))
    self->why = "no kernel takes what its condition is computed of";
  agpu__values_push(&self->inputs, value);
}

static bool has_op(const agpu__ops *ops, MlirOperation op) {
  for (size_t i = 0; i < ops->count; ++i)
    if (mlirOperationEqual(ops->data[i], op))
      return true;
  return false;
}

/// The device's memory that a load of the host's is to load from; null: there
/// is none.
static MlirValue find_memory(const agpu__device_loop *loop, MlirValue memref) {
  MlirValue none = {NULL};
  if (!mlirOperationIsNull(loop->copy))
    return mlirValueEqual(memref, mlirOperationGetOperand(loop->copy, 1))
               ? mlirOperationGetOperand(loop->copy, 2)
               : none;
  return mlirValueIsAOpResult(memref) &&
                 agpu__op_is(mlirOpResultGetOwner(memref), "agpu.alloc")
             ? memref
             : none;
}

static void add_value(slice *self, MlirValue value);

static void add_load(slice *self, MlirOperation load) {
  MlirValue host = mlirOperationGetOperand(load, 0);
  MlirValue memory = find_memory(self->loop, host);
  if (mlirValueIsNull(memory) ||
      !mlirTypeEqual(mlirValueGetType(memory), mlirValueGetType(host))) {
    self->why = "its condition is not computed of the device's memory alone";
    return;
  }
  add_input(self, memory);
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(load); ++i)
    add_value(self, mlirOperationGetOperand(load, i));
}

/// An op of the loop, or a constant.
static void add_op(slice *self, MlirOperation op) {
  if (has_op(&self->ops, op) || self->why)
    return;
  if (agpu__op_is(op, "memref.load"))
    add_load(self, op);
  else if (!agpu__op_in_dialect(op, "arith"))
    self->why = "its condition is more than arithmetic";
  else
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      add_value(self, mlirOperationGetOperand(op, i));
  agpu__ops_push(&self->ops, op);
}

static void add_value(slice *self, MlirValue value) {
  MlirOperation op = {NULL};
  if (mlirValueIsAOpResult(value))
    op = mlirOpResultGetOwner(value);
  if (!mlirOperationIsNull(op) &&
      (agpu__op_is(op, "arith.constant") ||
       mlirBlockEqual(mlirOperationGetBlock(op), self->loop->before)))
    add_op(self, op);
  else
    add_input(self, value);
}

/// A module for the kernel alone: drivers that lack the function which it calls
/// cannot load it.
static MlirOperation build_module(MlirOperation module, const char *name,
                                  MlirLocation location) {
  agpu__builder at =
      agpu__builder_at_start(agpu__module_body(module), location);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, mlirBlockCreate(0, NULL, NULL));
  MlirNamedAttribute attribute =
      agpu__named(at.context, "sym_name", agpu__string_attr(at.context, name));
  return agpu__build(&at, &(agpu__op_spec){.name = "gpu.module",
                                           .location = location,
                                           .attributes = &attribute,
                                           .attribute_count = 1,
                                           .regions = &region,
                                           .region_count = 1});
}

/// The kernel's op, with an empty body.
static MlirBlock build_function(MlirOperation gpu_module, const char *name,
                                const agpu__values *inputs,
                                MlirLocation location) {
  agpu__builder at =
      agpu__builder_at_start(agpu__module_body(gpu_module), location);
  size_t count = inputs->count + 1;
  MlirType *types = agpu__allocate(count, sizeof *types);
  MlirLocation *places = agpu__allocate(count, sizeof *places);
  types[0] = agpu__i64_type(at.context);
  places[0] = location;
  for (size_t i = 1; i < count; ++i) {
    types[i] = mlirValueGetType(inputs->data[i - 1]);
    places[i] = location;
  }
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate((intptr_t)count, types, places);
  mlirRegionAppendOwnedBlock(region, block);
  MlirNamedAttribute attributes[] = {
      agpu__named(at.context, "sym_name", agpu__string_attr(at.context, name)),
      agpu__named(at.context, "function_type",
                  mlirTypeAttrGet(mlirFunctionTypeGet(
                      at.context, (intptr_t)count, types, 0, NULL))),
      agpu__named(at.context, "gpu.kernel", mlirUnitAttrGet(at.context))};
  agpu__build(&at, &(agpu__op_spec){.name = "gpu.func",
                                    .location = location,
                                    .attributes = attributes,
                                    .attribute_count = 3,
                                    .regions = &region,
                                    .region_count = 1});
  free(types);
  free(places);
  return block;
}

/// The op in the kernel: a load is of the device's memory.
static void copy_into_kernel(const agpu__device_loop *loop, MlirOperation op,
                             MlirBlock block, agpu__copies *copies) {
  agpu__append_copy(copies, op, block);
  if (!agpu__op_is(op, "memref.load"))
    return;
  MlirValue memory = find_memory(loop, mlirOperationGetOperand(op, 0));
  MlirOperation made =
      mlirOpResultGetOwner(agpu__copies_get(copies, agpu__result(op, 0)));
  mlirOperationSetOperand(made, 0, agpu__copies_get(copies, memory));
}

MlirAttribute agpu__loop_condition_build(MlirOperation module,
                                         agpu__device_loop *of, size_t number,
                                         agpu__values *out_arguments) {
  MlirOperation end = mlirBlockGetTerminator(of->before);
  MlirLocation location = mlirOperationGetLocation(of->loop);
  MlirAttribute none = {NULL};
  slice self = {.loop = of};
  MlirValue condition = mlirOperationGetOperand(end, 0);
  add_value(&self, condition);
  of->why = self.why;
  if (self.why) {
    agpu__ops_free(&self.ops);
    agpu__values_free(&self.inputs);
    return none;
  }
  char *name = agpu__format("agpu_loop_condition_%zu", number);
  MlirOperation gpu_module = build_module(module, name, location);
  MlirBlock block = build_function(gpu_module, name, &self.inputs, location);
  agpu__copies copies = {0};
  for (size_t i = 0; i < self.inputs.count; ++i)
    agpu__copies_set(&copies, self.inputs.data[i],
                     mlirBlockGetArgument(block, (intptr_t)i + 1));
  for (size_t i = 0; i < self.ops.count; ++i)
    copy_into_kernel(of, self.ops.data[i], block, &copies);
  agpu__builder at = agpu__builder_at_end(block, location);
  MlirValue operands[] = {
      mlirBlockGetArgument(block, 0),
      agpu__build_unary(&at, "arith.extui",
                        agpu__copies_get(&copies, condition),
                        agpu__i32_type(at.context))};
  agpu__call_runtime(&at, gpu_module, "cudaGraphSetConditional", operands, 2,
                     (MlirType){NULL});
  agpu__build_effect(&at, "gpu.return", NULL, 0);
  MlirAttribute inner = mlirFlatSymbolRefAttrGet(at.context, agpu__str(name));
  MlirAttribute result =
      mlirSymbolRefAttrGet(at.context, agpu__str(name), 1, &inner);
  *out_arguments = self.inputs;
  agpu__copies_free(&copies);
  agpu__ops_free(&self.ops);
  free(name);
  return result;
}
