//===- remarks_file.h - Remarks as YAML -----------------------------*- C
//-*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form that LLVM's tools for remarks read: a document for each, with the
// pass, the place, the function around it, and the text.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_TOOLS_REMARKS_FILE_H
#define ASYNC_GPU_TOOLS_REMARKS_FILE_H

#include "lower/ir/text.h"

#include "mlir-c/IR.h"

typedef struct agpu__remarks_file agpu__remarks_file;

agpu__remarks_file *agpu__remarks_file_create(void);

/// Says which functions the remarks of the next passes are in: those of
/// `module`, as it is now.
void agpu__remarks_file_set_module(agpu__remarks_file *self,
                                   MlirOperation module);

/// Appends a remark; for agpu__diagnostics_on_remark.
void agpu__remarks_file_add(MlirLocation location, const char *message,
                            void *self);

/// The file so far.
const agpu__text *agpu__remarks_file_text(const agpu__remarks_file *self);

/// NULL is allowed.
void agpu__remarks_file_release(agpu__remarks_file *self);

#endif // ASYNC_GPU_TOOLS_REMARKS_FILE_H
