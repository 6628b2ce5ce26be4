//===- matrix_modes.c - What an instruction does with matrices ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the attributes of ops of the nvvm dialect, which has verified them, and
// the types of their registers, where these say what attributes do not.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/matrix_modes.h"

#include "lower/ir/ir.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>
#include <string.h>

enum { WARP_SIZE = 32 };

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Writes what an attribute is printed as; nothing where it is not there.
static void print_attribute(MlirOperation op, const char *name, char *out,
                            size_t size) {
  agpu__text text = {0};
  MlirAttribute attribute = agpu__attr(op, name);
  if (!mlirAttributeIsNull(attribute))
    mlirAttributePrint(attribute, agpu__text_callback, &text);
  (void)snprintf(out, size, "%s", agpu__text_get(&text));
  agpu__text_free(&text);
}

static bool says(MlirOperation op, const char *name, const char *part) {
  char text[96];
  print_attribute(op, name, text, sizeof text);
  return strstr(text, part) != NULL;
}

/// The element type in an attribute `#nvvm.mma_type<NAME>`.
static bool type_attribute(MlirOperation op, const char *name,
                           agpu_native_element *out) {
  static const struct {
    const char *text;
    agpu_native_element type;
  } rows[] = {
#define X(name, text, bits) {"<" #text ">", AGPU_NATIVE_##name},
      AGPU_NATIVE_ELEMENTS(X)
#undef X
  };
  char text[96];
  print_attribute(op, name, text, sizeof text);
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); ++i)
    if (strstr(text, rows[i].text)) {
      *out = rows[i].type;
      return true;
    }
  return false;
}

/// The element type that registers of a type are for where nothing else says
/// it.
static bool register_type(MlirType type, agpu_native_element *out) {
  if (mlirTypeIsALLVMStructType(type))
    type = mlirLLVMStructTypeGetElementType(type, 0);
  if (mlirTypeIsAVector(type))
    type = mlirShapedTypeGetElementType(type);
  *out = mlirTypeIsAF16(type)   ? AGPU_NATIVE_F16
         : mlirTypeIsAF32(type) ? AGPU_NATIVE_F32
         : mlirTypeIsAF64(type) ? AGPU_NATIVE_F64
                                : AGPU_NATIVE_S32;
  return true;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The type of the first register of an operand of `op`.
static MlirType operand_type(MlirOperation op, intptr_t segment) {
  MlirAttribute sizes = agpu__attr(op, "operandSegmentSizes");
  intptr_t position = 0;
  for (intptr_t i = 0; i < segment; ++i)
    position += mlirDenseI32ArrayGetElement(sizes, i);
  return mlirValueGetType(mlirOperationGetOperand(op, position));
}

static bool mma_mode(MlirOperation op, uint32_t *out_mode) {
  unsigned m, n, k;
  char shape[96];
  print_attribute(op, "shape", shape, sizeof shape);
  const char *sizes = strstr(shape, "m = ");
  if (!sizes || sscanf(sizes, "m = %u, n = %u, k = %u", &m, &n, &k) != 3)
    return false;
  agpu_native_element types[4];
  if (!type_attribute(op, "multiplicandAPtxType", &types[0]))
    register_type(operand_type(op, 0), &types[0]);
  if (!type_attribute(op, "multiplicandBPtxType", &types[1]))
    register_type(operand_type(op, 1), &types[1]);
  register_type(operand_type(op, 2), &types[2]);
  register_type(mlirValueGetType(agpu__result(op, 0)), &types[3]);
  uint32_t properties = 0;
  if (agpu__op_is(op, "nvvm.mma.sp.sync"))
    properties = AGPU_NATIVE_COLUMNS_B | AGPU_NATIVE_SPARSE;
  if (says(op, "layoutA", "col"))
    properties |= AGPU_NATIVE_COLUMNS_A;
  if (says(op, "layoutB", "col"))
    properties |= AGPU_NATIVE_COLUMNS_B;
  if (says(op, "intOverflowBehavior", "satfinite"))
    properties |= AGPU_NATIVE_SATURATED;
  if (says(op, "b1Op", "and_popc"))
    properties |= AGPU_NATIVE_AND_BITS;
  *out_mode = agpu_native_product(AGPU_NATIVE_MMA, m, n, k, types, properties);
  return true;
}

/// The type that a part of a mnemonic names.
static bool type_part(const char *part, size_t length,
                      agpu_native_element *out) {
  static const struct {
    const char *text;
    agpu_native_element type;
  } rows[] = {
#define X(name, text, bits) {#text, AGPU_NATIVE_##name},
      AGPU_NATIVE_ELEMENTS(X)
#undef X
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); ++i)
    if (strlen(rows[i].text) == length && !memcmp(part, rows[i].text, length)) {
      *out = rows[i].type;
      return true;
    }
  return false;
}

static bool is_listed_shape(uint32_t m, uint32_t n, uint32_t k, uint32_t bits,
                            bool sparse) {
  uint32_t row = k * bits / (sparse ? 2 : 1); // of A, in bits
  if (n != 8 || (m != 8 && m != 16) || (sparse && m != 16))
    return false;
  if (bits == 64 || (bits == 16 && m == 8))
    return m == 8 && k == 4;
  return row == 128 || (m == 16 && row == 256);
}

bool agpu__simt_mma_mnemonic(const char *mnemonic, uint32_t *out_mode,
                             agpu__simt_registers *out) {
  static const uint8_t bits[] = {
#define X(name, text, bits) bits,
      AGPU_NATIVE_ELEMENTS(X)
#undef X
  };
  bool sparse = !strncmp(mnemonic, "mma.sp", 6);
  if (strncmp(mnemonic, "mma.", 4) || strstr(mnemonic, "block_scale"))
    return false;
  uint32_t m = 0, n = 0, k = 0, properties = sparse ? AGPU_NATIVE_SPARSE : 0;
  agpu_native_element types[4]; // D, A, B, C
  size_t count = 0, layouts = 0;
  for (const char *part = mnemonic; *part;) {
    size_t length = strcspn(part, ".");
    unsigned sizes[3];
    if (sscanf(part, "m%un%uk%u", &sizes[0], &sizes[1], &sizes[2]) == 3) {
      m = sizes[0];
      n = sizes[1];
      k = sizes[2];
    } else if (!strncmp(part, "satfinite", length)) {
      properties |= AGPU_NATIVE_SATURATED;
    } else if (length == 3 && !strncmp(part, "and", 3)) {
      properties |= AGPU_NATIVE_AND_BITS;
    } else if (length == 3 &&
               (!strncmp(part, "col", 3) || !strncmp(part, "row", 3))) {
      if (*part == 'c')
        properties |= layouts ? AGPU_NATIVE_COLUMNS_B : AGPU_NATIVE_COLUMNS_A;
      ++layouts;
    } else if (count < 4 && type_part(part, length, &types[count])) {
      ++count;
    }
    part += length + (part[length] == '.');
  }
  if (count != 4 || layouts != 2 || types[0] > AGPU_NATIVE_S32 ||
      types[3] > AGPU_NATIVE_S32 || bits[types[1]] != bits[types[2]] ||
      types[1] == AGPU_NATIVE_S32 || types[1] == AGPU_NATIVE_F32 ||
      !is_listed_shape(m, n, k, bits[types[1]], sparse))
    return false;
  const agpu_native_element order[] = {types[1], types[2], types[3], types[0]};
  *out_mode = agpu_native_product(AGPU_NATIVE_MMA, m, n, k, order, properties);
  if (types[1] == AGPU_NATIVE_F16 && k == 4) {
    *out = (agpu__simt_registers){2, 2, types[3] == AGPU_NATIVE_F16 ? 4 : 8,
                                  types[0] == AGPU_NATIVE_F16 ? 4 : 8};
    return true;
  }
  uint32_t width = bits[types[1]] == 64 ? 64 : 32;
  uint32_t sums = m * n / WARP_SIZE;
  *out = (agpu__simt_registers){m * k * bits[types[1]] / (sparse ? 2 : 1) /
                                    width / WARP_SIZE,
                                n * k * bits[types[1]] / width / WARP_SIZE,
                                types[3] == AGPU_NATIVE_F16 ? sums / 2 : sums,
                                types[0] == AGPU_NATIVE_F16 ? sums / 2 : sums};
  return true;
}

static uint32_t size_of(MlirOperation op, const char *name) {
  return (uint32_t)agpu__get_int(op, name, 0);
}

static bool wmma_mode(MlirOperation op, uint32_t *out_mode) {
  agpu_native_element types[4];
  intptr_t count = mlirOperationGetNumOperands(op);
  if (!type_attribute(op, "eltypeA", &types[0]))
    return false;
  types[1] = types[0];
  register_type(mlirValueGetType(mlirOperationGetOperand(op, count - 1)),
                &types[2]);
  register_type(mlirValueGetType(agpu__result(op, 0)), &types[3]);
  uint32_t properties =
      (says(op, "layoutA", "col") ? AGPU_NATIVE_COLUMNS_A : 0) |
      (says(op, "layoutB", "col") ? AGPU_NATIVE_COLUMNS_B : 0);
  *out_mode =
      agpu_native_product(AGPU_NATIVE_WMMA, size_of(op, "m"), size_of(op, "n"),
                          size_of(op, "k"), types, properties);
  return true;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

uint32_t agpu__simt_rows_of(agpu_native_row_shape shape) {
  switch (shape) {
  case AGPU_NATIVE_8X8_B16:
  case AGPU_NATIVE_8X16_B6:
  case AGPU_NATIVE_8X16_B4: return 8;
  default: return 16;
  }
}

static bool rows_mode(MlirOperation op, bool loads, uint32_t *out_mode) {
  if (!says(op, "eltType", "<b16>") || !says(op, "shape", "m = 8, n = 8"))
    return false;
  int64_t count =
      loads ? agpu__get_int(op, "num", 0) : mlirOperationGetNumOperands(op) - 1;
  *out_mode = agpu_native_rows(
      loads ? AGPU_NATIVE_FROM_ROWS : AGPU_NATIVE_TO_ROWS, AGPU_NATIVE_8X8_B16,
      (uint32_t)count, says(op, "layout", "col"));
  return true;
}

bool agpu__simt_matrix_mode(MlirOperation op, uint32_t *out_mode) {
  if (agpu__op_is(op, "nvvm.mma.sync") || agpu__op_is(op, "nvvm.mma.sp.sync"))
    return mma_mode(op, out_mode);
  if (agpu__op_is(op, "nvvm.wmma.mma"))
    return wmma_mode(op, out_mode);
  bool loads = agpu__op_is(op, "nvvm.ldmatrix");
  return (loads || agpu__op_is(op, "nvvm.stmatrix")) &&
         rows_mode(op, loads, out_mode);
}

//===----------------------------------------------------------------------===//
// Matrices of wmma in memory
//===----------------------------------------------------------------------===//

bool agpu__simt_find_wmma_piece(MlirOperation op, agpu__simt_wmma_piece *out) {
  static const uint8_t bits[] = {
#define X(name, text, bits) bits,
      AGPU_NATIVE_ELEMENTS(X)
#undef X
  };
  bool loads = agpu__op_is(op, "nvvm.wmma.load");
  agpu_native_element type;
  if ((!loads && !agpu__op_is(op, "nvvm.wmma.store")) ||
      !type_attribute(op, "eltype", &type))
    return false;
  bool is_a = says(op, "frag", "<a>"), is_b = says(op, "frag", "<b>");
  uint32_t rows = size_of(op, is_b ? "k" : "m");
  uint32_t columns = size_of(op, is_a ? "k" : "n");
  bool by_columns = says(op, "layout", "col"), is_factor = is_a || is_b;
  *out = (agpu__simt_wmma_piece){.count = rows * columns / WARP_SIZE,
                                 .bytes = bits[type] / 8u,
                                 .length =
                                     is_factor && by_columns ? rows : columns,
                                 .across = by_columns && !is_factor};
  return true;
}
