//===- reductions.c - Reductions over a warp or a block -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes of a warp combine what they have in as many steps as its size has bits;
// then the first warp does so with what each warp has left in shared memory. In
// native code, all threads leave what they have there, and the first one
// combines it (expand.h).
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/expand/expand.h"

#include "lower/ir/ir.h"
#include "lower/ir/template.h"

#include <inttypes.h>
#include <stdlib.h>

#define WARP_SIZE 32

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

typedef struct operation {
  const char *name;    ///< as the gpu dialect spells it
  const char *integer; ///< the op on integers, NULL without one
  const char *real;    ///< the op on floats
  const char *redux;   ///< kind of nvvm.redux.sync on i32
} operation;

static const operation operations[] = {
    {"add", "arith.addi", "arith.addf", "add"},
    {"mul", "arith.muli", "arith.mulf", NULL},
    {"minui", "arith.minui", NULL, "umin"},
    {"minsi", "arith.minsi", NULL, "min"},
    {"minnumf", NULL, "arith.minnumf", NULL},
    {"maxui", "arith.maxui", NULL, "umax"},
    {"maxsi", "arith.maxsi", NULL, "max"},
    {"maxnumf", NULL, "arith.maxnumf", NULL},
    {"and", "arith.andi", NULL, "and"},
    {"or", "arith.ori", NULL, "or"},
    {"xor", "arith.xori", NULL, "xor"},
    {"minimumf", NULL, "arith.minimumf", NULL},
    {"maximumf", NULL, "arith.maximumf", NULL},
};

/// One reduction. Where the op's body combines, it has no operation.
typedef struct reduction {
  MlirOperation op;
  const operation *operation;
  MlirType type; ///< of the value
  bool is_integer;
  bool uses_redux;
  bool knows_block;
  int32_t block[3]; ///< sizes, where known
  bool full;        ///< so that all warps are full
  agpu__holes holes;
} reduction;

static const operation *operation_of(MlirOperation op) {
  MlirAttribute attribute = agpu__attr(op, "op");
  if (mlirAttributeIsNull(attribute))
    return NULL;
  AGPU__SCOPED(text) text = {0};
  mlirAttributePrint(attribute, agpu__text_callback, &text);
  // "#gpu<all_reduce_op add>"
  const char *begin = strstr(agpu__text_get(&text), "all_reduce_op ");
  const operation *found = NULL;
  if (begin) {
    begin += strlen("all_reduce_op ");
    size_t size = strcspn(begin, ">");
    for (size_t i = 0; i < AGPU__COUNT(operations); ++i)
      if (strlen(operations[i].name) == size &&
          !memcmp(begin, operations[i].name, size))
        found = &operations[i];
  }
  return found;
}

/// The sizes of the blocks that `op` runs in, where its function says so.
static bool known_block(MlirOperation op, int32_t sizes[3]) {
  MlirOperation function = agpu__parent_of(op, "gpu.func");
  if (mlirOperationIsNull(function))
    return false;
  MlirAttribute known = agpu__attr(function, "known_block_size");
  if (mlirAttributeIsNull(known) || !mlirAttributeIsADenseI32Array(known) ||
      mlirDenseArrayGetNumElements(known) != 3)
    return false;
  for (intptr_t i = 0; i < 3; ++i)
    sizes[i] = mlirDenseI32ArrayGetElement(known, i);
  return true;
}

/// Threads of a block; 0 where it is not known.
static int64_t block_size(const reduction *self) {
  return self->knows_block
             ? (int64_t)self->block[0] * self->block[1] * self->block[2]
             : 0;
}

//===----------------------------------------------------------------------===//
// Pieces of the templates
//===----------------------------------------------------------------------===//

static void fill(agpu__builder *at, const char *place, MlirOperation call,
                 MlirValue *out_results, void *data);

/// Builds a function of the templates.
static void build(agpu__builder *at, reduction *self, const char *function,
                  const MlirValue *arguments, MlirValue *out_results) {
  const agpu__template template = {.file = "reductions.mlir",
                                   .function = function,
                                   .holes = &self->holes,
                                   .fill = fill,
                                   .data = self};
  agpu__template_build(at, &template, arguments, out_results);
}

/// The size of a block in dimension 'x', 'y' or 'z'.
static MlirValue build_size(agpu__builder *at, const reduction *self,
                            char dimension) {
  MlirType i32 = agpu__i32_type(at->context);
  if (self->knows_block)
    return agpu__build_constant(at, i32, self->block[dimension - 'x']);
  AGPU__OWNED char *text = agpu__format("#gpu<dim %c>", dimension);
  MlirValue size = agpu__build_with(at, "gpu.block_dim", NULL, 0,
                                    agpu__index_type(at->context), "dimension",
                                    agpu__parse_attr(at->context, text));
  return agpu__build_unary(at, "arith.index_cast", size, i32);
}

/// `a` and `b` by a copy of the op's body.
static MlirValue inline_body(agpu__builder *at, MlirOperation op, MlirValue a,
                             MlirValue b) {
  MlirOperation copy = mlirOperationClone(op);
  MlirBlock block = agpu__entry_block(copy);
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, 0), a);
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, 1), b);
  MlirOperation yield = mlirBlockGetTerminator(block);
  agpu__move_ops(at, mlirBlockGetFirstOperation(block), yield);
  MlirValue result = mlirOperationGetOperand(yield, 0);
  mlirOperationDestroy(copy);
  return result;
}

static MlirValue build_combine(agpu__builder *at, const reduction *self,
                               MlirValue a, MlirValue b) {
  if (!self->operation)
    return inline_body(at, self->op, a, b);
  return agpu__build_binary(
      at, self->is_integer ? self->operation->integer : self->operation->real,
      a, b);
}

/// `value` reduced over the first `lanes` lanes, in lane 0 of each cluster, or
/// in all lanes where `full`. `size` and `stride` are those of the clusters.
static MlirValue build_steps(agpu__builder *at, reduction *self,
                             MlirValue value, MlirValue lanes, bool full,
                             int64_t size, int64_t stride) {
  MlirValue arguments[] = {value, lanes};
  if (self->uses_redux && size == WARP_SIZE) {
    build(at, self, "redux", arguments, &value);
    return value;
  }
  for (int64_t step = 1; step < size; step *= 2) {
    agpu__hole(&self->holes, "offset", "%lld", (long long)(step * stride));
    build(at, self, full ? "full_step" : "step", arguments, &arguments[0]);
  }
  return arguments[0];
}

/// Reduces the block's values in `memory` to the first of them.
static void build_fold(agpu__builder *at, reduction *self, MlirValue memory) {
  for (int64_t left = block_size(self); left > 1;) {
    int64_t half = (left + 1) / 2;
    agpu__hole(&self->holes, "half", "%lld", (long long)half);
    agpu__hole(&self->holes, "pairs", "%lld", (long long)(left - half));
    build(at, self, "fold_half", &memory, NULL);
    left = half;
  }
}

static void fill(agpu__builder *at, const char *place, MlirOperation call,
                 MlirValue *out_results, void *data) {
  reduction *self = data;
  if (!strncmp(place, "size_", 5)) {
    *out_results = build_size(at, self, place[5]);
    return;
  }
  MlirValue a = mlirOperationGetOperand(call, 0);
  if (!strcmp(place, "fold")) {
    build_fold(at, self, a);
    return;
  }
  MlirValue b = mlirOperationGetOperand(call, 1);
  if (!strcmp(place, "combine"))
    *out_results = build_combine(at, self, a, b);
  else // "warp" or "block"
    *out_results = build_steps(
        at, self, a, b, self->full && !strcmp(place, "warp"), WARP_SIZE, 1);
}

//===----------------------------------------------------------------------===//
// A warp
//===----------------------------------------------------------------------===//

static MlirValue build_subgroup_reduce(agpu__builder *at, reduction *self,
                                       int64_t size, int64_t stride) {
  MlirValue thread[2], lane[2];
  build(at, self, "thread", NULL, thread);
  build(at, self, self->full ? "lane_of_full" : "lane_of_any", thread, lane);
  MlirValue whole = build_steps(at, self, mlirOperationGetOperand(self->op, 0),
                                lane[1], self->full, size, stride);
  if (self->full || (self->uses_redux && size == WARP_SIZE))
    return whole;
  agpu__hole(&self->holes, "others", "%lld",
             (long long)(~((size - 1) * stride) & (WARP_SIZE - 1)));
  MlirValue arguments[] = {whole, lane[0], lane[1]};
  build(at, self, "spread", arguments, &whole);
  return whole;
}

//===----------------------------------------------------------------------===//
// A block
//===----------------------------------------------------------------------===//

// One slot per warp of the largest block, and one for the whole.
#define SLOTS (1024 / WARP_SIZE + 1)

/// Workgroup memory of `slots` elements of the type, read before the op. All
/// reductions of one type and size share it (expand.h says why they may).
static MlirValue get_memory(MlirOperation gpu_module, reduction *self,
                            int64_t slots) {
  MlirContext context = mlirOperationGetContext(self->op);
  AGPU__OWNED char *element = agpu__type_text(self->type);
  AGPU__OWNED char *text = agpu__format(
      "memref<%" PRId64 "x%s, #gpu.address_space<workgroup>>", slots, element);
  agpu__hole(&self->holes, "memory", "%s", text);
  MlirType type = agpu__parse_type(context, text);
  char *symbol = slots == SLOTS ? agpu__format("agpu_reduce_%s", element)
                                : agpu__format("agpu_reduce_%" PRId64 "_%s",
                                               slots - 1, element);
  MlirOperation known = agpu__lookup(gpu_module, symbol);
  bool ours =
      agpu__op_is(known, "memref.global") &&
      mlirAttributeEqual(agpu__attr(known, "type"), mlirTypeAttrGet(type));
  if (!ours) {
    char *unique = agpu__unique_symbol(gpu_module, symbol);
    free(symbol);
    symbol = unique;
    agpu__builder at = agpu__builder_at_start(
        agpu__module_body(gpu_module), mlirOperationGetLocation(gpu_module));
    agpu__build_memref_global(&at, symbol, type);
  }
  agpu__builder at = agpu__builder_before(self->op);
  MlirValue memory = agpu__build_memref(&at, symbol, type);
  free(symbol);
  return memory;
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

static reduction describe(MlirOperation op, bool has_redux) {
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  MlirType element =
      mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type;
  bool is_i32 = mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 32;
  reduction self = {.op = op,
                    .operation = operation_of(op),
                    .type = type,
                    .is_integer = mlirTypeIsAInteger(element)};
  self.uses_redux =
      has_redux && is_i32 && self.operation && self.operation->redux;
  self.knows_block = known_block(op, self.block);
  self.full = self.knows_block && block_size(&self) % WARP_SIZE == 0;
  agpu__hole_type(&self.holes, "type", type);
  if (self.uses_redux)
    agpu__hole(&self.holes, "redux", "%s", self.operation->redux);
  return self;
}

static MlirLogicalResult expand_subgroup_reduce(MlirOperation op,
                                                bool has_redux) {
  int64_t lanes = agpu__get_int(op, "cluster_size", WARP_SIZE);
  int64_t step = agpu__get_int(op, "cluster_stride", 1);
  if (lanes < 1 || step < 1 || lanes > WARP_SIZE || step > WARP_SIZE / lanes)
    return agpu__error(mlirOperationGetLocation(op),
                       "clusters of %lld lanes with stride %lld do not fit "
                       "into a subgroup of %d",
                       (long long)(uint32_t)lanes, (long long)(uint32_t)step,
                       WARP_SIZE);
  reduction self = describe(op, has_redux);
  agpu__builder at = agpu__builder_before(op);
  agpu__replace_op_by_value(op, build_subgroup_reduce(&at, &self, lanes, step));
  agpu__holes_free(&self.holes);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult expand_all_reduce(MlirOperation gpu_module,
                                           MlirOperation op, bool has_redux,
                                           bool is_native) {
  reduction self = describe(op, has_redux);
  bool by_thread = is_native && self.knows_block;
  MlirValue memory =
      get_memory(gpu_module, &self, by_thread ? block_size(&self) + 1 : SLOTS);
  agpu__hole(&self.holes, "whole", "%lld",
             (long long)(by_thread ? block_size(&self) : SLOTS - 1));
  agpu__hole(&self.holes, "lane", "%s",
             self.full ? "lane_of_full" : "lane_of_any");
  const agpu__template whole = {.file = "reductions.mlir",
                                .function = by_thread ? "all_reduce_by_thread"
                                                      : "all_reduce",
                                .holes = &self.holes,
                                .fill = fill,
                                .data = &self};
  MlirLogicalResult result = agpu__template_replace(op, &whole, &memory, 1);
  agpu__holes_free(&self.holes);
  return result;
}

/// The body is copied to where values meet, so it has to be straight.
static bool check_body(MlirOperation op) {
  MlirRegion region = mlirOperationGetRegion(op, 0);
  MlirBlock block = mlirRegionGetFirstBlock(region);
  if (mlirBlockIsNull(block) ||
      mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
    return true;
  agpu__error(mlirOperationGetLocation(op),
              "the body of a reduction must be one block in kernels: express "
              "its branches with scf");
  return false;
}

MlirLogicalResult agpu__expand_reductions(MlirOperation gpu_module,
                                          bool has_redux, bool is_native) {
  bool good = true;
  AGPU__SCOPED(ops) ops = agpu__ops_in(gpu_module, "gpu.subgroup_reduce");
  for (size_t i = 0; i < ops.count; ++i)
    good &= mlirLogicalResultIsSuccess(
        expand_subgroup_reduce(ops.data[i], has_redux));
  ops.count = 0;
  agpu__collect(gpu_module, "gpu.all_reduce", &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    good &= check_body(ops.data[i]) &&
            mlirLogicalResultIsSuccess(expand_all_reduce(
                gpu_module, ops.data[i], has_redux, is_native));
  }
  return good ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
