//===- count.c - Kernels that say what they execute -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For models of time a kernel says what it executes: at the end of each of its
// blocks, how many of the block's ops are instructions of which kind. An op
// that takes several instructions on a GPU counts as so many; ones that vanish
// in addresses, registers and multiply-adds do not count. What accesses memory
// is seen elsewhere (accesses.c).
//
//===----------------------------------------------------------------------===//

#include "gpu/native/body_ops.h"

#include "lower/ir/ir.h"
#include "lower/ir/llvm_ops.h"
#include "lower/ir/symbols.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

/// As agpu_native_count has them (async_gpu/compiled/native_thread.h).
typedef struct tally {
  unsigned fp32, fp64, integer, special;
} tally;

/// Instructions of a GPU that ops whose names begin so take; the first row that
/// fits counts. `floats`: of the type of the result.
static const struct {
  const char *begins;
  unsigned floats, integers, special;
} rows[] = {
    {"llvm.fdiv", 8, 0, 1},      {"llvm.frem", 16, 0, 1},
    {"llvm.fcmp", 1, 0, 0},      {"llvm.fptosi", 0, 1, 0},
    {"llvm.fptoui", 0, 1, 0},    {"llvm.sitofp", 0, 1, 0},
    {"llvm.uitofp", 0, 1, 0},    {"llvm.fpext", 1, 0, 0},
    {"llvm.fptrunc", 1, 0, 0},   {"llvm.f", 1, 0, 0},
    {"llvm.intr.fma", 1, 0, 0},  {"llvm.intr.fmuladd", 1, 0, 0},
    {"llvm.intr.fabs", 1, 0, 0}, {"llvm.intr.max", 1, 0, 0},
    {"llvm.intr.min", 1, 0, 0},  {"llvm.intr.copysign", 1, 0, 0},
    {"llvm.intr.sqrt", 4, 0, 1}, {"llvm.intr.exp", 3, 0, 1},
    {"llvm.intr.log", 4, 0, 1},  {"llvm.intr.sin", 20, 0, 1},
    {"llvm.intr.cos", 20, 0, 1}, {"llvm.intr.pow", 30, 0, 2},
    {"llvm.add", 0, 1, 0},       {"llvm.sub", 0, 1, 0},
    {"llvm.mul", 0, 1, 0},       {"llvm.sdiv", 0, 20, 1},
    {"llvm.udiv", 0, 20, 1},     {"llvm.srem", 0, 20, 1},
    {"llvm.urem", 0, 20, 1},     {"llvm.and", 0, 1, 0},
    {"llvm.or", 0, 1, 0},        {"llvm.xor", 0, 1, 0},
    {"llvm.shl", 0, 1, 0},       {"llvm.lshr", 0, 1, 0},
    {"llvm.ashr", 0, 1, 0},      {"llvm.icmp", 0, 1, 0},
    {"llvm.select", 0, 1, 0},    {"llvm.cond_br", 0, 1, 0},
    {"llvm.br", 0, 1, 0},        {"llvm.load", 0, 1, 0},
    {"llvm.store", 0, 1, 0},     {"llvm.atomicrmw", 0, 1, 0},
    {"nvvm.shfl", 0, 1, 0},      {"nvvm.barrier", 0, 1, 0},
    {"llvm.call", 8, 0, 1},
};

/// The type that an op computes with, and how many elements of it.
static MlirType element_of(MlirOperation op, unsigned *out_count) {
  *out_count = 1;
  if (!mlirOperationGetNumOperands(op))
    return (MlirType){NULL};
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  if (!mlirTypeIsAVector(type))
    return type;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    *out_count *= (unsigned)mlirShapedTypeGetDimSize(type, i);
  return mlirShapedTypeGetElementType(type);
}

static MlirOperation get_operand_op(MlirOperation op, intptr_t number) {
  MlirValue value = mlirOperationGetOperand(op, number);
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                     : (MlirOperation){NULL};
}

/// Instructions of a division, or of its remainder, by a number that is known:
/// one for a power of two, and else a multiplication by the inverse, of which
/// 64 bits take several, and for a remainder another one. 0: it is none.
static unsigned count_known_division(MlirOperation op) {
  enum { SHIFT = 1, INVERSE = 6, BACK = 2 };
  bool is_remainder =
      agpu__op_is(op, "llvm.urem") || agpu__op_is(op, "llvm.srem");
  if (!is_remainder && !agpu__op_is(op, "llvm.udiv") &&
      !agpu__op_is(op, "llvm.sdiv"))
    return 0;
  MlirOperation by = get_operand_op(op, 1);
  if (mlirOperationIsNull(by) || !agpu__op_is(by, "llvm.mlir.constant"))
    return 0;
  MlirAttribute value = agpu__attr(by, "value");
  if (!mlirAttributeIsAInteger(value))
    return 0;
  int64_t number = mlirIntegerAttrGetValueInt(value);
  if (number > 0 && (number & (number - 1)) == 0)
    return SHIFT;
  return INVERSE + (is_remainder ? BACK : 0);
}

static bool may_contract(MlirOperation op) {
  MlirAttribute flags = agpu__attr(op, "fastmathFlags");
  agpu__text text = {0};
  if (!mlirAttributeIsNull(flags))
    mlirAttributePrint(flags, agpu__text_callback, &text);
  bool may = text.data &&
             (strstr(text.data, "contract") || strstr(text.data, "fast>"));
  agpu__text_free(&text);
  return may;
}

/// The sum that may be one multiply-add with the product `op`, which nothing
/// else uses; null where there is none.
static MlirOperation find_sum(MlirOperation op) {
  MlirOperation none = {NULL};
  if (!agpu__op_is(op, "llvm.fmul") || !may_contract(op))
    return none;
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
  if (mlirOpOperandIsNull(use) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return none;
  MlirOperation user = mlirOpOperandGetOwner(use);
  bool is_sum =
      agpu__op_is(user, "llvm.fadd") || agpu__op_is(user, "llvm.fsub");
  return is_sum && may_contract(user) ? user : none;
}

/// Whether the product is part of a multiply-add, which counts as the sum. Of
/// two products that are added the first one is.
static bool is_contracted(MlirOperation op) {
  MlirOperation sum = find_sum(op);
  if (mlirOperationIsNull(sum))
    return false;
  MlirOperation first = get_operand_op(sum, 0);
  return mlirOperationEqual(first, op) || mlirOperationIsNull(find_sum(first));
}

static void add_op(MlirOperation op, tally *to) {
  unsigned division = count_known_division(op);
  to->integer += division;
  if (division || is_contracted(op))
    return;
  MlirStringRef name = agpu__op_name(op);
  unsigned count;
  MlirType type = element_of(op, &count);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    size_t length = strlen(rows[i].begins);
    if (name.length < length || memcmp(name.data, rows[i].begins, length) != 0)
      continue;
    bool is_double = !mlirTypeIsNull(type) && mlirTypeIsAF64(type);
    *(is_double ? &to->fp64 : &to->fp32) += rows[i].floats * count;
    to->integer += rows[i].integers * count;
    to->special += rows[i].special * count;
    return;
  }
}

/// Takes as many of `*count` as eight bits hold.
static uint64_t take(unsigned *count, unsigned place) {
  uint64_t taken = *count < 255 ? *count : 255;
  *count -= (unsigned)taken;
  return taken << 8 * place;
}

static void count_block(MlirBlock block, MlirOperation gpu_module) {
  tally all = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    add_op(op, &all);
  MlirOperation last = mlirBlockGetTerminator(block);
  if (mlirOperationIsNull(last))
    return;
  agpu__builder at = agpu__builder_before(last);
  while (all.fp32 || all.fp64 || all.integer || all.special) {
    uint64_t counts = take(&all.fp32, 0) | take(&all.fp64, 1) |
                      take(&all.integer, 2) | take(&all.special, 3);
    MlirValue operand =
        agpu__llvm_constant(&at, agpu__i64_attr(at.context, (int64_t)counts));
    agpu__call_runtime(&at, gpu_module, "agpu_native_count", &operand, 1,
                       (MlirType){NULL});
  }
}

void agpu__simt_count_instructions(MlirOperation function,
                                   MlirOperation gpu_module) {
  MlirRegion body = mlirOperationGetRegion(function, 0);
  for (MlirBlock block = mlirRegionGetFirstBlock(body); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    count_block(block, gpu_module);
}
