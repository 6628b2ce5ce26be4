//===- attributes.c - What passes and programs say of ops -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes write these attributes for each other, but what a pipeline gets may be
// written by hand: it is checked at the first pass of ours.
//
//===----------------------------------------------------------------------===//

#include "lower/dialect/attributes.h"

#include "lower/ir/ir.h"

#include <stdlib.h>

const agpu__attribute *agpu__attribute_find(MlirStringRef name) {
  for (size_t i = 0; i < agpu__attribute_count; ++i)
    if (mlirStringRefEqual(name, agpu__str(agpu__attributes[i].name)))
      return &agpu__attributes[i];
  return NULL;
}

static bool begins(MlirStringRef name, const char *prefix) {
  size_t length = strlen(prefix);
  return name.length > length && !memcmp(name.data, prefix, length);
}

bool agpu__attribute_is_of_host(MlirStringRef name) {
  return begins(name, "async_gpu.");
}

bool agpu__attribute_is_of_device(MlirStringRef name) {
  return begins(name, "agpu.");
}

/// `a, b or c`, each between `quotes`; the caller frees it.
static char *list(const char *const *words, const char *quotes) {
  AGPU__SCOPED(text) text = {0};
  for (size_t i = 0; words[i]; ++i) {
    bool is_last = !words[i + 1];
    agpu__text_printf(&text, "%s%s%s%s",
                      !i        ? ""
                      : is_last ? " or "
                                : ", ",
                      quotes, words[i], quotes);
  }
  return agpu__format("%s", agpu__text_get(&text));
}

char *agpu__attribute_values(const agpu__attribute *attribute) {
  static const char *const words[] = {
      [AGPU__ATTRIBUTE_UNIT] = "without a value",
      [AGPU__ATTRIBUTE_BOOL] = "true or false",
      [AGPU__ATTRIBUTE_NUMBER] = "a number that is not negative",
      [AGPU__ATTRIBUTE_PRIORITY] =
          "an i32 that is not positive: 0 is the default, less is more urgent",
      [AGPU__ATTRIBUTE_NAME] = "a string",
      [AGPU__ATTRIBUTE_NAMES] = "an array of strings",
      [AGPU__ATTRIBUTE_TWO_NAMES] = "an array of two strings",
      [AGPU__ATTRIBUTE_SYMBOLS] = "an array of symbols",
      [AGPU__ATTRIBUTE_I32S] = "array<i32: ...>, with no negative number",
      [AGPU__ATTRIBUTE_I64S] = "array<i64: ...>",
      [AGPU__ATTRIBUTE_DICTIONARY] = "a dictionary",
      [AGPU__ATTRIBUTE_EXPORTS] =
          "an array of [name, symbol, array<i64: ...>, number]"};
  return attribute->type == AGPU__ATTRIBUTE_WORD
             ? list(attribute->words, "\"")
             : agpu__format("%s", words[attribute->type]);
}

static bool is_word(const agpu__attribute *attribute, MlirAttribute value) {
  for (size_t i = 0; attribute->words[i]; ++i)
    if (mlirStringRefEqual(mlirStringAttrGetValue(value),
                           agpu__str(attribute->words[i])))
      return true;
  return false;
}

static bool is_number(MlirAttribute value) {
  return mlirAttributeIsAInteger(value) && !mlirAttributeIsABool(value) &&
         (mlirTypeIsAIndex(mlirAttributeGetType(value)) ||
          (mlirIntegerTypeIsSignless(mlirAttributeGetType(value)) &&
           mlirIntegerTypeGetWidth(mlirAttributeGetType(value)) <= 64)) &&
         mlirIntegerAttrGetValueInt(value) >= 0;
}

static bool is_priority(MlirAttribute value) {
  return mlirAttributeIsAInteger(value) &&
         mlirTypeEqual(mlirAttributeGetType(value),
                       agpu__i32_type(mlirAttributeGetContext(value))) &&
         mlirIntegerAttrGetValueInt(value) <= 0;
}

static bool is_export(MlirAttribute value) {
  return mlirAttributeIsAArray(value) &&
         mlirArrayAttrGetNumElements(value) == 4 &&
         mlirAttributeIsAString(mlirArrayAttrGetElement(value, 0)) &&
         mlirAttributeIsAString(mlirArrayAttrGetElement(value, 1)) &&
         mlirAttributeIsADenseI64Array(mlirArrayAttrGetElement(value, 2)) &&
         is_number(mlirArrayAttrGetElement(value, 3));
}

static bool is_list_of(MlirAttribute value, bool is_element(MlirAttribute)) {
  bool valid = mlirAttributeIsAArray(value);
  for (intptr_t i = 0; valid && i < mlirArrayAttrGetNumElements(value); ++i)
    valid = is_element(mlirArrayAttrGetElement(value, i));
  return valid;
}

static bool is_i32s(MlirAttribute value) {
  bool valid = mlirAttributeIsADenseI32Array(value);
  for (intptr_t i = 0; valid && i < mlirDenseArrayGetNumElements(value); ++i)
    valid = mlirDenseI32ArrayGetElement(value, i) >= 0;
  return valid;
}

static bool has_value(const agpu__attribute *attribute, MlirAttribute value) {
  switch (attribute->type) {
  case AGPU__ATTRIBUTE_UNIT: return mlirAttributeIsAUnit(value);
  case AGPU__ATTRIBUTE_BOOL: return mlirAttributeIsABool(value);
  case AGPU__ATTRIBUTE_NUMBER: return is_number(value);
  case AGPU__ATTRIBUTE_PRIORITY: return is_priority(value);
  case AGPU__ATTRIBUTE_WORD:
    return mlirAttributeIsAString(value) && is_word(attribute, value);
  case AGPU__ATTRIBUTE_NAME: return mlirAttributeIsAString(value);
  case AGPU__ATTRIBUTE_NAMES: return is_list_of(value, mlirAttributeIsAString);
  case AGPU__ATTRIBUTE_TWO_NAMES:
    return is_list_of(value, mlirAttributeIsAString) &&
           mlirArrayAttrGetNumElements(value) == 2;
  case AGPU__ATTRIBUTE_SYMBOLS:
    return is_list_of(value, mlirAttributeIsAFlatSymbolRef);
  case AGPU__ATTRIBUTE_I32S: return is_i32s(value);
  case AGPU__ATTRIBUTE_I64S: return mlirAttributeIsADenseI64Array(value);
  case AGPU__ATTRIBUTE_DICTIONARY: return mlirAttributeIsADictionary(value);
  case AGPU__ATTRIBUTE_EXPORTS: return is_list_of(value, is_export);
  }
  return false;
}

/// What is lowered keeps its attributes.
static bool is_lowered(MlirOperation op, const char *from) {
  return (agpu__op_is(op, "llvm.func") && !strcmp(from, "func.func")) ||
         (agpu__op_is(op, "llvm.call") && !strcmp(from, "func.call"));
}

static bool may_stand_on(const agpu__attribute *attribute, MlirOperation op) {
  for (size_t i = 0; attribute->on[i]; ++i)
    if (agpu__op_is(op, attribute->on[i]) || is_lowered(op, attribute->on[i]))
      return true;
  return !attribute->on[0];
}

static MlirLogicalResult check(MlirOperation op, MlirNamedAttribute given) {
  MlirStringRef name = mlirIdentifierStr(given.name);
  const agpu__attribute *attribute = agpu__attribute_find(name);
  // `how` and `brief` of other dialects are theirs.
  if (!attribute ||
      (!memchr(name.data, '.', name.length) && !may_stand_on(attribute, op)))
    return mlirLogicalResultSuccess();
  MlirLocation location = mlirOperationGetLocation(op);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__OWNED char *expected = NULL;
  if (!may_stand_on(attribute, op)) {
    expected = list(attribute->on, "");
    result =
        agpu__error(location, "%s belongs on %s", attribute->name, expected);
  } else if (!has_value(attribute, given.attribute)) {
    expected = agpu__attribute_values(attribute);
    result = agpu__error(location, "%s is %s", attribute->name, expected);
  }
  return result;
}

static MlirWalkResult check_op(MlirOperation op, void *data) {
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(op); ++i)
    if (mlirLogicalResultIsFailure(
            check(op, mlirOperationGetDiscardableAttribute(op, i))))
      *(MlirLogicalResult *)data = mlirLogicalResultFailure();
  return MlirWalkResultAdvance;
}

MlirLogicalResult agpu__check_attributes(MlirOperation module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  mlirOperationWalk(module, check_op, &result, MlirWalkPreOrder);
  return result;
}

void agpu__set_same_region(MlirOperation to, MlirOperation from) {
  static const char *const names[] = {AGPU__REGION_ATTR, AGPU__STREAM_ATTR};
  for (size_t i = 0; i < AGPU__COUNT(names); ++i)
    if (agpu__has_attr(from, names[i]))
      agpu__set_attr(to, names[i], agpu__attr(from, names[i]));
}
