//===- instruments.c - What is watched while passes run ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pointer for each thread, which the pass managers of that thread are set
// up from. Without one a pass manager is as MLIR makes it.
//
//===----------------------------------------------------------------------===//

#include "lower/pass/pipeline.h"

#include <ctype.h>
#include <string.h>

static _Thread_local const agpu__instruments *current;

void agpu__instruments_use(const agpu__instruments *instruments) {
  current = instruments;
}

const agpu__instruments *agpu__instruments_get(void) {
  static const agpu__instruments none = {0};
  return current ? current : &none;
}

void agpu__instruments_set_up(MlirPassManager manager, bool inside) {
  const agpu__instruments *i = agpu__instruments_get();
  if (i->timing)
    mlirPassManagerEnableTiming(manager);
  if (i->statistics)
    mlirPassManagerEnableStatistics(
        manager, i->statistics_as_list ? MLIR_PASS_DISPLAY_MODE_LIST
                                       : MLIR_PASS_DISPLAY_MODE_PIPELINE);
  const agpu__ir_printing *p = &i->printing;
  // A tree of files holds the outer one's alone: each manager numbers its files
  // from 0.
  if (inside && p->tree_directory)
    return;
  if (p->before_all || p->after_all || p->after_change || p->after_failure)
    agpu__compat_enable_ir_printing(manager, p);
}

bool agpu__name_list_has(const agpu__name_list *list, const char *text) {
  while (*text && list->count) {
    size_t size = 0;
    while (isalnum((unsigned char)text[size]) || text[size] == '-')
      ++size;
    for (size_t i = 0; size && i < list->count; ++i)
      if (strlen(list->names[i]) == size &&
          memcmp(list->names[i], text, size) == 0)
        return true;
    text += size ? size : 1;
  }
  return false;
}
