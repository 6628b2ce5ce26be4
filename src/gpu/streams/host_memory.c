//===- host_memory.c - Memory of the host that kernels are given -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-host-memory`.
//
// A kernel cannot read the host's memory. Constants (`memref.global constant`)
// that a `gpu.launch` captures are made inside it, where they become constants
// of the kernel; so are numbers (`arith.constant`), as a loop whose bounds are
// parameters is neither unrolled nor vectorised. A launch that gets other
// memory of the host is warned of, where it is seen that no driver knows the
// memory; the rest is found when the program runs. Where data has been placed
// for a device that reaches all memory (AGPU__UNIFIED_ATTR), there is nothing
// to warn of.
//
//===----------------------------------------------------------------------===//

#include "lower/dialect/attributes.h"
#include "lower/ir/ir.h"
#include "lower/pass/diagnostics.h"
#include "lower/pass/pass.h"

#include <stdlib.h>

/// True for a memref.get_global of a constant.
static bool is_constant(MlirSymbolTable symbols, MlirOperation get) {
  MlirAttribute name = agpu__attr(get, "name");
  if (mlirAttributeIsNull(name) || !mlirAttributeIsAFlatSymbolRef(name))
    return false;
  MlirOperation global =
      mlirSymbolTableLookup(symbols, mlirFlatSymbolRefAttrGetValue(name));
  return !mlirOperationIsNull(global) && agpu__has_attr(global, "constant") &&
         agpu__has_attr(global, "initial_value");
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// What a launch's body has got copies of so far.
typedef struct sinking {
  MlirSymbolTable symbols;
  MlirOperation launch;
  agpu__builder at; ///< the body's beginning
  agpu__twins copies;
  agpu__map others; ///< values that are made of something else
} sinking;

static MlirValue copy_maker(sinking *self, MlirValue value, MlirValue source) {
  MlirOperation made = mlirOperationClone(agpu__maker_of(value));
  if (!mlirValueIsNull(source))
    mlirOperationSetOperand(made, 0, source);
  mlirBlockInsertOwnedOperationBefore(self->at.block, self->at.before, made);
  agpu__twins_set(&self->copies, value, agpu__result(made, 0));
  return agpu__result(made, 0);
}

/// A copy in the body of a value that is made of a constant outside; a null
/// value for any other.
static MlirValue sink(sinking *self, MlirValue value) {
  AGPU__SCOPED(values) makers = {0};
  MlirValue copy = {NULL};
  bool is_constant_one = false;
  for (bool goes_on = true; goes_on;) {
    MlirOperation op = agpu__maker_of(value);
    copy = agpu__twins_get(&self->copies, value);
    if (!mlirValueIsNull(copy) || mlirOperationIsNull(op) ||
        agpu__is_inside(op, self->launch) ||
        agpu__map_get(&self->others, value.ptr) != AGPU__MAP_NONE)
      break;
    agpu__values_push(&makers, value);
    goes_on = agpu__is_view(op) && mlirOperationGetNumResults(op) == 1;
    if (goes_on)
      value = mlirOperationGetOperand(op, 0);
    else
      is_constant_one = agpu__op_is(op, "arith.constant") ||
                        (agpu__op_is(op, "memref.get_global") &&
                         is_constant(self->symbols, op));
  }
  bool is_copied = !mlirValueIsNull(copy) || is_constant_one;
  for (size_t i = makers.count; i-- > 0;)
    if (is_copied)
      copy = copy_maker(self, makers.data[i], copy);
    else
      agpu__map_set(&self->others, makers.data[i].ptr, 0);
  return copy;
}

static MlirWalkResult sink_operands(MlirOperation op, void *data) {
  sinking *self = data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    if (mlirOperationEqual(op, self->launch))
      break;
    MlirValue copy = sink(self, mlirOperationGetOperand(op, i));
    if (!mlirValueIsNull(copy))
      mlirOperationSetOperand(op, i, copy);
  }
  return MlirWalkResultAdvance;
}

static void sink_constants(MlirSymbolTable symbols, MlirOperation launch) {
  MlirBlock body = agpu__entry_block(launch);
  sinking self = {
      .symbols = symbols,
      .launch = launch,
      .at = agpu__builder_at_start(body, mlirOperationGetLocation(launch))};
  mlirOperationWalk(launch, sink_operands, &self, MlirWalkPreOrder);
  agpu__twins_free(&self.copies);
  agpu__map_free(&self.others);
}

//===----------------------------------------------------------------------===//
// Warnings
//===----------------------------------------------------------------------===//

/// A launch whose captures are looked at.
typedef struct captures {
  MlirOperation launch;
  MlirSymbolTable symbols;
  agpu__op_lists gets; ///< each memref.get_global, by the global's name
  agpu__map seen;      ///< values outside of it
  /// Of all launches: whether no driver knows the memory, by what makes it or,
  /// of a global, its name.
  agpu__map unknown;
} captures;

/// The op outside of the launch that makes the memory of a memref, as far as it
/// is seen; a null op where it has been given before, too. A view in the launch
/// is of a memref that is looked at for itself.
static MlirOperation new_allocation_of(captures *self, MlirValue value) {
  MlirOperation op = agpu__maker_of(value);
  while (!mlirOperationIsNull(op) && !agpu__is_inside(op, self->launch) &&
         agpu__map_get(&self->seen, value.ptr) == AGPU__MAP_NONE) {
    agpu__map_set(&self->seen, value.ptr, 0);
    if (!agpu__is_view(op))
      return op;
    value = agpu__viewed(value);
    op = agpu__maker_of(value);
  }
  return (MlirOperation){NULL};
}

static bool calls_a_print(MlirSymbolTable symbols, MlirOperation op) {
  MlirAttribute callee = agpu__op_is(op, "func.call") ? agpu__attr(op, "callee")
                                                      : mlirAttributeGetNull();
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return false;
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(callee);
  if (!agpu__is_print_function(name))
    return false;
  MlirOperation function = mlirSymbolTableLookup(symbols, name);
  return !mlirOperationIsNull(function) && agpu__is_declaration(function);
}

/// False if a driver may be told of the memory: it is registered, or its
/// address goes where that is not seen.
static bool stays_unknown(MlirSymbolTable symbols, MlirValue memory) {
  AGPU__SCOPED(values) names = {0};
  agpu__values_push(&names, memory);
  bool result = true;
  for (size_t i = 0; i < names.count && result; ++i)
    for (MlirOpOperand use = mlirValueGetFirstUse(names.data[i]);
         !mlirOpOperandIsNull(use) && result;
         use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      intptr_t number = (intptr_t)mlirOpOperandGetOperandNumber(use);
      if (!agpu__push_views(&names, user, number))
        result = (agpu__only_accesses(user, number) &&
                  !agpu__op_is(user, "gpu.host_register")) ||
                 agpu__op_is(user, "gpu.launch_func") ||
                 calls_a_print(symbols, user);
    }
  return result;
}

/// The same for a global, which has a name everywhere.
static bool global_stays_unknown(const captures *self, MlirOperation get) {
  agpu__ops gets = agpu__op_lists_get(&self->gets, agpu__attr(get, "name").ptr);
  bool result = true;
  for (size_t i = 0; i < gets.count && result; ++i)
    result = stays_unknown(self->symbols, agpu__result(gets.data[i], 0));
  return result;
}

/// The same of what `op` makes, asked once.
static bool is_unknown(captures *self, MlirOperation op) {
  bool is_global = agpu__op_is(op, "memref.get_global");
  const void *key = is_global ? agpu__attr(op, "name").ptr : op.ptr;
  size_t known = agpu__map_get(&self->unknown, key);
  if (known == AGPU__MAP_NONE) {
    known = is_global ? global_stays_unknown(self, op)
                      : stays_unknown(self->symbols, agpu__result(op, 0));
    agpu__map_set(&self->unknown, key, known);
  }
  return known;
}

static void look_at(captures *self, MlirValue value) {
  if (!mlirTypeIsAMemRef(mlirValueGetType(value)) &&
      !mlirTypeIsAUnrankedMemRef(mlirValueGetType(value)))
    return;
  MlirOperation op = new_allocation_of(self, value);
  if (mlirOperationIsNull(op))
    return;
  bool is_global = agpu__op_is(op, "memref.get_global");
  if (!is_global && !agpu__op_is_any(op, "memref.alloc memref.alloca"))
    return;
  if (!is_unknown(self, op))
    return;
  AGPU__OWNED char *place = agpu__location_text(mlirOperationGetLocation(op));
  agpu__warning(
      mlirOperationGetLocation(self->launch),
      "the kernel is given memory of the host, from the %s%s%s, which most "
      "devices do not reach: copy it to the device (gpu.memcpy), register it "
      "(gpu.host_register), allocate it for both (gpu.alloc host_shared), or "
      "have all that done (--sequential)",
      is_global                         ? "memref.get_global"
      : agpu__op_is(op, "memref.alloc") ? "memref.alloc"
                                        : "memref.alloca",
      *place ? " at " : "", place);
}

static MlirWalkResult look_at_operands(MlirOperation op, void *data) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    look_at(data, mlirOperationGetOperand(op, i));
  return MlirWalkResultAdvance;
}

static MlirLogicalResult run(MlirOperation module) {
  AGPU__SCOPED(ops) launches = {0};
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  agpu__collect(module, "gpu.launch", &launches);
  for (size_t i = 0; i < launches.count; ++i)
    sink_constants(symbols, launches.data[i]);
  agpu__collect(module, "gpu.launch_func", &launches);
  captures self = {.symbols = symbols};
  AGPU__SCOPED(ops) gets = agpu__ops_in(module, "memref.get_global");
  for (size_t i = 0; i < gets.count; ++i)
    agpu__op_lists_add(&self.gets, agpu__attr(gets.data[i], "name").ptr,
                       gets.data[i]);
  for (size_t i = 0; i < launches.count; ++i) {
    MlirOperation function = agpu__parent_of(launches.data[i], "func.func");
    if (!mlirOperationIsNull(function) &&
        agpu__has_attr(function, AGPU__UNIFIED_ATTR))
      continue;
    self.launch = launches.data[i];
    mlirOperationWalk(launches.data[i], look_at_operands, &self,
                      MlirWalkPreOrder);
    agpu__map_free(&self.seen);
  }
  agpu__map_free(&self.unknown);
  agpu__op_lists_free(&self.gets);
  mlirSymbolTableDestroy(symbols);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_host_memory = {
    .argument = "async-gpu-host-memory",
    .summary =
        "Move constants into kernels, and warn about host memory in launches",
    .run = run,
};
