//===- atomic_order.h - What atomic operations order --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An atomic op of the memref dialect changes one element as a whole, for all
// threads of all devices and of the host, and orders no other access. One of
// the LLVM dialect orders what it says.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_ATOMIC_ORDER_H
#define ASYNC_GPU_GPU_ATOMIC_ORDER_H

#include "mlir-c/IR.h"

/// Before conversion: marks the atomic ops that are in the LLVM dialect.
void agpu__mark_atomics(MlirOperation gpu_module);

/// After conversion: gives those that are not marked the order that the memref
/// dialect's have, and takes the marks away. The NVPTX backend knows no order
/// of llvm.atomicrmw: fences stand around those that say more.
void agpu__order_atomics(MlirOperation gpu_module);

/// Writes into PTX, for a chip of that number, that its atomic operations on
/// memory that others share are for all of them; the backend leaves the scope
/// of all but compare-and-swap to the assembler, which takes the device. What
/// was written by hand stays. The caller frees the result.
char *agpu__scope_atomics(const char *ptx, unsigned chip);

#endif // ASYNC_GPU_GPU_ATOMIC_ORDER_H
