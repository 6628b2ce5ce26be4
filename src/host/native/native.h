//===- native.h - From the LLVM dialect to code that runs -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interfaces between the files of this folder, and those for the tools.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_NATIVE_NATIVE_H
#define ASYNC_GPU_HOST_NATIVE_NATIVE_H

#include "async_gpu/call.h"
#include "async_gpu/compiler.h"
#include "lower/ir/ir.h"

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"

//===----------------------------------------------------------------------===//
// Which function an address of code is in
//===----------------------------------------------------------------------===//

typedef struct agpu__code {
  uint64_t offset, size; ///< in the section
  char *symbol;          ///< NULL in a map
  char *what;            ///< as the user knows it, or NULL
} agpu__code;

/// The functions of an object file. All zero: there are none.
typedef struct agpu__code_list {
  agpu__code *functions;
  size_t count, capacity;
} agpu__code_list;

/// The same, loaded, in memory that nothing can write to: a program that
/// crashes may have written to any other.
typedef struct agpu__code_map agpu__code_map;

/// Appends the functions of `object`, which was made of `module`.
void agpu__code_list_read(agpu__code_list *list, MlirOperation module,
                          LLVMMemoryBufferRef object);
void agpu__code_list_free(agpu__code_list *list);

/// `symbol`, a function in the list, is loaded at `address`. NULL where it is
/// not there, or memory is out. Free with agpu__code_map_destroy.
agpu__code_map *agpu__code_map_create(const agpu__code_list *list,
                                      const char *symbol, const void *address);
void agpu__code_map_destroy(agpu__code_map *map);

/// The function at `address`, in the user's words, or NULL. `map` may be NULL.
/// Signal-safe.
const char *agpu__code_map_find(const agpu__code_map *map, uintptr_t address);

//===----------------------------------------------------------------------===//
// From the LLVM dialect to native code
//
// LLVM dialect -> LLVM IR -> optimised, with coroutines split -> assembly or
// an object file. Errors are MLIR diagnostics at the ops they concern, or at
// the module where no op is to blame. Thread safe for different contexts.
//===----------------------------------------------------------------------===//

/// The first op of `module`, itself included, that has no translation to LLVM
/// IR; a null op where all have one.
MlirOperation agpu__codegen_find_unlowered(MlirOperation module);

/// LLVM IR of `module` for `machine`, in `context`, which the caller owns like
/// the result. Functions that are private in the module are internal, so that
/// LLVM can drop them once they are inlined. NULL after a diagnostic: at the
/// first op that is not in the LLVM dialect, or upstream's own.
LLVMModuleRef agpu__codegen_translate(MlirOperation module,
                                      LLVMTargetMachineRef machine,
                                      LLVMContextRef context);

/// Has errors that LLVM finds in the code of `context` (in inline assembly,
/// say) appended to `errors`, which lives as long as the context. Otherwise
/// LLVM would print them and end the process.
void agpu__codegen_collect_errors(LLVMContextRef context, agpu__text *errors);

/// Makes every function and variable that is defined internal, but for the
/// functions of the list `kept`, which a NULL ends.
void agpu__codegen_internalize(LLVMModuleRef ir, const char *const *kept);

/// Sets the target of `ir` and runs LLVM's default pipeline of level 0 to 3 on
/// it, which splits coroutines at every level. `unroll` allows loops to be
/// unrolled: more code to make, for little where loops are vectorised.
MlirLogicalResult agpu__codegen_optimize(MlirOperation module, LLVMModuleRef ir,
                                         LLVMTargetMachineRef machine,
                                         int level, bool unroll);

//===----------------------------------------------------------------------===//
// Native code in this process
//
// ORC's LLJIT over one module. Errors are MLIR diagnostics, as in code
// generation.
//===----------------------------------------------------------------------===//

typedef struct agpu__jit_settings {
  int level; ///< of optimisation, 0 to 3
  /// All that will be looked up, and NULL after it; NULL: any function.
  const char *const *entries;
} agpu__jit_settings;

/// Compiles `module`, which is in the LLVM dialect, and runs its global
/// constructors. What it calls must be in the process or among upstream's
/// runner utilities, which are loaded where something is missing; a function
/// that is missing then is reported where the module declares it. NULL after a
/// diagnostic.
agpu_jit *agpu__jit_create(MlirOperation module,
                           const agpu__jit_settings *settings);

/// The address of a function, or NULL with a message appended to `error`.
void *agpu__jit_lookup(agpu_jit *jit, const char *name, agpu__text *error);

/// Where its functions are, or NULL where that is not known. Lives as long as
/// `jit`.
const agpu__code_map *agpu__jit_code_map(const agpu_jit *jit);

//===----------------------------------------------------------------------===//
// The embedding API from inside
//
// What a tool of ours needs beside include/async_gpu/compiler.h.
//===----------------------------------------------------------------------===//

/// As agpu_program_parse, but a text without any op is an error.
agpu_status agpu__program_parse_file(agpu_compiler *compiler, const char *name,
                                     const char *text, size_t size,
                                     agpu_program **out_program);

/// The module, which stays the program's.
MlirOperation agpu__program_module(const agpu_program *program);

/// Before anything that may emit diagnostics about `program`; and what they say
/// since then, as one status.
void agpu__program_begin(agpu_program *program);
agpu_status agpu__program_take_failure(agpu_program *program);

/// As agpu_jit_create, with other settings.
agpu_status agpu__program_jit(agpu_program *program,
                              const agpu__jit_settings *settings,
                              agpu_jit **out_jit);

//===----------------------------------------------------------------------===//
// What machine code is made for
//
// Linux on x86-64 and on 64-bit ARM, as far as LLVM was built with back ends
// for them. Thread safe.
//===----------------------------------------------------------------------===//

/// This machine's architecture, and any CPU of it, where nothing is named.
typedef struct agpu__target {
  const char *triple; ///< ARCHITECTURE[-VENDOR]-linux-gnu, or NULL
  const char *cpu; ///< LLVM's name of it, "generic", "native" (this very one,
                   ///< with all it can do), or NULL
  bool in_memory;  ///< the code stays in this process
} agpu__target;

/// False after a message in `error`, which says what is known, where the triple
/// or the CPU is not.
bool agpu__target_check(const agpu__target *target, agpu__text *error);

/// The architecture of a triple that is known as Debian's names of folders and
/// compilers have it: "aarch64-linux-gnu". NULL for the one of this machine.
const char *agpu__target_multiarch(const agpu__target *target);

/// A machine for code of optimisation level `level` (0 to 3) that the caller
/// disposes of. NULL after a diagnostic at `module`.
LLVMTargetMachineRef agpu__target_machine(const agpu__target *target, int level,
                                          MlirOperation module);

//===----------------------------------------------------------------------===//
// What a pipeline ends in
//===----------------------------------------------------------------------===//

/// Appends `module` in the form `kind`, made for `target` with optimisation
/// level 0 to 3, to `out`. Failure comes with a diagnostic.
MlirLogicalResult agpu__emit(MlirOperation module, agpu_emit_kind kind,
                             const agpu__target *target, int level,
                             agpu__text *out);

//===----------------------------------------------------------------------===//
// Functions called by the address of values
//===----------------------------------------------------------------------===//

/// Notes in `module` that `function`, whose signature this is, is called from
/// outside under the signature's name. For an awaitable one a function is made
/// that calls it in a region.
void agpu__exports_add(MlirOperation module, MlirOperation function,
                       const agpu_signature *signature);

/// Builds an agpu_packed_function for each that was noted, in the LLVM dialect,
/// unless it is there. Fails with a diagnostic where one of them is not
/// lowered, or not there any more.
MlirLogicalResult agpu__exports_build(MlirOperation module);

/// What the packed function for the name `name` is called. The caller frees it.
char *agpu__exports_symbol(const char *name);

//===----------------------------------------------------------------------===//
// What regions are called, for traces
//
// What a program carries so that a trace of it speaks of regions as its source
// does (async_gpu/compiled/trace.h).
//===----------------------------------------------------------------------===//

/// Has regions of `module` that run in place tell the runtime of it, where the
/// module has the attribute AGPU__TRACE_ATTR; `ir` is the module in LLVM IR,
/// not optimised yet.
void agpu__region_names_mark(MlirOperation module, LLVMModuleRef ir);

/// Adds a table of the regions of `module` to `ir`, after optimisation: what
/// has become of them is known then, and the table changes nothing.
void agpu__region_names_add(MlirOperation module, LLVMModuleRef ir);

/// What the user knows the function `symbol` of an object file by: "region 2
/// 'squares' (a.mlir:42)", "'main' (a.mlir:18)"; NULL where `symbols`, the
/// module's, have none such. The caller frees it.
char *agpu__region_names_describe(MlirSymbolTable symbols, const char *symbol);

//===----------------------------------------------------------------------===//
// What functions take and give
//===----------------------------------------------------------------------===//

/// The signature of `function`, a func.func, async.func or llvm.func, under the
/// name `name`. `awaitable`: as agpu_program_export makes it. NULL after a
/// diagnostic at the function.
agpu_signature *agpu__signature_create(MlirOperation function, const char *name,
                                       bool awaitable);

/// True if a call of the function gives tokens or values already.
bool agpu__signature_is_async(const agpu_signature *signature);

/// How many parameters the type becomes in the LLVM dialect.
int64_t agpu__type_parameters(const agpu_type *type);

//===----------------------------------------------------------------------===//
// Global constructors and destructors
//
// ORC's C API has no call that runs a module's `llvm.global_ctors`, so the JIT
// takes the lists out and calls the functions by name.
//===----------------------------------------------------------------------===//

/// Names of functions, in the order in which they are to be called.
typedef struct agpu__structors {
  char **constructors;
  size_t constructor_count;
  char **destructors;
  size_t destructor_count;
} agpu__structors;

/// Takes both lists out of `ir` and makes the functions visible by name.
void agpu__structors_take(LLVMModuleRef ir, agpu__structors *out_structors);

void agpu__structors_free(agpu__structors *structors);

#endif // ASYNC_GPU_HOST_NATIVE_NATIVE_H
