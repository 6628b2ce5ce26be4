//===- assembly_text.h - The text of inline assembly ------------ -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_ASSEMBLY_TEXT_H
#define ASYNC_GPU_GPU_ASSEMBLY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  AGPU__ASM_NAME = 40,
  AGPU__ASM_MNEMONIC = 128,
  AGPU__ASM_LIST = 16,
  AGPU__ASM_OPERANDS = 10,
};

typedef enum agpu__asm_kind {
  AGPU__ASM_REGISTERS, ///< one name, or several in braces
  AGPU__ASM_IMMEDIATE, ///< `value`
  AGPU__ASM_ADDRESS,   ///< [name + value]; no name: the value alone
} agpu__asm_kind;

/// An operand. Names are as in the text: "$3" for one of the op's own,
/// "%tid.x", "_" for what is not wanted, a register that the text declares; in
/// a list also "0".
typedef struct agpu__asm_operand {
  agpu__asm_kind kind;
  size_t count; ///< of names
  char names[AGPU__ASM_LIST][AGPU__ASM_NAME];
  int64_t value;
} agpu__asm_operand;

/// `@guard mnemonic operands;`
typedef struct agpu__asm_statement {
  char guard[AGPU__ASM_NAME]; ///< empty: there is none
  bool guard_is_negated;
  char mnemonic[AGPU__ASM_MNEMONIC];
  size_t count;
  agpu__asm_operand operands[AGPU__ASM_OPERANDS];
} agpu__asm_statement;

/// Where a text is read.
typedef struct agpu__asm_reader {
  const char *at, *end;
  bool failed; ///< at `at` stands nothing that is understood
} agpu__asm_reader;

/// Reads the next statement. False at the end of the text, and where it fails.
/// Declarations of registers, braces and comments are passed over.
bool agpu__asm_next(agpu__asm_reader *self, agpu__asm_statement *out);

#endif // ASYNC_GPU_GPU_ASSEMBLY_TEXT_H
