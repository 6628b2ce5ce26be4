//===- frame_addresses.c - Stack memory that a coroutine hands on ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM puts an alloca into a coroutine's frame if a use of its address is
// behind a suspension. It follows the address through phis and selects of
// pointers, but not into structures. A memref is a structure: one that loops,
// branches or selects hand on is a phi of structures, and memory that is used
// through it alone stays on the stack, which another function overwrites
// meanwhile.
//
// So the address of such memory is given to an empty piece of assembly, as to
// code that may keep it: LLVM puts what escapes into the frame.
//
//   %s = insertvalue %t, ptr %m, 1    call void asm sideeffect "", "r"(ptr %m)
//   %p = phi {ptr, ...} [%s, ...]     %s = ...
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include "lower/ir/llvm_compat.h"
#include "lower/ir/llvm_loops.h"

#include <stdlib.h>

typedef struct values {
  LLVMValueRef *data;
  size_t count, capacity;
  agpu__map known;
} values;

static void add(values *self, LLVMValueRef value) {
  if (agpu__map_get(&self->known, value) != AGPU__MAP_NONE)
    return;
  agpu__map_set(&self->known, value, self->count);
  AGPU__GROW(self->data, self->count, self->capacity);
  self->data[self->count++] = value;
}

/// True if `structure`, which holds an address, is more than taken apart: other
/// instructions get it as a whole, or a structure that it is part of.
static bool is_handed_on(LLVMValueRef structure) {
  values all = {0};
  add(&all, structure);
  bool found = false;
  for (size_t i = 0; i < all.count && !found; ++i)
    for (LLVMUseRef use = LLVMGetFirstUse(all.data[i]); use && !found;
         use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      if (LLVMIsAInsertValueInst(user))
        add(&all, user);
      else
        found = !LLVMIsAExtractValueInst(user);
    }
  free(all.data);
  agpu__map_free(&all.known);
  return found;
}

/// The first instruction found that puts the address `alloca`, or one into its
/// memory, into a structure that is handed on; NULL if none does.
static LLVMValueRef find_lost(LLVMValueRef alloca) {
  values all = {0};
  add(&all, alloca);
  LLVMValueRef found = NULL;
  for (size_t i = 0; i < all.count && !found; ++i)
    for (LLVMUseRef use = LLVMGetFirstUse(all.data[i]); use && !found;
         use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      if (LLVMIsAInsertValueInst(user)) {
        if (is_handed_on(user))
          found = user;
        else
          add(&all, user);
      } else if (LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMPointerTypeKind &&
                 !LLVMIsALoadInst(user) && !LLVMIsACallInst(user)) {
        add(&all, user); // what is computed or extracted, and phis of pointers
      }
    }
  free(all.data);
  agpu__map_free(&all.known);
  return found;
}

/// Lets the address `alloca` escape in front of `place`.
static void let_escape(LLVMModuleRef ir, LLVMValueRef alloca,
                       LLVMValueRef place) {
  LLVMTypeRef pointer = LLVMTypeOf(alloca);
  LLVMTypeRef type = LLVMFunctionType(
      LLVMVoidTypeInContext(LLVMGetModuleContext(ir)), &pointer, 1, false);
  LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, "r", 1, true, false,
                                          LLVMInlineAsmDialectATT, false);
  LLVMBuilderRef builder = agpu__compat_builder(ir);
  LLVMPositionBuilderBefore(builder, place);
  LLVMBuildCall2(builder, type, nothing, &alloca, 1, "");
  LLVMDisposeBuilder(builder);
}

static bool is_coroutine(LLVMValueRef function) {
  return LLVMGetEnumAttributeAtIndex(
             function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
             LLVMGetEnumAttributeKindForName("presplitcoroutine", 17)) != NULL;
}

void agpu__keep_in_frames(LLVMModuleRef ir) {
  AGPU__FUNCTIONS_FOREACH (function, ir) {
    if (!is_coroutine(function))
      continue;
    AGPU__BASIC_BLOCKS_FOREACH (block, function)
      AGPU__INSTRUCTIONS_FOREACH (op, block) {
        LLVMValueRef place = LLVMIsAAllocaInst(op) ? find_lost(op) : NULL;
        if (place)
          let_escape(ir, op, place);
      }
  }
}
