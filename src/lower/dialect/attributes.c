//===- attributes.c - Attributes that passes read -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes write these attributes for each other, but their input may be written
// by hand: a reader asks here whether it is one of its words.
//
//===----------------------------------------------------------------------===//

#include "lower/dialect/attributes.h"

#include "lower/ir/ir.h"

#include <string.h>

static const struct {
  const char *name;
  const char *words[4];
} attributes[] = {
    {AGPU__KIND_ATTR, {AGPU__KIND_HOST, AGPU__KIND_DEVICE, AGPU__KIND_MIXED}},
    {AGPU__START_ATTR,
     {AGPU__START_EXECUTOR, AGPU__START_SPAWNER, AGPU__START_EITHER,
      AGPU__START_READY}},
    {AGPU__HOW_ATTR,
     {AGPU__WAIT_EVENT, AGPU__WAIT_STREAM, AGPU__WAIT_LAST, AGPU__WAIT_NONE}},
};

void agpu__set_same_region(MlirOperation to, MlirOperation from) {
  static const char *const names[] = {AGPU__REGION_ATTR, AGPU__STREAM_ATTR};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); ++i)
    if (agpu__has_attr(from, names[i]))
      agpu__set_attr(to, names[i], agpu__attr(from, names[i]));
}

static const char *const *words_of(const char *name) {
  size_t i = 0;
  while (strcmp(attributes[i].name, name))
    ++i;
  return attributes[i].words;
}

bool agpu__is_word(MlirAttribute value, const char *name) {
  const char *const *words = words_of(name);
  bool is_one = false;
  for (size_t i = 0; i < 4 && words[i] && mlirAttributeIsAString(value); ++i)
    is_one |=
        mlirStringRefEqual(mlirStringAttrGetValue(value), agpu__str(words[i]));
  return is_one;
}

MlirLogicalResult agpu__check_word(MlirOperation op, const char *name) {
  MlirAttribute value = agpu__attr(op, name);
  if (mlirAttributeIsNull(value) || agpu__is_word(value, name))
    return mlirLogicalResultSuccess();
  const char *const *words = words_of(name);
  agpu__text list = {0};
  for (size_t i = 0; i < 4 && words[i]; ++i) {
    bool is_last = i == 3 || !words[i + 1];
    agpu__text_printf(&list, "%s\"%s\"",
                      is_last ? " or "
                      : i     ? ", "
                              : "",
                      words[i]);
  }
  MlirLogicalResult result = agpu__error(
      mlirOperationGetLocation(op), "%s is %s", name, agpu__text_get(&list));
  agpu__text_free(&list);
  return result;
}
