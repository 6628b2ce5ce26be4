//===- order_constants.h - Constants in the order of their uses -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR 22 bufferizes functions in the order of their addresses, and makes and
// names the globals of constants on the way: the same program compiles to
// another text each time. Later releases keep to the program's order.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_ORDER_CONSTANTS_H
#define ASYNC_GPU_LOWER_ORDER_CONSTANTS_H

#include "lower/ir/map.h"

#include "mlir-c/IR.h"

/// The names of all symbols of the module, for the caller to free.
agpu__map agpu__symbols_named(MlirOperation module);

/// Names the globals that are not in `before` as bufferization does, but in the
/// order in which the module uses them, and puts them in this order at its
/// front. Those without uses go.
void agpu__order_constants(MlirOperation module, const agpu__map *before);

#endif // ASYNC_GPU_LOWER_ORDER_CONSTANTS_H
