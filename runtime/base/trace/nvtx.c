//===- nvtx.c - Ranges for NVIDIA's tools ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The side of an application in NVTX's injection protocol (nvtx3/nvtxDetail of
// NVIDIA's headers), declared here so that no toolkit is needed to build. The
// tool's library is loaded and its InitializeInjectionNvtx2 is given a function
// that hands out tables; one of these gives, for a module of NVTX, an array of
// places where the tool puts the address of each function that it implements.
// What it leaves out stays NULL and is not called.
//
// The tool stays loaded: threads may be in it when the process ends.
//
//===----------------------------------------------------------------------===//

#include "base/trace/ranges.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/// NVTX_VERSION of the headers that this follows.
#define VERSION 3

enum { EXPORT_CALLBACKS = 1, EXPORT_VERSION = 3 };
enum { MODULE_CORE = 1, MODULE_CORE2 = 5 };

// Functions of the two modules, by their numbers there.
enum { NAME_OS_THREAD_A = 14, CORE_SIZE = 16 };
enum {
  DOMAIN_RANGE_PUSH_EX = 4,
  DOMAIN_RANGE_POP = 5,
  DOMAIN_NAME_CATEGORY_A = 8,
  DOMAIN_CREATE_A = 12,
  CORE2_SIZE = 16,
};

typedef void (*function)(void);

/// nvtxEventAttributes_t.
typedef struct attributes {
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const char *message;
} attributes;

enum { COLOR_ARGB = 1, PAYLOAD_UINT64 = 1, MESSAGE_ASCII = 1 };

/// NvtxExportTableCallbacks.
typedef struct callbacks {
  size_t struct_size;
  int (*get_module)(int module, function ***out_table, unsigned *out_size);
} callbacks;

/// NvtxExportTableVersionInfo.
typedef struct version_info {
  size_t struct_size;
  uint32_t version, reserved;
  void (*set_injection_version)(uint32_t version);
} version_info;

typedef const void *get_export_table(uint32_t table);
typedef int initialize_injection(get_export_table *get);

static struct {
  // What the tool has put there, and the addresses of these: where it puts
  // them. Number 0 of a module is none.
  function core[CORE_SIZE], core2[CORE2_SIZE];
  function *core_places[CORE_SIZE], *core2_places[CORE2_SIZE];
  void *domain;
  // Of these functions, typed.
  int (*push)(void *domain, const attributes *of);
  int (*pop)(void *domain);
  void (*name_thread)(uint32_t thread, const char *name);
} nvtx;

static int get_module(int module, function ***out_table, unsigned *out_size) {
  if (module != MODULE_CORE && module != MODULE_CORE2)
    return 0;
  bool is_core = module == MODULE_CORE;
  if (out_table)
    *out_table = is_core ? nvtx.core_places : nvtx.core2_places;
  if (out_size)
    *out_size = is_core ? CORE_SIZE : CORE2_SIZE;
  return 1;
}

/// Nothing here depends on it.
static void set_injection_version(uint32_t version) { (void)version; }

static const void *get_table(uint32_t table) {
  static const callbacks all = {sizeof all, get_module};
  static const version_info version = {sizeof version, VERSION, 0,
                                       set_injection_version};
  return table == EXPORT_CALLBACKS ? (const void *)&all
         : table == EXPORT_VERSION ? (const void *)&version
                                   : NULL;
}

/// True if a tool is in the process now.
static bool load_tool(void) {
  const char *path = secure_getenv("NVTX_INJECTION64_PATH");
  void *library = path && *path ? dlopen(path, RTLD_LAZY) : NULL;
  if (!library)
    return false;
  initialize_injection *initialize = NULL;
  // POSIX gives functions the representation of object pointers.
  void *symbol = dlsym(library, "InitializeInjectionNvtx2");
  memcpy(&initialize, &symbol, sizeof symbol);
  if (initialize && initialize(get_table))
    return true;
  (void)dlclose(library);
  return false;
}

static void create_domain(void) {
  void *(*create)(const char *name) =
      (void *(*)(const char *))nvtx.core2[DOMAIN_CREATE_A];
  void (*name)(void *, uint32_t, const char *) = (void (*)(
      void *, uint32_t, const char *))nvtx.core2[DOMAIN_NAME_CATEGORY_A];
  nvtx.domain = create ? create("async-gpu") : NULL;
  if (!nvtx.domain || !name)
    return;
  name(nvtx.domain, AGPU__NVTX_REGION, "region");
  name(nvtx.domain, AGPU__NVTX_WAIT, "wait");
}

bool agpu__nvtx_start(void) {
  for (int i = 1; i < CORE_SIZE; ++i)
    nvtx.core_places[i] = &nvtx.core[i];
  for (int i = 1; i < CORE2_SIZE; ++i)
    nvtx.core2_places[i] = &nvtx.core2[i];
  if (!load_tool())
    return false;
  create_domain();
  nvtx.push =
      (int (*)(void *, const attributes *))nvtx.core2[DOMAIN_RANGE_PUSH_EX];
  nvtx.pop = (int (*)(void *))nvtx.core2[DOMAIN_RANGE_POP];
  nvtx.name_thread =
      (void (*)(uint32_t, const char *))nvtx.core[NAME_OS_THREAD_A];
  return nvtx.domain && nvtx.push && nvtx.pop;
}

void agpu__nvtx_push(agpu__nvtx_category category, const char *name,
                     uint64_t payload) {
  static const uint32_t colors[] = {[AGPU__NVTX_REGION] = 0xff4e79a7,
                                    [AGPU__NVTX_WAIT] = 0xffbab0ac};
  const attributes of = {.version = VERSION,
                         .size = sizeof of,
                         .category = category,
                         .color_type = COLOR_ARGB,
                         .color = colors[category],
                         .payload_type = PAYLOAD_UINT64,
                         .payload = payload,
                         .message_type = MESSAGE_ASCII,
                         .message = name};
  (void)nvtx.push(nvtx.domain, &of);
}

void agpu__nvtx_pop(void) { (void)nvtx.pop(nvtx.domain); }

void agpu__nvtx_name_thread(const char *name) {
  if (nvtx.name_thread)
    nvtx.name_thread((uint32_t)syscall(SYS_gettid), name);
}
