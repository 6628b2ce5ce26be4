//===- error.c - Driver results as statuses -------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the driver says of a result is text of its own; beside it stand what was
// being done and, where a start failed, what can be done about it. The emulated
// device asks here for what a call has no parameter for.
//
//===----------------------------------------------------------------------===//

#include "gpu/driver/driver.h"

#include "base/report/status_track.h"

#include <stdarg.h>
#include <stdio.h>

/// What the person at the machine can do where CUDA does not start.
static const char *get_advice(CUresult result) {
  switch (result) {
  case CUDA_ERROR_NO_DEVICE:
    return "check that nvidia-smi lists the GPU and that CUDA_VISIBLE_DEVICES "
           "does not hide it; a container has to be started with the GPU";
  case CUDA_ERROR_STUB_LIBRARY:
    return "the libcuda that was found is the toolkit's stub: take its "
           "directory out of LD_LIBRARY_PATH";
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
    return "another process may have the GPU for itself: nvidia-smi shows its "
           "compute mode";
  case CUDA_ERROR_SYSTEM_NOT_READY:
    return "a service that the GPUs need does not run: on machines with NVLink "
           "switches the fabric manager";
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    return "libcuda and the loaded kernel module are of different versions: "
           "load the module again, or reboot";
  case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
    return "the libcuda that was found is for other GPUs (cuda-compat): take "
           "its directory out of LD_LIBRARY_PATH, or install a newer driver";
  default:
    return "see what nvidia-smi says: the kernel module may not be loaded, or "
           "/dev/nvidia* may not be open to this user";
  }
}

agpu_status agpu__driver_start_error(const agpu__driver *driver,
                                     CUresult result) {
  agpu_status failed = agpu__driver_error(
      driver, result, NULL, "starting the %s driver", driver->name);
  if (driver->extension)
    return failed;
  agpu_status advised = agpu_status_create(
      result == CUDA_ERROR_NO_DEVICE ? AGPU_STATUS_NOT_FOUND
                                     : agpu_status_get_code(failed),
      NULL, "%s; %s", agpu_status_get_message(failed), get_advice(result));
  agpu_status_release(failed);
  return advised;
}

static agpu_status make_error(const agpu__driver *driver, CUresult result,
                              const char *location, const char *what) {
  const char *name = NULL, *text = NULL;
  if (driver->cuGetErrorName(result, &name) != CUDA_SUCCESS)
    name = NULL;
  if (driver->cuGetErrorString(result, &text) != CUDA_SUCCESS)
    text = NULL;
  agpu_status_code code = result == CUDA_ERROR_OUT_OF_MEMORY
                              ? AGPU_STATUS_OUT_OF_RESOURCES
                              : AGPU_STATUS_DRIVER;
  agpu_status error =
      name ? agpu_status_create(code, location, "%s: %s: %s", what, name,
                                text ? text : "no description")
           : agpu_status_create(code, location, "%s: driver error %d", what,
                                (int)result);
  agpu__status_set_result(error, (int)result);
  return error;
}

CUresult agpu__driver_take_result(agpu_status status) {
  CUresult result =
      status ? (CUresult)agpu__status_get_result(status) : CUDA_SUCCESS;
  if (status && !result)
    result = agpu_status_get_code(status) == AGPU_STATUS_OUT_OF_RESOURCES
                 ? CUDA_ERROR_OUT_OF_MEMORY
                 : CUDA_ERROR_UNKNOWN;
  agpu_status_release(status);
  return result;
}

/// "<before><between>launch of kernel 'x'<after>", or what is known of `op`.
static agpu_status make_error_about(const agpu__driver *driver, CUresult result,
                                    const agpu__op_name *op, const char *before,
                                    const char *between, const char *after) {
  char what[1024];
  (void)snprintf(what, sizeof what, "%s%s%s%s%s%s%s", before,
                 op->what ? between : "", op->what ? op->what : "",
                 op->kernel ? " '" : "", op->kernel ? op->kernel : "",
                 op->kernel ? "'" : "", after);
  return make_error(driver, result, op->location, what);
}

agpu_status agpu__driver_work_error(const agpu__driver *driver, CUresult result,
                                    const agpu__op_name *last) {
  return make_error_about(driver, result, last, "work on the device",
                          " up to the ", " failed");
}

agpu_status agpu__driver_error(const agpu__driver *driver, CUresult result,
                               const char *location, const char *what, ...) {
  char buffer[1024];
  va_list arguments;
  va_start(arguments, what);
  (void)vsnprintf(buffer, sizeof buffer, what, arguments);
  va_end(arguments);
  if (!agpu__is_sticky(result))
    return make_error(driver, result, location, buffer);
  char after[1088];
  (void)snprintf(after, sizeof after,
                 "%s, after work on the device that failed", buffer);
  return make_error(driver, result, location, after);
}

agpu_status agpu__driver_event_error(const agpu__driver *driver,
                                     CUresult result, const agpu__op_name *last,
                                     const char *what) {
  return agpu__is_sticky(result)
             ? agpu__driver_work_error(driver, result, last)
             : make_error_about(driver, result, last, what, " behind the ", "");
}
