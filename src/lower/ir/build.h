//===- build.h - Building IR -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One set of builders for all passes: ops of any kind, and the shapes that many
// of them share. Ops of the LLVM dialect are in llvm_ops.h, functions and
// globals in symbols.h. They abort on what the C API does not know: a defect of
// ours.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_BUILD_H
#define ASYNC_GPU_LOWER_BUILD_H

#include "lower/ir/ops.h"

/// What to build. Zero-initialise and fill in; `name` is required. Without a
/// `location` the op gets the builder's.
typedef struct agpu__op_spec {
  const char *name;
  MlirLocation location;
  const MlirValue *operands;
  size_t operand_count;
  const MlirType *results;
  size_t result_count;
  const MlirNamedAttribute *attributes;
  size_t attribute_count;
  MlirRegion *regions; ///< taken over
  size_t region_count;
  const MlirBlock *successors;
  size_t successor_count;
} agpu__op_spec;

/// Where to put new ops: before `before`, or at the end of `block` when
/// `before` is null.
typedef struct agpu__builder {
  MlirContext context;
  MlirLocation location;
  MlirBlock block;
  MlirOperation before;
} agpu__builder;

agpu__builder agpu__builder_before(MlirOperation op);
agpu__builder agpu__builder_after(MlirOperation op);
agpu__builder agpu__builder_at_start(MlirBlock block, MlirLocation location);
agpu__builder agpu__builder_at_end(MlirBlock block, MlirLocation location);

/// Builds and inserts an op.
MlirOperation agpu__build(agpu__builder *builder, const agpu__op_spec *spec);

/// The same, where what `spec` leaves out is that of `op`: name, location,
/// operands, types of results, attributes, and regions, which are taken over.
MlirOperation agpu__build_like(agpu__builder *builder, MlirOperation op,
                               agpu__op_spec spec);

/// An `async.execute` with these dependencies, the first of whose results is a
/// token.
MlirOperation agpu__build_execute(agpu__builder *at,
                                  const agpu__values *dependencies,
                                  const MlirType *results, size_t result_count,
                                  MlirRegion region);

/// A new empty block without arguments at the end of `region`.
MlirBlock agpu__append_block(MlirRegion region);

/// An `scf.if`, whose two blocks the caller fills, up to their ends.
typedef struct agpu__if {
  MlirOperation op;
  MlirBlock yes, no;
} agpu__if;
agpu__if agpu__build_if(agpu__builder *at, MlirValue condition,
                        const MlirType *results, size_t result_count);

/// `scf.yield` at the end of `block`.
void agpu__build_yield(MlirBlock block, MlirLocation location,
                       const MlirValue *values, size_t count);

/// A region with an empty block, which is stored.
MlirRegion agpu__build_region(MlirBlock *out_block);

/// Moves the ops of a block from `first` up to `end` (null: up to the block's)
/// to where new ops are put.
void agpu__move_ops(agpu__builder *at, MlirOperation first, MlirOperation end);

/// The common case: name, operands, at most one result (null type: none),
/// attributes. Returns the op; its result is agpu__result(op, 0).
MlirOperation agpu__build_op(agpu__builder *builder, const char *name,
                             const MlirValue *operands, size_t operand_count,
                             MlirType result,
                             const MlirNamedAttribute *attributes,
                             size_t attribute_count);

/// An op without attributes: for its one result, and for its effect alone.
MlirValue agpu__build_value(agpu__builder *builder, const char *name,
                            const MlirValue *operands, size_t operand_count,
                            MlirType result);
void agpu__build_effect(agpu__builder *builder, const char *name,
                        const MlirValue *operands, size_t operand_count);

/// An op with one attribute, for its result.
MlirValue agpu__build_with(agpu__builder *builder, const char *name,
                           const MlirValue *operands, size_t operand_count,
                           MlirType result, const char *attribute,
                           MlirAttribute value);

/// An op of one value that gives one of type `type`: conversions
/// ("llvm.zext"), functions ("math.sqrt").
MlirValue agpu__build_unary(agpu__builder *builder, const char *name,
                            MlirValue value, MlirType type);

/// An op of two values of one type that gives a third ("arith.addi").
MlirValue agpu__build_binary(agpu__builder *builder, const char *name,
                             MlirValue a, MlirValue b);

/// "arith.select" and "llvm.select": `a` where `condition` holds, else `b`.
MlirValue agpu__build_select(agpu__builder *builder, const char *name,
                             MlirValue condition, MlirValue a, MlirValue b);

/// How arith.cmpi and llvm.icmp compare, as both dialects number it.
typedef enum agpu__predicate {
  AGPU__EQUAL,
  AGPU__NOT_EQUAL,
  AGPU__SIGNED_LESS,
  AGPU__SIGNED_LESS_EQUAL,
  AGPU__SIGNED_GREATER,
  AGPU__SIGNED_GREATER_EQUAL,
  AGPU__UNSIGNED_LESS,
  AGPU__UNSIGNED_LESS_EQUAL,
  AGPU__UNSIGNED_GREATER,
  AGPU__UNSIGNED_GREATER_EQUAL,
} agpu__predicate;

/// "arith.cmpi" and "llvm.icmp".
MlirValue agpu__build_compare(agpu__builder *builder, const char *name,
                              agpu__predicate predicate, MlirValue a,
                              MlirValue b);

/// `value` itself where it has the type, else a
/// `builtin.unrealized_conversion_cast`, for upstream's conversions to resolve.
MlirValue agpu__build_cast(agpu__builder *builder, MlirValue value,
                           MlirType type);

/// `arith.constant` of an integer type or of index.
MlirValue agpu__build_constant(agpu__builder *builder, MlirType type,
                               int64_t value);

/// The same of type index.
MlirValue agpu__index_constant(agpu__builder *builder, int64_t value);

/// Puts `count` operands in front of operand `position` of an op that is there.
/// `segment`: the operand segment that they belong to; -1: the op has none.
void agpu__insert_operands(MlirOperation op, intptr_t position,
                           const MlirValue *operands, size_t count,
                           intptr_t segment);

/// How many operands each group of them has, as ops keep it.
MlirNamedAttribute agpu__segments(MlirContext context, const int32_t *sizes,
                                  intptr_t count);

/// Attributes and types by their usual spelling.
MlirNamedAttribute agpu__named(MlirContext context, const char *name,
                               MlirAttribute attribute);
MlirAttribute agpu__string_attr(MlirContext context, const char *text);
MlirAttribute agpu__symbol_attr(MlirContext context, const char *symbol);
MlirAttribute agpu__i64_attr(MlirContext context, int64_t value);
MlirAttribute agpu__i32_attr(MlirContext context, int32_t value);
/// Parses `text`; ends the process when malformed (a defect of ours).
MlirType agpu__parse_type(MlirContext context, const char *text);
MlirAttribute agpu__parse_attr(MlirContext context, const char *text);
MlirType agpu__ptr_type(MlirContext context);
MlirType agpu__i64_type(MlirContext context);
MlirType agpu__i32_type(MlirContext context);
MlirType agpu__i8_type(MlirContext context);
MlirType agpu__i1_type(MlirContext context);
MlirType agpu__index_type(MlirContext context);

#endif // ASYNC_GPU_LOWER_BUILD_H
