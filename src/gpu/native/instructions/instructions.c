//===- instructions.c - Instructions of the GPU on a host ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVVM ops that are one instruction with a plain meaning become ops of the LLVM
// dialect, by templates. What an instruction computes is in the PTX ISA, under
// its name.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/instructions.h"

#include "lower/ir/template.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Of conversions: neither saturated nor cut off at zero.
static bool rounds_to_nearest(MlirOperation op) {
  return agpu__simt_attr_has(op, "rnd", "<rn>") &&
         !agpu__simt_attr_has(op, "relu", "true") &&
         !agpu__simt_attr_has(op, "sat", "satfinite");
}

//===----------------------------------------------------------------------===//
// Holes
//===----------------------------------------------------------------------===//

static void fill_tf32(agpu__holes *holes, MlirOperation op) {
  agpu__hole(holes, "nearest", "%s",
             agpu__simt_attr_has(op, "rnd", "<rna>")  ? "away"
             : agpu__simt_attr_has(op, "rnd", "<rn>") ? "even"
                                                      : "bits");
  const char *limited =
      agpu__simt_attr_has(op, "sat", "satfinite") ? "finite" : "special";
  agpu__hole(holes, "limited", "%s", limited);
  agpu__hole(holes, "number", "%s",
             agpu__simt_attr_has(op, "relu", "true") ? "positive" : limited);
}

static void fill_pack(agpu__holes *holes, MlirOperation op) {
  MlirType result = mlirValueGetType(agpu__result(op, 0));
  agpu__hole_type(holes, "element", mlirShapedTypeGetElementType(result));
}

static void fill_permute(agpu__holes *holes, MlirOperation op) {
  // Selectors of the default mode that do what another does, one for each of
  // the four numbers that it goes by, the first in the lowest 16 bits.
  static const struct {
    const char *mode, *selectors;
  } modes[] = {
      {"f4e", "0x6543543243213210"}, {"b4e", "0x0123701267015670"},
      {"rc8", "0x3333222211110000"}, {"ecl", "0x3333322232113210"},
      {"ecr", "0x3210221011100000"}, {"rc16", "0x3232101032321010"},
  };
  agpu__hole(holes, "table", "0");
  agpu__hole(holes, "selector", "asked");
  for (size_t i = 0; i < AGPU__COUNT(modes); ++i)
    if (agpu__simt_attr_has(op, "mode", modes[i].mode)) {
      agpu__hole(holes, "table", "%s", modes[i].selectors);
      agpu__hole(holes, "selector", "row");
    }
}

static void fill_dot(agpu__holes *holes, MlirOperation op) {
  agpu__hole(holes, "a_extend",
             agpu__simt_attr_has(op, "a_type", "unsigned") ? "zext" : "sext");
  agpu__hole(holes, "b_extend",
             agpu__simt_attr_has(op, "b_type", "unsigned") ? "zext" : "sext");
  agpu__hole(holes, "half",
             agpu__simt_attr_has(op, "b_hi", "true") ? "2, 3" : "0, 1");
}

static void fill_bulk_store(agpu__holes *holes, MlirOperation op) {
  agpu__hole_type(holes, "pointer",
                  mlirValueGetType(mlirOperationGetOperand(op, 0)));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

typedef enum form { PLAIN, BY_OPERANDS } form;

/// What an op is replaced by: a function of a template, whose name has a number
/// after it where it differs by how many operands the op has. No function: by
/// nothing. Ops that `accepts` turns down are not supported.
typedef struct instruction {
  const char *op, *file, *function;
  form form;
  void (*fill)(agpu__holes *holes, MlirOperation op);
  bool (*accepts)(MlirOperation op);
} instruction;

static const char arithmetic[] = "arithmetic.mlir", memory[] = "memory.mlir";

static const instruction instructions[] = {
    {"nvvm.breakpoint", memory, "trap", PLAIN, NULL, NULL},
    {"nvvm.convert.f32x2.to.bf16x2", arithmetic, "pack", PLAIN, fill_pack,
     rounds_to_nearest},
    {"nvvm.convert.f32x2.to.f16x2", arithmetic, "pack", PLAIN, fill_pack,
     rounds_to_nearest},
    {"nvvm.convert.float.to.tf32", arithmetic, "tf32", PLAIN, fill_tf32, NULL},
    {"nvvm.dot.accumulate.2way", arithmetic, "dot_2", PLAIN, fill_dot, NULL},
    {"nvvm.dot.accumulate.4way", arithmetic, "dot_4", PLAIN, fill_dot, NULL},
    {"nvvm.prmt", arithmetic, "permute", BY_OPERANDS, fill_permute, NULL},
    {"nvvm.rcp.approx.ftz.f", arithmetic, "reciprocal", PLAIN, NULL, NULL},
    {"nvvm.read.ptx.sreg.clock", memory, "cycles_32", PLAIN, NULL, NULL},
    {"nvvm.read.ptx.sreg.clock64", memory, "cycles", PLAIN, NULL, NULL},
    {"nvvm.st.bulk", memory, "bulk_store", PLAIN, fill_bulk_store, NULL},
};

static const char fences[] =
    "nvvm.fence.mbarrier.init nvvm.fence.proxy nvvm.fence.proxy.acquire "
    "nvvm.fence.proxy.release nvvm.fence.proxy.sync_restrict "
    "nvvm.fence.sc.cluster nvvm.fence.sync_restrict nvvm.memory.barrier";
static const instruction fence = {NULL, memory, "fence", PLAIN, NULL, NULL};

// Hints; and waits for grids before this one on its stream, which have ended
// when it begins.
static const char nothing_to_do[] =
    "nvvm.griddepcontrol nvvm.nanosleep nvvm.pmevent nvvm.prefetch "
    "nvvm.setmaxregister";
static const instruction nothing = {0};

static const instruction *find_instruction(MlirOperation op) {
  if (!agpu__op_in_dialect(op, "nvvm"))
    return NULL;
  if (agpu__op_is_any(op, fences))
    return &fence;
  if (agpu__op_is_any(op, nothing_to_do))
    return &nothing;
  for (size_t i = 0; i < AGPU__COUNT(instructions); ++i) {
    const instruction *row = &instructions[i];
    if (agpu__op_is(op, row->op))
      return !row->accepts || row->accepts(op) ? row : NULL;
  }
  return NULL;
}

bool agpu__simt_is_instruction(MlirOperation op) {
  return agpu__op_in_dialect(op, "nvvm") &&
         (find_instruction(op) || agpu__simt_is_matrix_op(op) ||
          agpu__simt_is_conversion(op));
}

static void replace(MlirOperation op, const instruction *row) {
  AGPU__SCOPED(holes) holes = {0};
  if (row->fill)
    row->fill(&holes, op);
  int64_t number = (int64_t)mlirOperationGetNumOperands(op);
  AGPU__OWNED char *function =
      row->form == PLAIN
          ? agpu__format("%s", row->function)
          : agpu__format("%s_%lld", row->function, (long long)number);
  const agpu__template template = {
      .file = row->file, .function = function, .holes = &holes};
  agpu__template_replace(op, &template, NULL, 0);
}

void agpu__simt_expand_instructions(MlirOperation gpu_module) {
  agpu__simt_expand_assembly(gpu_module);
  AGPU__OPS_IN_FOREACH (op, gpu_module, NULL) {
    const instruction *row = find_instruction(op);
    if (row && row->function)
      replace(op, row);
    else if (row)
      mlirOperationDestroy(op);
    else if (agpu__simt_is_conversion(op))
      agpu__simt_expand_conversion(op);
  }
  agpu__simt_expand_matrices(gpu_module);
}

//===----------------------------------------------------------------------===//
// Calls of the emulated device
//
// The functions of async_gpu/compiled/native_async.h get the place of what they
// stand for, and the ids of the thread, as registers that
// async-gpu-native-context knows. Address spaces go away with a cast, which
// async-gpu-native-shared-memory drops.
//===----------------------------------------------------------------------===//

void agpu__simt_push(agpu__simt_call *self, MlirValue value) {
  self->operands[self->count++] = value;
}

void agpu__simt_push_i32(agpu__simt_call *self, int64_t value) {
  agpu__simt_push(self, agpu__llvm_i32(&self->at, (int32_t)value));
}

void agpu__simt_push_pointer(agpu__simt_call *self, MlirValue value) {
  if (mlirLLVMPointerTypeGetAddressSpace(mlirValueGetType(value)))
    value = agpu__build_unary(&self->at, "llvm.addrspacecast", value,
                              agpu__ptr_type(self->at.context));
  agpu__simt_push(self, value);
}

void agpu__simt_finish(agpu__simt_call *self, const char *function,
                       MlirType result) {
  static const char *const ids[] = {"nvvm.read.ptx.sreg.tid.x",
                                    "nvvm.read.ptx.sreg.tid.y",
                                    "nvvm.read.ptx.sreg.tid.z"};
  agpu__simt_push(self, agpu__location_constant(&self->at, self->gpu_module));
  for (int d = 0; d < 3; ++d)
    agpu__simt_push(self, agpu__build_value(&self->at, ids[d], NULL, 0,
                                            agpu__i32_type(self->at.context)));
  MlirValue value = agpu__call_runtime(&self->at, self->gpu_module, function,
                                       self->operands, self->count, result);
  if (!mlirOperationGetNumResults(self->op) || self->has_no_result)
    return;
  MlirValue old = agpu__result(self->op, 0);
  MlirType type = mlirValueGetType(old);
  if (mlirTypeIsALLVMPointerType(type) &&
      mlirLLVMPointerTypeGetAddressSpace(type))
    value = agpu__build_unary(&self->at, "llvm.addrspacecast", value, type);
  mlirValueReplaceAllUsesOfWith(old, value);
}
