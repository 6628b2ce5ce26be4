//===- kernel_globals.c - Globals that kernels and the host use -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-kernel-globals`.
//
// Outlining gives a kernel a copy of each `memref.global` that its body names.
// Where nobody writes to it, or the host never uses it, that is as good as the
// global itself. Any other has to be one object: its `memref.get_global` goes
// in front of the launch, which then is given the host's memory like any other.
//
//===----------------------------------------------------------------------===//

#include "lower/ir/ir.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

/// The module's functions, and which code each is of.
typedef struct functions {
  MlirSymbolTable symbols;
  agpu__ops calls;   ///< all func.call of the module
  agpu__map kernels; ///< functions that kernels call, in the end
  agpu__map hosts;   ///< functions that the host calls, or may
} functions;

/// A global that can be written to, and what names it.
typedef struct global {
  MlirOperation op;
  agpu__ops in_launches, in_functions, in_kernel_modules;
} global;

static bool has(const agpu__map *map, MlirOperation op) {
  return agpu__map_get(map, op.ptr) != AGPU__MAP_NONE;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static MlirOperation callee_of(const functions *self, MlirOperation call) {
  return agpu__find_callee(self->symbols, call);
}

static MlirOperation caller_of(MlirOperation op) {
  MlirOperation function = agpu__parent_of(op, "func.func");
  return mlirOperationIsNull(function) ? agpu__parent_of(op, "async.func")
                                       : function;
}

static bool is_in_launch(MlirOperation op) {
  return !mlirOperationIsNull(agpu__parent_of(op, "gpu.launch"));
}

static bool is_in_kernel_module(MlirOperation op) {
  return !mlirOperationIsNull(agpu__parent_of(op, "gpu.module"));
}

/// Marks what functions in `marked` call, until nothing is added. Calls of
/// launches begin kernels, and are none of the host's.
static void close_over_calls(const functions *self, agpu__map *marked,
                             bool of_kernels) {
  for (size_t before = SIZE_MAX; before != marked->count;) {
    before = marked->count;
    for (size_t i = 0; i < self->calls.count; ++i) {
      MlirOperation call = self->calls.data[i];
      MlirOperation callee = callee_of(self, call);
      bool in_launch = is_in_launch(call);
      if (mlirOperationIsNull(callee) || is_in_kernel_module(call))
        continue;
      MlirOperation caller = caller_of(call);
      if (in_launch ? of_kernels
                    : !mlirOperationIsNull(caller) && has(marked, caller))
        agpu__map_set(marked, callee.ptr, 0);
    }
  }
}

static functions find_functions(MlirOperation module) {
  functions self = {.symbols = mlirSymbolTableCreate(module)};
  agpu__collect(module, "func.call", &self.calls);
  close_over_calls(&self, &self.kernels, true);
  // Who is private and called by kernels alone is not the host's.
  AGPU__OPS_FOREACH (op, agpu__module_body(module))
    if (!has(&self.kernels, op) || !agpu__has_attr(op, "sym_visibility"))
      agpu__map_set(&self.hosts, op.ptr, 0);
  close_over_calls(&self, &self.hosts, false);
  return self;
}

static void free_functions(functions *self) {
  mlirSymbolTableDestroy(self->symbols);
  agpu__ops_free(&self->calls);
  agpu__map_free(&self->kernels);
  agpu__map_free(&self->hosts);
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

static bool is_print(const functions *self, MlirOperation op) {
  MlirOperation callee = callee_of(self, op);
  return !mlirOperationIsNull(callee) && agpu__is_declaration(callee) &&
         agpu__is_print_function(agpu__get_string(callee, "sym_name"));
}

/// Whether `op` may write to the memory of its operand `number`, now or later.
static bool may_write(const functions *self, MlirOperation op,
                      intptr_t number) {
  if (is_print(self, op))
    return false;
  if (!agpu__only_accesses(op, number))
    return true;
  agpu__op_memory memory = agpu__memory_of_op(op);
  bool reads, writes = memory.writes & 1u << number, covers;
  if (memory.class == AGPU__OP_LINALG)
    agpu__linalg_use(op, number, &reads, &writes, &covers);
  return writes;
}

/// Whether what the op names may be written to by that name.
static bool is_written_by(const functions *self, MlirOperation get) {
  AGPU__SCOPED(values) names = {0};
  agpu__values_push(&names, agpu__result(get, 0));
  bool result = false;
  for (size_t i = 0; i < names.count && !result; ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(names.data[i]);
         !mlirOpOperandIsNull(use) && !result;
         use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      intptr_t number = (intptr_t)mlirOpOperandGetOperandNumber(use);
      if (agpu__is_view(user) && number == 0)
        for (intptr_t r = 0; r < mlirOperationGetNumResults(user); ++r)
          agpu__values_push(&names, agpu__result(user, r));
      else
        result = may_write(self, user, number);
    }
  return result;
}

static bool is_any_written(const functions *self, const agpu__ops *gets) {
  bool result = false;
  for (size_t i = 0; i < gets->count && !result; ++i)
    result = is_written_by(self, gets->data[i]);
  return result;
}

/// The first of the ops that is in a function of these; a null op: none is.
static MlirOperation first_in(const agpu__ops *gets, const agpu__map *of) {
  for (size_t i = 0; i < gets->count; ++i) {
    MlirOperation function = caller_of(gets->data[i]);
    if (!mlirOperationIsNull(function) && has(of, function))
      return gets->data[i];
  }
  return (MlirOperation){NULL};
}

//===----------------------------------------------------------------------===//
// Globals
//===----------------------------------------------------------------------===//

/// Warns of a kernel module, outlined by others, that has a copy.
static void warn_of_copies(const functions *self, const global *of) {
  if (!of->in_kernel_modules.count ||
      mlirOperationIsNull(first_in(&of->in_functions, &self->hosts)) ||
      (!is_any_written(self, &of->in_kernel_modules) &&
       !is_any_written(self, &of->in_functions)))
    return;
  MlirStringRef name = agpu__get_string(of->op, "sym_name");
  agpu__warning(
      mlirOperationGetLocation(of->in_kernel_modules.data[0]),
      "the kernel uses the '%.*s' of its gpu.module, and the host another "
      "global of that name: neither gets what the other writes. Give the "
      "kernel the memref as an argument",
      AGPU__STR(name));
}

static MlirLogicalResult make_one(const functions *self, const global *of) {
  MlirOperation host = first_in(&of->in_functions, &self->hosts);
  if (mlirOperationIsNull(host) || (!is_any_written(self, &of->in_launches) &&
                                    !is_any_written(self, &of->in_functions)))
    return mlirLogicalResultSuccess();
  for (size_t i = 0; i < of->in_launches.count; ++i) {
    MlirOperation get = of->in_launches.data[i];
    mlirOperationMoveBefore(get, agpu__parent_of(get, "gpu.launch"));
  }
  MlirOperation helper = first_in(&of->in_functions, &self->kernels);
  if (mlirOperationIsNull(helper))
    return mlirLogicalResultSuccess();
  MlirStringRef name = agpu__get_string(of->op, "sym_name");
  AGPU__OWNED char *place = agpu__location_text(mlirOperationGetLocation(host));
  return agpu__error(
      mlirOperationGetLocation(helper),
      "a kernel that calls this function would have a copy of '%.*s', which "
      "the host uses too%s%s, and neither would get what the other writes: "
      "give the function the memref as an argument",
      AGPU__STR(name), *place ? ", at " : "", place);
}

static bool can_be_written(MlirOperation op) {
  if (!agpu__op_is(op, "memref.global") || agpu__has_attr(op, "constant"))
    return false;
  MlirType type = mlirTypeAttrGetValue(agpu__attr(op, "type"));
  return mlirTypeIsAMemRef(type) &&
         mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type));
}

/// The ops of `gets` that name the global, by where they are.
static global find_uses(MlirOperation op, const agpu__ops *gets) {
  global found = {.op = op};
  MlirStringRef name = agpu__get_string(op, "sym_name");
  for (size_t i = 0; i < gets->count; ++i) {
    MlirAttribute of = agpu__attr(gets->data[i], "name");
    if (!mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(of), name))
      continue;
    agpu__ops_push(is_in_kernel_module(gets->data[i]) ? &found.in_kernel_modules
                   : is_in_launch(gets->data[i])      ? &found.in_launches
                                                      : &found.in_functions,
                   gets->data[i]);
  }
  return found;
}

static MlirLogicalResult run(MlirOperation module) {
  AGPU__SCOPED(ops) gets = agpu__ops_in(module, "memref.get_global");
  functions known = {0};
  MlirLogicalResult result = mlirLogicalResultSuccess();
  if (gets.count)
    known = find_functions(module);
  for (MlirOperation op = mlirBlockGetFirstOperation(agpu__module_body(module));
       gets.count && !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!can_be_written(op))
      continue;
    global of = find_uses(op, &gets);
    warn_of_copies(&known, &of);
    if (mlirLogicalResultIsFailure(make_one(&known, &of)))
      result = mlirLogicalResultFailure();
    agpu__ops_free(&of.in_launches);
    agpu__ops_free(&of.in_functions);
    agpu__ops_free(&of.in_kernel_modules);
  }
  if (gets.count)
    free_functions(&known);
  return result;
}

const agpu_pass agpu__pass_kernel_globals = {
    .argument = "async-gpu-kernel-globals",
    .summary = "Make globals that kernels and the host use one object",
    .run = run,
};
