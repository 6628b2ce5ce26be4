//===- memory_spaces.c - The device's global memory on the host -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-memory-spaces`.
//
// `#gpu.address_space<global>` tells the host nothing, and upstream's
// conversions of host code do not know it; spaces that are numbers of a device
// they allocate in, and do not free. Every type of the program loses them, and
// casts that change nothing any more go. Globals in workgroup memory go,
// too: kernels have been compiled by then, with copies of those that stood
// outside of their gpu.module.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

#define GLOBAL_SPACE ", #gpu.address_space<global>"

static bool is_workgroup(MlirType memref) {
  AGPU__SCOPED(text) space = {0};
  MlirAttribute attribute = mlirMemRefTypeGetMemorySpace(memref);
  if (!mlirAttributeIsNull(attribute))
    mlirAttributePrint(attribute, agpu__text_callback, &space);
  return !strcmp(agpu__text_get(&space), "#gpu.address_space<workgroup>");
}

/// Numbers from here on are segments of the host's processor.
enum { HOST_SPACES = 256 };

/// The length of ", N" where it is the device's space of a memref that ends
/// after it; else of ", #gpu.address_space<global>"; else 0.
static size_t space_size(const char *at) {
  size_t digits = strspn(at + 2, "0123456789");
  if (digits && at[2 + digits] == '>' &&
      strtoul(at + 2, NULL, 10) < HOST_SPACES)
    return 2 + digits;
  bool global = strncmp(at, GLOBAL_SPACE, strlen(GLOBAL_SPACE)) == 0;
  return global ? strlen(GLOBAL_SPACE) : 0;
}

/// Memrefs can stand anywhere in a type (functions, async values, tuples); the
/// C API has no way to rebuild every kind, so the spelling is edited.
static MlirType without_device_space(MlirType type) {
  AGPU__SCOPED(text) text = {0}, edited = {0};
  mlirTypePrint(type, agpu__text_callback, &text);
  const char *rest = agpu__text_get(&text), *at = rest;
  bool changed = false;
  while ((at = strstr(at, ", "))) {
    size_t size = space_size(at);
    if (size) {
      agpu__text_append(&edited, rest, (size_t)(at - rest));
      rest = at + size;
      changed = true;
    }
    at += size ? size : 2;
  }
  if (changed) {
    agpu__text_puts(&edited, rest);
    type = agpu__parse_type(mlirTypeGetContext(type), agpu__text_get(&edited));
  }
  return type;
}

/// Removes globals in workgroup memory. Fails where the host uses one.
static MlirLogicalResult drop_workgroup_globals(MlirOperation module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) globals = agpu__ops_in(module, "memref.global");
  AGPU__OPS_IN_FOREACH (op, module, "memref.get_global")
    if (is_workgroup(mlirValueGetType(agpu__result(op, 0))))
      result = agpu__error(mlirOperationGetLocation(op),
                           "workgroup memory is a kernel's, and this is code "
                           "of the host: use memory of gpu.alloc");
  for (size_t i = 0; i < globals.count; ++i)
    if (is_workgroup(mlirTypeAttrGetValue(agpu__attr(globals.data[i], "type"))))
      mlirOperationDestroy(globals.data[i]);
  return result;
}

static MlirLogicalResult run(MlirOperation module) {
  AGPU__SCOPED(ops) kernels = agpu__ops_in(module, "gpu.module");
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (kernels.count) {
    result = agpu__error(mlirOperationGetLocation(kernels.data[0]),
                         "kernels keep their memory spaces: run "
                         "--async-gpu-kernels before this pass");
  } else {
    result = drop_workgroup_globals(module);
    agpu__retype(module, without_device_space);
    agpu__drop_idle_casts(module, "memref.memory_space_cast");
  }
  return result;
}

const agpu_pass agpu__pass_memory_spaces = {
    .argument = "async-gpu-memory-spaces",
    .summary = "Put the device's global memory into the host's default space",
    .run = run,
};
