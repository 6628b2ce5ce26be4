//===- symbols.c - Names of kernels in a program --------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Escapes what would make two names one: the first dot that is not escaped ends
// the module's name.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernels/kernels.h"

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
