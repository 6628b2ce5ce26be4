//===- check.h - What unit tests say when they fail -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit test is a program. It returns 0 from main when all is well; a CHECK
// that does not hold says where and ends it with status 1.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TESTS_UNIT_CHECK_H
#define ASYNC_GPU_TESTS_UNIT_CHECK_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__,             \
              #condition);                                                     \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/// Two integers, each evaluated once.
#define CHECK_EQ(actual, expected)                                             \
  do {                                                                         \
    int64_t check_actual = (int64_t)(actual);                                  \
    int64_t check_expected = (int64_t)(expected);                              \
    if (check_actual != check_expected) {                                      \
      fprintf(stderr, "%s:%d: %s is %" PRId64 ", not %" PRId64 "\n", __FILE__, \
              __LINE__, #actual, check_actual, check_expected);                \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/// Two strings, each evaluated once.
#define CHECK_STR(actual, expected)                                            \
  do {                                                                         \
    const char *check_actual = (actual);                                       \
    const char *check_expected = (expected);                                   \
    if (strcmp(check_actual, check_expected) != 0) {                           \
      fprintf(stderr, "%s:%d: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, \
              #actual, check_actual, check_expected);                          \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

#endif // ASYNC_GPU_TESTS_UNIT_CHECK_H
