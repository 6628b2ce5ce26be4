//===- coroutines.c - async-gpu-native-coroutines -------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that waits for others (at a barrier, for a shuffle) suspends: the
// body is an LLVM coroutine, one for each thread, which leaves in its record
// (include/async_gpu/compiled/native_thread.h) where it waits and with which
// operands. LLVM's passes find what lives across a suspension. So whatever
// control flow is around the waits keeps its meaning: loops, branches, early
// returns.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"
#include "gpu/nvvm/nvvm.h"
#include "lower/ir/llvm_compat.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// One body on its way to a coroutine.
typedef struct body {
  MlirContext context;
  MlirOperation gpu_module;
  MlirOperation function;
  MlirValue thread; ///< its agpu_native_thread
  MlirBlock end;    ///< where the coroutine is left
} body;

//===----------------------------------------------------------------------===//
// Records of threads that wait
//===----------------------------------------------------------------------===//

// Operands of waits go through 64 bits of the thread's record, whatever their
// type is, and so do results; the table of waits says which operand belongs
// where.

/// The position of the op's attribute among the row's spellings.
static uint32_t mode_of(MlirOperation op, const agpu__simt_wait *row,
                        const char *attribute) {
  MlirAttribute kind = agpu__attr(op, attribute);
  uint32_t mode = 0;
  for (const char *at = row->kinds; *at; at += strspn(at, " ")) {
    int length = (int)strcspn(at, " ");
    AGPU__OWNED char *text = agpu__format(row->kind_format, length, at);
    at += length;
    if (mlirAttributeEqual(kind,
                           agpu__parse_attr(mlirOperationGetContext(op), text)))
      return mode;
    ++mode;
  }
  return 0;
}

#define MEMBER(name) offsetof(agpu_native_thread, name)

static void store_in(agpu__builder *at, MlirValue thread, size_t offset,
                     MlirValue value) {
  agpu__llvm_store(at, value, agpu__llvm_byte(at, thread, (int64_t)offset));
}

/// An operand as the 64 bits of a record: integers are zero-extended.
static MlirValue widen(agpu__builder *at, MlirValue value) {
  MlirType type = mlirValueGetType(value), i64 = agpu__i64_type(at->context);
  if (mlirTypeIsALLVMPointerType(type))
    return agpu__build_unary(at, "llvm.ptrtoint", value, i64);
  if (mlirTypeIsAF32(type))
    value = agpu__build_unary(at, "llvm.bitcast", value,
                              agpu__i32_type(at->context));
  return mlirTypeEqual(mlirValueGetType(value), i64)
             ? value
             : agpu__build_unary(at, "llvm.zext", value, i64);
}

/// The result of type `type` from 64 bits of the record.
static MlirValue narrow(agpu__builder *at, MlirValue value, MlirType type) {
  if (mlirTypeEqual(type, agpu__i64_type(at->context)))
    return value;
  if (!mlirTypeIsAF32(type))
    return agpu__build_unary(at, "llvm.trunc", value, type);
  value =
      agpu__build_unary(at, "llvm.trunc", value, agpu__i32_type(at->context));
  return agpu__build_unary(at, "llvm.bitcast", value, type);
}

/// The optional operand at position `segment`, or null.
static MlirValue optional_operand(MlirOperation op, intptr_t segment) {
  MlirAttribute sizes = agpu__attr(op, "operandSegmentSizes");
  intptr_t position = 0;
  for (intptr_t i = 0; i < segment; ++i)
    position += mlirDenseI32ArrayGetElement(sizes, i);
  return mlirDenseI32ArrayGetElement(sizes, segment)
             ? mlirOperationGetOperand(op, position)
             : (MlirValue){NULL};
}

/// A barrier without operands is the kernel's one barrier; one with any says
/// which threads it is for. Returns the wait, and the mode.
static agpu_native_wait write_barrier(agpu__builder *at, MlirValue thread,
                                      MlirOperation op, uint32_t *out_mode) {
  static const agpu__simt_wait reductions = {
      .kind_format = "#nvvm.reduction<%.*s>", .kinds = "popc and or"};
  MlirValue number = optional_operand(op, 0);
  MlirValue threads = optional_operand(op, 1);
  MlirValue predicate = optional_operand(op, 2);
  if (mlirValueIsNull(number) && mlirValueIsNull(threads) &&
      mlirValueIsNull(predicate))
    return AGPU_NATIVE_BARRIER;
  MlirValue zero = agpu__llvm_i32(at, 0);
  store_in(at, thread, MEMBER(a), mlirValueIsNull(number) ? zero : number);
  store_in(at, thread, MEMBER(b), mlirValueIsNull(threads) ? zero : threads);
  if (!mlirValueIsNull(predicate)) {
    store_in(at, thread, MEMBER(value), widen(at, predicate));
    *out_mode =
        AGPU_NATIVE_BARRIER_COUNT + mode_of(op, &reductions, "reductionOp");
  }
  return AGPU_NATIVE_NUMBERED_BARRIER;
}

static bool flag(MlirOperation op, const char *name) {
  MlirAttribute attribute = agpu__attr(op, name);
  return !mlirAttributeIsNull(attribute) && mlirBoolAttrGetValue(attribute);
}

static agpu_native_wait record_operands(agpu__builder *at, MlirValue thread,
                                        MlirOperation op, uint32_t *out_mode) {
  const agpu__simt_wait *row = agpu__simt_find_wait(op);
  *out_mode = 0;
  if (row->wait == AGPU_NATIVE_NUMBERED_BARRIER)
    return write_barrier(at, thread, op, out_mode);
  if (row->kind_format)
    *out_mode = mode_of(op, row, "kind");
  if (row->wait == AGPU_NATIVE_COLLECTIVE) {
    *out_mode = (uint32_t)agpu__get_int(op, "mode", 0);
    store_in(at, thread, MEMBER(mask), agpu__llvm_i32(at, -1));
  }
  if (row->value >= 0)
    store_in(at, thread, MEMBER(value),
             widen(at, mlirOperationGetOperand(op, row->value)));
  if (row->mask >= 0)
    store_in(at, thread, MEMBER(mask),
             row->mask < mlirOperationGetNumOperands(op)
                 ? mlirOperationGetOperand(op, row->mask)
                 : agpu__llvm_i32(at, -1));
  if (row->a >= 0)
    store_in(at, thread, MEMBER(a), mlirOperationGetOperand(op, row->a));
  if (row->b >= 0)
    store_in(at, thread, MEMBER(b), mlirOperationGetOperand(op, row->b));
  if (row->wait == AGPU_NATIVE_REDUCTION)
    store_in(at, thread, MEMBER(a),
             agpu__llvm_i32(at, (flag(op, "abs") ? 1 : 0) |
                                    (flag(op, "nan") ? 2 : 0)));
  return row->wait;
}

static MlirValue record_result(agpu__builder *at, MlirValue thread,
                               MlirType type) {
  MlirValue value =
      agpu__llvm_load(at, agpu__llvm_byte(at, thread, MEMBER(value)),
                      agpu__i64_type(at->context));
  if (!mlirTypeIsALLVMStructType(type))
    return narrow(at, value, type);
  MlirValue valid =
      agpu__llvm_load(at, agpu__llvm_byte(at, thread, MEMBER(valid)),
                      agpu__i32_type(at->context));
  value = narrow(at, value, mlirLLVMStructTypeGetElementType(type, 0));
  valid = narrow(at, valid, mlirLLVMStructTypeGetElementType(type, 1));
  return agpu__llvm_insert(
      at, agpu__llvm_insert(at, agpu__llvm_undef(at, type), value, 0), valid,
      1);
}

//===----------------------------------------------------------------------===//
// The coroutine
//===----------------------------------------------------------------------===//

static MlirType token_type(MlirContext context) {
  return agpu__compat_coroutine_token(context);
}

static MlirValue no_token(agpu__builder *at) {
  return agpu__build_value(at, "llvm.mlir.none", NULL, 0,
                           token_type(at->context));
}

/// Replaces `op`, which waits, by a suspension.
static void suspend(body *self, MlirOperation op) {
  MlirBlock rest = agpu__split_after(op);
  agpu__builder at = agpu__builder_before(op);
  uint32_t mode;
  agpu_native_wait wait = record_operands(&at, self->thread, op, &mode);
  store_in(&at, self->thread, offsetof(agpu_native_thread, site),
           agpu__simt_site(&at, self->gpu_module, self->function, wait, mode));
  MlirValue operands[] = {no_token(&at), agpu__llvm_bool(&at, false)};
  MlirValue how = agpu__build_value(&at, "llvm.intr.coro.suspend", operands, 2,
                                    agpu__i8_type(at.context));
  // -1: suspended now; 0: resumed; 1: destroyed, which no one does.
  MlirNamedAttribute attributes[] = {
      agpu__named(at.context, "case_values",
                  agpu__parse_attr(at.context, "dense<0> : vector<1xi8>")),
      agpu__named(at.context, "case_operand_segments",
                  agpu__parse_attr(at.context, "array<i32: 0>")),
      agpu__named(at.context, "operandSegmentSizes",
                  agpu__parse_attr(at.context, "array<i32: 1, 0, 0>")),
  };
  MlirBlock successors[] = {self->end, rest};
  agpu__op_spec spec = {.name = "llvm.switch",
                        .operands = &how,
                        .operand_count = 1,
                        .attributes = attributes,
                        .attribute_count = 3,
                        .successors = successors,
                        .successor_count = 2};
  agpu__build(&at, &spec);
  if (mlirOperationGetNumResults(op)) {
    MlirValue result = agpu__result(op, 0);
    agpu__builder after = agpu__builder_at_start(rest, at.location);
    mlirValueReplaceAllUsesOfWith(
        result, record_result(&after, self->thread, mlirValueGetType(result)));
  }
  mlirOperationDestroy(op);
}

/// The thread has ended: its record says so.
static void end_thread(const body *self, MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  store_in(&at, self->thread, offsetof(agpu_native_thread, frame),
           agpu__llvm_null(&at));
  agpu__llvm_branch(&at, self->end, NULL, 0);
  mlirOperationDestroy(op);
}

/// Starts the coroutine before all ops of `entry`: the record gets the frame.
/// Returns the handle.
static MlirValue begin(const body *self, MlirBlock entry) {
  MlirType pointer = agpu__ptr_type(self->context);
  MlirType i64 = agpu__i64_type(self->context);
  agpu__builder at =
      agpu__builder_at_start(entry, mlirOperationGetLocation(self->function));
  MlirValue null = agpu__llvm_null(&at);
  MlirValue id_operands[] = {agpu__llvm_i32(&at, 0), null, null, null};
  MlirValue id = agpu__build_value(&at, "llvm.intr.coro.id", id_operands, 4,
                                   token_type(self->context));
  MlirValue frame_operands[] = {
      self->thread, agpu__build_value(&at, "llvm.intr.coro.size", NULL, 0, i64),
      agpu__build_value(&at, "llvm.intr.coro.align", NULL, 0, i64)};
  MlirValue memory = agpu__call_runtime(
      &at, self->gpu_module, "agpu_native_frame", frame_operands, 3, pointer);
  MlirValue begin_operands[] = {id, memory};
  MlirValue handle = agpu__build_value(&at, "llvm.intr.coro.begin",
                                       begin_operands, 2, pointer);
  store_in(&at, self->thread, offsetof(agpu_native_thread, frame), handle);
  return handle;
}

/// Reports memory of the thread's own that cannot be part of the frame.
static MlirLogicalResult check_allocas(MlirOperation function) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__OPS_IN_FOREACH (nested, function, "llvm.alloca")
    if (!agpu__simt_has_constant_size(nested))
      result = agpu__error(mlirOperationGetLocation(nested),
                           "memory of a thread's own needs a constant size in "
                           "a kernel whose threads wait for each other");
  return result;
}

static MlirLogicalResult make_coroutine(MlirOperation gpu_module,
                                        MlirOperation function) {
  if (mlirLogicalResultIsFailure(check_allocas(function)))
    return mlirLogicalResultFailure();
  MlirRegion region = mlirOperationGetRegion(function, 0);
  body self = {.context = mlirOperationGetContext(function),
               .gpu_module = gpu_module,
               .function = function,
               .end = mlirBlockCreate(0, NULL, NULL)};
  MlirType pointer = agpu__ptr_type(self.context);
  agpu__simt_add_parameters(function, &pointer, 1, &self.thread);
  AGPU__SCOPED(ops) ops = agpu__ops_in(function, NULL);
  MlirValue handle = begin(&self, mlirRegionGetFirstBlock(region));
  mlirRegionAppendOwnedBlock(region, self.end);
  for (size_t i = 0; i < ops.count; ++i) {
    if (agpu__simt_is_wait(ops.data[i]))
      suspend(&self, ops.data[i]);
    else if (agpu__op_is(ops.data[i], "llvm.return"))
      end_thread(&self, ops.data[i]);
  }
  agpu__builder at =
      agpu__builder_at_end(self.end, mlirOperationGetLocation(function));
  MlirValue operands[] = {handle, agpu__llvm_bool(&at, false), no_token(&at)};
  agpu__build_value(&at, "llvm.intr.coro.end", operands, 3,
                    agpu__i1_type(self.context));
  agpu__llvm_return(&at, (MlirValue){NULL});
  agpu__set_attr(function, "passthrough",
                 agpu__parse_attr(self.context, "[\"presplitcoroutine\"]"));
  return mlirLogicalResultSuccess();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static MlirLogicalResult run(MlirOperation gpu_module) {
  if (!agpu__simt_is_meant(gpu_module))
    return mlirLogicalResultSuccess();
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) functions = {0};
  agpu__simt_functions(gpu_module, false, &functions);
  for (size_t i = 0; i < functions.count; ++i) {
    MlirOperation function = functions.data[i];
    MlirValue context[AGPU__SIMT_CONTEXT_COUNT];
    bool kernel = agpu__nvvm_is_kernel(function);
    if (kernel && agpu__simt_threads_are(function, AGPU__SIMT_LOOPS))
      continue;
    if (mlirLogicalResultIsFailure(agpu__simt_context(function, context))) {
      result = mlirLogicalResultFailure();
      continue;
    }
    agpu__simt_end_threads(function, kernel, gpu_module);
    bool waits = kernel && agpu__simt_waits(function);
    if (waits &&
        mlirLogicalResultIsFailure(make_coroutine(gpu_module, function)))
      result = mlirLogicalResultFailure();
    if (kernel)
      agpu__simt_set_threads(function,
                             waits ? AGPU__SIMT_COROUTINES : AGPU__SIMT_CALLS);
  }
  return result;
}

const agpu_pass agpu__pass_native_coroutines = {
    .argument = AGPU__SIMT_PASS("coroutines"),
    .anchor = "gpu.module",
    .summary = "Make kernels suspend where their threads wait",
    .run = run,
};
