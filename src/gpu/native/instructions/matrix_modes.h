//===- matrix_modes.h - What an instruction does with matrices -- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_MATRIX_MODES_H
#define ASYNC_GPU_GPU_MATRIX_MODES_H

#include "async_gpu/compiled/native_matrix.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

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

#endif // ASYNC_GPU_GPU_MATRIX_MODES_H
