//===- alike.c - Functions that are alike but for names -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are compared by what MLIR prints of them. The texts are sorted, so
// that those that are the same stand side by side.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

#include <stdlib.h>

bool agpu__alike_read(MlirOperation function, agpu__alike *out) {
  *out = (agpu__alike){0};
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOpPrintingFlagsAssumeVerified(flags);
  mlirOperationPrintWithFlags(function, flags, agpu__text_callback, &out->text);
  mlirOpPrintingFlagsDestroy(flags);
  out->rest = strchr(agpu__text_get(&out->text), '(');
  return out->rest != NULL;
}

void agpu__alike_free(agpu__alike *self) { agpu__text_free(&self->text); }

/// By their texts; of those that are alike the first one is first.
static int compare(const void *a, const void *b) {
  const agpu__alike *const *first = a, *const *second = b;
  int order = strcmp((*first)->rest, (*second)->rest);
  return order ? order : (*first > *second) - (*first < *second);
}

void agpu__alike_find(agpu__alike *all, size_t count) {
  AGPU__OWNED agpu__alike **sorted = agpu__allocate(count + 1, sizeof(*sorted));
  for (size_t i = 0; i < count; ++i) {
    sorted[i] = &all[i];
    all[i].same_as = i;
  }
  qsort(sorted, count, sizeof(*sorted), compare);
  for (size_t i = 1; i < count; ++i)
    if (!strcmp(sorted[i]->rest, sorted[i - 1]->rest))
      sorted[i]->same_as = sorted[i - 1]->same_as;
}
