//===- plan.h - What is decided about regions -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan: every body of host code that holds GPU ops (an `async.execute`
// region, an async function, a plain function) and every other region, what
// kind it is, what it depends on, and where the host must wait for the device
// and why. The passes apply it and the remarks print it; nothing decides twice.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_GPU_PLAN_H
#define ASYNC_GPU_GPU_PLAN_H

#include "lower/dialect/attributes.h"
#include "lower/ir/ir.h"

//===----------------------------------------------------------------------===//
// What host ops have to do with the device
//
// What each op of host code means for the order of host and device. Everything
// that decides whether to wait asks here.
//===----------------------------------------------------------------------===//

typedef enum agpu__effect {
  /// Work for the device, put on the region's stream.
  AGPU__EFFECT_ENQUEUES,
  /// An await: the region's stream waits, the host need not.
  AGPU__EFFECT_AWAITS,
  /// Cannot tell whether device work has completed: computes from its operands,
  /// or only allocates.
  AGPU__EFFECT_NONE,
  /// Starts a region of its own, after the device work so far: it gets a token
  /// for that instead of the host waiting.
  AGPU__EFFECT_SPAWNS,
  /// Control flow: what counts are the ops inside.
  AGPU__EFFECT_STRUCTURE,
  /// May read or write memory that the device uses, or do anything at all: the
  /// device work before it must have completed.
  AGPU__EFFECT_OBSERVES,
} agpu__effect;

/// What `op` does, as the table of ops and its own attributes say. Any op that
/// the table does not know observes.
agpu__effect agpu__effect_of(MlirOperation op);

/// What is known beside that of ops that might observe:
/// whether they do, by the op's address.
typedef struct agpu__effects {
  agpu__map observes;
} agpu__effects;

/// What `op` does with that taken into account.
agpu__effect agpu__effect_in(const agpu__effects *known, MlirOperation op);

/// True for the gpu dialect's ops that stand in host code and enqueue work or
/// wait for it, and for calls that enqueue.
bool agpu__is_gpu_op(MlirOperation op);

/// How what such a call enqueues may be captured, a CUstreamCaptureMode; 0: it
/// may not be. `function` is the callee.
int64_t agpu__capture_mode(MlirOperation call, MlirOperation function);

/// True for a func.call with AGPU__ENQUEUE_ATTR.
bool agpu__is_enqueue_call(MlirOperation op);

//===----------------------------------------------------------------------===//
// Memory that the device cannot reach
//===----------------------------------------------------------------------===//

/// Stores what is known of ops whose own attribute says nothing: accesses of
/// memory that no device work can know do not observe, and calls do as their
/// callee's attribute says.
void agpu__find_effects(MlirOperation module, agpu__effects *out_known);

//===----------------------------------------------------------------------===//
// Host code that may hold GPU ops
//
// A body is host code with a stream of its own where it holds GPU ops: an
// `async.execute` region, an async function, or a plain function. What is
// called a region elsewhere is an `async.execute`, and later the async function
// that it has become.
//===----------------------------------------------------------------------===//

typedef enum agpu__body_kind {
  AGPU__BODY_HOST,   ///< no GPU op: a coroutine on the executor
  AGPU__BODY_DEVICE, ///< GPU ops and ops without effect: only enqueues
  AGPU__BODY_MIXED,  ///< both
} agpu__body_kind;

/// "host", "device" or "mixed".
const char *agpu__body_kind_name(agpu__body_kind kind);

/// True for async.execute, async.func and func.func.
bool agpu__is_body(MlirOperation op);

/// The body op that `op` stands in; a null op: it stands in none.
MlirOperation agpu__body_of(MlirOperation op);

//===----------------------------------------------------------------------===//
// Which device a body works on
//
// A body names its device with the attribute `async_gpu.device`, or works on
// the default one of its caller or spawner, which `gpu.set_default_device`
// changes while the program runs.
//===----------------------------------------------------------------------===//

/// The device that `body` itself names; -1: none.
int32_t agpu__named_device(MlirOperation body);

/// True if host code of the module holds gpu.set_default_device, before or
/// after async-gpu-regions: then the device of a body that names none is not
/// known before it runs.
bool agpu__sets_default_device(MlirOperation module);

/// True if two bodies of one function work on the same device: both have the
/// attribute, or stand in a body that has it, with the same number; or both
/// work on the default device of the body that they stand in. Not to be relied
/// on where agpu__sets_default_device.
bool agpu__have_same_device(MlirOperation a, MlirOperation b);

/// The priority of the body's device work: that of the nearest region around
/// it, itself included, that has the attribute; 0, the default: none has.
int32_t agpu__priority_of(MlirOperation body);

//===----------------------------------------------------------------------===//
// Tokens of the gpu dialect's ops
//
// An op of the gpu dialect in host code takes the tokens that it depends on as
// its first operands, and one with `async` gives a token as its last result.
//===----------------------------------------------------------------------===//

/// The token that `op` gives; null: it gives none.
MlirValue agpu__async_token_of(MlirOperation op);

/// The number of tokens that `op` depends on.
intptr_t agpu__async_dependency_count(MlirOperation op);

/// The attributes of `op`, of the gpu dialect or an async.execute, as they are
/// with `more` dependencies (negative: fewer). The caller frees the array.
MlirNamedAttribute *agpu__async_attributes(MlirOperation op, int32_t more,
                                           size_t *out_count);

/// Operand segments of gpu.launch_func; segment 0 is the dependencies.
enum {
  AGPU__LAUNCH_CLUSTER = 7, ///< to 9: x, y, z
  AGPU__LAUNCH_SHARED = 10,
  AGPU__LAUNCH_ARGUMENTS = 11,
  AGPU__LAUNCH_OBJECT = 12,
};

/// The size of a segment of an op with `operandSegmentSizes`.
int32_t agpu__segment(MlirOperation op, intptr_t segment);

/// How a body waits for what it depends on.
typedef enum agpu__dependency_kind {
  AGPU__DEPENDENCY_HOST,     ///< the body is the host's: it waits for all of it
  AGPU__DEPENDENCY_ENQUEUE,  ///< on host work: enqueued when that is done
  AGPU__DEPENDENCY_EVENT,    ///< its stream waits for an event
  AGPU__DEPENDENCY_CONTINUE, ///< it reuses the stream: no event
  AGPU__DEPENDENCY_IMPLIED,  ///< another one of the body implies it: no wait
} agpu__dependency_kind;

#define AGPU__NO_BODY ((size_t)-1)

/// One operand of an async.execute, a token or value.
typedef struct agpu__dependency {
  agpu__dependency_kind kind;
  size_t from; ///< the body that gives it; AGPU__NO_BODY: not known here
  /// IMPLIED: the number of the operand that implies it.
  size_t implied_by;
  /// CONTINUE: nobody else ever waits for the token.
  bool is_last;
} agpu__dependency;

/// One body of host code.
typedef struct agpu__body {
  MlirOperation op; ///< async.execute, async.func or func.func
  /// What it is called, everywhere: that of AGPU__REGION_ATTR, or the lowest
  /// that is free.
  size_t number;
  /// It is a region, or has device work or regions: who reads the plan sees it.
  bool is_shown;
  agpu__body_kind kind;
  /// Its stream, numbered from 0 in program order; -1: none. Bodies that go on
  /// on each other's stream have the same.
  int stream;
  /// One for each operand of its op, if that is an async.execute.
  agpu__dependency *dependencies;
  size_t dependency_count;
  /// GPU ops that stand directly in it (not in a nested region of its own), in
  /// program order.
  agpu__ops gpu_ops;
  /// async.await and func.return that stand in it in the same way.
  agpu__ops awaits, returns;
  /// Ops before which the host waits for the stream, in program order.
  agpu__ops waits;
  /// Nested regions (async.execute) that get a token of this body's stream as
  /// one more dependency, in program order; and of each of them before which
  /// one the stream is recorded: itself, or one before it in its block.
  agpu__ops spawns, records;
  /// Of such a region, the latter; else null.
  MlirOperation recorded_before;
} agpu__body;

/// For dependencies.c: body `of` depends on this one by its operand `operand`,
/// and body `wanted_by` has it as an operand.
typedef struct agpu__mark {
  size_t of, operand, wanted_by;
  size_t next; ///< the next one to look at; AGPU__NO_BODY: none
} agpu__mark;

typedef struct agpu__plan {
  agpu__body *bodies; ///< in program order, outer ones before inner ones
  size_t count;
  agpu__map numbers; ///< of bodies, by the address of the op
  agpu__mark *marks; ///< one for each body
  size_t steps;      ///< that searches for implied dependencies may still take
  int stream_count;
  agpu__effects effects;
} agpu__plan;

/// Decides for the whole module. `reuse_streams`: a region that is the only
/// successor of its only predecessor reuses its stream. Free with
/// agpu__plan_free. Fails with a diagnostic where a GPU op stands where it
/// cannot be lowered.
MlirLogicalResult agpu__plan_create(MlirOperation module, bool reuse_streams,
                                    agpu__plan *out_plan);
void agpu__plan_free(agpu__plan *plan);

/// Has `made` look at each plan that this thread's passes are about to apply,
/// while the module is still as it was. NULL: none does.
void agpu__plan_on_created(void (*made)(const agpu__plan *plan, void *data),
                           void *data);

/// For the pass that applies it.
void agpu__plan_notify_created(const agpu__plan *plan);

/// The body whose op is `op`; NULL: there is none.
static inline agpu__body *agpu__plan_find(const agpu__plan *plan,
                                          MlirOperation op) {
  size_t number = agpu__map_get(&plan->numbers, op.ptr);
  return number == AGPU__MAP_NONE ? NULL : &plan->bodies[number];
}

//===----------------------------------------------------------------------===//
// What regions depend on
//===----------------------------------------------------------------------===//

/// Fills in what `body`, whose kind is known, depends on, and leaves out what
/// is implied, as far as plan->steps allow. All bodies before it have been
/// done.
void agpu__plan_dependencies(agpu__plan *plan, agpu__body *body);

/// Lets `body` reuse the stream of the one that it depends on where it is the
/// only successor of its only predecessor. All bodies have their
/// dependencies, those before it have streams, and the one that it stands in
/// its spawns.
void agpu__plan_continue(const agpu__plan *plan, agpu__body *body);

//===----------------------------------------------------------------------===//
// Where the host waits for the device
//===----------------------------------------------------------------------===//

/// Fills in the ops of `body` before which the host waits, and the regions that
/// it spawns after device work. `dirty`: what it depends on may be device
/// work.
void agpu__plan_host_waits(const agpu__effects *known, agpu__body *body,
                           bool dirty);

//===----------------------------------------------------------------------===//
// What the plan decided, in words
//
// One wording for remarks and pictures.
//===----------------------------------------------------------------------===//

/// How `body` waits for its operand `operand`: "event", "reuses its
/// stream, no event". The caller frees it.
char *agpu__plan_words_of_dependency(const agpu__plan *plan,
                                     const agpu__body *body, size_t operand);

/// Why the host waits before `op`: "memref.load may observe device results".
/// The caller frees it.
char *agpu__plan_words_of_wait(MlirOperation op);

/// The dependency whose stream `body` reuses, if the run settles which that
/// is; NULL where there is none.
const agpu__dependency *agpu__plan_unknown_stream(const agpu__body *body);

//===----------------------------------------------------------------------===//
// The plan in words
//===----------------------------------------------------------------------===//

/// Emits the plan as remarks at the ops that it concerns.
void agpu__plan_remark(const agpu__plan *plan);

#endif // ASYNC_GPU_GPU_PLAN_H
