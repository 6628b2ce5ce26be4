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

#include "host/native/native.h"

#include <elf.h>
#include <stdlib.h>
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

/// LLVM's C interface knows the sizes of common symbols alone.
static void read_symbols(agpu__code_list *list, MlirSymbolTable functions,
                         const char *file, size_t size) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
  if (size < sizeof(*header) || memcmp(file, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
  const char *section_names = file + sections[header->e_shstrndx].sh_offset;
  for (size_t i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB)
      continue;
    const Elf64_Sym *symbols =
        (const Elf64_Sym *)(file + sections[i].sh_offset);
    const char *names = file + sections[sections[i].sh_link].sh_offset;
    for (size_t j = 0; j < sections[i].sh_size / sizeof(*symbols); ++j) {
      const Elf64_Sym *symbol = &symbols[j];
      if (!symbol->st_size || symbol->st_shndx >= header->e_shnum ||
          !is_code(section_names + sections[symbol->st_shndx].sh_name))
        continue;
      const char *name = names + symbol->st_name;
      AGPU__GROW(list->functions, list->count, list->capacity);
      list->functions[list->count++] =
          (agpu__code){.offset = symbol->st_value,
                       .size = symbol->st_size,
                       .symbol = agpu__format("%s", name),
                       .what = agpu__region_names_describe(functions, name)};
    }
  }
}

void agpu__code_list_read(agpu__code_list *list, MlirOperation module,
                          LLVMMemoryBufferRef object) {
  MlirSymbolTable functions = mlirSymbolTableCreate(module);
  read_symbols(list, functions, LLVMGetBufferStart(object),
               LLVMGetBufferSize(object));
  mlirSymbolTableDestroy(functions);
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
