//===- simt.h - Kernels as native code ----------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Native code for the emulated device, made from the same LLVM and NVVM ops as
// the PTX. A kernel becomes two functions of the host module:
//
//     agpu_body.M.K    one thread: the kernel's parameters, then twelve i32,
//                      thread id, block size, block id, grid size (x, y, z)
//     agpu_native.M.K  one block, an agpu_native_kernel_fn: loads the
//                      parameters, loops over z, y, x and calls the body
//
// Threads of a block do not wait for each other here, so that LLVM can
// vectorise the x loop.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_H
#define ASYNC_GPU_GPU_SIMT_H

#include "gpu/embed.h"

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Special registers of a thread that the block function knows, times three
/// dimensions: the order of a body's last twelve parameters.
enum agpu__simt_id {
  AGPU__SIMT_TID,
  AGPU__SIMT_NTID,
  AGPU__SIMT_CTAID,
  AGPU__SIMT_NCTAID,
};
#define AGPU__SIMT_ID_COUNT 12

/// Reports each op of `gpu_module`, in the LLVM and NVVM dialects, that the
/// emulated device cannot run.
MlirLogicalResult agpu__simt_check(MlirOperation gpu_module);

/// Moves the functions and globals of `gpu_module`, which passed the check, to
/// `host_module` before `gpu_module` as native code, and fills in the native
/// parts of `kernels`, whose functions they are. Math is lowered too; fails
/// with a diagnostic where a function is not known. The gpu.module is left
/// without functions.
MlirLogicalResult agpu__simt_lower(MlirOperation gpu_module,
                                   MlirOperation host_module,
                                   agpu__kernel *kernels, size_t kernel_count);

/// Marks the loads and stores of `kernel`, a body, as those of a parallel loop
/// if that is safe, and returns the llvm.loop_annotation that the loop needs;
/// null if it is not.
MlirAttribute agpu__simt_mark_parallel(MlirOperation kernel);

/// Builds the block function `symbol` around `body`, at `location`, before op
/// `before`.
/// `parallel` is an llvm.loop_annotation for the x loop, or null.
void agpu__simt_build_block(MlirOperation before, MlirLocation location,
                            const char *symbol, const char *body,
                            MlirType body_type, MlirAttribute parallel);

#endif // ASYNC_GPU_GPU_SIMT_H
