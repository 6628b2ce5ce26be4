//===- loops.c - Kernels as loops over threads -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All blocks of a kernel's code are in one region or another
// (regions.c). Each region gets a loop over the threads of the block:
//
//     ^before(uniform arguments):      once: uniform ops of the region
//       ^planes(z): ^rows(y):
//         ^threads(x):                 what the region takes from others
//           ... the region's blocks ...
//         ^latch:                      back to ^threads
//       ^row_end: ^plane_end:
//     ^after:                          once: to ^before of the next region
//
// Uniform ops and the branches between regions make up a program of their own
// around the loops, the skeleton. A kernel without barriers is one region.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/loops/loops.h"

#include "async_gpu/compiled/native_thread.h"
#include "lower/ir/cfg.h"
#include "lower/ir/llvm_ops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Blocks as they are needed
//===----------------------------------------------------------------------===//

/// Barriers for all threads of a block, the only ones that loops can do.
static bool is_barrier(MlirOperation op) {
  return agpu__op_is(op, "nvvm.barrier0") ||
         (agpu__op_is(op, "nvvm.barrier") && !mlirOperationGetNumOperands(op));
}

/// True if `op` arrives at a barrier with a number, which a thread may do that
/// does not wait there.
static bool arrives(MlirOperation op) {
  MlirStringRef name = agpu__str("callee");
  MlirAttribute callee = mlirOperationGetAttributeByName(op, name);
  return !mlirAttributeIsNull(callee) &&
         mlirAttributeIsAFlatSymbolRef(callee) &&
         mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(callee),
                            agpu__str("agpu_native_arrive"));
}

/// True if each thread can have a place for what `alloca` gives.
static bool fits_slot(MlirOperation alloca) {
  MlirAttribute alignment =
      mlirOperationGetAttributeByName(alloca, agpu__str("alignment"));
  return agpu__simt_has_constant_size(alloca) &&
         (mlirAttributeIsNull(alignment) ||
          mlirIntegerAttrGetValueInt(alignment) <=
              AGPU_NATIVE_MEMORY_ALIGNMENT);
}

/// True if the function's waits are such barriers, and its memory of its own
/// has a constant size.
static bool can_be_loops(MlirOperation function) {
  agpu__ops ops = {0};
  agpu__collect(function, NULL, &ops);
  bool can = true;
  for (size_t i = 0; i < ops.count && can; ++i) {
    MlirOperation op = ops.data[i];
    can = (!agpu__simt_is_wait(op) || is_barrier(op)) && !arrives(op) &&
          (!agpu__op_is(op, "llvm.alloca") || fits_slot(op));
  }
  agpu__ops_free(&ops);
  return can;
}

static void set_i32_array(MlirOperation op, const char *name, intptr_t count,
                          const int32_t *values) {
  mlirOperationSetAttributeByName(
      op, agpu__str(name),
      mlirDenseI32ArrayGet(mlirOperationGetContext(op), count, values));
}

/// Puts a block with an llvm.br, which hands on the values, on each edge of
/// `branch`, an llvm.cond_br or switch whose target has arguments.
static void split_edges(MlirOperation branch) {
  bool is_switch = agpu__op_is(branch, "llvm.switch");
  intptr_t successors = mlirOperationGetNumSuccessors(branch), next = 1;
  if (mlirOperationGetNumOperands(branch) == 1)
    return;
  for (intptr_t s = 0; s < successors; ++s) {
    MlirBlock to = mlirOperationGetSuccessor(branch, s);
    intptr_t count = mlirBlockGetNumArguments(to);
    if (!count)
      continue;
    MlirValue *values = calloc((size_t)count, sizeof(*values));
    if (!values)
      abort();
    for (intptr_t i = 0; i < count; ++i)
      values[i] = mlirOperationGetOperand(branch, next++);
    MlirBlock middle = agpu__block_after(mlirOperationGetBlock(branch));
    agpu__builder at =
        agpu__builder_at_end(middle, mlirOperationGetLocation(branch));
    agpu__op_spec spec = {.name = "llvm.br",
                          .location = at.location,
                          .operands = values,
                          .operand_count = (size_t)count,
                          .successors = &to,
                          .successor_count = 1};
    agpu__build(&at, &spec);
    mlirOperationSetSuccessor(branch, s, middle);
    free(values);
  }
  MlirValue decision = mlirOperationGetOperand(branch, 0);
  mlirOperationSetOperands(branch, 1, &decision);
  set_i32_array(branch, "operandSegmentSizes", 3, (const int32_t[]){1, 0, 0});
  if (is_switch) {
    int32_t *none = calloc((size_t)successors, sizeof(*none));
    if (!none)
      abort();
    set_i32_array(branch, "case_operand_segments", successors - 1, none);
    free(none);
  }
}

/// Makes only llvm.br hand on values, and barriers stand last before one.
static void normalize(MlirOperation function) {
  agpu__ops ops = {0};
  agpu__collect(function, NULL, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    if (agpu__op_is(op, "llvm.cond_br") || agpu__op_is(op, "llvm.switch"))
      split_edges(op);
  }
  for (size_t i = 0; i < ops.count; ++i) {
    if (!is_barrier(ops.data[i]))
      continue;
    MlirBlock block = mlirOperationGetBlock(ops.data[i]);
    MlirBlock rest = agpu__split_after(ops.data[i]);
    agpu__builder at =
        agpu__builder_at_end(block, mlirOperationGetLocation(ops.data[i]));
    agpu__simt_branch(&at, rest, NULL, 0);
  }
  agpu__ops_free(&ops);
}

//===----------------------------------------------------------------------===//
// The skeleton
//===----------------------------------------------------------------------===//

bool agpu__simt_in_skeleton(const agpu__simt_loops *self, MlirValue value) {
  return agpu__simt_is_uniform(&self->uniform, value) &&
         agpu__simt_map_get(&self->not_in_skeleton, value.ptr) ==
             AGPU__SIMT_NONE;
}

static void exclude(agpu__simt_loops *self, MlirValue value) {
  agpu__simt_map_set(&self->not_in_skeleton, value.ptr, 1);
}

/// Excludes the results of uniform ops that cannot be computed there.
static bool exclude_results(agpu__simt_loops *self, size_t block) {
  bool changed = false, first = self->regions.region[block] == block;
  for (MlirOperation op = mlirBlockGetFirstOperation(self->graph.blocks[block]);
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!mlirOperationGetNumResults(op) ||
        !agpu__simt_in_skeleton(self, mlirOperationGetResult(op, 0)))
      continue;
    agpu__simt_purity purity = agpu__simt_purity_of(op);
    bool can =
        purity == AGPU__SIMT_ANYWHERE || (purity == AGPU__SIMT_PURE && first);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
      can &= agpu__simt_in_skeleton(self, mlirOperationGetOperand(op, i));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && !can; ++i)
      exclude(self, mlirOperationGetResult(op, i));
    changed |= !can;
  }
  return changed;
}

/// Whether argument `index` of `block` is a value of the skeleton on each way
/// to it, and the same on all ways from one region.
static bool is_handed_in_skeleton(const agpu__simt_loops *self, size_t block,
                                  intptr_t index) {
  const agpu__simt_graph *graph = &self->graph;
  for (size_t e = graph->pred_first[block]; e < graph->pred_first[block + 1];
       ++e) {
    size_t from = graph->preds[e];
    MlirValue value = mlirOperationGetOperand(
        mlirBlockGetTerminator(graph->blocks[from]), index);
    if (!agpu__simt_in_skeleton(self, value))
      return false;
    for (size_t o = graph->pred_first[block]; o < e; ++o) {
      size_t other = graph->preds[o];
      if (self->regions.region[other] == self->regions.region[from] &&
          !mlirValueEqual(
              mlirOperationGetOperand(
                  mlirBlockGetTerminator(graph->blocks[other]), index),
              value))
        return false;
    }
  }
  return true;
}

static bool exclude_arguments(agpu__simt_loops *self, size_t block) {
  bool changed = false, first = self->regions.region[block] == block;
  MlirBlock mlir = self->graph.blocks[block];
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(mlir); ++i) {
    MlirValue argument = mlirBlockGetArgument(mlir, i);
    if (!agpu__simt_in_skeleton(self, argument) ||
        (first && is_handed_in_skeleton(self, block, i)))
      continue;
    exclude(self, argument);
    changed = true;
  }
  return changed;
}

/// Finds the uniform values that the skeleton can compute.
static void find_skeleton(agpu__simt_loops *self) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = 0; b < self->graph.count; ++b) {
      changed |= exclude_arguments(self, b);
      changed |= exclude_results(self, b);
    }
  }
}

/// Creates ^before of the region at `block`: its arguments take the place of
/// those of the block that are in the skeleton.
static void begin_region(agpu__simt_loops *self, size_t block) {
  MlirBlock first = self->graph.blocks[block];
  agpu__simt_part *part = &self->parts[block];
  part->before = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockBefore(self->body, first, part->before);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(first); ++i) {
    MlirValue argument = mlirBlockGetArgument(first, i);
    if (!agpu__simt_in_skeleton(self, argument))
      continue;
    mlirValueReplaceAllUsesOfWith(
        argument, mlirBlockAddArgument(part->before, mlirValueGetType(argument),
                                       self->location));
  }
}

/// Moves the ops of the skeleton in `block` to its region's ^before.
static void hoist(agpu__simt_loops *self, size_t block) {
  MlirBlock before = self->parts[self->regions.region[block]].before;
  MlirOperation op = mlirBlockGetFirstOperation(self->graph.blocks[block]);
  while (!mlirOperationIsNull(op)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    if (mlirOperationGetNumResults(op) &&
        agpu__simt_in_skeleton(self, mlirOperationGetResult(op, 0))) {
      mlirOperationRemoveFromParent(op);
      mlirBlockAppendOwnedOperation(before, op);
    }
    op = next;
  }
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static bool begins_region(const agpu__simt_loops *self, size_t block) {
  return self->regions.region[block] == block;
}

/// True if the region that is `block` alone has nothing to do for each thread.
static bool is_empty(const agpu__simt_loops *self, size_t block) {
  const agpu__simt_graph *graph = &self->graph;
  MlirOperation op = mlirBlockGetFirstOperation(graph->blocks[block]);
  if (agpu__op_is(op, "nvvm.barrier0") || agpu__op_is(op, "nvvm.barrier"))
    op = mlirOperationGetNextInBlock(op);
  MlirOperation end = mlirBlockGetTerminator(graph->blocks[block]);
  if (!mlirOperationEqual(op, end) || agpu__op_is(end, "llvm.unreachable"))
    return false;
  for (size_t e = graph->succ_first[block]; e < graph->succ_first[block + 1];
       ++e) {
    MlirBlock to = graph->blocks[graph->succs[e]];
    if (!begins_region(self, graph->succs[e]))
      return false;
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(to); ++i)
      if (!agpu__simt_in_skeleton(self, mlirBlockGetArgument(to, i)))
        return false;
  }
  return true;
}

static MlirBlock new_block(agpu__simt_loops *self, MlirType argument) {
  MlirBlock block = mlirTypeIsNull(argument)
                        ? mlirBlockCreate(0, NULL, NULL)
                        : mlirBlockCreate(1, &argument, &self->location);
  mlirRegionAppendOwnedBlock(self->body, block);
  return block;
}

/// Creates the loops of a region, but for the end of ^threads, which is left
/// open, and of ^after.
static void build_loops(agpu__simt_loops *self, agpu__simt_part *part) {
  MlirType i32 = agpu__i32_type(self->context), none = {NULL};
  agpu__builder at = agpu__builder_at_end(part->before, self->location);
  MlirValue zero = agpu__llvm_constant(&at, agpu__i32_attr(self->context, 0));
  MlirValue one = agpu__llvm_constant(&at, agpu__i32_attr(self->context, 1));
  MlirBlock headers[3], ends[3];
  for (int d = 2; d >= 0; --d) {
    headers[d] = new_block(self, i32);
    part->ids[d] = mlirBlockGetArgument(headers[d], 0);
  }
  part->threads = headers[0];
  part->latch = new_block(self, none);
  for (int d = 0; d < 3; ++d)
    ends[d] = new_block(self, none);
  part->after = ends[2];
  const MlirValue *size = self->ids + 3 * AGPU__SIMT_NTID;

  agpu__simt_branch(&at, headers[2], &zero, 1);
  at = agpu__builder_at_end(headers[2], self->location);
  agpu__simt_branch(&at, headers[1], &zero, 1);
  at = agpu__builder_at_end(headers[1], self->location);
  // The number of the row's first thread; below 1024.
  MlirValue planes = agpu__build_binary(&at, "llvm.mul", part->ids[2], size[1]);
  MlirValue rows = agpu__build_binary(&at, "llvm.add", part->ids[1], planes);
  MlirValue row = agpu__build_binary(&at, "llvm.mul", rows, size[0]);
  MlirType i64 = agpu__i64_type(self->context);
  row =
      agpu__result(agpu__build_op(&at, "llvm.zext", &row, 1, i64, NULL, 0), 0);
  agpu__simt_branch(&at, headers[0], &zero, 1);
  at = agpu__builder_at_end(headers[0], self->location);
  MlirValue column = agpu__result(
      agpu__build_op(&at, "llvm.zext", &part->ids[0], 1, i64, NULL, 0), 0);
  part->number = agpu__build_binary(&at, "llvm.add", row, column);

  MlirBlock latch = part->latch;
  for (int d = 0; d < 3; ++d) {
    at = agpu__builder_at_end(latch, self->location);
    agpu__simt_loop_latch(&at, headers[d], ends[d], part->ids[d], size[d], one,
                          d == 0 ? part->annotation : mlirAttributeGetNull());
    latch = ends[d];
  }
}

/// Appends the jump from `block` of the skeleton to the region that `branch`,
/// an llvm.br, leads to.
static void leave_by(agpu__simt_loops *self, MlirBlock block,
                     MlirOperation branch) {
  size_t to = agpu__simt_map_get(&self->graph.numbers,
                                 mlirOperationGetSuccessor(branch, 0).ptr);
  agpu__values values = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(branch); ++i)
    if (agpu__simt_in_skeleton(self,
                               mlirBlockGetArgument(self->graph.blocks[to], i)))
      agpu__values_push(&values, mlirOperationGetOperand(branch, i));
  agpu__builder at =
      agpu__builder_at_end(block, mlirOperationGetLocation(branch));
  agpu__simt_branch(&at, self->parts[to].before, values.data,
                    (intptr_t)values.count);
  agpu__values_free(&values);
}

/// Appends the exit of a region to ^after: `end` is one of the terminators
/// that lead to it, and is destroyed or moved.
static void leave(agpu__simt_loops *self, size_t block, agpu__simt_part *part,
                  MlirOperation end) {
  const agpu__simt_graph *graph = &self->graph;
  if (part->has_exit) {
    mlirOperationDestroy(end);
    return;
  }
  part->has_exit = true;
  if (agpu__op_is(end, "llvm.br")) {
    leave_by(self, part->after, end);
    mlirOperationDestroy(end);
    return;
  }
  for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(end); ++s)
    mlirOperationSetSuccessor(
        end, s,
        self->parts[graph->succs[graph->succ_first[block] + (size_t)s]].before);
  mlirOperationRemoveFromParent(end);
  mlirBlockAppendOwnedOperation(part->after, end);
  if (mlirOperationGetNumOperands(end) &&
      !agpu__simt_in_skeleton(self, mlirOperationGetOperand(end, 0))) {
    agpu__builder at = agpu__builder_before(end);
    mlirOperationSetOperand(
        end, 0,
        agpu__simt_load_first(self, &at, mlirOperationGetOperand(end, 0)));
  }
}

/// The llvm.br `end` leads to another region: stores the values that each
/// thread hands on.
static void hand_on(agpu__simt_loops *self, size_t block, MlirOperation end) {
  size_t to = self->graph.succs[self->graph.succ_first[block]];
  agpu__simt_part *part = &self->parts[self->regions.region[block]];
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i) {
    MlirValue argument = mlirBlockGetArgument(self->graph.blocks[to], i);
    if (agpu__simt_in_skeleton(self, argument))
      continue;
    agpu__builder at = agpu__builder_before(end);
    agpu__simt_store_slot(
        self, part, &at,
        agpu__simt_local(self, part, mlirOperationGetOperand(end, i)),
        argument);
  }
}

/// The next thread goes on. Once all have gone as far as the region leads, the
/// launch ends: none of them would know which threads are left.
static void end_thread(agpu__simt_loops *self, agpu__simt_part *part,
                       MlirOperation end) {
  agpu__builder at = agpu__builder_before(end);
  agpu__simt_branch(&at, part->latch, NULL, 0);
  mlirOperationDestroy(end);
  if (part->checks_assertions)
    return;
  part->checks_assertions = true;
  at = agpu__builder_at_start(part->after, self->location);
  agpu__simt_check_assertions(&at, self->host_module);
}

/// Rewrites the end of a block. What leaves the region goes to the latch.
static void rewrite_end(agpu__simt_loops *self, size_t block) {
  const agpu__simt_graph *graph = &self->graph;
  agpu__simt_part *part = &self->parts[self->regions.region[block]];
  MlirOperation end = mlirBlockGetTerminator(graph->blocks[block]);
  if (agpu__simt_ends_thread(end)) {
    end_thread(self, part, end);
    return;
  }
  bool jumps = agpu__op_is(end, "llvm.br");
  bool leaves =
      self->regions.cut[block] || agpu__op_is(end, "llvm.return") ||
      (jumps && begins_region(self, graph->succs[graph->succ_first[block]]));
  if (!leaves) {
    for (intptr_t s = 0; s < mlirOperationGetNumSuccessors(end); ++s) {
      size_t to = graph->succs[graph->succ_first[block] + (size_t)s];
      if (!begins_region(self, to))
        continue;
      mlirOperationSetSuccessor(end, s, part->latch);
      if (part->has_exit)
        continue;
      part->has_exit = true;
      agpu__builder at = agpu__builder_at_end(part->after, self->location);
      agpu__simt_branch(&at, self->parts[to].before, NULL, 0);
    }
    return;
  }
  if (jumps)
    hand_on(self, block, end);
  agpu__builder at = agpu__builder_before(end);
  at.block = graph->blocks[block];
  agpu__simt_branch(&at, part->latch, NULL, 0);
  leave(self, block, part, end);
}

/// An operand, and what it is to be.
typedef struct replacement {
  MlirOperation op;
  intptr_t operand;
  MlirValue by;
} replacement;

typedef struct replacements {
  replacement *data;
  size_t count, capacity;
} replacements;

static void replace_later(replacements *list, MlirOperation op,
                          intptr_t operand, MlirValue by) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 64;
    list->data = realloc(list->data, list->capacity * sizeof(*list->data));
    if (!list->data)
      abort();
  }
  list->data[list->count++] = (replacement){op, operand, by};
}

/// Finds what the ops of `block` take from elsewhere. Ops keep their operands
/// until this is done for all regions: some are copied to others.
static void find_operands(agpu__simt_loops *self, size_t block,
                          replacements *out) {
  agpu__simt_part *part = &self->parts[self->regions.region[block]];
  MlirOperation op = mlirBlockGetFirstOperation(self->graph.blocks[block]);
  while (!mlirOperationIsNull(op)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    // What the skeleton branches by is looked at there.
    bool decides = mlirOperationIsNull(next) && self->regions.cut[block] &&
                   !agpu__op_is(op, "llvm.br");
    if (agpu__simt_is_wait(op))
      mlirOperationDestroy(op);
    else if (!decides)
      for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
        MlirValue value = mlirOperationGetOperand(op, i);
        MlirValue local = agpu__simt_local(self, part, value);
        if (!mlirValueEqual(local, value))
          replace_later(out, op, i, local);
      }
    op = next;
  }
}

/// Gives the ops in regions the operands that they have there.
static void rewrite_operands(agpu__simt_loops *self) {
  replacements all = {0};
  for (size_t b = 0; b < self->graph.count; ++b)
    if (!self->parts[self->regions.region[b]].empty)
      find_operands(self, b, &all);
  for (size_t i = 0; i < all.count; ++i)
    mlirOperationSetOperand(all.data[i].op, all.data[i].operand,
                            all.data[i].by);
  free(all.data);
}

/// The parallel loop that a region is, if it is one, before it takes anything
/// from others.
static void mark_parallel(agpu__simt_loops *self, size_t first) {
  MlirBlock *blocks = calloc(self->graph.count + 1, sizeof(*blocks));
  if (!blocks)
    abort();
  size_t count = 0;
  for (size_t b = first; b < self->graph.count; ++b)
    if (self->regions.region[b] == first)
      blocks[count++] = self->graph.blocks[b];
  agpu__simt_part *part = &self->parts[first];
  part->annotation =
      agpu__simt_mark_parallel(blocks, count, &part->access_groups);
  free(blocks);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// Puts a block in front that has the parameters, for what is done once.
/// Replaces those of `self->ids` and of the thread.
static void move_parameters(agpu__simt_loops *self, MlirValue *context) {
  MlirBlock entry = self->graph.blocks[0];
  intptr_t count = mlirBlockGetNumArguments(entry);
  self->setup = mlirBlockCreate(0, NULL, NULL);
  mlirRegionInsertOwnedBlockBefore(self->body, entry, self->setup);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue old = mlirBlockGetArgument(entry, i);
    MlirValue parameter = mlirBlockAddArgument(
        self->setup, mlirValueGetType(old), self->location);
    mlirValueReplaceAllUsesOfWith(old, parameter);
    for (int k = 0; k < AGPU__SIMT_CONTEXT_COUNT; ++k)
      if (mlirValueEqual(context[k], old))
        context[k] = parameter;
    if (!agpu__simt_is_uniform(&self->uniform, old))
      agpu__simt_map_set(&self->uniform.varying, parameter.ptr, 1);
  }
  for (intptr_t i = count; i-- > 0;)
    mlirBlockEraseArgument(entry, (unsigned)i);
  self->ids = context;
}

/// Shared memory is reached through its two parameters alone, which speak of
/// different parts.
static void separate_shared(MlirOperation function) {
  MlirContext context = mlirOperationGetContext(function);
  intptr_t count = mlirLLVMFunctionTypeGetNumInputs(mlirTypeAttrGetValue(
      mlirOperationGetAttributeByName(function, agpu__str("function_type"))));
  MlirAttribute nothing = agpu__parse_attr(context, "{}");
  MlirAttribute *each = calloc((size_t)count, sizeof(*each));
  if (!each)
    abort();
  for (intptr_t i = 0; i < count; ++i)
    each[i] = nothing;
  each[count - 2] = each[count - 1] =
      agpu__parse_attr(context, "{llvm.noalias}");
  mlirOperationSetAttributeByName(function, agpu__str("arg_attrs"),
                                  mlirArrayAttrGet(context, count, each));
  free(each);
}

/// Makes the size of a block constant where the kernel says it is.
static void use_known_size(agpu__simt_loops *self, MlirAttribute known) {
  if (mlirAttributeIsNull(known))
    return;
  agpu__builder at = agpu__builder_at_end(self->setup, self->location);
  for (intptr_t d = 0; d < 3; ++d) {
    MlirValue *size = &self->ids[3 * AGPU__SIMT_NTID + d];
    MlirValue constant = agpu__llvm_constant(
        &at,
        agpu__i32_attr(self->context, mlirDenseI32ArrayGetElement(known, d)));
    mlirValueReplaceAllUsesOfWith(*size, constant);
    *size = constant;
  }
}

static void rewrite(agpu__simt_loops *self) {
  size_t count = self->graph.count;
  find_skeleton(self);
  for (size_t b = 0; b < count; ++b)
    if (begins_region(self, b))
      begin_region(self, b);
  for (size_t b = 0; b < count; ++b)
    hoist(self, b);
  agpu__simt_place_allocas(self);
  for (size_t b = 0; b < count; ++b) {
    agpu__simt_part *part = &self->parts[b];
    if (!begins_region(self, b))
      continue;
    part->empty = is_empty(self, b);
    part->after = part->before;
    if (part->empty)
      continue;
    mark_parallel(self, b);
    build_loops(self, part);
  }
  for (size_t b = 0; b < count; ++b) {
    agpu__simt_part *part = &self->parts[self->regions.region[b]];
    if (part->empty)
      leave(self, b, part, mlirBlockGetTerminator(self->graph.blocks[b]));
  }
  rewrite_operands(self);
  for (size_t b = 0; b < count; ++b)
    if (!self->parts[self->regions.region[b]].empty)
      rewrite_end(self, b);
  for (size_t b = 0; b < count; ++b) {
    agpu__simt_part *part = &self->parts[b];
    MlirBlock block = self->graph.blocks[b];
    if (!begins_region(self, b))
      continue;
    if (!part->empty) {
      agpu__builder at = agpu__builder_at_end(part->threads, self->location);
      agpu__simt_branch(&at, block, NULL, 0);
      if (!part->has_exit) {
        at = agpu__builder_at_end(part->after, self->location);
        agpu__build_op(&at, "llvm.unreachable", NULL, 0, (MlirType){NULL}, NULL,
                       0);
      }
    }
    for (intptr_t i = mlirBlockGetNumArguments(block); i-- > 0;)
      mlirBlockEraseArgument(block, (unsigned)i);
    if (part->empty) {
      mlirBlockDetach(block);
      mlirBlockDestroy(block);
    }
  }
  agpu__simt_drop_allocas(self);
  agpu__builder at = agpu__builder_at_end(self->setup, self->location);
  agpu__simt_branch(&at, self->parts[0].before, NULL, 0);
}

/// The regions, with the loops of the kernel's own split if that is possible.
static bool divide(agpu__simt_loops *self) {
  return agpu__simt_regions_create(&self->graph, &self->uniform, true,
                                   &self->regions) ||
         agpu__simt_regions_create(&self->graph, &self->uniform, false,
                                   &self->regions);
}

bool agpu__simt_make_loops(MlirOperation function, MlirValue *context,
                           MlirAttribute size, MlirOperation host_module) {
  if (!can_be_loops(function))
    return false;
  normalize(function);
  MlirRegion body = mlirOperationGetRegion(function, 0);
  agpu__simt_loops self = {.context = mlirOperationGetContext(function),
                           .location = mlirOperationGetLocation(function),
                           .host_module = host_module,
                           .body = body};
  if (!agpu__simt_graph_create(mlirRegionGetFirstBlock(body), &self.graph))
    return false;
  agpu__simt_uniform_create(&self.graph, context + 3 * AGPU__SIMT_TID, 3,
                            &self.uniform);
  bool divided = divide(&self);
  if (divided) {
    self.parts = calloc(self.graph.count, sizeof(*self.parts));
    if (!self.parts)
      abort();
    move_parameters(&self, context);
    use_known_size(&self, size);
    separate_shared(function);
    rewrite(&self);
    for (size_t b = 0; b < self.graph.count; ++b)
      agpu__simt_map_free(&self.parts[b].locals);
    free(self.parts);
    agpu__simt_regions_free(&self.regions);
    agpu__simt_slots_free(&self);
    agpu__simt_map_free(&self.not_in_skeleton);
  }
  agpu__simt_uniform_free(&self.uniform);
  agpu__simt_graph_free(&self.graph);
  return divided;
}
