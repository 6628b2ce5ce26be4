//===- fake_libcuda.c - A libcuda for machines without a GPU --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared library over the emulated device that exports what libcuda does in a
// release of CUDA (DRIVER_VERSION, as 12040): so tests can take the way through
// dlopen. The functions of the driver table work; the others, which the build
// writes from libcuda_symbols.txt, are there and not supported, so that taking
// one for another shows. A linker script keeps back what came later.
//
// Modules are PTX by name; what they hold is the native image whose address the
// text gives after "native=", else the suite's kernels. PTX of LLVM's, which
// begins with a comment, is rejected with a log that says which chip it is for.
// The environment says what the card is, and how the driver fails:
//
//   FAKE_LIBCUDA_CAPABILITY   the card's; 9.0 unless it is set
//   FAKE_LIBCUDA_INIT         the number of the result that cuInit gives
//   FAKE_LIBCUDA_HOST_ADDRESSES
//                             0: registered memory has others on the device
//   FAKE_LIBCUDA_DEVICES      how many devices there are, at most the emulated
//
//===----------------------------------------------------------------------===//

#include "conformance.h"
#include "driver_api/values.h"

#include <pthread.h>
#include <stdlib.h>

// `plain` is the emulated device, `exported` what this library offers.
static agpu__driver plain, exported;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static CUresult init(unsigned int flags) {
  const char *result = getenv("FAKE_LIBCUDA_INIT");
  return result ? (CUresult)atoi(result) : plain.cuInit(flags);
}

static CUresult get_version(int *version) {
  *version = DRIVER_VERSION;
  return CUDA_SUCCESS;
}

static CUresult get_count(int *count) {
  CUresult result = plain.cuDeviceGetCount(count);
  const char *devices = getenv("FAKE_LIBCUDA_DEVICES");
  if (!result && devices)
    *count = atoi(devices);
  return result;
}

static CUresult get_attribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  if (attribute == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED &&
      DRIVER_VERSION < 11020)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = plain.cuDeviceGetAttribute(value, attribute, device);
  const char *capability = getenv("FAKE_LIBCUDA_CAPABILITY");
  int major = 9, minor = 0;
  if (capability && sscanf(capability, "%d.%d", &major, &minor) != 2)
    return CUDA_ERROR_INVALID_VALUE;
  const char *same = getenv("FAKE_LIBCUDA_HOST_ADDRESSES");
  if (same &&
      attribute == CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM)
    *value = atoi(same);
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
    const void *native = strstr(image, "cudaGraphSetConditional")
                             ? &conditional_native
                             : &conformance_native;
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
  agpu_status_release(agpu__driver_load(AGPU_DEVICE_EMU, &plain));
  exported = plain;
  exported.cuInit = init;
  exported.cuDriverGetVersion = get_version;
  exported.cuDeviceGetCount = get_count;
  exported.cuDeviceGetAttribute = get_attribute;
  exported.cuModuleLoadDataEx = load_module;
}

// The table has parameters, but no names of arguments to pass them on with. An
// indirect function needs none: the symbol is resolved to what this returns.
// (clang does not see that the attribute uses the resolver.)
#define EXPORT(need, name, symbol, parameters, arguments)                      \
  __attribute__((used)) static CUresult(*resolve_##symbol(void)) parameters {  \
    pthread_once(&once, load);                                                 \
    return exported.name;                                                      \
  }                                                                            \
  AGPU_EXPORT CUresult symbol parameters                                       \
      __attribute__((ifunc("resolve_" #symbol)));
AGPU__DRIVER_FUNCTIONS(EXPORT)
