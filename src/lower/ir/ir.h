//===- ir.h - What every pass needs of the IR -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asking, building, symbols, types and places in the source, in one include.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_IR_H
#define ASYNC_GPU_LOWER_IR_H

#include "lower/ir/build.h"
#include "lower/ir/cfg.h"
#include "lower/ir/constants.h"
#include "lower/ir/llvm_ops.h"
#include "lower/ir/location.h"
#include "lower/ir/map.h"
#include "lower/ir/memref_parts.h"
#include "lower/ir/op_memory.h"
#include "lower/ir/ops.h"
#include "lower/ir/payload.h"
#include "lower/ir/symbols.h"
#include "lower/ir/text.h"

#endif // ASYNC_GPU_LOWER_IR_H
