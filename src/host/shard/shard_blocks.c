//===- shard_blocks.c - Where a part of a dimension is --------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers of runtime/mpi/exchange_parts.c as ops, at the start of the
// function that uses them.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard_parts.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

MlirValue agpu__shard_add(agpu__builder *at, MlirValue a, MlirValue b) {
  return agpu__build_binary(at, "arith.addi", a, b);
}

static MlirValue subtract(agpu__builder *at, MlirValue a, MlirValue b) {
  return agpu__build_binary(at, "arith.subi", a, b);
}

static MlirValue multiply(agpu__builder *at, MlirValue a, int64_t by) {
  return by == 1 ? a
                 : agpu__build_binary(at, "arith.muli", a,
                                      agpu__index_constant(at, by));
}

static MlirValue shift(agpu__builder *at, MlirValue a, int64_t by) {
  return by ? agpu__shard_add(at, a, agpu__index_constant(at, by)) : a;
}

static MlirValue least(agpu__builder *at, MlirValue a, MlirValue b) {
  return agpu__build_binary(at, "arith.minsi", a, b);
}

static MlirValue greatest(agpu__builder *at, MlirValue a, MlirValue b) {
  return agpu__build_binary(at, "arith.maxsi", a, b);
}

/// Between 0 and `most`.
static MlirValue clamp(agpu__builder *at, MlirValue a, int64_t most) {
  MlirValue high = least(at, a, agpu__index_constant(at, most));
  return greatest(at, high, agpu__index_constant(at, 0));
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

void agpu__shard_begin_function(agpu__shard *self, MlirOperation function) {
  self->start = mlirBlockGetFirstOperation(agpu__entry_block(function));
  self->group_count = self->block_count = self->conversion_count = 0;
}

agpu__builder agpu__shard_at_start(agpu__shard *self) {
  return agpu__builder_before(self->start);
}

/// A new place for the communicator of one call along these axes.
static const char *add_site(agpu__shard *self, agpu__axes axes,
                            MlirLocation location) {
  AGPU__OWNED char *base = agpu__format("shard.site.%zu", self->site_count);
  char *symbol = agpu__unique_symbol(self->module, base);
  self->sites = agpu__grow(self->sites, self->site_count, &self->site_capacity,
                           sizeof(*self->sites));
  self->sites[self->site_count++] = (agpu__shard_site){symbol, axes, location};
  agpu__builder at =
      agpu__builder_at_start(agpu__module_body(self->module), location);
  MlirType type = agpu__parse_type(self->context, "memref<1xi64>");
  MlirOperation global = agpu__build_memref_global(&at, symbol, type);
  agpu__set_attr(global, "initial_value",
                 agpu__parse_attr(self->context, "dense<0> : tensor<1xi64>"));
  return symbol;
}

/// The memory of a site, which nothing else leads to: what ranks exchange is no
/// reason to wait for what kernels do.
static MlirValue memory_of(agpu__shard *self, agpu__builder *at,
                           const char *symbol) {
  MlirValue memory = agpu__build_memref(
      at, symbol, agpu__parse_type(self->context, "memref<1xi64>"));
  agpu__set_attr(mlirOpResultGetOwner(memory), "llvm.noalias",
                 mlirUnitAttrGet(self->context));
  return memory;
}

MlirValue agpu__shard_site_memory(agpu__shard *self, agpu__builder *at,
                                  agpu__axes axes) {
  return memory_of(self, at, add_site(self, axes, at->location));
}

MlirValue agpu__shard_site_like(agpu__shard *self, agpu__builder *at,
                                MlirValue site) {
  MlirStringRef symbol =
      mlirFlatSymbolRefAttrGetValue(agpu__attr(agpu__maker_of(site), "name"));
  agpu__axes axes = 0;
  for (size_t i = 0; i < self->site_count; ++i)
    if (mlirStringRefEqual(agpu__str(self->sites[i].symbol), symbol))
      axes = self->sites[i].axes;
  return agpu__shard_site_memory(self, at, axes);
}

/// The communicator at a site, which is made if there is none yet.
static MlirValue open_site(agpu__shard *self, agpu__builder *at,
                           const agpu__shard_site *site) {
  MlirType i64 = agpu__i64_type(self->context);
  MlirValue memory = memory_of(self, at, site->symbol);
  MlirValue place[] = {memory, agpu__index_constant(at, 0)};
  MlirValue old = agpu__build_value(at, "memref.load", place, 2, i64);
  int64_t numbers[] = {self->grid[0], self->grid[1], self->grid[2], site->axes};
  agpu__builder at_grid = *at;
  at_grid.location = self->grid_location;
  MlirValue opened =
      agpu__shard_call(self, &at_grid, "shard_open", numbers, 4, &old, 1, i64);
  MlirValue stored[] = {opened, place[0], place[1]};
  agpu__build_effect(at, "memref.store", stored, 3);
  return opened;
}

void agpu__shard_open_sites(agpu__shard *self) {
  size_t count = self->site_count;
  AGPU__OPS_IN_FOREACH (function, self->module, "func.func") {
    if (agpu__is_declaration(function) ||
        mlirStringRefEqual(agpu__get_string(function, "sym_visibility"),
                           agpu__str("private")))
      continue;
    MlirBlock block = agpu__entry_block(function);
    agpu__builder at = agpu__builder_before(mlirBlockGetFirstOperation(block));
    for (size_t k = 0; k < count; ++k) {
      at.location = self->sites[k].location;
      (void)open_site(self, &at, &self->sites[k]);
    }
  }
}

agpu__shard_group agpu__shard_group_of(agpu__shard *self, agpu__axes axes) {
  for (size_t i = 0; i < self->group_count; ++i)
    if (self->groups[i].axes == axes)
      return self->groups[i];
  agpu__builder at = agpu__shard_at_start(self);
  MlirType index = agpu__index_type(self->context);
  (void)add_site(self, axes, at.location);
  agpu__shard_site site = self->sites[--self->site_count];
  MlirValue opened = open_site(self, &at, &site);
  free(site.symbol);
  int64_t ranks = agpu__shard_ranks(self, axes);
  agpu__shard_group group = {
      .axes = axes,
      .comm = opened,
      .rank =
          agpu__shard_call(self, &at, "shard_rank", NULL, 0, &opened, 1, index),
      .count = ranks > 0 ? agpu__index_constant(&at, ranks)
                         : agpu__shard_call(self, &at, "shard_size", NULL, 0,
                                            &opened, 1, index)};
  self->groups = agpu__grow(self->groups, self->group_count,
                            &self->group_capacity, sizeof(*self->groups));
  self->groups[self->group_count++] = group;
  return group;
}

/// One number that an argument is or has.
static void check_number(agpu__shard *self, agpu__builder *at, MlirValue comm,
                         MlirValue number, intptr_t argument, intptr_t dim) {
  int64_t numbers[] = {argument, dim};
  MlirValue operands[] = {comm, number};
  (void)agpu__shard_call(self, at, "shard_agree", numbers, 2, operands, 2,
                         (MlirType){NULL});
}

void agpu__shard_check_arguments(agpu__shard *self, MlirOperation function) {
  MlirBlock block = agpu__entry_block(function);
  agpu__axes all = 0;
  for (agpu__axes axis = AGPU__GRID_AXES; axis > 0; --axis)
    all = all << 4 | (AGPU__GRID_AXES + 1 - axis);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    MlirType type = mlirValueGetType(argument);
    bool is_number =
        mlirTypeIsAIndex(type) ||
        (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) <= 64);
    if (is_number) {
      MlirValue comm = agpu__shard_group_of(self, all).comm;
      agpu__builder at = agpu__shard_at_start(self);
      check_number(self, &at, comm, argument, i, -1);
    }
    if (!mlirTypeIsARankedTensor(type))
      continue;
    for (intptr_t k = 0; k < mlirShapedTypeGetRank(type); ++k) {
      if (!mlirShapedTypeIsDynamicDim(type, k))
        continue;
      MlirValue comm = agpu__shard_group_of(self, all).comm;
      agpu__builder at = agpu__shard_at_start(self);
      MlirValue operands[] = {argument, agpu__index_constant(&at, k)};
      check_number(self, &at, comm,
                   agpu__build_value(&at, "tensor.dim", operands, 2,
                                     agpu__index_type(self->context)),
                   i, k);
    }
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// At the start, or behind what computes a number that is not known there.
static agpu__builder at_number(agpu__shard *self, MlirValue number) {
  MlirOperation maker =
      mlirValueIsNull(number) ? (MlirOperation){NULL} : agpu__maker_of(number);
  MlirBlock block = mlirOperationGetBlock(self->start);
  if (!mlirOperationIsNull(maker))
    return mlirBlockEqual(mlirOperationGetBlock(maker), block) &&
                   mlirOperationIsBeforeInBlock(maker, self->start)
               ? agpu__shard_at_start(self)
               : agpu__builder_after(maker);
  if (mlirValueIsNull(number) ||
      mlirBlockEqual(mlirBlockArgumentGetOwner(number), block))
    return agpu__shard_at_start(self);
  return agpu__builder_at_start(mlirBlockArgumentGetOwner(number),
                                mlirOperationGetLocation(self->start));
}

static agpu__block make_block(agpu__shard *self, agpu__axes axes,
                              agpu__shard_size of) {
  agpu__shard_group group = agpu__shard_group_of(self, axes);
  agpu__builder at = at_number(self, of.number);
  int64_t ranks = agpu__shard_ranks(self, axes), size = of.known;
  if (ranks > 0 && size >= 0 && size % ranks == 0)
    return (agpu__block){multiply(&at, group.rank, size / ranks),
                         agpu__index_constant(&at, size / ranks)};
  MlirValue all = size < 0 ? of.number : agpu__index_constant(&at, size);
  MlirValue each = agpu__build_binary(&at, "arith.divui", all, group.count);
  MlirValue larger = agpu__build_binary(&at, "arith.remui", all, group.count);
  MlirValue is_larger = agpu__build_compare(
      &at, "arith.cmpi", AGPU__SIGNED_LESS, group.rank, larger);
  MlirValue before = agpu__build_binary(&at, "arith.muli", group.rank, each);
  MlirValue begin =
      agpu__shard_add(&at, before, least(&at, group.rank, larger));
  MlirValue one_more = agpu__build_unary(&at, "arith.index_castui", is_larger,
                                         agpu__index_type(self->context));
  return (agpu__block){begin, agpu__shard_add(&at, each, one_more)};
}

agpu__block agpu__shard_block(agpu__shard *self, agpu__axes axes,
                              agpu__shard_size size) {
  for (size_t i = 0; i < self->block_count; ++i)
    if (self->blocks[i].axes == axes &&
        self->blocks[i].size.known == size.known &&
        self->blocks[i].size.number.ptr == size.number.ptr)
      return self->blocks[i].block;
  agpu__block block = make_block(self, axes, size);
  self->blocks = agpu__grow(self->blocks, self->block_count,
                            &self->block_capacity, sizeof(*self->blocks));
  self->blocks[self->block_count++] = (agpu__known_block){axes, size, block};
  return block;
}

agpu__shard_need agpu__shard_needed(agpu__shard *self, agpu__axes axes,
                                    const agpu__shard_split *split) {
  agpu__block block =
      agpu__shard_block(self, axes, (agpu__shard_size){split->parts, {NULL}});
  agpu__builder at = agpu__shard_at_start(self);
  MlirValue zero = agpu__index_constant(&at, 0);
  MlirValue from =
      shift(&at, multiply(&at, block.begin, split->stride), -split->before);
  // A rank without a part needs nothing.
  MlirValue extent = shift(&at, multiply(&at, block.size, split->stride),
                           split->before + split->after + 1 - split->stride);
  MlirValue has_part = agpu__build_compare(
      &at, "arith.cmpi", AGPU__SIGNED_GREATER, block.size, zero);
  extent = agpu__build_select(&at, "arith.select", has_part, extent, zero);
  MlirValue to = agpu__shard_add(&at, from, extent);
  MlirValue begin = clamp(&at, from, split->size);
  MlirValue end = clamp(&at, to, split->size);
  MlirValue low = subtract(&at, begin, from), high = subtract(&at, to, end);
  agpu__shard_need need = {
      .block = {begin, subtract(&at, end, begin)},
      .low = agpu__build_select(&at, "arith.select", has_part, low, zero),
      .high = agpu__build_select(&at, "arith.select", has_part, high, zero)};
  need.block.size =
      agpu__build_select(&at, "arith.select", has_part, need.block.size, zero);
  return need;
}

agpu__shard_halo agpu__shard_around(agpu__shard *self, agpu__axes axes,
                                    const agpu__shard_split *split,
                                    const agpu__shard_need *need) {
  agpu__block own =
      agpu__shard_block(self, axes, (agpu__shard_size){split->size, {NULL}});
  agpu__builder at = agpu__shard_at_start(self);
  MlirValue zero = agpu__index_constant(&at, 0), begin = need->block.begin;
  MlirValue end = agpu__shard_add(&at, begin, need->block.size);
  MlirValue own_end = agpu__shard_add(&at, own.begin, own.size);
  MlirValue before =
      greatest(&at, subtract(&at, least(&at, end, own.begin), begin), zero);
  MlirValue after =
      greatest(&at, subtract(&at, end, greatest(&at, own_end, begin)), zero);
  MlirValue size = agpu__shard_add(&at, before, after);
  // Where nothing is kept, it still begins in the part.
  MlirValue skipped = greatest(&at, subtract(&at, begin, own.begin), zero);
  int64_t ranks = agpu__shard_ranks(self, axes);
  // Each rank keeps all of its part, and has as much around it.
  if (ranks > 0 && split->size % ranks == 0 && split->size == split->parts &&
      split->stride == 1 && split->before >= 0 && split->after >= 0)
    return (agpu__shard_halo){.size = size,
                              .before = before,
                              .after = after,
                              .kept = {zero, own.size},
                              .low = agpu__index_constant(&at, split->before),
                              .high = agpu__index_constant(&at, split->after)};
  return (agpu__shard_halo){.size = size,
                            .before = before,
                            .after = after,
                            .kept = {least(&at, skipped, own.size),
                                     subtract(&at, need->block.size, size)},
                            .low = agpu__shard_add(&at, need->low, before),
                            .high = agpu__shard_add(&at, need->high, after)};
}
