//===- instructions.h - Instructions of the GPU on a host -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What replaces instructions that only a GPU has, for the passes of native
// code, and the interfaces between the files of this folder.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_NATIVE_INSTRUCTIONS_INSTRUCTIONS_H
#define ASYNC_GPU_GPU_NATIVE_INSTRUCTIONS_INSTRUCTIONS_H

#include "async_gpu/compiled/native_matrix.h"
#include "gpu/native/base/simt.h"
#include "lower/ir/ir.h"

//===----------------------------------------------------------------------===//
// Inline assembly on a host
//===----------------------------------------------------------------------===//

/// True if `op` is an llvm.inline_asm or nvvm.inline_ptx all of whose
/// instructions are known. Else writes what is wrong with it, for a message;
/// `out` may be NULL.
bool agpu__simt_knows_assembly(MlirOperation op, char *out, size_t size);

/// Replaces those in `gpu_module` by ops of the nvvm and llvm dialects that do
/// the same.
void agpu__simt_expand_assembly(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// Instructions of inline assembly
//===----------------------------------------------------------------------===//

/// What an instruction is on a host. Types are named as MLIR does, one after
/// the other with commas.
typedef struct agpu__asm_meaning {
  char results[160], sources[320]; ///< registers, in the order of the text
  /// Ops on %0, %1, ..., which are the sources, that define %r0, %r1, ...;
  /// empty for a product of matrices, or for nothing.
  char body[1024];
  bool is_product;
  uint32_t mode;    ///< of a product
  bool has_effects; ///< beyond its results
} agpu__asm_meaning;

/// False: there is no such instruction here.
bool agpu__asm_find(const char *mnemonic, agpu__asm_meaning *out);

/// The op that reads a special register ("%tid.x"), or NULL.
const char *agpu__asm_special(const char *name);

//===----------------------------------------------------------------------===//
// The text of inline assembly
//===----------------------------------------------------------------------===//

enum {
  AGPU__ASM_NAME = 40,
  AGPU__ASM_MNEMONIC = 128,
  AGPU__ASM_LIST = 16,
  AGPU__ASM_OPERANDS = 10,
};

typedef enum agpu__asm_kind {
  AGPU__ASM_REGISTERS, ///< one name, or several in braces
  AGPU__ASM_IMMEDIATE, ///< `value`
  AGPU__ASM_ADDRESS,   ///< [name + value]; no name: the value alone
} agpu__asm_kind;

/// An operand. Names are as in the text: "$3" for one of the op's own,
/// "%tid.x", "_" for what is not wanted, a register that the text declares; in
/// a list also "0".
typedef struct agpu__asm_operand {
  agpu__asm_kind kind;
  size_t count; ///< of names
  char names[AGPU__ASM_LIST][AGPU__ASM_NAME];
  int64_t value;
} agpu__asm_operand;

/// `@guard mnemonic operands;`
typedef struct agpu__asm_statement {
  char guard[AGPU__ASM_NAME]; ///< empty: there is none
  bool guard_is_negated;
  char mnemonic[AGPU__ASM_MNEMONIC];
  size_t count;
  agpu__asm_operand operands[AGPU__ASM_OPERANDS];
} agpu__asm_statement;

/// Where a text is read.
typedef struct agpu__asm_reader {
  const char *at, *end;
  bool failed; ///< at `at` stands nothing that is understood
} agpu__asm_reader;

/// Reads the next statement. False at the end of the text, and where it fails.
/// Declarations of registers, braces and comments are passed over.
bool agpu__asm_next(agpu__asm_reader *self, agpu__asm_statement *out);

//===----------------------------------------------------------------------===//
// Copies that go on by themselves
//
// Asynchronous copies, mbarrier objects, and what else of the NVVM dialect goes
// on while its thread does: calls of the emulated device.
//===----------------------------------------------------------------------===//

/// True if `op` is such an operation, and the emulated device has it.
bool agpu__simt_is_asynchronous(MlirOperation op);

/// Replaces those in `gpu_module`, by calls, and by waits (base/simt.h).
void agpu__simt_expand_asynchronous(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// Floats of 8, 6 and 4 bits, on a host
//===----------------------------------------------------------------------===//

/// True if `op` converts to or from such floats, and a host can do it.
bool agpu__simt_is_conversion(MlirOperation op);
void agpu__simt_expand_conversion(MlirOperation op);

//===----------------------------------------------------------------------===//
// Calls of the emulated device
//
// A call of the device that is put together in place of an op: operands, the
// op's place in the source, and the thread's ids.
//===----------------------------------------------------------------------===//

/// Begins as {.at = before the op, .op, .gpu_module}.
typedef struct agpu__simt_call {
  agpu__builder at;
  MlirOperation op, gpu_module;
  MlirValue operands[24];
  size_t count;
  bool has_no_result; ///< that stands for the op's
} agpu__simt_call;

/// Adds an operand: a value, a constant, an address as a generic one.
void agpu__simt_push(agpu__simt_call *self, MlirValue value);
void agpu__simt_push_i32(agpu__simt_call *self, int64_t value);
void agpu__simt_push_pointer(agpu__simt_call *self, MlirValue value);

/// Calls `function`, with the place of the op and the thread's ids after all
/// operands, and puts its result in place of the op's, if it has one.
void agpu__simt_finish(agpu__simt_call *self, const char *function,
                       MlirType result);

//===----------------------------------------------------------------------===//
// Instructions of the GPU on a host
//===----------------------------------------------------------------------===//

/// True if `op` is an instruction that a host can compute.
bool agpu__simt_is_instruction(MlirOperation op);

/// Replaces those in `gpu_module`; some become shuffles.
void agpu__simt_expand_instructions(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// Matrices of a warp, on a host
//===----------------------------------------------------------------------===//

/// True if `op` is an instruction on matrices of a warp that a host can do.
bool agpu__simt_is_matrix_op(MlirOperation op);

/// Builds a product by its mode (async_gpu/compiled/native_matrix.h) of
/// registers; stores `result_count` of the types.
void agpu__simt_build_product(agpu__builder *at, uint32_t mode,
                              const MlirValue *registers, size_t count,
                              const MlirType *types, size_t result_count,
                              MlirValue *out_results);

/// Replaces those in `gpu_module` by accesses of memory, and ops that all lanes
/// of a warp do together (agpu.collective).
void agpu__simt_expand_matrices(MlirOperation gpu_module);

//===----------------------------------------------------------------------===//
// What an instruction does with matrices
//===----------------------------------------------------------------------===//

/// The mode of `op` (async_gpu/compiled/native_matrix.h), if it is a product of
/// matrices, or moves their rows between memory and lanes.
bool agpu__simt_matrix_mode(MlirOperation op, uint32_t *out_mode);

/// Registers that a lane has of each matrix.
typedef struct agpu__simt_registers {
  uint32_t a, b, c, d;
} agpu__simt_registers;

/// The same of an instruction of PTX, "mma.sync.aligned.m16n8k16.row.col...".
bool agpu__simt_mma_mnemonic(const char *mnemonic, uint32_t *out_mode,
                             agpu__simt_registers *out_registers);

/// A load or store of rows: "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16".
typedef struct agpu__simt_row_move {
  bool loads, is_transposed;
  uint32_t count, registers;   ///< of matrices, and for all of them
  const char *shape, *element; ///< in attributes of nvvm
} agpu__simt_row_move;

/// False: there is none of that name.
bool agpu__simt_rows_mnemonic(const char *mnemonic, agpu__simt_row_move *out);

/// How many rows in memory a matrix of this shape has.
uint32_t agpu__simt_rows_of(agpu_native_row_shape shape);

/// Which elements of a matrix in memory a lane of wmma holds.
typedef struct agpu__simt_wmma_piece {
  uint32_t count;  ///< of elements, in one line
  uint32_t bytes;  ///< of each
  uint32_t length; ///< of a line: a row or column, as the lanes divide it
  bool across;     ///< in memory the lines are the other ones
} agpu__simt_wmma_piece;

/// The same of `op`, if it is a load or a store of wmma.
bool agpu__simt_find_wmma_piece(MlirOperation op, agpu__simt_wmma_piece *out);

//===----------------------------------------------------------------------===//
// Copies in bulk
//
// Ops of the NVVM dialect whose operands are bytes, or tensors, in workgroup
// memory.
//===----------------------------------------------------------------------===//

/// Puts a call in place of nvvm.cp.async.bulk.* and .bulk.tensor.*.
void agpu__simt_call_bulk(agpu__simt_call *self);
void agpu__simt_call_tensor(agpu__simt_call *self);

/// False for modes of tensor copies that the device has not.
bool agpu__simt_has_tensors(MlirOperation op);

/// The predicate of a tensor copy, or null.
MlirValue agpu__simt_tensor_predicate(MlirOperation op);

//===----------------------------------------------------------------------===//
// Matrix products of a warp group
//===----------------------------------------------------------------------===//

/// True for nvvm.wgmma.mma_async of types that the device has.
bool agpu__simt_is_wgmma(MlirOperation op);

/// Puts a call in place of such an op.
void agpu__simt_call_wgmma(agpu__simt_call *self);

/// Puts calls wherever sums of wgmma are read in `gpu_module`: what
/// nvvm.wgmma.mma_async will give only stands for them. Before those are
/// replaced.
void agpu__simt_read_sums(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_NATIVE_INSTRUCTIONS_INSTRUCTIONS_H
