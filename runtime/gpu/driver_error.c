//===- driver_error.c - Driver results as statuses ------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "base/platform.h"
#include "gpu/driver.h"

#include <stdarg.h>
#include <stdio.h>

static AGPU__HOT_THREAD_LOCAL agpu__op_name origin;

void agpu__driver_set_origin(const agpu__op_name *op) { origin = *op; }

agpu__op_name agpu__driver_get_origin(void) { return origin; }

agpu_status agpu__driver_error(const agpu__driver *driver, CUresult result,
                               const char *location, const char *what, ...) {
  char buffer[1024];
  va_list arguments;
  va_start(arguments, what);
  (void)vsnprintf(buffer, sizeof buffer, what, arguments);
  va_end(arguments);

  const char *name = NULL, *text = NULL;
  if (driver->cuGetErrorName(result, &name) != CUDA_SUCCESS)
    name = NULL;
  if (driver->cuGetErrorString(result, &text) != CUDA_SUCCESS)
    text = NULL;
  agpu_status_code code = result == CUDA_ERROR_OUT_OF_MEMORY
                              ? AGPU_STATUS_OUT_OF_RESOURCES
                              : AGPU_STATUS_DRIVER;
  if (!name)
    return agpu_status_create(code, location, "%s: driver error %d", buffer,
                              (int)result);
  return agpu_status_create(code, location, "%s: %s: %s", buffer, name,
                            text ? text : "no description");
}
