//===- reductions.c - Reductions over a warp or a block -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/expand/reductions.h"

#include "gpu/nvvm/expand/shuffles.h"
#include "lower/ir/template.h"
#include "lower/ir/text.h"

#include <stdlib.h>
#include <string.h>

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

/// One reduction, as text is written for it.
typedef struct reduction {
  const operation *operation; ///< NULL: the op's region combines
  char *type;                 ///< of the value
  bool is_integer;
  bool is_i32;
  bool knows_block;
  int32_t block[3]; ///< sizes, where known
  bool has_redux;
} reduction;

static const operation *operation_of(MlirOperation op) {
  MlirAttribute attribute = agpu__attr(op, "op");
  if (mlirAttributeIsNull(attribute))
    return NULL;
  agpu__text text = {0};
  mlirAttributePrint(attribute, agpu__text_callback, &text);
  // "#gpu<all_reduce_op add>"
  const char *begin = strstr(agpu__text_get(&text), "all_reduce_op ");
  const operation *found = NULL;
  if (begin) {
    begin += strlen("all_reduce_op ");
    size_t size = strcspn(begin, ">");
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); ++i)
      if (strlen(operations[i].name) == size &&
          !memcmp(begin, operations[i].name, size))
        found = &operations[i];
  }
  agpu__text_free(&text);
  return found;
}

/// The sizes of the blocks that `op` runs in, where its function says so.
static bool known_block(MlirOperation op, int32_t sizes[3]) {
  MlirOperation function = op;
  while (!mlirOperationIsNull(function) && !agpu__op_is(function, "gpu.func"))
    function = mlirOperationGetParentOperation(function);
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
// Text
//===----------------------------------------------------------------------===//

static void write_i32(agpu__text *text, const char *name, long long value) {
  agpu__text_printf(text, "  %%%s = arith.constant %lld : i32\n", name, value);
}

/// `%out` is `%a` combined with `%b`.
static void write_combine(agpu__text *text, const reduction *self,
                          const char *out, const char *a, const char *b) {
  if (!self->operation)
    agpu__text_printf(text,
                      "  %%%s = builtin.unrealized_conversion_cast %%%s, %%%s "
                      ": %s, %s to %s\n",
                      out, a, b, self->type, self->type, self->type);
  else
    agpu__text_printf(text, "  %%%s = %s %%%s, %%%s : %s\n", out,
                      self->is_integer ? self->operation->integer
                                       : self->operation->real,
                      a, b, self->type);
}

/// `%thread`, the thread's number in its block, and `%threads`, how many there
/// are, both i32.
static void write_thread(agpu__text *text, const reduction *self) {
  static const char dimensions[] = {'x', 'y', 'z'};
  for (size_t i = 0; i < 3; ++i) {
    const char name[] = {'n', dimensions[i], '\0'};
    char d = dimensions[i];
    agpu__text_printf(text,
                      "  %%t%c_index = gpu.thread_id %c\n"
                      "  %%t%c = arith.index_cast %%t%c_index : index to i32\n",
                      d, d, d, d);
    if (self->knows_block)
      write_i32(text, name, self->block[i]);
    else
      agpu__text_printf(
          text,
          "  %%n%c_index = gpu.block_dim %c\n"
          "  %%n%c = arith.index_cast %%n%c_index : index to i32\n",
          d, d, d, d);
  }
  agpu__text_puts(text, "  %plane = arith.muli %tz, %ny : i32\n"
                        "  %row = arith.addi %plane, %ty : i32\n"
                        "  %first = arith.muli %row, %nx : i32\n"
                        "  %thread = arith.addi %first, %tx : i32\n"
                        "  %area = arith.muli %nx, %ny : i32\n"
                        "  %threads = arith.muli %area, %nz : i32\n");
}

/// `%lane`, and `%lanes`, how many the warp has, from write_thread's. Whether
/// all warps are full.
static bool write_lane(agpu__text *text, const reduction *self) {
  write_i32(text, "last_lane", WARP_SIZE - 1);
  agpu__text_puts(text, "  %lane = arith.andi %thread, %last_lane : i32\n");
  write_i32(text, "warp_size", WARP_SIZE);
  if (self->knows_block && block_size(self) % WARP_SIZE == 0) {
    write_i32(text, "lanes", WARP_SIZE);
    return true;
  }
  agpu__text_puts(text, "  %start = arith.subi %thread, %lane : i32\n"
                        "  %rest = arith.subi %threads, %start : i32\n"
                        "  %lanes = arith.minui %rest, %warp_size : i32\n");
  return false;
}

/// `%NAME_all` is `%value` reduced over the first `%lanes` lanes, in lane 0 of
/// each cluster, or in all lanes where `full`. `size` and `stride` are those of
/// the clusters.
static void write_steps(agpu__text *text, const reduction *self,
                        const char *name, const char *value, const char *lanes,
                        bool full, int64_t size, int64_t stride) {
  char *before = agpu__format("%s", value);
  for (int64_t step = 1; step < size; step *= 2) {
    long long offset = step * stride;
    char *joined = agpu__format("%s_joined%lld", name, offset);
    char *next = agpu__format("%s_next%lld", name, offset);
    char *other = agpu__format("%s_other%lld", name, offset);
    agpu__text_printf(text,
                      "  %%%s_offset%lld = arith.constant %lld : i32\n"
                      "  %%%s, %%%s_valid = gpu.shuffle xor %%%s, "
                      "%%%s_offset%lld, %%%s {" AGPU__WHOLE_SHUFFLE "} : "
                      "%s\n",
                      name, offset, offset, other, other, before, name, offset,
                      lanes, self->type);
    write_combine(text, self, full ? next : joined, before, other);
    if (!full)
      agpu__text_printf(text,
                        "  %%%s = arith.select %%%s_valid, %%%s, %%%s : %s\n",
                        next, other, joined, before, self->type);
    free(before);
    before = next;
    free(joined);
    free(other);
  }
  // A name that does not depend on the number of steps.
  agpu__text_printf(text, "  %%%s_true = arith.constant true\n", name);
  agpu__text_printf(text,
                    "  %%%s_all = arith.select %%%s_true, %%%s, %%%s : %s\n",
                    name, name, before, before, self->type);
  free(before);
}

/// `%NAME_all` is `%value` reduced over the first `%lanes` lanes, in all lanes.
static void write_redux(agpu__text *text, const reduction *self,
                        const char *name, const char *value,
                        const char *lanes) {
  agpu__text_printf(text,
                    "  %%%s_ones = arith.constant -1 : i32\n"
                    "  %%%s_size = arith.constant %d : i32\n"
                    "  %%%s_none = arith.subi %%%s_size, %%%s : i32\n"
                    "  %%%s_mask = arith.shrui %%%s_ones, %%%s_none : i32\n"
                    "  %%%s_all = nvvm.redux.sync %s %%%s, %%%s_mask : i32 -> "
                    "i32\n",
                    name, name, WARP_SIZE, name, name, lanes, name, name, name,
                    name, self->operation->redux, value, name);
}

static bool uses_redux(const reduction *self) {
  return self->has_redux && self->is_i32 && self->operation &&
         self->operation->redux;
}

//===----------------------------------------------------------------------===//
// A warp
//===----------------------------------------------------------------------===//

static void write_subgroup_reduce(agpu__text *text, const reduction *self,
                                  int64_t size, int64_t stride) {
  agpu__text_printf(text, "func.func @reduce(%%v: %s) -> %s {\n", self->type,
                    self->type);
  write_thread(text, self);
  bool full = write_lane(text, self);
  if (uses_redux(self) && size == WARP_SIZE) {
    write_redux(text, self, "r", "v", "lanes");
    agpu__text_printf(text, "  return %%r_all : %s\n}\n", self->type);
    return;
  }
  write_steps(text, self, "r", "v", "lanes", full, size, stride);
  if (full) {
    agpu__text_printf(text, "  return %%r_all : %s\n}\n", self->type);
    return;
  }
  // Only the first lane of each cluster surely has the whole: the bits that
  // tell lanes of a cluster apart are zero in its number.
  write_i32(text, "others", ~((size - 1) * stride) & (WARP_SIZE - 1));
  agpu__text_printf(text,
                    "  %%from = arith.andi %%lane, %%others : i32\n"
                    "  %%result, %%valid = gpu.shuffle idx %%r_all, %%from, "
                    "%%lanes {" AGPU__WHOLE_SHUFFLE "} : %s\n"
                    "  return %%result : %s\n}\n",
                    self->type, self->type);
}

//===----------------------------------------------------------------------===//
// A block
//===----------------------------------------------------------------------===//

// One slot per warp of the largest block, and one for the whole.
#define SLOTS (1024 / WARP_SIZE + 1)

static char *memory_type(const char *element) {
  return agpu__format("memref<%dx%s, #gpu.address_space<workgroup>>", SLOTS,
                      element);
}

/// The workgroup memory for results of `element`, read before `op`. All
/// reductions of one type share it (reductions.h says why they may).
static MlirValue get_memory(MlirOperation gpu_module, MlirOperation op,
                            const char *element) {
  MlirContext context = mlirOperationGetContext(op);
  char *text = memory_type(element);
  MlirType type = agpu__parse_type(context, text);
  char *symbol = agpu__format("agpu_reduce_%s", element);
  MlirOperation known = agpu__lookup(gpu_module, symbol);
  bool ours =
      !mlirOperationIsNull(known) && agpu__op_is(known, "memref.global") &&
      mlirAttributeEqual(agpu__attr(known, "type"), mlirTypeAttrGet(type));
  if (!ours) {
    char *unique = agpu__unique_symbol(gpu_module, symbol);
    free(symbol);
    symbol = unique;
    agpu__builder at = agpu__builder_at_start(
        agpu__module_body(gpu_module), mlirOperationGetLocation(gpu_module));
    agpu__build_memref_global(&at, symbol, type);
  }
  agpu__builder at = agpu__builder_before(op);
  MlirValue memory = agpu__build_memref(&at, symbol, type);
  free(symbol);
  free(text);
  return memory;
}

static void write_all_reduce(agpu__text *text, const reduction *self) {
  char *memory = memory_type(self->type);
  agpu__text_printf(text, "func.func @reduce(%%v: %s, %%memory: %s) -> %s {\n",
                    self->type, memory, self->type);
  write_thread(text, self);
  bool full = write_lane(text, self);
  bool redux = uses_redux(self);
  if (redux)
    write_redux(text, self, "w", "v", "lanes");
  else
    write_steps(text, self, "w", "v", "lanes", full, WARP_SIZE, 1);
  write_i32(text, "zero", 0);
  write_i32(text, "five", 5);
  agpu__text_printf(text,
                    "  %%whole = arith.constant %d : index\n"
                    "  %%warp = arith.shrui %%thread, %%five : i32\n"
                    "  %%slot = arith.index_castui %%warp : i32 to index\n"
                    "  %%is_first = arith.cmpi eq, %%lane, %%zero : i32\n"
                    "  scf.if %%is_first {\n"
                    "    memref.store %%w_all, %%memory[%%slot] : %s\n"
                    "  }\n"
                    "  gpu.barrier\n"
                    "  %%bumped = arith.addi %%threads, %%last_lane : i32\n"
                    "  %%warps = arith.shrui %%bumped, %%five : i32\n"
                    "  %%has_slot = arith.cmpi ult, %%thread, %%warps : i32\n"
                    "  scf.if %%has_slot {\n"
                    "    %%mine = arith.index_castui %%thread : i32 to index\n"
                    "    %%p = memref.load %%memory[%%mine] : %s\n",
                    SLOTS - 1, memory, memory);
  if (redux)
    write_redux(text, self, "b", "p", "warps");
  else
    write_steps(text, self, "b", "p", "warps", false, WARP_SIZE, 1);
  agpu__text_printf(text,
                    "    %%is_zero = arith.cmpi eq, %%thread, %%zero : i32\n"
                    "    scf.if %%is_zero {\n"
                    "      memref.store %%b_all, %%memory[%%whole] : %s\n"
                    "    }\n"
                    "  }\n"
                    "  gpu.barrier\n"
                    "  %%r = memref.load %%memory[%%whole] : %s\n"
                    "  return %%r : %s\n"
                    "}\n",
                    memory, memory, self->type);
  free(memory);
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

static reduction describe(MlirOperation op, bool has_redux) {
  MlirType type = mlirValueGetType(agpu__result(op, 0));
  MlirType element =
      mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type;
  agpu__text text = {0};
  mlirTypePrint(type, agpu__text_callback, &text);
  reduction self = {
      .operation = operation_of(op),
      .type = agpu__text_take(&text),
      .is_integer = mlirTypeIsAInteger(element),
      .is_i32 = mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 32,
      .has_redux = has_redux,
  };
  self.knows_block = known_block(op, self.block);
  return self;
}

static MlirLogicalResult expand_subgroup_reduce(MlirOperation op,
                                                bool has_redux) {
  reduction self = describe(op, has_redux);
  MlirAttribute size = agpu__attr(op, "cluster_size");
  MlirAttribute stride = agpu__attr(op, "cluster_stride");
  int64_t lanes =
      mlirAttributeIsNull(size) ? WARP_SIZE : mlirIntegerAttrGetValueInt(size);
  int64_t step =
      mlirAttributeIsNull(stride) ? 1 : mlirIntegerAttrGetValueInt(stride);
  MlirLogicalResult result = mlirLogicalResultFailure();
  if (lanes < 1 || step < 1 || lanes > WARP_SIZE || step > WARP_SIZE / lanes) {
    agpu__error(mlirOperationGetLocation(op),
                "clusters of %lld lanes, each %lld behind the last, do not fit "
                "into a subgroup of %d",
                (long long)(uint32_t)lanes, (long long)(uint32_t)step,
                WARP_SIZE);
  } else {
    agpu__text text = {0};
    write_subgroup_reduce(&text, &self, lanes, step);
    result = agpu__template_replace(op, agpu__text_get(&text), NULL, 0);
    agpu__text_free(&text);
  }
  free(self.type);
  return result;
}

static MlirLogicalResult expand_all_reduce(MlirOperation gpu_module,
                                           MlirOperation op, bool has_redux) {
  reduction self = describe(op, has_redux);
  agpu__text text = {0};
  MlirValue memory = get_memory(gpu_module, op, self.type);
  write_all_reduce(&text, &self);
  MlirLogicalResult result =
      agpu__template_replace(op, agpu__text_get(&text), &memory, 1);
  agpu__text_free(&text);
  free(self.type);
  return result;
}

/// The region is copied to where values meet, so it has to be straight.
static bool check_region(MlirOperation op) {
  MlirRegion region = mlirOperationGetRegion(op, 0);
  MlirBlock block = mlirRegionGetFirstBlock(region);
  if (mlirBlockIsNull(block) ||
      mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
    return true;
  agpu__error(mlirOperationGetLocation(op),
              "the region of a reduction has one block in kernels; express "
              "its branches with scf");
  return false;
}

MlirLogicalResult agpu__expand_reductions(MlirOperation gpu_module,
                                          bool has_redux) {
  bool good = true;
  agpu__ops ops = {0};
  agpu__collect(gpu_module, "gpu.subgroup_reduce", &ops);
  for (size_t i = 0; i < ops.count; ++i)
    good &= mlirLogicalResultIsSuccess(
        expand_subgroup_reduce(ops.data[i], has_redux));
  ops.count = 0;
  agpu__collect(gpu_module, "gpu.all_reduce", &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    good &= check_region(ops.data[i]) &&
            mlirLogicalResultIsSuccess(
                expand_all_reduce(gpu_module, ops.data[i], has_redux));
  }
  agpu__ops_free(&ops);
  return good ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
