//===- structors.c - Global constructors and destructors ------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes llvm.global_ctors and llvm.global_dtors out of a module, sorted by
// priority, equal ones as they stand. Their functions become visible, so that
// the JIT finds them by name.
//
//===----------------------------------------------------------------------===//

#include "host/native/native.h"

#include <stdlib.h>

typedef struct entry {
  unsigned long long priority;
  unsigned position; ///< keeps the sort stable
  LLVMValueRef function;
} entry;

static int compare(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->priority != y->priority)
    return x->priority < y->priority ? -1 : 1;
  return x->position < y->position ? -1 : 1;
}

/// Takes the list `name` out of `ir`; lower priorities come first.
static char **take_list(LLVMModuleRef ir, const char *name, size_t *out_count) {
  *out_count = 0;
  LLVMValueRef list = LLVMGetNamedGlobal(ir, name);
  LLVMValueRef initializer = list ? LLVMGetInitializer(list) : NULL;
  if (!initializer)
    return NULL;
  unsigned count = (unsigned)LLVMGetArrayLength2(LLVMTypeOf(initializer));
  AGPU__OWNED entry *entries = agpu__allocate(count, sizeof(*entries));
  char **names = agpu__allocate(count, sizeof(*names));
  unsigned used = 0;
  for (unsigned i = 0; i < count; ++i) {
    // { i32 priority, ptr function, ptr data }
    LLVMValueRef row = LLVMGetAggregateElement(initializer, i);
    LLVMValueRef priority = row ? LLVMGetAggregateElement(row, 0) : NULL;
    LLVMValueRef function = row ? LLVMGetAggregateElement(row, 1) : NULL;
    if (!function || !LLVMIsAFunction(function))
      continue;
    entries[used] = (entry){LLVMConstIntGetZExtValue(priority), i, function};
    ++used;
  }
  qsort(entries, used, sizeof(*entries), compare);
  for (unsigned i = 0; i < used; ++i) {
    LLVMSetLinkage(entries[i].function, LLVMExternalLinkage);
    size_t size;
    const char *text = LLVMGetValueName2(entries[i].function, &size);
    names[i] = agpu__format("%.*s", (int)size, text);
  }
  LLVMDeleteGlobal(list);
  *out_count = used;
  return names;
}

void agpu__structors_take(LLVMModuleRef ir, agpu__structors *out_structors) {
  agpu__structors *s = out_structors;
  s->constructors = take_list(ir, "llvm.global_ctors", &s->constructor_count);
  s->destructors = take_list(ir, "llvm.global_dtors", &s->destructor_count);
  // Destructors run in the opposite order.
  for (size_t i = 0; i < s->destructor_count / 2; ++i) {
    char **from = &s->destructors[i];
    char **to = &s->destructors[s->destructor_count - 1 - i];
    char *other = *from;
    *from = *to;
    *to = other;
  }
}

static void free_list(char **names, size_t count) {
  for (size_t i = 0; i < count; ++i)
    free(names[i]);
  free(names);
}

void agpu__structors_free(agpu__structors *structors) {
  free_list(structors->constructors, structors->constructor_count);
  free_list(structors->destructors, structors->destructor_count);
  memset(structors, 0, sizeof(*structors));
}
