//===- loader.c - The driver table from a library -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver is a library that is opened at run time: programs run where it is
// not installed, and one build serves every driver that has the functions.
// libcuda is looked for where the system does; the emulated device's library
// beside the file that holds this code, in ../lib from there (in Debian's
// packages in a folder of the architecture), and then where the system does. A
// program may also hold the emulated device itself.
//
//===----------------------------------------------------------------------===//

#include "gpu/driver/driver.h"

#include "base/os/beside.h"
#include "base/os/thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Of libcuda, the name that driver packages install comes first; the bare name
// is a development link, and in some containers the only one.
static const char *const cuda_names[] = {"libcuda.so.1", "libcuda.so", NULL};
#define EMU_NAME "libasync_gpu_emu.so." AGPU_SOVERSION

/// The release of CUDA that brought the last of the required functions.
#define FIRST_VERSION 11000

/// A function of the emulated device by the name that its library exports,
/// where the program holds it: then it is linked with libasync_gpu_emu.a.
extern void *agpu__emu_find(const char *name)
    __attribute__((weak, visibility("hidden")));

enum { REQUIRED, OPTIONAL };

typedef struct symbol {
  const char *name;
  int need;
  size_t offset; // of the field in agpu__driver
} symbol;

static const symbol symbols[] = {
#define SYMBOL(need, name, symbol, parameters, arguments)                      \
  {#symbol, need, offsetof(agpu__driver, name)},
    AGPU__DRIVER_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

/// Texts, one after the other as far as there is room.
typedef struct list {
  char text[768];
  size_t used;
} list;

static void add(list *to, const char *separator, const char *text) {
  int length = snprintf(to->text + to->used, sizeof to->text - to->used, "%s%s",
                        to->used ? separator : "", text);
  if (length > 0)
    to->used += (size_t)length;
  if (to->used >= sizeof to->text)
    to->used = sizeof to->text - 1;
}

//===----------------------------------------------------------------------===//
// Opening a library
//===----------------------------------------------------------------------===//

/// Whether someone else has opened it already.
static bool is_in_use(const char *name) {
  void *open = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
  if (open)
    (void)dlclose(open);
  return open != NULL;
}

/// Whether the bytes have the text (Horspool's search). Not by memmem: the
/// sanitizers' own ends a program whose data it looks through, since that has
/// bytes between variables that nobody may read.
__attribute__((no_sanitize("address", "thread"))) static bool
has_text(const unsigned char *bytes, size_t size, const char *text) {
  size_t length = strlen(text), skips[256];
  for (size_t i = 0; i < 256; ++i)
    skips[i] = length;
  for (size_t i = 0; i + 1 < length; ++i)
    skips[(unsigned char)text[i]] = length - 1 - i;
  for (size_t at = 0; size >= length && at <= size - length;
       at += skips[bytes[at + length - 1]]) {
    size_t same = 0;
    while (same < length && bytes[at + same] == (unsigned char)text[same])
      ++same;
    if (same == length)
      return true;
  }
  return false;
}

/// Whether a part of an object that is mapped and can be read names libcuda, as
/// what opens it by dlopen or is linked with it does. The runtime's does, so
/// that of a program which holds that is not told.
static bool names_driver(const struct dl_phdr_info *object) {
  uintptr_t own = (uintptr_t)symbols;
  bool names = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    uintptr_t begin = object->dlpi_addr + part->p_vaddr;
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_R))
      continue;
    if (own >= begin && own < begin + part->p_memsz)
      return false;
    names |=
        has_text((const unsigned char *)begin, part->p_filesz, "libcuda.so");
  }
  return names;
}

static int visit_object(struct dl_phdr_info *object, size_t size,
                        void *is_found) {
  (void)size;
  const char *name = strrchr(object->dlpi_name, '/');
  name = name ? name + 1 : object->dlpi_name;
  // The driver's own libraries know each other. The C library and its kin, the
  // compiler's and ours open none, and are so large that searching them takes
  // longer than most programs run; others with names like LLVM's do, as
  // libLLVMOffload.
  static const char *const known[] = {
      "libcuda.so", "libnvidia",     "ld-linux-",      "libc.so.6",
      "libm.so.6",  "libgcc_s.so.1", "libstdc++.so.6", "libLLVM.so",
      "libLLVM-",   "libMLIR.so",    "libMLIR-",       "libz3",
      "libicudata", "libasync_gpu_"};
  bool is_known = false;
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    is_known |= strncmp(name, known[i], strlen(known[i])) == 0;
  *(bool *)is_found |= !is_known && names_driver(object);
  return *(bool *)is_found;
}

/// Whether someone else may have opened it since: a program, or a library of
/// it, that names it.
static bool may_be_shared(void) {
  bool is_found = false;
  (void)dl_iterate_phdr(visit_object, &is_found);
  return is_found;
}

/// Whether a library is not there, by what was said of it. What it needs may be
/// missing, too; then that is what is named.
static bool is_missing(const char *name, const char *said) {
  size_t length = strlen(name);
  return strncmp(said, name, length) == 0 && said[length] == ':' &&
         strstr(said, strerror(ENOENT));
}

/// NULL where it cannot be, `reasons` say why, and whether one is there is
/// noted. The library is never closed: it has threads and exit handlers of its
/// own.
static void *open_one(const char *name, list *reasons, bool *out_is_there) {
  bool in_use = is_in_use(name);
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *said = dlerror();
    *out_is_there |= !is_missing(name, said);
    add(reasons, "; ", said);
  } else if (in_use)
    agpu__thread_distrust_driver();
  else
    agpu__thread_trust_driver(may_be_shared);
  return library;
}

static void *open_emulated(list *reasons, bool *out_is_there) {
  char path[AGPU__BESIDE_PATH];
  return open_one(agpu__find_beside(EMU_NAME, path), reasons, out_is_there);
}

static void *open_cuda(list *reasons, bool *out_is_there) {
  void *library = NULL;
  for (size_t i = 0; cuda_names[i] && !library; ++i)
    library = open_one(cuda_names[i], reasons, out_is_there);
  return library;
}

static agpu_status open_library(agpu_device_kind kind, void **out_library) {
  list reasons = {.used = 0};
  bool is_cuda = kind == AGPU_DEVICE_CUDA, is_there = false;
  *out_library = is_cuda ? open_cuda(&reasons, &is_there)
                         : open_emulated(&reasons, &is_there);
  if (*out_library)
    return AGPU_OK;
  if (is_there)
    return agpu_status_create(
        AGPU_STATUS_UNSUPPORTED, NULL, "the %s does not load: %s; install %s",
        is_cuda ? "CUDA driver that was found" : "emulated device",
        reasons.text,
        is_cuda ? "NVIDIA's driver again, and check LD_LIBRARY_PATH"
                : "async-gpu again");
  return agpu_status_create(
      AGPU_STATUS_NOT_FOUND, NULL,
      is_cuda ? "no CUDA driver: %s; install NVIDIA's driver, or, in a "
                "container, start it with the GPU"
              : "no emulated device: %s; put " EMU_NAME
                " beside the runtime's library or the program",
      reasons.text);
}

//===----------------------------------------------------------------------===//
// What it has
//===----------------------------------------------------------------------===//

/// The extension of the driver that was loaded last.
static _Atomic(const agpu__emu_extension *) extension;

const agpu__emu_extension *agpu__driver_get_extension(void) {
  return atomic_load_explicit(&extension, memory_order_acquire);
}

static void *find_inside(void *library, const char *name) {
  (void)library;
  return agpu__emu_find(name);
}

/// Also of libraries that lack even the function that says the version.
static agpu_status report_missing(const agpu__driver *driver,
                                  const char *missing) {
  int version = 0;
  if (driver->cuDriverGetVersion)
    (void)driver->cuDriverGetVersion(&version);
  if (version >= FIRST_VERSION)
    return agpu_status_create(
        AGPU_STATUS_UNSUPPORTED, NULL,
        "the libcuda that was found (version %d.%d) lacks: %s; it is damaged "
        "or not NVIDIA's: install the driver again, and check LD_LIBRARY_PATH",
        version / 1000, version % 1000 / 10, missing);
  return agpu_status_create(
      AGPU_STATUS_UNSUPPORTED, NULL,
      "the CUDA driver (version %d.%d) is too old, it lacks: %s; install one "
      "for CUDA %d.%d or later",
      version / 1000, version % 1000 / 10, missing, FIRST_VERSION / 1000,
      FIRST_VERSION % 1000 / 10);
}

/// Of a library that has one; AGPU_OK where it has none.
static agpu_status extend(agpu__driver *driver, void *function) {
  agpu__emu_get_extension *get;
  memcpy(&get, &function, sizeof get);
  if (!get)
    return AGPU_OK;
  const char *place = NULL;
  char message[1024] = "";
  driver->extension = get(AGPU__EMU_EXTENSION_VERSION, &agpu__driver_client,
                          message, sizeof message, &place);
  if (!driver->extension)
    return agpu_status_create(AGPU_STATUS_INVALID_ARGUMENT, place, "%s",
                              message);
  driver->image_format = AGPU_IMAGE_NATIVE;
  return AGPU_OK;
}

agpu_status agpu__driver_load(agpu_device_kind kind, agpu__driver *out_driver) {
  void *library = NULL;
  void *(*find)(void *library, const char *name) = find_inside;
  if (kind == AGPU_DEVICE_CUDA || !agpu__emu_find) {
    find = dlsym;
    agpu_status status = open_library(kind, &library);
    if (status)
      return status;
  }
  *out_driver = (agpu__driver){
      .name = kind == AGPU_DEVICE_CUDA ? "cuda" : "emu",
      .image_format = AGPU_IMAGE_PTX,
  };
  list missing = {.used = 0};
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i) {
    void *address = find(library, symbols[i].name);
    // POSIX gives functions the representation of object pointers.
    memcpy((char *)out_driver + symbols[i].offset, &address, sizeof address);
    if (!address && symbols[i].need == REQUIRED)
      add(&missing, ", ", symbols[i].name);
  }
  if (missing.used)
    return report_missing(out_driver, missing.text);
  agpu_status status =
      extend(out_driver, find(library, AGPU__EMU_EXTENSION_SYMBOL));
  if (status)
    return status;
  if (out_driver->extension && library)
    agpu__native_calls_set(find, library);
  atomic_store_explicit(&extension, out_driver->extension,
                        memory_order_release);
  return AGPU_OK;
}
