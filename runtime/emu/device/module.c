//===- module.c - Modules and functions -----------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module refers to its image, which is the program's; so do launches in
// flight, which outlive a module that is unloaded.
//
//===----------------------------------------------------------------------===//

#include "emu/device/module.h"

#include "base/sync/lock.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/handle.h"
#include "emu/base/settings.h"
#include "emu/simt/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

static struct {
  agpu__lock lock;
  LIST_HEAD(, module) modules AGPU__GUARDED_BY(lock); // loaded
} all;

typedef struct module {
  LIST_ENTRY(module) link AGPU__GUARDED_BY(all.lock);
  CUmodule handle;
  CUcontext context;
  uint32_t function_count;
  agpu__emu_function functions[];
} module;

agpu__emu_function *agpu__emu_function_find(CUfunction handle) {
  return agpu__emu_handle_find(AGPU__EMU_FUNCTION, handle);
}

/// The image, if it is one; else NULL.
static const agpu_native_image *check_image(const void *image) {
  uint32_t magic; // the image may be anything, at any address
  memcpy(&magic, image, sizeof magic);
  if (magic != AGPU_NATIVE_MAGIC ||
      (uintptr_t)image % _Alignof(agpu_native_image))
    return NULL;
  const agpu_native_image *native = image;
  if (native->kernel_count && !native->kernels)
    return NULL;
  for (uint32_t i = 0; i < native->kernel_count; ++i) {
    const agpu_native_kernel *kernel = &native->kernels[i];
    if (!kernel->name || !kernel->run ||
        (kernel->param_count && !kernel->param_sizes) ||
        (kernel->pointer_count && !kernel->pointers))
      return NULL;
  }
  return native;
}

/// Gives up the handles and frees the module.
static void free_module(module *old) {
  (void)agpu__emu_handle_take(AGPU__EMU_MODULE, old->handle);
  for (uint32_t i = 0; i < old->function_count; ++i)
    (void)agpu__emu_handle_take(AGPU__EMU_FUNCTION, old->functions[i].handle);
  free(old);
}

/// NULL: out of memory.
static module *create(const agpu_native_image *image) {
  uint32_t count = image->kernel_count;
  module *created =
      calloc(1, sizeof *created + count * sizeof *created->functions);
  if (!created)
    return NULL;
  created->context = agpu__emu_get_context();
  created->function_count = count;
  created->handle = agpu__emu_handle_create(AGPU__EMU_MODULE, created);
  bool complete = created->handle != NULL;
  for (uint32_t i = 0; i < count; ++i) {
    agpu__emu_function *function = &created->functions[i];
    function->context = created->context;
    function->kernel = &image->kernels[i];
    function->handle = agpu__emu_handle_create(AGPU__EMU_FUNCTION, function);
    complete &= function->handle != NULL;
  }
  if (complete)
    return created;
  free_module(created);
  return NULL;
}

CUresult agpu__emu_cuModuleLoadDataEx(CUmodule *out, const void *image,
                                      unsigned int option_count,
                                      CUjit_option *options,
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
  if (!out || !image)
    return CUDA_ERROR_INVALID_VALUE;
  const agpu_native_image *native = check_image(image);
  if (!native)
    return CUDA_ERROR_INVALID_IMAGE;
  module *loaded = create(native);
  if (!loaded)
    return CUDA_ERROR_OUT_OF_MEMORY;
  atomic_fetch_add(&agpu__emu_get_counts(loaded->context)->modules, 1);
  agpu__lock_acquire(&all.lock);
  LIST_INSERT_HEAD(&all.modules, loaded, link);
  agpu__lock_release(&all.lock);
  *out = loaded->handle;
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuModuleUnload(CUmodule handle) {
  CUresult result = agpu__emu_enter();
  agpu__emu_print_flush();
  module *old = agpu__emu_handle_take(AGPU__EMU_MODULE, handle);
  if (!old)
    return CUDA_ERROR_INVALID_HANDLE;
  agpu__lock_acquire(&all.lock);
  LIST_REMOVE(old, link);
  agpu__lock_release(&all.lock);
  atomic_fetch_sub(&agpu__emu_get_counts(old->context)->modules, 1);
  free_module(old);
  return result;
}

void agpu__emu_modules_end(CUcontext context) {
  agpu__lock_acquire(&all.lock);
  for (module *at = LIST_FIRST(&all.modules), *next; at; at = next) {
    next = LIST_NEXT(at, link);
    if (at->context != context)
      continue;
    LIST_REMOVE(at, link);
    free_module(at);
  }
  agpu__lock_release(&all.lock);
}

CUresult agpu__emu_cuModuleGetFunction(CUfunction *out, CUmodule handle,
                                       const char *name) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!out || !name)
    return CUDA_ERROR_INVALID_VALUE;
  const module *in = agpu__emu_handle_find(AGPU__EMU_MODULE, handle);
  if (!in)
    return CUDA_ERROR_INVALID_HANDLE;
  for (uint32_t i = 0; i < in->function_count; ++i) {
    if (strcmp(in->functions[i].kernel->name, name) == 0) {
      *out = in->functions[i].handle;
      return CUDA_SUCCESS;
    }
  }
  return CUDA_ERROR_NOT_FOUND;
}

CUresult agpu__emu_cuFuncLoad(CUfunction handle) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  return agpu__emu_function_find(handle) ? CUDA_SUCCESS
                                         : CUDA_ERROR_INVALID_HANDLE;
}

CUresult agpu__emu_cuFuncSetAttribute(CUfunction handle,
                                      CUfunction_attribute attribute,
                                      int value) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  agpu__emu_function *function = agpu__emu_function_find(handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
    atomic_store_explicit(&function->large_clusters, value != 0,
                          memory_order_relaxed);
    return CUDA_SUCCESS;
  }
  const agpu_native_kernel *kernel = function->kernel;
  uint32_t most = kernel->most_shared_bytes > AGPU__EMU_MAX_SHARED_BYTES
                      ? kernel->most_shared_bytes
                      : AGPU__EMU_MAX_SHARED_BYTES;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
      value < 0 || kernel->shared_bytes > most ||
      (unsigned)value > most - kernel->shared_bytes)
    return CUDA_ERROR_INVALID_VALUE;
  atomic_store_explicit(&function->dynamic_bytes, (unsigned)value,
                        memory_order_relaxed);
  return CUDA_SUCCESS;
}

CUresult agpu__emu_cuFuncGetAttribute(int *value,
                                      CUfunction_attribute attribute,
                                      CUfunction handle) {
  CUresult result = agpu__emu_enter();
  if (result)
    return result;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  const agpu__emu_function *function = agpu__emu_function_find(handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = (int)function->kernel->shared_bytes;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = 0; // it runs with the host's
    return CUDA_SUCCESS;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}
