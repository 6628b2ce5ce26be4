//===- nvvm.h - gpu.module to the LLVM and NVVM dialects -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversion, and what is put right before and after it.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_NVVM_NVVM_H
#define ASYNC_GPU_GPU_NVVM_NVVM_H

#include "lower/ir/ops.h"
#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>

//===----------------------------------------------------------------------===//
// One address space
//
// On the host all memory of the emulated device lies in one address space.
//===----------------------------------------------------------------------===//

/// Moves every pointer and global inside `root`, which holds LLVM dialect ops
/// only, to address space 0. Casts between address spaces go away.
void agpu__flatten_address_spaces(MlirOperation root);

/// Gives every memref in `root` whose memory space is one of the gpu dialect's
/// (global, workgroup, private) the number that NVVM has for it, which is all
/// that upstream's conversion of vectors understands.
void agpu__number_address_spaces(MlirOperation root);

//===----------------------------------------------------------------------===//
// Memory that a kernel asks for
//===----------------------------------------------------------------------===//

/// Before conversion: makes one workgroup buffer of each `memref.alloc` and
/// `memref.alloca` in workgroup memory, which all threads of a block share, and
/// an `memref.alloca` where the function begins of each `memref.alloc` in
/// private memory; their deallocations go. Upstream makes a call of malloc in
/// each thread of them. Fails with a diagnostic where the size is not constant,
/// or where the memory may outlive a turn of a loop or its function, as one
/// buffer would then stand for several.
MlirLogicalResult agpu__place_allocations(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// What atomic operations order
//
// An atomic op of the memref dialect changes one element as a whole, for all
// threads of all devices and of the host, and orders no other access. One of
// the LLVM dialect orders what it says.
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Memory that kernels declare
//===----------------------------------------------------------------------===//

/// Gives workgroup and private memory of the kernels' heads the memory space
/// that it lies in. Reports one that says another.
MlirLogicalResult agpu__place_attributions(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// Math functions without a library
//===----------------------------------------------------------------------===//

/// Before conversion, where math is to be expanded: expresses exponentials,
/// hyperbolic functions, their inverses and the tangent by binary exponentials
/// and logarithms, which the chip approximates, and polynomials where those
/// would leave few right digits. Of f32, f16 and bf16, and vectors of one
/// dimension; others stay. Whether there was one.
bool agpu__expand_functions(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// Functions of a lowered gpu.module
//===----------------------------------------------------------------------===//

/// True for a function that a host can launch (a lowered kernel).
static inline bool agpu__nvvm_is_kernel(MlirOperation function) {
  return agpu__op_is(function, "llvm.func") &&
         (agpu__has_attr(function, "nvvm.kernel") ||
          agpu__has_attr(function, "gpu.kernel"));
}

//===----------------------------------------------------------------------===//
// Gpu.module to the LLVM and NVVM dialects
//
// The first step of every kernel: upstream's conversions, in an order chosen
// from what the module holds, and the check that nothing is left over.
//===----------------------------------------------------------------------===//

typedef struct agpu__nvvm_options {
  /// A memref argument of a kernel is the pointer to its allocation, not the
  /// members of its descriptor.
  bool bare_pointers;
  bool has_redux;   ///< the target has `redux.sync`
  bool is_native;   ///< the only target is native code
  bool expand_math; ///< expand math ops rather than call libdevice
} agpu__nvvm_options;

/// Converts the body of `gpu_module` (a gpu.module) to the LLVM and NVVM
/// dialects in place; index becomes i64, a memref argument its descriptor's
/// members. A module that holds only those dialects already is left as it is.
/// Fails with a diagnostic at each op that has no conversion; the module is
/// then in an unspecified state. Upstream's passes must be registered.
MlirLogicalResult agpu__nvvm_lower(MlirOperation gpu_module,
                                   const agpu__nvvm_options *options);

/// Converts what of `gpu_module`, so lowered, LLVM knows as text of PTX alone:
/// ops of the NVVM dialect that have no intrinsic. Native code is made of the
/// ops.
MlirLogicalResult agpu__nvvm_to_text(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// Around gaps in upstream's conversions
//
// What upstream's conversions to the LLVM and NVVM dialects would refuse, or
// give types that LLVM does not take, is put right here, before and after they
// run.
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Tensor maps in global memory
//===----------------------------------------------------------------------===//

/// Puts a `nvvm.fence.proxy.acquire` of each tensor map before its uses in
/// `gpu_module`, which is lowered: one that is a parameter of a kernel is
/// fenced where the kernel begins, any other right before its use. Maps in
/// parameters by value and in constant memory need none. What is fenced is left
/// as it is.
void agpu__fence_tensor_maps(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_NVVM_NVVM_H
