//===- embedded.h - Text files inside the library -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Templates, the private dialect and what the passes say of themselves are text
// files beside their users. The build puts them into the library
// (agpu_embed in src/CMakeLists.txt).
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_EMBEDDED_H
#define ASYNC_GPU_LOWER_EMBEDDED_H

typedef struct agpu__embedded_file {
  const char *name; ///< without its folder
  const char *text;
} agpu__embedded_file;

/// All of them; the last has no name.
extern const agpu__embedded_file agpu__embedded_files[];

/// The text of the file of this name; NULL: there is none.
const char *agpu__embedded(const char *name);

#endif // ASYNC_GPU_LOWER_EMBEDDED_H
