//===- ir.h - Building and walking IR through the C API ---------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short spellings of what every pass does with MLIR's C API. Nothing here
// allocates on the caller's behalf unless it says so. Not thread safe: a pass
// works on its module alone.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_IR_H
#define ASYNC_GPU_LOWER_IR_H

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/IR.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A string constant as MLIR takes it.
static inline MlirStringRef agpu__str(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

/// True if the op's full name is `name` ("async.execute").
bool agpu__op_is(MlirOperation op, const char *name);

/// True if the op's name begins with `dialect` and a dot ("gpu").
bool agpu__op_in_dialect(MlirOperation op, const char *dialect);

/// True if the type was printed as beginning with `prefix` ("!async.token").
/// Slow (prints the type); for types without a C API predicate.
bool agpu__type_has_prefix(MlirType type, const char *prefix);

/// A growing array of ops; zero-initialise, free with agpu__ops_free.
typedef struct agpu__ops {
  MlirOperation *data;
  size_t count, capacity;
} agpu__ops;
void agpu__ops_push(agpu__ops *ops, MlirOperation op);
void agpu__ops_free(agpu__ops *ops);

/// A growing array of values.
typedef struct agpu__values {
  MlirValue *data;
  size_t count, capacity;
} agpu__values;
void agpu__values_push(agpu__values *values, MlirValue value);
/// Index of `value`, or -1.
intptr_t agpu__values_find(const agpu__values *values, MlirValue value);
void agpu__values_free(agpu__values *values);

/// Collects every op nested in `root` (not `root` itself) whose name is `name`
/// (NULL: all), outer before inner, in program order.
void agpu__collect(MlirOperation root, const char *name, agpu__ops *out_ops);

/// What to build. Zero-initialise and fill in; `location` and `name` are
/// required.
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

/// The common case: name, operands, at most one result (null type: none),
/// attributes. Returns the op; its result is agpu__result(op, 0).
MlirOperation agpu__build_op(agpu__builder *builder, const char *name,
                             const MlirValue *operands, size_t operand_count,
                             MlirType result,
                             const MlirNamedAttribute *attributes,
                             size_t attribute_count);

/// An op of two values of one type that gives a third ("arith.addi").
MlirValue agpu__build_binary(agpu__builder *builder, const char *name,
                             MlirValue a, MlirValue b);

/// `arith.constant` of type index.
MlirValue agpu__index_constant(agpu__builder *builder, int64_t value);

static inline MlirValue agpu__result(MlirOperation op, intptr_t index) {
  return mlirOperationGetResult(op, index);
}

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
MlirType agpu__i1_type(MlirContext context);
MlirType agpu__index_type(MlirContext context);

/// The string in attribute `name` of `op`; an empty reference if it has none.
MlirStringRef agpu__get_string(MlirOperation op, const char *name);
bool agpu__has_attr(MlirOperation op, const char *name);

/// The module's body block, and a symbol lookup in it by name (null op: none).
MlirBlock agpu__module_body(MlirOperation module);
MlirOperation agpu__lookup(MlirOperation module, const char *symbol);

/// `base`, or `base_N` with the smallest N that no symbol of the module has.
/// The caller frees the result.
char *agpu__unique_symbol(MlirOperation module, const char *base);

/// Calls the runtime function `name`, which is declared if it is not yet, and
/// returns its result (null result type: none, and a null value). The function
/// takes and returns objects and streams as `!llvm.ptr`; casts connect them to
/// the types of the operands and of `result`.
MlirValue agpu__call_runtime(agpu__builder *builder, MlirOperation module,
                             const char *name, const MlirValue *operands,
                             size_t operand_count, MlirType result);

/// `!llvm.ptr` to a NUL-terminated constant string, a private global at the
/// front of the module. Ops that ask for the same text one after the other
/// share it.
MlirValue agpu__string_constant(agpu__builder *builder, MlirOperation module,
                                const char *text);

/// "file:line:col" of a location (the innermost file location of a fused,
/// named or call-site location), or "" where it has none. The caller frees it.
char *agpu__location_text(MlirLocation location);

/// printf into a new string that the caller frees. Ends the process on
/// exhausted memory, as MLIR itself does.
char *agpu__format(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/// Emits `error: ...` at a location, in printf form, and returns
/// failure, so that `return agpu__error(...)` reads well.
MlirLogicalResult agpu__error(MlirLocation location, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif // ASYNC_GPU_LOWER_IR_H
