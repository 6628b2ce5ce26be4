//===- pipeline.c - async-gpu-native --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The named pipeline of the passes in this folder. Their order is fixed: each
// needs what the one before has left.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"

static const char text[] =
    "async-gpu-native-legalize,"
    "async-gpu-native-shared-memory{check-accesses=<check-accesses> "
    "count=<count>},"
    "async-gpu-native-context,"
    "async-gpu-native-loops{native-threads=<native-threads>},"
    "async-gpu-native-coroutines,"
    "async-gpu-native-block,"
    "async-gpu-native-share";

static const agpu_pass_option options[] = {AGPU__CHECK_ACCESSES_OPTION,
                                           AGPU__COUNT_OPTION,
                                           AGPU__NATIVE_THREADS_OPTION};

const agpu_pipeline agpu__pipeline_native = {
    .argument = "async-gpu-native",
    .anchor = "gpu.module",
    .summary = "Lower kernels from LLVM and NVVM to native code",
    AGPU__OPTIONS(options),
    .text = text,
};
