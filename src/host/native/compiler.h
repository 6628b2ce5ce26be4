//===- compiler.h - The embedding API from inside -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a tool of ours needs beside include/async_gpu/compiler.h.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_HOST_COMPILER_H
#define ASYNC_GPU_HOST_COMPILER_H

#include "async_gpu/compiler.h"

#include "host/native/jit.h"
#include "lower/ir/ir.h"

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

#endif // ASYNC_GPU_HOST_COMPILER_H
