//===- abi.c - Which runtime the program will run on -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that make calls of the runtime have to agree on whose they are. The
// first says it on the module.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/pass.h"

#include "lower/dialect/attributes.h"
#include "lower/ir/ir.h"

MlirLogicalResult agpu__abi_option(MlirOperation module,
                                   const agpu_pass_values *values,
                                   bool *out_upstream) {
  MlirStringRef abi = agpu__str(agpu__pass_value_string(values, "abi"));
  MlirStringRef recorded = agpu__get_string(module, AGPU__ABI_ATTR);
  MlirLocation location = mlirOperationGetLocation(module);
  if (!abi.length)
    abi = recorded.length ? recorded : agpu__str(AGPU__ABI_OWN);
  *out_upstream = mlirStringRefEqual(abi, agpu__str(AGPU__ABI_UPSTREAM));
  if (!*out_upstream && !mlirStringRefEqual(abi, agpu__str(AGPU__ABI_OWN)))
    return agpu__error(location,
                       "unknown abi '%.*s': it is async-gpu or upstream",
                       AGPU__STR(abi));
  if (recorded.length && !mlirStringRefEqual(abi, recorded))
    return agpu__error(location,
                       "abi=%.*s conflicts with abi=%.*s, which earlier passes "
                       "have lowered parts of this program for",
                       AGPU__STR(abi), AGPU__STR(recorded));
  agpu__set_attr(module, AGPU__ABI_ATTR,
                 mlirStringAttrGet(mlirOperationGetContext(module), abi));
  AGPU__SCOPED(ops) acquires = agpu__ops_in(module, "agpu.stream_acquire");
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (*out_upstream && acquires.count)
    result = agpu__error(mlirOperationGetLocation(acquires.data[0]),
                         "this function has GPU ops, which upstream's runtime "
                         "has no calls for: abi=upstream is for programs "
                         "without them");
  return result;
}
