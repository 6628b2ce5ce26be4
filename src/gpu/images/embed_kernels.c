//===- embed_kernels.c - async-gpu-embed-kernels --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last step of kernels: PTX of the modules for PTX, the code of those that
// are native, and what the runtime has to know of both, in the modules' place.
//
//===----------------------------------------------------------------------===//

#include "gpu/images/images.h"
#include "gpu/native/base/simt.h"

#include "mlir-c/Dialect/LLVM.h"

#include <inttypes.h>
#include <stdlib.h>

/// The gpu.modules that are made of one of the program's.
typedef struct group {
  MlirStringRef name;
  agpu__ops ptx, native;
} group;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Reads what native code needs of `op`, a block function.
static void read_native(MlirOperation op, agpu__kernel *out) {
  out->native_symbol = agpu__get_string(op, "sym_name").data;
  out->shared_bytes = (uint64_t)agpu__get_int(op, AGPU__SIMT_SHARED_BYTES, 0);
  out->most_shared_bytes =
      (uint32_t)agpu__get_int(op, AGPU__SIMT_MOST_SHARED, 0);
  MlirAttribute sizes = agpu__attr(op, AGPU__SIMT_PARAM_SIZES);
  out->param_count = (size_t)mlirDenseArrayGetNumElements(sizes);
  out->param_sizes =
      agpu__allocate(out->param_count, sizeof(*out->param_sizes));
  for (size_t i = 0; i < out->param_count; ++i)
    out->param_sizes[i] =
        (uint32_t)mlirDenseI32ArrayGetElement(sizes, (intptr_t)i);
}

/// The same of `op`, a kernel that is PTX only.
static void read_ptx(MlirOperation op, agpu__kernel *out) {
  MlirType type = agpu__function_type(op);
  out->param_count = (size_t)mlirLLVMFunctionTypeGetNumInputs(type);
  out->param_sizes =
      agpu__allocate(out->param_count, sizeof(*out->param_sizes));
  for (size_t i = 0; i < out->param_count; ++i) {
    uint64_t alignment;
    out->param_sizes[i] = (uint32_t)agpu__type_size(
        mlirLLVMFunctionTypeGetInput(type, (intptr_t)i), &alignment);
  }
}

/// True for the functions that say what a kernel is: the kernels themselves in
/// PTX, the block functions in native code.
static bool describes_kernel(MlirOperation op) {
  return agpu__op_is(op, "llvm.func") &&
         agpu__has_attr(op, AGPU__KERNEL_NAME) &&
         agpu__has_attr(op, AGPU__IMAGE_NAME);
}

/// The kernels of `gpu_module`, in order. The caller frees the array with
/// free_kernels.
static agpu__kernel *read_kernels(MlirOperation gpu_module, size_t *out_count) {
  AGPU__SCOPED(ops) ops = {0};
  agpu__simt_functions(gpu_module, false, &ops);
  agpu__kernel *kernels = agpu__allocate(ops.count, sizeof(*kernels));
  size_t count = 0;
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    if (!describes_kernel(op))
      continue;
    // The context keeps strings with a NUL after them.
    agpu__kernel *kernel = &kernels[count++];
    kernel->name = agpu__get_string(op, AGPU__KERNEL_NAME);
    kernel->image_name = agpu__get_string(op, AGPU__IMAGE_NAME).data;
    kernel->location = mlirOperationGetLocation(op);
    kernel->pointers = agpu__kernel_pointers_read(op, &kernel->pointer_count);
    if (agpu__has_attr(op, AGPU__SIMT_PARAM_SIZES))
      read_native(op, kernel);
    else
      read_ptx(op, kernel);
  }
  *out_count = count;
  return kernels;
}

static void free_kernels(agpu__kernel *kernels, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    free(kernels[i].param_sizes);
    free(kernels[i].pointers);
  }
  free(kernels);
}

/// Takes the kernels' descriptions off the functions of native code.
static void undescribe(MlirOperation gpu_module) {
  static const char *const names[] = {
      AGPU__KERNEL_NAME,       AGPU__IMAGE_NAME,       AGPU__KERNEL_POINTERS,
      AGPU__SIMT_SHARED_BYTES, AGPU__SIMT_MOST_SHARED, AGPU__SIMT_PARAM_SIZES};
  AGPU__SCOPED(ops) ops = {0};
  agpu__simt_functions(gpu_module, false, &ops);
  for (size_t i = 0; i < ops.count; ++i)
    for (size_t k = 0; k < AGPU__COUNT(names); ++k)
      if (agpu__has_attr(ops.data[i], names[k]))
        agpu__remove_attr(ops.data[i], names[k]);
}

/// Fails with a diagnostic at each kernel of `gpu_module`, which is for native
/// code, that is none yet.
static MlirLogicalResult check_native(MlirOperation gpu_module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) kernels = {0};
  agpu__simt_functions(gpu_module, true, &kernels);
  for (size_t i = 0; i < kernels.count; ++i)
    result = agpu__missing_attribute(kernels.data[i], AGPU__SIMT_PARAM_SIZES,
                                     AGPU__SIMT_PASS("block"));
  return result;
}

//===----------------------------------------------------------------------===//
// Native code in the program
//===----------------------------------------------------------------------===//

// The passes for native code stay inside of their gpu.module. What they leave
// has names that no other symbol of the program has; only what both sides
// declare, functions of the runtime and of the C library, may be there already.

/// Makes the module's calls of `name`, a func.func there, those of an
/// llvm.func, which the host has.
static void call_llvm(MlirOperation gpu_module, MlirStringRef name) {
  AGPU__OPS_IN_FOREACH (op, gpu_module, "func.call") {
    if (!mlirStringRefEqual(
            mlirFlatSymbolRefAttrGetValue(agpu__attr(op, "callee")), name))
      continue;
    agpu__builder at = agpu__builder_before(op);
    AGPU__SCOPED(values) operands = agpu__operands(op, 0);
    MlirValue result = agpu__llvm_call(&at, name.data, operands.data,
                                       operands.count, agpu__result_type(op));
    agpu__replace_op_by_value(op, result);
  }
}

static void move_declaration(MlirOperation host_module,
                             MlirOperation gpu_module, MlirOperation op) {
  // The context keeps strings with a NUL after them.
  MlirStringRef name = agpu__get_string(op, "sym_name");
  MlirOperation known = agpu__lookup(host_module, name.data);
  if (mlirOperationIsNull(known)) {
    mlirOperationRemoveFromParent(op);
    // Where declarations are looked for.
    mlirBlockInsertOwnedOperation(agpu__module_body(host_module), 0, op);
    return;
  }
  if (agpu__op_is(op, "func.func") && agpu__op_is(known, "llvm.func"))
    call_llvm(gpu_module, name);
  mlirOperationDestroy(op);
}

static void link_native(MlirOperation host_module, MlirOperation gpu_module,
                        MlirOperation before) {
  AGPU__SCOPED(ops) ops = {0};
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module))
    agpu__ops_push(&ops, op);
  for (size_t i = 0; i < ops.count; ++i)
    if (!agpu__op_is(ops.data[i], "llvm.mlir.global") &&
        agpu__is_declaration(ops.data[i]))
      move_declaration(host_module, gpu_module, ops.data[i]);
  for (MlirOperation op;
       op = mlirBlockGetFirstOperation(agpu__module_body(gpu_module)),
       !mlirOperationIsNull(op);) {
    mlirOperationRemoveFromParent(op);
    mlirBlockInsertOwnedOperationBefore(agpu__module_body(host_module), before,
                                        op);
  }
}

//===----------------------------------------------------------------------===//
// One module of the program
//===----------------------------------------------------------------------===//

/// Whether kernels of it print or assert.
static bool writes(MlirOperation native) {
  return !mlirOperationIsNull(agpu__lookup(native, "agpu_native_print")) ||
         !mlirOperationIsNull(
             agpu__lookup(native, "agpu_native_assert_failed"));
}

/// Fails with a diagnostic where a kernel has no parameter that it is to have.
static MlirLogicalResult check_pointers(const agpu__kernel *kernels,
                                        size_t count) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < kernels[i].pointer_count; ++k)
      if (kernels[i].pointers[k].param >= kernels[i].param_count)
        result = agpu__error(
            kernels[i].location,
            AGPU__KERNEL_POINTERS " names parameter %" PRIu32 " of %zu",
            kernels[i].pointers[k].param, kernels[i].param_count);
  return result;
}

/// Makes the images and puts them in the modules' place.
static MlirLogicalResult embed(MlirOperation host_module, const group *self,
                               const agpu__image_options *options,
                               agpu__program *program) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  agpu__image_list images = {0};
  for (size_t i = 0; i < self->ptx.count; ++i)
    if (mlirLogicalResultIsFailure(
            agpu__images_compile(self->ptx.data[i], options, &images)))
      result = mlirLogicalResultFailure();
  for (size_t i = 0; i < self->native.count; ++i)
    if (mlirLogicalResultIsFailure(check_native(self->native.data[i])))
      result = mlirLogicalResultFailure();
  if (mlirLogicalResultIsSuccess(result)) {
    bool has_native = self->native.count;
    MlirOperation first = has_native ? self->native.data[0] : self->ptx.data[0];
    size_t count;
    agpu__kernel *kernels = read_kernels(first, &count);
    result = check_pointers(kernels, count);
    const agpu__embedding embedding = {
        .module_name = self->name,
        .images = images.data,
        .image_count = images.count,
        .has_native = has_native,
        .native_writes = has_native && writes(first),
        .is_unified = agpu__has_attr(host_module, AGPU__UNIFIED_ATTR),
        .kernels = kernels,
        .kernel_count = count,
        .program = program,
    };
    if (has_native) {
      undescribe(first);
      link_native(host_module, first, first);
    }
    agpu__embed(host_module, first, &embedding);
    free_kernels(kernels, count);
    for (size_t i = 0; i < self->ptx.count; ++i)
      mlirOperationDestroy(self->ptx.data[i]);
    for (size_t i = 0; i < self->native.count; ++i)
      mlirOperationDestroy(self->native.data[i]);
  }
  agpu__images_free(&images);
  return result;
}

/// Sorts a module into the group of its source, which is made if need be.
static MlirLogicalResult sort(MlirOperation gpu_module, group *groups,
                              size_t *count) {
  bool ptx = agpu__is_for_target(gpu_module, AGPU__TARGET_PTX);
  if (!ptx && !agpu__is_for_target(gpu_module, AGPU__TARGET_NATIVE))
    return agpu__missing_attribute(gpu_module, AGPU__TARGET,
                                   "async-gpu-kernel-targets");
  MlirStringRef name = agpu__source_module(gpu_module);
  size_t i = 0;
  while (i < *count && !mlirStringRefEqual(groups[i].name, name))
    ++i;
  if (i == *count)
    groups[(*count)++].name = name;
  agpu__ops_push(ptx ? &groups[i].ptx : &groups[i].native, gpu_module);
  return mlirLogicalResultSuccess();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  agpu__program program = {0};
  MlirLogicalResult result = agpu__embed_binaries(module, &program);
  AGPU__SCOPED(ops) modules = {0};
  if (mlirLogicalResultIsFailure(agpu__collect_gpu_modules(module, &modules)))
    result = mlirLogicalResultFailure();
  agpu__image_options options;
  if (mlirLogicalResultIsSuccess(result))
    result = agpu__image_options_read(
        mlirOperationGetLocation(modules.count ? modules.data[0] : module),
        values, &options);
  AGPU__OWNED group *groups = agpu__allocate(modules.count, sizeof(*groups));
  size_t count = 0;
  for (size_t i = 0; i < modules.count; ++i)
    if (mlirLogicalResultIsFailure(sort(modules.data[i], groups, &count)))
      result = mlirLogicalResultFailure();
  bool good = mlirLogicalResultIsSuccess(result);
  for (size_t i = 0; i < count; ++i) {
    if (good && mlirLogicalResultIsFailure(
                    embed(module, &groups[i], &options, &program)))
      result = mlirLogicalResultFailure();
    agpu__ops_free(&groups[i].ptx);
    agpu__ops_free(&groups[i].native);
  }
  agpu__embed_program(module, &program);
  if (agpu__has_attr(module, AGPU__UNIFIED_ATTR))
    agpu__remove_attr(module, AGPU__UNIFIED_ATTR);
  // The module contains no gpu.module any more.
  if (mlirLogicalResultIsSuccess(result) && good &&
      agpu__has_attr(module, "gpu.container_module"))
    agpu__remove_attr(module, "gpu.container_module");
  return result;
}

static const agpu_pass_option options[] = {
    AGPU__FORMAT_OPTION, AGPU__OPT_LEVEL_OPTION, AGPU__LINE_INFO_OPTION};

const agpu_pass agpu__pass_embed_kernels = {
    .argument = "async-gpu-embed-kernels",
    .summary = "Compile each gpu.module and embed it in the program",
    AGPU__OPTIONS(options),
    .run_with = run,
};
