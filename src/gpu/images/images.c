//===- images.c - Code of a gpu.module for CUDA ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's NVPTX backend makes PTX of the module once for each chip, since code
// differs between them; with the cubin format, ptxas makes an image of that.
// For lines in the PTX a copy of the module gets debug scopes.
//
//===----------------------------------------------------------------------===//

#include "gpu/images/images.h"

#include "lower/ir/ir.h"

#include <stdlib.h>

static void push(agpu__image_list *images, agpu_image_format format,
                 const agpu__chip *chip, char *data, size_t size) {
  images->data[images->count++] = (agpu__image){format, chip, data, size};
}

/// A module of its own with a copy of `gpu_module` whose functions have debug
/// scopes, so that the locations of ops become lines in the PTX. Null where
/// that fails, which has been reported.
static MlirModule copy_with_scopes(MlirOperation gpu_module) {
  MlirModule whole =
      mlirModuleCreateEmpty(mlirOperationGetLocation(gpu_module));
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(whole),
                                mlirOperationClone(gpu_module));
  if (mlirLogicalResultIsSuccess(agpu__upstream_run(
          mlirModuleGetOperation(whole), "ensure-debug-info-scope-on-llvm-func{"
                                         "emission-kind=DebugDirectivesOnly}")))
    return whole;
  mlirModuleDestroy(whole);
  return (MlirModule){NULL};
}

static MlirLogicalResult assemble(MlirOperation gpu_module, const char *ptxas,
                                  const char *ptx, const agpu__chip *chip,
                                  const agpu__image_options *options,
                                  agpu__image_list *out_images) {
  AGPU__SCOPED(text) cubin = {0}, error = {0};
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (agpu__toolkit_assemble(ptxas, ptx, chip->name, options->opt_level,
                             options->lines, &cubin, &error)) {
    size_t size = cubin.size;
    push(out_images, AGPU_IMAGE_CUBIN, chip, agpu__text_take(&cubin), size);
  } else {
    result = agpu__error(mlirOperationGetLocation(gpu_module),
                         "ptxas cannot assemble this module for %s: %s",
                         chip->name, agpu__text_get(&error));
  }
  return result;
}

/// The images for one chip.
static MlirLogicalResult compile(MlirOperation gpu_module,
                                 const agpu__ptx_options *ptx_options,
                                 const agpu__image_options *options,
                                 const char *ptxas,
                                 agpu__image_list *out_images) {
  char *ptx = NULL;
  MlirLogicalResult result = agpu__ptx_emit(gpu_module, ptx_options, &ptx);
  if (mlirLogicalResultIsFailure(result))
    return result;
  if (options->embed_cubin)
    result = assemble(gpu_module, ptxas, ptx, ptx_options->chip, options,
                      out_images);
  if (options->embed_ptx)
    push(out_images, AGPU_IMAGE_PTX, ptx_options->chip, ptx, strlen(ptx) + 1);
  else
    free(ptx);
  return result;
}

MlirLogicalResult agpu__images_compile(MlirOperation gpu_module,
                                       const agpu__image_options *options,
                                       agpu__image_list *out_images) {
  MlirLocation location = mlirOperationGetLocation(gpu_module);
  agpu__ptx_target target;
  if (mlirLogicalResultIsFailure(agpu__ptx_target_read(gpu_module, &target)))
    return mlirLogicalResultFailure();
  char *ptxas = NULL;
  if (options->embed_cubin && !(ptxas = agpu__toolkit_ptxas(target.toolkit)))
    return agpu__error(location,
                       "format=cubin needs ptxas of a CUDA toolkit, and none "
                       "was found; set CUDA_HOME or toolkit=FOLDER, or embed "
                       "PTX");
  AGPU__OWNED char *libdevice = agpu__toolkit_libdevice(target.toolkit);
  MlirModule scoped = {NULL};
  MlirOperation source = gpu_module;
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (options->lines) {
    scoped = copy_with_scopes(gpu_module);
    if (mlirModuleIsNull(scoped))
      result = mlirLogicalResultFailure();
    else
      source = mlirBlockGetFirstOperation(mlirModuleGetBody(scoped));
  }
  size_t count = mlirLogicalResultIsSuccess(result) ? target.chip_count : 0;
  for (size_t i = 0; i < count; ++i) {
    const agpu__ptx_options how = {
        .chip = target.chips[i],
        .ptx_version = target.versions[i],
        .opt_level = options->opt_level,
        .libdevice = libdevice,
    };
    if (mlirLogicalResultIsFailure(
            compile(source, &how, options, ptxas, out_images)))
      result = mlirLogicalResultFailure();
  }
  if (!mlirModuleIsNull(scoped))
    mlirModuleDestroy(scoped);
  free(ptxas);
  return result;
}

void agpu__images_free(agpu__image_list *images) {
  for (size_t i = 0; i < images->count; ++i)
    free(images->data[i].data);
  images->count = 0;
}
