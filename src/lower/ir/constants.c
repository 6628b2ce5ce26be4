//===- constants.c - Numbers that are known when compiling ----------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at the op that makes a value, and at no other: what can be folded has
// been.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

bool agpu__known_number(MlirValue value, int64_t *out_number) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  MlirAttribute number = agpu__op_is(op, "arith.constant")
                             ? agpu__attr(op, "value")
                             : mlirAttributeGetNull();
  if (mlirAttributeIsNull(number) || !mlirAttributeIsAInteger(number))
    return false;
  *out_number = mlirIntegerAttrGetValueInt(number);
  return true;
}

bool agpu__known_trip_count(MlirValue lower, MlirValue upper, MlirValue step,
                            int64_t *out_trips) {
  int64_t first, end, by, length;
  if (!agpu__known_number(lower, &first) || !agpu__known_number(upper, &end) ||
      !agpu__known_number(step, &by) || by <= 0 ||
      __builtin_sub_overflow(end, first, &length))
    return false;
  *out_trips = length <= 0 ? 0 : (length - 1) / by + 1;
  return true;
}
