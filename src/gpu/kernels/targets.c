//===- targets.c - Targets of gpu.modules, and names of their kernels -----===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what async-gpu-kernel-targets has left (kernels.h). Modules that have
// been written by hand, for a pass alone, need none of it.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernels/kernels.h"

static MlirStringRef named(MlirOperation op, const char *attribute) {
  MlirStringRef name = agpu__get_string(op, attribute);
  return name.length ? name : agpu__get_string(op, "sym_name");
}

MlirLogicalResult agpu__collect_gpu_modules(MlirOperation module,
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

bool agpu__is_for_target(MlirOperation gpu_module, const char *target) {
  return mlirStringRefEqual(agpu__get_string(gpu_module, AGPU__TARGET),
                            agpu__str(target));
}

MlirStringRef agpu__source_module(MlirOperation gpu_module) {
  return named(gpu_module, AGPU__SOURCE_MODULE);
}

MlirStringRef agpu__source_kernel(MlirOperation kernel) {
  return named(kernel, AGPU__KERNEL_NAME);
}

MlirLogicalResult agpu__missing_attribute(MlirOperation op, const char *name,
                                          const char *from) {
  return agpu__error(mlirOperationGetLocation(op),
                     "has no valid attribute '%s', which %s leaves: run that "
                     "pass before",
                     name, from);
}

//===----------------------------------------------------------------------===//
// Names of kernels in a program
//
// Escapes what would make two names one: the first dot that is not escaped ends
// the module's name.
//===----------------------------------------------------------------------===//

char *agpu__embed_symbol(const char *prefix, MlirStringRef module,
                         MlirStringRef name) {
  agpu__text text = {0};
  agpu__text_printf(&text, "%s.", prefix);
  for (size_t i = 0; i < module.length; ++i) {
    if (module.data[i] == '.' || module.data[i] == '$')
      agpu__text_puts(&text, "$");
    agpu__text_append(&text, module.data + i, 1);
  }
  if (name.length) {
    agpu__text_puts(&text, ".");
    agpu__text_append(&text, name.data, name.length);
  }
  return agpu__text_take(&text);
}

char *agpu__kernel_symbol(MlirAttribute kernel_ref) {
  if (mlirAttributeIsNull(kernel_ref) ||
      !mlirAttributeIsASymbolRef(kernel_ref) ||
      mlirSymbolRefAttrGetNumNestedReferences(kernel_ref) != 1)
    return NULL;
  return agpu__embed_symbol("agpu_kernel",
                            mlirSymbolRefAttrGetRootReference(kernel_ref),
                            mlirSymbolRefAttrGetLeafReference(kernel_ref));
}
