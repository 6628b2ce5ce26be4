//===- check_accesses.c - Host code that says what it accesses ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `async-gpu-check-accesses`: host functions call the runtime before
// each access of memory (include/async_gpu/compiled/host_access.h), which knows
// what is device memory. What they call elsewhere says nothing of its accesses,
// so that they leave their own place before such a call.
//
//===----------------------------------------------------------------------===//

#include "host/passes.h"
#include "lower/convert/convert.h"
#include "lower/ir/llvm_access.h"

static bool is_wanted(MlirValue address, void *module) {
  (void)module;
  return !agpu__is_variable(address);
}

static MlirValue call_check(agpu__builder *at, const agpu__access *access,
                            void *module) {
  MlirOperation host_module = *(const MlirOperation *)module;
  MlirValue operands[] = {
      access->address, access->bytes,
      agpu__llvm_constant(at,
                          agpu__i32_attr(at->context, (int32_t)access->flags)),
      agpu__location_constant(at, host_module)};
  agpu__call_runtime(at, host_module, "agpu_check_host_access", operands, 4,
                     (MlirType){NULL});
  return access->address;
}

/// True if `call` is of a function that stands in another library than the
/// program or the runtime.
static bool is_foreign(MlirSymbolTable symbols, MlirOperation call) {
  static const char *const own[] = {"agpu", "mlirAsyncRuntime", "mgpu"};
  if (!agpu__op_is(call, "func.call") && !agpu__op_is(call, "llvm.call"))
    return false;
  MlirAttribute callee = agpu__attr(call, "callee");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return false;
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(callee);
  for (size_t i = 0; i < AGPU__COUNT(own); ++i)
    if (name.length > strlen(own[i]) &&
        !memcmp(name.data, own[i], strlen(own[i])))
      return false;
  MlirOperation function = agpu__find_callee(symbols, call);
  return !mlirOperationIsNull(function) &&
         mlirBlockIsNull(agpu__entry_block(function));
}

static void note_call(MlirOperation module, MlirOperation call) {
  agpu__builder before = agpu__builder_before(call);
  MlirValue location = agpu__location_constant(&before, module);
  agpu__call_runtime(&before, module, "agpu_note_host_call", &location, 1,
                     (MlirType){NULL});
  agpu__builder after = agpu__builder_after(call);
  MlirValue none = agpu__llvm_null(&after);
  agpu__call_runtime(&after, module, "agpu_note_host_call", &none, 1,
                     (MlirType){NULL});
}

/// True if `call` gives memory of the host back.
static bool is_free(MlirOperation call) {
  static const char *const names[] = {"free", "_mlir_memref_to_llvm_free"};
  if ((!agpu__op_is(call, "func.call") && !agpu__op_is(call, "llvm.call")) ||
      mlirOperationGetNumOperands(call) != 1)
    return false;
  MlirAttribute callee = agpu__attr(call, "callee");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return false;
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(callee);
  for (size_t i = 0; i < AGPU__COUNT(names); ++i)
    if (mlirStringRefEqual(name, agpu__str(names[i])))
      return true;
  return false;
}

static void check_free(MlirOperation module, MlirOperation call) {
  agpu__builder at = agpu__builder_before(call);
  MlirValue operands[] = {mlirOperationGetOperand(call, 0),
                          agpu__location_constant(&at, module)};
  agpu__call_runtime(&at, module, "agpu_check_host_free", operands, 2,
                     (MlirType){NULL});
}

static void check_division(MlirOperation module, MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue operands[] = {agpu__division_fault(&at, op),
                          agpu__location_constant(&at, module)};
  agpu__call_runtime(&at, module, "agpu_check_host_division", operands, 2,
                     (MlirType){NULL});
}

static MlirLogicalResult run(MlirOperation module) {
  // What is declared from here on is the runtime's.
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  AGPU__OPS_IN_FOREACH (function, module, "func.func") {
    AGPU__OPS_IN_FOREACH (op, function, NULL) {
      if (is_free(op))
        check_free(module, op);
      if (is_foreign(symbols, op))
        note_call(module, op);
      else if (agpu__division_may_fail(op))
        check_division(module, op);
      else
        agpu__visit_accesses(op, is_wanted, call_check, &module);
    }
  }
  mlirSymbolTableDestroy(symbols);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_check_accesses = {
    .argument = "async-gpu-check-accesses",
    .summary = "Have host functions report their memory accesses",
    .run = run,
};
