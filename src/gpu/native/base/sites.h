//===- sites.h - Places where threads wait ---------------------- -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_SIMT_SITES_H
#define ASYNC_GPU_GPU_SIMT_SITES_H

#include "async_gpu/compiled/native_thread.h"
#include "lower/ir/ir.h"

/// The address of an agpu_native_site for a wait at the builder's location: a
/// constant of the module, put in front of `function`, which the builder is in.
MlirValue agpu__simt_site(agpu__builder *at, MlirOperation gpu_module,
                          MlirOperation function, agpu_native_wait wait,
                          uint32_t mode);

#endif // ASYNC_GPU_GPU_SIMT_SITES_H
