//===- check_sizes.c - Allocations on the host that cannot be -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-check-sizes`.
//
// Upstream's conversion multiplies the sizes of a memref and calls malloc: a
// product that does not fit gives a small buffer for a large memref, and no
// memory a null pointer.
//
//===----------------------------------------------------------------------===//

#include "host/passes.h"
#include "lower/ir/ir.h"
#include "lower/ir/llvm_ops.h"
#include "lower/ir/memref_parts.h"
#include "lower/ir/payload.h"
#include "lower/pass/abi.h"

#include <stdlib.h>

/// More elements than that of whatever type are no addresses.
#define MOST INT64_MAX

/// The number of elements that the type fixes; saturates.
static int64_t static_count(MlirType type) {
  int64_t count = 1;
  for (intptr_t i = 0; i < (intptr_t)mlirShapedTypeGetRank(type); ++i)
    if (!mlirShapedTypeIsDynamicDim(type, i) &&
        __builtin_mul_overflow(count, mlirShapedTypeGetDimSize(type, i),
                               &count))
      count = MOST;
  return count;
}

static MlirValue as_i64(agpu__builder *at, MlirValue index) {
  return agpu__build_unary(at, "arith.index_cast", index,
                           agpu__i64_type(at->context));
}

/// How many bytes `op` allocates; saturates. Sizes come before the symbols of
/// a layout, which needs as much as that at least.
static MlirValue bytes_of(agpu__builder *at, MlirOperation op, MlirType type) {
  MlirValue bytes = agpu__memref_element_bytes(at, type);
  bytes = agpu__llvm_multiply_size(at, bytes,
                                   agpu__llvm_i64(at, static_count(type)));
  intptr_t next = agpu__op_is(op, "memref.realloc") ? 1 : 0;
  for (intptr_t i = 0; i < (intptr_t)mlirShapedTypeGetRank(type); ++i)
    if (mlirShapedTypeIsDynamicDim(type, i))
      bytes = agpu__llvm_multiply_size(
          at, bytes, as_i64(at, mlirOperationGetOperand(op, next++)));
  return bytes;
}

/// Ends the program at `op` where `ok` is false.
static void build_check(agpu__builder *at, MlirOperation module, MlirValue ok,
                        MlirValue bytes, bool upstream) {
  if (!upstream) {
    MlirValue operands[] = {ok, bytes, agpu__location_constant(at, module)};
    agpu__call_runtime(at, module, "agpu_check_allocation", operands, 3,
                       (MlirType){NULL});
    return;
  }
  // As the C library says it there, so that the place is in the message.
  char *place = agpu__location_text(at->location);
  char *text = agpu__format("%s: error: not enough memory", place);
  MlirNamedAttribute message =
      agpu__named(at->context, "msg", agpu__string_attr(at->context, text));
  agpu__build_op(at, "cf.assert", &ok, 1, (MlirType){NULL}, &message, 1);
  free(text);
  free(place);
}

static MlirLogicalResult check(MlirOperation module, MlirOperation op,
                               bool upstream) {
  // Upstream makes several ops of memref.realloc, which need the memory at
  // once.
  bool before_op =
      agpu__op_is(op, "memref.alloca") || agpu__op_is(op, "memref.realloc");
  MlirValue memref = agpu__result(op, 0);
  MlirType type = mlirValueGetType(memref);
  MlirType element = mlirShapedTypeGetElementType(type);
  if (!mlirTypeIsAMemRef(type) || mlirTypeIsNull(agpu__payload_type(element)))
    return mlirLogicalResultSuccess();
  bool is_static = agpu__memref_has_static_shape(type);
  int64_t count = static_count(type);
  // Elements of one byte at least; LLVM knows how large the others are.
  if (count == MOST || (is_static && count > MOST / 64))
    return agpu__error(mlirOperationGetLocation(op),
                       "a memref larger than the address space");
  if (is_static && before_op)
    return mlirLogicalResultSuccess();
  agpu__builder before = agpu__builder_before(op);
  MlirValue bytes = bytes_of(&before, op, type);
  MlirValue most = agpu__llvm_i64(&before, INT64_MAX);
  MlirValue ok = agpu__llvm_compare(&before, AGPU__NOT_EQUAL, bytes, most);
  if (before_op) {
    build_check(&before, module, ok, bytes, upstream);
    return mlirLogicalResultSuccess();
  }
  agpu__builder after = agpu__builder_after(op);
  MlirValue address = as_i64(
      &after,
      agpu__build_unary(&after, "memref.extract_aligned_pointer_as_index",
                        memref, agpu__index_type(after.context)));
  MlirValue there = agpu__llvm_compare(&after, AGPU__NOT_EQUAL, address,
                                       agpu__llvm_i64(&after, 0));
  ok = agpu__build_binary(&after, "llvm.and", ok, there);
  build_check(&after, module, ok, bytes, upstream);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  bool upstream;
  MlirLogicalResult result = agpu__abi_option(module, values, &upstream);
  if (mlirLogicalResultIsFailure(result))
    return result;
  for (MlirOperation function =
           mlirBlockGetFirstOperation(agpu__module_body(module));
       !mlirOperationIsNull(function);
       function = mlirOperationGetNextInBlock(function)) {
    if (!agpu__op_is(function, "func.func"))
      continue;
    agpu__ops ops = agpu__ops_in(function, "memref.alloc");
    agpu__collect(function, "memref.alloca", &ops);
    agpu__collect(function, "memref.realloc", &ops);
    for (size_t i = 0; i < ops.count; ++i)
      if (mlirLogicalResultIsFailure(check(module, ops.data[i], upstream)))
        result = mlirLogicalResultFailure();
    agpu__ops_free(&ops);
  }
  return result;
}

static const agpu_pass_option options[] = {AGPU__ABI_OPTION};

const agpu_pass agpu__pass_check_sizes = {
    .argument = "async-gpu-check-sizes",
    .summary = "End the program where an allocation on the host fails",
    .options = options,
    .option_count = sizeof(options) / sizeof(*options),
    .run = run,
};
