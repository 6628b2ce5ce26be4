//===- placing.c - What is said of data that is placed -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of what is placed, and remarks and errors that begin with them: a
// remark stands where the memory is from, an error at the launch that is given
// it.
//
//===----------------------------------------------------------------------===//

#include "gpu/place/place.h"

#include "lower/pass/diagnostics.h"

#include <stdlib.h>

char *agpu__placing_name(const agpu__placing *self, size_t number) {
  const agpu__object *object = &self->function->objects.data[number];
  if (object->kind == AGPU__OBJECT_ARGUMENT)
    return agpu__format("argument %zu", object->argument);
  if (object->kind == AGPU__OBJECT_GLOBAL) {
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(object->symbol);
    return agpu__format("global @%.*s", AGPU__STR(name));
  }
  MlirOperation op = mlirOpResultGetOwner(object->value);
  MlirStringRef name = agpu__op_name(op);
  return agpu__format("the %.*s in line %d", AGPU__STR(name),
                      agpu__place_of(mlirOperationGetLocation(op)).line);
}

MlirOperation agpu__placing_launch(const agpu__placing *self, size_t object) {
  const agpu__events *events = &self->touches->of[object];
  for (size_t i = 0; i < events->count; ++i)
    if (agpu__is_launch(events->data[i].op))
      return events->data[i].op;
  return (MlirOperation){NULL};
}

void agpu__placing_remark(const agpu__placing *self, size_t object,
                          const char *text) {
  if (!self->remarks)
    return;
  AGPU__OWNED char *name = agpu__placing_name(self, object);
  MlirValue value = self->function->objects.data[object].value;
  MlirLocation location =
      !mlirValueIsNull(value) && mlirValueIsAOpResult(value)
          ? mlirOperationGetLocation(mlirOpResultGetOwner(value))
          : mlirOperationGetLocation(self->function->function);
  agpu__remark(location, "%s %s", name, text);
}

void agpu__placing_fail(agpu__placing *self, size_t object, const char *reason,
                        const char *fix) {
  AGPU__OWNED char *name = agpu__placing_name(self, object);
  size_t leader = self->function->objects.data[object].leader;
  agpu__error(mlirOperationGetLocation(agpu__placing_launch(self, leader)),
              "the kernel is given memory of the host, %s, which cannot be "
              "placed: %s; %s",
              name, reason, fix);
  self->result = mlirLogicalResultFailure();
}
