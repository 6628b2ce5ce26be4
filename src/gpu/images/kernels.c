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

#include "gpu/images/kernel_options.h"
#include "gpu/kernels/convention.h"
#include "gpu/native/base/options.h"
#include "lower/ir/ir.h"

static char *expand(const agpu_pass_values *values) {
  return agpu__format(
      "async-gpu-kernel-targets{chip=%s features=%s targets=%s math=%s "
      "toolkit={%s} bare-pointers=%s},"
      "gpu.module(async-gpu-native{check-accesses=%s native-threads=%s}),"
      "async-gpu-embed-kernels{format=%s opt-level=%s line-info=%s}",
      agpu__pass_value_string(values, "chip"),
      agpu__pass_value_string(values, "features"),
      agpu__pass_value_string(values, "targets"),
      agpu__pass_value_string(values, "math"),
      agpu__pass_value_string(values, "toolkit"),
      agpu__pass_value_string(values, AGPU__BARE_POINTERS),
      agpu__pass_value_string(values, "check-accesses"),
      agpu__pass_value_string(values, "native-threads"),
      agpu__pass_value_string(values, "format"),
      agpu__pass_value_string(values, "opt-level"),
      agpu__pass_value_string(values, "line-info"));
}

static const agpu_pass_option options[] = {
    AGPU__CHIP_OPTION,           AGPU__FEATURES_OPTION,
    AGPU__FORMAT_OPTION,         AGPU__TARGETS_OPTION,
    AGPU__OPT_LEVEL_OPTION,      AGPU__LINE_INFO_OPTION,
    AGPU__MATH_OPTION,           AGPU__TOOLKIT_OPTION,
    AGPU__CHECK_ACCESSES_OPTION, AGPU__NATIVE_THREADS_OPTION,
    AGPU__BARE_POINTERS_OPTION,
};

const agpu_pipeline agpu__pipeline_kernels = {
    .argument = "async-gpu-kernels",
    .summary = "Compile kernels for each target and embed them in the program",
    .description =
        "Replaces each `gpu.module` by images of its kernels, and the "
        "descriptors through which the runtime finds them "
        "(`include/async_gpu/compiled/kernel.h`):\n"
        "\n"
        "- **ptx**: LLVM's NVPTX backend compiles the module for each `chip`. "
        "When the program runs, the image that suits the card best is "
        "loaded.\n"
        "- **native**: for the emulated device each kernel becomes a function "
        "of the host program that runs one block: a loop over its threads, "
        "which LLVM can vectorise, or one for each piece of code between "
        "barriers that all threads reach alike. Where threads wait for each "
        "other in another way (shuffles, votes, barriers in branches that may "
        "differ), each thread is a coroutine that suspends there. Workgroup "
        "memory becomes a part of one piece of memory that "
        "the block is given. Tensor cores, copies by the hardware and clusters "
        "need a GPU: with PTX beside it, a launch of such a kernel on the "
        "emulated device fails; without, compiling it does.\n"
        "\n"
        "A module for each target is made by `async-gpu-kernel-targets`, "
        "`async-gpu-native` makes native code, and `async-gpu-embed-kernels` "
        "PTX and all that the program carries. Functions of CUDA's "
        "libdevice are replaced where the target can do the same. Others are "
        "linked from the toolkit that is found for PTX, and calls of the C "
        "library in native code.\n"
        "\n"
        "[kernels.md](kernels.md) says what may stand in kernels, and how a "
        "toolkit is found.\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(*options),
    .expand = expand,
};
