//===- libraries.c - Shared libraries for a run ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "libraries.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

bool agpu__libraries_load(const char *paths, agpu__text *error) {
  while (*paths) {
    size_t size = strcspn(paths, ",");
    char *path = strndup(paths, size);
    if (!path)
      abort();
    bool ok = size == 0 || dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!ok)
      agpu__text_printf(error, "cannot load the library '%s': %s", path,
                        dlerror());
    free(path);
    if (!ok)
      return false;
    paths += size + (paths[size] == ',');
  }
  return true;
}
