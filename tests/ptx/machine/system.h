//===- system.h - Calls of the system ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Programming Guide, "Formatted Output" and "Assertion"; the calling
// conventions are those that CUDA's headers have: vprintf(format, arguments)
// and
// __assertfail(message, file, line, function, size).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_SYSTEM_H
#define ASYNC_GPU_TESTS_PTX_SYSTEM_H

#include "machine/warp.h"

/// Whether kernels may call a function that their module only declares.
bool ptx_system_has(const char *name);
uint64_t ptx_system_call(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                         const char *name, const uint64_t *arguments);

/// A string of the program's, cut to `size`.
void ptx_read_string(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                     uint64_t address, char *text, size_t size);

#endif // ASYNC_GPU_TESTS_PTX_SYSTEM_H
