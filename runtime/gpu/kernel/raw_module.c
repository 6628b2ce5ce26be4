//===- raw_module.c - Modules known by their handles ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list of modules, each with a list of the functions that were asked for, and
// with how much dynamic shared memory each function may have so far.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernel/raw_module.h"

#include "base/memory/memory.h"
#include "base/sync/mutex.h"
#include "gpu/kernel/module.h"

#include <stdio.h>
#include <string.h>
#include <sys/queue.h>

typedef struct function {
  SLIST_ENTRY(function) link;
  CUfunction handle;
  unsigned shared_bytes; // allowed so far
  char name[];
} function;

typedef struct module {
  LIST_ENTRY(module) link;
  CUmodule handle;
  SLIST_HEAD(, function) functions;
} module;

typedef struct map {
  SLIST_ENTRY(map) link;
  CUtensorMap content;
  CUdeviceptr place;
} map;

struct agpu__raw_modules {
  agpu__mutex lock;
  LIST_HEAD(, module) all AGPU__GUARDED_BY(lock);
  SLIST_HEAD(, map) maps AGPU__GUARDED_BY(lock);
};

agpu__raw_modules *agpu__raw_modules_create(void) {
  agpu__raw_modules *modules = agpu__memory_alloc(
      sizeof *modules, _Alignof(agpu__raw_modules), "a set of modules");
  agpu__mutex_init(&modules->lock, AGPU__RANK_RAW_MODULES);
  LIST_INIT(&modules->all);
  SLIST_INIT(&modules->maps);
  return modules;
}

CUdeviceptr agpu__raw_modules_find_map(agpu__raw_modules *modules,
                                       const CUtensorMap *content) {
  agpu__mutex_lock(&modules->lock);
  map *found;
  SLIST_FOREACH (found, &modules->maps, link)
    if (memcmp(&found->content, content, sizeof *content) == 0)
      break;
  CUdeviceptr place = found ? found->place : 0;
  agpu__mutex_unlock(&modules->lock);
  return place;
}

void agpu__raw_modules_add_map(agpu__raw_modules *modules,
                               const CUtensorMap *content, CUdeviceptr place) {
  map *added = agpu__memory_alloc(sizeof *added, _Alignof(map), "a tensor map");
  added->content = *content;
  added->place = place;
  agpu__mutex_lock(&modules->lock);
  SLIST_INSERT_HEAD(&modules->maps, added, link);
  agpu__mutex_unlock(&modules->lock);
}

static void forget(module *old) {
  LIST_REMOVE(old, link);
  while (!SLIST_EMPTY(&old->functions)) {
    function *first = SLIST_FIRST(&old->functions);
    SLIST_REMOVE_HEAD(&old->functions, link);
    agpu__memory_free(first);
  }
  agpu__memory_free(old);
}

void agpu__raw_modules_abandon(agpu__raw_modules *modules,
                               const agpu__device *device) {
  agpu__mutex_lock(&modules->lock);
  const module *of;
  LIST_FOREACH (of, &modules->all, link)
    (void)device->driver->cuModuleUnload(of->handle);
  const map *placed;
  SLIST_FOREACH (placed, &modules->maps, link)
    (void)device->driver->cuMemFree(placed->place);
  agpu__mutex_unlock(&modules->lock);
}

void agpu__raw_modules_destroy(agpu__raw_modules *modules,
                               const agpu__device *device) {
  agpu__raw_modules_abandon(modules, device);
  agpu__mutex_lock(&modules->lock);
  while (!LIST_EMPTY(&modules->all))
    forget(LIST_FIRST(&modules->all));
  while (!SLIST_EMPTY(&modules->maps)) {
    map *first = SLIST_FIRST(&modules->maps);
    SLIST_REMOVE_HEAD(&modules->maps, link);
    agpu__memory_free(first);
  }
  agpu__mutex_unlock(&modules->lock);
  agpu__mutex_destroy(&modules->lock);
  agpu__memory_free(modules);
}

void agpu__raw_modules_add(agpu__raw_modules *modules, CUmodule handle) {
  module *added =
      agpu__memory_alloc(sizeof *added, _Alignof(module), "a module");
  *added = (module){.handle = handle};
  agpu__mutex_lock(&modules->lock);
  LIST_INSERT_HEAD(&modules->all, added, link);
  agpu__mutex_unlock(&modules->lock);
}

static module *find(agpu__raw_modules *modules, CUmodule handle)
    AGPU__REQUIRES(modules->lock) {
  AGPU__ASSERT_HELD(&modules->lock);
  module *found;
  LIST_FOREACH (found, &modules->all, link)
    if (found->handle == handle)
      break;
  return found;
}

bool agpu__raw_modules_have(agpu__raw_modules *modules, CUmodule handle) {
  agpu__mutex_lock(&modules->lock);
  bool result = find(modules, handle) != NULL;
  agpu__mutex_unlock(&modules->lock);
  return result;
}

bool agpu__raw_modules_remove(agpu__raw_modules *modules, CUmodule handle) {
  agpu__mutex_lock(&modules->lock);
  module *found = find(modules, handle);
  if (found)
    forget(found);
  agpu__mutex_unlock(&modules->lock);
  return found != NULL;
}

static void add_function(module *to, CUfunction handle, const char *name) {
  size_t length = strlen(name) + 1;
  function *added = agpu__memory_alloc((int64_t)(sizeof *added + length),
                                       _Alignof(function), "a kernel");
  *added = (function){.handle = handle};
  memcpy(added->name, name, length);
  SLIST_INSERT_HEAD(&to->functions, added, link);
}

CUresult agpu__raw_modules_get_function(const agpu__device *device,
                                        CUmodule handle, const char *name,
                                        CUfunction *out_function) {
  agpu__raw_modules *modules = device->raw_modules;
  CUresult result = CUDA_SUCCESS;
  agpu__mutex_lock(&modules->lock);
  module *in = find(modules, handle);
  const function *known = NULL;
  if (in)
    SLIST_FOREACH (known, &in->functions, link)
      if (strcmp(known->name, name) == 0)
        break;
  if (known) {
    *out_function = known->handle;
  } else {
    result = device->driver->cuModuleGetFunction(out_function, handle, name);
    if (!result && in)
      add_function(in, *out_function, name);
  }
  agpu__mutex_unlock(&modules->lock);
  return result;
}

/// What is known of a function, or NULL.
static function *find_function(agpu__raw_modules *modules, CUfunction handle)
    AGPU__REQUIRES(modules->lock) {
  AGPU__ASSERT_HELD(&modules->lock);
  module *in;
  function *of;
  LIST_FOREACH (in, &modules->all, link)
    SLIST_FOREACH (of, &in->functions, link)
      if (of->handle == handle)
        return of;
  return NULL;
}

CUresult agpu__raw_modules_allow_shared_bytes(const agpu__device *device,
                                              CUfunction handle,
                                              unsigned bytes) {
  agpu__raw_modules *modules = device->raw_modules;
  CUresult result = CUDA_SUCCESS;
  agpu__mutex_lock(&modules->lock);
  function *of = find_function(modules, handle);
  if (!of || bytes > of->shared_bytes) {
    result = device->driver->cuFuncSetAttribute(
        handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
    if (!result && of)
      of->shared_bytes = bytes;
  }
  agpu__mutex_unlock(&modules->lock);
  return result;
}

agpu__function_name agpu__raw_modules_print(agpu__raw_modules *modules,
                                            CUfunction handle) {
  agpu__function_name name = {"?"};
  agpu__mutex_lock(&modules->lock);
  const function *of = find_function(modules, handle);
  if (of)
    (void)snprintf(name.text, sizeof name.text, "%s", of->name);
  agpu__mutex_unlock(&modules->lock);
  return name;
}
