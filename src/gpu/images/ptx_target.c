//===- ptx_target.c - What PTX is made for --------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes and reads the attributes by which the pass that makes PTX knows what
// the pass that has checked it meant.
//
//===----------------------------------------------------------------------===//

#include "gpu/images/images.h"

#include "gpu/kernels/kernels.h"

void agpu__ptx_target_write(MlirOperation gpu_module,
                            const agpu__ptx_target *target) {
  MlirContext context = mlirOperationGetContext(gpu_module);
  intptr_t count = (intptr_t)target->chip_count;
  MlirAttribute chips[AGPU__MAX_CHIPS];
  int32_t versions[AGPU__MAX_CHIPS];
  for (intptr_t i = 0; i < count; ++i) {
    chips[i] = agpu__string_attr(context, target->chips[i]->name);
    versions[i] = target->versions[i];
  }
  agpu__set_attr(gpu_module, AGPU__CHIPS_ATTR,
                 mlirArrayAttrGet(context, count, chips));
  agpu__set_attr(gpu_module, AGPU__PTX_VERSIONS_ATTR,
                 mlirDenseI32ArrayGet(context, count, versions));
  agpu__set_attr(gpu_module, AGPU__TOOLKIT_ATTR,
                 agpu__string_attr(context, target->toolkit));
}

static MlirLogicalResult missing(MlirOperation gpu_module, const char *name) {
  return agpu__missing_attribute(gpu_module, name, "async-gpu-kernel-targets");
}

static const agpu__chip *chip_of(MlirAttribute name) {
  if (!mlirAttributeIsAString(name))
    return NULL;
  MlirStringRef text = mlirStringAttrGetValue(name);
  return agpu__chip_find(text.data, text.length);
}

MlirLogicalResult agpu__ptx_target_read(MlirOperation gpu_module,
                                        agpu__ptx_target *out_target) {
  *out_target = (agpu__ptx_target){0};
  MlirAttribute chips = agpu__attr(gpu_module, AGPU__CHIPS_ATTR);
  MlirAttribute versions = agpu__attr(gpu_module, AGPU__PTX_VERSIONS_ATTR);
  MlirAttribute toolkit = agpu__attr(gpu_module, AGPU__TOOLKIT_ATTR);
  if (mlirAttributeIsNull(chips) || !mlirAttributeIsAArray(chips) ||
      mlirArrayAttrGetNumElements(chips) > AGPU__MAX_CHIPS)
    return missing(gpu_module, AGPU__CHIPS_ATTR);
  intptr_t count = mlirArrayAttrGetNumElements(chips);
  if (mlirAttributeIsNull(versions) ||
      !mlirAttributeIsADenseI32Array(versions) ||
      mlirDenseArrayGetNumElements(versions) != count)
    return missing(gpu_module, AGPU__PTX_VERSIONS_ATTR);
  if (mlirAttributeIsNull(toolkit) || !mlirAttributeIsAString(toolkit))
    return missing(gpu_module, AGPU__TOOLKIT_ATTR);
  for (intptr_t i = 0; i < count; ++i) {
    out_target->chips[i] = chip_of(mlirArrayAttrGetElement(chips, i));
    out_target->versions[i] = mlirDenseI32ArrayGetElement(versions, i);
    if (!out_target->chips[i])
      return missing(gpu_module, AGPU__CHIPS_ATTR);
  }
  out_target->chip_count = (size_t)count;
  // The context keeps strings with a NUL after them, but no empty ones.
  MlirStringRef folder = mlirStringAttrGetValue(toolkit);
  out_target->toolkit = folder.length ? folder.data : "";
  return mlirLogicalResultSuccess();
}
