//===- binaries.c - Kernels that others compiled -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gpu.binary, which upstream's passes leave, has PTX and no more: it gets the
// descriptors that launches of its kernels name.
//
//===----------------------------------------------------------------------===//

#include "gpu/images/images.h"

#include "lower/ir/ir.h"

#include "mlir-c/Dialect/GPU.h"

#include <stdlib.h>

/// The format of an object that is text for the driver's compiler:
/// `CompilationTarget::Assembly`, for which the C API has no name.
enum { FORMAT_ASSEMBLY = 2 };

/// The chip in the text's `.target sm_NN`; NULL: this is no PTX.
static const agpu__chip *chip_of(const char *ptx) {
  static const char directive[] = "\n.target ";
  const char *found = strstr(ptx, directive);
  if (!found)
    return NULL;
  found += strlen(directive);
  return agpu__chip_find(found, strcspn(found, ", \t\r\n"));
}

static bool has_chip(const agpu__image_list *images, const agpu__chip *chip) {
  for (size_t i = 0; i < images->count; ++i)
    if (images->data[i].chip == chip)
      return true;
  return false;
}

/// The PTX to embed, one text per chip; the caller frees the list.
static void collect_ptx(MlirOperation binary, agpu__image_list *out_images) {
  *out_images = (agpu__image_list){0};
  MlirAttribute objects = agpu__attr(binary, "objects");
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(objects); ++i) {
    MlirAttribute object = mlirArrayAttrGetElement(objects, i);
    if (!mlirAttributeIsAGPUObjectAttr(object) ||
        mlirGPUObjectAttrGetFormat(object) != FORMAT_ASSEMBLY)
      continue;
    MlirStringRef data = mlirGPUObjectAttrGetObject(object);
    char *ptx = agpu__format("%.*s", AGPU__STR(data));
    const agpu__chip *chip = chip_of(ptx);
    if (chip && !has_chip(out_images, chip) &&
        out_images->count < AGPU__MAX_CHIPS)
      out_images->data[out_images->count++] =
          (agpu__image){AGPU_IMAGE_PTX, chip, ptx, strlen(ptx) + 1};
    else
      free(ptx);
  }
}

typedef struct kernel_list {
  agpu__kernel *data;
  size_t count;
} kernel_list;

/// The kernels of the module `name` that are launched, once each.
static kernel_list launched_kernels(MlirOperation module, MlirStringRef name) {
  kernel_list list = {0};
  AGPU__OPS_IN_FOREACH (op, module, NULL) {
    if (!agpu__op_is(op, "agpu.launch") && !agpu__op_is(op, "agpu.launch_with"))
      continue;
    MlirAttribute kernel = agpu__attr(op, "kernel");
    if (mlirAttributeIsNull(kernel) || !mlirAttributeIsASymbolRef(kernel) ||
        !mlirStringRefEqual(mlirSymbolRefAttrGetRootReference(kernel), name))
      continue;
    MlirStringRef leaf = mlirSymbolRefAttrGetLeafReference(kernel);
    bool known = false;
    for (size_t k = 0; k < list.count; ++k)
      known |= mlirStringRefEqual(list.data[k].name, leaf);
    if (known)
      continue;
    list.data = realloc(list.data, (list.count + 1) * sizeof(*list.data));
    if (!list.data)
      agpu__out_of_memory();
    list.data[list.count++] =
        (agpu__kernel){.name = leaf,
                       .image_name = leaf.data, // with a NUL after it
                       .location = mlirOperationGetLocation(op)};
  }
  return list;
}

static MlirLogicalResult embed_binary(MlirOperation module,
                                      MlirOperation binary,
                                      agpu__program *program) {
  MlirStringRef name = agpu__get_string(binary, "sym_name");
  agpu__image_list images;
  collect_ptx(binary, &images);
  if (!images.count)
    return agpu__error(mlirOperationGetLocation(binary),
                       "gpu.binary @%.*s has no PTX: make it with "
                       "--gpu-module-to-binary=format=isa, or leave its "
                       "gpu.module to this pipeline",
                       AGPU__STR(name));
  kernel_list kernels = launched_kernels(module, name);
  const agpu__embedding embedding = {.module_name = name,
                                     .images = images.data,
                                     .image_count = images.count,
                                     .kernels = kernels.data,
                                     .kernel_count = kernels.count,
                                     .program = program};
  agpu__embed(module, binary, &embedding);
  free(kernels.data);
  agpu__images_free(&images);
  mlirOperationDestroy(binary);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult agpu__embed_binaries(MlirOperation module,
                                       agpu__program *program) {
  AGPU__SCOPED(ops) binaries = {0};
  AGPU__OPS_FOREACH (op, agpu__module_body(module))
    if (agpu__op_is(op, "gpu.binary"))
      agpu__ops_push(&binaries, op);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < binaries.count; ++i)
    if (mlirLogicalResultIsFailure(
            embed_binary(module, binaries.data[i], program)))
      result = mlirLogicalResultFailure();
  return result;
}
