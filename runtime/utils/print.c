//===- print.c - Printing of elements -------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What vector.print calls: one function for each type and sign, in upstream's
// format, to stdout.
//
//===----------------------------------------------------------------------===//

#include "utils.h"

#include <inttypes.h>
#include <stdio.h>

void printI64(int64_t value) { printf("%" PRId64, value); }

void printU64(uint64_t value) { printf("%" PRIu64, value); }

void printF16(uint16_t bits) { printF32(agpu__float_from_f16(bits)); }

void printBF16(uint16_t bits) { printF32(agpu__float_from_bf16(bits)); }

void printF32(float value) { printf("%g", (double)value); }

void printF64(double value) { printf("%g", value); }

void printString(const char *text) { fputs(text, stdout); }

void printOpen(void) { fputs("( ", stdout); }

void printClose(void) { fputs(" )", stdout); }

void printComma(void) { fputs(", ", stdout); }

void printNewline(void) { putchar('\n'); }
