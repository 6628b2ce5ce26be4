//===- lexer.h - Words of PTX, and memory for them -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parser stands at a place in the text and takes what it expects there. What
// it makes lives in the module's memory, which is given back as one. An error
// leaves the parser by a jump, to ptx_module_parse.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_LEXER_H
#define ASYNC_GPU_TESTS_PTX_LEXER_H

#include "text/module.h"

#include <setjmp.h>

typedef struct ptx_name {
  struct ptx_name *next;
  const char *name;
  int reg; ///< or -1: the variable
  ptx_variable *variable;
} ptx_name;

enum { PTX_NAME_BUCKETS = 256 };

/// Names between two braces.
typedef struct ptx_scope {
  struct ptx_scope *outer;
  ptx_name *buckets[PTX_NAME_BUCKETS];
} ptx_scope;

typedef struct ptx_label {
  const char *name;
  uint32_t at;
  uint32_t first, end; ///< instructions that see it; end 0: not known so far
} ptx_label;

/// name: .branchtargets a, b, c;
typedef struct ptx_branch_table {
  const char *name;
  const char **targets;
  size_t count;
} ptx_branch_table;

typedef struct ptx_parser {
  const char *at;
  uint32_t line;
  bool is_lenient;
  ptx_module *module;
  ptx_function *function;
  ptx_scope *scope;
  ptx_label *labels;
  size_t label_count, label_capacity;
  ptx_branch_table *tables;
  size_t table_count;
  ptx_variable **entry_shared; ///< shared variables of entries
  size_t entry_shared_count;
  uint64_t module_shared, entry_shared_bytes;
  jmp_buf failed;
  char *message;
  size_t message_size;
} ptx_parser;

/// Ends the parse with "line N: …".
_Noreturn void ptx_fail(ptx_parser *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Zeroed memory that lives as long as the module.
void *ptx_allocate(ptx_module *module, size_t bytes);
char *ptx_copy_text(ptx_module *module, const char *text, size_t length);
/// Room for one element more of `bytes` each in an array of `count`, which is
/// grown where count is a power of two.
void *ptx_grow(ptx_module *module, void *array, size_t count, size_t bytes);
void ptx_free_memory(ptx_module *module);

/// Over white space and comments.
void ptx_skip_space(ptx_parser *p);
/// To behind the next `stop`, whatever stands before it.
void ptx_skip_past(ptx_parser *p, char stop);
bool ptx_is_word(char c);
bool ptx_next_is(ptx_parser *p, char c);
bool ptx_take(ptx_parser *p, char c);
void ptx_expect(ptx_parser *p, char c);
/// A directive or another whole word, such as ".visible".
bool ptx_next_is_word(ptx_parser *p, const char *word);
bool ptx_take_word(ptx_parser *p, const char *word);
/// A name: %r1, $L_1, kernel.
char *ptx_take_name(ptx_parser *p);
bool ptx_next_is_number(ptx_parser *p);
/// An integer, or the bits of 0f… or 0d….
uint64_t ptx_take_number(ptx_parser *p);
/// ".u32": PTX_NO_TYPE, and nothing taken, where none stands there.
ptx_type ptx_take_type(ptx_parser *p);

void ptx_open_scope(ptx_parser *p);
void ptx_close_scope(ptx_parser *p);
ptx_name *ptx_declare(ptx_parser *p, const char *name);
ptx_name *ptx_find_name(ptx_parser *p, const char *name);

/// A declaration behind its space, up to and without ';'. Its offset is given
/// where its space is not the device's.
ptx_variable *ptx_take_variable(ptx_parser *p, ptx_space space, bool is_extern);
ptx_operand ptx_take_operand(ptx_parser *p);
/// A function from its name on (.entry or .func is taken).
void ptx_take_function(ptx_parser *p, bool is_entry);
/// An instruction to behind its ';', appended to the module's code.
void ptx_take_instruction(ptx_parser *p);

static inline uint64_t ptx_align(uint64_t value, uint64_t align) {
  return align ? (value + align - 1) / align * align : value;
}

#endif // ASYNC_GPU_TESTS_PTX_LEXER_H
