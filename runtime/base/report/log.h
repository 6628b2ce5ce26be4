//===- log.h - What ASYNC_GPU_LOG asks for ----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ASYNC_GPU_LOG is a comma-separated list of categories. A record is one line,
// "category: message", written to stderr with one system call, so that lines
// of several threads do not mix.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_REPORT_LOG_H
#define ASYNC_GPU_RUNTIME_BASE_REPORT_LOG_H

#include <stdbool.h>

/// In the order of the setting's words.
typedef enum agpu__log_category {
  AGPU__LOG_DRIVER = 0, ///< "driver": calls of the device driver
  AGPU__LOG_DEVICE,     ///< "device": which one is used; misuse of it
  AGPU__LOG_EXEC,       ///< "exec": threads of the executor
  AGPU__LOG_ASYNC,      ///< "async": misuse of tokens, values and groups
  AGPU__LOG_CATEGORY_COUNT,
} agpu__log_category;

/// True if records of `category` are wanted. Cheap. Any thread.
bool agpu__log_enabled(agpu__log_category category);

/// Writes a record if `category` is wanted. `format` is printf's, without a
/// newline. Records over 4000 bytes are cut. Any thread.
void agpu__log(agpu__log_category category, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif // ASYNC_GPU_RUNTIME_BASE_REPORT_LOG_H
