//===- shard_loops.c - How loops of linalg ops are split ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop is split along the axes of the first operand that it indexes and that
// is split. Parallel loops need nothing else; of a reduction each rank makes a
// part, and all of them are added up.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard.h"
#include "lower/dialect/attributes.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/Linalg.h"

//===----------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------===//

/// loop[0] * factor[0] + loop[1] * factor[1] + constant.
typedef struct terms {
  int loops[2];
  int64_t factors[2];
  int count;
  int64_t constant;
} terms;

static bool add_term(terms *self, MlirAffineExpr expr, int64_t factor) {
  if (mlirAffineExprIsAConstant(expr)) {
    self->constant += factor * mlirAffineConstantExprGetValue(expr);
    return true;
  }
  if (mlirAffineExprIsADim(expr)) {
    if (self->count == 2)
      return false;
    self->loops[self->count] = (int)mlirAffineDimExprGetPosition(expr);
    self->factors[self->count++] = factor;
    return true;
  }
  if (!mlirAffineExprIsAAdd(expr) && !mlirAffineExprIsAMul(expr))
    return false;
  MlirAffineExpr a = mlirAffineBinaryOpExprGetLHS(expr);
  MlirAffineExpr b = mlirAffineBinaryOpExprGetRHS(expr);
  if (mlirAffineExprIsAAdd(expr))
    return add_term(self, a, factor) && add_term(self, b, factor);
  return mlirAffineExprIsAConstant(b) &&
         add_term(self, a, factor * mlirAffineConstantExprGetValue(b));
}

static MlirAffineMap map_of(const agpu__shard_loops *loops, intptr_t operand) {
  return mlirAffineMapAttrGetValue(
      mlirArrayAttrGetElement(loops->maps, operand));
}

agpu__subscript agpu__shard_subscript(const agpu__shard_loops *loops,
                                      intptr_t operand, intptr_t dim) {
  static const agpu__subscript other = {.loop = -1, .window = -1};
  terms sum = {.count = 0};
  if (!add_term(&sum, mlirAffineMapGetResult(map_of(loops, operand), dim), 1) ||
      !sum.count)
    return other;
  int loop = 0;
  if (sum.count == 2 && !loops->is_parallel[sum.loops[0]])
    loop = 1;
  int window = sum.count == 2 ? !loop : -1;
  if (sum.factors[loop] < 1 || (window >= 0 && sum.factors[window] < 1))
    return other;
  return (agpu__subscript){.loop = sum.loops[loop],
                           .window = window < 0 ? -1 : sum.loops[window],
                           .stride = sum.factors[loop],
                           .dilation = window < 0 ? 0 : sum.factors[window],
                           .before = -sum.constant};
}

bool agpu__subscript_is_plain(const agpu__subscript *subscript) {
  return subscript->loop >= 0 && subscript->window < 0 &&
         subscript->stride == 1 && subscript->before == 0;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// True if MPI reduces elements of this type.
static bool is_reducible(MlirType type) {
  if (mlirTypeIsAComplex(type))
    type = mlirComplexTypeGetElementType(type);
  if (mlirTypeIsAInteger(type)) {
    unsigned width = mlirIntegerTypeGetWidth(type);
    return width == 8 || width == 16 || width == 32 || width == 64;
  }
  return mlirTypeIsAF32(type) || mlirTypeIsAF64(type) || mlirTypeIsAIndex(type);
}

/// How the op combines its terms; negative: by something that ranks cannot.
static int reduction_of(const agpu__shard_loops *loops) {
  static const struct {
    const char *op;
    int reduction;
  } known[] = {{"arith.addf", AGPU_MPI_SUM},
               {"arith.addi", AGPU_MPI_SUM},
               {"complex.add", AGPU_MPI_SUM},
               {"arith.mulf", AGPU_MPI_PROD},
               {"arith.muli", AGPU_MPI_PROD},
               {"arith.maximumf", AGPU_MPI_MAXIMUM},
               {"arith.maxnumf", AGPU_MPI_MAXNUM},
               {"arith.maxsi", AGPU_MPI_MAX},
               {"arith.minimumf", AGPU_MPI_MINIMUM},
               {"arith.minnumf", AGPU_MPI_MINNUM},
               {"arith.minsi", AGPU_MPI_MIN}};
  MlirOperation op = loops->op;
  if (mlirOperationGetNumResults(op) != 1 ||
      mlirOperationGetNumRegions(op) != 1)
    return -1;
  MlirBlock block = agpu__entry_block(op);
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  if (mlirBlockIsNull(block) || !mlirTypeIsATensor(type) ||
      !is_reducible(mlirShapedTypeGetElementType(type)))
    return -1;
  MlirValue out =
      mlirBlockGetArgument(block, mlirBlockGetNumArguments(block) - 1);
  MlirOperation maker =
      agpu__maker_of(mlirOperationGetOperand(mlirBlockGetTerminator(block), 0));
  MlirOpOperand use = mlirValueGetFirstUse(out);
  if (mlirOperationIsNull(maker) || mlirOpOperandIsNull(use) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)) ||
      !mlirOperationEqual(mlirOpOperandGetOwner(use), maker))
    return -1;
  for (size_t i = 0; i < AGPU__COUNT(known); ++i)
    if (agpu__op_is(maker, known[i].op) &&
        !(mlirTypeIsAComplex(mlirShapedTypeGetElementType(type)) &&
          known[i].reduction != AGPU_MPI_SUM))
      return known[i].reduction;
  return -1;
}

MlirAttribute agpu__shard_neutral(int reduction, MlirType element) {
  MlirContext context = mlirTypeGetContext(element);
  int number = reduction == AGPU_MPI_PROD;
  if (mlirTypeIsAFloat(element))
    return mlirFloatAttrDoubleGet(context, element, number);
  if (!mlirTypeIsAInteger(element) && !mlirTypeIsAIndex(element))
    return mlirAttributeGetNull();
  return mlirIntegerAttrGet(element, number);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A loop may not be split: its axes are a mark until they are assigned.
#define BLOCKED (-1)

static void block(agpu__shard_loops *loops, int loop) {
  if (loop >= 0)
    loops->axes[loop] = BLOCKED;
}

static void block_all(agpu__shard_loops *loops, MlirAffineExpr expr) {
  for (int i = 0; i < loops->count; ++i)
    if (mlirAffineExprIsFunctionOfDim(expr, i))
      block(loops, i);
}

/// Reads sizes, and which loops cannot be split.
static void read_operand(agpu__shard *self, agpu__shard_loops *loops,
                         intptr_t operand) {
  MlirAffineMap map = map_of(loops, operand);
  bool is_used[AGPU__SHARD_LOOPS] = {false};
  const agpu__sharded *known =
      agpu__shard_value(self, mlirOperationGetOperand(loops->op, operand));
  for (intptr_t dim = 0; dim < mlirAffineMapGetNumResults(map); ++dim) {
    agpu__subscript at = agpu__shard_subscript(loops, operand, dim);
    // An axis splits one dimension of a tensor: a diagonal is read whole.
    if (at.loop >= 0 && is_used[at.loop])
      block(loops, at.loop);
    if (at.loop >= 0)
      is_used[at.loop] = true;
    bool is_plain = agpu__subscript_is_plain(&at);
    agpu__shard_size size = {-1, {NULL}};
    if (known)
      size = agpu__sharded_size(known, dim);
    if (at.loop < 0 || !known ||
        (!is_plain && (operand >= loops->inputs || size.known < 0))) {
      block_all(loops, mlirAffineMapGetResult(map, dim));
    } else if (is_plain && loops->sizes[at.loop] < 0) {
      loops->sizes[at.loop] = size.known;
      loops->numbers[at.loop] = size.number;
    }
    block(loops, at.window);
  }
}

/// What a window reaches into is a matter of numbers that the compiler has to
/// know.
static void block_unknown_windows(agpu__shard_loops *loops) {
  for (intptr_t k = 0; k < loops->inputs; ++k)
    for (intptr_t i = 0; i < agpu__shard_subscript_count(loops, k); ++i) {
      agpu__subscript at = agpu__shard_subscript(loops, k, i);
      if (at.loop >= 0 && !agpu__subscript_is_plain(&at) &&
          (loops->sizes[at.loop] < 0 ||
           (at.window >= 0 && loops->sizes[at.window] < 0)))
        block(loops, at.loop);
    }
}

bool agpu__shard_loops_read(agpu__shard *self, MlirOperation op,
                            agpu__shard_loops *loops) {
  if (!agpu__op_in_dialect(op, "linalg") || !mlirOperationGetNumResults(op))
    return false;
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  intptr_t operands = mlirOperationGetNumOperands(op);
  if (mlirAttributeIsNull(maps) ||
      mlirArrayAttrGetNumElements(maps) != operands)
    return false;
  *loops =
      (agpu__shard_loops){.op = op,
                          .maps = maps,
                          .scattered = -1,
                          .inputs = operands - mlirOperationGetNumResults(op)};
  loops->count = (int)mlirAffineMapGetNumDims(map_of(loops, 0));
  if (loops->count > AGPU__SHARD_LOOPS)
    return false;
  for (int i = 0; i < loops->count; ++i) {
    loops->sizes[i] = -1;
    loops->is_parallel[i] = true;
    for (intptr_t k = loops->inputs; k < operands; ++k) {
      MlirAffineMap map = map_of(loops, k);
      bool is_in = false;
      for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d)
        is_in |=
            mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, d), i);
      loops->is_parallel[i] &= is_in;
    }
  }
  for (intptr_t k = 0; k < operands; ++k)
    read_operand(self, loops, k);
  block_unknown_windows(loops);
  loops->reduction = reduction_of(loops);
  return true;
}

static void claim(agpu__shard_loops *loops, int loop, agpu__axes axes) {
  bool is_known = loop >= 0 && (loops->sizes[loop] >= 0 ||
                                !mlirValueIsNull(loops->numbers[loop]));
  if (!axes || !is_known || loops->axes[loop] ||
      (!loops->is_parallel[loop] && loops->reduction < 0))
    return;
  for (int i = 0; i < loops->count; ++i)
    if (loops->axes[i] != BLOCKED && agpu__axes_overlap(loops->axes[i], axes))
      return;
  loops->axes[loop] = axes;
}

static void claim_all(agpu__shard_loops *loops, intptr_t operand,
                      const agpu__layout *layout) {
  intptr_t rank = mlirAffineMapGetNumResults(map_of(loops, operand));
  for (intptr_t dim = 0; dim < rank && dim < AGPU__SHARD_RANK; ++dim)
    if (layout->dims[dim])
      claim(loops, agpu__shard_subscript(loops, operand, dim).loop,
            layout->dims[dim]);
}

static void set_reduced(agpu__shard_loops *loops) {
  for (int i = 0; i < loops->count; ++i)
    if (!loops->is_parallel[i])
      loops->reduced = agpu__axes_join(loops->reduced, loops->axes[i]);
}

/// Whether the operand has its layout from what else is written into one
/// tensor.empty, and not from the program.
static bool says_nothing(MlirValue operand) {
  if (!agpu__shard_is_uniform(operand))
    return false;
  MlirOperation maker = agpu__maker_of(operand);
  return agpu__op_is(maker, "tensor.empty") ||
         agpu__shard_is_uniform(mlirOperationGetOperand(maker, 1));
}

void agpu__shard_loops_claim(agpu__shard *self, agpu__shard_loops *loops,
                             bool heeds_users) {
  intptr_t operands = mlirOperationGetNumOperands(loops->op);
  for (intptr_t k = loops->inputs; k < operands && heeds_users; ++k) {
    const agpu__sharded *result =
        agpu__shard_value(self, agpu__result(loops->op, k - loops->inputs));
    if (result)
      claim_all(loops, k, &result->wanted);
  }
  for (intptr_t k = 0; k < operands; ++k) {
    MlirValue operand = mlirOperationGetOperand(loops->op, k);
    if (says_nothing(operand))
      continue;
    agpu__layout layout = agpu__shard_layout(self, operand);
    claim_all(loops, k, &layout);
    // What is padded is split as it was.
    MlirOperation maker = agpu__maker_of(operand);
    if (!agpu__op_is(maker, "tensor.pad"))
      continue;
    layout = agpu__shard_layout(self, mlirOperationGetOperand(maker, 0));
    claim_all(loops, k, &layout);
  }
  for (int i = 0; i < loops->count; ++i)
    if (loops->axes[i] == BLOCKED)
      loops->axes[i] = 0;
  set_reduced(loops);
}

intptr_t agpu__shard_subscript_count(const agpu__shard_loops *loops,
                                     intptr_t operand) {
  return mlirAffineMapGetNumResults(map_of(loops, operand));
}

void agpu__shard_loops_keep(const agpu__shard_loops *loops) {
  int64_t kept[AGPU__SHARD_LOOPS + 1];
  memcpy(kept, loops->axes, (size_t)loops->count * sizeof *kept);
  kept[loops->count] = loops->scattered;
  agpu__set_attr(loops->op, AGPU__SHARD_AXES_ATTR,
                 mlirDenseI64ArrayGet(mlirOperationGetContext(loops->op),
                                      loops->count + 1, kept));
}

bool agpu__shard_loops_kept(agpu__shard *self, MlirOperation op,
                            agpu__shard_loops *loops) {
  MlirAttribute kept = agpu__attr(op, AGPU__SHARD_AXES_ATTR);
  if (mlirAttributeIsNull(kept) || !agpu__shard_loops_read(self, op, loops))
    return false;
  for (int i = 0; i < loops->count; ++i)
    loops->axes[i] = mlirDenseI64ArrayGetElement(kept, i);
  loops->scattered = (intptr_t)mlirDenseI64ArrayGetElement(kept, loops->count);
  set_reduced(loops);
  return true;
}

void agpu__shard_loops_forget(MlirOperation op) {
  agpu__remove_attr(op, AGPU__SHARD_AXES_ATTR);
}

agpu__layout agpu__shard_operand_layout(const agpu__shard_loops *loops,
                                        intptr_t operand) {
  agpu__layout layout = {{0}};
  intptr_t rank = mlirAffineMapGetNumResults(map_of(loops, operand));
  for (intptr_t dim = 0; dim < rank && dim < AGPU__SHARD_RANK; ++dim) {
    agpu__subscript at = agpu__shard_subscript(loops, operand, dim);
    if (at.loop >= 0)
      layout.dims[dim] = loops->axes[at.loop];
  }
  return layout;
}

agpu__layout agpu__shard_result_layout(const agpu__shard_loops *loops,
                                       intptr_t result) {
  agpu__layout layout =
      agpu__shard_operand_layout(loops, loops->inputs + result);
  if (loops->scattered >= 0)
    layout.dims[loops->scattered] = loops->reduced;
  return layout;
}
