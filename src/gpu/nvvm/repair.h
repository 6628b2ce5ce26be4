//===- repair.h - Around gaps in upstream's conversions -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's conversions to the LLVM and NVVM dialects would refuse, or
// give types that LLVM does not take, is put right here, before and after they
// run.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_REPAIR_H
#define ASYNC_GPU_GPU_REPAIR_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

/// Before conversion: parameters of kernels that are tensor maps of the nvgpu
/// dialect become pointers, which is what they are at a launch.
/// One that has been repaired is left as it is.
void agpu__repair_tensor_maps(MlirOperation gpu_module);

/// Before conversion: `math.fma` of f16 and bf16 becomes LLVM's intrinsic,
/// which rounds once, where upstream calls the function of f32 and rounds
/// again.
void agpu__repair_fma(MlirOperation gpu_module);

/// Before conversion with `arith-expand`: `arith.maximumf` and `minimumf`
/// become LLVM's intrinsics, where that pass would compare, to which zeros are
/// equal.
void agpu__repair_extremes(MlirOperation gpu_module);

/// Before conversion: `nvvm.barrier.arrive` becomes LLVM's intrinsic, where
/// upstream makes assembly text of it, which the emulated device cannot read.
void agpu__repair_arrivals(MlirOperation gpu_module);

/// Before conversion: takes each `vector.multi_reduction` apart into reductions
/// of rows. One of scalable vectors stays.
MlirLogicalResult agpu__repair_multi_reductions(MlirOperation gpu_module);

/// After conversion: an llvm.func that is a kernel to the gpu dialect alone is
/// one to the NVPTX backend, too. Fails with a diagnostic at one that has a
/// result.
MlirLogicalResult agpu__repair_kernels(MlirOperation gpu_module);

/// On the way to PTX: loads of matrices with one register a lane become LLVM's
/// intrinsic, whose result is that register, where upstream takes it for a
/// structure.
void agpu__repair_fragments(MlirOperation gpu_module);

/// Of wgmma of single bits, upstream's text leaves out how they are multiplied
/// (.and.popc). After `convert-nvvm-to-llvm`.
void agpu__repair_bit_products(MlirOperation gpu_module);

/// After conversion: gives each `llvm.mlir.global` of `gpu_module` that says no
/// alignment the one that LLVM takes it to have. Both targets place it by that.
/// Workgroup memory gets more where tensor copies may go there.
void agpu__align_globals(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_REPAIR_H
