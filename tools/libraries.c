//===- libraries.c - Shared libraries for a run ---------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "libraries.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void agpu__libraries_load(const char *tool, const char *paths) {
  while (*paths) {
    size_t size = strcspn(paths, ",");
    char *path = strndup(paths, size);
    if (!path)
      abort();
    if (size && !dlopen(path, RTLD_NOW | RTLD_GLOBAL))
      fprintf(stderr, "%s: warning: cannot load the library '%s': %s\n", tool,
              path, dlerror());
    free(path);
    paths += size + (paths[size] == ',');
  }
}
