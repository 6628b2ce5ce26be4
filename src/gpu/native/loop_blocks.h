//===- loop_blocks.h - Which blocks are in a loop -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops of a control-flow graph, with what is nested in them: its strongly
// connected components.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_NATIVE_LOOP_BLOCKS_H
#define ASYNC_GPU_NATIVE_LOOP_BLOCKS_H

#include "lower/ir/map.h"

#include "mlir-c/IR.h"

/// From the blocks of `body` that are in a loop to the number of the outermost
/// one. In time that is linear in blocks and edges. Free with agpu__map_free.
agpu__map agpu__find_loop_blocks(MlirRegion body);

#endif // ASYNC_GPU_NATIVE_LOOP_BLOCKS_H
