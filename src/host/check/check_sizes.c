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
// Whether an allocation gets its memory is looked at after it, and the program
// ends where it does not. In regions and async functions async-gpu-coroutines
// has made that an error of theirs before.
//
//===----------------------------------------------------------------------===//

#include "host/passes.h"
#include "lower/convert/convert.h"
#include "lower/dialect/attributes.h"

#include <stdlib.h>

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
  AGPU__OWNED char *place = agpu__location_text(at->location);
  AGPU__OWNED char *text = agpu__format("%s: error: not enough memory", place);
  MlirNamedAttribute message =
      agpu__named(at->context, "msg", agpu__string_attr(at->context, text));
  agpu__build_op(at, "cf.assert", &ok, 1, (MlirType){NULL}, &message, 1);
}

static MlirLogicalResult check(MlirOperation module, MlirOperation op,
                               bool upstream) {
  if (agpu__allocation_is_too_large(op))
    return agpu__error(mlirOperationGetLocation(op),
                       "a memref larger than the address space");
  agpu__allocation_check made;
  if (agpu__build_allocation_check(op, &made)) {
    agpu__builder at = agpu__builder_after(mlirOpResultGetOwner(made.ok));
    at.location = mlirOperationGetLocation(op);
    build_check(&at, module, made.ok, made.bytes, upstream);
  }
  agpu__remove_attr(op, AGPU__CHECKED_ATTR);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  bool upstream;
  MlirLogicalResult result = agpu__abi_option(module, values, &upstream);
  if (mlirLogicalResultIsFailure(result))
    return result;
  AGPU__OPS_FOREACH (function, agpu__module_body(module)) {
    if (!agpu__op_is(function, "func.func"))
      continue;
    AGPU__SCOPED(ops) ops = agpu__ops_in(function, "memref.alloc");
    agpu__collect(function, "memref.alloca", &ops);
    agpu__collect(function, "memref.realloc", &ops);
    for (size_t i = 0; i < ops.count; ++i)
      if (mlirLogicalResultIsFailure(check(module, ops.data[i], upstream)))
        result = mlirLogicalResultFailure();
  }
  return result;
}

static const agpu_pass_option options[] = {AGPU__ABI_OPTION};

const agpu_pass agpu__pass_check_sizes = {
    .argument = "async-gpu-check-sizes",
    .summary = "End the program where an allocation on the host fails",
    AGPU__OPTIONS(options),
    .run_with = run,
};
