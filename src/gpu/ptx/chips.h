//===- chips.h - Chips that PTX is made for -----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which chips and PTX versions LLVM's backend knows, and which of them an op
// needs. LLVM says neither before it fails, and some ops become inline assembly
// that only ptxas or the driver would refuse.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_CHIPS_H
#define ASYNC_GPU_GPU_CHIPS_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct agpu__chip {
  const char *name; ///< "sm_90a"
  uint32_t number;  ///< 90
  /// 'a': code for this chip alone; 'f': for its family; 0: for all later ones.
  char variant;
  int ptx_version; ///< the lowest that LLVM makes for it, 80 for 8.0
} agpu__chip;

/// The chip of that name of `length` bytes; NULL where LLVM knows none.
const agpu__chip *agpu__chip_find(const char *name, size_t length);

/// Bytes of shared memory that a block of the chip can have when its launch
/// asks for them.
uint32_t agpu__chip_shared_bytes(const agpu__chip *chip);

/// Reads "+ptx80"; empty gives 0, for whatever is needed. Returns false for
/// anything else that LLVM does not know.
bool agpu__ptx_version_parse(const char *features, int *out_version);

/// Looks at the ops of `gpu_module`, as the source has them or lowered. Reports
/// each that `chip` lacks. `out_version` receives the lowest PTX version that
/// has them all and that LLVM makes for the chip; the same or more than
/// `chip->ptx_version`.
MlirLogicalResult agpu__chip_check(MlirOperation gpu_module,
                                   const agpu__chip *chip, int *out_version);

#endif // ASYNC_GPU_GPU_CHIPS_H
