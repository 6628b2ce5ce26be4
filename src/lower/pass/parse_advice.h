//===- parse_advice.h - What to do where the parser gives up ----*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_LOWER_PARSE_ADVICE_H
#define ASYNC_GPU_LOWER_PARSE_ADVICE_H

#include "lower/ir/text.h"

#include "mlir-c/Diagnostics.h"

#include <stdbool.h>

/// For `error` of MLIR's parser, which says `message`, about an op, a type or a
/// dialect that it does not know: the message with what may have been meant, or
/// what has to be done before, in `out`. False where nothing better is known;
/// then `out` is as it was.
bool agpu__parse_advice(MlirContext context, MlirDiagnostic error,
                        const char *message, agpu__text *out);

/// What a file is by the end of its name, if that is no MLIR: "CUDA C++". NULL:
/// it may be MLIR.
const char *agpu__parse_foreign(const char *file);

#endif // ASYNC_GPU_LOWER_PARSE_ADVICE_H
