//===- toolkit.h - What a CUDA toolkit has for us -----------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing needs a CUDA toolkit, but math functions in kernels need its
// libdevice, and cubins its assembler. A toolkit is the folder that an option
// names, or the first of these that has the file: CUDA_HOME, CUDA_PATH, the one
// that the ptxas in PATH belongs to, /usr/local/cuda.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_TOOLKIT_H
#define ASYNC_GPU_GPU_TOOLKIT_H

#include "lower/ir/text.h"

#include <stdbool.h>
#include <stddef.h>

/// Whether `folder` is one, or "".
bool agpu__toolkit_can_be_in(const char *folder);

/// The path of libdevice's bitcode, as a new string that the caller frees; NULL
/// where there is none. `folder` is the toolkit to look in, or "" for a search.
char *agpu__toolkit_libdevice(const char *folder);

/// The path of ptxas, likewise.
char *agpu__toolkit_ptxas(const char *folder);

/// Assembles `ptx` for `chip` with the assembler at `ptxas`, through files in
/// TMPDIR (or /tmp) that are gone afterwards. `level` is 0 to 3; `lines` keeps
/// line information. Appends the cubin to `out`; on failure, false, appends
/// what the assembler said to `error`.
bool agpu__toolkit_assemble(const char *ptxas, const char *ptx,
                            const char *chip, int level, bool lines,
                            agpu__text *out, agpu__text *error);

#endif // ASYNC_GPU_GPU_TOOLKIT_H
