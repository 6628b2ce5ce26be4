//===- own_print.c - What own_print.mlir calls ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <stdint.h>

typedef struct memref {
  int32_t *allocated, *aligned;
  int64_t offset, size, stride;
} memref;

__attribute__((visibility("default"))) void
_mlir_ciface_printAndClear(memref *m);

void _mlir_ciface_printAndClear(memref *m) {
  for (int64_t i = 0; i < m->size; ++i)
    m->aligned[m->offset + i * m->stride] = 0;
}
