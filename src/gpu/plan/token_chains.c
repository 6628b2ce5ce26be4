//===- token_chains.c - Chains of tokens become regions -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-token-chains`.
//
// The GPU ops of a body are on one stream. Where tokens leave two launches of a
// block without an order,
//
//     %a = gpu.launch_func async [%t] @k::@f ...
//     %b = gpu.launch_func async [%t] @k::@g ...
//     gpu.wait [%a, %b]
//
// each async op of that block becomes a region, which has a stream of its own,
// and tokens between them become dependencies of regions. Regions of one chain
// reuse each other's stream.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/plan.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Which blocks
//===----------------------------------------------------------------------===//

/// A GPU op of a block.
typedef struct entry {
  MlirOperation op;
  /// Number of the launch that it is or follows, from 1 on; 0: none.
  size_t launch;
} entry;

/// The GPU ops that stand directly in one block.
typedef struct chains {
  entry *entries;    ///< in program order
  agpu__map numbers; ///< of entries, by the address of the op
  size_t count;
} chains;

static chains collect(MlirBlock block) {
  AGPU__SCOPED(ops) ops = {0};
  AGPU__OPS_FOREACH (op, block)
    if (agpu__is_gpu_op(op))
      agpu__ops_push(&ops, op);
  chains self = {.entries = agpu__allocate(ops.count, sizeof(entry)),
                 .count = ops.count};
  for (size_t i = 0; i < ops.count; ++i) {
    self.entries[i].op = ops.data[i];
    agpu__map_set(&self.numbers, ops.data[i].ptr, i);
  }
  return self;
}

static void release(chains *self) {
  free(self->entries);
  agpu__map_free(&self->numbers);
}

/// The op that gives `token`; NULL: it comes from elsewhere.
static const entry *giver_of(const chains *self, MlirValue token) {
  if (!mlirValueIsAOpResult(token))
    return NULL;
  size_t number =
      agpu__map_get(&self->numbers, mlirOpResultGetOwner(token).ptr);
  return number == AGPU__MAP_NONE ? NULL : &self->entries[number];
}

/// True if two launches of the block have no order. One that has no token is
/// after all before it and ahead of all after it, as is any GPU op without.
/// As long as all launches are in order, what follows one follows those
/// before that.
static bool has_unordered_launches(chains *self) {
  size_t launches = 0, floor = 0;
  for (size_t i = 0; i < self->count; ++i) {
    MlirOperation op = self->entries[i].op;
    size_t follows = floor;
    for (intptr_t n = 0; n < agpu__async_dependency_count(op); ++n) {
      const entry *giver = giver_of(self, mlirOperationGetOperand(op, n));
      if (giver && giver->launch > follows)
        follows = giver->launch;
    }
    bool in_order = mlirValueIsNull(agpu__async_token_of(op));
    if (agpu__op_is(op, "gpu.launch_func")) {
      if (!in_order && follows < launches)
        return true;
      follows = ++launches;
    }
    if (in_order)
      follows = floor = launches;
    self->entries[i].launch = follows;
  }
  return false;
}

/// True for an op that becomes a region. An allocation does not: the body uses
/// its memory at once.
static bool is_split(MlirOperation op) {
  return agpu__op_has(op, AGPU__OP_DEVICE | AGPU__OP_RELEASES) &&
         !mlirValueIsNull(agpu__async_token_of(op));
}

static bool is_used(MlirValue value) {
  return !mlirOpOperandIsNull(mlirValueGetFirstUse(value));
}

/// True if all that happens in the regions is waited for: then, and only then,
/// does the order that the tokens give say all. A launch on a stream of the
/// program's own has an order besides.
static bool tokens_say_all(const chains *self) {
  for (size_t i = 0; i < self->count; ++i) {
    MlirOperation op = self->entries[i].op;
    if (is_split(op) && !is_used(agpu__async_token_of(op)))
      return false;
    if (agpu__op_is(op, "gpu.launch_func") &&
        agpu__segment(op, AGPU__LAUNCH_OBJECT))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The async token that was cast to `token`; null: none was.
static MlirValue source_of(MlirValue token) {
  MlirOperation cast = agpu__maker_of(token);
  if (!agpu__op_is(cast, "builtin.unrealized_conversion_cast"))
    return (MlirValue){NULL};
  return mlirOperationGetOperand(cast, 0);
}

/// Adds what a region depends on that depends on `token`, of the gpu dialect:
/// nothing where that is of the body's own stream, as a region follows that
/// anyway. `seen`: the tokens that have been added.
static void push_dependency(const chains *self, agpu__builder *at,
                            MlirValue token, agpu__values *seen,
                            agpu__values *out) {
  if (agpu__values_find(seen, token) >= 0)
    return;
  agpu__values_push(seen, token);
  const entry *giver = giver_of(self, token);
  MlirValue source = source_of(token);
  if (!mlirValueIsNull(source))
    agpu__values_push(out, source);
  else if (!giver)
    agpu__values_push(
        out, agpu__build_cast(at, token, agpu__token_type(at->context)));
  else if (agpu__op_is(giver->op, "gpu.wait"))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(giver->op); ++i)
      push_dependency(self, at, mlirOperationGetOperand(giver->op, i), seen,
                      out);
}

/// `async.execute { op; async.yield }` without what the op depends on.
static MlirRegion build_region(MlirOperation op) {
  MlirBlock block;
  MlirRegion region = agpu__build_region(&block);
  agpu__builder at = agpu__builder_at_end(block, mlirOperationGetLocation(op));
  AGPU__SCOPED(values) operands = {0};
  intptr_t dependencies = agpu__async_dependency_count(op);
  agpu__values_push_operands(&operands, op, dependencies);
  size_t attribute_count;
  AGPU__OWNED MlirNamedAttribute *attributes =
      agpu__async_attributes(op, -(int32_t)dependencies, &attribute_count);
  agpu__build_op(&at, agpu__op_name(op).data, operands.data, operands.count,
                 (MlirType){NULL}, attributes, attribute_count);
  agpu__build_effect(&at, "async.yield", NULL, 0);
  return region;
}

/// Puts a region in the place of `op`, which is left without uses. Returns the
/// region's token as one of the gpu dialect.
static MlirValue split(const chains *self, MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  AGPU__SCOPED(values) dependencies = {0}, seen = {0};
  for (intptr_t i = 0; i < agpu__async_dependency_count(op); ++i)
    push_dependency(self, &at, mlirOperationGetOperand(op, i), &seen,
                    &dependencies);
  MlirType type = agpu__token_type(at.context);
  MlirRegion region = build_region(op);
  MlirValue token = agpu__async_token_of(op);
  MlirValue made = agpu__result(
      agpu__build_execute(&at, &dependencies, &type, 1, region), 0);
  MlirValue cast = agpu__build_cast(&at, made, mlirValueGetType(token));
  mlirValueReplaceAllUsesOfWith(token, cast);
  return cast;
}

/// True for an op that follows all before it in the program, other than what
/// its tokens say.
static bool is_in_program_order(MlirOperation op) {
  return mlirValueIsNull(agpu__async_token_of(op)) &&
         !agpu__op_is(op, "gpu.wait") && !agpu__op_is(op, "gpu.alloc");
}

/// Removes from `tokens` those that `op` follows anyway.
static void remove_dependencies(agpu__values *tokens, MlirOperation op) {
  for (intptr_t i = 0; i < agpu__async_dependency_count(op); ++i) {
    intptr_t at = agpu__values_find(tokens, mlirOperationGetOperand(op, i));
    if (at >= 0)
      tokens->data[at] = tokens->data[--tokens->count];
  }
}

/// What is left without uses goes last: until then addresses are keys.
static void split_block(chains *self) {
  AGPU__SCOPED(ops) replaced = {0};
  // Of regions that nothing depends on yet.
  AGPU__SCOPED(values) tokens = {0}, open = {0};
  for (size_t i = 0; i < self->count; ++i) {
    MlirOperation op = self->entries[i].op;
    remove_dependencies(&open, op);
    if (is_split(op)) {
      MlirValue token = split(self, op);
      agpu__values_push(&tokens, token);
      agpu__values_push(&open, token);
      agpu__ops_push(&replaced, op);
    } else if (is_in_program_order(op) && open.count) {
      agpu__builder at = agpu__builder_before(op);
      agpu__build_effect(&at, "gpu.wait", open.data, open.count);
      open.count = 0;
    } else if (agpu__op_is(op, "gpu.wait")) {
      agpu__values_push(&tokens, agpu__async_token_of(op));
    }
  }
  for (size_t i = replaced.count; i-- > 0;)
    mlirOperationDestroy(replaced.data[i]);
  for (size_t i = tokens.count; i-- > 0;)
    if (!mlirValueIsNull(tokens.data[i]) && !is_used(tokens.data[i]))
      mlirOperationDestroy(mlirOpResultGetOwner(tokens.data[i]));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void visit_block(MlirBlock block);

/// Host code only: the blocks of a kernel have no GPU ops of the host.
static void visit_regions(MlirOperation op) {
  if (agpu__op_is(op, "gpu.module"))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    AGPU__BLOCKS_FOREACH (block, mlirOperationGetRegion(op, i))
      visit_block(block);
}

static void visit_block(MlirBlock block) {
  AGPU__OPS_FOREACH (op, block)
    visit_regions(op);
  chains self = collect(block);
  if (has_unordered_launches(&self) && tokens_say_all(&self))
    split_block(&self);
  release(&self);
}

static MlirLogicalResult run(MlirOperation module) {
  visit_regions(module);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_token_chains = {
    .argument = "async-gpu-token-chains",
    .summary =
        "Put launches that tokens leave unordered into regions of their own",
    .run = run,
};
