//===- models.h - The models that are in the library --------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_EMU_MODEL_MODELS_H
#define ASYNC_GPU_RUNTIME_EMU_MODEL_MODELS_H

/// A model that is in the library: emu/models/NAME.model.
typedef struct agpu__emu_model_file {
  const char *name;
  const char *text;
} agpu__emu_model_file;

/// All of them, up to one without a name (models.c, which the build writes).
extern const agpu__emu_model_file agpu__emu_model_files[];

#endif // ASYNC_GPU_RUNTIME_EMU_MODEL_MODELS_H
