//===- make.h - Ops from the arguments of calls ----------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a call asks for as an op that is in no stream yet: for the calls that
// enqueue one, and for nodes of graphs. All arguments are checked, and copied.
// A context is current.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_DEVICE_MAKE_H
#define ASYNC_GPU_RUNTIME_EMU_DEVICE_MAKE_H

#include "emu/device/op.h"

/// A launch in clusters of so many blocks.
CUresult agpu__emu_launch_make(CUfunction function, const unsigned *cluster,
                               unsigned int grid_x, unsigned int grid_y,
                               unsigned int grid_z, unsigned int block_x,
                               unsigned int block_y, unsigned int block_z,
                               unsigned int shared_bytes, void **params,
                               void **extra, agpu__emu_op **out_op);

/// Whether a grid may be launched in clusters of so many blocks; the error of a
/// launch, with a note, if not.
CUresult agpu__emu_clusters_check(CUfunction function, const unsigned *grid,
                                  const unsigned *cluster);

/// Neither is empty.
CUresult agpu__emu_copy_make(const CUDA_MEMCPY3D *copy, agpu__emu_op **out_op);
CUresult agpu__emu_fill_make(CUdeviceptr target, size_t pitch,
                             unsigned int value, unsigned int element_bytes,
                             size_t width, size_t height,
                             agpu__emu_op **out_op);

#endif // ASYNC_GPU_RUNTIME_EMU_DEVICE_MAKE_H
