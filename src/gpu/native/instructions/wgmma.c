//===- wgmma.c - Matrix products of a warp group --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sums of a product go through memory of the thread's own, as there are too
// many to pass. What comes back only stands for them, so that a read before the
// wait is seen: it is handed on as it is, through branches, selects, structures
// of such structures and to the next product, and an op that reads an element,
// or does anything else with it, asks the device for the sums first. As in
// registers, it is not taking an element out of the structure that reads, but
// what uses it.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/instructions.h"

#include "async_gpu/compiled/native_async.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Values that stand for sums
//===----------------------------------------------------------------------===//

/// In the order in which they are found.
typedef struct values {
  MlirValue *data;
  size_t count, capacity;
  agpu__map known;
} values;

static bool is_struct(MlirType type) {
  return mlirTypeIsALLVMStructType(type) &&
         mlirLLVMStructTypeGetNumElementTypes(type) > 0;
}

/// Sums themselves, not a structure of them.
static bool are_sums(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return is_struct(type) &&
         !is_struct(mlirLLVMStructTypeGetElementType(type, 0));
}

static void add(values *self, MlirValue value) {
  if (agpu__map_get(&self->known, value.ptr) != AGPU__MAP_NONE)
    return;
  AGPU__GROW(self->data, self->count, self->capacity);
  agpu__map_set(&self->known, value.ptr, self->count);
  self->data[self->count++] = value;
}

/// The arguments of blocks that operand `number` of a terminator becomes.
static void follow_edges(values *self, MlirOperation op, intptr_t number) {
  for (intptr_t i = 0; i < mlirOperationGetNumSuccessors(op); ++i) {
    intptr_t begin, count;
    agpu__edge_operands(op, i, &begin, &count);
    if (number >= begin && number < begin + count)
      add(self, mlirBlockGetArgument(mlirOperationGetSuccessor(op, i),
                                     number - begin));
  }
}

/// What operand `number` of `op`, which stands for sums, is handed on to is
/// added to `self`, unless that is NULL. False where `op` reads it.
static bool hand_on(values *self, MlirOperation op, intptr_t number) {
  if (agpu__op_is(op, "nvvm.wgmma.mma_async"))
    return true;
  if (mlirOperationGetNumSuccessors(op)) {
    if (self)
      follow_edges(self, op, number);
    return true;
  }
  if (!agpu__op_is_any(op, "llvm.extractvalue llvm.insertvalue llvm.select") ||
      !is_struct(mlirValueGetType(agpu__result(op, 0))))
    return false;
  // An element that is put into sums makes new ones.
  if (agpu__op_is(op, "llvm.insertvalue") && number == 0 &&
      !is_struct(mlirValueGetType(mlirOperationGetOperand(op, 1))))
    return false;
  if (self)
    add(self, agpu__result(op, 0));
  return true;
}

static values find_values(MlirOperation gpu_module) {
  values self = {0};
  AGPU__OPS_IN_FOREACH (product, gpu_module, "nvvm.wgmma.mma_async")
    add(&self, agpu__result(product, 0));
  for (size_t i = 0; i < self.count; ++i) {
    AGPU__USES_FOREACH (use, self.data[i])
      (void)hand_on(&self, mlirOpOperandGetOwner(use),
                    (intptr_t)mlirOpOperandGetOperandNumber(use));
  }
  return self;
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

static MlirValue take(agpu__builder *at, MlirValue from, int64_t number) {
  MlirType type = mlirLLVMStructTypeGetElementType(mlirValueGetType(from),
                                                   (intptr_t)number);
  return agpu__llvm_extract(at, from, type, (intptr_t)number);
}

/// Takes an element out of a structure of structures in two steps.
static void divide(MlirOperation op) {
  MlirAttribute path = agpu__attr(op, "position");
  intptr_t length = mlirDenseArrayGetNumElements(path);
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  for (intptr_t i = 0; i < length; ++i) {
    if (!is_struct(type))
      return; // an array
    type = mlirLLVMStructTypeGetElementType(
        type, (intptr_t)mlirDenseI64ArrayGetElement(path, i));
  }
  if (length < 2 || is_struct(type))
    return;
  agpu__builder at = agpu__builder_before(op);
  MlirValue inner = mlirOperationGetOperand(op, 0);
  for (intptr_t i = 0; i < length; ++i)
    inner = take(&at, inner, mlirDenseI64ArrayGetElement(path, i));
  agpu__replace_op_by_value(op, inner);
}

/// The op that takes an element of `sums`, if that is what `value` is.
static MlirOperation element_of(MlirValue value, MlirValue sums) {
  MlirOperation none = {NULL};
  MlirOperation op = agpu__maker_of(value);
  return agpu__op_is(op, "llvm.extractvalue") &&
                 mlirValueEqual(mlirOperationGetOperand(op, 0), sums)
             ? op
             : none;
}

static bool reads(MlirOperation op, intptr_t number, MlirValue sums) {
  MlirValue operand = mlirOperationGetOperand(op, number);
  if (mlirValueEqual(operand, sums))
    return !agpu__op_is(op, "llvm.extractvalue") && !hand_on(NULL, op, number);
  return !mlirOperationIsNull(element_of(operand, sums));
}

static bool reads_any(MlirOperation op, MlirValue sums) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (reads(op, i, sums))
      return true;
  return false;
}

/// The sums themselves, in front of `op`.
static MlirValue ask(MlirOperation gpu_module, MlirOperation op,
                     MlirValue sums) {
  agpu__simt_call call = {.at = agpu__builder_before(op),
                          .op = op,
                          .gpu_module = gpu_module,
                          .has_no_result = true};
  MlirType type = mlirValueGetType(sums);
  uint64_t alignment, bytes = agpu__type_size(type, &alignment);
  MlirValue memory = agpu__llvm_alloca(
      &call.at, type, agpu__llvm_i32(&call.at, 1), sizeof(uint64_t));
  agpu__llvm_store(&call.at, sums, memory);
  agpu__simt_push(&call, memory);
  agpu__simt_push_i32(&call, (int64_t)bytes);
  agpu__simt_finish(&call, "agpu_native_wgmma_read", (MlirType){NULL});
  return agpu__llvm_load(&call.at, memory, type);
}

/// Has the ops of a block read what the device gives for `sums`, which the
/// first of them that reads any asks for.
static void read_in_block(MlirOperation gpu_module, MlirBlock block,
                          MlirValue sums) {
  MlirOperation op = mlirBlockGetFirstOperation(block);
  while (!mlirOperationIsNull(op) && !reads_any(op, sums))
    op = mlirOperationGetNextInBlock(op);
  if (mlirOperationIsNull(op))
    return;
  MlirValue real = ask(gpu_module, op, sums);
  agpu__builder at = agpu__builder_before(op);
  AGPU__SCOPED(map) known = {0}; // elements, by their number in a list
  values elements = {0};
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
      if (!reads(op, i, sums))
        continue;
      MlirValue operand = mlirOperationGetOperand(op, i);
      MlirOperation taken = element_of(operand, sums);
      if (mlirOperationIsNull(taken)) {
        mlirOperationSetOperand(op, i, real);
        continue;
      }
      size_t number = agpu__map_get(&known, operand.ptr);
      if (number == AGPU__MAP_NONE) {
        MlirAttribute path = agpu__attr(taken, "position");
        number = elements.count;
        add(&elements, take(&at, real, mlirDenseI64ArrayGetElement(path, 0)));
        agpu__map_set(&known, operand.ptr, number);
      }
      mlirOperationSetOperand(op, i, elements.data[number]);
    }
  agpu__map_free(&elements.known);
  free(elements.data);
}

/// Blocks, each once.
typedef struct blocks {
  MlirBlock *data;
  size_t count, capacity;
  agpu__map known;
} blocks;

/// False: it was there already.
static bool add_block(blocks *self, MlirBlock block) {
  if (agpu__map_get(&self->known, block.ptr) != AGPU__MAP_NONE)
    return false;
  AGPU__GROW(self->data, self->count, self->capacity);
  agpu__map_set(&self->known, block.ptr, self->count);
  self->data[self->count++] = block;
  return true;
}

/// Adds the blocks in which `value` is used.
static void add_users(blocks *self, MlirValue value) {
  AGPU__USES_FOREACH (use, value)
    (void)add_block(self, mlirOperationGetBlock(mlirOpOperandGetOwner(use)));
}

static void free_blocks(blocks *self) {
  free(self->data);
  agpu__map_free(&self->known);
}

static void read_sums(MlirOperation gpu_module, MlirValue sums) {
  blocks users = {0};
  add_users(&users, sums);
  AGPU__USES_FOREACH (use, sums)
    if (agpu__op_is(mlirOpOperandGetOwner(use), "llvm.extractvalue"))
      add_users(&users, agpu__result(mlirOpOperandGetOwner(use), 0));
  for (size_t i = 0; i < users.count; ++i)
    read_in_block(gpu_module, users.data[i], sums);
  free_blocks(&users);
}

void agpu__simt_read_sums(MlirOperation gpu_module) {
  AGPU__SCOPED(ops) products = agpu__ops_in(gpu_module, "nvvm.wgmma.mma_async");
  bool has_any = products.count;
  if (!has_any)
    return;
  agpu__ops taken = agpu__ops_in(gpu_module, "llvm.extractvalue");
  for (size_t i = 0; i < taken.count; ++i)
    divide(taken.data[i]);
  agpu__ops_free(&taken);
  values all = find_values(gpu_module);
  for (size_t i = 0; i < all.count; ++i)
    if (are_sums(all.data[i]))
      read_sums(gpu_module, all.data[i]);
  agpu__map_free(&all.known);
  free(all.data);
  // What is left of them would count as uses.
  taken = agpu__ops_in(gpu_module, "llvm.extractvalue");
  for (size_t i = taken.count; i > 0; --i)
    if (mlirOpOperandIsNull(
            mlirValueGetFirstUse(agpu__result(taken.data[i - 1], 0))))
      mlirOperationDestroy(taken.data[i - 1]);
  agpu__ops_free(&taken);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The type that attribute `name` names, as agpu_native_wgmma_type; -1 for
/// those that the device has not.
static int64_t type_of(MlirOperation op, const char *name) {
  static const char *const types[] = {"<f16>", "<tf32>", "<u8>",   "<s8>",
                                      "<b1>",  "<bf16>", "<e4m3>", "<e5m2>"};
  for (int64_t i = 0; i < 8; ++i)
    if (agpu__simt_attr_has(op, name, types[i]))
      return i;
  return -1;
}

/// Number `which` of the op's shape, m, n and k.
static int64_t size_of(MlirOperation op, char which) {
  AGPU__SCOPED(text) text = {0};
  mlirAttributePrint(agpu__attr(op, "shape"), agpu__text_callback, &text);
  const char key[] = {which, ' ', '=', 0};
  const char *found = strstr(agpu__text_get(&text), key);
  return found ? strtoll(found + 3, NULL, 10) : 0;
}

bool agpu__simt_is_wgmma(MlirOperation op) {
  if (!agpu__op_is(op, "nvvm.wgmma.mma_async") || type_of(op, "typeA") < 0 ||
      type_of(op, "typeB") < 0)
    return false;
  int64_t each = agpu__simt_attr_has(op, "typeD", "<f16>") ? 2 : 4;
  uint64_t alignment;
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  return is_struct(type) && agpu__type_size(type, &alignment) ==
                                (uint64_t)(size_of(op, 'n') / 2 * each);
}

static int64_t flags_of(MlirOperation op) {
  static const struct {
    const char *attribute, *value;
    agpu_native_wgmma_flag flag;
  } rows[] = {
      {"layoutA", "<col>", AGPU_NATIVE_WGMMA_TRANSPOSE_A},
      {"layoutB", "<row>", AGPU_NATIVE_WGMMA_TRANSPOSE_B},
      {"scaleD", "<zero>", AGPU_NATIVE_WGMMA_ZERO},
      {"scaleA", "<neg>", AGPU_NATIVE_WGMMA_NEGATE_A},
      {"scaleB", "<neg>", AGPU_NATIVE_WGMMA_NEGATE_B},
      {"satfinite", "<satfinite>", AGPU_NATIVE_WGMMA_SATURATE},
      {"typeD", "<f16>", AGPU_NATIVE_WGMMA_F16_SUMS},
  };
  int64_t flags = 0;
  for (size_t i = 0; i < AGPU__COUNT(rows); ++i)
    if (agpu__simt_attr_has(op, rows[i].attribute, rows[i].value))
      flags |= rows[i].flag;
  return flags;
}

static MlirBlock block_of(MlirValue value) {
  return mlirValueIsABlockArgument(value)
             ? mlirBlockArgumentGetOwner(value)
             : mlirOperationGetBlock(mlirOpResultGetOwner(value));
}

/// Whether `value`, an operand of `op`, is used after it on some way.
static bool is_used_later(MlirValue value, MlirOperation op) {
  for (MlirOperation next = mlirOperationGetNextInBlock(op);
       !mlirOperationIsNull(next); next = mlirOperationGetNextInBlock(next))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(next); ++i)
      if (mlirValueEqual(mlirOperationGetOperand(next, i), value))
        return true;
  blocks users = {0}, reached = {0};
  add_users(&users, value);
  // Where the value is defined it becomes another one.
  MlirBlock defined = block_of(value), from = mlirOperationGetBlock(op);
  bool found = false;
  for (size_t i = 0; !found; from = reached.data[i++]) {
    MlirOperation end = mlirBlockGetTerminator(from);
    for (intptr_t e = 0; e < mlirOperationGetNumSuccessors(end); ++e) {
      MlirBlock next = mlirOperationGetSuccessor(end, e);
      if (!mlirBlockEqual(next, defined) && add_block(&reached, next))
        found |= agpu__map_get(&users.known, next.ptr) != AGPU__MAP_NONE;
    }
    if (i == reached.count)
      break;
  }
  free_blocks(&users);
  free_blocks(&reached);
  return found;
}

/// What stands for sums that are being made: its first 8 bytes alone say whose
/// (AGPU_NATIVE_WGMMA_MARK). Hundreds of loads less for a chain of products.
static MlirValue load_mark(agpu__builder *at, MlirValue memory, MlirType type) {
  MlirValue mark = agpu__llvm_undef(at, type);
  uint64_t offset = 0, alignment;
  for (intptr_t i = 0; offset < AGPU_NATIVE_WGMMA_MARK; ++i) {
    MlirType element = mlirLLVMStructTypeGetElementType(type, i);
    MlirValue place = agpu__llvm_byte(at, memory, (int64_t)offset);
    mark = agpu__llvm_insert(at, mark, agpu__llvm_load(at, place, element), i);
    offset += agpu__type_size(element, &alignment);
  }
  return mark;
}

void agpu__simt_call_wgmma(agpu__simt_call *self) {
  MlirOperation op = self->op;
  agpu__builder *at = &self->at;
  MlirValue sums = mlirOperationGetOperand(op, 0), old = agpu__result(op, 0);
  MlirType type = mlirValueGetType(old);
  MlirValue memory =
      agpu__llvm_alloca(at, type, agpu__llvm_i32(at, 1), sizeof(uint64_t));
  agpu__llvm_store(at, sums, memory);
  agpu__simt_push(self, memory);
  agpu__simt_push(self, mlirOperationGetOperand(op, 1));
  agpu__simt_push(self, mlirOperationGetOperand(op, 2));
  agpu__simt_push_i32(self, size_of(op, 'n'));
  agpu__simt_push_i32(self, size_of(op, 'k'));
  agpu__simt_push_i32(self, type_of(op, "typeA"));
  agpu__simt_push_i32(self, type_of(op, "typeB"));
  agpu__simt_push_i32(
      self,
      flags_of(op) | (is_used_later(sums, op) ? AGPU_NATIVE_WGMMA_COPIES : 0));
  self->has_no_result = true;
  agpu__simt_finish(self, "agpu_native_wgmma", (MlirType){NULL});
  mlirValueReplaceAllUsesOfWith(old, load_mark(at, memory, type));
}
