//===- module.h - A module of PTX, decoded -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a text becomes once: variables with their offsets, functions with their
// registers numbered, instructions with their operands resolved and the C
// function that executes each. Nothing of it changes once the module is loaded,
// but for the addresses of its variables, which the driver gives.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_MODULE_H
#define ASYNC_GPU_TESTS_PTX_MODULE_H

#include "text/types.h"

struct ptx_warp;
typedef struct ptx_function ptx_function;
typedef struct ptx_module ptx_module;
typedef struct ptx_insn ptx_insn;

/// A word of an initialiser that is the address of something else.
typedef struct ptx_relocation {
  uint64_t at;
  char *name;
  int64_t addend;
} ptx_relocation;

/// A variable. `offset` is from the start of its space: of the block's shared
/// memory, the frame's local memory or parameters, or the device's addresses.
typedef struct ptx_variable {
  char *name;
  ptx_space space;
  ptx_type type;
  uint32_t align;
  uint64_t bytes; ///< 0: an array without a size, the dynamic shared memory
  uint64_t offset;
  bool is_extern;
  uint8_t *initial; ///< NULL: zeros
  ptx_relocation *relocations;
  size_t relocation_count;
} ptx_variable;

typedef enum ptx_operand_kind {
  PTX_NO_OPERAND,
  PTX_REGISTER,
  PTX_IMMEDIATE,
  PTX_SPECIAL,  ///< a special register
  PTX_VARIABLE, ///< its address, and `value`
  PTX_ADDRESS,  ///< [register, variable or nothing, and `value`]
  PTX_VECTOR,   ///< {…}
  PTX_LIST,     ///< (…), of a call
  PTX_NAME,     ///< a label or a function, not resolved yet
  PTX_FUNCTION,
  PTX_SINK, ///< _
} ptx_operand_kind;

typedef struct ptx_operand {
  ptx_operand_kind kind;
  bool is_negated; ///< !%p
  uint8_t bits;    ///< of a register
  int reg;         ///< number; special register; base of an address, or -1
  int second;      ///< of a|b, or -1
  uint64_t value;
  ptx_variable *variable;
  ptx_function *function;
  struct ptx_operand *elements;
  size_t count;
  char *name;
} ptx_operand;

/// Computes a result from values that are already cut to the widths of the
/// instruction's types.
typedef uint64_t ptx_compute(const ptx_insn *insn, const uint64_t *sources);
/// Executes for one thread; the program counter is already at the next one.
typedef void ptx_lane_step(struct ptx_warp *warp, const ptx_insn *insn,
                           unsigned lane);
/// Executes for the threads of a warp that have come together.
typedef void ptx_warp_step(struct ptx_warp *warp, const ptx_insn *insn,
                           uint32_t lanes);

enum { PTX_MAX_OPERANDS = 10, PTX_MAX_PARTS = 16 };

typedef enum ptx_flag {
  PTX_FTZ = 1 << 0,
  PTX_SAT = 1 << 1,
  PTX_APPROX = 1 << 2,
  PTX_HI = 1 << 3,
  PTX_WIDE = 1 << 4,
  PTX_CARRY_OUT = 1 << 5,
  PTX_NAN = 1 << 6,
  PTX_ABS = 1 << 7,
  PTX_RELU = 1 << 8,
  PTX_LEFT = 1 << 9,
  PTX_WRAP = 1 << 10,
  PTX_SHIFT_AMOUNT = 1 << 11,
  PTX_TO = 1 << 12,
  PTX_TRANSPOSED = 1 << 13,
  PTX_ENDS_RUN = 1 << 14, ///< does not go on to the instruction after it
} ptx_flag;

typedef enum ptx_rounding {
  PTX_NO_ROUNDING,
  PTX_NEAREST,
  PTX_TO_ZERO,
  PTX_DOWN,
  PTX_UP,
  PTX_NEAREST_AWAY,
} ptx_rounding;

/// An instruction: `op.part.part… operands;`. Exactly one of `compute`, `lane`,
/// `together` and `waits` is set.
struct ptx_insn {
  ptx_compute *compute;    ///< one result, to the first operand
  ptx_lane_step *lane;     ///< by each thread for itself
  ptx_warp_step *together; ///< once the threads of its mask have arrived
  ptx_warp_step *waits;    ///< a barrier of the block
  int mask;                ///< the operand that is the mask; -1: all that live
  uint32_t flags;
  uint8_t mode; ///< which of its family, as that numbers them
  uint8_t vector;
  uint8_t source_count; ///< of what compute reads, from the second operand on
  bool has_integer_rounding;
  ptx_rounding rounding;
  ptx_type type, type2, type3; ///< in the order of the text
  ptx_type result_type;        ///< what is written, where that is not `type`
  ptx_type source_types[4];
  ptx_space space;
  int guard; ///< a predicate register, or -1
  bool guard_is_negated;
  uint32_t line;
  size_t operand_count;
  ptx_operand operands[PTX_MAX_OPERANDS];
  uint32_t target; ///< of a branch: an index into the module's code
  uint32_t *targets;
  size_t target_count;
  size_t part_count;
  char *parts[PTX_MAX_PARTS]; ///< of the mnemonic; the first is the operation
  char *mnemonic;
  char *text;
};

struct ptx_function {
  char *name;
  bool is_entry, has_body;
  ptx_module *module;
  ptx_variable **parameters, **results;
  size_t parameter_count, result_count;
  uint64_t launch_bytes; ///< of an entry's parameters
  uint64_t param_bytes;  ///< of a frame's whole .param space
  uint64_t local_bytes;
  uint64_t shared_bytes; ///< of an entry: static shared memory
  uint8_t *register_bits;
  size_t register_count, register_capacity;
  uint32_t first; ///< its code in the module's
  uint32_t max_threads[3], required_threads[3], required_cluster[3];
  size_t number; ///< in the module
};

struct ptx_module {
  struct ptx_chunk *memory; ///< everything here lies in it
  int version_major, version_minor;
  unsigned target; ///< 90 of sm_90a
  char variant;    ///< 'a' of sm_90a, or 0
  ptx_variable **variables;
  size_t variable_count;
  ptx_function **functions;
  size_t function_count;
  ptx_insn *code;
  size_t code_count, code_capacity;
};

/// Decodes a text. NULL where it cannot be, with "line N: why" in `message`.
/// Lenient: shared variables are aligned as they happen to be on cards.
ptx_module *ptx_module_parse(const char *text, bool is_lenient, char *message,
                             size_t size);
void ptx_module_free(ptx_module *module);

/// A function or variable by its name, or NULL; definitions before
/// declarations.
ptx_function *ptx_module_find_function(const ptx_module *module,
                                       const char *name);
ptx_variable *ptx_module_find_variable(const ptx_module *module,
                                       const char *name);

/// Whether a part of the mnemonic behind the operation is `part`.
bool ptx_insn_has(const ptx_insn *insn, const char *part);

/// Chooses what executes an instruction, from its mnemonic and its operands.
/// False, with a reason in `message`, where the interpreter has nothing.
bool ptx_insn_select(ptx_insn *insn, char *message, size_t size);

/// The number of a special register such as %tid.x, or -1.
int ptx_special_find(const char *name);

#endif // ASYNC_GPU_TESTS_PTX_MODULE_H
