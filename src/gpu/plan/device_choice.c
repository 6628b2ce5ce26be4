//===- device_choice.c - Which device a body works on -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices are chosen by attributes on bodies. What has none works on the
// default device of the body around it, which a program may change while it
// runs.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/plan.h"

int32_t agpu__named_device(MlirOperation body) {
  return (int32_t)agpu__get_int(body, AGPU__DEVICE_ATTR, -1);
}

bool agpu__sets_default_device(MlirOperation module) {
  AGPU__OPS_IN_FOREACH (op, module, NULL)
    if (agpu__op_is(op, "gpu.set_default_device") ||
        agpu__op_is(op, "agpu.set_default_device"))
      return true;
  return false;
}

int32_t agpu__priority_of(MlirOperation body) {
  while (!mlirOperationIsNull(body) &&
         !agpu__has_attr(body, AGPU__PRIORITY_ATTR))
    body = agpu__body_of(body);
  return mlirOperationIsNull(body)
             ? 0
             : (int32_t)agpu__get_int(body, AGPU__PRIORITY_ATTR, 0);
}

/// The nearest body around `body`, itself included, that names a device; the
/// outermost one where none does.
static MlirOperation get_deciding_body(MlirOperation body) {
  while (agpu__named_device(body) < 0) {
    MlirOperation outer = agpu__body_of(body);
    if (mlirOperationIsNull(outer))
      break;
    body = outer;
  }
  return body;
}

bool agpu__have_same_device(MlirOperation a, MlirOperation b) {
  MlirOperation of_a = get_deciding_body(a), of_b = get_deciding_body(b);
  int32_t device = agpu__named_device(of_a);
  return device >= 0 ? device == agpu__named_device(of_b)
                     : mlirOperationEqual(of_a, of_b);
}
