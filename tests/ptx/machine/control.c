//===- control.c - Branches, calls and ends ------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Control Flow Instructions".
//
//===----------------------------------------------------------------------===//

#include "machine/families.h"
#include "machine/host.h"
#include "machine/system.h"

static void branch(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  warp->pc[lane] = insn->target;
}

static void branch_by_index(ptx_warp *warp, const ptx_insn *insn,
                            unsigned lane) {
  uint64_t index =
      ptx_read(warp, insn, &insn->operands[0], lane) & ptx_mask(32);
  if (index >= insn->target_count)
    ptx_fault(warp, insn, lane, PTX_INVALID_PC, "target %llu of %zu",
              (unsigned long long)index, insn->target_count);
  warp->pc[lane] = insn->targets[index];
}

/// A call's parts: call (result), callee, (arguments), prototype;
typedef struct call_parts {
  const ptx_operand *results, *callee, *arguments;
} call_parts;

static call_parts find_parts(const ptx_insn *insn) {
  static const ptx_operand none = {.kind = PTX_LIST};
  call_parts parts = {.results = &none, .arguments = &none};
  size_t i = 0;
  if (insn->operands[i].kind == PTX_LIST)
    parts.results = &insn->operands[i++];
  parts.callee = &insn->operands[i++];
  if (i < insn->operand_count && insn->operands[i].kind == PTX_LIST)
    parts.arguments = &insn->operands[i];
  return parts;
}

static const ptx_function *find_callee(ptx_warp *warp, const ptx_insn *insn,
                                       const ptx_operand *callee,
                                       unsigned lane) {
  if (callee->kind == PTX_FUNCTION)
    return callee->function;
  const ptx_module *module = warp->block->run->module;
  uint64_t number = ptx_read(warp, insn, callee, lane) - PTX_FUNCTION_BASE;
  if (number >= module->function_count)
    ptx_fault(warp, insn, lane, PTX_INVALID_PC, "a call of no function");
  return module->functions[number];
}

/// The callee's declaration and what the call passes have the same sizes.
static void check_signature(ptx_warp *warp, const ptx_insn *insn, unsigned lane,
                            const ptx_operand *passed,
                            ptx_variable *const *declared, size_t count) {
  if (passed->count != count)
    ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED,
              "%zu values are passed where %zu are declared", passed->count,
              count);
  for (size_t i = 0; i < count; ++i)
    if (passed->elements[i].kind != PTX_VARIABLE ||
        passed->elements[i].variable->bytes != declared[i]->bytes)
      ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED,
                "value %zu has not the %llu bytes that are declared", i,
                (unsigned long long)declared[i]->bytes);
}

static uint8_t *param_of(ptx_warp *warp, unsigned lane, const ptx_frame *frame,
                         const ptx_variable *v) {
  return warp->lanes[lane].params.bytes + frame->param_base + v->offset;
}

static void call(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  call_parts parts = find_parts(insn);
  const ptx_function *callee = find_callee(warp, insn, parts.callee, lane);
  check_signature(warp, insn, lane, parts.arguments, callee->parameters,
                  callee->parameter_count);
  check_signature(warp, insn, lane, parts.results, callee->results,
                  callee->result_count);
  if (!callee->has_body) {
    ptx_frame *frame = ptx_top(warp, lane);
    uint64_t arguments[8] = {0}, result = 0;
    for (size_t i = 0; i < parts.arguments->count && i < 8; ++i) {
      const ptx_variable *v = parts.arguments->elements[i].variable;
      arguments[i] =
          ptx_load(param_of(warp, lane, frame, v), (unsigned)v->bytes);
    }
    result = ptx_system_call(warp, insn, lane, callee->name, arguments);
    if (parts.results->count) {
      const ptx_variable *v = parts.results->elements[0].variable;
      ptx_store(param_of(warp, lane, frame, v), (unsigned)v->bytes, result);
    }
    return;
  }
  ptx_push_frame(warp, lane, callee, insn, warp->pc[lane]);
  const ptx_lane *l = &warp->lanes[lane];
  const ptx_frame *frame = ptx_top(warp, lane), *caller = frame - 1;
  for (size_t i = 0; i < callee->parameter_count; ++i)
    memcpy(l->params.bytes + frame->param_base + callee->parameters[i]->offset,
           param_of(warp, lane, caller, parts.arguments->elements[i].variable),
           callee->parameters[i]->bytes);
}

static void leave(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  const ptx_frame *frame = ptx_top(warp, lane), *caller = frame - 1;
  if (!frame->call) {
    ptx_end_lane(warp, insn, lane);
    return;
  }
  call_parts parts = find_parts(frame->call);
  const ptx_function *callee = frame->function;
  for (size_t i = 0; i < callee->result_count; ++i)
    memcpy(param_of(warp, lane, caller, parts.results->elements[i].variable),
           param_of(warp, lane, frame, callee->results[i]),
           callee->results[i]->bytes);
  warp->pc[lane] = frame->return_to;
  ptx_pop_frame(warp, lane);
}

static void trap(ptx_warp *warp, const ptx_insn *insn, unsigned lane) {
  ptx_fault(warp, insn, lane, PTX_LAUNCH_FAILED, "the kernel has trapped");
}

bool ptx_select_control(ptx_insn *insn) {
  static const struct {
    const char *operation;
    ptx_lane_step *step;
    size_t least_operands;
  } operations[] = {{"bra", branch, 1},        {"brx", branch_by_index, 2},
                    {"call", call, 1},         {"ret", leave, 0},
                    {"exit", ptx_end_lane, 0}, {"trap", trap, 0},
                    {"brkpt", trap, 0}};
  for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i)
    if (ptx_insn_is(insn, operations[i].operation)) {
      insn->flags |= PTX_ENDS_RUN;
      return insn->operand_count >= operations[i].least_operands &&
             ptx_use_step(insn, operations[i].step);
    }
  return false;
}
