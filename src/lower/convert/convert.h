//===- convert.h - Upstream's dialects to LLVM -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's conversions leave, and what is put right around LLVM for all
// targets.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_CONVERT_CONVERT_H
#define ASYNC_GPU_LOWER_CONVERT_CONVERT_H

#include "lower/ir/ir.h"
#include "lower/ir/template.h"

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm-c/Types.h"

//===----------------------------------------------------------------------===//
// Whether an allocation succeeds
//===----------------------------------------------------------------------===//

typedef struct agpu__allocation_check {
  MlirValue ok;    ///< an i1: the sizes fit, and the memory is there
  MlirValue bytes; ///< an i64: those asked for; INT64_MAX where none fit
} agpu__allocation_check;

/// Builds what tells whether `op`, a memref.alloc, .alloca or .realloc, gets
/// its memory: after an alloc, before the others. What depends on it stands
/// directly after the op that gives `ok`. False where there is nothing to
/// check, or `op` has a check.
bool agpu__build_allocation_check(MlirOperation op,
                                  agpu__allocation_check *out_check);

/// Whether the shape alone of what `op` allocates is larger than the address
/// space.
bool agpu__allocation_is_too_large(MlirOperation op);

//===----------------------------------------------------------------------===//
// Atomic operations without an instruction
//===----------------------------------------------------------------------===//

/// Makes a `memref.generic_atomic_rmw` of each `memref.atomic_rmw` in
/// `root` that multiplies, which LLVM has no operation for. Returns whether
/// there were any.
bool agpu__expand_atomics(MlirOperation root);

/// After conversion: `llvm.cmpxchg` of floats (memref.generic_atomic_rmw)
/// exchanges the integers with their bits.
void agpu__repair_exchanges(MlirOperation root);

//===----------------------------------------------------------------------===//
// Arithmetic on bf16
//===----------------------------------------------------------------------===//

/// Makes integers of all bf16 in `ir`, which LLVM 22's code for x86 gets wrong.
/// For IR that is not optimised any more.
void agpu__expand_bfloat(LLVMModuleRef ir);

/// Replaces what LLVM's code for the chips before sm_90, which have no such
/// instructions, rounds twice: conversions of integers, and fma where the chip
/// has none. For IR that is not optimised any more.
void agpu__round_bfloat_once(LLVMModuleRef ir, bool has_fma);

/// True where `ir` has an atomic operation that computes with bf16. The code
/// generator makes a loop of it behind agpu__expand_bfloat's back: LLVM's
/// `atomic-expand` has to run before.
bool agpu__has_bfloat_atomics(LLVMModuleRef ir);

//===----------------------------------------------------------------------===//
// Operations on the bits of bf16
//
// Builds code that computes with bf16. Such a number, or each lane of a vector
// of them, is an integer of 16 bits here.
//===----------------------------------------------------------------------===//

typedef struct agpu__bfloat_builder {
  LLVMBuilderRef at;
  LLVMModuleRef ir;
  LLVMContextRef context;
} agpu__bfloat_builder;

/// `element`, or a vector of as many as `like`, a type, has lanes.
LLVMTypeRef agpu__bfloat_lanes(LLVMTypeRef like, LLVMTypeRef element);

/// True for a bf16 and for a vector of them.
bool agpu__is_bfloat(LLVMTypeRef type);

/// The integers in place of `type`, a bf16 or a vector of them.
LLVMTypeRef agpu__bfloat_bits_type(const agpu__bfloat_builder *b,
                                   LLVMTypeRef type);

/// The bits of `value` if it is of bf16; anything else as it is.
LLVMValueRef agpu__bfloat_bits(const agpu__bfloat_builder *b,
                               LLVMValueRef value);

/// The same of an operand.
LLVMValueRef agpu__bfloat_operand(const agpu__bfloat_builder *b,
                                  LLVMValueRef op, unsigned i);

/// A bf16 as a float of the type `element`, anything else as it is.
LLVMValueRef agpu__bfloat_extended(const agpu__bfloat_builder *b,
                                   LLVMValueRef value, LLVMTypeRef element);

/// The bits of what `call` gives, if it is of an intrinsic that computes a
/// bf16; else null.
LLVMValueRef agpu__bfloat_intrinsic(const agpu__bfloat_builder *b,
                                    LLVMValueRef call);

/// True for a call that multiplies and adds.
bool agpu__bfloat_is_fma(LLVMValueRef call);

/// `value` in each lane of `type`, which is of integers.
LLVMValueRef agpu__bfloat_number(LLVMTypeRef type, uint64_t value);

/// A call of the intrinsic `name`, overloaded by `types`.
LLVMValueRef agpu__bfloat_call(const agpu__bfloat_builder *b, const char *name,
                               LLVMTypeRef *types, size_t type_count,
                               LLVMValueRef *arguments, unsigned count);

/// A bf16 as a float: `element` is the type of one, f32 or wider.
LLVMValueRef agpu__bfloat_extend(const agpu__bfloat_builder *b,
                                 LLVMValueRef bits, LLVMTypeRef element);

/// The bf16 that is nearest to `value`, a float of a wider type; ties to even.
LLVMValueRef agpu__bfloat_round(const agpu__bfloat_builder *b,
                                LLVMValueRef value);

/// The bf16 that is nearest to `value`, an integer. Null where it is wider than
/// all integers that occur.
LLVMValueRef agpu__bfloat_from_integer(const agpu__bfloat_builder *b,
                                       LLVMValueRef value, bool is_signed);

/// x `opcode` y, rounded once: of LLVMFAdd to LLVMFRem.
LLVMValueRef agpu__bfloat_binary(const agpu__bfloat_builder *b,
                                 LLVMOpcode opcode, LLVMValueRef x,
                                 LLVMValueRef y);

/// x * y + z, rounded once.
LLVMValueRef agpu__bfloat_fuse(const agpu__bfloat_builder *b, LLVMValueRef x,
                               LLVMValueRef y, LLVMValueRef z);

/// `bits` with the other sign.
LLVMValueRef agpu__bfloat_negate(const agpu__bfloat_builder *b,
                                 LLVMValueRef bits);

/// `bits` with the sign of `sign`; of a null one, without a sign.
LLVMValueRef agpu__bfloat_copy_sign(const agpu__bfloat_builder *b,
                                    LLVMValueRef bits, LLVMValueRef sign);

//===----------------------------------------------------------------------===//
// Constants as bytes
//===----------------------------------------------------------------------===//

/// Makes the constants that llvm.mlir.global ops of `module` have bytes, unless
/// they are small. LLVM has an object for each innermost row of arrays of
/// several dimensions, and writes floats one by one, which takes longer than
/// all else of a program with weights. In memory they are the same, as that is
/// little-endian on all targets. The globals keep the
/// alignment that they have.
void agpu__constants_to_bytes(MlirOperation module);

//===----------------------------------------------------------------------===//
// Divisions that have no result
//
// MLIR and LLVM leave the division of integers by zero undefined, and so that
// of the smallest integer by -1: in the dialects arith and index, and in
// LLVM's.
//===----------------------------------------------------------------------===//

/// True if `op` divides integers, or vectors of rank 1 of them, and may have no
/// result: its divisor is no constant that always has one.
bool agpu__division_may_fail(MlirOperation op);

/// Builds, with ops of LLVM's dialect or else of arith, what is wrong with the
/// operands of such a division: an i32 of agpu_native_division, 0 where nothing
/// is.
MlirValue agpu__division_fault(agpu__builder *at, MlirOperation op);

/// Makes `op`, such a division in the LLVM dialect, give what a GPU gives:
/// nothing traps, a quotient by zero has all bits set, a remainder by zero is
/// the dividend, and the smallest integer divided by -1 is itself.
void agpu__division_define(MlirOperation op);

//===----------------------------------------------------------------------===//
// Transposes of constants
//===----------------------------------------------------------------------===//

/// Replaces each linalg.transpose of a constant tensor in `module` by a
/// constant: front ends transpose weights, which would be done in each call.
/// Elements of 1, 2, 4 and 8 bytes; others stay.
void agpu__fold_transposes(MlirOperation module);

//===----------------------------------------------------------------------===//
// Stack memory that a coroutine hands on
//===----------------------------------------------------------------------===//

/// Keeps stack memory whose address LLVM loses sight of in the frames of the
/// coroutines of `ir`, which are not split yet.
void agpu__keep_in_frames(LLVMModuleRef ir);

//===----------------------------------------------------------------------===//
// Integers beyond the range of f16
//===----------------------------------------------------------------------===//

/// Limits what `ir` converts to f16 to numbers that decide the result, so that
/// LLVM 22 does not take an integer that becomes infinity for one that f16 has.
/// For IR that is not optimised yet.
void agpu__limit_half_conversions(LLVMModuleRef ir);

//===----------------------------------------------------------------------===//
// Math that upstream's conversions leave
//===----------------------------------------------------------------------===//

/// Expresses the ops of the math dialect in `root` that upstream has no
/// conversion for by others: `math.ipowi`, and `math.fpowi` to an integer that
/// is no i32, by a loop; `math.isinf`, `isfinite`,
/// `isnan` and `isnormal` by a test of the number's class; `math.sincos` of
/// vectors by a sine and a cosine. Returns whether there were any.
bool agpu__expand_math(MlirOperation root);

//===----------------------------------------------------------------------===//
// Constants in the order of their uses
//
// MLIR 22 bufferizes functions in the order of their addresses, and makes and
// names the globals of constants on the way: the same program compiles to
// another text each time. Later releases keep to the program's order.
//===----------------------------------------------------------------------===//

/// The names of all symbols of the module, for the caller to free.
agpu__map agpu__symbols_named(MlirOperation module);

/// Names the globals that are not in `before` as bufferization does, but in the
/// order in which the module uses them, and puts them in this order at its
/// front. Those without uses go.
void agpu__order_constants(MlirOperation module, const agpu__map *before);

//===----------------------------------------------------------------------===//
// Memory that programs look after
//===----------------------------------------------------------------------===//

/// Marks what `module` allocates itself, if it frees any of that itself:
/// upstream's deallocation passes over it, and refuses it without the marks.
MlirLogicalResult agpu__mark_own_memory(MlirOperation module);

/// Takes the marks away.
void agpu__unmark_own_memory(MlirOperation module);

/// Puts a call in place of each op of mpi: upstream does not know what they do
/// with memory, and its deallocation refuses what it does not know.
void agpu__hide_messages(MlirOperation module);

/// Puts the ops back.
void agpu__show_messages(MlirOperation module);

//===----------------------------------------------------------------------===//
// Constants that are resources
//===----------------------------------------------------------------------===//

/// The first `count` elements of the resource `from`, which are of type
/// `element`, at `out`, which malloc has aligned. False, and nothing is
/// written, for types that the C API reads no resources of: floats of 32 and 64
/// bits and integers of 8 to 64 it reads. The resource has to be there.
bool agpu__resource_read(MlirAttribute from, MlirType element, intptr_t count,
                         void *out);

/// Whether the resource that the attribute `value` of `op` names is in the
/// program: it may have been left out when that was printed.
bool agpu__resource_is_there(MlirOperation op);

/// A resource of `size` bytes at `data`, which are malloc's, and freed with it.
/// `alignment` is that of its elements.
MlirAttribute agpu__resource_make(MlirType type, const char *name, char *data,
                                  size_t size, size_t alignment);

//===----------------------------------------------------------------------===//
// Arith of floats of 8, 6 and 4 bits
//===----------------------------------------------------------------------===//

/// Expresses `arith.extf` and `arith.truncf` from and to floats of 8, 6 and 4
/// bits in `root` by arithmetic on integers, of scalars and of vectors. Returns
/// whether there were any.
bool agpu__expand_small_conversions(MlirOperation root);

//===----------------------------------------------------------------------===//
// Floats of 8, 6 and 4 bits
//
// What templates/small_floats.mlir is filled with for each format.
//===----------------------------------------------------------------------===//

/// A sign, an exponent and `fraction` bits, in the lowest `bits` of an i32.
typedef struct agpu__small_float {
  const char *type; ///< as MLIR prints it
  unsigned bits, fraction, bias;
  uint32_t most;     ///< the largest number
  uint32_t infinity; ///< 0: there is none
  uint32_t nan;      ///< the largest number where there is none
} agpu__small_float;

/// The format of an MLIR type, or NULL.
const agpu__small_float *agpu__small_float_find(MlirType type);

/// One of them, for what is the same for all.
const agpu__small_float *agpu__small_float_any(void);

/// Fills the holes of the functions `encode`, where what is too large becomes
/// the largest number if `saturates`, and `decode`.
void agpu__small_float_holes(const agpu__small_float *self, bool saturates,
                             agpu__holes *holes);

//===----------------------------------------------------------------------===//
// Ops that upstream cannot bufferize
//===----------------------------------------------------------------------===//

/// Expresses ops of `module` on tensors that upstream's bufferization does not
/// know by others: `linalg.pack` and `linalg.unpack` by a `linalg.generic`,
/// `ub.poison` by a `tensor.empty`. Fails with a diagnostic.
MlirLogicalResult agpu__expand_tensor_ops(MlirOperation module);

//===----------------------------------------------------------------------===//
// Torch-mlir's own ops on tensors
//===----------------------------------------------------------------------===//

/// Expresses `tm_tensor.attention` in `module` by ops of linalg on tensors,
/// which can be fused. Fails with a diagnostic.
MlirLogicalResult agpu__expand_attention(MlirOperation module);

/// Expresses `tm_tensor.scan`, `scatter` and `sort` by loops of linalg over
/// memory, which must not be fused. Fails with a diagnostic, for ops of the
/// dialect that it does not know, too.
MlirLogicalResult agpu__expand_tm_tensor(MlirOperation module);

//===----------------------------------------------------------------------===//
// LLVM IR for a target
//===----------------------------------------------------------------------===//

/// LLVM IR of `module`, whose ops all have a translation, for `machine`'s
/// target and with its sizes of types. The caller owns it; it lives in
/// `context`. NULL after a diagnostic.
LLVMModuleRef agpu__translate(MlirOperation module,
                              LLVMTargetMachineRef machine,
                              LLVMContextRef context);

//===----------------------------------------------------------------------===//
// Rows of vectors in memory
//===----------------------------------------------------------------------===//

/// Makes loads and stores in `root` of vectors with several dimensions, which
/// LLVM's do not have, the transfers that convert-vector-to-scf takes.
void agpu__expand_vector_accesses(MlirOperation root);

#endif // ASYNC_GPU_LOWER_CONVERT_CONVERT_H
