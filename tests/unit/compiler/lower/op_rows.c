//===- op_rows.c - The table of ops ---------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row is found by its name, each is of an op that is registered, and an op
// without one is unknown. With an argument: prints the rows, for
// tests/support/check_ops.py.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/build.h"
#include "lower/ir/op_memory.h"
#include "lower/pass/pipeline.h"

#include "check.h"

#include <string.h>

static const char *const classes[] = {
    [AGPU__OP_UNKNOWN] = "UNKNOWN", [AGPU__OP_PURE] = "PURE",
    [AGPU__OP_VIEW] = "VIEW",       [AGPU__OP_ALLOCATES] = "ALLOCATES",
    [AGPU__OP_GLOBAL] = "GLOBAL",   [AGPU__OP_ACCESSES] = "ACCESSES",
    [AGPU__OP_LINALG] = "LINALG",   [AGPU__OP_STRUCTURE] = "STRUCTURE",
    [AGPU__OP_CALL] = "CALL",       [AGPU__OP_LAUNCH] = "LAUNCH",
    [AGPU__OP_OUTSIDE] = "OUTSIDE",
};

#define NAME(name) #name,
static const char *const traits[] = {AGPU__OP_TRAITS(NAME)};

static void print(const agpu__op_row *row) {
  printf("%s %s %u %u", row->name, classes[row->class], row->reads,
         row->writes);
  for (size_t i = 0; i < sizeof(traits) / sizeof(*traits); ++i)
    if (row->traits >> i & 1)
      printf(" %s", traits[i]);
  putchar('\n');
}

/// An op of that name, with nothing that it needs.
static MlirOperation make(MlirContext context, const char *name) {
  MlirOperationState state = mlirOperationStateGet(
      mlirStringRefCreateFromCString(name), mlirLocationUnknownGet(context));
  return mlirOperationCreate(&state);
}

int main(int argc, char **argv) {
  (void)argv;
  size_t count;
  const agpu__op_row *rows = agpu__op_rows(&count);
  MlirContext context = agpu__context_create();
  mlirContextLoadAllAvailableDialects(context);
  for (size_t i = 0; i < count; ++i) {
    if (argc > 1)
      print(&rows[i]);
    CHECK(i == 0 || strcmp(rows[i - 1].name, rows[i].name) < 0);
    CHECK(mlirContextIsRegisteredOperation(
        context, mlirStringRefCreateFromCString(rows[i].name)));
    MlirOperation op = make(context, rows[i].name);
    CHECK(agpu__row_of(op) == &rows[i]);
    mlirOperationDestroy(op);
  }
  // Shorter and longer than one that has a row, before the first, after the
  // last.
  mlirContextSetAllowUnregisteredDialects(context, true);
  static const char *const others[] = {"memref.loa", "memref.loads", "a.a",
                                       "z.z"};
  for (size_t i = 0; i < sizeof(others) / sizeof(*others); ++i) {
    MlirOperation op = make(context, others[i]);
    CHECK(agpu__row_of(op)->class == AGPU__OP_UNKNOWN);
    CHECK(agpu__row_of(op)->traits == 0);
    mlirOperationDestroy(op);
  }
  CHECK(agpu__row_of((MlirOperation){NULL})->class == AGPU__OP_UNKNOWN);
  mlirContextDestroy(context);
  return 0;
}
