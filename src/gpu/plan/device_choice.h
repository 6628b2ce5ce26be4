//===- device_choice.h - Which device a body works on -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A body names its device with the attribute `async_gpu.device`, or works on
// the default one of its caller or spawner, which `gpu.set_default_device`
// changes while the program runs.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_DEVICE_CHOICE_H
#define ASYNC_GPU_GPU_DEVICE_CHOICE_H

#include "lower/dialect/attributes.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/// The device that `body` itself names; -1: none.
int32_t agpu__named_device(MlirOperation body);

/// True if host code of the module holds gpu.set_default_device, before or
/// after async-gpu-regions: then the device of a body that names none is not
/// known before it runs.
bool agpu__sets_default_device(MlirOperation module);

/// True if two bodies of one function work on the same device: both have the
/// attribute, or stand in a body that has it, with the same number; or both
/// work on the default device of the body that they stand in. Not to be relied
/// on where agpu__sets_default_device.
bool agpu__have_same_device(MlirOperation a, MlirOperation b);

#endif // ASYNC_GPU_GPU_DEVICE_CHOICE_H
