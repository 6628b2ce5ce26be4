//===- ops.h - Asking and collecting ops -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions about ops, attributes and types, and the arrays that passes collect
// ops and values in. Nothing here allocates on the caller's behalf unless it
// says so. Not thread safe: a pass works on its module alone.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_OPS_H
#define ASYNC_GPU_LOWER_OPS_H

#include "lower/ir/scoped.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// How many elements an array has.
#define AGPU__COUNT(array) (sizeof(array) / sizeof(*(array)))

/// What printf's "%.*s" takes of an MlirStringRef.
#define AGPU__STR(ref) (int)(ref).length, (ref).data

/// A string constant as MLIR takes it. The compiler knows a literal's length.
static inline MlirStringRef agpu__str(const char *text) {
  return mlirStringRefCreate(text, strlen(text));
}

static inline MlirValue agpu__result(MlirOperation op, intptr_t index) {
  return mlirOperationGetResult(op, index);
}

/// The op's full name ("async.execute").
static inline MlirStringRef agpu__op_name(MlirOperation op) {
  return mlirIdentifierStr(mlirOperationGetName(op));
}

/// True if that is `name`; false for a null op.
static inline bool agpu__op_is(MlirOperation op, const char *name) {
  if (mlirOperationIsNull(op))
    return false;
  MlirStringRef own = agpu__op_name(op);
  size_t length = strlen(name);
  return own.length == length && !memcmp(own.data, name, length);
}

/// True if that is one of `names`, with spaces between; false for a null op.
bool agpu__op_is_any(MlirOperation op, const char *names);

/// True if the op's name begins with `dialect` and a dot ("gpu").
static inline bool agpu__op_in_dialect(MlirOperation op, const char *dialect) {
  MlirStringRef name = agpu__op_name(op);
  size_t length = strlen(dialect);
  return name.length > length && name.data[length] == '.' &&
         !memcmp(name.data, dialect, length);
}

/// The type of the first result of `op`; null: it has none.
MlirType agpu__result_type(MlirOperation op);

/// Puts a value in the place of each result of `op`, which goes away.
void agpu__replace_op(MlirOperation op, const MlirValue *values);

/// The same with the first results of another op.
void agpu__replace_op_by(MlirOperation op, MlirOperation other);

/// The same with `value`, for its one result, if it has one.
void agpu__replace_op_by_value(MlirOperation op, MlirValue value);

/// True if something uses a result of `op`.
bool agpu__has_used_results(MlirOperation op);

/// The innermost op around `op` of this name; a null op: there is none.
MlirOperation agpu__parent_of(MlirOperation op, const char *name);

/// True if the type was printed as beginning with `prefix` ("!async.token").
/// Slow (prints the type); for types without a C API predicate.
bool agpu__type_has_prefix(MlirType type, const char *prefix);

/// The type as MLIR prints it. The caller frees it.
char *agpu__type_text(MlirType type);

/// The type of a vector's elements, or the type of what is no vector.
MlirType agpu__element_of(MlirType type);

/// Bits of an integer or float; 0 for other types.
unsigned agpu__number_bits(MlirType type);

/// The first block of a region of `op`, by number, and of its first region; a
/// null block: it is empty.
static inline MlirBlock agpu__region_entry(MlirOperation op, intptr_t number) {
  return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, number));
}
static inline MlirBlock agpu__entry_block(MlirOperation op) {
  return agpu__region_entry(op, 0);
}

/// Attribute `name` of `op`, inherent or not; null: it has none.
static inline MlirAttribute agpu__attr(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, agpu__str(name));
}
static inline bool agpu__has_attr(MlirOperation op, const char *name) {
  return !mlirAttributeIsNull(agpu__attr(op, name));
}
static inline void agpu__set_attr(MlirOperation op, const char *name,
                                  MlirAttribute value) {
  mlirOperationSetAttributeByName(op, agpu__str(name), value);
}
static inline void agpu__remove_attr(MlirOperation op, const char *name) {
  mlirOperationRemoveAttributeByName(op, agpu__str(name));
}

/// The type of a function, its attribute.
static inline MlirType agpu__function_type(MlirOperation function) {
  return mlirTypeAttrGetValue(agpu__attr(function, "function_type"));
}

/// The string in attribute `name` of `op`; an empty reference if it has none.
MlirStringRef agpu__get_string(MlirOperation op, const char *name);

/// The integer in attribute `name` of `op`; `otherwise` if it has none.
int64_t agpu__get_int(MlirOperation op, const char *name, int64_t otherwise);

/// The op whose result `value` is; a null op where it is an argument.
MlirOperation agpu__maker_of(MlirValue value);

/// True if `op` is `of`, or stands in it.
bool agpu__is_inside(MlirOperation op, MlirOperation of);

/// True if `value` is defined in the regions of `of`.
bool agpu__defined_inside(MlirValue value, MlirOperation of);

/// The op of `block` that is or holds `op`; a null op: it is not in there.
MlirOperation agpu__find_in_block(MlirOperation op, MlirBlock block);

/// Loops over the ops of a block, the blocks of a region, the uses of a value.
/// What a round is about stays where it is: the next one is found from it.
#define AGPU__OPS_FOREACH(op, block)                                           \
  for (MlirOperation op = mlirBlockGetFirstOperation(block);                   \
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
#define AGPU__BLOCKS_FOREACH(block, region)                                    \
  for (MlirBlock block = mlirRegionGetFirstBlock(region);                      \
       !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
#define AGPU__USES_FOREACH(use, value)                                         \
  for (MlirOpOperand use = mlirValueGetFirstUse(value);                        \
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))

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
void agpu__values_push_all(agpu__values *values, const agpu__values *others);
/// The operands of `op` from number `first` on; the caller frees the array.
agpu__values agpu__operands(MlirOperation op, intptr_t first);
/// Appends them to an array.
void agpu__values_push_operands(agpu__values *values, MlirOperation op,
                                intptr_t first);
/// The results of `op` from number `first` on, and the arguments of `block`,
/// likewise.
agpu__values agpu__results(MlirOperation op, intptr_t first);
agpu__values agpu__arguments(MlirBlock block, intptr_t first);
/// The types of values, with room for one more; the caller frees them.
MlirType *agpu__types_of(const MlirValue *values, size_t count);
/// Index of `value`, or -1.
intptr_t agpu__values_find(const agpu__values *values, MlirValue value);
void agpu__values_free(agpu__values *values);

/// Every op nested in `root` (not `root` itself) whose name is `name` (NULL:
/// all), outer before inner, in program order. The caller frees the array.
agpu__ops agpu__ops_in(MlirOperation root, const char *name);
/// Appends them to an array.
void agpu__collect(MlirOperation root, const char *name, agpu__ops *out_ops);

/// What AGPU__OPS_IN_FOREACH has collected, and how much of it is behind.
typedef struct agpu__op_loop {
  agpu__ops ops;
  size_t next;
  bool is_over;
} agpu__op_loop;

static inline bool agpu__op_loop_next(agpu__op_loop *loop,
                                      MlirOperation *out_op) {
  if (loop->next == loop->ops.count)
    return false;
  *out_op = loop->ops.data[loop->next++];
  return true;
}
static inline void agpu__op_loop_free(agpu__op_loop *loop) {
  agpu__ops_free(&loop->ops);
}

/// Loops over agpu__ops_in(root, name) as it is at first: rounds may destroy
/// their op and build others. The outer loop is there for its variable.
#define AGPU__OPS_IN_FOREACH(op, root, name)                                   \
  for (AGPU__SCOPED(op_loop) op##_loop = {.ops = agpu__ops_in(root, name)};    \
       !op##_loop.is_over; op##_loop.is_over = true)                           \
    for (MlirOperation op; agpu__op_loop_next(&op##_loop, &op);)

/// Calls `visit` for each value that `root` and the ops in it define: results,
/// and arguments of blocks.
void agpu__each_value(MlirOperation root,
                      void (*visit)(MlirOperation op, MlirValue value,
                                    void *data),
                      void *data);

//===----------------------------------------------------------------------===//
// Memory that is there
//
// The compiler has nothing to say when memory is out, as LLVM has not: the
// process ends.
//===----------------------------------------------------------------------===//

/// Says on standard error that memory is out, and ends the process as LLVM does
/// where that happens, by abort(). async-gpu-report, which is without LLVM, has
/// one of its own that exits.
_Noreturn void agpu__out_of_memory(void);

/// `count` elements of `bytes`, all zero; never NULL. The caller frees them.
void *agpu__allocate(size_t count, size_t bytes);

/// `data`, an array of `count` elements of `bytes` with room for `*capacity`,
/// with room for another one.
void *agpu__grow(void *data, size_t count, size_t *capacity, size_t bytes);

/// Makes room for another element in `array`, in place.
#define AGPU__GROW(array, count, capacity)                                     \
  ((array) = agpu__grow(array, count, &(capacity), sizeof(*(array))))

#endif // ASYNC_GPU_LOWER_OPS_H
