//===- info_writer.h - Nested entries as text or JSON -----------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description of what is to be written, two forms:
//
//     version: 0.1.0              {
//     machine:                      "version": "0.1.0",
//       cpus: 2                     "machine": {
//                                     "cpus": 2
//                                   }
//                                 }
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_INFO_WRITER_H
#define ASYNC_GPU_TOOLS_INFO_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct agpu__info_writer {
  FILE *file;
  bool json;
  // The writer's own; zero at the start.
  int depth;
  bool has_entries; ///< in what is open now
} agpu__info_writer;

/// Opens a group. `name` is NULL for the outermost and for elements of a list.
void agpu__info_begin(agpu__info_writer *writer, const char *name);
void agpu__info_end(agpu__info_writer *writer);

void agpu__info_begin_list(agpu__info_writer *writer, const char *name);
void agpu__info_end_list(agpu__info_writer *writer);

void agpu__info_string(agpu__info_writer *writer, const char *name,
                       const char *value);
void agpu__info_integer(agpu__info_writer *writer, const char *name,
                        int64_t value);

#endif // ASYNC_GPU_TOOLS_INFO_WRITER_H
