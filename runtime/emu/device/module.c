//===- module.c - Modules and functions -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emu/emu.h"

#include <stdlib.h>
#include <string.h>

struct CUmod_st {
  struct CUmod_st *next; // in `modules`
  CUcontext context;
  uint32_t function_count;
  struct CUfunc_st functions[];
};

static pthread_mutex_t modules_lock = PTHREAD_MUTEX_INITIALIZER;
static CUmodule modules; // loaded

CUresult agpu__emu_module_load(CUmodule *module, const void *image,
                               unsigned int option_count, CUjit_option *options,
                               void **option_values) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  agpu__emu_print_flush();
  // The options are about compiling, and nothing is compiled here. A log of
  // errors stays empty.
  for (unsigned int i = 0; i < option_count; ++i)
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      option_values[i] = NULL;
  if (!module || !image)
    return CUDA_ERROR_INVALID_VALUE;
  uint32_t magic; // the image may be anything, at any address
  memcpy(&magic, image, sizeof magic);
  if (magic != AGPU_NATIVE_MAGIC ||
      (uintptr_t)image % _Alignof(agpu_native_image))
    return CUDA_ERROR_INVALID_IMAGE;
  const agpu_native_image *native = image;
  if (native->kernel_count && !native->kernels)
    return CUDA_ERROR_INVALID_IMAGE;
  for (uint32_t i = 0; i < native->kernel_count; ++i) {
    const agpu_native_kernel *kernel = &native->kernels[i];
    if (!kernel->name || !kernel->run ||
        (kernel->param_count && !kernel->param_sizes) ||
        (kernel->pointer_count && !kernel->pointers))
      return CUDA_ERROR_INVALID_IMAGE;
  }
  CUmodule loaded =
      malloc(sizeof *loaded + native->kernel_count * sizeof(struct CUfunc_st));
  if (!loaded)
    return CUDA_ERROR_OUT_OF_MEMORY;
  loaded->context = agpu__emu_get_context();
  atomic_fetch_add(&agpu__emu_get_counts(loaded->context)->modules, 1);
  loaded->function_count = native->kernel_count;
  for (uint32_t i = 0; i < native->kernel_count; ++i)
    loaded->functions[i] = (struct CUfunc_st){
        .context = agpu__emu_get_context(), .kernel = &native->kernels[i]};
  pthread_mutex_lock(&modules_lock);
  loaded->next = modules;
  modules = loaded;
  pthread_mutex_unlock(&modules_lock);
  *module = loaded;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_module_unload(CUmodule module) {
  if (!module)
    return CUDA_ERROR_INVALID_HANDLE;
  CUresult result = agpu__emu_enter();
  agpu__emu_print_flush();
  pthread_mutex_lock(&modules_lock);
  CUmodule *link = &modules;
  while (*link && *link != module)
    link = &(*link)->next;
  bool found = *link != NULL;
  if (found)
    *link = module->next;
  pthread_mutex_unlock(&modules_lock);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  atomic_fetch_sub(&agpu__emu_get_counts(module->context)->modules, 1);
  // Launches in flight refer to the image, not to the module.
  free(module);
  return result;
}

void agpu__emu_modules_reset(void) {
  pthread_mutex_lock(&modules_lock);
  while (modules) {
    CUmodule next = modules->next;
    free(modules);
    modules = next;
  }
  pthread_mutex_unlock(&modules_lock);
}

CUresult agpu__emu_module_get_function(CUfunction *function, CUmodule module,
                                       const char *name) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!function || !name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!module)
    return CUDA_ERROR_INVALID_HANDLE;
  for (uint32_t i = 0; i < module->function_count; ++i) {
    if (strcmp(module->functions[i].kernel->name, name) == 0) {
      *function = &module->functions[i];
      return CUDA_SUCCESS;
    }
  }
  return CUDA_ERROR_NOT_FOUND;
}

CUresult agpu__emu_func_set_attribute(CUfunction function,
                                      CUfunction_attribute attribute,
                                      int value) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
    atomic_store_explicit(&function->large_clusters, value != 0,
                          memory_order_relaxed);
    return CUDA_SUCCESS;
  }
  // No kernel may use more than the limit that needs no asking.
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
      value < 0 || (unsigned)value > AGPU__EMU_MAX_SHARED_BYTES)
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}
