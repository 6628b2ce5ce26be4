//===- names.h - Names in the host's program -------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_NAMES_H
#define ASYNC_GPU_GPU_NAMES_H

#include "mlir-c/IR.h"

/// Gives each function with a body and each global of `gpu_module` the name
/// that it will have in the host's program, and each kernel the attributes of
/// targets.h that it lacks. Declarations keep theirs: what they name is in the
/// host.
void agpu__simt_name_symbols(MlirOperation gpu_module);

#endif // ASYNC_GPU_GPU_NAMES_H
