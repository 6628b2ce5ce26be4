//===- print.c - The runner utilities that vector.print calls -------------===//
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
void printU64(uint64_t value);
void printF32(float value);
void printF64(double value);
void printOpen(void);
void printClose(void);
void printComma(void);
void printString(const char *text);
void printNewline(void);

void printU64(uint64_t value) { printf("%" PRIu64, value); }

void printF32(float value) { printf("%g", (double)value); }

void printF64(double value) { printf("%g", value); }

void printOpen(void) { fputs("( ", stdout); }

void printClose(void) { fputs(" )", stdout); }

void printComma(void) { fputs(", ", stdout); }

void printI64(int64_t value) { printf("%" PRId64, value); }

void printString(const char *text) { fputs(text, stdout); }

void printNewline(void) { putchar('\n'); }
