//===- limits.h - What the emulated device takes ---------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_BASE_LIMITS_H
#define ASYNC_GPU_RUNTIME_EMU_BASE_LIMITS_H

#define AGPU__EMU_MAX_THREADS_PER_BLOCK 1024u
#define AGPU__EMU_MAX_BLOCK_Z 64u
#define AGPU__EMU_MAX_GRID_X 0x7fffffffu
#define AGPU__EMU_MAX_GRID_YZ 65535u
#define AGPU__EMU_MAX_SHARED_BYTES (48u * 1024u)
#define AGPU__EMU_MAX_PARAMETER_BYTES 32764u // as of CUDA 12.1 and sm_70
#define AGPU__EMU_MAX_CLUSTER 8u             // blocks, without asking
#define AGPU__EMU_MAX_LARGE_CLUSTER 16u      // and with it

#endif // ASYNC_GPU_RUNTIME_EMU_BASE_LIMITS_H
