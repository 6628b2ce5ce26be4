//===- lowered.c - Functions of a lowered gpu.module ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a function is, once the conversion has made an llvm.func of it, or where
// the program has written one.
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/nvvm.h"

#include "lower/ir/ir.h"

bool agpu__nvvm_is_kernel(MlirOperation function) {
  return agpu__op_is(function, "llvm.func") &&
         (agpu__has_attr(function, "nvvm.kernel") ||
          agpu__has_attr(function, "gpu.kernel"));
}
