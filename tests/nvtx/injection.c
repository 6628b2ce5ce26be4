//===- injection.c - A tool that listens to NVTX -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What NVTX_INJECTION64_PATH may name: a library that has itself told of ranges
// and writes a line for each call to the file FAKE_NVTX_LOG. Written from the
// headers of NVTX 3, apart from the runtime's side:
//
//   domain NAME | category NUMBER NAME | thread NAME
//   push THREAD DEPTH CATEGORY PAYLOAD NAME | pop THREAD DEPTH
//
// With FAKE_NVTX_REFUSE it says that it wants nothing.
//
//===----------------------------------------------------------------------===//

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
// The prototypes of what is exported are NVIDIA's.
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

typedef void (*function)(void);

struct callbacks {
  size_t struct_size;
  int (*get_module)(int module, function ***table, unsigned *size);
};

struct version_info {
  size_t struct_size;
  uint32_t version, reserved0;
  void (*set_injection_version)(uint32_t version);
};

struct attributes {
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved0;
  union {
    uint64_t unsigned_value;
  } payload;
  int32_t message_type;
  union {
    const char *ascii;
  } message;
};

static FILE *log_file;
static int the_domain;
static _Thread_local int depth;

static long self(void) { return syscall(SYS_gettid); }

static void *create_domain(const char *name) {
  fprintf(log_file, "domain %s\n", name);
  return &the_domain;
}

static void name_category(void *domain, uint32_t category, const char *name) {
  if (domain == &the_domain)
    fprintf(log_file, "category %u %s\n", category, name);
}

static int push(void *domain, const struct attributes *of) {
  int ok = domain == &the_domain && of->version == 3 &&
           of->size == sizeof *of && of->message_type == 1 &&
           of->payload_type == 1;
  fprintf(log_file, "%s %ld %d %u %llu %s\n", ok ? "push" : "wrong", self(),
          depth, of->category, (unsigned long long)of->payload.unsigned_value,
          of->message.ascii);
  return depth++;
}

static int pop(void *domain) {
  fprintf(log_file, "%s %ld %d\n", domain == &the_domain ? "pop" : "wrong",
          self(), depth - 1);
  return --depth;
}

static void name_thread(uint32_t thread, const char *name) {
  fprintf(log_file, "thread %u %s\n", thread, name);
}

EXPORT int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t table)) {
  const char *path = getenv("FAKE_NVTX_LOG");
  log_file = path ? fopen(path, "w") : NULL;
  if (!log_file || getenv("FAKE_NVTX_REFUSE"))
    return 0;
  setvbuf(log_file, NULL, _IOLBF, 0);
  const struct version_info *version = get_table(3);
  const struct callbacks *all = get_table(1);
  if (!version || version->struct_size < sizeof *version ||
      version->version != 3 || !all || all->struct_size < sizeof *all)
    return 0;
  version->set_injection_version(3);
  function **core, **core2;
  unsigned core_size, core2_size;
  if (!all->get_module(1, &core, &core_size) || core_size <= 14 ||
      !all->get_module(5, &core2, &core2_size) || core2_size <= 13)
    return 0;
  *core[14] = (function)name_thread;
  *core2[4] = (function)push;
  *core2[5] = (function)pop;
  *core2[8] = (function)name_category;
  *core2[12] = (function)create_domain;
  return 1;
}
