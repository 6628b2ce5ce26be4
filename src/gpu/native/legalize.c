//===- legalize.c - async-gpu-native-legalize -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first pass on the way to native code: what it leaves is arithmetic and
// memory, registers, waits, and what a device does for its kernels.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"
#include "gpu/native/calls.h"
#include "gpu/native/check.h"
#include "gpu/native/instructions/instructions.h"
#include "gpu/native/names.h"
#include "gpu/native/unsupported.h"
#include "gpu/ptx/libdevice.h"
#include "lower/pass/pass.h"

static MlirLogicalResult run(MlirOperation gpu_module,
                             const agpu_pass_values *values) {
  (void)values;
  if (!agpu__simt_is_meant(gpu_module))
    return mlirLogicalResultSuccess();
  agpu__simt_name_symbols(gpu_module);
  agpu__simt_replace_unsupported(gpu_module);
  // What async-gpu-kernel-targets has let through is marked by now.
  if (mlirLogicalResultIsFailure(agpu__simt_check(gpu_module, false)))
    return mlirLogicalResultFailure();
  agpu__simt_expand_instructions(gpu_module);
  if (mlirLogicalResultIsFailure(agpu__libdevice_to_host(gpu_module)) ||
      mlirLogicalResultIsFailure(agpu__simt_inline_waits(gpu_module)))
    return mlirLogicalResultFailure();
  agpu__simt_drop_unused(gpu_module);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_native_legalize = {
    .argument = AGPU__SIMT_PASS("legalize"),
    .anchor = "gpu.module",
    .summary = "Replace what is the GPU's own in kernels",
    .description =
        "Instructions of the GPU that a host can compute become ops of the "
        "`llvm` dialect, and calls of libdevice functions intrinsics or calls "
        "of the C library. Functions that wait for other threads, end their "
        "own or assert are inlined into the kernels, and `nvvm.exit` returns "
        "from them. What no kernel needs goes away. Kernels that the emulated "
        "device cannot run get a body that fails the launch, where "
        "`async-gpu-kernel-targets` has let them pass; else they are errors. "
        "Left are reads of registers, waits, and calls of what a device does "
        "for its kernels. Symbols get their names in the program.\n"
        "\n"
        "This pass and the others of `async-gpu-native` leave a `gpu.module` "
        "alone that is for another target (`agpu.target`).\n",
    .before = "gpu.module @m {\n"
              "  llvm.func @__nv_floorf(f32) -> f32\n"
              "  llvm.func @k(%x: f32, %p: !llvm.ptr)\n"
              "      attributes {nvvm.kernel} {\n"
              "    %0 = llvm.call @__nv_floorf(%x) : (f32) -> f32\n"
              "    llvm.store %0, %p : f32, !llvm.ptr\n"
              "    nvvm.memory.barrier <gpu>\n"
              "    llvm.return\n"
              "  }\n"
              "}\n",
    .after = "gpu.module @m {\n"
             "  llvm.func @agpu_body.m.k(%x: f32, %p: !llvm.ptr)\n"
             "      attributes {agpu.image_name = \"k\", agpu.name = \"k\",\n"
             "                  nvvm.kernel} {\n"
             "    %0 = llvm.intr.floor(%x) : (f32) -> f32\n"
             "    llvm.store %0, %p : f32, !llvm.ptr\n"
             "    llvm.fence seq_cst\n"
             "    llvm.return\n"
             "  }\n"
             "}\n",
    .run = run,
};
