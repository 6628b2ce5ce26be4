//===- embedded.c - Text files inside the library -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search by name in the table that the build generates
// (cmake/EmbedText.cmake) from the files that CMakeLists.txt names.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/embedded.h"

#include <stddef.h>
#include <string.h>

const char *agpu__embedded(const char *name) {
  for (const agpu__embedded_file *file = agpu__embedded_files; file->name;
       ++file)
    if (!strcmp(file->name, name))
      return file->text;
  return NULL;
}
