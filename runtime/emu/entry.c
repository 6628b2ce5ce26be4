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

#include "emu/base/calls.h"
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

// These only say something, and do not fail.
#define DEFINE(need, name, symbol, parameters, arguments)                      \
  CUresult symbol parameters { return agpu__emu_##name arguments; }
AGPU__DRIVER_TEXTS(DEFINE)
#undef DEFINE

/// The body of all others, which ASYNC_GPU_EMU_FAULT may fail by their name.
#define CALL(name, function, arguments)                                        \
  {                                                                            \
    if (__builtin_expect(agpu__emu_has_fault, 0)) {                            \
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

AGPU_EXPORT agpu__emu_get_extension asyncGpuEmuExtension;
const agpu__emu_extension *asyncGpuEmuExtension(uint32_t version,
                                                const agpu__emu_client *client,
                                                char *message, size_t size) {
  return agpu__emu_start(version, client, message, size);
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
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i)
    if (strcmp(functions[i].name, name) == 0)
      // POSIX gives functions the representation of object pointers.
      memcpy(&found, &functions[i].of, sizeof found);
  return found;
}

#endif
