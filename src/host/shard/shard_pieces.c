//===- shard_pieces.c - Messages in pieces --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What all ranks reduce, gather or scatter is cut along a dimension of which
// each rank has all, and that the ops in front and behind work through: each
// piece of it begins when its rows have been computed, and the next op begins
// with the rows that have come.
//
//   %p = linalg.matmul              %p0 = linalg.matmul of the first rows
//   %s = sum of %p over all ranks   %s0 = sum of %p0 over all ranks
//   %q = linalg.matmul of %s        %p1, %s1: the same of the others
//                                   %q0 = linalg.matmul of %s0, in rows of %q
//                                   %q1: the same of %s1
//
// The chain goes on as long as each op is the only user of the one before, and
// works through the rows by a parallel loop. Pieces follow each other up to
// each message, and what comes behind it stands behind the last of them: what a
// piece waits for is under way while others are computed.
//
// This works on what the rest of the pass leaves: types are those of parts, and
// a message is a call. Each piece has a communicator of its own, as any call.
//
//===----------------------------------------------------------------------===//

#include "host/shard/shard_parts.h"
#include "lower/dialect/attributes.h"
#include "lower/pass/diagnostics.h"

#include <stdlib.h>

/// A piece costs another message and another kernel of each op, and its kernels
/// are less efficient: with fewer elements in each that is more than what a
/// fast network takes for them (bench/scaling_ranks.py).
#define PIECE_ELEMENTS (1 << 17)
#define MOST_PIECES 4

typedef struct step {
  MlirOperation op; ///< of linalg, or the call of all ranks
  MlirValue result;
  intptr_t dim;            ///< of the result: what is cut
  const char *message;     ///< what it is called, or NULL: it is of linalg
  agpu__shard_loops loops; ///< of linalg
  int loop;                ///< that works through the dimension
  intptr_t operand;        ///< the result of the step before
} step;

typedef struct chain {
  step *steps;
  size_t count, capacity;
  int64_t size; ///< of the dimension, in all steps
} chain;

static void push(chain *self, step added) {
  self->steps = agpu__grow(self->steps, self->count, &self->capacity,
                           sizeof(*self->steps));
  self->steps[self->count++] = added;
}

//===----------------------------------------------------------------------===//
// What can be cut
//===----------------------------------------------------------------------===//

/// True if iterations of the loop can be computed apart from each other.
static bool is_free(const agpu__shard_loops *loops, int loop) {
  if (!loops->is_parallel[loop] || mlirOperationGetNumResults(loops->op) != 1 ||
      agpu__shard_uses_index(loops->op, loop))
    return false;
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(loops->op); ++k)
    for (intptr_t i = 0; i < agpu__shard_subscript_count(loops, k); ++i) {
      agpu__subscript at = agpu__shard_subscript(loops, k, i);
      if (at.loop < 0 || at.window == loop ||
          (at.loop == loop && !agpu__subscript_is_plain(&at)))
        return false;
    }
  return true;
}

static bool is_static(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type) &&
         mlirShapedTypeGetRank(type) <= AGPU__SHARD_RANK;
}

/// Adds the op, which works through the dimension of its operand. False: it
/// does not, or needs more than that piece of it.
static bool push_linalg(agpu__shard *self, chain *to, MlirOperation op,
                        intptr_t operand, intptr_t dim) {
  step made = {.op = op, .operand = operand, .dim = -1};
  if (!agpu__shard_loops_read(self, op, &made.loops) ||
      operand >= made.loops.inputs)
    return false;
  agpu__subscript at = agpu__shard_subscript(&made.loops, operand, dim);
  made.loop = at.loop;
  if (!agpu__subscript_is_plain(&at) || !is_free(&made.loops, at.loop))
    return false;
  intptr_t target = made.loops.inputs;
  for (intptr_t i = 0; i < agpu__shard_subscript_count(&made.loops, target);
       ++i)
    if (agpu__shard_subscript(&made.loops, target, i).loop == at.loop)
      made.dim = i;
  made.result = agpu__result(op, 0);
  if (made.dim < 0 ||
      mlirShapedTypeIsDynamicDim(mlirValueGetType(made.result), made.dim))
    return false;
  push(to, made);
  return true;
}

/// What a call is in messages by which ranks reduce a tensor, or get elements
/// of it from each other, but of their own indices in dimension `dim`; NULL: it
/// is no such call. (Of a halo it depends on the rank what comes.) With `dim`
/// -1 any dimension will do.
static const char *message_of(agpu__shard *self, MlirOperation call,
                              intptr_t dim) {
  if (!agpu__op_is(call, "func.call"))
    return NULL;
  MlirOperation callee = agpu__find_callee(self->symbols, call);
  MlirAttribute numbers = mlirOperationIsNull(callee)
                              ? (MlirAttribute){NULL}
                              : agpu__attr(callee, AGPU__SHARD_NUMBERS_ATTR);
  if (mlirAttributeIsNull(numbers))
    return NULL;
  MlirStringRef op = agpu__get_string(callee, AGPU__SHARD_OP_ATTR);
  bool reduces = mlirStringRefEqual(op, agpu__str("reduce"));
  if (!reduces && !mlirStringRefEqual(op, agpu__str("exchange")))
    return NULL;
  // Dimensions in which ranks have parts.
  int64_t from = mlirDenseI64ArrayGetElement(numbers, 1);
  int64_t to = reduces ? -1 : mlirDenseI64ArrayGetElement(numbers, 7);
  if (dim >= 0 && (from == dim || to == dim))
    return NULL;
  if (reduces)
    return from < 0 ? "shard.all_reduce" : "shard.reduce_scatter";
  switch (mlirDenseI64ArrayGetElement(numbers, 0)) {
  case AGPU_MPI_ALL_GATHER: return "shard.all_gather";
  case AGPU_MPI_ALL_TO_ALL: return "shard.all_to_all";
  default: return NULL;
  }
}

/// The tensor that a call fills the memory of.
static MlirValue result_of(MlirOperation call) {
  MlirValue memory = mlirOperationGetOperand(call, 1);
  MlirOpOperand use = mlirValueGetFirstUse(memory);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (agpu__op_is(mlirOpOperandGetOwner(use), "bufferization.to_tensor"))
      return agpu__result(mlirOpOperandGetOwner(use), 0);
  return (MlirValue){NULL};
}

/// The only op that uses the value, in the same block, by one operand, which is
/// `*out_operand`; null: there is none.
static MlirOperation only_user(MlirValue value, intptr_t *out_operand) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  if (mlirOpOperandIsNull(use) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return (MlirOperation){NULL};
  MlirOperation user = mlirOpOperandGetOwner(use);
  *out_operand = mlirOpOperandGetOperandNumber(use);
  return mlirBlockEqual(mlirOperationGetBlock(user),
                        mlirOperationGetBlock(agpu__maker_of(value)))
             ? user
             : (MlirOperation){NULL};
}

/// What follows the last step: one more, or false.
static bool push_next(agpu__shard *self, chain *to) {
  step last = to->steps[to->count - 1];
  intptr_t operand;
  MlirOperation user = only_user(last.result, &operand);
  if (mlirOperationIsNull(user))
    return false;
  const char *message = message_of(self, user, last.dim);
  if (!message)
    return push_linalg(self, to, user, operand, last.dim);
  MlirValue result = result_of(user);
  if (mlirValueIsNull(result) || !is_static(result))
    return false;
  push(to,
       (step){
           .op = user, .result = result, .dim = last.dim, .message = message});
  return true;
}

/// The chain from the op that computes what the first message sends, cut along
/// dimension `dim` of that. False: nothing behind the message works through it.
static bool find_chain(agpu__shard *self, const agpu__shard_loops *loops,
                       intptr_t dim, chain *out) {
  step first = {.op = loops->op,
                .result = agpu__result(loops->op, 0),
                .dim = dim,
                .loops = *loops,
                .operand = -1};
  agpu__subscript at = agpu__shard_subscript(loops, loops->inputs, dim);
  first.loop = at.loop;
  if (!agpu__subscript_is_plain(&at) || !is_free(loops, at.loop))
    return false;
  out->count = 0;
  out->size = mlirShapedTypeGetDimSize(mlirValueGetType(first.result), dim);
  push(out, first);
  while (push_next(self, out))
    ;
  // What ends with a message has nobody who would begin with a piece of it.
  while (out->count && out->steps[out->count - 1].message)
    --out->count;
  return out->count > 2;
}

//===----------------------------------------------------------------------===//
// Where it is worth it
//===----------------------------------------------------------------------===//

/// Iterations of the op; negative: not known.
static int64_t iterations_of(const agpu__shard_loops *loops) {
  int64_t sizes[AGPU__SHARD_LOOPS], all = 1;
  for (int i = 0; i < loops->count; ++i)
    sizes[i] = -1;
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(loops->op); ++k)
    for (intptr_t i = 0; i < agpu__shard_subscript_count(loops, k); ++i) {
      agpu__subscript at = agpu__shard_subscript(loops, k, i);
      MlirType type = mlirValueGetType(mlirOperationGetOperand(loops->op, k));
      if (agpu__subscript_is_plain(&at) && !mlirShapedTypeIsDynamicDim(type, i))
        sizes[at.loop] = mlirShapedTypeGetDimSize(type, i);
    }
  for (int i = 0; i < loops->count; ++i)
    if (sizes[i] < 0 || __builtin_mul_overflow(all, sizes[i], &all))
      return -1;
  return all;
}

/// Elements of a tensor or memory; negative: not known.
static int64_t count_elements(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  int64_t all = 1;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    if (mlirShapedTypeIsDynamicDim(type, i) ||
        __builtin_mul_overflow(all, mlirShapedTypeGetDimSize(type, i), &all))
      return -1;
  return all;
}

/// How many pieces are worth it of what an op computes and the call sends; 1:
/// it stays whole.
static int64_t pieces_of(const agpu__shard *self,
                         const agpu__shard_loops *loops, MlirOperation call) {
  if (self->pieces)
    return self->pieces;
  // Of a reduction what goes in, of others what comes out.
  int64_t sent = count_elements(mlirOperationGetOperand(call, 0));
  int64_t come = count_elements(mlirOperationGetOperand(call, 1));
  int64_t pieces = (sent > come ? sent : come) / PIECE_ELEMENTS;
  if (pieces < 2 || iterations_of(loops) < AGPU__SHARD_WORTH_ITERATIONS)
    return 1;
  return pieces < MOST_PIECES ? pieces : MOST_PIECES;
}

//===----------------------------------------------------------------------===//
// Cutting
//===----------------------------------------------------------------------===//

/// Memory like that which an op begins with: a number, or nothing. Null: it
/// begins with something else.
static MlirValue build_begin(agpu__builder *at, MlirValue begin,
                             MlirType type) {
  MlirOperation fill;
  MlirOperation empty = agpu__maker_of(agpu__shard_target_of(begin, &fill));
  if (!agpu__op_is(empty, "tensor.empty"))
    return (MlirValue){NULL};
  AGPU__SCOPED(values) sizes = agpu__operands(empty, 0);
  MlirValue made =
      agpu__build_value(at, "tensor.empty", sizes.data, sizes.count, type);
  return mlirOperationIsNull(fill) ? made
                                   : agpu__shard_fill_like(at, fill, made);
}

/// Computes a piece of a step from that of the step before. The last step's go
/// into `*into`.
static MlirValue compute(agpu__builder *at, const step *of, MlirValue before,
                         int64_t begin, int64_t size, MlirValue *into,
                         MlirOperation fill) {
  MlirOperation made = mlirOperationClone(of->op);
  MlirValue indices[AGPU__SHARD_RANK];
  for (intptr_t k = 0; k < mlirOperationGetNumOperands(made); ++k) {
    MlirValue value = mlirOperationGetOperand(made, k);
    bool is_result = k == of->loops.inputs;
    if (k == of->operand) {
      mlirOperationSetOperand(made, k, before);
      continue;
    }
    MlirValue own = {NULL};
    if (is_result && into)
      value = *into;
    else if (is_result)
      own = build_begin(
          at, value,
          agpu__shard_resized(mlirValueGetType(value), of->dim, size));
    for (intptr_t i = 0; i < agpu__shard_subscript_count(&of->loops, k); ++i) {
      bool is_cut = agpu__shard_subscript(&of->loops, k, i).loop == of->loop;
      if (is_result)
        indices[i] = agpu__index_constant(at, is_cut ? begin : 0);
      if (is_cut && mlirValueIsNull(own))
        value = agpu__shard_take(at, value, i, begin, size);
    }
    if (!mlirValueIsNull(own))
      value = own;
    if (is_result && into && !mlirOperationIsNull(fill))
      value = agpu__shard_fill_like(at, fill, value);
    mlirOperationSetOperand(made, k, value);
    if (is_result)
      mlirValueSetType(agpu__result(made, 0), mlirValueGetType(value));
  }
  mlirBlockInsertOwnedOperationBefore(at->block, at->before, made);
  MlirValue result = agpu__result(made, 0);
  if (into)
    *into = agpu__shard_insert(at, result, *into, indices);
  return result;
}

/// Removes a step, whose result has no users.
static void destroy(const step *of) {
  if (!of->message) {
    mlirOperationDestroy(of->op);
    return;
  }
  MlirOperation memory = agpu__maker_of(mlirOperationGetOperand(of->op, 1));
  mlirOperationDestroy(agpu__maker_of(of->result));
  mlirOperationDestroy(of->op);
  mlirOperationDestroy(memory);
}

static void remark(const agpu__shard *self, const chain *of, int64_t pieces) {
  if (!self->remarks)
    return;
  for (size_t i = 0; i < of->count; ++i)
    if (of->steps[i].message) {
      AGPU__OWNED char *type =
          agpu__type_text(mlirValueGetType(of->steps[i].result));
      agpu__remark(mlirOperationGetLocation(of->steps[i].op),
                   "%s of %s is cut into %d pieces along dimension %d: the op "
                   "behind it begins with what has come",
                   of->steps[i].message, type, (int)pieces,
                   (int)of->steps[i].dim);
    }
}

static void cut(agpu__shard *self, const chain *of, int64_t pieces) {
  const step *last = &of->steps[of->count - 1];
  agpu__builder at = agpu__builder_before(last->op);
  MlirValue now[AGPU__SHARD_MOST_PIECES] = {{NULL}};
  MlirOperation fill;
  MlirValue into = agpu__shard_target_of(
      mlirOperationGetOperand(last->op, last->loops.inputs), &fill);
  for (const step *first = of->steps, *end = first; first <= last;
       first = end) {
    while (end <= last && !end->message)
      ++end;
    end += end <= last; // with the message
    for (int64_t k = 0; k < pieces; ++k)
      for (const step *it = first; it < end; ++it) {
        int64_t begin = k * of->size / pieces;
        int64_t size = (k + 1) * of->size / pieces - begin;
        at.location = mlirOperationGetLocation(it->op);
        now[k] = it->message
                     ? agpu__shard_call_like(
                           self, &at, it->op, now[k],
                           agpu__shard_resized(mlirValueGetType(it->result),
                                               it->dim, size),
                           k == 0)
                     : compute(&at, it, now[k], begin, size,
                               it == last ? &into : NULL, fill);
      }
  }
  mlirValueReplaceAllUsesOfWith(last->result, into);
  for (size_t i = of->count; i-- > 0;)
    destroy(&of->steps[i]);
}

/// Cuts around the first of these calls, if that is worth it. Those in the
/// chain, which are gone then, become null.
static void cut_around(agpu__shard *self, MlirOperation *calls, size_t count,
                       chain *found) {
  MlirOperation call = calls[0];
  MlirValue part = mlirOperationGetOperand(call, 0);
  MlirOperation op = agpu__maker_of(part);
  agpu__shard_loops loops;
  if (!message_of(self, call, -1) || mlirOperationIsNull(op) ||
      !agpu__shard_loops_read(self, op, &loops))
    return;
  int64_t most = pieces_of(self, &loops, call);
  MlirType type = mlirValueGetType(part);
  intptr_t rank = mlirShapedTypeGetRank(type);
  // A dimension of so many indices, else one of fewer.
  for (intptr_t turn = 0; turn < 2 * rank; ++turn) {
    intptr_t dim = turn % rank;
    int64_t size = mlirShapedTypeGetDimSize(type, dim);
    int64_t pieces = turn < rank || size > most ? most : size;
    if (size < pieces || pieces < 2 || !find_chain(self, &loops, dim, found))
      continue;
    // Both in the order of the program.
    for (size_t i = 0, k = 0; i < count && k < found->count;)
      if (!found->steps[k].message)
        ++k;
      else if (mlirOperationEqual(calls[i++], found->steps[k].op))
        calls[i - 1] = (MlirOperation){NULL}, ++k;
    remark(self, found, pieces);
    cut(self, found, pieces);
    agpu__shard_forget_values(self);
    return;
  }
}

void agpu__shard_cut(agpu__shard *self, MlirOperation function) {
  if (self->pieces == 1)
    return;
  agpu__shard_forget_values(self);
  chain found = {.steps = NULL};
  AGPU__SCOPED(ops) calls = agpu__ops_in(function, "func.call");
  if (calls.count)
    self->symbols = mlirSymbolTableCreate(self->module);
  for (size_t i = 0; i < calls.count; ++i)
    if (!mlirOperationIsNull(calls.data[i]))
      cut_around(self, calls.data + i, calls.count - i, &found);
  if (calls.count)
    mlirSymbolTableDestroy(self->symbols);
  free(found.steps);
}
