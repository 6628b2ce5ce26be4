//===- twins.c - Values that stand for others -----------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memref that is copied or replaced takes its views with it: which view
// stands for which, found by the value's address. Chains of views are as long
// as the program makes them, so who copies one walks it by a list.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"

MlirValue agpu__twins_get(const agpu__twins *self, MlirValue value) {
  size_t number = agpu__map_get(&self->numbers, value.ptr);
  return number == AGPU__MAP_NONE ? (MlirValue){NULL}
                                  : self->twins.data[number];
}

void agpu__twins_set(agpu__twins *self, MlirValue value, MlirValue twin) {
  agpu__map_set(&self->numbers, value.ptr, self->twins.count);
  agpu__values_push(&self->twins, twin);
}

void agpu__twins_free(agpu__twins *self) {
  agpu__map_free(&self->numbers);
  agpu__values_free(&self->twins);
}
