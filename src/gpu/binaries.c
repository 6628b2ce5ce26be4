//===- binaries.c - Kernels that others compiled -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/binaries.h"

#include "gpu/embed.h"
#include "gpu/ptx.h"
#include "lower/ir.h"

#include "mlir-c/Dialect/GPU.h"

#include <stdlib.h>
#include <string.h>

/// The format of an object that is text for the driver's compiler:
/// `CompilationTarget::Assembly`, for which the C API has no name.
enum { FORMAT_ASSEMBLY = 2 };

/// The number in the text's `.target sm_NN`; 0: this is no PTX.
static uint32_t chip_of(const char *ptx) {
  static const char directive[] = "\n.target ";
  const char *found = strstr(ptx, directive);
  if (!found)
    return 0;
  found += strlen(directive);
  char *chip = agpu__format("%.*s", (int)strcspn(found, ", \t\r\n"), found);
  uint32_t number;
  if (!agpu__ptx_chip_number(chip, &number))
    number = 0;
  free(chip);
  return number;
}

/// The PTX to embed, as a new string that the caller frees; NULL: there is
/// none.
static char *choose_ptx(MlirOperation binary, uint32_t *out_chip) {
  MlirAttribute objects =
      mlirOperationGetAttributeByName(binary, agpu__str("objects"));
  char *best = NULL;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(objects); ++i) {
    MlirAttribute object = mlirArrayAttrGetElement(objects, i);
    if (!mlirAttributeIsAGPUObjectAttr(object) ||
        mlirGPUObjectAttrGetFormat(object) != FORMAT_ASSEMBLY)
      continue;
    MlirStringRef data = mlirGPUObjectAttrGetObject(object);
    char *ptx = agpu__format("%.*s", (int)data.length, data.data);
    uint32_t chip = chip_of(ptx);
    if (chip && (!best || chip < *out_chip)) {
      free(best);
      best = ptx;
      *out_chip = chip;
    } else {
      free(ptx);
    }
  }
  return best;
}

typedef struct kernel_list {
  agpu__kernel *data;
  size_t count;
} kernel_list;

/// The kernels of the module `name` that are launched, once each.
static kernel_list launched_kernels(MlirOperation module, MlirStringRef name) {
  kernel_list list = {0};
  agpu__ops ops = {0};
  agpu__collect(module, NULL, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    if (!agpu__op_is(op, "agpu.launch") && !agpu__op_is(op, "agpu.launch_with"))
      continue;
    MlirAttribute kernel =
        mlirOperationGetAttributeByName(op, agpu__str("kernel"));
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
      abort();
    list.data[list.count++] = (agpu__kernel){
        .name = leaf,
        .image_name = agpu__format("%.*s", (int)leaf.length, leaf.data),
        .location = mlirOperationGetLocation(op)};
  }
  agpu__ops_free(&ops);
  return list;
}

static MlirLogicalResult embed_binary(MlirOperation module,
                                      MlirOperation binary) {
  MlirStringRef name = agpu__get_string(binary, "sym_name");
  uint32_t chip = 0;
  char *ptx = choose_ptx(binary, &chip);
  if (!ptx)
    return agpu__error(mlirOperationGetLocation(binary),
                       "gpu.binary @%.*s has no PTX: make it with "
                       "--gpu-module-to-binary=format=isa, or leave its "
                       "gpu.module to this pipeline",
                       (int)name.length, name.data);
  kernel_list kernels = launched_kernels(module, name);
  const agpu__images images = {.module_name = name,
                               .ptx = ptx,
                               .chip = chip,
                               .kernels = kernels.data,
                               .kernel_count = kernels.count};
  agpu__embed(module, binary, &images);
  for (size_t i = 0; i < kernels.count; ++i)
    free(kernels.data[i].image_name);
  free(kernels.data);
  free(ptx);
  mlirOperationDestroy(binary);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult agpu__embed_binaries(MlirOperation module) {
  agpu__ops binaries = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(agpu__module_body(module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (agpu__op_is(op, "gpu.binary"))
      agpu__ops_push(&binaries, op);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < binaries.count; ++i)
    if (mlirLogicalResultIsFailure(embed_binary(module, binaries.data[i])))
      result = mlirLogicalResultFailure();
  agpu__ops_free(&binaries);
  return result;
}
