//===- tensor_ops.c - Ops that upstream cannot bufferize ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element of what `linalg.pack` and `linalg.unpack` give is found by its
// place: a loop over the result that extracts from the source, whatever the
// sizes of tiles and tensors are, and whether they are known.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include <inttypes.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// A pack or unpack. "Plain" is the tensor without tiles.
typedef struct tiling {
  MlirOperation op;
  bool packs, pads;
  intptr_t rank;       ///< of the plain tensor
  intptr_t tile_count; ///< dimensions of the plain tensor with tiles
  MlirAttribute tiled, sizes, order;
} tiling;

static tiling read_tiling(MlirOperation op) {
  tiling self = {.op = op,
                 .packs = agpu__op_is(op, "linalg.pack"),
                 .tiled = agpu__attr(op, "inner_dims_pos"),
                 .sizes = agpu__attr(op, "static_inner_tiles"),
                 .order = agpu__attr(op, "outer_dims_perm")};
  self.rank = mlirShapedTypeGetRank(
      mlirValueGetType(mlirOperationGetOperand(op, self.packs ? 0 : 1)));
  self.tile_count = mlirDenseArrayGetNumElements(self.tiled);
  self.pads = self.packs && mlirDenseI32ArrayGetElement(
                                agpu__attr(op, "operandSegmentSizes"), 2);
  return self;
}

/// The dimension of the plain tensor that dimension `outer` of tiles goes
/// along.
static intptr_t plain_dimension(const tiling *self, intptr_t outer) {
  return mlirAttributeIsNull(self->order) ||
                 !mlirDenseArrayGetNumElements(self->order)
             ? outer
             : mlirDenseI64ArrayGetElement(self->order, outer);
}

/// Which of the tiled dimensions `dimension` is; negative: none.
static intptr_t tile_of(const tiling *self, intptr_t dimension) {
  for (intptr_t k = 0; k < self->tile_count; ++k)
    if (mlirDenseI64ArrayGetElement(self->tiled, k) == dimension)
      return k;
  return -1;
}

/// Names the operands, and the sizes of tiles %t0, %t1, ...
static void print_head(const tiling *self, agpu__text *out) {
  char *types[3];
  for (int i = 0; i < 2 + self->pads; ++i)
    types[i] =
        agpu__type_text(mlirValueGetType(mlirOperationGetOperand(self->op, i)));
  agpu__text_printf(out, "func.func @tiles(%%s: %s, %%d: %s", types[0],
                    types[1]);
  if (self->pads)
    agpu__text_printf(out, ", %%pad: %s", types[2]);
  AGPU__SCOPED(text) constants = {0};
  for (int k = 0; k < self->tile_count; ++k) {
    int64_t size = mlirDenseI64ArrayGetElement(self->sizes, k);
    if (size == mlirShapedTypeGetDynamicSize())
      agpu__text_printf(out, ", %%t%d: index", k);
    else
      agpu__text_printf(
          &constants, "%%t%d = arith.constant %" PRId64 " : index\n", k, size);
  }
  agpu__text_printf(out, ") -> %s {\n%s", types[1], agpu__text_get(&constants));
  for (int i = 0; i < 2 + self->pads; ++i)
    free(types[i]);
}

/// Appends "%a0, %a1, ..." of `count` names.
static void print_names(const char *name, intptr_t count, agpu__text *out) {
  for (int i = 0; i < count; ++i)
    agpu__text_printf(out, "%s%%%s%d", i ? ", " : "", name, i);
}

/// The subscript in the source of a packed tensor's element at the place of the
/// plain one's.
static void print_unpack(const tiling *self, const char *source,
                         agpu__text *out) {
  for (int k = 0; k < self->tile_count; ++k) {
    int dimension = (int)mlirDenseI64ArrayGetElement(self->tiled, k);
    agpu__text_printf(out,
                      "%%q%d = arith.divui %%i%d, %%t%d : index\n"
                      "%%in%d = arith.remui %%i%d, %%t%d : index\n",
                      dimension, dimension, k, k, dimension, k);
  }
  agpu__text_puts(out, "%v = tensor.extract %s[");
  for (intptr_t outer = 0; outer < self->rank; ++outer) {
    int dimension = (int)plain_dimension(self, outer);
    agpu__text_printf(out, "%s%%%s%d", outer ? ", " : "",
                      tile_of(self, dimension) < 0 ? "i" : "q", dimension);
  }
  agpu__text_puts(out, self->rank ? ", " : "");
  print_names("in", self->tile_count, out);
  agpu__text_printf(out, "] : %s\n", source);
}

/// The plain tensor's element at the place of a packed one's, or the padding.
static void print_pack(const tiling *self, const char *source,
                       const char *element, agpu__text *out) {
  for (intptr_t outer = 0; outer < self->rank; ++outer) {
    int dimension = (int)plain_dimension(self, outer);
    int tile = (int)tile_of(self, dimension);
    if (tile < 0)
      agpu__text_printf(out, "%%p%d = arith.maxui %%i%d, %%i%d : index\n",
                        dimension, (int)outer, (int)outer);
    else
      agpu__text_printf(out,
                        "%%f%d = arith.muli %%i%d, %%t%d : index\n"
                        "%%p%d = arith.addi %%f%d, %%i%d : index\n",
                        dimension, (int)outer, tile, dimension, dimension,
                        (int)self->rank + tile);
  }
  if (self->pads) {
    agpu__text_puts(out, "%b0 = arith.constant true\n");
    for (int k = 0; k < self->tile_count; ++k) {
      int dimension = (int)mlirDenseI64ArrayGetElement(self->tiled, k);
      agpu__text_printf(out,
                        "%%c%d = arith.constant %d : index\n"
                        "%%n%d = tensor.dim %%s, %%c%d : %s\n"
                        "%%l%d = arith.cmpi ult, %%p%d, %%n%d : index\n"
                        "%%b%d = arith.andi %%b%d, %%l%d : i1\n",
                        k, dimension, k, k, source, k, dimension, k, k + 1, k,
                        k);
    }
    agpu__text_printf(out, "%%v = scf.if %%b%d -> %s {\n",
                      (int)self->tile_count, element);
  }
  agpu__text_printf(out, "%%%s = tensor.extract %%s[", self->pads ? "w" : "v");
  print_names("p", self->rank, out);
  agpu__text_printf(out, "] : %s\n", source);
  if (self->pads)
    agpu__text_printf(out,
                      "scf.yield %%w : %s\n} else {\nscf.yield %%pad : %s\n}\n",
                      element, element);
}

static MlirLogicalResult expand_tiling(MlirOperation op) {
  tiling self = read_tiling(op);
  MlirType result = mlirValueGetType(agpu__result(op, 0));
  AGPU__OWNED char *to = agpu__type_text(result);
  AGPU__OWNED char *element =
      agpu__type_text(mlirShapedTypeGetElementType(result));
  AGPU__OWNED char *source =
      agpu__type_text(mlirValueGetType(mlirOperationGetOperand(op, 0)));
  intptr_t loops = mlirShapedTypeGetRank(result);
  AGPU__SCOPED(text) text = {0};
  print_head(&self, &text);
  agpu__text_puts(&text, "%r = linalg.generic {indexing_maps = [affine_map<(");
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < loops; ++i)
      agpu__text_printf(&text, "%sd%d", i ? ", " : "", i);
    agpu__text_puts(&text, pass ? ")>], iterator_types = [" : ") -> (");
  }
  for (intptr_t i = 0; i < loops; ++i)
    agpu__text_puts(&text, i ? ", \"parallel\"" : "\"parallel\"");
  agpu__text_printf(&text, "]} outs(%%d : %s) {\n^bb0(%%old: %s):\n", to,
                    element);
  for (int i = 0; i < loops; ++i)
    agpu__text_printf(&text, "%%i%d = linalg.index %d : index\n", i, i);
  if (self.packs)
    print_pack(&self, source, element, &text);
  else
    print_unpack(&self, source, &text);
  agpu__text_printf(&text,
                    "linalg.yield %%v : %s\n} -> %s\nreturn %%r : %s\n}\n",
                    element, to, to);
  const agpu__template template = {
      .file = "tiles", .function = "tiles", .text = agpu__text_get(&text)};
  return agpu__template_replace(op, &template, NULL, 0);
}

//===----------------------------------------------------------------------===//
// Poison
//===----------------------------------------------------------------------===//

/// Any tensor will do, with no elements where the size is not known.
static void expand_poison(MlirOperation op) {
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  if (!mlirShapedTypeHasRank(type))
    return;
  agpu__builder at = agpu__builder_before(op);
  AGPU__SCOPED(values) sizes = {0};
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    if (mlirShapedTypeIsDynamicDim(type, i))
      agpu__values_push(&sizes, agpu__index_constant(&at, 0));
  agpu__replace_op_by_value(
      op,
      agpu__build_value(&at, "tensor.empty", sizes.data, sizes.count, type));
}

MlirLogicalResult agpu__expand_tensor_ops(MlirOperation module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) ops = agpu__ops_in(module, NULL);
  for (size_t i = 0; i < ops.count && mlirLogicalResultIsSuccess(result); ++i) {
    MlirOperation op = ops.data[i];
    if (mlirOperationGetNumResults(op) != 1 ||
        !mlirTypeIsATensor(mlirValueGetType(agpu__result(op, 0))))
      continue;
    if (agpu__op_is(op, "linalg.pack") || agpu__op_is(op, "linalg.unpack"))
      result = expand_tiling(op);
    else if (agpu__op_is(op, "ub.poison"))
      expand_poison(op);
  }
  return result;
}
