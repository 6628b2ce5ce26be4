//===- cost.c - How long ops take, about ----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes are looked up in types and constants. Estimates never wrap: they stop
// at AGPU__MANY_OPS.
//
//===----------------------------------------------------------------------===//

#include "gpu/memory/accesses.h"

#include "gpu/plan/plan.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/Dialect/Linalg.h"

/// What a size, a number of trips, blocks or threads is taken for that is known
/// only when the program runs: enough that nested loops and kernels with loops
/// are long, and few enough that a copy or a pass over a vector is not.
#define UNKNOWN 64

/// Loops of an op of linalg that are counted.
#define LOOPS 16

int64_t agpu__cost_plus(int64_t a, int64_t b) {
  return a + b < AGPU__MANY_OPS ? a + b : AGPU__MANY_OPS;
}

int64_t agpu__cost_times(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) || product > AGPU__MANY_OPS
             ? AGPU__MANY_OPS
             : product;
}

/// Whether it is known how often a loop to `end` runs: the numbers are, or it
/// ends at a known distance from where it begins.
static bool knows_trips_to(MlirValue first, MlirValue end, MlirValue step,
                           int64_t *out_trips) {
  int64_t length, by;
  if (agpu__known_trip_count(first, end, step, out_trips))
    return true;
  MlirOperation sum = agpu__maker_of(end);
  if (!agpu__op_is(sum, "arith.addi") || !agpu__known_number(step, &by) ||
      by <= 0)
    return false;
  for (intptr_t i = 0; i < 2; ++i)
    if (mlirValueEqual(mlirOperationGetOperand(sum, i), first) &&
        agpu__known_number(mlirOperationGetOperand(sum, 1 - i), &length) &&
        length >= 0) {
      *out_trips = length / by + (length % by != 0);
      return true;
    }
  return false;
}

/// The same, or at most how often: to the lesser of two ends.
static bool knows_trips(MlirValue first, MlirValue end, MlirValue step,
                        int64_t *out_trips) {
  if (knows_trips_to(first, end, step, out_trips))
    return true;
  MlirOperation least = agpu__maker_of(end);
  if (mlirOperationIsNull(least) ||
      !(agpu__op_is(least, "arith.minui") || agpu__op_is(least, "arith.minsi")))
    return false;
  for (intptr_t i = 0; i < 2; ++i)
    if (knows_trips_to(first, mlirOperationGetOperand(least, i), step,
                       out_trips))
      return true;
  return false;
}

int64_t agpu__cost_trips(MlirOperation op) {
  intptr_t loops = agpu__op_is(op, "scf.for")        ? 1
                   : agpu__op_is(op, "scf.parallel") ? agpu__segment(op, 0)
                                                     : 0;
  if (!loops && agpu__op_has(op, AGPU__OP_LOOP))
    return UNKNOWN;
  int64_t all = 1, trips;
  for (intptr_t i = 0; i < loops; ++i) {
    if (!knows_trips(mlirOperationGetOperand(op, i),
                     mlirOperationGetOperand(op, loops + i),
                     mlirOperationGetOperand(op, 2 * loops + i), &trips))
      trips = UNKNOWN;
    all = agpu__cost_times(all, trips);
  }
  return all;
}

/// The product of the first `count` sizes of a launch: of its grid, and its
/// blocks.
static int64_t multiply_sizes(MlirOperation launch, intptr_t count) {
  intptr_t first = agpu__segment(launch, 0);
  int64_t product = 1, size;
  for (intptr_t i = 0; i < count; ++i) {
    if (!agpu__known_number(mlirOperationGetOperand(launch, first + i),
                            &size) ||
        size < 0)
      size = UNKNOWN;
    product = agpu__cost_times(product, size);
  }
  return product;
}

int64_t agpu__cost_threads(MlirOperation launch) {
  return multiply_sizes(launch, 6);
}

int64_t agpu__cost_blocks(MlirOperation launch) {
  return multiply_sizes(launch, 3);
}

/// The bytes of a memref, without what lies between its elements.
static int64_t bytes_of(MlirType type) {
  if (!mlirTypeIsAMemRef(type))
    return AGPU__MANY_OPS;
  MlirType element = mlirShapedTypeGetElementType(type);
  int64_t bytes =
      mlirTypeIsAInteger(element) ? (mlirIntegerTypeGetWidth(element) + 7) / 8
      : mlirTypeIsAFloat(element) ? (mlirFloatTypeGetWidth(element) + 7) / 8
                                  : 8;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    bytes = agpu__cost_times(bytes, mlirShapedTypeIsDynamicDim(type, i)
                                        ? UNKNOWN
                                        : mlirShapedTypeGetDimSize(type, i));
  return bytes;
}

int64_t agpu__cost_of_copy(MlirOperation op) {
  // After its dependencies a gpu op names where it writes to, memref.copy what
  // it reads.
  bool on_device = agpu__op_in_dialect(op, "gpu");
  intptr_t at = on_device ? agpu__async_dependency_count(op) : 0;
  int64_t bytes = bytes_of(mlirValueGetType(mlirOperationGetOperand(op, at)));
  // Memory is as slow to a device as some ops for each word are.
  return agpu__cost_plus(on_device ? agpu__cost_times(bytes, 2) : bytes / 4,
                         32);
}

/// Notes the sizes of the loops that operand `number` is indexed by.
static void note_sizes(MlirOperation op, intptr_t number, MlirAffineMap map,
                       int64_t *sizes) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, number));
  if (!mlirTypeIsAMemRef(type))
    return;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    if (!mlirAffineExprIsADim(expr))
      continue;
    intptr_t loop = mlirAffineDimExprGetPosition(expr);
    if (loop < LOOPS && !mlirShapedTypeIsDynamicDim(type, i))
      sizes[loop] = mlirShapedTypeGetDimSize(type, i);
  }
}

int64_t agpu__cost_of_linalg(MlirOperation op) {
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  if (mlirAttributeIsNull(maps) || !mlirAttributeIsAArray(maps) ||
      !mlirArrayAttrGetNumElements(maps))
    return AGPU__MANY_OPS;
  int64_t sizes[LOOPS], cost = 4;
  for (int i = 0; i < LOOPS; ++i)
    sizes[i] = UNKNOWN;
  intptr_t loops = 0;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(maps) &&
                       i < mlirOperationGetNumOperands(op);
       ++i) {
    MlirAffineMap map =
        mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    loops = mlirAffineMapGetNumDims(map);
    note_sizes(op, i, map, sizes);
  }
  for (intptr_t i = 0; i < loops; ++i)
    cost = agpu__cost_times(cost, i < LOOPS ? sizes[i] : UNKNOWN);
  return cost;
}
