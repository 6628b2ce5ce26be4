//===- to_nvvm.c - async-gpu-kernels-to-nvvm ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass around the conversion of kernels, for reading what comes out, and
// for passes in between.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernels/convention.h"
#include "gpu/kernels/targets.h"
#include "gpu/nvvm/nvvm.h"
#include "lower/pass/pass.h"

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  agpu__nvvm_options how = {0};
  agpu__ops modules = {0};
  MlirLogicalResult result =
      agpu__convention_set(module, values, &how.bare_pointers);
  if (mlirLogicalResultIsFailure(agpu__collect_gpu_modules(module, &modules)))
    result = mlirLogicalResultFailure();
  if (mlirLogicalResultIsSuccess(result))
    for (size_t i = 0; i < modules.count; ++i)
      if (mlirLogicalResultIsFailure(agpu__nvvm_lower(modules.data[i], &how)))
        result = mlirLogicalResultFailure();
  agpu__ops_free(&modules);
  return result;
}

static const agpu_pass_option options[] = {AGPU__BARE_POINTERS_OPTION};

const agpu_pass agpu__pass_kernels_to_nvvm = {
    .argument = "async-gpu-kernels-to-nvvm",
    .summary = "Convert the kernels of each gpu.module to LLVM and NVVM",
    .description =
        "Runs upstream's conversions on each `gpu.module`, in an order chosen "
        "from what the module holds: affine, scf, cf, arith, math, memref, "
        "vector, complex, linalg on memrefs, nvgpu and gpu become the `llvm` "
        "and `nvvm` dialects, in place. `index` becomes `i64`; a memref "
        "argument becomes the members of its descriptor. An op that has no "
        "conversion is an error. Math without a single instruction becomes a "
        "call of a libdevice function (`__nv_expf`).\n"
        "\n"
        "`async-gpu-kernel-targets` does this itself where it has not been "
        "done; the "
        "pass is there to read the IR in between, and to run passes on it.\n",
    .before = "gpu.module @m {\n"
              "  gpu.func @fill(%x: memref<?xf32>, %v: f32) kernel {\n"
              "    %i = gpu.thread_id x\n"
              "    memref.store %v, %x[%i] : memref<?xf32>\n"
              "    gpu.return\n"
              "  }\n"
              "}\n",
    .after = "gpu.module @m {\n"
             "  llvm.func @fill(%arg0: !llvm.ptr, %arg1: !llvm.ptr,\n"
             "                  %arg2: i64, %arg3: i64, %arg4: i64,\n"
             "                  %arg5: f32) attributes {gpu.kernel,\n"
             "                                          nvvm.kernel} {\n"
             "    %0 = nvvm.read.ptx.sreg.tid.x : i32\n"
             "    %1 = llvm.sext %0 : i32 to i64\n"
             "    %2 = llvm.getelementptr %arg1[%1]\n"
             "        : (!llvm.ptr, i64) -> !llvm.ptr, f32\n"
             "    llvm.store %arg5, %2 : f32, !llvm.ptr\n"
             "    llvm.return\n"
             "  }\n"
             "}\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(*options),
    .run = run,
};
