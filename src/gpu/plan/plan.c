//===- plan.c - What is decided about regions -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the plan in one go: collects the bodies and their GPU ops, then has the
// other files of the folder fill in dependencies, streams and waits, outer
// bodies before inner ones. It changes nothing in the module.
//
//===----------------------------------------------------------------------===//

#include "gpu/plan/plan.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// True if `op` stands in a gpu.module or a gpu.launch: kernels are not host
/// code.
static bool in_kernel(MlirOperation op) {
  for (op = mlirOperationGetParentOperation(op); !mlirOperationIsNull(op);
       op = mlirOperationGetParentOperation(op))
    if (agpu__op_is(op, "gpu.module") || agpu__op_is(op, "gpu.launch"))
      return true;
  return false;
}

/// True if `op` stands in a module inside `module`.
static bool in_nested_module(MlirOperation op, MlirOperation module) {
  for (; !mlirOperationEqual(op, module);
       op = mlirOperationGetParentOperation(op))
    if (agpu__op_is(op, "builtin.module"))
      return true;
  return false;
}

/// Device: nothing in the body but GPU ops, awaits and ops without effect.
static agpu__body_kind classify(const agpu__effects *known,
                                const agpu__body *body) {
  if (!body->gpu_ops.count)
    return AGPU__BODY_HOST;
  agpu__body_kind kind = AGPU__BODY_DEVICE;
  AGPU__OPS_IN_FOREACH (nested, body->op, NULL)
    switch (agpu__effect_in(known, nested)) {
    case AGPU__EFFECT_OBSERVES:
    case AGPU__EFFECT_SPAWNS: kind = AGPU__BODY_MIXED; break;
    case AGPU__EFFECT_ENQUEUES:
    case AGPU__EFFECT_AWAITS:
    case AGPU__EFFECT_NONE:
    case AGPU__EFFECT_STRUCTURE: break;
    }
  return kind;
}

/// Ops at the top level that stand for kernels.
static bool holds_kernels(MlirOperation op) {
  return agpu__op_is(op, "gpu.module") || agpu__op_is(op, "gpu.binary");
}

/// What to do about an op that host code cannot have.
static const char *advice(MlirOperation op) {
  static const char *const sparse[] = {"gpu.create_", "gpu.destroy_", "gpu.sp",
                                       "gpu.sddmm", "gpu.set_csr_"};
  MlirStringRef name = agpu__op_name(op);
  for (size_t i = 0; i < AGPU__COUNT(sparse); ++i)
    if (name.length >= strlen(sparse[i]) &&
        !memcmp(name.data, sparse[i], strlen(sparse[i])))
      return "call a library for sparse matrices, with " AGPU__ENQUEUE_ATTR;
  return "it belongs in a kernel";
}

/// True if the object of a launch is a stream of the program's own, or none.
static bool has_stream_as_object(MlirOperation launch) {
  intptr_t last = mlirOperationGetNumOperands(launch) - 1;
  return !agpu__segment(launch, AGPU__LAUNCH_OBJECT) ||
         mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(launch, last)),
                       agpu__ptr_type(mlirOperationGetContext(launch)));
}

/// A function of the program's own may become another one, which fails or
/// suspends, and may be called no other way.
static MlirLogicalResult check_capture(MlirOperation module,
                                       MlirOperation call) {
  if (!agpu__is_enqueue_call(call)) {
    if (agpu__has_attr(call, AGPU__CAPTURE_ATTR))
      return agpu__error(mlirOperationGetLocation(call), AGPU__CAPTURE_ATTR
                         " belongs on a call with " AGPU__ENQUEUE_ATTR);
    return mlirLogicalResultSuccess();
  }
  MlirStringRef name =
      mlirFlatSymbolRefAttrGetValue(agpu__attr(call, "callee"));
  AGPU__OWNED char *symbol = agpu__format("%.*s", AGPU__STR(name));
  MlirOperation function = agpu__lookup(module, symbol);
  if (agpu__capture_mode(call, function) && !mlirOperationIsNull(function) &&
      !agpu__is_declaration(function))
    return agpu__error(mlirOperationGetLocation(call),
                       "a call of a function of the program's own cannot be "
                       "captured: " AGPU__CAPTURE_ATTR
                       " is for functions without a body");
  return mlirLogicalResultSuccess();
}

/// Puts a GPU op into its body's list; `body` is NULL where it stands in none.
static MlirLogicalResult add_gpu_op(MlirOperation module, agpu__body *body,
                                    MlirOperation op) {
  MlirStringRef name = agpu__op_name(op);
  MlirLocation location = mlirOperationGetLocation(op);
  if (agpu__op_is(op, "gpu.launch"))
    return agpu__error(location,
                       "gpu.launch must be outlined to a kernel first: "
                       "run --gpu-kernel-outlining before this pass");
  if (!agpu__is_gpu_op(op))
    return agpu__error(location, "%.*s is not supported in host code: %s",
                       AGPU__STR(name), advice(op));
  if (!body || in_nested_module(op, module))
    return agpu__error(location,
                       "%.*s must stand in a func.func, an async.func or "
                       "an async.execute region of the program's own module",
                       AGPU__STR(name));
  if (agpu__is_enqueue_call(op) && mlirOperationGetNumResults(op))
    return agpu__error(location,
                       "a call with " AGPU__ENQUEUE_ATTR
                       " has no results: the work that it enqueues is not done "
                       "when it returns");
  if (agpu__op_is(op, "gpu.launch_func") && !has_stream_as_object(op))
    return agpu__error(location, "the async object of a launch must be a "
                                 "CUstream, an !llvm.ptr");
  agpu__ops_push(&body->gpu_ops, op);
  return mlirLogicalResultSuccess();
}

/// Puts an op of host code into the list of its body that it belongs in.
static MlirLogicalResult add_op(const agpu__plan *plan, MlirOperation module,
                                MlirOperation op) {
  agpu__body *body = agpu__plan_find(plan, agpu__body_of(op));
  if (agpu__op_is(op, "func.call") &&
      mlirLogicalResultIsFailure(check_capture(module, op)))
    return mlirLogicalResultFailure();
  if (agpu__op_is(op, "agpu.stream_acquire"))
    return agpu__error(mlirOperationGetLocation(op),
                       "this body has its stream: async-gpu-regions has run");
  if ((agpu__op_in_dialect(op, "gpu") && !holds_kernels(op)) ||
      agpu__is_enqueue_call(op))
    return add_gpu_op(module, body, op);
  if (body && agpu__op_is(op, "async.await"))
    agpu__ops_push(&body->awaits, op);
  if (body && agpu__op_is(op, "func.return"))
    agpu__ops_push(&body->returns, op);
  return mlirLogicalResultSuccess();
}

/// Bodies that have a number keep it, the first of those with the same; the
/// others get what is left, in program order.
static void number_bodies(agpu__plan *plan) {
  AGPU__OWNED bool *taken = agpu__allocate(plan->count, sizeof(*taken));
  for (size_t i = 0; i < plan->count; ++i) {
    int64_t known = agpu__get_int(plan->bodies[i].op, AGPU__REGION_ATTR, -1);
    bool is_free = known >= 0 && known < (int64_t)plan->count && !taken[known];
    plan->bodies[i].number = is_free ? (size_t)known : AGPU__NO_BODY;
    if (is_free)
      taken[known] = true;
  }
  size_t next = 0;
  for (size_t i = 0; i < plan->count; ++i) {
    if (plan->bodies[i].number != AGPU__NO_BODY)
      continue;
    while (taken[next])
      ++next;
    plan->bodies[i].number = next++;
  }
}

/// Inner bodies come after outer ones.
static void find_shown(agpu__plan *plan) {
  for (size_t i = plan->count; i-- > 0;) {
    agpu__body *body = &plan->bodies[i];
    body->is_shown |=
        body->gpu_ops.count > 0 || agpu__op_is(body->op, "async.execute");
    agpu__body *outer = agpu__plan_find(plan, agpu__body_of(body->op));
    if (outer && body->is_shown)
      outer->is_shown = true;
  }
}

MlirLogicalResult agpu__plan_create(MlirOperation module, bool reuse_streams,
                                    agpu__plan *out_plan) {
  memset(out_plan, 0, sizeof(*out_plan));
  agpu__find_effects(module, &out_plan->effects);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) all = agpu__ops_in(module, NULL);
  out_plan->bodies = agpu__allocate(all.count, sizeof(*out_plan->bodies));
  for (size_t i = 0; i < all.count; ++i)
    if (agpu__is_body(all.data[i]) && !in_kernel(all.data[i])) {
      agpu__map_set(&out_plan->numbers, all.data[i].ptr, out_plan->count);
      out_plan->bodies[out_plan->count++] =
          (agpu__body){.op = all.data[i], .stream = -1};
    }
  number_bodies(out_plan);
  out_plan->marks = agpu__allocate(out_plan->count, sizeof(*out_plan->marks));
  for (size_t i = 0; i < out_plan->count; ++i)
    out_plan->marks[i].of = out_plan->marks[i].wanted_by = AGPU__NO_BODY;
  for (size_t i = 0; i < all.count; ++i)
    if (!in_kernel(all.data[i]) &&
        mlirLogicalResultIsFailure(add_op(out_plan, module, all.data[i])))
      result = mlirLogicalResultFailure();

  find_shown(out_plan);
  bool may_reuse = reuse_streams && !agpu__sets_default_device(module);
  for (size_t i = 0; i < out_plan->count; ++i) {
    agpu__body *body = &out_plan->bodies[i];
    body->kind = classify(&out_plan->effects, body);
    agpu__plan_dependencies(out_plan, body);
  }
  for (size_t i = 0; i < out_plan->count; ++i) {
    agpu__body *body = &out_plan->bodies[i];
    if (!body->gpu_ops.count)
      continue;
    if (may_reuse)
      agpu__plan_continue(out_plan, body);
    if (body->stream < 0)
      body->stream = out_plan->stream_count++;
    bool dirty = agpu__op_is(body->op, "async.execute") &&
                 (mlirOperationGetNumOperands(body->op) > 0 ||
                  !mlirOperationIsNull(body->recorded_before));
    agpu__plan_host_waits(&out_plan->effects, body, dirty);
    // Inner bodies come after outer ones.
    for (size_t k = 0; k < body->spawns.count; ++k)
      agpu__plan_find(out_plan, body->spawns.data[k])->recorded_before =
          body->records.data[k];
  }
  return result;
}

void agpu__plan_free(agpu__plan *plan) {
  for (size_t i = 0; i < plan->count; ++i) {
    free(plan->bodies[i].dependencies);
    agpu__ops_free(&plan->bodies[i].gpu_ops);
    agpu__ops_free(&plan->bodies[i].awaits);
    agpu__ops_free(&plan->bodies[i].returns);
    agpu__ops_free(&plan->bodies[i].waits);
    agpu__ops_free(&plan->bodies[i].spawns);
    agpu__ops_free(&plan->bodies[i].records);
  }
  agpu__map_free(&plan->numbers);
  free(plan->marks);
  agpu__map_free(&plan->effects.observes);
  free(plan->bodies);
  memset(plan, 0, sizeof(*plan));
}

//===----------------------------------------------------------------------===//
// Observers
//===----------------------------------------------------------------------===//

/// What agpu__plan_on_created was told.
static _Thread_local struct {
  void (*made)(const agpu__plan *plan, void *data);
  void *data;
} on_made;

void agpu__plan_on_created(void (*made)(const agpu__plan *plan, void *data),
                           void *data) {
  on_made.made = made;
  on_made.data = data;
}

void agpu__plan_notify_created(const agpu__plan *plan) {
  if (on_made.made)
    on_made.made(plan, on_made.data);
}
