//===- stream_calls.c - Stream ops become runtime calls -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-stream-calls`.
//
// Ops of the private dialect, and GPU ops that stand on a stream, become calls
// of the runtime, one each; each call takes the op's place in the source.
// Nothing is decided here: what waits for what stands in the operands.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernels/kernels.h"
#include "gpu/streams/streams.h"

#include <stdlib.h>

static const MlirType no_type = {NULL};

/// One op on its way.
typedef struct lowering {
  MlirOperation module;
  MlirSymbolTable symbols; ///< of the module, for what there are many of
  agpu__launch_stubs *stubs;
  MlirOperation op;
  agpu__builder at;
  bool bare_pointers;
} lowering;

static MlirValue operand(const lowering *self, intptr_t index) {
  return mlirOperationGetOperand(self->op, index);
}

static MlirValue call(lowering *self, const char *name,
                      const MlirValue *operands, size_t count,
                      MlirType result) {
  return agpu__call_runtime(&self->at, self->module, name, operands, count,
                            result);
}

static MlirValue location(lowering *self) {
  return agpu__location_constant(&self->at, self->module);
}

/// Operand `index`, a ranked memref of a strided layout, taken apart; a null
/// descriptor after an error.
static agpu__view view_operand(lowering *self, intptr_t index,
                               const char *what) {
  agpu__view view = {.type = mlirValueGetType(operand(self, index))};
  if (!mlirTypeIsAMemRef(view.type))
    agpu__error(self->at.location,
                "%s of an unranked memref is not supported: cast it to a "
                "ranked memref first",
                what);
  else if (!agpu__memref_is_strided(view.type))
    agpu__error(self->at.location,
                "%s of a memref whose layout is not strided is not supported",
                what);
  else
    view.descriptor = agpu__memref_descriptor(&self->at, operand(self, index));
  return view;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static MlirLogicalResult lower_alloc(lowering *self) {
  agpu__builder *at = &self->at;
  MlirValue memref = agpu__result(self->op, 0);
  MlirType type = mlirValueGetType(memref);
  MlirAttribute space = mlirMemRefTypeGetMemorySpace(type);
  if (!agpu__memref_is_allocatable(type) ||
      (!mlirAttributeIsNull(space) && !mlirAttributeIsAInteger(space)))
    return agpu__error(at->location,
                       "gpu.alloc needs a memref in the default, the global or "
                       "a numbered memory space, whose layout is the identity, "
                       "or strided without negative numbers");
  if (mlirTypeIsNull(agpu__payload_type(mlirShapedTypeGetElementType(type))))
    return agpu__error(at->location,
                       "the element type of this memref has no LLVM type");

  size_t operand_count = (size_t)mlirOperationGetNumOperands(self->op);
  if (operand_count != 1 + agpu__memref_dynamic_count(type))
    return agpu__error(at->location,
                       "agpu.alloc needs one size for each dynamic size, "
                       "offset and stride of its memref");

  AGPU__SCOPED(values) dynamic = {0};
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(self->op); ++i) {
    MlirValue index = operand(self, i);
    agpu__values_push(&dynamic, agpu__build_unary(at, "arith.index_cast", index,
                                                  agpu__i64_type(at->context)));
  }
  AGPU__SCOPED(memref_shape) shape =
      agpu__memref_shape_create(at, type, dynamic.data);
  MlirValue bytes = agpu__llvm_multiply_size(
      at, agpu__memref_element_bytes(at, type), shape.extent);
  MlirValue operands[] = {
      operand(self, 0), bytes,
      agpu__llvm_constant(
          at, mlirIntegerAttrGet(agpu__i1_type(at->context),
                                 agpu__has_attr(self->op, "host_shared"))),
      location(self)};
  MlirValue pointer =
      call(self, "agpu_alloc", operands, 4, agpu__ptr_type(at->context));
  agpu__replace_op_by_value(self->op, agpu__memref_make(at, &shape, pointer));
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult lower_dealloc(lowering *self) {
  MlirType type = mlirValueGetType(operand(self, 1));
  if (!mlirTypeIsAMemRef(type))
    return agpu__error(self->at.location,
                       "gpu.dealloc of an unranked memref is not supported: "
                       "cast it to a ranked memref first");
  MlirValue descriptor = agpu__memref_descriptor(&self->at, operand(self, 1));
  if (mlirValueIsNull(descriptor))
    return mlirLogicalResultFailure();
  MlirValue operands[] = {operand(self, 0),
                          agpu__memref_allocated(&self->at, type, descriptor),
                          location(self)};
  call(self, "agpu_dealloc", operands, 3, no_type);
  mlirOperationDestroy(self->op);
  return mlirLogicalResultSuccess();
}

/// One copy where the types say that it is one; else the runtime looks at the
/// shapes and strides.
static MlirLogicalResult lower_memcpy(lowering *self) {
  agpu__builder *at = &self->at;
  agpu__view target = view_operand(self, 1, "gpu.memcpy");
  if (mlirValueIsNull(target.descriptor))
    return mlirLogicalResultFailure();
  agpu__view source = view_operand(self, 2, "gpu.memcpy");
  if (mlirValueIsNull(source.descriptor))
    return mlirLogicalResultFailure();
  if (agpu__memref_is_contiguous(target.type) &&
      agpu__memref_is_contiguous(source.type) &&
      agpu__memref_has_static_shape(target.type) &&
      agpu__memref_has_static_shape(source.type)) {
    MlirValue element_bytes = agpu__memref_element_bytes(at, source.type);
    MlirValue bytes = agpu__llvm_multiply_size(
        at, agpu__memref_count(at, source.type, source.descriptor),
        element_bytes);
    MlirValue operands[] = {
        operand(self, 0),
        agpu__memref_address(at, target.type, target.descriptor),
        agpu__memref_address(at, source.type, source.descriptor), bytes,
        location(self)};
    call(self, "agpu_memcpy", operands, 5, no_type);
  } else {
    agpu__call_memcpy_strided(at, self->module, operand(self, 0), target,
                              source);
  }
  mlirOperationDestroy(self->op);
  return mlirLogicalResultSuccess();
}

/// The fill value as the low bits of an i64; null where its type has no such.
static MlirValue fill_pattern(agpu__builder *at, MlirValue value,
                              unsigned *out_bytes) {
  MlirType type = mlirValueGetType(value);
  unsigned bits;
  if (mlirTypeIsAIndex(type)) {
    value = agpu__build_unary(at, "arith.index_cast", value,
                              agpu__i64_type(at->context));
    bits = 64;
  } else if (mlirTypeIsAFloat(type)) {
    bits = mlirFloatTypeGetWidth(type);
    value = agpu__build_unary(at, "arith.bitcast", value,
                              mlirIntegerTypeGet(at->context, bits));
  } else if (mlirTypeIsAInteger(type)) {
    bits = mlirIntegerTypeGetWidth(type);
    if (!mlirIntegerTypeIsSignless(type))
      value =
          agpu__build_cast(at, value, mlirIntegerTypeGet(at->context, bits));
  } else {
    return (MlirValue){NULL};
  }
  // An i1 element takes a byte.
  if (bits != 1 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return (MlirValue){NULL};
  *out_bytes = bits < 8 ? 1 : bits / 8;
  if (bits == 64)
    return value;
  return agpu__build_unary(at, "arith.extui", value,
                           agpu__i64_type(at->context));
}

static MlirLogicalResult lower_memset(lowering *self) {
  agpu__builder *at = &self->at;
  agpu__view target = view_operand(self, 1, "gpu.memset");
  if (mlirValueIsNull(target.descriptor))
    return mlirLogicalResultFailure();
  unsigned bytes = 0;
  MlirValue pattern = fill_pattern(at, operand(self, 2), &bytes);
  if (mlirValueIsNull(pattern))
    return agpu__error(at->location, "gpu.memset needs an element type of 8, "
                                     "16, 32 or 64 bits");
  if (agpu__memref_is_contiguous(target.type)) {
    MlirValue operands[] = {
        operand(self, 0),
        agpu__memref_address(at, target.type, target.descriptor),
        pattern,
        agpu__llvm_i64(at, bytes),
        agpu__memref_count(at, target.type, target.descriptor),
        location(self)};
    call(self, "agpu_memset", operands, 6, no_type);
  } else {
    agpu__call_memset_strided(at, self->module, operand(self, 0), target,
                              pattern, bytes);
  }
  mlirOperationDestroy(self->op);
  return mlirLogicalResultSuccess();
}

/// Host registration takes an unranked memref: its rank and the address of its
/// ranked descriptor.
static MlirLogicalResult lower_registration(lowering *self,
                                            const char *function) {
  agpu__builder *at = &self->at;
  MlirValue memref = operand(self, 1);
  MlirType element = agpu__payload_type(
      mlirShapedTypeGetElementType(mlirValueGetType(memref)));
  if (mlirTypeIsNull(element))
    return agpu__error(at->location,
                       "the element type of this memref has no LLVM type");
  MlirValue descriptor = agpu__memref_descriptor(at, memref);
  MlirValue operands[] = {
      operand(self, 0),
      agpu__extract(at, descriptor, 0, -1, agpu__i64_type(at->context)),
      agpu__extract(at, descriptor, 1, -1, agpu__ptr_type(at->context)),
      agpu__llvm_size_of(at, element), location(self)};
  call(self, function, operands, 5, no_type);
  mlirOperationDestroy(self->op);
  return mlirLogicalResultSuccess();
}

//===----------------------------------------------------------------------===//
// Streams and objects
//===----------------------------------------------------------------------===//

/// Ops whose operands and result are the function's; some functions take the
/// location last.
static const struct {
  const char *op, *function;
  bool location;
} plain_calls[] = {
    {"agpu.stream_acquire", "agpu_stream_acquire", true},
    {"agpu.stream_release", "agpu_stream_release", false},
    {"agpu.stream_record", "agpu_stream_record", false},
    {"agpu.stream_enter", "agpu_stream_enter", false},
    {"agpu.stream_leave", "agpu_stream_leave", true},
    {"agpu.set_enqueued", "agpu_object_set_enqueued", false},
    {"agpu.default_device", "agpu_default_device", false},
    {"agpu.enter_device", "agpu_enter_device", false},
    {"agpu.set_default_device", "agpu_set_default_device", true},
};

static void set_priority(lowering *self, MlirValue stream) {
  MlirValue operands[] = {
      stream, agpu__llvm_constant(&self->at,
                                  agpu__attr(self->op, AGPU__PRIORITY_ATTR))};
  call(self, "agpu_stream_set_priority", operands, 2, no_type);
}

static bool lower_plain(lowering *self) {
  for (size_t i = 0; i < AGPU__COUNT(plain_calls); ++i) {
    if (!agpu__op_is(self->op, plain_calls[i].op))
      continue;
    AGPU__SCOPED(values) operands = agpu__operands(self->op, 0);
    if (plain_calls[i].location)
      agpu__values_push(&operands, location(self));
    MlirValue made = call(
        self,
        agpu__has_attr(self->op, AGPU__GRAPH_ATTR) ? "agpu_graph_stream_acquire"
                                                   : plain_calls[i].function,
        operands.data, operands.count, agpu__result_type(self->op));
    if (agpu__has_attr(self->op, AGPU__PRIORITY_ATTR))
      set_priority(self, made);
    agpu__replace_op_by_value(self->op, made);
    return true;
  }
  return false;
}

/// `agpu.stream_depend`.
static void lower_depend(lowering *self) {
  MlirStringRef how = agpu__get_string(self->op, AGPU__HOW_ATTR);
  MlirValue operands[] = {operand(self, 0), operand(self, 1), {NULL}};
  bool is_last = mlirStringRefEqual(how, agpu__str(AGPU__WAIT_LAST));
  if (is_last || mlirStringRefEqual(how, agpu__str(AGPU__WAIT_STREAM))) {
    operands[2] = agpu__llvm_constant(
        &self->at,
        mlirIntegerAttrGet(agpu__i1_type(self->at.context), is_last));
    call(self, "agpu_stream_continue", operands, 3, no_type);
  } else {
    call(self, "agpu_stream_wait", operands, 2, no_type);
  }
  mlirOperationDestroy(self->op);
}

static MlirLogicalResult lower(lowering *self) {
  MlirOperation op = self->op;
  if (lower_plain(self))
    return mlirLogicalResultSuccess();
  if (agpu__op_is(op, "agpu.stream_depend")) {
    lower_depend(self);
    return mlirLogicalResultSuccess();
  }
  if (agpu__op_is(op, "agpu.launch") || agpu__op_is(op, "agpu.launch_with"))
    return agpu__lower_launch(self->stubs, self->module, self->symbols, op,
                              self->bare_pointers);
  if (agpu__op_is(op, "agpu.call"))
    return agpu__lower_call(self->module, self->symbols, op);
  if (agpu__op_is(op, "agpu.host_call")) {
    agpu__lower_host_call(self->module, op);
    return mlirLogicalResultSuccess();
  }
  if (agpu__graph_part_lower(self->module, self->symbols, op))
    return mlirLogicalResultSuccess();
  if (agpu__op_is(op, "agpu.alloc"))
    return lower_alloc(self);
  if (agpu__op_is(op, "agpu.dealloc"))
    return lower_dealloc(self);
  if (agpu__op_is(op, "agpu.memcpy"))
    return lower_memcpy(self);
  if (agpu__op_is(op, "agpu.memset"))
    return lower_memset(self);
  if (agpu__op_is(op, "agpu.host_register"))
    return lower_registration(self, "agpu_host_register_memref");
  if (agpu__op_is(op, "agpu.host_unregister"))
    return lower_registration(self, "agpu_host_unregister_memref");
  if (agpu__op_is(op, "agpu.stream_wait"))
    return agpu__error(self->at.location,
                       "agpu.stream_wait must become a suspension first: run "
                       "--async-gpu-coroutines before this pass");
  return mlirLogicalResultSuccess(); // an op of the host side
}

static MlirLogicalResult run(MlirOperation module) {
  bool bare_pointers = agpu__convention_is_bare(module);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  AGPU__SCOPED(launch_stubs) stubs = {0};
  AGPU__OPS_IN_FOREACH (op, module, NULL) {
    if (agpu__op_is(op, "func.call"))
      agpu__remove_attr(op, AGPU__ENQUEUE_ATTR);
    if (!agpu__op_in_dialect(op, "agpu"))
      continue;
    lowering self = {
        module, symbols, &stubs, op, agpu__builder_before(op), bare_pointers};
    if (mlirLogicalResultIsFailure(lower(&self)))
      result = mlirLogicalResultFailure();
  }
  mlirSymbolTableDestroy(symbols);
  agpu__convention_forget(module);
  return result;
}

const agpu_pass agpu__pass_stream_calls = {
    .argument = "async-gpu-stream-calls",
    .summary = "Turn stream ops into runtime calls",
    .run = run,
};
