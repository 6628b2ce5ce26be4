//===- utils.h - Functions that lowered programs call -------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, signatures and output are those of upstream's runner utilities, which
// load all of LLVM and MLIR. Lowerings of upstream (vector.print, memref.copy
// of strided memrefs) call some of them, and programs declare others.
//
// All functions are thread safe; what prints writes to stdout, and two threads
// that print at a time mix their pieces.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_UTILS_UTILS_H
#define ASYNC_GPU_RUNTIME_UTILS_UTILS_H

#include <stdint.h>

/// A ranked memref of any rank: `sizes` is followed by as many strides, both in
/// elements.
typedef struct agpu__memref {
  void *allocated;
  void *aligned;
  int64_t offset;
  int64_t sizes[];
} agpu__memref;

/// An unranked memref.
typedef struct agpu__unranked_memref {
  int64_t rank;
  agpu__memref *memref;
} agpu__unranked_memref;

/// IEEE 754 binary16 and bfloat16, from their bits.
float agpu__float_from_f16(uint16_t bits);
float agpu__float_from_bf16(uint16_t bits);

// half.c: to bfloat16. LLVM calls these, and not every libgcc has them.
float __truncsfbf2(float value);
float __truncdfbf2(double value);

// runner_utils.c: one element, and what stands between elements.
void printI64(int64_t value);
void printU64(uint64_t value);
void printF16(uint16_t bits);
void printBF16(uint16_t bits);
void printF32(float value);
void printF64(double value);
void printString(const char *text);
void printOpen(void);
void printClose(void);
void printComma(void);
void printNewline(void);

// memref_copy.c: copies between memrefs of one shape and any strides, which do
// not overlap; `element_bytes` is the size of an element.
void memrefCopy(int64_t element_bytes, agpu__unranked_memref *source,
                agpu__unranked_memref *target);

// runner_utils.c: the allocator's functions under the names that upstream's
// lowering calls where it is told to use generic ones.
void *mlirAlloc(uint64_t bytes);
void *mlirAlignedAlloc(uint64_t alignment, uint64_t bytes);
void mlirFree(void *pointer);
void mlirAlignedFree(void *pointer);

// runner_utils.c: seconds and nanoseconds of a clock that only goes forward; a
// rate in GFLOPS.
double rtclock(void);
int64_t nanoTime(void);
int64_t _mlir_ciface_nanoTime(void);
void printFlops(double flops);

// print_memref.c: a memref with its descriptor, one element type each.
#define AGPU_PRINT_MEMREF_TYPES(X)                                             \
  X(I8)                                                                        \
  X(I16)                                                                       \
  X(I32)                                                                       \
  X(I64)                                                                       \
  X(Ind)                                                                       \
  X(F16)                                                                       \
  X(BF16)                                                                      \
  X(F32)                                                                       \
  X(F64)                                                                       \
  X(C32)                                                                       \
  X(C64)
#define AGPU_DECLARE(type)                                                     \
  void printMemref##type(int64_t rank, void *memref);                          \
  void _mlir_ciface_printMemref##type(agpu__unranked_memref *unranked);
AGPU_PRINT_MEMREF_TYPES(AGPU_DECLARE)
#undef AGPU_DECLARE

#endif // ASYNC_GPU_RUNTIME_UTILS_UTILS_H
