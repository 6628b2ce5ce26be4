//===- kernels.c - async-gpu-kernels --------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The named pipeline of all that is done to kernels once their launches have
// been lowered.
//
//===----------------------------------------------------------------------===//

#include "gpu/images/images.h"
#include "gpu/native/base/simt.h"

static const char text[] =
    "async-gpu-kernel-targets{chip=<chip> features=<features> "
    "targets=<targets> math=<math> toolkit={<toolkit>} "
    "[check-accesses:share=false ][count:share=false ][line-info:share=false ]"
    "bare-pointers=<" AGPU__BARE_POINTERS ">},"
    "gpu.module(async-gpu-native{check-accesses=<check-accesses> "
    "count=<count> "
    "native-threads=<native-threads>}),"
    "async-gpu-embed-kernels{format=<format> opt-level=<opt-level> "
    "line-info=<line-info>}";

static const agpu_pass_option options[] = {
    AGPU__CHIP_OPTION,           AGPU__FEATURES_OPTION,
    AGPU__FORMAT_OPTION,         AGPU__TARGETS_OPTION,
    AGPU__OPT_LEVEL_OPTION,      AGPU__LINE_INFO_OPTION,
    AGPU__MATH_OPTION,           AGPU__TOOLKIT_OPTION,
    AGPU__CHECK_ACCESSES_OPTION, AGPU__NATIVE_THREADS_OPTION,
    AGPU__BARE_POINTERS_OPTION,  AGPU__COUNT_OPTION,
};

const agpu_pipeline agpu__pipeline_kernels = {
    .argument = "async-gpu-kernels",
    .summary = "Compile kernels for each target and embed them in the program",
    AGPU__OPTIONS(options),
    .text = text,
};
