//===- runner_utils.c - Upstream's shorter runner utilities ---------------===//
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
// Time for programs that measure themselves: of the monotonic clock, as
// upstream's rtclock and nanoTime give it. printFlops writes to stderr.
//
// The allocation functions that upstream's generic lowering of memrefs calls:
// the C library's. What is out of memory is for the caller to notice.
//
//===----------------------------------------------------------------------===//

#include "utils.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

int64_t nanoTime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t _mlir_ciface_nanoTime(void) { return nanoTime(); }

double rtclock(void) { return (double)nanoTime() * 1e-9; }

void printFlops(double flops) { fprintf(stderr, "%f GFLOPS\n", flops / 1.0e9); }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *mlirAlloc(uint64_t bytes) { return malloc(bytes); }

void *mlirAlignedAlloc(uint64_t alignment, uint64_t bytes) {
  return aligned_alloc(alignment, bytes);
}

void mlirFree(void *pointer) { free(pointer); }

void mlirAlignedFree(void *pointer) { free(pointer); }
