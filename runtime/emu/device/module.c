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
// There is nothing to load, but a GPU that loads waits for what its context
// does, and so do calls here.
//
//===----------------------------------------------------------------------===//

#include "emu/device/module.h"

#include "base/sync/lock.h"
#include "driver_api/values.h"
#include "emu/base/calls.h"
#include "emu/base/context.h"
#include "emu/base/handle.h"
#include "emu/base/result.h"
#include "emu/base/settings.h"
#include "emu/device/capture.h"
#include "emu/device/stream.h"
#include "emu/simt/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

static struct {
  agpu__lock lock;
  LIST_HEAD(, module) modules AGPU__GUARDED_BY(lock); // loaded
} all = {.lock = AGPU__LOCK_INIT(AGPU__RANK_EMU_MODULES)};

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

// "Loading kernels may require context synchronization." (CUDA C++ Programming
// Guide, lazy loading)
void agpu__emu_function_load(agpu__emu_function *function) {
  if (atomic_load_explicit(&function->is_loaded, memory_order_acquire))
    return;
  agpu__emu_streams_stall();
  atomic_store_explicit(&function->is_loaded, true, memory_order_release);
}

bool agpu__emu_is_module(CUmodule handle) {
  return agpu__emu_handle_find(AGPU__EMU_MODULE, handle) != NULL;
}

size_t agpu__emu_function_most_dynamic(const agpu__emu_function *function) {
  size_t own = function->kernel->shared_bytes;
  size_t without =
      own < AGPU__EMU_MAX_SHARED_BYTES ? AGPU__EMU_MAX_SHARED_BYTES - own : 0;
  size_t asked =
      atomic_load_explicit(&function->dynamic_bytes, memory_order_relaxed);
  return asked > without ? asked : without;
}

/// What an image is that another driver takes; NULL: nothing that is known.
static const char *name_foreign(const void *image) {
  static const char spaces[] = " \t\r\n";
  if (memcmp(image, "\177ELF", 4) == 0)
    return "a cubin";
  if (memcmp(image, "\x50\xed\x55\xba", 4) == 0)
    return "a fat binary";
  const char *text = image;
  text += strspn(text, spaces);
  return strncmp(text, "//", 2) == 0 || strncmp(text, ".version", 8) == 0
             ? "PTX"
             : NULL;
}

/// Writes the message to a log that a caller may have room for, and how long it
/// is to where its size was.
static void write_log(const char *message, CUjit_option buffer,
                      CUjit_option bytes, unsigned int count,
                      const CUjit_option *options, void **values) {
  char *log = NULL;
  size_t size = 0, length = strlen(message) + 1;
  for (unsigned int i = 0; i < count; ++i) {
    if (options[i] == buffer)
      log = values[i];
    else if (options[i] == bytes)
      size = (uint32_t)(uintptr_t)values[i];
  }
  length = log && size ? (length < size ? length : size) : 0;
  if (length) {
    memcpy(log, message, length);
    log[length - 1] = '\0';
  }
  for (unsigned int i = 0; i < count; ++i)
    if (options[i] == bytes)
      values[i] = (void *)(*message ? length : 0);
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
  bool is_loaded = !agpu__emu_get_settings()->lazy_loading;
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
    atomic_init(&function->is_loaded, is_loaded);
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
  CUresult result = agpu__emu_enter_unsafe();
  if (result)
    return result;
  agpu__emu_print_flush();
  if (!out || !image || (option_count && (!options || !option_values)))
    return CUDA_ERROR_INVALID_VALUE;
  // The options are about compiling, and nothing is compiled here.
  const agpu_native_image *native = check_image(image);
  const char *foreign = native ? NULL : name_foreign(image);
  char message[256] = "";
  if (!native)
    (void)snprintf(message, sizeof message,
                   "the emulated device runs native code that async-gpu's "
                   "compiler has embedded in a program, and cannot load %s",
                   foreign ? foreign : "this");
  write_log(message, CU_JIT_ERROR_LOG_BUFFER,
            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, option_count, options,
            option_values);
  write_log("", CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
            option_count, options, option_values);
  if (!native) {
    agpu__emu_note("%s", message);
    return foreign ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_IMAGE;
  }
  agpu__emu_streams_stall();
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
  if (!result)
    agpu__emu_streams_stall();
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
  agpu__emu_function *function = agpu__emu_function_find(handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  agpu__emu_function_load(function);
  return agpu__emu_get_error();
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
  agpu__emu_function *function = agpu__emu_function_find(handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  agpu__emu_function_load(function);
  switch ((int)attribute) {
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = (int)function->kernel->shared_bytes;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = AGPU__EMU_MAX_THREADS_PER_BLOCK;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = (int)agpu__emu_function_most_dynamic(function);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    *value =
        atomic_load_explicit(&function->large_clusters, memory_order_relaxed);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: // it runs with the host's
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = 0; return CUDA_SUCCESS;
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}
