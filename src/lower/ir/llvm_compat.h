//===- llvm_compat.h - What differs between LLVM releases -------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls, and the wordings of messages, that have changed between LLVM
// releases or are likely to. Everything else in async-gpu uses only what has
// been stable. Written for LLVM 22.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_LLVM_COMPAT_H
#define ASYNC_GPU_LOWER_LLVM_COMPAT_H

#include "lower/ir/text.h"

#include "mlir-c/Pass.h"
#include "llvm-c/Orc.h"

/// If `message` is upstream's complaint that a pass runs on another op than
/// the pass manager does: the name of that op, which the caller frees. Else
/// NULL.
char *agpu__compat_required_anchor(const char *message);

/// True if `message` is upstream's complaint that a name is no pass.
bool agpu__compat_is_unknown_pass(const char *message);

/// Appends what upstream's pipeline parser says in `message`, without its
/// prefix and repetitions.
void agpu__compat_pipeline_error(const char *message, agpu__text *reason);

/// Which IR mlir-opt's --mlir-print-ir-* options print.
typedef struct agpu__ir_printing {
  bool before_all, after_all;
  bool after_change;  ///< after a pass only if it changed something
  bool after_failure; ///< only after a pass that failed
  bool module_scope;
  const char *tree_directory; ///< NULL: to stderr
} agpu__ir_printing;

void agpu__compat_enable_ir_printing(MlirPassManager manager,
                                     const agpu__ir_printing *printing);

/// True if `line` is upstream's complaint that a file of `tree_directory`
/// cannot be written. Signal-safe.
bool agpu__compat_is_lost_file(const char *line);

/// True if passes of this LLVM count what mlirPassManagerEnableStatistics
/// shows, whether or not it was built with assertions: then they do in any
/// case.
bool agpu__compat_has_statistics(void);

/// A context for ORC that owns `context`. The caller disposes of it.
LLVMOrcThreadSafeContextRef
agpu__compat_thread_safe_context(LLVMContextRef context);

/// The type of the tokens that the ops of LLVM's coroutines give each other.
MlirType agpu__compat_coroutine_token(MlirContext context);

/// A builder of instructions in functions of `ir`. The caller disposes of it.
LLVMBuilderRef agpu__compat_builder(LLVMModuleRef ir);

/// Tells LLVM what the process is called: it prints a malformed value of an
/// upstream pass's option to stderr itself, under this name.
void agpu__compat_set_program_name(const char *name);

/// Has LLVM lay out the matrices of llvm.intr.matrix by rows, or by columns.
void agpu__compat_set_row_major(bool row_major);

/// Appends the names of the dialects in the note of an error about one that
/// does not exist, comma-separated.
void agpu__compat_listed_dialects(const char *note, agpu__text *names);

/// Appends the names of all dialects of `context`, separated by commas.
/// There is no call that lists them, but the parser does when it meets an op
/// of an unknown one.
void agpu__compat_dialect_names(MlirContext context, agpu__text *names);

#endif // ASYNC_GPU_LOWER_LLVM_COMPAT_H
