//===- build.c - Building IR -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is built through mlirOperationCreate with an op's name, so that
// one function, agpu__build, has all that can go wrong. Attributes that are
// part of an op's definition are given as any other.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/build.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

agpu__builder agpu__builder_before(MlirOperation op) {
  return (agpu__builder){mlirOperationGetContext(op),
                         mlirOperationGetLocation(op),
                         mlirOperationGetBlock(op), op};
}

agpu__builder agpu__builder_after(MlirOperation op) {
  return (agpu__builder){
      mlirOperationGetContext(op), mlirOperationGetLocation(op),
      mlirOperationGetBlock(op), mlirOperationGetNextInBlock(op)};
}

agpu__builder agpu__builder_at_start(MlirBlock block, MlirLocation location) {
  return (agpu__builder){mlirLocationGetContext(location), location, block,
                         mlirBlockGetFirstOperation(block)};
}

agpu__builder agpu__builder_at_end(MlirBlock block, MlirLocation location) {
  return (agpu__builder){mlirLocationGetContext(location), location, block,
                         (MlirOperation){NULL}};
}

static void insert(agpu__builder *at, MlirOperation op) {
  if (mlirOperationIsNull(at->before))
    mlirBlockAppendOwnedOperation(at->block, op);
  else
    mlirBlockInsertOwnedOperationBefore(at->block, at->before, op);
}

MlirOperation agpu__build(agpu__builder *builder, const agpu__op_spec *spec) {
  bool has_location = !mlirLocationIsNull(spec->location);
  MlirOperationState state = mlirOperationStateGet(
      agpu__str(spec->name), has_location ? spec->location : builder->location);
  mlirOperationStateAddOperands(&state, (intptr_t)spec->operand_count,
                                spec->operands);
  mlirOperationStateAddResults(&state, (intptr_t)spec->result_count,
                               spec->results);
  mlirOperationStateAddAttributes(&state, (intptr_t)spec->attribute_count,
                                  spec->attributes);
  mlirOperationStateAddOwnedRegions(&state, (intptr_t)spec->region_count,
                                    spec->regions);
  mlirOperationStateAddSuccessors(&state, (intptr_t)spec->successor_count,
                                  spec->successors);
  MlirOperation op = mlirOperationCreate(&state);
  if (mlirOperationIsNull(op)) {
    fprintf(stderr, "async-gpu: internal error: cannot build %s\n", spec->name);
    abort();
  }
  insert(builder, op);
  return op;
}

MlirOperation agpu__build_like(agpu__builder *builder, MlirOperation op,
                               agpu__op_spec spec) {
  AGPU__SCOPED(values) operands = agpu__operands(op, 0);
  AGPU__SCOPED(values) results = agpu__results(op, 0);
  AGPU__OWNED MlirType *types = agpu__types_of(results.data, results.count);
  size_t count = (size_t)mlirOperationGetNumAttributes(op);
  size_t regions = (size_t)mlirOperationGetNumRegions(op);
  AGPU__OWNED MlirNamedAttribute *attributes =
      agpu__allocate(count, sizeof(*attributes));
  AGPU__OWNED MlirRegion *taken = agpu__allocate(regions, sizeof(*taken));
  for (size_t i = 0; i < count; ++i)
    attributes[i] = mlirOperationGetAttribute(op, (intptr_t)i);
  if (!spec.name)
    spec.name = agpu__op_name(op).data;
  if (mlirLocationIsNull(spec.location))
    spec.location = mlirOperationGetLocation(op);
  if (!spec.operands) {
    spec.operands = operands.data;
    spec.operand_count = operands.count;
  }
  if (!spec.results) {
    spec.results = types;
    spec.result_count = results.count;
  }
  if (!spec.attributes) {
    spec.attributes = attributes;
    spec.attribute_count = count;
  }
  if (!spec.regions) {
    for (size_t i = 0; i < regions; ++i) {
      taken[i] = mlirRegionCreate();
      mlirRegionTakeBody(taken[i], mlirOperationGetRegion(op, (intptr_t)i));
    }
    spec.regions = taken;
    spec.region_count = regions;
  }
  return agpu__build(builder, &spec);
}

MlirOperation agpu__build_execute(agpu__builder *at,
                                  const agpu__values *dependencies,
                                  const MlirType *results, size_t result_count,
                                  MlirRegion region) {
  const int32_t segments[] = {(int32_t)dependencies->count, 0};
  MlirNamedAttribute attribute = agpu__segments(at->context, segments, 2);
  return agpu__build(at, &(agpu__op_spec){.name = "async.execute",
                                          .operands = dependencies->data,
                                          .operand_count = dependencies->count,
                                          .results = results,
                                          .result_count = result_count,
                                          .attributes = &attribute,
                                          .attribute_count = 1,
                                          .regions = &region,
                                          .region_count = 1});
}

MlirBlock agpu__append_block(MlirRegion region) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, block);
  return block;
}

MlirRegion agpu__build_region(MlirBlock *out_block) {
  MlirRegion region = mlirRegionCreate();
  *out_block = agpu__append_block(region);
  return region;
}

agpu__if agpu__build_if(agpu__builder *at, MlirValue condition,
                        const MlirType *results, size_t result_count) {
  agpu__if made;
  MlirRegion regions[] = {agpu__build_region(&made.yes),
                          agpu__build_region(&made.no)};
  made.op = agpu__build(at, &(agpu__op_spec){.name = "scf.if",
                                             .operands = &condition,
                                             .operand_count = 1,
                                             .results = results,
                                             .result_count = result_count,
                                             .regions = regions,
                                             .region_count = 2});
  return made;
}

void agpu__build_yield(MlirBlock block, MlirLocation location,
                       const MlirValue *values, size_t count) {
  agpu__builder at = agpu__builder_at_end(block, location);
  agpu__build_effect(&at, "scf.yield", values, count);
}

void agpu__move_ops(agpu__builder *at, MlirOperation first, MlirOperation end) {
  for (MlirOperation next;
       !mlirOperationIsNull(first) && !mlirOperationEqual(first, end);
       first = next) {
    next = mlirOperationGetNextInBlock(first);
    mlirOperationRemoveFromParent(first);
    insert(at, first);
  }
}

MlirOperation agpu__build_op(agpu__builder *builder, const char *name,
                             const MlirValue *operands, size_t operand_count,
                             MlirType result,
                             const MlirNamedAttribute *attributes,
                             size_t attribute_count) {
  agpu__op_spec spec = {.name = name,
                        .operands = operands,
                        .operand_count = operand_count,
                        .results = &result,
                        .result_count = mlirTypeIsNull(result) ? 0 : 1,
                        .attributes = attributes,
                        .attribute_count = attribute_count};
  return agpu__build(builder, &spec);
}

MlirValue agpu__build_value(agpu__builder *builder, const char *name,
                            const MlirValue *operands, size_t operand_count,
                            MlirType result) {
  return agpu__result(
      agpu__build_op(builder, name, operands, operand_count, result, NULL, 0),
      0);
}

void agpu__build_effect(agpu__builder *builder, const char *name,
                        const MlirValue *operands, size_t operand_count) {
  agpu__build_op(builder, name, operands, operand_count, (MlirType){NULL}, NULL,
                 0);
}

MlirValue agpu__build_with(agpu__builder *builder, const char *name,
                           const MlirValue *operands, size_t operand_count,
                           MlirType result, const char *attribute,
                           MlirAttribute value) {
  MlirNamedAttribute named = agpu__named(builder->context, attribute, value);
  return agpu__result(
      agpu__build_op(builder, name, operands, operand_count, result, &named, 1),
      0);
}

MlirValue agpu__build_unary(agpu__builder *builder, const char *name,
                            MlirValue value, MlirType type) {
  return agpu__build_value(builder, name, &value, 1, type);
}

MlirValue agpu__build_binary(agpu__builder *builder, const char *name,
                             MlirValue a, MlirValue b) {
  MlirValue operands[] = {a, b};
  return agpu__build_value(builder, name, operands, 2, mlirValueGetType(a));
}

MlirValue agpu__build_select(agpu__builder *builder, const char *name,
                             MlirValue condition, MlirValue a, MlirValue b) {
  MlirValue operands[] = {condition, a, b};
  return agpu__build_value(builder, name, operands, 3, mlirValueGetType(a));
}

MlirValue agpu__build_compare(agpu__builder *builder, const char *name,
                              agpu__predicate predicate, MlirValue a,
                              MlirValue b) {
  MlirValue operands[] = {a, b};
  return agpu__build_with(builder, name, operands, 2,
                          agpu__i1_type(builder->context), "predicate",
                          agpu__i64_attr(builder->context, predicate));
}

MlirValue agpu__build_cast(agpu__builder *builder, MlirValue value,
                           MlirType type) {
  if (mlirTypeEqual(mlirValueGetType(value), type))
    return value;
  return agpu__build_unary(builder, "builtin.unrealized_conversion_cast", value,
                           type);
}

MlirValue agpu__build_constant(agpu__builder *builder, MlirType type,
                               int64_t value) {
  return agpu__build_with(builder, "arith.constant", NULL, 0, type, "value",
                          mlirIntegerAttrGet(type, value));
}

MlirValue agpu__index_constant(agpu__builder *builder, int64_t value) {
  return agpu__build_constant(builder, agpu__index_type(builder->context),
                              value);
}

/// One more operand count in `segment` of the op's segments.
static void grow_segment(MlirOperation op, intptr_t segment, int32_t more) {
  MlirAttribute before = agpu__attr(op, "operandSegmentSizes");
  int32_t sizes[16];
  intptr_t count = mlirDenseArrayGetNumElements(before);
  if (count > 16)
    abort();
  for (intptr_t i = 0; i < count; ++i)
    sizes[i] = mlirDenseI32ArrayGetElement(before, i);
  sizes[segment] += more;
  agpu__set_attr(
      op, "operandSegmentSizes",
      mlirDenseI32ArrayGet(mlirOperationGetContext(op), count, sizes));
}

void agpu__insert_operands(MlirOperation op, intptr_t position,
                           const MlirValue *operands, size_t count,
                           intptr_t segment) {
  AGPU__SCOPED(values) all = {0};
  for (intptr_t i = 0; i < position; ++i)
    agpu__values_push(&all, mlirOperationGetOperand(op, i));
  for (size_t i = 0; i < count; ++i)
    agpu__values_push(&all, operands[i]);
  agpu__values_push_operands(&all, op, position);
  mlirOperationSetOperands(op, (intptr_t)all.count, all.data);
  if (segment >= 0)
    grow_segment(op, segment, (int32_t)count);
}

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

MlirNamedAttribute agpu__named(MlirContext context, const char *name,
                               MlirAttribute attribute) {
  return mlirNamedAttributeGet(mlirIdentifierGet(context, agpu__str(name)),
                               attribute);
}

MlirNamedAttribute agpu__segments(MlirContext context, const int32_t *sizes,
                                  intptr_t count) {
  return agpu__named(context, "operandSegmentSizes",
                     mlirDenseI32ArrayGet(context, count, sizes));
}

MlirAttribute agpu__string_attr(MlirContext context, const char *text) {
  return mlirStringAttrGet(context, agpu__str(text));
}

MlirAttribute agpu__symbol_attr(MlirContext context, const char *symbol) {
  return mlirFlatSymbolRefAttrGet(context, agpu__str(symbol));
}

MlirAttribute agpu__i64_attr(MlirContext context, int64_t value) {
  return mlirIntegerAttrGet(agpu__i64_type(context), value);
}

MlirAttribute agpu__i32_attr(MlirContext context, int32_t value) {
  return mlirIntegerAttrGet(agpu__i32_type(context), value);
}

MlirType agpu__parse_type(MlirContext context, const char *text) {
  MlirType type = mlirTypeParseGet(context, agpu__str(text));
  if (mlirTypeIsNull(type)) {
    fprintf(stderr, "async-gpu: internal error: malformed type %s\n", text);
    abort();
  }
  return type;
}

MlirAttribute agpu__parse_attr(MlirContext context, const char *text) {
  MlirAttribute attribute = mlirAttributeParseGet(context, agpu__str(text));
  if (mlirAttributeIsNull(attribute)) {
    fprintf(stderr, "async-gpu: internal error: malformed attribute %s\n",
            text);
    abort();
  }
  return attribute;
}

MlirType agpu__ptr_type(MlirContext context) {
  return mlirLLVMPointerTypeGet(context, 0);
}

MlirType agpu__i64_type(MlirContext context) {
  return mlirIntegerTypeGet(context, 64);
}

MlirType agpu__i32_type(MlirContext context) {
  return mlirIntegerTypeGet(context, 32);
}

MlirType agpu__i8_type(MlirContext context) {
  return mlirIntegerTypeGet(context, 8);
}

MlirType agpu__i1_type(MlirContext context) {
  return mlirIntegerTypeGet(context, 1);
}

MlirType agpu__index_type(MlirContext context) {
  return mlirIndexTypeGet(context);
}
