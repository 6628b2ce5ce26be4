//===- beside.c - Libraries beside the runtime ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What belongs to the runtime and is opened when it is wanted lies where the
// runtime itself does, whatever LD_LIBRARY_PATH says.
//
//===----------------------------------------------------------------------===//

#include "base/os/beside.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef AGPU__MULTIARCH
#define AGPU__MULTIARCH ""
#endif

/// In the file that holds this code.
static const char marker = 0;

/// The folder of the file that holds this code: of the program where it is
/// inside. False where that is not known by its whole path: what is found from
/// the current folder may be anyone's.
static bool find_own_folder(char folder[PATH_MAX]) {
  Dl_info info;
  struct link_map *map = NULL;
  if (!dladdr1((const void *)&marker, &info, (void **)&map, RTLD_DL_LINKMAP))
    return false;
  if (map && !*map->l_name) {
    ssize_t size = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    if (size <= 0)
      return false;
    folder[size] = '\0';
  } else {
    (void)snprintf(folder, PATH_MAX, "%s", info.dli_fname);
  }
  char *slash = strrchr(folder, '/');
  if (*folder != '/' || !slash)
    return false;
  *slash = '\0';
  return true;
}

const char *agpu__find_beside(const char *name, char path[AGPU__BESIDE_PATH]) {
  char folder[PATH_MAX];
  static const char lib[] = "/../lib/" AGPU__MULTIARCH;
  static const char *const places[] = {"", "/../lib", lib};
  for (size_t i = 0;
       find_own_folder(folder) && i < sizeof places / sizeof *places; ++i) {
    (void)snprintf(path, AGPU__BESIDE_PATH, "%s%s/%s", folder, places[i], name);
    if (access(path, F_OK) == 0)
      return path;
  }
  return name;
}
