//===- bulk.h - Copies in bulk that are under way --------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_PTX_BULK_H
#define ASYNC_GPU_TESTS_PTX_BULK_H

#include "machine/warp.h"

typedef struct ptx_bulk ptx_bulk;

/// Makes some copy to shared memory that a thread of the block has begun, if
/// there is one.
bool ptx_bulk_end_some(ptx_block *block);

/// All threads of the block have ended: makes its copies to global memory.
void ptx_bulk_finish(ptx_block *block);
void ptx_bulk_free(ptx_block *block);

#endif // ASYNC_GPU_TESTS_PTX_BULK_H
