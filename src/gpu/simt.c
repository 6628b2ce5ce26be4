//===- simt.c - Kernels as native code ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/simt.h"

#include "gpu/address_space.h"
#include "gpu/libdevice.h"
#include "gpu/nvvm.h"
#include "lower/ir.h"
#include "lower/llvm_ops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Dialect/LLVM.h"
#include "mlir-c/Target/LLVMIR.h"

#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

#include <stdlib.h>
#include <string.h>

#define WARP_SIZE 32

//===----------------------------------------------------------------------===//
// Symbols of the gpu.module in the host module
//===----------------------------------------------------------------------===//

typedef struct renaming {
  MlirOperation op;
  MlirStringRef from; ///< the context's
  char *to;
} renaming;

typedef struct renamings {
  renaming *data;
  size_t count;
} renamings;

static const renaming *find_renaming(const renamings *all, MlirStringRef from) {
  for (size_t i = 0; i < all->count; ++i)
    if (mlirStringRefEqual(all->data[i].from, from))
      return &all->data[i];
  return NULL;
}

/// A new name for each function with a body and each global. Declarations keep
/// theirs: what they name is in the host.
static renamings choose_names(MlirOperation gpu_module) {
  renamings all = {0};
  MlirStringRef module = agpu__get_string(gpu_module, "sym_name");
  size_t capacity = 0;
  for (MlirOperation op =
           mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    bool function = agpu__op_is(op, "llvm.func");
    if (function && agpu__nvvm_is_declaration(op))
      continue;
    if (all.count == capacity) {
      capacity = capacity ? 2 * capacity : 8;
      all.data = realloc(all.data, capacity * sizeof(*all.data));
      if (!all.data)
        abort();
    }
    const char *prefix = !function                  ? "agpu_global"
                         : agpu__nvvm_is_kernel(op) ? "agpu_body"
                                                    : "agpu_device";
    MlirStringRef name = agpu__get_string(op, "sym_name");
    all.data[all.count++] =
        (renaming){op, name, agpu__embed_symbol(prefix, module, name)};
  }
  return all;
}

static void free_names(renamings *all) {
  for (size_t i = 0; i < all->count; ++i)
    free(all->data[i].to);
  free(all->data);
}

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

static MlirValue constant_i32(agpu__builder *at, int32_t value) {
  return agpu__llvm_constant(at, agpu__i32_attr(at->context, value));
}

static MlirValue binary(agpu__builder *at, const char *op, MlirValue a,
                        MlirValue b) {
  MlirValue operands[] = {a, b};
  return agpu__result(
      agpu__build_op(at, op, operands, 2, agpu__i32_type(at->context), NULL, 0),
      0);
}

/// The thread's number in its block, x fastest, as CUDA counts lanes.
static MlirValue linear_thread(agpu__builder *at, const MlirValue *ids) {
  const MlirValue *tid = ids + 3 * AGPU__SIMT_TID;
  const MlirValue *size = ids + 3 * AGPU__SIMT_NTID;
  MlirValue rows =
      binary(at, "llvm.add", tid[1], binary(at, "llvm.mul", tid[2], size[1]));
  return binary(at, "llvm.add", tid[0], binary(at, "llvm.mul", rows, size[0]));
}

/// What special register `name` ("tid.x") holds, computed from the ids.
static MlirValue register_value(agpu__builder *at, const char *name,
                                size_t length, const MlirValue *ids) {
  static const char *const triples[] = {"tid", "ntid", "ctaid", "nctaid"};
  for (int i = 0; i < 4; ++i)
    if (length == strlen(triples[i]) + 2 &&
        !memcmp(name, triples[i], length - 2))
      return ids[3 * i + (name[length - 1] - 'x')];
  MlirValue warp_size = constant_i32(at, WARP_SIZE);
  if (length == strlen("laneid") && !memcmp(name, "laneid", length))
    return binary(at, "llvm.urem", linear_thread(at, ids), warp_size);
  if (length == strlen("warpid") && !memcmp(name, "warpid", length))
    return binary(at, "llvm.udiv", linear_thread(at, ids), warp_size);
  if (length == strlen("nwarpid") && !memcmp(name, "nwarpid", length)) {
    const MlirValue *size = ids + 3 * AGPU__SIMT_NTID;
    MlirValue threads = binary(
        at, "llvm.mul", binary(at, "llvm.mul", size[0], size[1]), size[2]);
    MlirValue rounded =
        binary(at, "llvm.add", threads, constant_i32(at, WARP_SIZE - 1));
    return binary(at, "llvm.udiv", rounded, warp_size);
  }
  return warp_size;
}

/// Gives `function` the ids as twelve more parameters; stores them.
static void add_id_parameters(MlirOperation function, MlirValue *out_ids) {
  MlirContext context = mlirOperationGetContext(function);
  MlirType i32 = agpu__i32_type(context);
  MlirStringRef type_name = agpu__str("function_type");
  MlirType type = mlirTypeAttrGetValue(
      mlirOperationGetAttributeByName(function, type_name));
  intptr_t count = mlirLLVMFunctionTypeGetNumInputs(type);
  MlirType *inputs =
      calloc((size_t)count + AGPU__SIMT_ID_COUNT, sizeof(*inputs));
  if (!inputs)
    abort();
  for (intptr_t i = 0; i < count; ++i)
    inputs[i] = mlirLLVMFunctionTypeGetInput(type, i);
  MlirBlock entry =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  for (int i = 0; i < AGPU__SIMT_ID_COUNT; ++i) {
    inputs[count + i] = i32;
    out_ids[i] =
        mlirBlockAddArgument(entry, i32, mlirOperationGetLocation(function));
  }
  MlirType extended =
      mlirLLVMFunctionTypeGet(mlirLLVMFunctionTypeGetReturnType(type),
                              count + AGPU__SIMT_ID_COUNT, inputs, false);
  mlirOperationSetAttributeByName(function, type_name,
                                  mlirTypeAttrGet(extended));
  // Hints for each parameter; the array's length must match the type.
  mlirOperationRemoveAttributeByName(function, agpu__str("arg_attrs"));
  free(inputs);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Passes the caller's ids on to a device function.
static void extend_call(MlirOperation call, const char *callee,
                        const MlirValue *ids) {
  MlirContext context = mlirOperationGetContext(call);
  intptr_t count = mlirOperationGetNumOperands(call);
  MlirValue *operands =
      calloc((size_t)count + AGPU__SIMT_ID_COUNT, sizeof(*operands));
  if (!operands)
    abort();
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = mlirOperationGetOperand(call, i);
  for (int i = 0; i < AGPU__SIMT_ID_COUNT; ++i)
    operands[count + i] = ids[i];
  count += AGPU__SIMT_ID_COUNT;
  mlirOperationSetOperands(call, count, operands);
  const int32_t segments[] = {(int32_t)count, 0};
  mlirOperationSetAttributeByName(call, agpu__str("operandSegmentSizes"),
                                  mlirDenseI32ArrayGet(context, 2, segments));
  mlirOperationRemoveAttributeByName(call, agpu__str("arg_attrs"));
  mlirOperationSetAttributeByName(call, agpu__str("callee"),
                                  agpu__symbol_attr(context, callee));
  free(operands);
}

//===----------------------------------------------------------------------===//
// Functions and globals
//===----------------------------------------------------------------------===//

/// Rewrites what the ops of `function` refer to.
static void rewrite_body(MlirOperation function, const renamings *names) {
  MlirContext context = mlirOperationGetContext(function);
  MlirValue ids[AGPU__SIMT_ID_COUNT];
  add_id_parameters(function, ids);
  agpu__ops ops = {0};
  agpu__collect(function, NULL, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    static const char sreg[] = "nvvm.read.ptx.sreg.";
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    if (name.length > sizeof(sreg) - 1 &&
        !memcmp(name.data, sreg, sizeof(sreg) - 1)) {
      agpu__builder at = agpu__builder_before(op);
      MlirValue value = register_value(&at, name.data + sizeof(sreg) - 1,
                                       name.length - (sizeof(sreg) - 1), ids);
      mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), value);
      mlirOperationDestroy(op);
      continue;
    }
    bool call = agpu__op_is(op, "llvm.call");
    if (!call && !agpu__op_is(op, "llvm.mlir.addressof"))
      continue;
    MlirStringRef attribute = agpu__str(call ? "callee" : "global_name");
    MlirAttribute symbol = mlirOperationGetAttributeByName(op, attribute);
    MlirStringRef from = mlirFlatSymbolRefAttrGetValue(symbol);
    const renaming *found = find_renaming(names, from);
    if (!found)
      continue;
    if (call)
      extend_call(op, found->to, ids);
    else
      mlirOperationSetAttributeByName(op, attribute,
                                      agpu__symbol_attr(context, found->to));
  }
  agpu__ops_free(&ops);
}

/// Makes a function or global of the gpu.module one of the host module.
static void move_symbol(const renaming *symbol, MlirOperation host_module,
                        MlirOperation before) {
  MlirOperation op = symbol->op;
  MlirContext context = mlirOperationGetContext(op);
  bool kernel = agpu__nvvm_is_kernel(op);
  // Marks for the NVPTX backend mean nothing or the wrong thing on the host.
  for (intptr_t i = mlirOperationGetNumDiscardableAttributes(op); i-- > 0;) {
    MlirNamedAttribute attribute = mlirOperationGetDiscardableAttribute(op, i);
    mlirOperationRemoveDiscardableAttributeByName(
        op, mlirIdentifierStr(attribute.name));
  }
  mlirOperationSetAttributeByName(
      op, agpu__str("linkage"),
      mlirLLVMLinkageAttrGet(context, MlirLLVMLinkageInternal));
  mlirOperationSetAttributeByName(op, agpu__str("sym_name"),
                                  agpu__string_attr(context, symbol->to));
  if (kernel)
    mlirOperationSetAttributeByName(op, agpu__str("always_inline"),
                                    mlirUnitAttrGet(context));
  mlirOperationRemoveFromParent(op);
  mlirBlockInsertOwnedOperationBefore(agpu__module_body(host_module), before,
                                      op);
}

/// Declares malloc and free, all that is left to declare, in the host module.
static void move_declarations(MlirOperation gpu_module,
                              MlirOperation host_module) {
  MlirOperation op = mlirBlockGetFirstOperation(agpu__module_body(gpu_module));
  while (!mlirOperationIsNull(op)) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    MlirStringRef name = agpu__get_string(op, "sym_name");
    bool heap = mlirStringRefEqual(name, agpu__str("malloc")) ||
                mlirStringRefEqual(name, agpu__str("free"));
    if (heap && mlirOperationIsNull(agpu__lookup(
                    host_module, name.length == 4 ? "free" : "malloc"))) {
      mlirOperationRemoveFromParent(op);
      mlirBlockInsertOwnedOperationBefore(agpu__module_body(host_module),
                                          gpu_module, op);
    }
    op = next;
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Sizes of the parameters as LLVM lays them out on a 64-bit host.
static void measure_parameters(agpu__kernel *kernel) {
  MlirType type = mlirTypeAttrGetValue(mlirOperationGetAttributeByName(
      kernel->function, agpu__str("function_type")));
  size_t count = (size_t)mlirLLVMFunctionTypeGetNumInputs(type);
  kernel->param_sizes = calloc(count + 1, sizeof(*kernel->param_sizes));
  if (!kernel->param_sizes)
    abort();
  kernel->param_count = count;
  LLVMContextRef context = LLVMContextCreate();
  LLVMTargetDataRef layout =
      LLVMCreateTargetData("e-p:64:64-i64:64-i128:128-n8:16:32:64-S128");
  MlirTypeToLLVMIRTranslator translator =
      mlirTypeToLLVMIRTranslatorCreate(context);
  for (size_t i = 0; i < count; ++i) {
    LLVMTypeRef input = mlirTypeToLLVMIRTranslatorTranslateType(
        translator, mlirLLVMFunctionTypeGetInput(type, (intptr_t)i));
    kernel->param_sizes[i] = (uint32_t)LLVMABISizeOfType(layout, input);
  }
  mlirTypeToLLVMIRTranslatorDestroy(translator);
  LLVMDisposeTargetData(layout);
  LLVMContextDispose(context);
}

MlirLogicalResult agpu__simt_lower(MlirOperation gpu_module,
                                   MlirOperation host_module,
                                   agpu__kernel *kernels, size_t kernel_count) {
  if (mlirLogicalResultIsFailure(
          agpu__libdevice_to_host(gpu_module, host_module)))
    return mlirLogicalResultFailure();
  MlirStringRef module = agpu__get_string(gpu_module, "sym_name");
  agpu__flatten_address_spaces(gpu_module);
  for (size_t i = 0; i < kernel_count; ++i)
    measure_parameters(&kernels[i]);

  renamings names = choose_names(gpu_module);
  move_declarations(gpu_module, host_module);
  for (size_t i = 0; i < names.count; ++i)
    if (agpu__op_is(names.data[i].op, "llvm.func"))
      rewrite_body(names.data[i].op, &names);
  for (size_t i = 0; i < names.count; ++i)
    move_symbol(&names.data[i], host_module, gpu_module);
  for (size_t i = 0; i < kernel_count; ++i) {
    agpu__kernel *kernel = &kernels[i];
    kernel->native_symbol =
        agpu__embed_symbol("agpu_native", module, kernel->name);
    MlirType type = mlirTypeAttrGetValue(mlirOperationGetAttributeByName(
        kernel->function, agpu__str("function_type")));
    MlirOperation next = mlirOperationGetNextInBlock(kernel->function);
    MlirStringRef body = agpu__get_string(kernel->function, "sym_name");
    char *body_name = agpu__format("%.*s", (int)body.length, body.data);
    agpu__simt_build_block(next, kernel->location, kernel->native_symbol,
                           body_name, type,
                           agpu__simt_mark_parallel(kernel->function));
    free(body_name);
  }
  free_names(&names);
  return mlirLogicalResultSuccess();
}
