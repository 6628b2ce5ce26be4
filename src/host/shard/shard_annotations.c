//===- shard_annotations.c - What the program says of shards --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's ops: a grid of ranks, and layouts of values. Where there are none,
// simple choices are written as such ops.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard.h"

#include "mlir-c/Dialect/Func.h"

#include <ctype.h>
#include <stdlib.h>

enum { MOST_RANKS = 1 << 20 };

bool agpu__shard_find_grid(agpu__shard *self, bool *out_found) {
  AGPU__SCOPED(ops) grids = agpu__ops_in(self->module, "shard.grid");
  *out_found = grids.count > 0;
  self->grid_location =
      mlirOperationGetLocation(grids.count ? grids.data[0] : self->module);
  bool ok = true;
  if (grids.count > 1) {
    agpu__error(mlirOperationGetLocation(grids.data[1]),
                "a second grid: all shards of a program are on one");
    ok = false;
  } else if (grids.count) {
    MlirAttribute shape = agpu__attr(grids.data[0], "shape");
    intptr_t rank = mlirDenseArrayGetNumElements(shape);
    int unknown = 0;
    for (intptr_t i = 0; i < rank && i < AGPU__GRID_AXES; ++i) {
      int64_t size = mlirDenseI64ArrayGetElement(shape, i);
      self->grid[i] = size < 0 ? -1 : size;
      unknown += size < 0;
      if (size > MOST_RANKS || size == 0) {
        agpu__error(mlirOperationGetLocation(grids.data[0]),
                    "an axis of a grid has 1 to %d ranks, or '?', not %lld",
                    MOST_RANKS, (long long)size);
        ok = false;
      }
    }
    if (rank > AGPU__GRID_AXES || unknown > 1) {
      agpu__error(mlirOperationGetLocation(grids.data[0]),
                  "a grid has up to 3 axes, of which one may be '?': as many "
                  "as there are ranks for");
      ok = false;
    }
  }
  return ok;
}

void agpu__shard_fill_grid(agpu__shard *self, int64_t ranks) {
  int64_t known = 1;
  for (int i = 0; i < AGPU__GRID_AXES; ++i)
    known *= self->grid[i] > 0 ? self->grid[i] : 1;
  for (int i = 0; i < AGPU__GRID_AXES; ++i)
    if (self->grid[i] < 0 && ranks > 0 && ranks % known == 0)
      self->grid[i] = ranks / known;
}

/// Reads "#shard<axisarray[[0, 1], [], [2]]>". False if it is not that.
static bool read_axes(const char *text, agpu__layout *out) {
  const char *at = strchr(text, '[');
  int dim = 0;
  for (at = at ? at + 1 : NULL; at && (at = strpbrk(at, "[]")) && *at == '[';
       ++dim) {
    int shift = 0;
    if (dim == AGPU__SHARD_RANK)
      return false;
    for (++at; *at && *at != ']'; ++at) {
      if (!isdigit((unsigned char)*at))
        continue;
      int64_t axis = *at - '0';
      if (axis >= AGPU__GRID_AXES ||
          agpu__axes_overlap(agpu__layout_axes(out), axis + 1))
        return false;
      out->dims[dim] |= (axis + 1) << shift;
      shift += 4;
    }
    at += *at == ']';
  }
  return at != NULL;
}

bool agpu__shard_annotation(agpu__shard *self, MlirOperation op,
                            agpu__layout *out_layout) {
  *out_layout = (agpu__layout){{0}};
  MlirLocation location = mlirOperationGetLocation(op);
  MlirOperation sharding = agpu__maker_of(mlirOperationGetOperand(op, 1));
  if (!agpu__op_is(sharding, "shard.sharding")) {
    agpu__error(location, "what shards are is not visible here: the second "
                          "operand has to be a shard.sharding");
    return false;
  }
  static const char *const others[] = {"static_halo_sizes",
                                       "static_sharded_dims_offsets"};
  for (size_t i = 0; i < 2; ++i) {
    MlirAttribute given = agpu__attr(sharding, others[i]);
    if (!mlirAttributeIsNull(given) && mlirDenseArrayGetNumElements(given)) {
      agpu__error(mlirOperationGetLocation(sharding),
                  i ? "sharded_dims_offsets are not supported: blocks are of "
                      "the same size, or one larger for the first ranks"
                    : "halo_sizes are not supported: halos are exchanged "
                      "where an op needs them");
      return false;
    }
  }
  AGPU__SCOPED(text) text = {0};
  mlirAttributePrint(agpu__attr(sharding, "split_axes"), agpu__text_callback,
                     &text);
  bool ok = read_axes(agpu__text_get(&text), out_layout);
  MlirType whole = agpu__shard_whole_type(self, mlirOperationGetOperand(op, 0));
  if (!ok) {
    agpu__error(location, "split_axes name an axis twice, or one that the "
                          "grid does not have");
    return false;
  }
  for (intptr_t i = 0; i < AGPU__SHARD_RANK; ++i) {
    if (!out_layout->dims[i])
      continue;
    if (i >= mlirShapedTypeGetRank(whole)) {
      agpu__error(location, "split_axes has more dimensions than the tensor");
      return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Simple choices
//===----------------------------------------------------------------------===//

static bool can_split(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsARankedTensor(type) && mlirShapedTypeGetRank(type) > 0;
}

/// The value, with its first dimension split.
static MlirValue split_first(agpu__builder *at, MlirValue value) {
  MlirContext context = at->context;
  MlirNamedAttribute attributes[] = {
      agpu__named(context, "grid", agpu__symbol_attr(context, "ranks")),
      agpu__named(context, "split_axes",
                  agpu__parse_attr(context, "#shard<axisarray[[0]]>")),
      agpu__named(context, "static_halo_sizes",
                  mlirDenseI64ArrayGet(context, 0, NULL)),
      agpu__named(context, "static_sharded_dims_offsets",
                  mlirDenseI64ArrayGet(context, 0, NULL)),
      agpu__segments(context, (int32_t[]){0, 0}, 2)};
  MlirValue sharding =
      agpu__result(agpu__build_op(at, "shard.sharding", NULL, 0,
                                  agpu__parse_type(context, "!shard.sharding"),
                                  attributes, 5),
                   0);
  MlirValue operands[] = {value, sharding};
  return agpu__build_value(at, "shard.shard", operands, 2,
                           mlirValueGetType(value));
}

/// The first argument that is a tensor. True if there is one.
static bool split_argument(MlirOperation function) {
  MlirBlock block = agpu__entry_block(function);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    if (!can_split(argument))
      continue;
    agpu__builder at =
        agpu__builder_at_start(block, mlirOperationGetLocation(function));
    MlirValue split = split_first(&at, argument);
    MlirOperation except = agpu__maker_of(split);
    mlirValueReplaceAllUsesExcept(argument, split, 1, &except);
    return true;
  }
  return false;
}

/// What the function returns. True if there is a tensor.
static bool split_results(MlirOperation function) {
  MlirOperation end = mlirBlockGetTerminator(agpu__entry_block(function));
  bool any = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i) {
    MlirValue result = mlirOperationGetOperand(end, i);
    if (!can_split(result))
      continue;
    agpu__builder at = agpu__builder_before(end);
    mlirOperationSetOperand(end, i, split_first(&at, result));
    any = true;
  }
  return any;
}

bool agpu__shard_annotate(agpu__shard *self, const char *split) {
  bool by_results = !strcmp(split, "rows"), any = false;
  AGPU__OPS_IN_FOREACH (nested, self->module, "func.func")
    if (!agpu__is_declaration(nested) &&
        !mlirStringRefEqual(agpu__get_string(nested, "sym_visibility"),
                            agpu__str("private")))
      any |= by_results ? split_results(nested) : split_argument(nested);
  if (!any) {
    agpu__error(mlirOperationGetLocation(self->module),
                "--shard=%s: no function that is called from outside %s a "
                "tensor that has a dimension",
                split, by_results ? "returns" : "takes");
    return false;
  }
  agpu__builder at = agpu__builder_at_start(
      agpu__module_body(self->module), mlirOperationGetLocation(self->module));
  MlirNamedAttribute attributes[] = {
      agpu__named(self->context, "sym_name",
                  agpu__string_attr(self->context, "ranks")),
      agpu__named(
          self->context, "shape",
          mlirDenseI64ArrayGet(self->context, 1,
                               (int64_t[]){mlirShapedTypeGetDynamicSize()}))};
  (void)agpu__build_op(&at, "shard.grid", NULL, 0, (MlirType){NULL}, attributes,
                       2);
  self->grid[0] = -1;
  return true;
}
