//===- module.c - Modules and their functions ----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "driver/capture.h"
#include "machine/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUmodule modules; ///< all there ever were

/// To the caller's buffer, if it gave one.
static void give_log(unsigned int count, const CUjit_option *options,
                     void **values, const char *text) {
  char *buffer = NULL;
  size_t size = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      buffer = values[i];
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      size = (size_t)(uintptr_t)values[i];
  }
  if (buffer && size)
    snprintf(buffer, size, "%s", text);
}

/// PTX of a lower chip runs on a higher one; that of an 'a' only on its own,
/// that of an 'f' in its family.
static bool runs_here(const ptx_module *code) {
  unsigned capability = ptx_get_settings()->options.capability;
  if (code->variant == 'a')
    return code->target == capability;
  if (code->variant == 'f')
    return code->target <= capability && code->target / 10 == capability / 10;
  return code->target <= capability;
}

/// What is declared and nowhere defined; NULL: nothing.
static const char *find_unresolved(const ptx_module *code) {
  for (size_t i = 0; i < code->function_count; ++i) {
    const ptx_function *f = code->functions[i];
    if (!f->has_body && !ptx_system_has(f->name) &&
        !ptx_module_find_function(code, f->name)->has_body)
      return f->name;
  }
  for (size_t i = 0; i < code->variable_count; ++i) {
    const ptx_variable *v = code->variables[i];
    if (v->is_extern && v->space != PTX_SHARED)
      return v->name;
  }
  return NULL;
}

static bool is_of_device(const ptx_variable *v) {
  return v->space == PTX_GLOBAL || v->space == PTX_CONST;
}

static uint64_t address_of(const ptx_module *code, const char *name) {
  const ptx_variable *v = ptx_module_find_variable(code, name);
  if (v)
    return v->offset;
  const ptx_function *f = ptx_module_find_function(code, name);
  return f ? PTX_FUNCTION_BASE + f->number : 0;
}

/// Each at its alignment and at no greater one by chance: what relies on more
/// than it has declared is found.
static uint64_t place_barely(uint64_t at, uint64_t align) {
  at = (at + align - 1) / align * align;
  return at / align % 2 ? at : at + align;
}

/// Gives the variables of the device addresses and initial values.
static bool place_variables(CUcontext context, ptx_module *code) {
  uint64_t total = 0;
  for (size_t i = 0; i < code->variable_count; ++i) {
    ptx_variable *v = code->variables[i];
    if (!is_of_device(v))
      continue;
    v->offset = place_barely(total, v->align);
    total = v->offset + v->bytes;
  }
  CUdeviceptr base = total ? ptx_address_reserve(total) : 0;
  if (total && !base)
    return false;
  for (size_t i = 0; i < code->variable_count; ++i) {
    ptx_variable *v = code->variables[i];
    if (!is_of_device(v) || !v->bytes)
      continue;
    v->offset += base;
    void *bytes = ptx_address_host(v->offset);
    if (v->initial)
      memcpy(bytes, v->initial, v->bytes);
    else
      memset(bytes, 0, v->bytes);
    ptx_allocation_add((ptx_allocation){.base = v->offset,
                                        .bytes = v->bytes,
                                        .kind = PTX_MODULE_VARIABLE,
                                        .device = context->device});
  }
  return true;
}

static bool resolve_initial_values(const ptx_module *code) {
  for (size_t i = 0; i < code->variable_count; ++i) {
    const ptx_variable *v = code->variables[i];
    for (size_t j = 0; is_of_device(v) && j < v->relocation_count; ++j) {
      const ptx_relocation *r = &v->relocations[j];
      uint64_t address = address_of(code, r->name);
      if (!address)
        return false;
      address += (uint64_t)r->addend;
      memcpy((uint8_t *)ptx_address_host(v->offset) + r->at, &address, 8);
    }
  }
  return true;
}

static CUmodule make_module(CUcontext context, ptx_module *code) {
  CUmodule module = calloc(1, sizeof *module);
  if (!module)
    abort();
  module->is_alive = true;
  module->context = context;
  module->code = code;
  module->functions =
      calloc(code->function_count + 1, sizeof *module->functions);
  if (!module->functions)
    abort();
  for (size_t i = 0; i < code->function_count; ++i)
    module->functions[i] =
        (struct CUfunc_st){.module = module, .function = code->functions[i]};
  pthread_mutex_lock(&ptx_lock);
  module->next = modules;
  modules = module;
  ++context->modules;
  pthread_mutex_unlock(&ptx_lock);
  return module;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                            unsigned int option_count, CUjit_option *options,
                            void **option_values) {
  CUcontext context;
  CUresult result = ptx_enter_unsafe(&context);
  if (result)
    return result;
  ptx_write_output(context);
  char message[600] = "";
  if (!module || !image)
    return CUDA_ERROR_INVALID_VALUE;
  if (memcmp(image,
             "\x7f"
             "ELF",
             4) == 0)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  ptx_module *code = ptx_module_parse(
      image, ptx_get_settings()->options.is_lenient, message, sizeof message);
  const char *unresolved = code ? find_unresolved(code) : NULL;
  if (code && !runs_here(code))
    snprintf(message, sizeof message, "PTX for sm_%u%.1s does not run here",
             code->target, &code->variant);
  else if (unresolved)
    snprintf(message, sizeof message, "'%s' is declared and not defined",
             unresolved);
  else if (code &&
           (!place_variables(context, code) || !resolve_initial_values(code)))
    snprintf(message, sizeof message, "an initial value names nothing");
  if (*message) {
    ptx_log("a module is refused: %s", message);
    give_log(option_count, options, option_values, message);
    if (code)
      ptx_module_free(code);
    return CUDA_ERROR_INVALID_PTX;
  }
  *module = make_module(context, code);
  return CUDA_SUCCESS;
}

static CUresult check_module(CUmodule module) {
  return module && module->is_alive ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuModuleUnload(CUmodule module) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (!result)
    result = check_module(module);
  if (result)
    return result;
  ptx_drain_context(module->context);
  for (size_t i = 0; i < module->code->variable_count; ++i)
    if (is_of_device(module->code->variables[i]))
      (void)ptx_allocation_end(module->code->variables[i]->offset,
                               1u << PTX_MODULE_VARIABLE);
  pthread_mutex_lock(&ptx_lock);
  module->is_alive = false;
  --module->context->modules;
  pthread_mutex_unlock(&ptx_lock);
  ptx_module_free(module->code);
  module->code = NULL;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  CUcontext context;
  CUresult result = ptx_enter_context(&context);
  if (!result)
    result = check_module(module);
  if (result)
    return result;
  if (!function || !name)
    return CUDA_ERROR_INVALID_VALUE;
  const ptx_function *found = ptx_module_find_function(module->code, name);
  if (!found || !found->is_entry)
    return CUDA_ERROR_NOT_FOUND;
  *function = &module->functions[found->number];
  return CUDA_SUCCESS;
}
