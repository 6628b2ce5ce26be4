//===- wait.c - Kernels whose threads wait for each other ------------===//
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
//     nvvm.barrier0          store @site, %thread.site
//                            switch coro.suspend [0: ^go_on] default ^end
//                          ^go_on:
//
//===----------------------------------------------------------------------===//

#include "gpu/native/simt.h"

#include "async_gpu/compiled/native_thread.h"
#include "lower/ir/cfg.h"
#include "lower/ir/ir.h"
#include "lower/ir/llvm_ops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// How an op that waits is described to the runtime.
typedef struct wait_row {
  const char *op; ///< or the intrinsic that an llvm.call_intrinsic calls
  agpu_native_wait wait;
  /// Which operand goes into a member of the record; -1: none.
  int value, mask, a, b;
  /// The attribute `kind`, and its spellings in the order of the modes.
  const char *kind_format;
  const char *kinds[11];
} wait_row;

static const wait_row rows[] = {
    {"nvvm.barrier0", AGPU_NATIVE_BARRIER, -1, -1, -1, -1, NULL, {NULL}},
    // Its operands are optional; see write_barrier.
    {"nvvm.barrier",
     AGPU_NATIVE_NUMBERED_BARRIER,
     -1,
     -1,
     -1,
     -1,
     NULL,
     {NULL}},
    {"nvvm.bar.warp.sync",
     AGPU_NATIVE_WARP_BARRIER,
     -1,
     0,
     -1,
     -1,
     NULL,
     {NULL}},
    {"nvvm.shfl.sync",
     AGPU_NATIVE_SHUFFLE,
     1,
     0,
     2,
     3,
     "#nvvm<shfl_kind %s>",
     {"bfly", "up", "down", "idx"}},
    {"nvvm.vote.sync",
     AGPU_NATIVE_VOTE,
     1,
     0,
     -1,
     -1,
     "#nvvm<vote_sync_kind %s>",
     {"any", "all", "ballot", "uni"}},
    {"nvvm.match.sync",
     AGPU_NATIVE_MATCH,
     1,
     0,
     -1,
     -1,
     "#nvvm<match_sync_kind %s>",
     {"any", "all"}},
    {"nvvm.redux.sync",
     AGPU_NATIVE_REDUCTION,
     0,
     1,
     -1,
     -1,
     "#nvvm<redux_kind %s>",
     {"add", "and", "max", "min", "or", "umax", "umin", "xor", "fmin", "fmax"}},
    {"nvvm.elect.sync", AGPU_NATIVE_ELECTION, -1, 0, -1, -1, NULL, {NULL}},
    {"llvm.nvvm.activemask",
     AGPU_NATIVE_ACTIVE_MASK,
     -1,
     -1,
     -1,
     -1,
     NULL,
     {NULL}},
};

static const wait_row *find_row(MlirOperation op) {
  MlirStringRef name = agpu__op_is(op, "llvm.call_intrinsic")
                           ? agpu__get_string(op, "intrin")
                           : mlirIdentifierStr(mlirOperationGetName(op));
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
    if (mlirStringRefEqual(name, agpu__str(rows[i].op)))
      return &rows[i];
  return NULL;
}

bool agpu__simt_is_wait(MlirOperation op) { return find_row(op) != NULL; }

/// The position of the op's attribute among the row's spellings.
static uint32_t mode_of(MlirOperation op, const wait_row *row,
                        const char *attribute) {
  MlirAttribute kind =
      mlirOperationGetAttributeByName(op, agpu__str(attribute));
  for (uint32_t mode = 0; row->kinds[mode]; ++mode) {
    char *text = agpu__format(row->kind_format, row->kinds[mode]);
    bool equal = mlirAttributeEqual(
        kind, agpu__parse_attr(mlirOperationGetContext(op), text));
    free(text);
    if (equal)
      return mode;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// The thread's record
//===----------------------------------------------------------------------===//

/// One body on its way to a coroutine.
typedef struct body {
  MlirContext context;
  MlirOperation host_module;
  MlirOperation function;
  MlirValue thread; ///< its agpu_native_thread
  MlirBlock end;    ///< where the coroutine is left
  uint32_t *sites;  ///< so far in the module
  const char *module;
} body;

#define MEMBER(name) offsetof(agpu_native_thread, name)

static MlirValue member_address(agpu__builder *at, const body *self,
                                size_t offset) {
  int32_t index = (int32_t)offset;
  MlirNamedAttribute attributes[] = {
      agpu__named(at->context, "elem_type",
                  mlirTypeAttrGet(mlirIntegerTypeGet(at->context, 8))),
      agpu__named(at->context, "rawConstantIndices",
                  mlirDenseI32ArrayGet(at->context, 1, &index))};
  return agpu__result(agpu__build_op(at, "llvm.getelementptr", &self->thread, 1,
                                     agpu__ptr_type(at->context), attributes,
                                     2),
                      0);
}

static void store_member(agpu__builder *at, const body *self, size_t offset,
                         MlirValue value) {
  agpu__llvm_store(at, value, member_address(at, self, offset));
}

static MlirValue convert(agpu__builder *at, const char *op, MlirValue value,
                         MlirType type) {
  return agpu__result(agpu__build_op(at, op, &value, 1, type, NULL, 0), 0);
}

/// An operand as the 64 bits of a record: integers are zero-extended.
static MlirValue widen(agpu__builder *at, MlirValue value) {
  MlirType type = mlirValueGetType(value), i64 = agpu__i64_type(at->context);
  if (mlirTypeIsAF32(type))
    value = convert(at, "llvm.bitcast", value, agpu__i32_type(at->context));
  return mlirTypeEqual(mlirValueGetType(value), i64)
             ? value
             : convert(at, "llvm.zext", value, i64);
}

/// The result of type `type` from 64 bits of the record.
static MlirValue narrow(agpu__builder *at, MlirValue value, MlirType type) {
  if (mlirTypeEqual(type, agpu__i64_type(at->context)))
    return value;
  if (!mlirTypeIsAF32(type))
    return convert(at, "llvm.trunc", value, type);
  value = convert(at, "llvm.trunc", value, agpu__i32_type(at->context));
  return convert(at, "llvm.bitcast", value, type);
}

static MlirValue constant_i32(agpu__builder *at, uint32_t value) {
  return agpu__llvm_constant(at, agpu__i32_attr(at->context, (int32_t)value));
}

/// The optional operand at position `segment`, or null.
static MlirValue optional_operand(MlirOperation op, intptr_t segment) {
  MlirAttribute sizes =
      mlirOperationGetAttributeByName(op, agpu__str("operandSegmentSizes"));
  intptr_t position = 0;
  for (intptr_t i = 0; i < segment; ++i)
    position += mlirDenseI32ArrayGetElement(sizes, i);
  return mlirDenseI32ArrayGetElement(sizes, segment)
             ? mlirOperationGetOperand(op, position)
             : (MlirValue){NULL};
}

/// A barrier without operands is the kernel's one barrier; one with any says
/// which threads it is for. Returns the wait, and the mode.
static agpu_native_wait write_barrier(agpu__builder *at, const body *self,
                                      MlirOperation op, uint32_t *out_mode) {
  static const wait_row reductions = {.kind_format = "#nvvm.reduction<%s>",
                                      .kinds = {"popc", "and", "or"}};
  MlirValue number = optional_operand(op, 0);
  MlirValue threads = optional_operand(op, 1);
  MlirValue predicate = optional_operand(op, 2);
  if (mlirValueIsNull(number) && mlirValueIsNull(threads) &&
      mlirValueIsNull(predicate))
    return AGPU_NATIVE_BARRIER;
  MlirValue zero = constant_i32(at, 0);
  store_member(at, self, MEMBER(a), mlirValueIsNull(number) ? zero : number);
  store_member(at, self, MEMBER(b), mlirValueIsNull(threads) ? zero : threads);
  if (!mlirValueIsNull(predicate)) {
    store_member(at, self, MEMBER(value), widen(at, predicate));
    *out_mode =
        AGPU_NATIVE_BARRIER_COUNT + mode_of(op, &reductions, "reductionOp");
  }
  return AGPU_NATIVE_NUMBERED_BARRIER;
}

static bool flag(MlirOperation op, const char *name) {
  MlirAttribute attribute =
      mlirOperationGetAttributeByName(op, agpu__str(name));
  return !mlirAttributeIsNull(attribute) && mlirBoolAttrGetValue(attribute);
}

/// Stores the operands of `op` into the record. Returns the wait, and the mode.
static agpu_native_wait write_operands(agpu__builder *at, const body *self,
                                       MlirOperation op, const wait_row *row,
                                       uint32_t *out_mode) {
  *out_mode = 0;
  if (row->wait == AGPU_NATIVE_NUMBERED_BARRIER)
    return write_barrier(at, self, op, out_mode);
  if (row->kind_format)
    *out_mode = mode_of(op, row, "kind");
  if (row->value >= 0)
    store_member(at, self, MEMBER(value),
                 widen(at, mlirOperationGetOperand(op, row->value)));
  if (row->mask >= 0)
    store_member(at, self, MEMBER(mask),
                 row->mask < mlirOperationGetNumOperands(op)
                     ? mlirOperationGetOperand(op, row->mask)
                     : constant_i32(at, UINT32_MAX));
  if (row->a >= 0)
    store_member(at, self, MEMBER(a), mlirOperationGetOperand(op, row->a));
  if (row->b >= 0)
    store_member(at, self, MEMBER(b), mlirOperationGetOperand(op, row->b));
  if (row->wait == AGPU_NATIVE_REDUCTION)
    store_member(at, self, MEMBER(a),
                 constant_i32(at, (flag(op, "abs") ? 1u : 0u) |
                                      (flag(op, "nan") ? 2u : 0u)));
  return row->wait;
}

/// The result of a wait: a value, or a structure of it and whether it is valid.
static MlirValue read_result(agpu__builder *at, const body *self,
                             MlirType type) {
  MlirValue value = agpu__llvm_load(at, member_address(at, self, MEMBER(value)),
                                    agpu__i64_type(at->context));
  if (!mlirTypeIsALLVMStructType(type))
    return narrow(at, value, type);
  MlirValue valid = agpu__llvm_load(at, member_address(at, self, MEMBER(valid)),
                                    agpu__i32_type(at->context));
  value = narrow(at, value, mlirLLVMStructTypeGetElementType(type, 0));
  valid = narrow(at, valid, mlirLLVMStructTypeGetElementType(type, 1));
  return agpu__llvm_insert(
      at, agpu__llvm_insert(at, agpu__llvm_undef(at, type), value, 0), valid,
      1);
}

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

/// The agpu_native_site of `op`, a constant of the host module.
static MlirValue build_site(agpu__builder *at, body *self,
                            agpu_native_wait wait, uint32_t mode) {
  MlirContext context = at->context;
  char *location = agpu__location_text(at->location);
  size_t bytes = strlen(location) + 1;
  MlirType i32 = agpu__i32_type(context);
  MlirType members[] = {
      i32, i32, i32,
      mlirLLVMArrayTypeGet(mlirIntegerTypeGet(context, 8), (unsigned)bytes)};
  MlirType type = mlirLLVMStructTypeLiteralGet(context, 4, members, false);
  char *symbol = agpu__format("agpu_site.%s.%u", self->module, *self->sites);

  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  agpu__builder inside = agpu__builder_at_end(block, at->location);
  MlirNamedAttribute text = agpu__named(
      context, "value",
      mlirStringAttrGet(context, mlirStringRefCreate(location, bytes)));
  MlirValue values[] = {
      constant_i32(&inside, (*self->sites)++), constant_i32(&inside, wait),
      constant_i32(&inside, mode),
      agpu__result(agpu__build_op(&inside, "llvm.mlir.constant", NULL, 0,
                                  members[3], &text, 1),
                   0)};
  MlirValue site = agpu__llvm_undef(&inside, type);
  for (int64_t i = 0; i < 4; ++i)
    site = agpu__llvm_insert(&inside, site, values[i], i);
  agpu__build_op(&inside, "llvm.return", &site, 1, (MlirType){NULL}, NULL, 0);

  MlirNamedAttribute attributes[] = {
      agpu__named(context, "sym_name", agpu__string_attr(context, symbol)),
      agpu__named(context, "global_type", mlirTypeAttrGet(type)),
      agpu__named(context, "linkage",
                  mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageInternal)),
      agpu__named(context, "addr_space", agpu__i32_attr(context, 0)),
      agpu__named(context, "constant", mlirUnitAttrGet(context))};
  // Beside the gpu.module, where the body will be.
  agpu__builder outside =
      agpu__builder_before(mlirOperationGetParentOperation(self->function));
  agpu__op_spec spec = {.name = "llvm.mlir.global",
                        .location = at->location,
                        .attributes = attributes,
                        .attribute_count = 5,
                        .regions = &region,
                        .region_count = 1};
  agpu__build(&outside, &spec);
  MlirValue address = agpu__llvm_address(at, symbol);
  free(symbol);
  free(location);
  return address;
}

//===----------------------------------------------------------------------===//
// The coroutine
//===----------------------------------------------------------------------===//

static MlirValue no_token(agpu__builder *at) {
  return agpu__result(
      agpu__build_op(at, "llvm.mlir.none", NULL, 0,
                     agpu__parse_type(at->context, "!llvm.token"), NULL, 0),
      0);
}

static void branch(agpu__builder *at, MlirBlock to) {
  agpu__op_spec spec = {.name = "llvm.br",
                        .location = at->location,
                        .successors = &to,
                        .successor_count = 1};
  agpu__build(at, &spec);
}

/// Replaces `op` by a suspension.
static void suspend(body *self, MlirOperation op, const wait_row *row) {
  MlirBlock rest = agpu__split_after(op);
  agpu__builder at = agpu__builder_before(op);
  uint32_t mode;
  agpu_native_wait wait = write_operands(&at, self, op, row, &mode);
  store_member(&at, self, MEMBER(site), build_site(&at, self, wait, mode));
  MlirValue operands[] = {no_token(&at), agpu__llvm_bool(&at, false)};
  MlirValue how =
      agpu__result(agpu__build_op(&at, "llvm.intr.coro.suspend", operands, 2,
                                  mlirIntegerTypeGet(at.context, 8), NULL, 0),
                   0);
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
                        .location = at.location,
                        .operands = &how,
                        .operand_count = 1,
                        .attributes = attributes,
                        .attribute_count = 3,
                        .successors = successors,
                        .successor_count = 2};
  agpu__build(&at, &spec);
  if (mlirOperationGetNumResults(op)) {
    MlirValue result = mlirOperationGetResult(op, 0);
    agpu__builder after = agpu__builder_at_start(rest, at.location);
    mlirValueReplaceAllUsesOfWith(
        result, read_result(&after, self, mlirValueGetType(result)));
  }
  mlirOperationDestroy(op);
}

/// The thread has ended: its record says so.
static void end_thread(const body *self, MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  store_member(&at, self, MEMBER(frame), agpu__llvm_null(&at));
  branch(&at, self->end);
  mlirOperationDestroy(op);
}

/// Starts the coroutine before all ops of `entry`: the record gets the frame.
/// Returns the handle.
static MlirValue begin(const body *self, MlirBlock entry) {
  MlirType pointer = agpu__ptr_type(self->context);
  agpu__builder at =
      agpu__builder_at_start(entry, mlirOperationGetLocation(self->function));
  MlirValue null = agpu__llvm_null(&at);
  MlirValue id_operands[] = {constant_i32(&at, 0), null, null, null};
  MlirValue id = agpu__result(
      agpu__build_op(&at, "llvm.intr.coro.id", id_operands, 4,
                     agpu__parse_type(self->context, "!llvm.token"), NULL, 0),
      0);
  MlirType i64 = agpu__i64_type(self->context);
  MlirValue frame_operands[] = {
      self->thread,
      agpu__result(
          agpu__build_op(&at, "llvm.intr.coro.size", NULL, 0, i64, NULL, 0), 0),
      agpu__result(
          agpu__build_op(&at, "llvm.intr.coro.align", NULL, 0, i64, NULL, 0),
          0)};
  MlirValue memory = agpu__call_runtime(
      &at, self->host_module, "agpu_native_frame", frame_operands, 3, pointer);
  MlirValue begin_operands[] = {id, memory};
  MlirValue handle =
      agpu__result(agpu__build_op(&at, "llvm.intr.coro.begin", begin_operands,
                                  2, pointer, NULL, 0),
                   0);
  store_member(&at, self, MEMBER(frame), handle);
  return handle;
}

/// The constant number of elements that `alloca` allocates, or a null op.
static MlirOperation constant_size(MlirOperation alloca) {
  MlirValue count = mlirOperationGetOperand(alloca, 0);
  if (!mlirValueIsAOpResult(count))
    return (MlirOperation){NULL};
  MlirOperation source = mlirOpResultGetOwner(count);
  return agpu__op_is(source, "llvm.mlir.constant") ? source
                                                   : (MlirOperation){NULL};
}

bool agpu__simt_has_constant_size(MlirOperation alloca) {
  return !mlirOperationIsNull(constant_size(alloca));
}

void agpu__simt_hoist_allocas(MlirOperation function) {
  agpu__ops allocas = {0};
  agpu__collect(function, "llvm.alloca", &allocas);
  MlirBlock entry =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  MlirOperation first = mlirBlockGetFirstOperation(entry);
  for (size_t i = 0; i < allocas.count; ++i) {
    MlirOperation op = allocas.data[i], size = constant_size(op);
    if (mlirOperationIsNull(size))
      continue;
    size = mlirOperationClone(size);
    mlirBlockInsertOwnedOperationBefore(entry, first, size);
    mlirOperationSetOperand(op, 0, mlirOperationGetResult(size, 0));
    if (mlirOperationEqual(op, first))
      first = mlirOperationGetNextInBlock(op);
    else
      mlirOperationMoveBefore(op, first);
  }
  agpu__ops_free(&allocas);
}

/// Reports memory of the thread's own that cannot be part of the frame.
static MlirLogicalResult check_allocas(MlirOperation function) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  agpu__ops allocas = {0};
  agpu__collect(function, "llvm.alloca", &allocas);
  for (size_t i = 0; i < allocas.count; ++i)
    if (!agpu__simt_has_constant_size(allocas.data[i]))
      result = agpu__error(mlirOperationGetLocation(allocas.data[i]),
                           "memory of a thread's own needs a constant size in "
                           "a kernel whose threads wait for each other");
  agpu__ops_free(&allocas);
  return result;
}

MlirLogicalResult agpu__simt_make_coroutine(MlirOperation function,
                                            MlirValue thread,
                                            MlirOperation host_module,
                                            const char *module,
                                            uint32_t *sites) {
  MlirRegion region = mlirOperationGetRegion(function, 0);
  MlirBlock entry = mlirRegionGetFirstBlock(region);
  if (mlirLogicalResultIsFailure(check_allocas(function)))
    return mlirLogicalResultFailure();
  body self = {.context = mlirOperationGetContext(function),
               .host_module = host_module,
               .function = function,
               .thread = thread,
               .end = mlirBlockCreate(0, NULL, NULL),
               .sites = sites,
               .module = module};
  agpu__ops ops = {0};
  agpu__collect(function, NULL, &ops);
  MlirValue handle = begin(&self, entry);
  mlirRegionAppendOwnedBlock(region, self.end);
  for (size_t i = 0; i < ops.count; ++i) {
    const wait_row *row = find_row(ops.data[i]);
    if (row)
      suspend(&self, ops.data[i], row);
    else if (agpu__op_is(ops.data[i], "llvm.return"))
      end_thread(&self, ops.data[i]);
  }
  agpu__ops_free(&ops);
  agpu__builder at =
      agpu__builder_at_end(self.end, mlirOperationGetLocation(function));
  MlirValue operands[] = {handle, agpu__llvm_bool(&at, false), no_token(&at)};
  agpu__build_op(&at, "llvm.intr.coro.end", operands, 3,
                 agpu__i1_type(self.context), NULL, 0);
  agpu__build_op(&at, "llvm.return", NULL, 0, (MlirType){NULL}, NULL, 0);
  mlirOperationSetAttributeByName(
      function, agpu__str("passthrough"),
      agpu__parse_attr(self.context, "[\"presplitcoroutine\"]"));
  return mlirLogicalResultSuccess();
}
