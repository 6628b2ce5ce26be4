//===- utilities.c - What upstream's runner gives to programs -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds upstream's runner utilities beside the libMLIR.so that is loaded, or in
// the folder that this was built with, and loads one after the other as asked.
// What is loaded stays.
//
//===----------------------------------------------------------------------===//

#include "host/native/utilities.h"

#include "lower/ir/text.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

/// The nearest to what programs call comes first: what the first one has, the
/// others are not loaded for.
static const char *const utilities[] = {
    "libmlir_c_runner_utils.so",
    "libmlir_runner_utils.so",
    "libmlir_float16_utils.so",
};
enum { UTILITY_COUNT = sizeof(utilities) / sizeof(*utilities) };

static int find_mlir(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  const char *slash = strrchr(info->dlpi_name, '/');
  if (!slash || strncmp(slash + 1, "libMLIR.so", 10) != 0)
    return 0;
  agpu__text_append(data, info->dlpi_name, (size_t)(slash - info->dlpi_name));
  return 1;
}

static bool load_from(const char *folder, const char *name) {
  agpu__text path = {0};
  agpu__text_printf(&path, "%s/%s", folder, name);
  bool ok = dlopen(path.data, RTLD_LAZY | RTLD_GLOBAL);
  agpu__text_free(&path);
  return ok;
}

bool agpu__utilities_load_next(size_t *next) {
  agpu__text folder = {0};
  dl_iterate_phdr(find_mlir, &folder);
  bool loaded = false;
  while (!loaded && *next < UTILITY_COUNT) {
    const char *name = utilities[(*next)++];
    loaded = (folder.size && load_from(folder.data, name)) ||
             load_from(ASYNC_GPU_LLVM_LIBRARY_DIR, name);
  }
  agpu__text_free(&folder);
  return loaded;
}
