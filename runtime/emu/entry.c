//===- entry.c - What the emulated driver's library exports ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the driver's API under the names that libcuda exports, and
// the one of the extension. A program that holds the emulated device finds them
// by these names without having symbols of such names, which may be libcuda's.
//
//===----------------------------------------------------------------------===//

#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/device/fault.h"
#include "emu/start.h"

#include <stdbool.h>
#include <string.h>

// In the library.
#ifdef AGPU__EMU_EXPORTED
#define LINKAGE AGPU_EXPORT
#else
#define LINKAGE static
#endif

#define DECLARE(need, name, symbol, parameters, arguments)                     \
  LINKAGE CUresult symbol parameters;
AGPU__DRIVER_FUNCTIONS(DECLARE)
#undef DECLARE

// These only say something: they fail in host functions alone.
#define DEFINE(need, name, symbol, parameters, arguments)                      \
  CUresult symbol parameters {                                                 \
    bool is_done;                                                              \
    return __builtin_expect(agpu__emu_is_in_host_function(), 0)                \
               ? agpu__emu_fault_of(#name, &is_done)                           \
               : agpu__emu_##name arguments;                                   \
  }
AGPU__DRIVER_TEXTS(DEFINE)
#undef DEFINE

/// The body of all others, which ASYNC_GPU_EMU_FAULT may fail by their name.
#define CALL(name, function, arguments)                                        \
  {                                                                            \
    if (__builtin_expect(                                                      \
            agpu__emu_looks_at_calls || agpu__emu_is_in_host_function(), 0)) { \
      bool is_done;                                                            \
      CUresult fault = agpu__emu_fault_of(name, &is_done);                     \
      if (fault && is_done)                                                    \
        (void)function arguments;                                              \
      if (fault)                                                               \
        return fault;                                                          \
    }                                                                          \
    return function arguments;                                                 \
  }
#define DEFINE(need, name, symbol, parameters, arguments)                      \
  CUresult symbol parameters CALL(#name, agpu__emu_##name, arguments)
AGPU__DRIVER_CALLS(DEFINE)
AGPU__DRIVER_ENDS(DEFINE)
#undef DEFINE

#ifdef AGPU__EMU_EXPORTED

#define DEFINE(name, symbol, since, parameters, arguments)                     \
  AGPU_EXPORT CUresult symbol parameters;                                      \
  CUresult symbol parameters CALL(#name, agpu__emu_##symbol, arguments)
AGPU__EMU_PROGRAM_FUNCTIONS(DEFINE)
#undef DEFINE

AGPU_EXPORT CUresult cuGetProcAddress(const char *name, void **out, int version,
                                      uint64_t flags);
AGPU_EXPORT CUresult cuGetProcAddress_v2(const char *name, void **out,
                                         int version, uint64_t flags,
                                         int *out_status);

typedef void function(void);

/// What cuGetProcAddress finds: the function that cuda.h calls `name`, from a
/// version of CUDA on, and up to another where that has none of the name here.
static const struct {
  const char *name;
  int since, until; // 0: any
  function *of;
} procs[] = {
#define ENTRY(name, since, until, symbol)                                      \
  {name, since, until, (function *)symbol},
    // cuda.h has given these names to functions with other parameters, too, or
    // these are in both tables.
    ENTRY("cuGetProcAddress", 12000, 0, cuGetProcAddress_v2) ENTRY(
        "cuGetProcAddress", 11030, 0, cuGetProcAddress)
        ENTRY("cuEventElapsedTime", 12080, 0, cuEventElapsedTime_v2) ENTRY(
            "cuEventElapsedTime", 2000, 0,
            cuEventElapsedTime) ENTRY("cuDevicePrimaryCtxRelease", 11000, 0,
                                      cuDevicePrimaryCtxRelease_v2)
            ENTRY("cuStreamWriteValue32", 11070, 0, cuStreamWriteValue32_v2)
                ENTRY("cuMemHostRegister", 6050, 0, cuMemHostRegister_v2) ENTRY(
                    "cuGraphInstantiate", 12000, 0, cuGraphInstantiateWithFlags)
                    ENTRY("cuGraphInstantiateWithFlags", 11040, 0,
                          cuGraphInstantiateWithFlags)
                        ENTRY("cuGraphAddKernelNode", 10000, 12000,
                              cuGraphAddKernelNode)
                            ENTRY("cuGraphExecKernelNodeSetParams", 10010,
                                  12000, cuGraphExecKernelNodeSetParams)
#undef ENTRY
#define ENTRY(name, symbol, since, parameters, arguments)                      \
  {#name, since, 0, (function *)symbol},
                                AGPU__EMU_PROGRAM_FUNCTIONS(ENTRY)
#undef ENTRY
#define ENTRY(need, name, symbol, parameters, arguments)                       \
  {#name, sizeof #name == sizeof #symbol ? 2000 : 3020, 0, (function *)symbol},
                                    AGPU__DRIVER_FUNCTIONS(ENTRY)
#undef ENTRY
};

enum { FOUND, NO_SYMBOL, NO_VERSION }; // CUdriverProcAddressQueryResult

CUresult cuGetProcAddress_v2(const char *name, void **out, int version,
                             uint64_t flags, int *out_status) {
  int newest;
  (void)agpu__emu_cuDriverGetVersion(&newest);
  // There are no variants for the default stream of a thread (2).
  if (flags == 2)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (!name || !out || flags > 2 || version > newest)
    return CUDA_ERROR_INVALID_VALUE;
  int status = NO_SYMBOL;
  *out = NULL;
  for (size_t i = 0; i < sizeof procs / sizeof *procs && status == NO_SYMBOL;
       ++i) {
    if (strcmp(procs[i].name, name) != 0)
      continue;
    bool later = i + 1 < sizeof procs / sizeof *procs &&
                 strcmp(procs[i + 1].name, name) == 0;
    bool fits = version >= procs[i].since &&
                (!procs[i].until || version < procs[i].until);
    if (fits) // POSIX gives functions the representation of object pointers.
      memcpy(out, &procs[i].of, sizeof *out);
    if (fits || !later)
      status = fits ? FOUND : NO_VERSION;
  }
  if (out_status)
    *out_status = status;
  return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char *name, void **out, int version,
                          uint64_t flags) {
  CUresult result = cuGetProcAddress_v2(name, out, version, flags, NULL);
  return result || *out ? result : CUDA_ERROR_NOT_FOUND;
}

AGPU_EXPORT agpu__emu_get_extension asyncGpuEmuExtension;
const agpu__emu_extension *asyncGpuEmuExtension(uint32_t version,
                                                const agpu__emu_client *client,
                                                char *message, size_t size,
                                                const char **out_place) {
  return agpu__emu_start(version, client, message, size, out_place);
}

#else

/// For the runtime's loader, which knows it by this declaration alone.
void *agpu__emu_find(const char *name);

typedef void function(void);

void *agpu__emu_find(const char *name) {
  static const struct {
    const char *name;
    function *of;
  } functions[] = {{AGPU__EMU_EXTENSION_SYMBOL, (function *)agpu__emu_start},
#define ENTRY(need, name, symbol, parameters, arguments)                       \
  {#symbol, (function *)symbol},
                   AGPU__DRIVER_FUNCTIONS(ENTRY)
#undef ENTRY
  };
  void *found = NULL;
  for (size_t i = 0; i < sizeof functions / sizeof *functions && !found; ++i)
    if (strcmp(functions[i].name, name) == 0)
      // POSIX gives functions the representation of object pointers.
      memcpy(&found, &functions[i].of, sizeof found);
  return found;
}

#endif
