//===- code_map.c - Which function an address of code is in --------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read from the symbols of the object file, before the JIT links it, so that a
// crash of a program can be said to be in a region. Code is one section; where
// it is loaded follows from the address of any of its functions.
//
//===----------------------------------------------------------------------===//

#include "host/native/code_map.h"

#include "host/native/region_names.h"
#include "lower/ir/memory.h"
#include "lower/ir/text.h"

#include "llvm-c/Object.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct agpu__code_map {
  size_t bytes, count;
  uintptr_t base;         ///< of the section
  agpu__code functions[]; ///< and behind them their words
};

/// The second is that of programs that may be anywhere in memory.
static bool is_code(const char *section) {
  return strcmp(section, ".text") == 0 || strcmp(section, ".ltext") == 0;
}

static void add(agpu__code_list *list, MlirOperation module,
                LLVMSymbolIteratorRef symbol) {
  const char *name = LLVMGetSymbolName(symbol);
  list->functions[list->count++] =
      (agpu__code){.offset = LLVMGetSymbolAddress(symbol),
                   .size = LLVMGetSymbolSize(symbol),
                   .symbol = agpu__format("%s", name),
                   .what = agpu__region_names_describe(module, name)};
}

void agpu__code_list_read(agpu__code_list *list, MlirOperation module,
                          LLVMMemoryBufferRef object) {
  char *message = NULL;
  LLVMBinaryRef file = LLVMCreateBinary(object, NULL, &message);
  if (!file) { // then it is not linked either
    LLVMDisposeMessage(message);
    return;
  }
  LLVMSectionIteratorRef section = LLVMObjectFileCopySectionIterator(file);
  LLVMSymbolIteratorRef symbol = LLVMObjectFileCopySymbolIterator(file);
  for (; !LLVMObjectFileIsSymbolIteratorAtEnd(file, symbol);
       LLVMMoveToNextSymbol(symbol)) {
    if (!LLVMGetSymbolSize(symbol))
      continue;
    LLVMMoveToContainingSection(section, symbol);
    const char *name = LLVMObjectFileIsSectionIteratorAtEnd(file, section)
                           ? NULL
                           : LLVMGetSectionName(section);
    if (!name || !is_code(name))
      continue;
    list->functions = agpu__grow(list->functions, list->count, &list->capacity,
                                 sizeof(*list->functions));
    add(list, module, symbol);
  }
  LLVMDisposeSymbolIterator(symbol);
  LLVMDisposeSectionIterator(section);
  LLVMDisposeBinary(file);
}

void agpu__code_list_free(agpu__code_list *list) {
  for (size_t i = 0; i < list->count; ++i) {
    free(list->functions[i].symbol);
    free(list->functions[i].what);
  }
  free(list->functions);
  *list = (agpu__code_list){0};
}

agpu__code_map *agpu__code_map_create(const agpu__code_list *list,
                                      const char *symbol, const void *address) {
  size_t bytes = sizeof(agpu__code_map) + list->count * sizeof(agpu__code);
  const agpu__code *known = NULL;
  for (size_t i = 0; i < list->count; ++i) {
    const agpu__code *at = &list->functions[i];
    bytes += at->what ? strlen(at->what) + 1 : 0;
    if (strcmp(at->symbol, symbol) == 0)
      known = at;
  }
  if (!known)
    return NULL;
  agpu__code_map *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED)
    return NULL;
  *map = (agpu__code_map){.bytes = bytes,
                          .base = (uintptr_t)address - known->offset,
                          .count = list->count};
  char *text = (char *)&map->functions[list->count];
  for (size_t i = 0; i < list->count; ++i) {
    agpu__code *at = &map->functions[i];
    *at = list->functions[i];
    at->symbol = NULL;
    if (!at->what)
      continue;
    at->what = strcpy(text, at->what);
    text += strlen(text) + 1;
  }
  (void)mprotect(map, bytes, PROT_READ);
  return map;
}

void agpu__code_map_destroy(agpu__code_map *map) {
  if (map)
    (void)munmap(map, map->bytes);
}

const char *agpu__code_map_find(const agpu__code_map *map, uintptr_t address) {
  for (size_t i = 0; map && i < map->count; ++i) {
    const agpu__code *at = &map->functions[i];
    if (address - map->base - at->offset < at->size)
      return at->what;
  }
  return NULL;
}
