//===- ranges.c - Which part of an argument a launch touches -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interval arithmetic over the indices of a kernel's accesses: ids of threads
// and blocks are between zero and the launch's sizes, arguments are constants
// or unknown. What the intervals do not bound, the memref's shape does, as an
// access out of bounds is an error. An access by anything but plain loads and
// stores may be of all of its memref.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/accesses.h"

#include "gpu/plan/plan.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

#include <stdlib.h>

/// Beyond this a bound is unknown, so that nothing here overflows.
#define LIMIT ((int64_t)1 << 30)
#define DEPTH 40

typedef struct interval {
  int64_t low, high; ///< both included; low > high: unknown
} interval;

static const interval unknown = {1, 0};

static bool is_known(interval a) { return a.low <= a.high; }

static interval make(int64_t low, int64_t high) {
  return low > high || low < -LIMIT || high > LIMIT ? unknown
                                                    : (interval){low, high};
}

typedef struct evaluation {
  MlirOperation launch, kernel;
  agpu__map known; ///< numbers of values in `intervals`
  interval *intervals;
  size_t count, capacity;
} evaluation;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static interval join(interval a, interval b) {
  if (!is_known(a) || !is_known(b))
    return unknown;
  return make(a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high);
}

static interval add(interval a, interval b) {
  return is_known(a) && is_known(b) ? make(a.low + b.low, a.high + b.high)
                                    : unknown;
}

static interval subtract(interval a, interval b) {
  return is_known(a) && is_known(b) ? make(a.low - b.high, a.high - b.low)
                                    : unknown;
}

static interval multiply(interval a, interval b) {
  if (!is_known(a) || !is_known(b))
    return unknown;
  const int64_t all[] = {a.low * b.low, a.low * b.high, a.high * b.low,
                         a.high * b.high};
  int64_t low = all[0], high = all[0];
  for (int i = 1; i < 4; ++i) {
    low = all[i] < low ? all[i] : low;
    high = all[i] > high ? all[i] : high;
  }
  return make(low, high);
}

/// Of numbers that are not negative, by a positive constant.
static interval divide(interval a, interval b) {
  return is_known(a) && is_known(b) && a.low >= 0 && b.low == b.high &&
                 b.low > 0
             ? make(a.low / b.low, a.high / b.low)
             : unknown;
}

static interval remainder_of(interval a, interval b) {
  if (!is_known(b) || b.low != b.high || b.low <= 0)
    return unknown;
  if (!is_known(a) || a.low < 0)
    return unknown;
  return a.high < b.low ? a : make(0, b.low - 1);
}

static interval smaller(interval a, interval b) {
  if (!is_known(a) || !is_known(b))
    return unknown;
  return make(a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high);
}

static interval larger(interval a, interval b) {
  if (!is_known(a) || !is_known(b))
    return unknown;
  return make(a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static interval range_of(evaluation *self, MlirValue value, int depth);

static interval constant(MlirValue value) {
  int64_t is;
  return agpu__known_number(value, &is) ? make(is, is) : unknown;
}

/// Operand `number` of segment `segment` of the launch.
static interval launched_with(const evaluation *self, intptr_t segment,
                              intptr_t number) {
  intptr_t first = 0;
  for (intptr_t i = 0; i < segment; ++i)
    first += agpu__segment(self->launch, i);
  return constant(mlirOperationGetOperand(self->launch, first + number));
}

/// Of the dimension that the op's attribute names: segments 1 to 3 are the
/// grid, 4 to 6 the block.
static interval size_of(const evaluation *self, MlirOperation op,
                        intptr_t first) {
  MlirAttribute dimension = agpu__attr(op, "dimension");
  if (mlirAttributeIsNull(dimension))
    return unknown;
  static const char *const names[] = {"#gpu<dim x>", "#gpu<dim y>",
                                      "#gpu<dim z>"};
  MlirContext context = mlirOperationGetContext(op);
  for (intptr_t i = 0; i < 3; ++i)
    if (mlirAttributeEqual(dimension, agpu__parse_attr(context, names[i])))
      return launched_with(self, first + i, 0);
  return unknown;
}

static interval below(interval size) {
  return is_known(size) && size.low > 0 ? make(0, size.high - 1) : unknown;
}

static interval range_of_argument(evaluation *self, MlirValue value,
                                  int depth) {
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  MlirOperation parent = mlirBlockGetParentOperation(block);
  intptr_t number = mlirBlockArgumentGetArgNumber(value);
  if (mlirOperationEqual(parent, self->kernel) &&
      mlirBlockEqual(block, agpu__entry_block(self->kernel)) &&
      number < agpu__segment(self->launch, AGPU__LAUNCH_ARGUMENTS))
    return launched_with(self, AGPU__LAUNCH_ARGUMENTS, number);
  if (!agpu__op_is(parent, "scf.for") || number != 0)
    return unknown;
  interval from = range_of(self, mlirOperationGetOperand(parent, 0), depth);
  interval to = range_of(self, mlirOperationGetOperand(parent, 1), depth);
  interval by = range_of(self, mlirOperationGetOperand(parent, 2), depth);
  return is_known(from) && is_known(to) && is_known(by) && by.low > 0 &&
                 from.low < to.high
             ? make(from.low, to.high - 1)
             : unknown;
}

static interval range_of_expr(evaluation *self, MlirAffineExpr expr,
                              MlirOperation apply, intptr_t dimensions,
                              int depth) {
  if (depth > DEPTH)
    return unknown;
  if (mlirAffineExprIsAConstant(expr)) {
    int64_t is = mlirAffineConstantExprGetValue(expr);
    return make(is, is);
  }
  if (mlirAffineExprIsADim(expr))
    return range_of(
        self,
        mlirOperationGetOperand(apply, mlirAffineDimExprGetPosition(expr)),
        depth + 1);
  if (mlirAffineExprIsASymbol(expr))
    return range_of(
        self,
        mlirOperationGetOperand(
            apply, dimensions + mlirAffineSymbolExprGetPosition(expr)),
        depth + 1);
  interval a = range_of_expr(self, mlirAffineBinaryOpExprGetLHS(expr), apply,
                             dimensions, depth + 1);
  interval b = range_of_expr(self, mlirAffineBinaryOpExprGetRHS(expr), apply,
                             dimensions, depth + 1);
  if (mlirAffineExprIsAAdd(expr))
    return add(a, b);
  if (mlirAffineExprIsAMul(expr))
    return multiply(a, b);
  if (mlirAffineExprIsAFloorDiv(expr))
    return divide(a, b);
  if (mlirAffineExprIsAMod(expr))
    return remainder_of(a, b);
  return unknown;
}

typedef struct binary_row {
  const char *name;
  interval (*compute)(interval a, interval b);
} binary_row;

static const binary_row binaries[] = {
    {"arith.addi", add},           {"arith.subi", subtract},
    {"arith.muli", multiply},      {"arith.divui", divide},
    {"arith.divsi", divide},       {"arith.remui", remainder_of},
    {"arith.remsi", remainder_of}, {"arith.minsi", smaller},
    {"arith.maxsi", larger},
};

static interval range_of_op(evaluation *self, MlirOperation op, int depth) {
  if (agpu__op_is(op, "arith.constant"))
    return constant(agpu__result(op, 0));
  if (agpu__op_is(op, "gpu.thread_id"))
    return below(size_of(self, op, 4));
  if (agpu__op_is(op, "gpu.block_id"))
    return below(size_of(self, op, 1));
  if (agpu__op_is(op, "gpu.block_dim"))
    return size_of(self, op, 4);
  if (agpu__op_is(op, "gpu.grid_dim"))
    return size_of(self, op, 1);
  if (agpu__op_is(op, "gpu.global_id"))
    return below(multiply(size_of(self, op, 1), size_of(self, op, 4)));
  if (agpu__op_is(op, "arith.index_cast") || agpu__op_is(op, "arith.extsi"))
    return range_of(self, mlirOperationGetOperand(op, 0), depth);
  if (agpu__op_is(op, "arith.select"))
    return join(range_of(self, mlirOperationGetOperand(op, 1), depth),
                range_of(self, mlirOperationGetOperand(op, 2), depth));
  if (agpu__op_is(op, "affine.apply")) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(agpu__attr(op, "map"));
    return range_of_expr(self, mlirAffineMapGetResult(map, 0), op,
                         mlirAffineMapGetNumDims(map), depth);
  }
  for (size_t i = 0; i < AGPU__COUNT(binaries); ++i)
    if (agpu__op_is(op, binaries[i].name))
      return binaries[i].compute(
          range_of(self, mlirOperationGetOperand(op, 0), depth),
          range_of(self, mlirOperationGetOperand(op, 1), depth));
  return unknown;
}

/// Integers of fewer bits than LIMIT needs wrap around: nothing is said of
/// them.
static bool is_wide(MlirType type) {
  return mlirTypeIsAIndex(type) ||
         (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) >= 32);
}

static interval range_of(evaluation *self, MlirValue value, int depth) {
  if (depth > DEPTH || !is_wide(mlirValueGetType(value)))
    return unknown;
  size_t number = agpu__map_get(&self->known, value.ptr);
  if (number != AGPU__MAP_NONE)
    return self->intervals[number];
  interval range =
      mlirValueIsAOpResult(value)
          ? range_of_op(self, mlirOpResultGetOwner(value), depth + 1)
          : range_of_argument(self, value, depth + 1);
  AGPU__GROW(self->intervals, self->count, self->capacity);
  self->intervals[self->count] = range;
  agpu__map_set(&self->known, value.ptr, self->count++);
  return range;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The box of a load or store whose indices begin with operand `first`.
static agpu__box box_of(evaluation *self, MlirOperation op, MlirValue memref,
                        intptr_t first) {
  MlirType type = mlirValueGetType(memref);
  intptr_t rank = mlirTypeIsAMemRef(type) ? mlirShapedTypeGetRank(type) : 0;
  if (rank == 0 || rank > AGPU__BOX_RANK)
    return AGPU__WHOLE;
  agpu__box box = {.rank = (int)rank};
  for (intptr_t i = 0; i < rank; ++i) {
    interval at = range_of(self, mlirOperationGetOperand(op, first + i), 0);
    bool dynamic = mlirShapedTypeIsDynamicDim(type, i);
    if (!is_known(at) && dynamic)
      return AGPU__WHOLE;
    int64_t size = dynamic ? INT64_MAX : mlirShapedTypeGetDimSize(type, i);
    box.low[i] = is_known(at) && at.low > 0 ? at.low : 0;
    box.high[i] = is_known(at) && at.high + 1 < size ? at.high + 1 : size;
  }
  return box;
}

static void note(agpu__launch_ranges *ranges, size_t argument, agpu__box box) {
  ranges->boxes[argument] = ranges->touched[argument]
                                ? agpu__box_join(&ranges->boxes[argument], &box)
                                : box;
  ranges->touched[argument] = true;
}

static void note_op(evaluation *self, const agpu__objects *objects,
                    MlirOperation op, agpu__launch_ranges *ranges) {
  bool loads = agpu__op_is(op, "memref.load");
  bool stores = agpu__op_is(op, "memref.store");
  agpu__op_class class = agpu__memory_of_op(op).class;
  if (class == AGPU__OP_VIEW || class == AGPU__OP_PURE)
    return; // what is done to the view counts
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue memref = mlirOperationGetOperand(op, i);
    if (!agpu__is_memref(memref))
      continue;
    agpu__place_in_memory place = agpu__place_of_memref(objects, memref);
    bool plain = (loads && i == 0) || (stores && i == 1);
    AGPU__EACH_MEMBER(member, objects, place.object)
    if (objects->data[member].kind == AGPU__OBJECT_ARGUMENT)
      note(ranges, objects->data[member].argument,
           plain && place.is_identity && place.box.rank < 0
               ? box_of(self, op, memref, i + 1)
           : place.box.rank >= 0 ? place.box
                                 : AGPU__WHOLE);
  }
}

void agpu__launch_ranges_create(MlirOperation launch, MlirOperation kernel,
                                const agpu__objects *objects,
                                agpu__launch_ranges *out_ranges) {
  size_t count = (size_t)agpu__segment(launch, AGPU__LAUNCH_ARGUMENTS);
  *out_ranges = (agpu__launch_ranges){
      .boxes = agpu__allocate(count, sizeof(*out_ranges->boxes)),
      .touched = agpu__allocate(count, sizeof(*out_ranges->touched)),
      .count = count};
  evaluation self = {.launch = launch, .kernel = kernel};
  AGPU__SCOPED(ops) all = {0};
  agpu__collect(kernel, NULL, &all);
  for (size_t i = 0; i < all.count; ++i)
    note_op(&self, objects, all.data[i], out_ranges);
  agpu__map_free(&self.known);
  free(self.intervals);
}

void agpu__launch_ranges_free(agpu__launch_ranges *ranges) {
  free(ranges->boxes);
  free(ranges->touched);
  memset(ranges, 0, sizeof(*ranges));
}

const agpu__box *agpu__launch_range(const agpu__launch_ranges *ranges,
                                    size_t argument) {
  return argument < ranges->count && ranges->touched[argument]
             ? &ranges->boxes[argument]
             : NULL;
}
