//===- simt_services.c - What a device does for its kernels ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Printing, assertions and traps, which CUDA's driver handles for a kernel,
// become calls of the emulated device (include/async_gpu/native_thread.h);
// instructions for which a host has its own become those.
//
//===----------------------------------------------------------------------===//

#include "gpu/simt.h"

#include "lower/ir.h"
#include "lower/llvm_ops.h"
#include "lower/text.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Dialect/LLVM.h"

#include <string.h>

/// What stands behind a call of a function without a body.
static bool calls(MlirOperation op, const char *name) {
  if (!agpu__op_is(op, "llvm.call"))
    return false;
  MlirAttribute callee =
      mlirOperationGetAttributeByName(op, agpu__str("callee"));
  return !mlirAttributeIsNull(callee) &&
         mlirAttributeIsAFlatSymbolRef(callee) &&
         mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(callee),
                            agpu__str(name));
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// The letter that stands for a type in a list of arguments
/// (agpu_native_print); 0 where there is none.
static char type_letter(MlirType type) {
  if (mlirTypeIsAF64(type))
    return 'd';
  if (mlirTypeIsALLVMPointerType(type))
    return 'p';
  if (mlirTypeIsAF32(type))
    return 'f';
  if (!mlirTypeIsAInteger(type))
    return 0;
  switch (mlirIntegerTypeGetWidth(type)) {
  case 1:
  case 8: return 'b';
  case 16: return 'h';
  case 32: return 'w';
  case 64: return 'l';
  default: return 0;
  }
}

/// Writes the types of the arguments of `call`, a call of vprintf: those of the
/// structure that is allocated for them. False: there is no such structure.
static bool argument_types(MlirOperation call, agpu__text *out) {
  MlirValue arguments = mlirOperationGetOperand(call, 1);
  MlirOperation source = mlirValueIsAOpResult(arguments)
                             ? mlirOpResultGetOwner(arguments)
                             : (MlirOperation){NULL};
  if (mlirOperationIsNull(source))
    return false;
  if (agpu__op_is(source, "llvm.mlir.zero"))
    return true;
  if (!agpu__op_is(source, "llvm.alloca"))
    return false;
  MlirType type = mlirTypeAttrGetValue(
      mlirOperationGetAttributeByName(source, agpu__str("elem_type")));
  if (!mlirTypeIsALLVMStructType(type))
    return false;
  for (intptr_t i = 0; i < mlirLLVMStructTypeGetNumElementTypes(type); ++i) {
    char letter = type_letter(mlirLLVMStructTypeGetElementType(type, i));
    if (!letter)
      return false;
    agpu__text_append(out, &letter, 1);
  }
  return true;
}

static void replace_print(MlirOperation op, MlirOperation host_module) {
  agpu__builder at = agpu__builder_before(op);
  agpu__text types = {0};
  argument_types(op, &types);
  MlirValue operands[] = {
      mlirOperationGetOperand(op, 0),
      agpu__string_constant(&at, host_module, agpu__text_get(&types)),
      mlirOperationGetOperand(op, 1)};
  MlirValue count = agpu__call_runtime(&at, host_module, "agpu_native_print",
                                       operands, 3, agpu__i32_type(at.context));
  if (mlirOperationGetNumResults(op))
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), count);
  mlirOperationDestroy(op);
  agpu__text_free(&types);
}

//===----------------------------------------------------------------------===//
// The end of a thread
//===----------------------------------------------------------------------===//

/// Nothing runs behind `op`. The rest of its block is often a branch alone.
static void mark_unreachable(MlirOperation op) {
  MlirOperation next = mlirOperationGetNextInBlock(op);
  if (!agpu__op_is(next, "llvm.br"))
    return;
  agpu__builder at = agpu__builder_before(next);
  agpu__build_op(&at, "llvm.unreachable", NULL, 0, (MlirType){NULL}, NULL, 0);
  mlirOperationDestroy(next);
}

/// Ends the kernel. `message` is a `!llvm.ptr` to what was asserted, or null
/// for a trap.
static void replace_failure(MlirOperation op, MlirValue message,
                            const MlirValue *context,
                            MlirOperation host_module) {
  agpu__builder at = agpu__builder_before(op);
  const MlirValue *tid = context + 3 * AGPU__SIMT_TID;
  MlirValue operands[] = {
      mlirValueIsNull(message) ? agpu__llvm_null(&at) : message,
      agpu__location_constant(&at, host_module), tid[0], tid[1], tid[2]};
  agpu__call_runtime(&at, host_module, "agpu_native_fail", operands, 5,
                     (MlirType){NULL});
  mark_unreachable(op);
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// An instruction of the device, and the op of the LLVM dialect, with its
/// attributes, that does the same on a host; NULL: nothing is to be done.
static const struct {
  const char *op, *by;
} instructions[] = {
    // Host memory is coherent, and all threads of a block are one host thread.
    {"nvvm.memory.barrier", "llvm.fence"},
    {"nvvm.fence.sc.cluster", "llvm.fence"},
    {"nvvm.nanosleep", NULL},
};

static bool is_instruction(MlirOperation op, const char **out_by) {
  for (size_t i = 0; i < sizeof(instructions) / sizeof(instructions[0]); ++i) {
    if (!agpu__op_is(op, instructions[i].op))
      continue;
    *out_by = instructions[i].by;
    return true;
  }
  return false;
}

static void replace_instruction(MlirOperation op, const char *by) {
  agpu__builder at = agpu__builder_before(op);
  // 7 is "sequentially consistent".
  MlirNamedAttribute ordering =
      agpu__named(at.context, "ordering", agpu__i64_attr(at.context, 7));
  if (by)
    agpu__build_op(&at, by, NULL, 0, (MlirType){NULL}, &ordering, 1);
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

bool agpu__simt_is_service(MlirOperation op) {
  const char *by;
  agpu__text types = {0};
  bool known = agpu__op_is(op, "llvm.intr.trap") ||
               agpu__op_is(op, "llvm.intr.debugtrap") ||
               calls(op, "__assertfail") || is_instruction(op, &by) ||
               (calls(op, "vprintf") && argument_types(op, &types));
  agpu__text_free(&types);
  return known;
}

bool agpu__simt_replace_service(MlirOperation op, const MlirValue *context,
                                MlirOperation host_module) {
  const char *by;
  if (calls(op, "vprintf"))
    replace_print(op, host_module);
  else if (calls(op, "__assertfail"))
    replace_failure(op, mlirOperationGetOperand(op, 0), context, host_module);
  else if (agpu__op_is(op, "llvm.intr.trap") ||
           agpu__op_is(op, "llvm.intr.debugtrap"))
    replace_failure(op, (MlirValue){NULL}, context, host_module);
  else if (is_instruction(op, &by))
    replace_instruction(op, by);
  else
    return false;
  return true;
}
