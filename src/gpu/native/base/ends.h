//===- ends.h - Ends of threads --------------------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After a failed assertion a thread goes no further, but others do: the block
// ends in an llvm.unreachable with a mark.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_ENDS_H
#define ASYNC_GPU_GPU_SIMT_ENDS_H

#include "lower/ir/ir.h"

/// True for such an end of a block, and the mark, for the code that makes one.
bool agpu__simt_ends_thread(MlirOperation op);
void agpu__simt_mark_end(MlirOperation unreachable);

/// Makes such ends in `function` return from the kernel that it is; in another
/// function they end the launch.
void agpu__simt_end_threads(MlirOperation function, bool is_kernel,
                            MlirOperation gpu_module);

/// Ends the launch where an assertion has failed.
void agpu__simt_check_assertions(agpu__builder *at, MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_SIMT_ENDS_H
