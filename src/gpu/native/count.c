//===- count.c - Kernels that say what they execute -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For models of time a kernel says what it executes: at the end of each of its
// blocks, how many of the block's ops are instructions of which kind. An op
// that takes several instructions on a GPU counts as so many; ones that vanish
// in addresses, registers and multiply-adds do not count. What accesses memory
// is seen elsewhere (accesses.c).
//
// With them goes the longest chain in the block of ops that each need the one
// before: what a thread takes alone, however many instructions lie beside it.
// What a loop computes from nothing that changes in it is out of the loop
// before it runs on a card, and begins no chain.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"
#include "gpu/native/native.h"

#include <stdlib.h>

/// As agpu_native_count has them (async_gpu/compiled/native_thread.h).
typedef struct tally {
  unsigned fp32, fp64, integer, special;
} tally;

/// A chain's length: instructions, loads of workgroup memory, and of other.
typedef struct chain {
  unsigned steps, loads, far_loads;
} chain;

/// What loads take beside an instruction, by which the longest chain is found:
/// of workgroup memory 19 to 28 clocks beside 4, of other memory 200 and more
/// (as the models say of their cards, runtime/emu/models).
enum { LOAD_STEPS = 6, FAR_STEPS = 60, LOADS = 256, FAR_LOADS = 128 };

static unsigned get_length(chain of) {
  return of.steps + LOAD_STEPS * of.loads + FAR_STEPS * of.far_loads;
}

static chain longer(chain a, chain b) {
  return get_length(a) < get_length(b) ? b : a;
}

/// Instructions of a GPU that ops whose names begin so take; the first row that
/// fits counts. `floats`: of the type of the result.
static const struct {
  const char *begins;
  unsigned floats, integers, special;
} rows[] = {
    {"llvm.fdiv", 8, 0, 1},      {"llvm.frem", 16, 0, 1},
    {"llvm.fcmp", 1, 0, 0},      {"llvm.fptosi", 0, 1, 0},
    {"llvm.fptoui", 0, 1, 0},    {"llvm.sitofp", 0, 1, 0},
    {"llvm.uitofp", 0, 1, 0},    {"llvm.fpext", 1, 0, 0},
    {"llvm.fptrunc", 1, 0, 0},   {"llvm.f", 1, 0, 0},
    {"llvm.intr.fma", 1, 0, 0},  {"llvm.intr.fmuladd", 1, 0, 0},
    {"llvm.intr.fabs", 1, 0, 0}, {"llvm.intr.max", 1, 0, 0},
    {"llvm.intr.min", 1, 0, 0},  {"llvm.intr.copysign", 1, 0, 0},
    {"llvm.intr.sqrt", 4, 0, 1}, {"llvm.intr.exp", 3, 0, 1},
    {"llvm.intr.log", 4, 0, 1},  {"llvm.intr.sin", 20, 0, 1},
    {"llvm.intr.cos", 20, 0, 1}, {"llvm.intr.pow", 30, 0, 2},
    {"llvm.add", 0, 1, 0},       {"llvm.sub", 0, 1, 0},
    {"llvm.mul", 0, 1, 0},       {"llvm.sdiv", 0, 20, 1},
    {"llvm.udiv", 0, 20, 1},     {"llvm.srem", 0, 20, 1},
    {"llvm.urem", 0, 20, 1},     {"llvm.and", 0, 1, 0},
    {"llvm.or", 0, 1, 0},        {"llvm.xor", 0, 1, 0},
    {"llvm.shl", 0, 1, 0},       {"llvm.lshr", 0, 1, 0},
    {"llvm.ashr", 0, 1, 0},      {"llvm.icmp", 0, 1, 0},
    {"llvm.select", 0, 1, 0},    {"llvm.cond_br", 0, 1, 0},
    {"llvm.br", 0, 1, 0},        {"llvm.load", 0, 1, 0},
    {"llvm.store", 0, 1, 0},     {"llvm.atomicrmw", 0, 1, 0},
    {"nvvm.shfl", 0, 1, 0},      {"nvvm.barrier", 0, 1, 0},
    {"llvm.call", 8, 0, 1},
};

/// The type that an op computes with, and how many elements of it.
static MlirType element_of(MlirOperation op, unsigned *out_count) {
  *out_count = 1;
  if (!mlirOperationGetNumOperands(op))
    return (MlirType){NULL};
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  if (!mlirTypeIsAVector(type))
    return type;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
    *out_count *= (unsigned)mlirShapedTypeGetDimSize(type, i);
  return mlirShapedTypeGetElementType(type);
}

static MlirOperation get_operand_op(MlirOperation op, intptr_t number) {
  MlirValue value = mlirOperationGetOperand(op, number);
  return agpu__maker_of(value);
}

/// Instructions of a division, or of its remainder, by a number that is known:
/// one for a power of two, and else a multiplication by the inverse, of which
/// 64 bits take several, and for a remainder another one. 0: it is none.
static unsigned count_known_division(MlirOperation op) {
  enum { SHIFT = 1, INVERSE = 6, BACK = 2 };
  bool is_remainder =
      agpu__op_is(op, "llvm.urem") || agpu__op_is(op, "llvm.srem");
  if (!is_remainder && !agpu__op_is_any(op, "llvm.udiv llvm.sdiv"))
    return 0;
  MlirOperation by = get_operand_op(op, 1);
  if (!agpu__op_is(by, "llvm.mlir.constant"))
    return 0;
  MlirAttribute value = agpu__attr(by, "value");
  if (!mlirAttributeIsAInteger(value))
    return 0;
  int64_t number = mlirIntegerAttrGetValueInt(value);
  if (number > 0 && (number & (number - 1)) == 0)
    return SHIFT;
  return INVERSE + (is_remainder ? BACK : 0);
}

static bool may_contract(MlirOperation op) {
  MlirAttribute flags = agpu__attr(op, "fastmathFlags");
  AGPU__SCOPED(text) text = {0};
  if (!mlirAttributeIsNull(flags))
    mlirAttributePrint(flags, agpu__text_callback, &text);
  return text.data &&
         (strstr(text.data, "contract") || strstr(text.data, "fast>"));
}

/// The sum that may be one multiply-add with the product `op`, which nothing
/// else uses; null where there is none.
static MlirOperation find_sum(MlirOperation op) {
  MlirOperation none = {NULL};
  if (!agpu__op_is(op, "llvm.fmul") || !may_contract(op))
    return none;
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
  if (mlirOpOperandIsNull(use) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)))
    return none;
  MlirOperation user = mlirOpOperandGetOwner(use);
  bool is_sum =
      agpu__op_is(user, "llvm.fadd") || agpu__op_is(user, "llvm.fsub");
  return is_sum && may_contract(user) ? user : none;
}

/// Whether the product is part of a multiply-add, which counts as the sum. Of
/// two products that are added the first one is.
static bool is_contracted(MlirOperation op) {
  MlirOperation sum = find_sum(op);
  if (mlirOperationIsNull(sum))
    return false;
  MlirOperation first = get_operand_op(sum, 0);
  return mlirOperationEqual(first, op) || mlirOperationIsNull(find_sum(first));
}

/// Whether the op loads or stores at a known place of memory that is the
/// thread's own: registers.
static bool is_of_registers(MlirOperation op) {
  bool is_store = agpu__op_is(op, "llvm.store");
  if (!is_store && !agpu__op_is(op, "llvm.load"))
    return false;
  MlirOperation from = get_operand_op(op, is_store);
  while (agpu__op_is(from, "llvm.getelementptr") &&
         mlirOperationGetNumOperands(from) == 1)
    from = get_operand_op(from, 0);
  return agpu__op_is(from, "llvm.alloca");
}

/// Counts the op, and gives how many of its instructions need each other; those
/// on elements of vectors do not.
static unsigned add_op(MlirOperation op, tally *to) {
  unsigned division = count_known_division(op);
  to->integer += division;
  if (division || is_contracted(op) || is_of_registers(op))
    return division;
  MlirStringRef name = agpu__op_name(op);
  unsigned count;
  MlirType type = element_of(op, &count);
  for (size_t i = 0; i < AGPU__COUNT(rows); ++i) {
    size_t length = strlen(rows[i].begins);
    if (name.length < length || memcmp(name.data, rows[i].begins, length) != 0)
      continue;
    bool is_double = !mlirTypeIsNull(type) && mlirTypeIsAF64(type);
    *(is_double ? &to->fp64 : &to->fp32) += rows[i].floats * count;
    to->integer += rows[i].integers * count;
    to->special += rows[i].special * count;
    return rows[i].floats + rows[i].integers + rows[i].special;
  }
  return 0;
}

/// Takes as many of `*count` as `bits` hold.
static uint64_t take(unsigned *count, unsigned place, unsigned bits) {
  unsigned most = (1U << bits) - 1, taken = *count < most ? *count : most;
  *count -= taken;
  return (uint64_t)taken << place;
}

typedef struct counted_block {
  MlirBlock block;
  const agpu__map *loops;
  agpu__map changing; ///< ops of the block, up to the one that is looked at
  agpu__map lengths;  ///< of chains that end with such an op, since a barrier
  chain longest;
} counted_block;

/// Whether the other block is in a loop with this one, which may be the same.
static bool shares_loop(const counted_block *self, MlirBlock other) {
  size_t own = agpu__map_get(self->loops, self->block.ptr);
  return own != AGPU__MAP_NONE && own == agpu__map_get(self->loops, other.ptr);
}

/// Whether the value is another one in each round of the loop.
static bool changes(const counted_block *self, MlirValue value) {
  if (mlirValueIsABlockArgument(value))
    return shares_loop(self, mlirBlockArgumentGetOwner(value));
  MlirOperation op = mlirOpResultGetOwner(value);
  MlirBlock block = mlirOperationGetBlock(op);
  return block.ptr == self->block.ptr
             ? agpu__map_get(&self->changing, op.ptr) != AGPU__MAP_NONE
             : shares_loop(self, block);
}

/// Whether the op can be in front of the loop: it computes from what is known
/// there.
static bool is_invariant(const counted_block *self, MlirOperation op) {
  static const char *const stay[] = {"llvm.load",   "llvm.call",
                                     "llvm.atomic", "llvm.cmpxchg",
                                     "llvm.inline", "nvvm."};
  MlirStringRef name = agpu__op_name(op);
  if (!shares_loop(self, self->block) || !mlirOperationGetNumResults(op))
    return false;
  for (size_t i = 0; i < AGPU__COUNT(stay); ++i)
    if (name.length >= strlen(stay[i]) &&
        memcmp(name.data, stay[i], strlen(stay[i])) == 0)
      return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (changes(self, mlirOperationGetOperand(op, i)))
      return false;
  return true;
}

/// The longest of the chains that end with the op's operands.
static chain find_chain(const counted_block *self, MlirOperation op) {
  chain found = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    size_t known =
        mlirValueIsAOpResult(value)
            ? agpu__map_get(&self->lengths, mlirOpResultGetOwner(value).ptr)
            : AGPU__MAP_NONE;
    if (known != AGPU__MAP_NONE)
      found = longer(found, (chain){(unsigned)(known / FAR_LOADS / LOADS),
                                    (unsigned)(known / FAR_LOADS % LOADS),
                                    (unsigned)(known % FAR_LOADS)});
  }
  return found;
}

/// The op is the next one of the block, and takes so many steps. What it loads
/// is waited for by what takes the value.
static void add_to_chain(counted_block *self, MlirOperation op,
                         unsigned steps) {
  if (is_invariant(self, op))
    return;
  chain own = find_chain(self, op);
  own.steps += steps;
  self->longest = longer(self->longest, own);
  if (agpu__op_is(op, "llvm.load")) {
    bool is_near = agpu__has_attr(op, AGPU__SIMT_SHARED_ACCESS);
    own.loads += is_near && own.loads + 1 < LOADS;
    own.far_loads += !is_near && own.far_loads + 1 < FAR_LOADS;
  }
  agpu__map_set(&self->lengths, op.ptr,
                ((size_t)own.steps * LOADS + own.loads) * FAR_LOADS +
                    own.far_loads);
  agpu__map_set(&self->changing, op.ptr, 0);
}

/// Says what has been counted, in front of `op`.
static void say(counted_block *self, MlirOperation gpu_module, MlirOperation op,
                tally *all, bool is_barrier) {
  agpu__builder at = agpu__builder_before(op);
  while (all->fp32 || all->fp64 || all->integer || all->special) {
    uint64_t counts = take(&all->fp32, 0, 8) | take(&all->fp64, 8, 8) |
                      take(&all->integer, 16, 8) | take(&all->special, 24, 8) |
                      take(&self->longest.steps, 32, 16) |
                      take(&self->longest.loads, 48, 8) |
                      take(&self->longest.far_loads, 56, 7);
    if (is_barrier && !(all->fp32 || all->fp64 || all->integer || all->special))
      counts |= (uint64_t)1 << 63;
    MlirValue operand =
        agpu__llvm_constant(&at, agpu__i64_attr(at.context, (int64_t)counts));
    agpu__call_runtime(&at, gpu_module, "agpu_native_count", &operand, 1,
                       (MlirType){NULL});
  }
  agpu__map_free(&self->lengths);
  self->lengths = (agpu__map){0};
  self->longest = (chain){0};
}

static void count_block(MlirBlock block, const agpu__map *loops,
                        MlirOperation gpu_module) {
  tally all = {0};
  counted_block self = {.block = block, .loops = loops};
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(block);
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    add_to_chain(&self, op, add_op(op, &all));
    bool is_barrier =
        agpu__op_is(op, "nvvm.barrier0") || agpu__op_is(op, "nvvm.barrier");
    if (is_barrier || mlirOperationIsNull(next))
      say(&self, gpu_module, op, &all, is_barrier);
  }
  agpu__map_free(&self.changing);
}

void agpu__simt_count_instructions(MlirOperation function,
                                   MlirOperation gpu_module) {
  MlirRegion body = mlirOperationGetRegion(function, 0);
  AGPU__SCOPED(map) loops = agpu__find_loop_blocks(body);
  AGPU__BLOCKS_FOREACH (block, body)
    count_block(block, &loops, gpu_module);
}
