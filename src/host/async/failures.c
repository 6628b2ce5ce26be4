//===- failures.c - Functions that give failures to their callers ---------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-failures`.
//
// What fails in a region is the region's error. In a function that it calls,
// nothing but the end of the program is left, unless the function gives the
// error to its caller: by a first result, a token, which the caller looks at
// (agpu.propagate). That token is the one that is always ready where nothing
// has failed, so that this costs a comparison and allocates nothing.
//
// Selected are the functions that may fail, by themselves or by a call of such
// a function, and that regions and async functions call, by themselves or by
// way of other selected functions. Both are closures over the calls, found by
// worklists. A call in an op whose code cannot be left by a branch remains as
// it is.
//
//===----------------------------------------------------------------------===//

#include "host/passes.h"
#include "lower/dialect/attributes.h"
#include "lower/ir/ir.h"

#include <stdlib.h>

#define SUFFIX ".fallible"

/// A call of a function with a body, in a place that a branch can leave.
typedef struct call {
  MlirOperation op;
  size_t callee; ///< number of the function
  size_t caller; ///< likewise; NO_FUNCTION in a region or an async function
} call;

typedef struct helper {
  MlirOperation op;
  MlirType type; ///< as it was
  bool may_fail;
  bool is_called; ///< by a region
  bool is_kept; ///< under its name and type, as it is public or used otherwise
} helper;

typedef struct failures {
  MlirOperation module;
  MlirSymbolTable symbols;
  helper *functions;
  size_t function_count, function_capacity;
  agpu__map numbers; ///< of functions
  call *calls;
  size_t call_count, call_capacity;
} failures;

#define NO_FUNCTION AGPU__MAP_NONE

static bool is_selected(const failures *self, size_t number) {
  return self->functions[number].may_fail && self->functions[number].is_called;
}

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

/// Whether a branch can go from `op` to the end of the code that it stands in:
/// of a region or an async function (sets `*out_caller` to NO_FUNCTION), or of
/// a function with a number.
static bool can_leave(const failures *self, MlirOperation op,
                      size_t *out_caller) {
  MlirOperation around = mlirOperationGetParentOperation(op);
  while (agpu__op_is_any(
      around, "scf.if scf.for scf.while scf.index_switch scf.parallel "
              "scf.forall scf.reduce scf.execute_region"))
    around = mlirOperationGetParentOperation(around);
  *out_caller = NO_FUNCTION;
  if (agpu__op_is_any(around, "async.execute async.func"))
    return true;
  *out_caller = agpu__map_get(&self->numbers, around.ptr);
  return *out_caller != NO_FUNCTION;
}

/// Whether `op` can fail by itself. Device work does where the host waits for
/// it.
static bool can_fail(MlirOperation op) {
  return agpu__op_has(op, AGPU__OP_FAILS);
}

/// Functions that `op` uses in another way than by a call that can be left.
static void keep_used(failures *self, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirAttribute attribute = mlirOperationGetAttribute(op, i).attribute;
    if (!mlirAttributeIsAFlatSymbolRef(attribute))
      continue;
    MlirOperation used = mlirSymbolTableLookup(
        self->symbols, mlirFlatSymbolRefAttrGetValue(attribute));
    size_t number = mlirOperationIsNull(used)
                        ? NO_FUNCTION
                        : agpu__map_get(&self->numbers, used.ptr);
    if (number != NO_FUNCTION)
      self->functions[number].is_kept = true;
  }
}

static void look_at(failures *self, MlirOperation op) {
  size_t caller;
  bool leaves = can_leave(self, op, &caller);
  MlirOperation callee = {NULL};
  // A call that enqueues stands for work of its region's stream.
  if (leaves && agpu__op_is(op, "func.call") &&
      !agpu__has_attr(op, AGPU__ENQUEUE_ATTR))
    callee = agpu__find_callee(self->symbols, op);
  size_t number = mlirOperationIsNull(callee)
                      ? NO_FUNCTION
                      : agpu__map_get(&self->numbers, callee.ptr);
  if (number == NO_FUNCTION) {
    keep_used(self, op);
    if (leaves && caller != NO_FUNCTION && can_fail(op))
      self->functions[caller].may_fail = true;
    return;
  }
  AGPU__GROW(self->calls, self->call_count, self->call_capacity);
  self->calls[self->call_count++] = (call){op, number, caller};
}

static void collect(failures *self) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(self->module, NULL);
  MlirBlock body = agpu__module_body(self->module);
  AGPU__OPS_FOREACH (op, body) {
    if (!agpu__op_is(op, "func.func") || agpu__is_declaration(op))
      continue;
    AGPU__GROW(self->functions, self->function_count, self->function_capacity);
    MlirStringRef visibility = agpu__get_string(op, "sym_visibility");
    self->functions[self->function_count] = (helper){
        .op = op,
        .type = agpu__function_type(op),
        .is_kept = !visibility.data ||
                   !mlirStringRefEqual(visibility, agpu__str("private"))};
    agpu__map_set(&self->numbers, op.ptr, self->function_count++);
  }
  for (size_t i = 0; i < ops.count; ++i)
    look_at(self, ops.data[i]);
}

//===----------------------------------------------------------------------===//
// Which functions
//===----------------------------------------------------------------------===//

/// The calls of each function, or by it: call `next[i]` follows call i, from
/// `first[function]` on. NO_FUNCTION ends a list.
typedef struct lists {
  size_t *first, *next;
} lists;

static lists list_calls(const failures *self, bool by_callee) {
  lists made = {agpu__allocate(self->function_count + 1, sizeof(size_t)),
                agpu__allocate(self->call_count + 1, sizeof(size_t))};
  for (size_t i = 0; i < self->function_count; ++i)
    made.first[i] = NO_FUNCTION;
  for (size_t i = 0; i < self->call_count; ++i) {
    size_t of = by_callee ? self->calls[i].callee : self->calls[i].caller;
    if (of == NO_FUNCTION)
      continue;
    made.next[i] = made.first[of];
    made.first[of] = i;
  }
  return made;
}

/// Hands a mark on, from callees to callers or the other way.
static void spread(failures *self, bool to_callers) {
  lists calls = list_calls(self, to_callers);
  AGPU__OWNED size_t *work =
      agpu__allocate(self->function_count + 1, sizeof(*work));
  size_t count = 0;
  for (size_t i = 0; i < self->function_count; ++i)
    if (to_callers ? self->functions[i].may_fail : self->functions[i].is_called)
      work[count++] = i;
  while (count) {
    size_t from = work[--count];
    for (size_t i = calls.first[from]; i != NO_FUNCTION; i = calls.next[i]) {
      size_t to = to_callers ? self->calls[i].caller : self->calls[i].callee;
      if (to == NO_FUNCTION)
        continue;
      helper *next = &self->functions[to];
      bool *mark = to_callers ? &next->may_fail : &next->is_called;
      if (!*mark)
        work[count++] = to;
      *mark = true;
    }
  }
  free(calls.first);
  free(calls.next);
}

static void select_functions(failures *self) {
  for (size_t i = 0; i < self->call_count; ++i)
    if (self->calls[i].caller == NO_FUNCTION)
      self->functions[self->calls[i].callee].is_called = true;
  spread(self, /*to_callers=*/true);
  spread(self, /*to_callers=*/false);
  for (size_t i = 0; i < self->call_count; ++i) {
    size_t caller = self->calls[i].caller;
    if (caller != NO_FUNCTION && !is_selected(self, caller))
      self->functions[self->calls[i].callee].is_kept = true;
  }
}

//===----------------------------------------------------------------------===//
// Functions and calls
//===----------------------------------------------------------------------===//

static MlirType token_type(MlirOperation op) {
  return agpu__token_type(mlirOperationGetContext(op));
}

/// A call of `callee`, a function of type `type` before it was or will be made
/// fallible, and what ends the caller's code where it has failed. Appends the
/// results but the token to `out_values`.
static void build_call(agpu__builder *at, MlirOperation callee, MlirType type,
                       const agpu__values *operands, agpu__values *out_values) {
  size_t count = (size_t)mlirFunctionTypeGetNumResults(type) + 1;
  AGPU__OWNED MlirType *types = agpu__allocate(count, sizeof(*types));
  types[0] = token_type(callee);
  for (size_t i = 1; i < count; ++i)
    types[i] = mlirFunctionTypeGetResult(type, (intptr_t)i - 1);
  MlirOperation made = agpu__build_call_of(
      at, "func.call",
      mlirFlatSymbolRefAttrGet(at->context,
                               agpu__get_string(callee, "sym_name")),
      operands->data, operands->count, types, count);
  MlirValue token = agpu__result(made, 0);
  agpu__build_effect(at, "agpu.propagate", &token, 1);
  for (size_t i = 1; i < count; ++i)
    agpu__values_push(out_values, agpu__result(made, (intptr_t)i));
}

/// A function under the name and with the type of `function`, for those who
/// know nothing of errors: it calls that one, which gets another name.
static void build_kept(failures *self, MlirOperation function) {
  MlirBlock block;
  MlirRegion region = agpu__build_region(&block);
  agpu__builder at = agpu__builder_before(function);
  MlirOperation kept = agpu__build_like(&at, function,
                                        (agpu__op_spec){.name = "func.func",
                                                        .regions = &region,
                                                        .region_count = 1});
  // The other one chooses the device.
  agpu__remove_attr(kept, AGPU__DEVICE_ATTR);

  MlirAttribute name = agpu__attr(function, "sym_name");
  MlirStringRef text = mlirStringAttrGetValue(name);
  char *other = agpu__format("%.*s" SUFFIX, AGPU__STR(text));
  agpu__set_attr(kept, "sym_name", agpu__string_attr(at.context, other));
  free(other);
  mlirOperationRemoveFromParent(kept);
  mlirSymbolTableInsert(self->symbols, kept); // no other has its name now
  mlirOperationMoveBefore(kept, function);
  agpu__set_attr(function, "sym_name", agpu__attr(kept, "sym_name"));
  agpu__set_attr(kept, "sym_name", name);
  agpu__set_attr(function, "sym_visibility",
                 agpu__string_attr(at.context, "private"));
  agpu__remove_attr(function, "llvm.emit_c_interface");

  MlirType type = agpu__function_type(kept);
  AGPU__SCOPED(values) arguments = {0}, values = {0};
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    agpu__values_push(
        &arguments, mlirBlockAddArgument(
                        block, mlirFunctionTypeGetInput(type, i), at.location));
  at = agpu__builder_at_end(block, at.location);
  build_call(&at, function, type, &arguments, &values);
  agpu__build_effect(&at, "func.return", values.data, values.count);
}

/// Gives the function its token.
static void make_fallible(MlirOperation function) {
  MlirType type = agpu__function_type(function);
  agpu__set_attr(function, "function_type",
                 mlirTypeAttrGet(agpu__function_type_add(
                     type, token_type(function), true)));
  agpu__remove_attr(function, "res_attrs");
  mlirOperationSetDiscardableAttributeByName(
      function, agpu__str(AGPU__FAILS_ATTR),
      mlirUnitAttrGet(mlirOperationGetContext(function)));
  AGPU__OPS_IN_FOREACH (nested, function, "func.return") {
    agpu__builder at = agpu__builder_before(nested);
    MlirValue ready = agpu__build_value(&at, "agpu.ready_token", NULL, 0,
                                        token_type(function));
    agpu__insert_operands(nested, 0, &ready, 1, -1);
  }
}

static void change_call(const failures *self, const call *of) {
  MlirOperation callee = self->functions[of->callee].op;
  agpu__builder at = agpu__builder_before(of->op);
  AGPU__SCOPED(values) operands = agpu__operands(of->op, 0), values = {0};
  build_call(&at, callee, self->functions[of->callee].type, &operands, &values);
  for (size_t i = 0; i < values.count; ++i)
    mlirValueReplaceAllUsesOfWith(agpu__result(of->op, (intptr_t)i),
                                  values.data[i]);
  mlirOperationDestroy(of->op);
}

static MlirLogicalResult run(MlirOperation module,
                             const agpu_pass_values *values) {
  bool upstream;
  MlirLogicalResult result = agpu__abi_option(module, values, &upstream);
  if (mlirLogicalResultIsFailure(result) || upstream)
    return result;
  failures self = {.module = module, .symbols = mlirSymbolTableCreate(module)};
  collect(&self);
  select_functions(&self);
  for (size_t i = 0; i < self.function_count; ++i) {
    if (!is_selected(&self, i))
      continue;
    if (self.functions[i].is_kept)
      build_kept(&self, self.functions[i].op);
    make_fallible(self.functions[i].op);
  }
  for (size_t i = 0; i < self.call_count; ++i) {
    const call *of = &self.calls[i];
    if (is_selected(&self, of->callee) &&
        (of->caller == NO_FUNCTION || is_selected(&self, of->caller)))
      change_call(&self, of);
  }
  mlirSymbolTableDestroy(self.symbols);
  agpu__map_free(&self.numbers);
  free(self.functions);
  free(self.calls);
  return result;
}

static const agpu_pass_option options[] = {AGPU__ABI_OPTION};

const agpu_pass agpu__pass_failures = {
    .argument = "async-gpu-failures",
    .summary = "Let functions that regions call give failures to these",
    AGPU__OPTIONS(options),
    .run_with = run,
};
