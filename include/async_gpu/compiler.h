//===- compiler.h - Compiling from C ----------------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What async-gpu-opt and async-gpu-runner do, for programs that embed it:
// parse a module, run passes, write code or call functions of it.
//
//     agpu_compiler *compiler;  agpu_program *program;  agpu_jit *jit;
//     agpu_compiler_create(&compiler);
//     agpu_program_parse(compiler, "sum.mlir", text, strlen(text), &program);
//     agpu_program_lower(program, "async-gpu-lower");
//     agpu_jit_create(program, 2, &jit);
//     agpu_jit_lookup(jit, "sum", &address);
//
// Statuses that come from the user's text hold all diagnostics as a compiler
// prints them, and the place of the first. Those of calls that succeed, such as
// warnings, get to the compiler's handler alone. A compiler and its programs
// are used by one thread at a time; different compilers are independent.
// Compiled code runs on any thread.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_COMPILER_H
#define ASYNC_GPU_COMPILER_H

#include "async_gpu/status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct agpu_compiler agpu_compiler; ///< dialects and passes
typedef struct agpu_program agpu_program;   ///< one module
typedef struct agpu_jit agpu_jit;           ///< compiled code in this process

/// The forms in which a program can be written.
typedef enum agpu_emit_kind {
  AGPU_EMIT_MLIR, ///< as it is now
  AGPU_EMIT_LLVM, ///< optimised LLVM IR, as text
  /// The PTX of its kernels: each module after a line `// gpu.module @NAME`.
  AGPU_EMIT_PTX,
  AGPU_EMIT_ASM, ///< assembly for a generic CPU of the host's architecture
  AGPU_EMIT_OBJ, ///< an object file, to be linked with the runtime library
} agpu_emit_kind;

/// A new compiler. It outlives its programs. What it has kept of them goes when
/// none is left, not each time.
AGPU_EXPORT agpu_status agpu_compiler_create(agpu_compiler **out_compiler);

/// Gets the text of one diagnostic, of `size` bytes, which ends in a newline,
/// while the call that it is of runs.
typedef void agpu_diagnostic_handler(const char *text, size_t size, void *data);

/// Has `handler` (NULL: none, as at first) get each diagnostic, those of calls
/// that fail too. `remarks` asks passes to remark on what they do. While the
/// compiler has no program.
AGPU_EXPORT void
agpu_compiler_set_diagnostic_handler(agpu_compiler *compiler,
                                     agpu_diagnostic_handler *handler,
                                     void *data, bool remarks);

/// NULL is allowed.
AGPU_EXPORT void agpu_compiler_release(agpu_compiler *compiler);

/// Parses and verifies `text` of `size` bytes, which may hold MLIR's text or
/// bytecode. `name` is the file name in diagnostics and locations; both are
/// copied.
AGPU_EXPORT agpu_status agpu_program_parse(agpu_compiler *compiler,
                                           const char *name, const char *text,
                                           size_t size,
                                           agpu_program **out_program);

/// NULL is allowed.
AGPU_EXPORT void agpu_program_release(agpu_program *program);

/// Runs a pipeline in mlir-opt's syntax, without the `builtin.module(...)`
/// around it. After an error the program is good only for being released.
AGPU_EXPORT agpu_status agpu_program_lower(agpu_program *program,
                                           const char *pipeline);

/// What a program needs in front of `async-gpu-lower` to run kernels: the name
/// of a pipeline, "async-gpu-from-linalg" where it has tensors and uses neither
/// gpu nor async, and "" otherwise. It is not to be freed.
AGPU_EXPORT const char *agpu_program_get_front(agpu_program *program);

/// Writes the program into new memory, which the caller frees with free().
/// `level` is 0 to 3. All forms but MLIR and PTX need it to be lowered to the
/// LLVM dialect.
AGPU_EXPORT agpu_status agpu_program_emit(agpu_program *program,
                                          agpu_emit_kind kind, int level,
                                          char **out_data, size_t *out_size);

/// Compiles a lowered program into this process, for this CPU; `level` is 0 to
/// 3. Functions that it calls are looked up in the process and in upstream's
/// runner utilities, which bring what programs print with. Independent of the
/// program afterwards.
AGPU_EXPORT agpu_status agpu_jit_create(agpu_program *program, int level,
                                        agpu_jit **out_jit);

/// The address of a function of the compiled program that is not private.
AGPU_EXPORT agpu_status agpu_jit_lookup(agpu_jit *jit, const char *name,
                                        void **out_address);

/// Frees the code, whose functions have returned and whose tokens and values
/// are READY or in ERROR. Waits a moment for tasks that are about to leave it;
/// as long as the runtime has other work all the time, or inside a task, the
/// code is kept, and freed by a later release. NULL is allowed. Any thread.
AGPU_EXPORT void agpu_jit_release(agpu_jit *jit);

/// Reads the trace `dump` that the runtime has written
/// (agpu_runtime_end_trace), and writes it to `trace`, as JSON for Perfetto,
/// whose name ends in ".json", and its profile to `profile`, as JSON into a
/// name that ends in ".json", as text into one that ends in ".txt", or to
/// standard error for "1". One of the two may be NULL. "%p" in a name is the
/// number of the process that was recorded. `dump` NULL: it is only found out
/// whether that can be written. Any thread.
AGPU_EXPORT agpu_status agpu_trace_convert(const char *dump, const char *trace,
                                           const char *profile);

#ifdef __cplusplus
}
#endif

#endif // ASYNC_GPU_COMPILER_H
