//===- symbols.h - Functions, globals and calls -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Symbols of a module: finding them, making functions and globals, and calling
// what the runtime has.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_SYMBOLS_H
#define ASYNC_GPU_LOWER_SYMBOLS_H

#include "lower/ir/build.h"

/// The module's body block, and a symbol lookup in it by name (null op: none).
MlirBlock agpu__module_body(MlirOperation module);
MlirOperation agpu__lookup(MlirOperation module, const char *symbol);

/// The function that `call` names as its `callee`; a null op where it names
/// none, or one that `symbols`, the module's, lacks.
MlirOperation agpu__find_callee(MlirSymbolTable symbols, MlirOperation call);

/// `base`, or `base_N` with the smallest N that no symbol of the module has.
/// The caller frees the result.
char *agpu__unique_symbol(MlirOperation module, const char *base);

/// True for a symbol without a body.
static inline bool agpu__is_declaration(MlirOperation symbol) {
  return mlirBlockIsNull(agpu__entry_block(symbol));
}

/// What to make of a function. Zero-initialise and fill in; `op`, `name` and
/// `type` are required.
typedef struct agpu__function_spec {
  const char *op; ///< "func.func", "async.func" or "llvm.func"
  const char *name;
  MlirType type;  ///< a function type; of the LLVM dialect for an llvm.func
  bool with_body; ///< an entry block with arguments, and no ops yet
  bool is_public; ///< no sym_visibility = "private" (not of an llvm.func)
  /// Has LLVM's internal linkage. On a func.func that only says so:
  /// its conversion hands it on.
  bool is_internal;
} agpu__function_spec;

/// The inputs of a function's type, of the dialect LLVM or not.
intptr_t agpu__function_type_inputs(MlirType type);
MlirType agpu__function_type_input(MlirType type, intptr_t index);

/// `type`, a function's, with `added` after its inputs, or before its results.
MlirType agpu__function_type_add(MlirType type, MlirType added, bool is_result);

/// Builds it, with the builder's location.
MlirOperation agpu__build_function(agpu__builder *at,
                                   const agpu__function_spec *spec);

/// An llvm.mlir.global. `attributes` are all but its name, type, linkage and
/// address space. Returns it; its region is empty.
MlirOperation agpu__build_global(agpu__builder *at, const char *name,
                                 MlirType type, bool is_private,
                                 const MlirNamedAttribute *attributes,
                                 size_t attribute_count);

/// A private `memref.global` without a value, and what reads it.
MlirOperation agpu__build_memref_global(agpu__builder *at, const char *name,
                                        MlirType type);
MlirValue agpu__build_memref(agpu__builder *at, const char *global,
                             MlirType type);

/// `func.call` of a symbol (null result type: none, and a null value).
MlirValue agpu__build_call(agpu__builder *at, const char *callee,
                           const MlirValue *operands, size_t operand_count,
                           MlirType result);

/// The same of a func.func that is declared at the front of `module` if it is
/// not yet.
MlirValue agpu__build_call_declared(agpu__builder *at, MlirOperation module,
                                    const char *callee,
                                    const MlirValue *operands,
                                    size_t operand_count, MlirType result);

/// "func.call" or "async.call" of `callee`, a symbol, with any number of
/// results.
MlirOperation agpu__build_call_of(agpu__builder *at, const char *name,
                                  MlirAttribute callee,
                                  const MlirValue *operands,
                                  size_t operand_count, const MlirType *results,
                                  size_t result_count);

/// `llvm.call` of a symbol, likewise.
MlirValue agpu__llvm_call(agpu__builder *at, const char *callee,
                          const MlirValue *operands, size_t operand_count,
                          MlirType result);

/// Calls the runtime function `name`, which is declared if it is not yet, and
/// returns its result (null result type: none, and a null value). The function
/// takes and returns objects and streams as `!llvm.ptr`; casts connect them to
/// the types of the operands and of `result`.
MlirValue agpu__call_runtime(agpu__builder *builder, MlirOperation module,
                             const char *name, const MlirValue *operands,
                             size_t operand_count, MlirType result);

/// Marks the globals of the following.
#define AGPU__STRING "agpu.string"

/// `!llvm.ptr` to a NUL-terminated constant string, a private global at the
/// front of the module. Ops that ask for the same text one after the other
/// share it.
MlirValue agpu__string_constant(agpu__builder *builder, MlirOperation module,
                                const char *text);

/// The builder's location as a `!llvm.ptr` to "file:line:col"; null where the
/// location is unknown.
MlirValue agpu__location_constant(agpu__builder *at, MlirOperation module);

#endif // ASYNC_GPU_LOWER_SYMBOLS_H
