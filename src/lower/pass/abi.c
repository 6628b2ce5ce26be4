//===- abi.c - Which runtime the program will run on -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lower/pass/abi.h"

#include "lower/ir/ir.h"

#include <string.h>

MlirLogicalResult agpu__abi_option(MlirOperation module,
                                   const agpu_pass_values *values,
                                   bool *out_upstream) {
  const char *abi = agpu__pass_value_string(values, "abi");
  *out_upstream = !strcmp(abi, "upstream");
  if (!*out_upstream && strcmp(abi, "async-gpu"))
    return agpu__error(mlirOperationGetLocation(module),
                       "unknown abi '%s': it is async-gpu or upstream", abi);
  agpu__ops acquires = {0};
  agpu__collect(module, "agpu.stream_acquire", &acquires);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (*out_upstream && acquires.count)
    result = agpu__error(mlirOperationGetLocation(acquires.data[0]),
                         "this function has GPU ops, which upstream's runtime "
                         "has no calls for: abi=upstream is for programs "
                         "without them");
  agpu__ops_free(&acquires);
  return result;
}
