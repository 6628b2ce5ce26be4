//===- graph_part.c - Parts in the IR -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part is ops with the same number, and in the end a descriptor
// (compiled/graph.h) whose address the calls get that they become.
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"

#include "gpu/kernels/kernels.h"
#include "lower/pass/diagnostics.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

static const char *const words[] = {
    [AGPU__GRAPH_CHOICE_OFF] = "off",
    [AGPU__GRAPH_CHOICE_AUTO] = "auto",
    [AGPU__GRAPH_CHOICE_ON] = "on",
};

bool agpu__graph_choice_read(const char *word, agpu__graph_choice *out) {
  for (int i = AGPU__GRAPH_CHOICE_OFF; i <= AGPU__GRAPH_CHOICE_ON; ++i)
    if (!strcmp(words[i], word)) {
      *out = (agpu__graph_choice)i;
      return true;
    }
  return false;
}

void agpu__graph_choice_of(MlirOperation op, agpu__graph_choice *choice) {
  MlirStringRef text = agpu__get_string(op, AGPU__GRAPHS_ATTR);
  for (int i = AGPU__GRAPH_CHOICE_OFF; i <= AGPU__GRAPH_CHOICE_ON; ++i)
    if (mlirStringRefEqual(text, agpu__str(words[i])))
      *choice = (agpu__graph_choice)i;
}

void agpu__graph_forget_choices(MlirOperation module) {
  AGPU__OPS_IN_FOREACH (op, module, NULL)
    agpu__remove_attr(op, AGPU__GRAPHS_ATTR);
}

int64_t agpu__graph_rounds(MlirOperation loop) {
  int64_t rounds;
  return agpu__op_is(loop, "scf.for") &&
                 agpu__known_trip_count(mlirOperationGetOperand(loop, 0),
                                        mlirOperationGetOperand(loop, 1),
                                        mlirOperationGetOperand(loop, 2),
                                        &rounds)
             ? rounds
             : -1;
}

bool agpu__graph_is_loop(MlirOperation op) {
  return agpu__op_is_any(op, "scf.for scf.while");
}

bool agpu__graph_is_region(MlirOperation function) {
  return mlirStringRefEqual(agpu__get_string(function, AGPU__KIND_ATTR),
                            agpu__str("device"));
}

/// What a part is, as an attribute of its ops and as the runtime has it.
static const struct {
  const char *name;
  int64_t flag;
} flags[] = {{"fixed", AGPU_GRAPH_FIXED},
             {"loop", AGPU_GRAPH_LOOP},
             {"branches", AGPU_GRAPH_BRANCHES},
             {"independent", AGPU_GRAPH_INDEPENDENT}};

MlirOperation agpu__graph_part_op(agpu__builder *at,
                                  const agpu__graph_part *part,
                                  const char *name, MlirValue operand,
                                  MlirType result) {
  MlirContext context = at->context;
  const bool has[] = {part->is_fixed, part->is_loop, part->is_branches,
                      part->is_independent};
  MlirNamedAttribute attributes[8] = {
      agpu__named(context, "part",
                  agpu__i64_attr(context, (int64_t)part->number)),
      agpu__named(context, "mode",
                  agpu__i64_attr(context, part->choice == AGPU__GRAPH_CHOICE_ON
                                              ? AGPU_GRAPH_ON
                                              : AGPU_GRAPH_AUTO))};
  size_t count = 2;
  if (!mlirAttributeIsNull(part->kernel))
    attributes[count++] = agpu__named(context, "kernel", part->kernel);
  if (part->rounds)
    attributes[count++] =
        agpu__named(context, "rounds", agpu__i64_attr(context, part->rounds));
  for (size_t i = 0; i < AGPU__COUNT(flags); ++i)
    if (has[i])
      attributes[count++] =
          agpu__named(context, flags[i].name, mlirUnitAttrGet(context));
  if (mlirValueIsNull(operand))
    operand = part->stream;
  return agpu__build_op(at, name, &operand, !mlirValueIsNull(operand), result,
                        attributes, count);
}

void agpu__graph_part_build(const agpu__graph_part *part) {
  agpu__builder before = agpu__builder_before(part->first);
  agpu__builder after = agpu__builder_after(part->last);
  const MlirValue no_value = {NULL};
  const MlirType no_type = {NULL};
  after.location = before.location;
  agpu__graph_part_op(&before, part, "agpu.graph_begin", no_value, no_type);
  agpu__graph_part_op(&after, part, "agpu.graph_end", no_value, no_type);
}

/// The module's descriptor: "agpu_module.NAME" of a launch's "@NAME::@KERNEL".
static char *find_module(MlirSymbolTable symbols, MlirOperation op) {
  MlirAttribute kernel = agpu__attr(op, "kernel");
  if (mlirAttributeIsNull(kernel))
    return NULL;
  char *symbol = agpu__embed_symbol("agpu_module",
                                    mlirSymbolRefAttrGetRootReference(kernel),
                                    mlirStringRefCreate(NULL, 0));
  if (!mlirOperationIsNull(mlirSymbolTableLookup(symbols, agpu__str(symbol))))
    return symbol;
  free(symbol);
  return NULL;
}

/// The descriptor of the op's part, made by the first of its ops.
static void make_descriptor(MlirOperation module, MlirSymbolTable symbols,
                            MlirOperation op, const char *name) {
  if (!mlirOperationIsNull(agpu__lookup(module, name)))
    return;
  agpu__builder at = agpu__builder_at_start(agpu__module_body(module),
                                            mlirOperationGetLocation(op));
  MlirContext context = at.context;
  MlirType ptr = agpu__ptr_type(context), i64 = agpu__i64_type(context);
  MlirType type = mlirLLVMStructTypeLiteralGet(
      context, 6, (MlirType[]){ptr, ptr, i64, i64, i64, ptr}, false);
  MlirOperation global = agpu__build_global(&at, name, type, false, NULL, 0);
  agpu__set_attr(global, "linkage",
                 mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageInternal));
  MlirBlock block = agpu__append_block(mlirOperationGetRegion(global, 0));
  agpu__builder in = agpu__builder_at_end(block, at.location);
  AGPU__OWNED char *kernels = find_module(symbols, op);
  int64_t kind = 0;
  for (size_t i = 0; i < AGPU__COUNT(flags); ++i)
    kind |= agpu__has_attr(op, flags[i].name) ? flags[i].flag : 0;
  MlirValue members[] = {
      kernels ? agpu__llvm_address(&in, kernels) : agpu__llvm_null(&in),
      agpu__location_constant(&in, module),
      agpu__llvm_i64(&in, agpu__get_int(op, "mode", AGPU_GRAPH_AUTO)),
      agpu__llvm_i64(&in, agpu__get_int(op, "rounds", 0)),
      agpu__llvm_i64(&in, kind),
      agpu__llvm_null(&in)};
  MlirValue value = agpu__llvm_undef(&in, type);
  for (int64_t i = 0; i < 6; ++i)
    value = agpu__llvm_insert(&in, value, members[i], i);
  agpu__llvm_return(&in, value);
}

bool agpu__graph_part_lower(MlirOperation module, MlirSymbolTable symbols,
                            MlirOperation op) {
  static const struct {
    const char *op, *function;
  } calls[] = {{"agpu.graph_begin", "agpu_graph_begin"},
               {"agpu.graph_end", "agpu_graph_end"},
               {"agpu.graph_round", "agpu_graph_round"},
               {"agpu.graph_token", "agpu_graph_token"},
               {"agpu.graph_loop_begin", "agpu_graph_loop_begin"},
               {"agpu.graph_loop_end", "agpu_graph_loop_end"},
               {"agpu.graph_branch", "agpu_graph_branch"}};
  size_t i = 0;
  while (i < AGPU__COUNT(calls) && !agpu__op_is(op, calls[i].op))
    ++i;
  if (i == AGPU__COUNT(calls))
    return false;
  agpu__builder at = agpu__builder_before(op);
  AGPU__OWNED char *name =
      agpu__format("agpu_graph.%lld", (long long)agpu__get_int(op, "part", 0));
  make_descriptor(module, symbols, op, name);
  MlirValue operands[] = {agpu__llvm_address(&at, name),
                          mlirOperationGetNumOperands(op)
                              ? mlirOperationGetOperand(op, 0)
                              : agpu__llvm_null(&at),
                          {NULL}};
  bool says = agpu__has_attr(op, "what");
  if (says)
    operands[2] = agpu__llvm_i64(&at, agpu__get_int(op, "what", 0));
  MlirType result = {NULL};
  if (mlirOperationGetNumResults(op))
    result = mlirValueGetType(agpu__result(op, 0));
  MlirValue made = agpu__call_runtime(&at, module, calls[i].function, operands,
                                      2 + says, result);
  agpu__replace_op_by_value(op, made);
  return true;
}
