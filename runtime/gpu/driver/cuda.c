//===- cuda.c - The driver table from libcuda -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcuda is opened at run time: programs run where it is not installed, and
// one build serves every driver that has the functions.
//
//===----------------------------------------------------------------------===//

#include "gpu/driver/driver.h"

#include "base/os/thread.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// The name that driver packages install comes first; the bare name is a
// development link, and in some containers the only one.
static const char *const library_names[] = {"libcuda.so.1", "libcuda.so"};

/// The release of CUDA that brought the last of the required functions.
#define FIRST_VERSION 11000

enum { REQUIRED, OPTIONAL };

typedef struct symbol {
  const char *name;
  int need;
  size_t offset; // of the field in agpu__driver
} symbol;

static const symbol symbols[] = {
#define SYMBOL(need, name, symbol, parameters, arguments)                      \
  {#symbol, need, offsetof(agpu__driver, name)},
    AGPU__DRIVER_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

/// Whether someone else has opened the library already.
static bool is_in_use(void) {
  for (size_t i = 0; i < sizeof library_names / sizeof *library_names; ++i) {
    void *open = dlopen(library_names[i], RTLD_NOW | RTLD_NOLOAD);
    if (!open)
      continue;
    (void)dlclose(open);
    return true;
  }
  return false;
}

static agpu_status open_library(void **out_library) {
  if (is_in_use())
    agpu__thread_distrust_driver();
  else
    agpu__thread_trust_driver();
  char reasons[512];
  size_t used = 0;
  for (size_t i = 0; i < sizeof library_names / sizeof *library_names; ++i) {
    // The library is never closed: it has threads and exit handlers of its
    // own.
    *out_library = dlopen(library_names[i], RTLD_NOW | RTLD_LOCAL);
    if (*out_library)
      return AGPU_OK;
    int length = snprintf(reasons + used, sizeof reasons - used, "%s%s",
                          i ? "; " : "", dlerror());
    if (length > 0)
      used += (size_t)length;
    if (used >= sizeof reasons)
      used = sizeof reasons - 1;
  }
  return agpu_status_create(AGPU_STATUS_NOT_FOUND, NULL,
                            "no CUDA driver: %s; install NVIDIA's driver, or, "
                            "in a container, start it with the GPU",
                            reasons);
}

/// Also of libraries that lack even the function that says the version.
static agpu_status report_missing(const agpu__driver *driver,
                                  const char *missing) {
  int version = 0;
  if (driver->cuDriverGetVersion)
    (void)driver->cuDriverGetVersion(&version);
  if (version >= FIRST_VERSION)
    return agpu_status_create(
        AGPU_STATUS_UNSUPPORTED, NULL,
        "the libcuda that was found (version %d.%d) lacks: %s; it is damaged "
        "or not NVIDIA's: install the driver again, and check LD_LIBRARY_PATH",
        version / 1000, version % 1000 / 10, missing);
  return agpu_status_create(
      AGPU_STATUS_UNSUPPORTED, NULL,
      "the CUDA driver (version %d.%d) is too old, it lacks: %s; install one "
      "for CUDA %d.%d or later",
      version / 1000, version % 1000 / 10, missing, FIRST_VERSION / 1000,
      FIRST_VERSION % 1000 / 10);
}

agpu_status agpu__driver_load_cuda(agpu__driver *out_driver) {
  void *library;
  agpu_status status = open_library(&library);
  if (status)
    return status;

  memset(out_driver, 0, sizeof *out_driver);
  char missing[512] = "";
  size_t used = 0;
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i) {
    void *address = dlsym(library, symbols[i].name);
    // POSIX gives functions the representation of object pointers.
    memcpy((char *)out_driver + symbols[i].offset, &address, sizeof address);
    if (address || symbols[i].need == OPTIONAL)
      continue;
    int length = snprintf(missing + used, sizeof missing - used, "%s%s",
                          used ? ", " : "", symbols[i].name);
    if (length > 0)
      used += (size_t)length;
    if (used >= sizeof missing)
      used = sizeof missing - 1;
  }
  if (used)
    return report_missing(out_driver, missing);
  out_driver->name = "cuda";
  out_driver->image_format = AGPU_IMAGE_PTX;
  return AGPU_OK;
}
