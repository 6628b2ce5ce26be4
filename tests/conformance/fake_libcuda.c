//===- fake_libcuda.c - A libcuda for machines without a GPU --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared library with the symbols that libcuda has, over the emulated device:
// so tests can take the way through dlopen. Its modules are PTX by name; what
// they hold is the native image whose address the text gives after "native=",
// else the suite's kernels. PTX of LLVM's, which begins with a comment, is
// rejected with a log that says which chip it is for. The card's capability is
// 9.0, or what the environment variable FAKE_LIBCUDA_CAPABILITY says. Built
// with OLD_DRIVER it lacks most functions, as a driver does that is too old;
// with PLAIN_DRIVER those that the runtime can do without.
//
//===----------------------------------------------------------------------===//

#include "conformance.h"

#include <pthread.h>
#include <stdlib.h>

// `plain` is the emulated device, `exported` what this library offers.
static agpu__driver plain, exported;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static CUresult get_attribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  CUresult result = plain.cuDeviceGetAttribute(value, attribute, device);
  const char *capability = getenv("FAKE_LIBCUDA_CAPABILITY");
  int major = 9, minor = 0;
  if (capability && sscanf(capability, "%d.%d", &major, &minor) != 2)
    return CUDA_ERROR_INVALID_VALUE;
  if (!result && attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
    *value = major;
  if (!result && attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
    *value = minor;
  return result;
}

static CUresult load_module(CUmodule *module, const void *image,
                            unsigned int option_count, CUjit_option *options,
                            void **option_values) {
  if (strncmp(image, ".version", 8) == 0) {
    const void *native = &conformance_native;
    const char *address = strstr(image, "native=");
    if (address && sscanf(address, "native=%p", (void **)&native) != 1)
      return CUDA_ERROR_INVALID_PTX;
    return plain.cuModuleLoadDataEx(module, native, 0, NULL, NULL);
  }
  char target[16] = "";
  const char *line = strstr(image, "\n.target ");
  if (line)
    (void)sscanf(line, "\n.target %15[a-z0-9_]", target);
  for (unsigned int i = 0; i < option_count; ++i)
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER && *target)
      sprintf(option_values[i], "line 6: no compiler for %s\n", target);
    else if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      strcpy(option_values[i], "line 1: this is no PTX\n");
  return CUDA_ERROR_INVALID_PTX;
}

static void load(void) {
  agpu_status_release(agpu__driver_load_emu(&plain));
  exported = plain;
  exported.cuDeviceGetAttribute = get_attribute;
  exported.cuModuleLoadDataEx = load_module;
#ifdef PLAIN_DRIVER
#define DROP_REQUIRED(name)
#define DROP_OPTIONAL(name) exported.name = NULL;
#define DROP(need, name, symbol, parameters, arguments) DROP_##need(name)
  AGPU__DRIVER_FUNCTIONS(DROP)
#undef DROP
#endif
}

// The table has parameters, but no names of arguments to pass them on with. An
// indirect function needs none: the symbol is resolved to what this returns.
#define EXPORT(need, name, symbol, parameters, arguments)                      \
  static CUresult(*resolve_##symbol(void)) parameters {                        \
    pthread_once(&once, load);                                                 \
    return exported.name;                                                      \
  }                                                                            \
  AGPU_EXPORT CUresult symbol parameters                                       \
      __attribute__((ifunc("resolve_" #symbol)));

#ifdef OLD_DRIVER
EXPORT(REQUIRED, cuInit, cuInit, (unsigned int flags), (flags))
EXPORT(REQUIRED, cuDriverGetVersion, cuDriverGetVersion, (int *version),
       (version))
#else
AGPU__DRIVER_FUNCTIONS(EXPORT)
#endif
