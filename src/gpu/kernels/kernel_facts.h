//===- kernel_facts.h - What launches say of kernels --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the pass async-gpu-kernel-facts has found out travels on the kernel in
// discardable attributes, from its gpu.func to the parameters in the PTX.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_KERNEL_FACTS_H
#define ASYNC_GPU_GPU_KERNEL_FACTS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

/// Before conversion to the LLVM dialect: makes the numbers of arguments in
/// `gpu_module`, which the pass has left, numbers of parameters. A memref is
/// one parameter with `bare_pointers`, else the members of its descriptor.
void agpu__kernel_facts_renumber(MlirOperation gpu_module, bool bare_pointers);

/// Gives the parameters of `kernel`, an llvm.func, the attributes that say what
/// is known of them. For PTX: native code takes more parameters, and shares
/// memory with the host.
void agpu__kernel_facts_apply(MlirOperation kernel);

#endif // ASYNC_GPU_GPU_KERNEL_FACTS_H
