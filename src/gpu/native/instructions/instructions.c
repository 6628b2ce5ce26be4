//===- instructions.c - Instructions of the GPU on a host ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVVM ops that are one instruction with a plain meaning, as ops of the LLVM
// dialect, written as text. What an instruction computes is in the PTX ISA,
// under its name.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/instructions/instructions.h"

#include "gpu/native/instructions/writers.h"
#include "lower/ir/ir.h"
#include "lower/ir/template.h"
#include "lower/ir/text.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Order, time, registers
//===----------------------------------------------------------------------===//

/// Host memory is coherent, and all threads of a block are one host thread.
static void write_fence(agpu__text *text, MlirOperation op) {
  (void)op;
  agpu__text_puts(text, "  llvm.fence seq_cst\n");
}

static void write_trap(agpu__text *text, MlirOperation op) {
  (void)op;
  agpu__text_puts(text, "  \"llvm.intr.debugtrap\"() : () -> ()\n");
}

static void write_cycles(agpu__text *text, MlirOperation op) {
  (void)op;
  agpu__text_puts(text, "  %r = llvm.call_intrinsic "
                        "\"llvm.readcyclecounter\"() : () -> i64\n");
}

static void write_cycles_32(agpu__text *text, MlirOperation op) {
  (void)op;
  agpu__text_puts(text, "  %all = llvm.call_intrinsic "
                        "\"llvm.readcyclecounter\"() : () -> i64\n"
                        "  %r = llvm.trunc %all : i64 to i32\n");
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// What an op is replaced by: its operands are %a0..., its result is %r. NULL:
/// nothing. Ops that `accepts` turns down are not supported.
static const struct {
  const char *op;
  void (*write)(agpu__text *text, MlirOperation op);
  bool (*accepts)(MlirOperation op);
} instructions[] = {
    {"nvvm.breakpoint", write_trap, NULL},
    {"nvvm.convert.f32x2.to.bf16x2", agpu__write_pack_bf16,
     agpu__rounds_to_nearest},
    {"nvvm.convert.f32x2.to.f16x2", agpu__write_pack_f16,
     agpu__rounds_to_nearest},
    {"nvvm.convert.float.to.tf32", agpu__write_tf32, NULL},
    {"nvvm.cp.async.commit.group", NULL, NULL},
    {"nvvm.cp.async.shared.global", agpu__write_copy, NULL},
    {"nvvm.cp.async.wait.group", NULL, NULL},
    {"nvvm.dot.accumulate.2way", agpu__write_dot_2, NULL},
    {"nvvm.dot.accumulate.4way", agpu__write_dot_4, NULL},
    {"nvvm.fence.mbarrier.init", write_fence, NULL},
    {"nvvm.fence.proxy", write_fence, NULL},
    {"nvvm.fence.proxy.acquire", write_fence, NULL},
    {"nvvm.fence.proxy.release", write_fence, NULL},
    {"nvvm.fence.proxy.sync_restrict", write_fence, NULL},
    {"nvvm.fence.sc.cluster", write_fence, NULL},
    {"nvvm.fence.sync_restrict", write_fence, NULL},
    // A grid begins when those before it on its stream have ended.
    {"nvvm.griddepcontrol", NULL, NULL},
    {"nvvm.ldmatrix", agpu__write_matrix_load, agpu__is_plain_matrix},
    {"nvvm.memory.barrier", write_fence, NULL},
    {"nvvm.nanosleep", NULL, NULL},
    {"nvvm.pmevent", NULL, NULL},
    {"nvvm.prefetch", NULL, NULL},
    {"nvvm.prmt", agpu__write_permute, NULL},
    {"nvvm.rcp.approx.ftz.f", agpu__write_reciprocal, NULL},
    {"nvvm.read.ptx.sreg.clock", write_cycles_32, NULL},
    {"nvvm.read.ptx.sreg.clock64", write_cycles, NULL},
    {"nvvm.setmaxregister", NULL, NULL},
    {"nvvm.st.bulk", agpu__write_bulk_store, NULL},
    {"nvvm.stmatrix", agpu__write_matrix_store, agpu__is_plain_matrix},
};

#define INSTRUCTION_COUNT (sizeof(instructions) / sizeof(instructions[0]))

static int find_instruction(MlirOperation op) {
  for (int i = 0; i < (int)INSTRUCTION_COUNT; ++i)
    if (agpu__op_is(op, instructions[i].op))
      return !instructions[i].accepts || instructions[i].accepts(op) ? i : -1;
  return -1;
}

bool agpu__simt_is_instruction(MlirOperation op) {
  return find_instruction(op) >= 0;
}

static void print_type(agpu__text *text, MlirType type) {
  mlirTypePrint(type, agpu__text_callback, text);
}

static void replace(MlirOperation op,
                    void (*write)(agpu__text *text, MlirOperation op)) {
  agpu__text text = {0};
  agpu__text_puts(&text, "func.func @instruction(");
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    agpu__text_printf(&text, "%s%%a%d: ", i ? ", " : "", (int)i);
    print_type(&text, mlirValueGetType(mlirOperationGetOperand(op, i)));
  }
  bool has_result = mlirOperationGetNumResults(op) == 1;
  agpu__text_puts(&text, has_result ? ") -> (" : ") {\n");
  if (has_result) {
    print_type(&text, mlirValueGetType(agpu__result(op, 0)));
    agpu__text_puts(&text, ") {\n");
  }
  write(&text, op);
  agpu__text_puts(&text, has_result ? "  return %r : " : "  return");
  if (has_result)
    print_type(&text, mlirValueGetType(agpu__result(op, 0)));
  agpu__text_puts(&text, "\n}\n");
  const agpu__template function = {.function = "instruction",
                                   .text = agpu__text_get(&text)};
  agpu__template_replace(op, &function, NULL, 0);
  agpu__text_free(&text);
}

void agpu__simt_expand_instructions(MlirOperation gpu_module) {
  agpu__ops ops = {0};
  agpu__collect(gpu_module, NULL, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    int row = find_instruction(ops.data[i]);
    if (row < 0)
      continue;
    if (instructions[row].write)
      replace(ops.data[i], instructions[row].write);
    else
      mlirOperationDestroy(ops.data[i]);
  }
  agpu__ops_free(&ops);
}
