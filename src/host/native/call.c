//===- call.c - What callers know of functions ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of async_gpu/call.h that look at programs: they find the
// function in the module, and leave there what the jit needs to know.
//
//===----------------------------------------------------------------------===//

#include "host/native/native.h"

#include <stdlib.h>

static bool is_function(MlirOperation op) {
  return agpu__has_attr(op, "function_type") &&
         mlirOperationGetNumRegions(op) == 1;
}

/// Made for others to call.
static bool is_public(MlirOperation function) {
  MlirStringRef visibility = agpu__get_string(function, "sym_visibility");
  return !mlirStringRefEqual(visibility, agpu__str("private")) &&
         !agpu__is_declaration(function);
}

const char *agpu_program_get_function(agpu_program *program, size_t index) {
  MlirBlock body = agpu__module_body(agpu__program_module(program));
  AGPU__OPS_FOREACH (op, body)
    // The names of MLIR's attributes end in a NUL.
    if (is_function(op) && is_public(op) && index-- == 0)
      return agpu__get_string(op, "sym_name").data;
  return NULL;
}

/// The function `name`, or a null op after a diagnostic.
static MlirOperation find(agpu_program *program, const char *name) {
  MlirOperation module = agpu__program_module(program);
  MlirOperation op = agpu__lookup(module, name);
  if (mlirOperationIsNull(op))
    agpu__error(mlirOperationGetLocation(module),
                "the program has no function '%s'", name);
  else if (!is_function(op) || agpu__is_declaration(op))
    agpu__error(mlirOperationGetLocation(op),
                is_function(op) ? "'%s' has no body" : "'%s' is not a function",
                name);
  else
    return op;
  return (MlirOperation){NULL};
}

agpu_status agpu_program_get_signature(agpu_program *program, const char *name,
                                       agpu_signature **out_signature) {
  agpu__program_begin(program);
  MlirOperation function = find(program, name);
  *out_signature = mlirOperationIsNull(function)
                       ? NULL
                       : agpu__signature_create(function, name, false);
  return *out_signature ? AGPU_OK : agpu__program_take_failure(program);
}

/// The signature as it is to be awaited, instead of `plain`, which is released.
static agpu_signature *awaitable(MlirOperation function, const char *name,
                                 agpu_signature *plain) {
  bool has_tensors = false;
  for (size_t i = 0; i < plain->argument_count; ++i)
    has_tensors |= strncmp(plain->arguments[i].text, "tensor", 6) == 0;
  for (size_t i = 0; i < plain->result_count; ++i)
    has_tensors |= strncmp(plain->results[i].text, "tensor", 6) == 0;
  agpu_signature_release(plain);
  MlirLocation location = mlirOperationGetLocation(function);
  if (!agpu__op_is(function, "func.func"))
    agpu__error(location,
                "'%s' is lowered: what is to be awaited has to be "
                "exported before",
                name);
  else if (has_tensors)
    agpu__error(location,
                "'%s' takes or gives tensors: put them into memory before it "
                "is made awaitable (one-shot-bufferize)",
                name);
  else
    return agpu__signature_create(function, name, true);
  return NULL;
}

agpu_status agpu_program_export(agpu_program *program, const char *name,
                                bool is_awaitable,
                                agpu_signature **out_signature) {
  agpu__program_begin(program);
  MlirOperation function = find(program, name);
  agpu_signature *signature = NULL;
  if (!mlirOperationIsNull(function))
    signature = agpu__signature_create(function, name, false);
  if (signature && is_awaitable && !agpu__signature_is_async(signature))
    signature = awaitable(function, name, signature);
  if (signature)
    agpu__exports_add(agpu__program_module(program), function, signature);
  *out_signature = signature;
  return signature ? AGPU_OK : agpu__program_take_failure(program);
}

agpu_status agpu_jit_lookup_export(agpu_jit *jit, const char *name,
                                   agpu_packed_function *out_call) {
  AGPU__OWNED char *symbol = agpu__exports_symbol(name);
  void *address = NULL;
  agpu_status status = agpu_jit_lookup(jit, symbol, &address);
  if (status) {
    agpu_status_release(status);
    status =
        agpu_status_create(AGPU_STATUS_NOT_FOUND, NULL,
                           "'%s' was not exported (agpu_program_export)", name);
  }
  *out_call = (agpu_packed_function)(uintptr_t)address;
  return status;
}
