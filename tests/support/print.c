//===- print.c - The runner utilities that diamond.mlir calls -------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's own live in a library that loads all of LLVM and MLIR, which
// takes far longer than the program. A test that runs a program a thousand
// times links these instead.
//
//===----------------------------------------------------------------------===//

#include <inttypes.h>
#include <stdio.h>

void printI64(int64_t value);
void printString(const char *text);
void printNewline(void);

void printI64(int64_t value) { printf("%" PRId64, value); }

void printString(const char *text) { fputs(text, stdout); }

void printNewline(void) { putchar('\n'); }
