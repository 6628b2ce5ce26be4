//===- cfg.h - Blocks and edges -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes on control-flow graphs share: splitting blocks and edges.
// The C API moves blocks and ops but does not split.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_CFG_H
#define ASYNC_GPU_LOWER_CFG_H

#include "lower/ir/build.h"

/// Moves all ops after `op` into a new block that follows op's block in the
/// region. The old block is left without terminator; `op` is its last op.
MlirBlock agpu__split_after(MlirOperation op);

/// Splits blocks of functions in `module`, of kernels too, where many ops of
/// scf stand: upstream's conversion of each moves all that follows it in its
/// block, which takes quadratic time and memory.
void agpu__split_long_blocks(MlirOperation module);

/// A new empty block without arguments after `block` in its region.
MlirBlock agpu__block_after(MlirBlock block);

/// Puts a new block on edge number `successor` of `terminator`, a `cf.br`,
/// `cf.cond_br`, `cf.switch` or `async.coro.suspend`: the edge's operands stay
/// with the terminator and pass through the new block's arguments. Returns the
/// block's `cf.br`; the arguments have the types of the old target's.
MlirOperation agpu__split_edge(MlirOperation terminator, intptr_t successor);

/// Operands of `terminator` passed to successor number `successor`: their
/// range [*out_begin, *out_begin + *out_count). The terminators named above,
/// those of the LLVM dialect like them, and every op without successor operands
/// are known.
void agpu__edge_operands(MlirOperation terminator, intptr_t successor,
                         intptr_t *out_begin, intptr_t *out_count);

/// Appends `cf.br ^target` to a block.
MlirOperation agpu__branch(MlirBlock block, MlirLocation location,
                           MlirBlock target);

/// Appends `cf.cond_br %condition, ^yes, ^no` to a block.
MlirOperation agpu__branch_if(MlirBlock block, MlirLocation location,
                              MlirValue condition, MlirBlock yes, MlirBlock no);

/// Destroys the blocks of `region` that control cannot reach. Dialect
/// conversions pass them by and leave what they hold.
void agpu__erase_unreachable_blocks(MlirRegion region);

#endif // ASYNC_GPU_LOWER_CFG_H
