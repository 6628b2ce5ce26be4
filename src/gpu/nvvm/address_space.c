//===- address_space.c - One address space --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types are rewritten by their spelling, wherever in another type they stand:
// the C API has no way to rebuild every kind. Afterwards no cast between the
// spaces that have become one is left.
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/nvvm.h"

#include "lower/ir/ir.h"

#include <ctype.h>

/// `type` without address spaces. Pointers can stand anywhere in a type
/// (memref descriptors, function types); the C API has no way to rebuild every
/// kind, so the spelling is edited: `ptr<1>` becomes `ptr`.
static MlirType flatten_type(MlirType type) {
  AGPU__SCOPED(text) text = {0}, flat = {0};
  mlirTypePrint(type, agpu__text_callback, &text);
  const char *rest = agpu__text_get(&text);
  bool changed = false;
  for (const char *hit; (hit = strstr(rest, "ptr<"));) {
    const char *end = hit + strlen("ptr<");
    while (isdigit((unsigned char)*end))
      ++end;
    agpu__text_append(&flat, rest, (size_t)(hit - rest) + strlen("ptr"));
    // Anything else in the brackets is not an address space.
    bool number = *end == '>' && end > hit + strlen("ptr<");
    changed |= number;
    rest = number ? end + 1 : hit + strlen("ptr");
  }
  if (changed) {
    agpu__text_puts(&flat, rest);
    type = agpu__parse_type(mlirTypeGetContext(type), agpu__text_get(&flat));
  }
  return type;
}

/// `type` with the numbers that upstream's conversion to NVVM gives the gpu
/// dialect's address spaces. Private memory is reached by generic addresses.
static MlirType number_type(MlirType type) {
  static const struct {
    const char *name, *number;
  } spaces[] = {{"#gpu.address_space<global>", "1"},
                {"#gpu.address_space<workgroup>", "3"},
                {"#gpu.address_space<private>", "0"}};
  agpu__text text = {0};
  mlirTypePrint(type, agpu__text_callback, &text);
  bool changed = false;
  for (size_t i = 0; i < AGPU__COUNT(spaces); ++i) {
    agpu__text numbered = {0};
    const char *rest = agpu__text_get(&text);
    for (const char *hit; (hit = strstr(rest, spaces[i].name));) {
      agpu__text_append(&numbered, rest, (size_t)(hit - rest));
      agpu__text_puts(&numbered, spaces[i].number);
      rest = hit + strlen(spaces[i].name);
      changed = true;
    }
    agpu__text_puts(&numbered, rest);
    agpu__text_free(&text);
    text = numbered;
  }
  if (changed)
    type = agpu__parse_type(mlirTypeGetContext(type), agpu__text_get(&text));
  agpu__text_free(&text);
  return type;
}

void agpu__number_address_spaces(MlirOperation root) {
  agpu__retype(root, number_type);
  agpu__drop_idle_casts(root, "memref.memory_space_cast");
}

static MlirWalkResult move_global(MlirOperation op, void *data) {
  (void)data;
  if (agpu__op_is(op, "llvm.mlir.global"))
    agpu__set_attr(op, "addr_space",
                   agpu__i32_attr(mlirOperationGetContext(op), 0));
  return MlirWalkResultAdvance;
}

void agpu__flatten_address_spaces(MlirOperation root) {
  agpu__retype(root, flatten_type);
  mlirOperationWalk(root, move_global, NULL, MlirWalkPreOrder);
  agpu__drop_idle_casts(root, "llvm.addrspacecast");
}
