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

#include "gpu/native/instructions/instructions.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>

enum { WARP_SIZE = 32 };

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Writes what an attribute is printed as; nothing where it is not there.
static void print_attribute(MlirOperation op, const char *name, char *out,
                            size_t size) {
  AGPU__SCOPED(text) text = {0};
  MlirAttribute attribute = agpu__attr(op, name);
  if (!mlirAttributeIsNull(attribute))
    mlirAttributePrint(attribute, agpu__text_callback, &text);
  (void)snprintf(out, size, "%s", agpu__text_get(&text));
}

static bool is_part(const char *part, size_t length, const char *text) {
  return strlen(text) == length && !memcmp(part, text, length);
}

/// The element type that a part of a text names.
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
  for (size_t i = 0; i < AGPU__COUNT(rows); ++i)
    if (is_part(part, length, rows[i].text)) {
      *out = rows[i].type;
      return true;
    }
  return false;
}

/// The element type in an attribute `#nvvm.mma_type<NAME>`.
static bool type_attribute(MlirOperation op, const char *name,
                           agpu_native_element *out) {
  char text[96];
  print_attribute(op, name, text, sizeof text);
  const char *type = strchr(text, '<');
  return type && type_part(type + 1, strcspn(type + 1, ">"), out);
}

static uint32_t bits_of(agpu_native_element type) {
  static const uint8_t bits[] = {
#define X(name, text, bits) bits,
      AGPU_NATIVE_ELEMENTS(X)
#undef X
  };
  return bits[type];
}

/// The element type that registers of a type are for where nothing else says
/// it.
static void register_type(MlirType type, agpu_native_element *out) {
  if (mlirTypeIsALLVMStructType(type))
    type = mlirLLVMStructTypeGetElementType(type, 0);
  if (mlirTypeIsAVector(type))
    type = mlirShapedTypeGetElementType(type);
  *out = mlirTypeIsAF16(type)   ? AGPU_NATIVE_F16
         : mlirTypeIsAF32(type) ? AGPU_NATIVE_F32
         : mlirTypeIsAF64(type) ? AGPU_NATIVE_F64
                                : AGPU_NATIVE_S32;
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

/// How many scales there are, and in which format.
static uint32_t scale_properties(MlirOperation op) {
  uint32_t properties = agpu__simt_attr_has(op, "blockScaleFormat", "ue4m3")
                            ? AGPU_NATIVE_UE4M3
                            : 0;
  return properties |
         (agpu__simt_attr_has(op, "scaleVecSize", "x1") ? AGPU_NATIVE_SCALED_1X
          : agpu__simt_attr_has(op, "scaleVecSize", "x2")
              ? AGPU_NATIVE_SCALED_2X
          : agpu__simt_attr_has(op, "scaleVecSize", "x4")
              ? AGPU_NATIVE_SCALED_4X
              : 0);
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
  uint32_t properties = scale_properties(op);
  bool is_sparse =
      agpu__op_is_any(op, "nvvm.mma.sp.sync nvvm.mma.sp.block_scale");
  if (properties || is_sparse)
    properties |= AGPU_NATIVE_COLUMNS_B;
  if (is_sparse)
    properties |= AGPU_NATIVE_SPARSE;
  if (!mlirAttributeIsNull(agpu__attr(op, "orderedMetadata")) ||
      (properties & AGPU_NATIVE_SPARSE && AGPU_NATIVE_SCALES_OF(properties)))
    properties |= AGPU_NATIVE_ORDERED;
  if (agpu__simt_attr_has(op, "layoutA", "col"))
    properties |= AGPU_NATIVE_COLUMNS_A;
  if (agpu__simt_attr_has(op, "layoutB", "col"))
    properties |= AGPU_NATIVE_COLUMNS_B;
  if (agpu__simt_attr_has(op, "intOverflowBehavior", "satfinite"))
    properties |= AGPU_NATIVE_SATURATED;
  if (agpu__simt_attr_has(op, "b1Op", "and_popc"))
    properties |= AGPU_NATIVE_AND_BITS;
  *out_mode = agpu_native_product(AGPU_NATIVE_MMA, m, n, k, types, properties);
  return true;
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

/// What the parts of a mnemonic say, in their order.
typedef struct name_parts {
  unsigned m, n, k;
  uint32_t properties;
  agpu_native_element types[4]; ///< D, A, B, C
  size_t count, layouts;
  bool has_scales, is_mxf4;
} name_parts;

static void read_part(name_parts *self, const char *part, size_t length) {
  static const struct {
    const char *text;
    uint32_t property;
  } properties[] = {
      {"satfinite", AGPU_NATIVE_SATURATED},
      {"and", AGPU_NATIVE_AND_BITS},
      {"sp", AGPU_NATIVE_SPARSE},
      {"sp::ordered_metadata", AGPU_NATIVE_SPARSE | AGPU_NATIVE_ORDERED},
      {"scale_vec::1X", AGPU_NATIVE_SCALED_1X},
      {"scale_vec::2X", AGPU_NATIVE_SCALED_2X},
      {"scale_vec::4X", AGPU_NATIVE_SCALED_4X},
      {"ue4m3", AGPU_NATIVE_UE4M3},
  };
  for (size_t i = 0; i < AGPU__COUNT(properties); ++i)
    if (is_part(part, length, properties[i].text))
      self->properties |= properties[i].property;
  self->has_scales |= is_part(part, length, "block_scale");
  self->is_mxf4 |= length >= 10 && !memcmp(part, "kind::mxf4", 10);
  if (is_part(part, length, "col"))
    self->properties |=
        self->layouts++ ? AGPU_NATIVE_COLUMNS_B : AGPU_NATIVE_COLUMNS_A;
  else if (is_part(part, length, "row"))
    ++self->layouts;
  else if (self->count < 4 &&
           type_part(part, length, &self->types[self->count]))
    ++self->count;
  else
    (void)sscanf(part, "m%un%uk%u", &self->m, &self->n, &self->k);
}

/// Fills in how many scales there are where nothing says it. False: there is no
/// such product with scales.
static bool complete_scales(name_parts *self) {
  if (!self->has_scales)
    return !AGPU_NATIVE_SCALES_OF(self->properties);
  if (!AGPU_NATIVE_SCALES_OF(self->properties))
    self->properties |=
        self->is_mxf4 ? AGPU_NATIVE_SCALED_2X : AGPU_NATIVE_SCALED_1X;
  bool is_e2m1 =
      self->types[1] == AGPU_NATIVE_E2M1 && self->types[2] == AGPU_NATIVE_E2M1;
  return (AGPU_NATIVE_SCALES_OF(self->properties) > 1) == self->is_mxf4 &&
         (is_e2m1 || !self->is_mxf4) && self->types[1] >= AGPU_NATIVE_E4M3 &&
         self->types[2] >= AGPU_NATIVE_E4M3 &&
         self->types[0] == AGPU_NATIVE_F32 && self->types[3] == AGPU_NATIVE_F32;
}

bool agpu__simt_mma_mnemonic(const char *text, uint32_t *out_mode,
                             agpu__simt_registers *out) {
  name_parts self = {0};
  const agpu_native_element *types = self.types;
  if (strncmp(text, "mma.", 4))
    return false;
  for (const char *part = text; *part;) {
    size_t length = strcspn(part, ".");
    read_part(&self, part, length);
    part += length + (part[length] == '.');
  }
  bool sparse = self.properties & AGPU_NATIVE_SPARSE;
  uint32_t m = self.m, n = self.n, k = self.k;
  if (self.count != 4 || self.layouts != 2 || types[0] > AGPU_NATIVE_S32 ||
      types[3] > AGPU_NATIVE_S32 || bits_of(types[1]) != bits_of(types[2]) ||
      types[1] == AGPU_NATIVE_S32 || types[1] == AGPU_NATIVE_F32 ||
      !complete_scales(&self))
    return false;
  uint32_t bits = self.is_mxf4 ? 4 : bits_of(types[1]);
  if (!is_listed_shape(m, n, k, bits, sparse))
    return false;
  const agpu_native_element order[] = {types[1], types[2], types[3], types[0]};
  *out_mode =
      agpu_native_product(AGPU_NATIVE_MMA, m, n, k, order, self.properties);
  if (types[1] == AGPU_NATIVE_F16 && k == 4) {
    *out = (agpu__simt_registers){2, 2, types[3] == AGPU_NATIVE_F16 ? 4 : 8,
                                  types[0] == AGPU_NATIVE_F16 ? 4 : 8};
    return true;
  }
  uint32_t width = bits == 64 ? 64 : 32;
  uint32_t sums = m * n / WARP_SIZE;
  *out = (agpu__simt_registers){m * k * bits / (sparse ? 2 : 1) / width /
                                    WARP_SIZE,
                                n * k * bits / width / WARP_SIZE,
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
      (agpu__simt_attr_has(op, "layoutA", "col") ? AGPU_NATIVE_COLUMNS_A : 0) |
      (agpu__simt_attr_has(op, "layoutB", "col") ? AGPU_NATIVE_COLUMNS_B : 0);
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
  case AGPU_NATIVE_16X16_B8:
  case AGPU_NATIVE_16X16_B6:
  case AGPU_NATIVE_16X16_B4: return 16;
  default: return 8;
  }
}

static const struct row_shape {
  const char *shape, *element; ///< as attributes have them
  const char *mnemonic[2];     ///< parts of one of PTX
  agpu_native_row_shape value;
} row_shapes[] = {
    {"m = 8, n = 8", "b16", {".m8n8.", ".b16"}, AGPU_NATIVE_8X8_B16},
    {"m = 16, n = 16", "b8", {".m16n16.", ".b8"}, AGPU_NATIVE_16X16_B8},
    {"m = 16, n = 8", "b8", {".m16n8.", ".b8"}, AGPU_NATIVE_16X8_B8},
    {"m = 8, n = 16",
     "b8x16.b6x16_p32",
     {".m8n16.", "b6x16_p32"},
     AGPU_NATIVE_8X16_B6},
    {"m = 8, n = 16",
     "b8x16.b4x16_p64",
     {".m8n16.", "b4x16_p64"},
     AGPU_NATIVE_8X16_B4},
    {"m = 16, n = 16",
     "b8x16.b6x16_p32",
     {".m16n16.", "b6x16_p32"},
     AGPU_NATIVE_16X16_B6},
    {"m = 16, n = 16",
     "b8x16.b4x16_p64",
     {".m16n16.", "b4x16_p64"},
     AGPU_NATIVE_16X16_B4},
};
#define ROW_SHAPES (AGPU__COUNT(row_shapes))

static bool is_row_shape(MlirOperation op, const struct row_shape *row) {
  char shape[32], element[32];
  (void)snprintf(shape, sizeof shape, "<%s>", row->shape);
  (void)snprintf(element, sizeof element, "<%s>", row->element);
  return agpu__simt_attr_has(op, "shape", shape) &&
         agpu__simt_attr_has(op, "eltType", element);
}

static bool rows_mode(MlirOperation op, bool loads, uint32_t *out_mode) {
  size_t i = 0;
  while (i < ROW_SHAPES && !is_row_shape(op, &row_shapes[i]))
    ++i;
  if (i == ROW_SHAPES)
    return false;
  int64_t count =
      loads ? agpu__get_int(op, "num", 0) : mlirOperationGetNumOperands(op) - 1;
  *out_mode = agpu_native_rows(
      loads ? AGPU_NATIVE_FROM_ROWS : AGPU_NATIVE_TO_ROWS, row_shapes[i].value,
      (uint32_t)count, agpu__simt_attr_has(op, "layout", "col"));
  return true;
}

bool agpu__simt_rows_mnemonic(const char *mnemonic, agpu__simt_row_move *out) {
  out->loads = !strncmp(mnemonic, "ldmatrix.", 9);
  if ((!out->loads && strncmp(mnemonic, "stmatrix.", 9)) ||
      !strstr(mnemonic, ".shared"))
    return false;
  for (size_t i = 0; i < ROW_SHAPES; ++i) {
    const struct row_shape *row = &row_shapes[i];
    const char *end = mnemonic + strlen(mnemonic);
    if (!strstr(mnemonic, row->mnemonic[0]) ||
        strcmp(end - strlen(row->mnemonic[1]), row->mnemonic[1]))
      continue;
    bool is_tall = agpu__simt_rows_of(row->value) == 16;
    out->count = strstr(mnemonic, ".x4") ? 4 : strstr(mnemonic, ".x2") ? 2 : 1;
    out->registers = is_tall ? 2 * out->count : out->count;
    out->is_transposed = strstr(mnemonic, ".trans");
    out->shape = row->shape;
    out->element = row->element;
    // What each can do, and has to.
    bool is_store = row->value == AGPU_NATIVE_16X8_B8;
    bool transposes = is_tall || is_store;
    return row->value == AGPU_NATIVE_8X8_B16 ||
           (out->loads != is_store && out->is_transposed == transposes &&
            out->registers <= 4);
  }
  return false;
}

bool agpu__simt_matrix_mode(MlirOperation op, uint32_t *out_mode) {
  if (agpu__op_is_any(op, "nvvm.mma.sync nvvm.mma.sp.sync nvvm.mma.block_scale "
                          "nvvm.mma.sp.block_scale"))
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
  bool loads = agpu__op_is(op, "nvvm.wmma.load");
  agpu_native_element type;
  if ((!loads && !agpu__op_is(op, "nvvm.wmma.store")) ||
      !type_attribute(op, "eltype", &type))
    return false;
  bool is_a = agpu__simt_attr_has(op, "frag", "<a>"),
       is_b = agpu__simt_attr_has(op, "frag", "<b>");
  uint32_t rows = size_of(op, is_b ? "k" : "m");
  uint32_t columns = size_of(op, is_a ? "k" : "n");
  bool by_columns = agpu__simt_attr_has(op, "layout", "col"),
       is_factor = is_a || is_b;
  *out = (agpu__simt_wmma_piece){.count = rows * columns / WARP_SIZE,
                                 .bytes = bits_of(type) / 8,
                                 .length =
                                     is_factor && by_columns ? rows : columns,
                                 .across = by_columns && !is_factor};
  return true;
}
