//===- services.c - What a device does for its kernels ---------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Printing, assertions and traps, which CUDA's driver handles for a kernel,
// become calls of the emulated device
// (include/async_gpu/compiled/native_thread.h), and so do reads of registers
// that only it knows, and arrivals at barriers.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/native.h"

#include "gpu/native/base/simt.h"

#include "mlir-c/Dialect/LLVM.h"

/// What stands after a call of a function without a body.
static bool calls(MlirOperation op, const char *name) {
  if (!agpu__op_is(op, "llvm.call"))
    return false;
  MlirAttribute callee = agpu__attr(op, "callee");
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
  MlirOperation source = agpu__maker_of(arguments);
  if (mlirOperationIsNull(source))
    return false;
  if (agpu__op_is(source, "llvm.mlir.zero"))
    return true;
  if (!agpu__op_is(source, "llvm.alloca"))
    return false;
  MlirType type = mlirTypeAttrGetValue(agpu__attr(source, "elem_type"));
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

static void replace_print(MlirOperation op, MlirOperation gpu_module) {
  agpu__builder at = agpu__builder_before(op);
  AGPU__SCOPED(text) types = {0};
  argument_types(op, &types);
  MlirValue operands[] = {
      mlirOperationGetOperand(op, 0),
      agpu__string_constant(&at, gpu_module, agpu__text_get(&types)),
      mlirOperationGetOperand(op, 1)};
  MlirValue count = agpu__call_runtime(&at, gpu_module, "agpu_native_print",
                                       operands, 3, agpu__i32_type(at.context));
  if (mlirOperationGetNumResults(op))
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), count);
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// The end of a thread
//===----------------------------------------------------------------------===//

/// Nothing runs after `op`, which goes away. The rest of its block is often a
/// branch alone. Returns the end of the block.
static MlirOperation end_block(MlirOperation op) {
  MlirOperation next = mlirOperationGetNextInBlock(op);
  bool ends = agpu__op_is(next, "llvm.br");
  if (!ends && !agpu__op_is(next, "llvm.unreachable"))
    (void)agpu__split_after(op);
  agpu__builder at = agpu__builder_before(op);
  MlirOperation end = agpu__build_op(&at, "llvm.unreachable", NULL, 0,
                                     (MlirType){NULL}, NULL, 0);
  if (ends || agpu__op_is(next, "llvm.unreachable"))
    mlirOperationDestroy(next);
  mlirOperationDestroy(op);
  return end;
}

/// Ends the launch.
static void replace_trap(MlirOperation op, const MlirValue *context,
                         MlirOperation gpu_module) {
  agpu__builder at = agpu__builder_before(op);
  const MlirValue *tid = context + 3 * AGPU__SIMT_TID;
  MlirValue operands[] = {agpu__location_constant(&at, gpu_module), tid[0],
                          tid[1], tid[2]};
  agpu__call_runtime(&at, gpu_module, "agpu_native_trap", operands, 4,
                     (MlirType){NULL});
  (void)end_block(op);
}

/// Ends the thread.
static void replace_assertion(MlirOperation op, const MlirValue *context,
                              MlirOperation gpu_module) {
  agpu__builder at = agpu__builder_before(op);
  const MlirValue *tid = context + 3 * AGPU__SIMT_TID;
  MlirValue operands[] = {mlirOperationGetOperand(op, 0),
                          mlirOperationGetOperand(op, 1),
                          mlirOperationGetOperand(op, 2),
                          mlirOperationGetOperand(op, 3),
                          agpu__location_constant(&at, gpu_module),
                          tid[0],
                          tid[1],
                          tid[2]};
  agpu__call_runtime(&at, gpu_module, "agpu_native_assert_failed", operands, 8,
                     (MlirType){NULL});
  MlirOperation end = end_block(op);
  agpu__simt_mark_end(end);
}

bool agpu__simt_is_assertion(MlirOperation op) {
  return calls(op, "__assertfail");
}

static bool is_trap(MlirOperation op) {
  return agpu__op_is_any(op, "llvm.intr.trap llvm.intr.debugtrap");
}

void agpu__simt_replace_failures(MlirOperation function,
                                 const MlirValue *context,
                                 MlirOperation gpu_module) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(function, "llvm.call");
  agpu__collect(function, "llvm.intr.trap", &ops);
  agpu__collect(function, "llvm.intr.debugtrap", &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    if (is_trap(ops.data[i]))
      replace_trap(ops.data[i], context, gpu_module);
    else if (agpu__simt_is_assertion(ops.data[i]))
      replace_assertion(ops.data[i], context, gpu_module);
  }
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static const struct {
  const char *op; ///< without `nvvm.read.ptx.sreg.`, and without dimension
  uint32_t name;  ///< agpu_native_register_name
  bool triple;    ///< has members x, y and z
} registers[] = {
    {"globaltimer", AGPU_NATIVE_GLOBALTIMER, false},
    {"globaltimer.lo", AGPU_NATIVE_GLOBALTIMER, false},
    {"gridid", AGPU_NATIVE_GRIDID, false},
    {"total.smem.size", AGPU_NATIVE_TOTAL_SMEM_SIZE, false},
    {"aggr.smem.size", AGPU_NATIVE_TOTAL_SMEM_SIZE, false},
    {"dynamic.smem.size", AGPU_NATIVE_DYNAMIC_SMEM_SIZE, false},
    {"clusterid", AGPU_NATIVE_CLUSTERID, true},
    {"nclusterid", AGPU_NATIVE_NCLUSTERID, true},
    {"cluster.ctaid", AGPU_NATIVE_CLUSTER_CTAID, true},
    {"cluster.nctaid", AGPU_NATIVE_CLUSTER_NCTAID, true},
    {"cluster.ctarank", AGPU_NATIVE_CLUSTER_CTARANK, false},
    {"cluster.nctarank", AGPU_NATIVE_CLUSTER_NCTARANK, false},
};

/// The register that `op` reads and the device knows, or -1.
static int64_t find_register(MlirOperation op) {
  static const char prefix[] = "nvvm.read.ptx.sreg.";
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  size_t skip = sizeof(prefix) - 1;
  if (name.length <= skip || memcmp(name.data, prefix, skip))
    return -1;
  const char *text = name.data + skip;
  size_t length = name.length - skip;
  for (size_t i = 0; i < AGPU__COUNT(registers); ++i) {
    size_t size = strlen(registers[i].op);
    if (length != size + (registers[i].triple ? 2 : 0) ||
        memcmp(text, registers[i].op, size))
      continue;
    return registers[i].name +
           (registers[i].triple ? (uint32_t)(text[length - 1] - 'x') : 0u);
  }
  return -1;
}

static void replace_register(MlirOperation op, MlirOperation gpu_module) {
  MlirValue result = agpu__result(op, 0);
  // Outlining reads registers that nobody asks for.
  if (!mlirOpOperandIsNull(mlirValueGetFirstUse(result))) {
    agpu__builder at = agpu__builder_before(op);
    MlirValue name = agpu__llvm_constant(
        &at, agpu__i32_attr(at.context, (int32_t)find_register(op)));
    MlirValue value =
        agpu__call_runtime(&at, gpu_module, "agpu_native_register", &name, 1,
                           agpu__i64_type(at.context));
    if (!mlirTypeEqual(mlirValueGetType(result), mlirValueGetType(value)))
      value =
          agpu__build_unary(&at, "llvm.trunc", value, mlirValueGetType(result));
    mlirValueReplaceAllUsesOfWith(result, value);
  }
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

static bool is_arrival(MlirOperation op) {
  return agpu__op_is(op, "llvm.call_intrinsic") &&
         mlirStringRefEqual(
             agpu__get_string(op, "intrin"),
             agpu__str("llvm.nvvm.barrier.cta.arrive.aligned.count"));
}

static void replace_arrival(MlirOperation op, const MlirValue *context,
                            MlirOperation gpu_module) {
  agpu__builder at = agpu__builder_before(op);
  const MlirValue *tid = context + 3 * AGPU__SIMT_TID;
  MlirValue operands[] = {mlirOperationGetOperand(op, 0),
                          mlirOperationGetOperand(op, 1), tid[0], tid[1],
                          tid[2]};
  agpu__call_runtime(&at, gpu_module, "agpu_native_arrive", operands, 5,
                     (MlirType){NULL});
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// The heap
//===----------------------------------------------------------------------===//

static bool is_heap_call(MlirOperation op) {
  return (calls(op, "malloc") || calls(op, "free")) &&
         mlirOperationGetNumOperands(op) == 1;
}

/// Kernels have a heap of their own, which has an end.
static void replace_heap_call(MlirOperation op, MlirOperation gpu_module) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue operand = mlirOperationGetOperand(op, 0);
  agpu__replace_op_by_value(
      op, calls(op, "free")
              ? agpu__call_runtime(&at, gpu_module, "agpu_native_free",
                                   &operand, 1, (MlirType){NULL})
              : agpu__call_runtime(&at, gpu_module, "agpu_native_malloc",
                                   &operand, 1, agpu__ptr_type(at.context)));
}

//===----------------------------------------------------------------------===//
// Conditions of graphs
//===----------------------------------------------------------------------===//

static bool is_condition(MlirOperation op) {
  return calls(op, "cudaGraphSetConditional") &&
         mlirOperationGetNumOperands(op) == 2;
}

static void replace_condition(MlirOperation op, MlirOperation gpu_module) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue operands[] = {mlirOperationGetOperand(op, 0),
                          mlirOperationGetOperand(op, 1)};
  agpu__call_runtime(&at, gpu_module, "agpu_native_set_condition", operands, 2,
                     (MlirType){NULL});
  mlirOperationDestroy(op);
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

bool agpu__simt_is_service(MlirOperation op) {
  AGPU__SCOPED(text) types = {0};
  return is_trap(op) || agpu__simt_is_assertion(op) || find_register(op) >= 0 ||
         is_arrival(op) || is_heap_call(op) || is_condition(op) ||
         (calls(op, "vprintf") && argument_types(op, &types));
}

bool agpu__simt_replace_service(MlirOperation op, const MlirValue *context,
                                MlirOperation gpu_module) {
  if (calls(op, "vprintf"))
    replace_print(op, gpu_module);
  else if (find_register(op) >= 0)
    replace_register(op, gpu_module);
  else if (is_arrival(op))
    replace_arrival(op, context, gpu_module);
  else if (is_heap_call(op))
    replace_heap_call(op, gpu_module);
  else if (is_condition(op))
    replace_condition(op, gpu_module);
  else
    return false;
  return true;
}
