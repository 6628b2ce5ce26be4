//===- kernels.c - async-gpu-kernels: gpu.module to embedded images -------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/images/kernels.h"

#include "gpu/images/binaries.h"
#include "gpu/images/embed.h"
#include "gpu/images/images.h"
#include "gpu/images/kernel_options.h"
#include "gpu/images/kernel_pointers.h"
#include "gpu/images/parameters.h"
#include "gpu/kernels/bare_pointers.h"
#include "gpu/kernels/kernel_facts.h"
#include "gpu/kernels/launch_check.h"
#include "gpu/native/simt.h"
#include "gpu/nvvm/lowered.h"
#include "gpu/nvvm/nvvm.h"
#include "gpu/ptx/chips.h"
#include "gpu/ptx/libdevice.h"
#include "gpu/ptx/ptx.h"
#include "gpu/ptx/toolkit.h"
#include "lower/ir/ir.h"
#include "lower/pass/pass.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const agpu_pass_option nvvm_options[] = {AGPU__BARE_POINTERS_OPTION};

//===----------------------------------------------------------------------===//
// What both passes look at
//===----------------------------------------------------------------------===//

/// The gpu.modules of `module`. Fails where one cannot be handled: inside
/// something other than the module itself.
static MlirLogicalResult collect_modules(MlirOperation module,
                                         agpu__ops *out_modules) {
  agpu__collect(module, "gpu.module", out_modules);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < out_modules->count; ++i)
    if (!mlirOperationEqual(
            mlirOperationGetParentOperation(out_modules->data[i]), module))
      result = agpu__error(mlirOperationGetLocation(out_modules->data[i]),
                           "a gpu.module must stand at the top level");
  return result;
}

//===----------------------------------------------------------------------===//
// Kernels of a module
//===----------------------------------------------------------------------===//

/// `name` as a PTX identifier, unique in `gpu_module`: PTX allows letters,
/// digits, `_` and `$`, where MLIR allows any text.
static char *image_name(MlirOperation gpu_module, MlirStringRef name) {
  char *text = agpu__format("%s", "");
  bool changed = false;
  for (size_t i = 0; i < name.length; ++i) {
    unsigned char byte = (unsigned char)name.data[i];
    bool legal = byte < 0x80 && (isalpha(byte) || byte == '_' || byte == '$' ||
                                 (isdigit(byte) && i > 0));
    char *longer = legal ? agpu__format("%s%c", text, byte)
                         : agpu__format("%s_$%02x", text, byte);
    changed |= !legal;
    free(text);
    text = longer;
  }
  // One of these alone is not an identifier.
  if (!*text || !strcmp(text, "_") || !strcmp(text, "$")) {
    char *longer = agpu__format("%s_$", text);
    free(text);
    text = longer;
    changed = true;
  }
  if (changed) {
    char *unique = agpu__unique_symbol(gpu_module, text);
    free(text);
    text = unique;
  }
  return text;
}

/// The kernels of a lowered module, in order. Renames those that PTX cannot
/// spell. The caller frees the array with free_kernels.
static agpu__kernel *collect_kernels(MlirOperation gpu_module,
                                     size_t *out_count) {
  agpu__kernel *kernels = NULL;
  size_t count = 0;
  for (MlirOperation op =
           mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!agpu__nvvm_is_kernel(op) || agpu__nvvm_is_declaration(op))
      continue;
    kernels = realloc(kernels, (count + 1) * sizeof(*kernels));
    if (!kernels)
      abort();
    agpu__kernel *kernel = &kernels[count++];
    *kernel = (agpu__kernel){0};
    kernel->name = agpu__get_string(op, "sym_name");
    kernel->image_name = image_name(gpu_module, kernel->name);
    kernel->location = mlirOperationGetLocation(op);
    kernel->function = op;
    kernel->pointers = agpu__kernel_pointers_take(op, &kernel->pointer_count);
    mlirOperationSetAttributeByName(
        op, agpu__str("sym_name"),
        agpu__string_attr(mlirOperationGetContext(op), kernel->image_name));
  }
  *out_count = count;
  return kernels;
}

static void free_kernels(agpu__kernel *kernels, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    free(kernels[i].image_name);
    free(kernels[i].native_symbol);
    free(kernels[i].param_sizes);
    free(kernels[i].pointers);
  }
  free(kernels);
}

/// A known block size is a promise of every launch; as `.reqntid` the driver
/// holds the launch to it and the assembler makes use of it.
static void require_block_size(MlirOperation kernel) {
  MlirStringRef maximum = agpu__str("nvvm.maxntid");
  MlirStringRef required = agpu__str("nvvm.reqntid");
  MlirAttribute size = mlirOperationGetAttributeByName(kernel, maximum);
  if (!agpu__has_attr(kernel, "gpu.known_block_size") ||
      mlirAttributeIsNull(size) || agpu__has_attr(kernel, "nvvm.reqntid"))
    return;
  mlirOperationRemoveDiscardableAttributeByName(kernel, maximum);
  mlirOperationSetDiscardableAttributeByName(kernel, required, size);
}

//===----------------------------------------------------------------------===//
// One module
//===----------------------------------------------------------------------===//

/// redux.sync stands in all code that is made, or in none: it is made of one
/// module.
static bool has_redux(const agpu__kernel_options *options) {
  bool all = !options->to_native;
  for (size_t i = 0; i < options->chip_count; ++i)
    all = all && options->chips[i]->number >= 80;
  return all;
}

/// Looks at all that can be wrong before anything is made, so that one run
/// reports it all. `versions` receives the PTX version for each chip.
static MlirLogicalResult check_source(MlirOperation gpu_module,
                                      const agpu__kernel_options *options,
                                      int *versions) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < options->chip_count && options->to_cuda; ++i)
    if (mlirLogicalResultIsFailure(
            agpu__chip_check(gpu_module, options->chips[i], &versions[i])))
      result = mlirLogicalResultFailure();
  return result;
}

static MlirLogicalResult check_lowered(MlirOperation gpu_module,
                                       const agpu__kernel_options *options,
                                       const char *libdevice) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (options->to_cuda &&
      mlirLogicalResultIsFailure(agpu__ptx_check(gpu_module, libdevice)))
    result = mlirLogicalResultFailure();
  if (options->to_native && mlirLogicalResultIsFailure(
                                agpu__simt_check(gpu_module, options->to_cuda)))
    result = mlirLogicalResultFailure();
  return result;
}

/// Makes the images of a checked module and puts them in its place.
static MlirLogicalResult embed_images(MlirOperation host_module,
                                      MlirOperation gpu_module,
                                      const agpu__kernel_options *options,
                                      const int *versions,
                                      const char *libdevice) {
  size_t kernel_count;
  agpu__kernel *kernels = collect_kernels(gpu_module, &kernel_count);
  for (size_t i = 0; i < kernel_count; ++i)
    require_block_size(kernels[i].function);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  agpu__image_list images = {0};
  // Native code takes more parameters, and shares memory with the host.
  for (size_t i = 0; i < kernel_count; ++i)
    kernels[i].argument_attributes =
        agpu__kernel_facts_apply(kernels[i].function);
  if (options->to_cuda)
    result =
        agpu__images_compile(gpu_module, options, versions, libdevice, &images);
  for (size_t i = 0; i < kernel_count; ++i)
    agpu__kernel_facts_take_back(kernels[i].function,
                                 kernels[i].argument_attributes);
  bool writes = !mlirOperationIsNull(agpu__lookup(gpu_module, "vprintf")) ||
                !mlirOperationIsNull(agpu__lookup(gpu_module, "__assertfail"));
  if (mlirLogicalResultIsSuccess(result) && options->to_native)
    result = agpu__simt_lower(gpu_module, host_module, kernels, kernel_count,
                              options->check_accesses, options->coroutines);
  if (mlirLogicalResultIsSuccess(result)) {
    const agpu__embedding embedding = {
        .module_name = agpu__get_string(gpu_module, "sym_name"),
        .images = images.data,
        .image_count = images.count,
        .has_native = options->to_native,
        .native_writes = writes,
        .kernels = kernels,
        .kernel_count = kernel_count,
    };
    agpu__embed(host_module, gpu_module, &embedding);
    mlirOperationDestroy(gpu_module);
  }
  agpu__images_free(&images);
  free_kernels(kernels, kernel_count);
  return result;
}

/// Replaces `gpu_module` by its images.
static MlirLogicalResult embed_module(MlirOperation host_module,
                                      MlirOperation gpu_module,
                                      const agpu__kernel_options *options) {
  int versions[AGPU__MAX_CHIPS];
  MlirLogicalResult result = check_source(gpu_module, options, versions);
  const agpu__nvvm_options nvvm = {.bare_pointers = options->bare_pointers,
                                   .has_redux = has_redux(options),
                                   .expand_math = options->expand_math};
  agpu__kernel_pointers_keep(gpu_module, options->bare_pointers);
  if (mlirLogicalResultIsFailure(agpu__nvvm_lower(gpu_module, &nvvm)))
    return mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(agpu__check_launches(
          host_module, gpu_module, options->bare_pointers)) ||
      mlirLogicalResultIsFailure(agpu__widen_parameters(gpu_module)))
    result = mlirLogicalResultFailure();
  agpu__libdevice_expand(gpu_module, options->expand_math);
  char *libdevice =
      options->to_cuda ? agpu__toolkit_libdevice(options->toolkit) : NULL;
  if (mlirLogicalResultIsFailure(check_lowered(gpu_module, options, libdevice)))
    result = mlirLogicalResultFailure();
  if (mlirLogicalResultIsSuccess(result))
    result =
        embed_images(host_module, gpu_module, options, versions, libdevice);
  free(libdevice);
  return result;
}

//===----------------------------------------------------------------------===//
// The passes
//===----------------------------------------------------------------------===//

static MlirLogicalResult run_kernels(MlirOperation module,
                                     const agpu_pass_values *values) {
  // Taking the kernels away from under a launch would leave it dangling.
  MlirLogicalResult result = mlirLogicalResultSuccess();
  agpu__ops launches = {0};
  agpu__collect(module, "gpu.launch_func", &launches);
  for (size_t i = 0; i < launches.count; ++i)
    result = agpu__error(mlirOperationGetLocation(launches.data[i]),
                         "a launch must be lowered before its kernel: run "
                         "async-gpu-streams before async-gpu-kernels");
  agpu__ops_free(&launches);

  if (mlirLogicalResultIsSuccess(result))
    result = agpu__embed_binaries(module);

  agpu__ops modules = {0};
  if (mlirLogicalResultIsFailure(collect_modules(module, &modules)))
    result = mlirLogicalResultFailure();
  agpu__kernel_options how;
  if (mlirLogicalResultIsSuccess(result) && modules.count)
    result = agpu__kernel_options_read(
        mlirOperationGetLocation(modules.data[0]), values, &how);
  if (mlirLogicalResultIsSuccess(result)) {
    for (size_t i = 0; i < modules.count; ++i)
      if (mlirLogicalResultIsFailure(
              embed_module(module, modules.data[i], &how)))
        result = mlirLogicalResultFailure();
    // The module contains no gpu.module any more.
    if (mlirLogicalResultIsSuccess(result))
      mlirOperationRemoveDiscardableAttributeByName(
          module, agpu__str("gpu.container_module"));
  }
  agpu__ops_free(&modules);
  return result;
}

static MlirLogicalResult run_kernels_to_nvvm(MlirOperation module,
                                             const agpu_pass_values *values) {
  const agpu__nvvm_options how = {
      .bare_pointers = agpu__pass_value_bool(values, AGPU__BARE_POINTERS)};
  agpu__ops modules = {0};
  MlirLogicalResult result = collect_modules(module, &modules);
  if (mlirLogicalResultIsSuccess(result))
    for (size_t i = 0; i < modules.count; ++i)
      if (mlirLogicalResultIsFailure(agpu__nvvm_lower(modules.data[i], &how)))
        result = mlirLogicalResultFailure();
  agpu__ops_free(&modules);
  return result;
}

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
        "`async-gpu-kernels` does this itself where it has not been done; the "
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
    .options = nvvm_options,
    .option_count = sizeof(nvvm_options) / sizeof(nvvm_options[0]),
    .run = run_kernels_to_nvvm,
};

const agpu_pass agpu__pass_kernels = {
    .argument = "async-gpu-kernels",
    .summary = "Compile each gpu.module and embed it in the program",
    .description =
        "Replaces each `gpu.module` by images of its kernels, and the "
        "descriptors through which the runtime finds them "
        "(`include/async_gpu/compiled/kernel.h`):\n"
        "\n"
        "- **ptx**: LLVM's NVPTX backend compiles the module for each `chip`. "
        "The text is a constant of the program, marked `agpu.ptx`, and so is, "
        "with `format=cubin`, what `ptxas` makes of it, marked `agpu.cubin`. "
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
        "A `gpu.binary` is replaced by its PTX; the emulated device has no "
        "code "
        "for it.\n"
        "\n"
        "A module that is not in the `llvm` and `nvvm` dialects yet is "
        "converted first, as by `async-gpu-kernels-to-nvvm`. Launches must "
        "have been lowered (`async-gpu-streams`). Functions of CUDA's "
        "libdevice are replaced where the target can do the same. Others are "
        "linked from the toolkit that is found for PTX, and calls of the C "
        "library in native code.\n"
        "\n"
        "[kernels.md](kernels.md) says what may stand in kernels, and how a "
        "toolkit is found.\n"
        "\n"
        "The symbol of kernel `K` of module `M` is `agpu_kernel.M.K` (dots "
        "and dollar signs in `M` are escaped with a dollar sign).\n",
    .before = "gpu.module @m {\n"
              "  gpu.func @fill(%x: memref<?xf32>, %v: f32) kernel { ... }\n"
              "}\n",
    .after = "llvm.func internal @agpu_body.m.fill(...)\n"
             "    attributes {no_inline}\n"
             "llvm.func internal @agpu_native.m.fill(%params: !llvm.ptr,\n"
             "                                       %block: !llvm.ptr)\n"
             "llvm.mlir.global internal constant @agpu_ptx.m.sm_75(\"...\")"
             "\n    {agpu.ptx = \"m\"}\n"
             "llvm.mlir.global internal constant @agpu_native_image.m() ...\n"
             "llvm.mlir.global internal constant @agpu_images.m() ...\n"
             "llvm.mlir.global internal @agpu_module.m() ...\n"
             "llvm.mlir.global internal @agpu_kernel.m.fill() ...\n",
    .options = agpu__kernel_option_list,
    .option_count = AGPU__KERNEL_OPTION_COUNT,
    .run = run_kernels,
};
