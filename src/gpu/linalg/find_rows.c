//===- find_rows.c - Which ops of linalg are over the same rows -----------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Begins at a reduction along the last loop, and goes back and forth as long as
// ops are over the same rows, and read what the others read or give. All will
// run where the first of them stands: in between there is nothing but views,
// allocations, memory that is freed, and what reductions begin with. Loops of
// one iteration do not count, and views of other shapes are seen through.
//
//===----------------------------------------------------------------------===//

#include "gpu/linalg/linalg.h"

#include "mlir-c/AffineExpr.h"

#include <stdlib.h>

/// Elements of a row at least: reductions of less stay in their order.
enum { LEAST_GPU = 32, LEAST_EMU = 8 };

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

/// The loops of the op that have more than one iteration; -1 where a size is
/// not known.
static intptr_t wide_loops(const agpu__linalg_op *op,
                           intptr_t loops[AGPU_LINALG_LOOPS]) {
  intptr_t count = 0;
  for (intptr_t i = 0; i < op->loop_count; ++i) {
    if (op->sizes[i] < 0)
      return -1;
    if (op->sizes[i] != 1)
      loops[count++] = i;
  }
  return count;
}

/// True if the loops of `op` are those of the chain, or those over rows; then
/// `out_loops` are its own ones.
static bool has_loops(const agpu__row_chain *chain, const agpu__linalg_op *op,
                      intptr_t out_loops[AGPU_LINALG_LOOPS],
                      bool *out_along_row) {
  intptr_t count = wide_loops(op, out_loops);
  intptr_t all = chain->whole.loop_count;
  if (count != all && count + 1 != all)
    return false;
  for (intptr_t i = 0; i < count; ++i)
    if (op->sizes[out_loops[i]] != chain->whole.sizes[i])
      return false;
  *out_along_row = count == all;
  return true;
}

/// `map` of the op's loops, by those of the chain.
static MlirAffineMap by_chain(const agpu__row_chain *chain,
                              const agpu__linalg_op *op, MlirAffineMap map) {
  MlirContext context = mlirAffineMapGetContext(map);
  MlirAffineExpr loops[AGPU_LINALG_LOOPS];
  intptr_t next = 0;
  for (intptr_t i = 0; i < op->loop_count; ++i)
    loops[i] = op->sizes[i] == 1 ? mlirAffineConstantExprGet(context, 0)
                                 : mlirAffineDimExprGet(context, next++);
  MlirAffineMap outer = mlirAffineMapGet(context, chain->whole.loop_count, 0,
                                         op->loop_count, loops);
  MlirAffineExpr exprs[AGPU_LINALG_LOOPS];
  intptr_t count = mlirAffineMapGetNumResults(map);
  for (intptr_t i = 0; i < count; ++i)
    exprs[i] = mlirAffineExprCompose(mlirAffineMapGetResult(map, i), outer);
  return mlirAffineMapGet(context, chain->whole.loop_count, 0, count, exprs);
}

/// True if a row's elements are neighbours in operand `index` of the op, or it
/// has one of them for each row.
static bool fits_rows(const agpu__row_chain *chain, const agpu__linalg_op *op,
                      intptr_t index) {
  agpu__linalg_operand seen = op->operands[index];
  intptr_t column = chain->whole.loop_count - 1;
  if (mlirAffineMapGetNumResults(seen.map) > AGPU_LINALG_LOOPS)
    return false;
  seen.map = by_chain(chain, op, seen.map);
  return !seen.is_memref || !agpu__linalg_is_indexed_by(&seen, column) ||
         agpu__linalg_has_neighbours(&seen, column);
}

/// Reads an op as one of the chain.
static bool read_op(const agpu__row_chain *chain, MlirOperation op,
                    agpu__row_op *out) {
  intptr_t loops[AGPU_LINALG_LOOPS];
  bool along_row;
  if (!agpu__op_is(op, "linalg.generic") || !agpu__linalg_read(op, &out->op) ||
      out->op.operand_count != out->op.input_count + 1 ||
      !agpu__linalg_has_plain_body(op, false) ||
      !has_loops(chain, &out->op, loops, &along_row))
    return false;
  for (intptr_t i = 0; i < out->op.operand_count; ++i)
    if (!fits_rows(chain, &out->op, i))
      return false;
  intptr_t reductions = 0;
  for (intptr_t i = 0; i < out->op.loop_count; ++i)
    reductions += out->op.is_reduction[i] && out->op.sizes[i] != 1;
  out->start = out->to = -1;
  out->phase = 0;
  out->how = NULL;
  out->kind = along_row ? AGPU__ROW_POINTWISE : AGPU__ROW_NUMBER;
  if (!reductions)
    return agpu__linalg_is_pointwise(op);
  out->kind = AGPU__ROW_REDUCTION;
  if (!along_row || reductions != 1 ||
      !out->op.is_reduction[loops[chain->whole.loop_count - 1]])
    return false;
  out->how = agpu__linalg_combiner(&out->op);
  AGPU__OWNED char *type =
      agpu__linalg_element(&out->op.operands[out->op.input_count]);
  char *neutral = out->how ? agpu__neutral_text(out->how, type) : NULL;
  free(neutral);
  return neutral != NULL;
}

/// What the memory of `memref` is allocated as, or is known as from outside:
/// views of all of it, of other shapes, are seen through.
static MlirValue root_of(MlirValue memref) { return agpu__view_source(memref); }

static MlirValue output_of(const agpu__row_op *op) {
  return op->op.operands[op->op.input_count].value;
}

/// The op of the chain that writes memory of `root`; -1: none does.
static intptr_t find_writer(const agpu__row_chain *chain, MlirValue root) {
  for (intptr_t i = 0; i < chain->count; ++i)
    if (mlirValueEqual(root_of(output_of(&chain->ops[i])), root))
      return i;
  return -1;
}

/// True if an op of the chain reads memory of `root`.
static bool is_read(const agpu__row_chain *chain, MlirValue root) {
  for (intptr_t i = 0; i < chain->count; ++i)
    for (intptr_t k = 0; k < chain->ops[i].op.input_count; ++k) {
      const agpu__linalg_operand *operand = &chain->ops[i].op.operands[k];
      if (operand->is_memref && mlirValueEqual(root_of(operand->value), root))
        return true;
    }
  return false;
}

/// True if the op reads what the chain reads or writes.
static bool is_linked(const agpu__row_chain *chain, const agpu__row_op *op) {
  for (intptr_t i = 0; i < op->op.input_count; ++i) {
    MlirValue root = root_of(op->op.operands[i].value);
    if (op->op.operands[i].is_memref &&
        (find_writer(chain, root) >= 0 || is_read(chain, root)))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The ops that stand together
//===----------------------------------------------------------------------===//

/// True if `op` puts something into all of the memory that it writes, as what a
/// reduction begins with is.
static bool is_any_start(MlirOperation op) {
  intptr_t count = mlirOperationGetNumOperands(op);
  MlirValue value;
  MlirAffineMap map;
  return count && agpu__is_memref(mlirOperationGetOperand(op, count - 1)) &&
         agpu__linalg_is_start(op, mlirOperationGetOperand(op, count - 1),
                               &value, &map);
}

/// True if ops of the chain may stand on both sides of `op`.
static bool is_passed(MlirOperation op) {
  return agpu__linalg_touches_nothing(op) ||
         agpu__op_is(op, "memref.dealloc") || is_any_start(op);
}

/// Puts the op at the front or the end of the chain.
static void push(agpu__row_chain *chain, const agpu__row_op *op, bool front) {
  if (front)
    memmove(chain->ops + 1, chain->ops,
            (size_t)chain->count * sizeof(*chain->ops));
  chain->ops[front ? 0 : chain->count] = *op;
  ++chain->count;
}

/// Goes back from the reduction, to ops that give what is read, and forth.
/// `all` ops of the function before `index` are there if they are not gone.
static void collect(agpu__row_chain *chain, const agpu__linalg_op *all,
                    size_t index, const agpu__map *fused) {
  MlirOperation reduction = all[index].op;
  MlirBlock block = mlirOperationGetBlock(reduction);
  MlirOperation first = reduction;
  for (size_t i = index; i-- > 0 && index - i <= AGPU__ROW_SEEN;) {
    if (agpu__map_get(fused, all[i].op.ptr) == AGPU__ROW_GONE)
      continue;
    if (!mlirBlockEqual(mlirOperationGetBlock(all[i].op), block))
      break;
    first = all[i].op;
  }
  AGPU__SCOPED(ops) before = {0};
  for (MlirOperation at = first; !mlirOperationEqual(at, reduction);
       at = mlirOperationGetNextInBlock(at))
    agpu__ops_push(&before, at);
  AGPU__OWNED agpu__row_op *next = agpu__allocate(1, sizeof(*next));
  for (size_t i = before.count; i-- > 0 && chain->count < AGPU__ROW_OPS;) {
    MlirOperation at = before.data[i];
    if (!agpu__linalg_is_fused(fused, at) && read_op(chain, at, next) &&
        next->kind != AGPU__ROW_REDUCTION &&
        is_read(chain, root_of(output_of(next))))
      push(chain, next, true);
    else if (!is_passed(at))
      break;
  }
  MlirOperation at = reduction;
  while (chain->count < AGPU__ROW_OPS) {
    at = mlirOperationGetNextInBlock(at);
    if (mlirOperationIsNull(at))
      break;
    if (!agpu__linalg_is_fused(fused, at) && read_op(chain, at, next) &&
        is_linked(chain, next))
      push(chain, next, false);
    else if (!is_passed(at))
      break;
  }
}

//===----------------------------------------------------------------------===//
// What they read and write
//===----------------------------------------------------------------------===//

/// True if `memref` is all of the memory of its root, in another shape at most.
static bool is_whole(MlirValue memref) {
  for (;;) {
    if (!mlirAffineMapIsIdentity(
            mlirMemRefTypeGetAffineMap(mlirValueGetType(memref))))
      return false;
    if (!mlirValueIsAOpResult(memref))
      return true;
    MlirOperation op = mlirOpResultGetOwner(memref);
    if (!agpu__op_is_any(op, "memref.expand_shape memref.collapse_shape"))
      return !agpu__is_view(op);
    memref = mlirOperationGetOperand(op, 0);
  }
}

/// The place of an operand's element in its memory, as multiples of the chain's
/// loops and a number. False where it is not of this form.
static bool place_of(const agpu__linalg_operand *operand,
                     int64_t out[AGPU_LINALG_LOOPS + 1]) {
  memset(out, 0, (AGPU_LINALG_LOOPS + 1) * sizeof(*out));
  if (!operand->is_memref || !is_whole(operand->value))
    return false;
  MlirType type = mlirValueGetType(operand->value);
  int64_t stride = 1;
  for (intptr_t i = mlirAffineMapGetNumResults(operand->map); i-- > 0;) {
    MlirAffineExpr expr = mlirAffineMapGetResult(operand->map, i);
    if (mlirAffineExprIsADim(expr))
      out[mlirAffineDimExprGetPosition(expr)] += stride;
    else if (mlirAffineExprIsAConstant(expr))
      out[AGPU_LINALG_LOOPS] += stride * mlirAffineConstantExprGetValue(expr);
    else
      return false;
    if (mlirShapedTypeIsDynamicDim(type, i))
      return false;
    stride *= mlirShapedTypeGetDimSize(type, i);
  }
  return true;
}

/// True if both are the same element of the same memory in each iteration.
static bool is_same_place(const agpu__linalg_operand *a,
                          const agpu__linalg_operand *b) {
  int64_t first[AGPU_LINALG_LOOPS + 1], second[AGPU_LINALG_LOOPS + 1];
  return mlirValueEqual(root_of(a->value), root_of(b->value)) &&
         place_of(a, first) && place_of(b, second) &&
         !memcmp(first, second, sizeof(first));
}

/// The operand of an op of the chain, by the chain's loops.
static agpu__linalg_operand operand_of(const agpu__row_chain *chain,
                                       const agpu__linalg_op *op,
                                       intptr_t index) {
  agpu__linalg_operand operand = op->operands[index];
  operand.map = by_chain(chain, op, operand.map);
  return operand;
}

/// The chain's operand that this one of an op is, an earlier one where it is
/// the same.
static intptr_t add_operand(agpu__row_chain *chain, const agpu__linalg_op *op,
                            intptr_t index) {
  agpu__linalg_op *whole = &chain->whole;
  agpu__linalg_operand operand = operand_of(chain, op, index);
  for (intptr_t i = 0; i < whole->all_count; ++i)
    if (mlirValueEqual(whole->operands[i].value, operand.value)
            ? mlirAffineMapEqual(whole->operands[i].map, operand.map)
            : operand.is_memref && whole->operands[i].is_memref &&
                  is_same_place(&whole->operands[i], &operand))
      return i;
  whole->operands[whole->all_count] = operand;
  return whole->all_count++;
}

/// True if the chain may read this operand where its first op stands.
static bool is_from_outside(const agpu__row_chain *chain, MlirValue value) {
  return !agpu__is_memref(value) || (agpu__linalg_is_known(root_of(value)) &&
                                     find_writer(chain, root_of(value)) < 0);
}

/// Finds where the inputs of op `index` come from, and its phase.
static bool resolve_inputs(agpu__row_chain *chain, intptr_t index) {
  agpu__row_op *self = &chain->ops[index];
  for (intptr_t i = 0; i < self->op.input_count; ++i) {
    const agpu__linalg_operand *operand = &self->op.operands[i];
    intptr_t writer =
        operand->is_memref ? find_writer(chain, root_of(operand->value)) : -1;
    if (writer < 0) {
      if (!is_from_outside(chain, operand->value))
        return false;
      self->from[i] = add_operand(chain, &self->op, i);
      continue;
    }
    if (writer >= index)
      return false;
    const agpu__row_op *other = &chain->ops[writer];
    agpu__linalg_operand read = operand_of(chain, &self->op, i);
    agpu__linalg_operand written =
        operand_of(chain, &other->op, other->op.input_count);
    if (!is_same_place(&written, &read))
      return false;
    int phase = other->phase + (other->kind == AGPU__ROW_REDUCTION);
    self->from[i] = -1 - writer;
    self->phase = phase > self->phase ? phase : self->phase;
  }
  return true;
}

/// Finds what a reduction begins with.
static bool resolve_start(agpu__row_chain *chain, intptr_t index,
                          agpu__map *fused) {
  agpu__row_op *self = &chain->ops[index];
  intptr_t output = self->op.input_count;
  if (!agpu__linalg_find_start(&self->op, output, false, fused))
    return false;
  intptr_t start = self->op.starts[output];
  if (!is_from_outside(chain, self->op.operands[start].value))
    return false;
  self->start = add_operand(chain, &self->op, start);
  return true;
}

static bool is_op_of(const agpu__row_chain *chain, MlirOperation op) {
  for (intptr_t i = 0; i < chain->count; ++i) {
    const agpu__linalg_op *own = &chain->ops[i].op;
    if (mlirOperationEqual(own->op, op) ||
        (!mlirOperationIsNull(own->start_ops[own->input_count]) &&
         mlirOperationEqual(own->start_ops[own->input_count], op)))
      return true;
  }
  return false;
}

/// True if ops besides the chain's use `memref`, or a view of it, and do not
/// just free it.
static bool is_used_outside(const agpu__row_chain *chain, MlirValue memref) {
  AGPU__USES_FOREACH (use, memref) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (agpu__op_is_any(user, "memref.expand_shape memref.collapse_shape")) {
      if (is_used_outside(chain, agpu__result(user, 0)))
        return true;
    } else if (!is_op_of(chain, user) && !agpu__op_is(user, "memref.dealloc"))
      return true;
  }
  return false;
}

/// Finds what the op's result is stored in, if other ops read it.
static bool resolve_output(agpu__row_chain *chain, intptr_t index) {
  agpu__row_op *self = &chain->ops[index];
  MlirValue output = output_of(self), root = root_of(output);
  if (!agpu__linalg_is_allocated(root) || find_writer(chain, root) != index)
    return false;
  if (is_used_outside(chain, root))
    self->to = add_operand(chain, &self->op, self->op.input_count);
  return true;
}

/// True if the kernel reads or writes memory of `root`.
static bool is_operand(const agpu__row_chain *chain, MlirValue root) {
  for (intptr_t i = 0; i < chain->whole.all_count; ++i) {
    const agpu__linalg_operand *operand = &chain->whole.operands[i];
    if (operand->is_memref && mlirValueEqual(root_of(operand->value), root))
      return true;
  }
  return false;
}

/// True if what stands between the chain's ops may run after all of them.
static bool may_follow(const agpu__row_chain *chain, const agpu__map *fused) {
  MlirOperation at = chain->ops[0].op.op;
  MlirOperation last = chain->ops[chain->count - 1].op.op;
  for (; !mlirOperationEqual(at, last); at = mlirOperationGetNextInBlock(at)) {
    if (is_op_of(chain, at) || agpu__linalg_is_fused(fused, at) ||
        agpu__linalg_touches_nothing(at) || agpu__op_is(at, "memref.dealloc"))
      continue;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(at); ++i) {
      MlirValue value = mlirOperationGetOperand(at, i);
      if (!agpu__is_memref(value))
        continue;
      MlirValue root = root_of(value);
      bool writes = agpu__writes_operand(at, i);
      if (!agpu__linalg_is_known(root) || find_writer(chain, root) >= 0 ||
          (writes &&
           (is_operand(chain, root) || !agpu__linalg_is_allocated(root))))
        return false;
    }
  }
  return true;
}

static bool resolve(agpu__row_chain *chain, agpu__map *fused) {
  intptr_t inputs = 0;
  for (intptr_t i = 0; i < chain->count; ++i)
    inputs += chain->ops[i].op.operand_count + 1;
  if (inputs > AGPU_LINALG_ALL_OPERANDS)
    return false;
  for (intptr_t i = 0; i < chain->count; ++i)
    if (!resolve_inputs(chain, i) ||
        (chain->ops[i].kind == AGPU__ROW_REDUCTION &&
         !resolve_start(chain, i, fused)))
      return false;
  for (intptr_t i = 0; i < chain->count; ++i)
    if (!resolve_output(chain, i))
      return false;
  return may_follow(chain, fused);
}

/// Takes the reductions' beginnings out of `fused`.
static void forget(agpu__row_chain *chain, agpu__map *fused) {
  for (intptr_t i = 0; i < chain->count; ++i) {
    MlirOperation start =
        chain->ops[i].op.start_ops[chain->ops[i].op.input_count];
    if (!mlirOperationIsNull(start))
      agpu__map_set(fused, start.ptr, AGPU__MAP_NONE);
  }
}

/// The chain's loops, by those of `reduction`.
static bool read_rows(const agpu__linalg_op *reduction, bool for_emu,
                      agpu__row_chain *out) {
  intptr_t loops[AGPU_LINALG_LOOPS];
  intptr_t count = wide_loops(reduction, loops);
  if (count <= 0 || !reduction->is_reduction[loops[count - 1]])
    return false;
  int64_t row = reduction->sizes[loops[count - 1]];
  if (row > AGPU__ROW_ELEMENTS || row < (for_emu ? LEAST_EMU : LEAST_GPU))
    return false;
  out->whole.loop_count = count;
  for (intptr_t i = 0; i < count; ++i)
    out->whole.sizes[i] = reduction->sizes[loops[i]];
  return true;
}

void agpu__linalg_find_rows(const agpu__linalg_op *all, size_t index,
                            bool for_emu, agpu__map *fused,
                            agpu__row_chain *out) {
  const agpu__linalg_op *reduction = &all[index];
  *out = (agpu__row_chain){.whole = {.op = reduction->op}};
  if (!read_rows(reduction, for_emu, out))
    return;
  out->ops = agpu__allocate(AGPU__ROW_OPS, sizeof(*out->ops));
  if (!read_op(out, reduction->op, &out->ops[0]) ||
      out->ops[0].kind != AGPU__ROW_REDUCTION)
    return;
  out->count = 1;
  collect(out, all, index, fused);
  intptr_t along_rows = 0;
  for (intptr_t i = 0; i < out->count; ++i)
    along_rows += out->ops[i].kind != AGPU__ROW_NUMBER;
  if (along_rows < 2 || !resolve(out, fused)) {
    forget(out, fused);
    out->count = 0;
  }
}
