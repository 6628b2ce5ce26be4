//===- simt.c - Kernels as native code ------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gpu/native/simt.h"

#include "gpu/nvvm/address_space.h"
#include "gpu/nvvm/lowered.h"
#include "gpu/ptx/libdevice.h"
#include "lower/convert/division.h"
#include "lower/ir/ir.h"
#include "lower/ir/llvm_ops.h"
#include "lower/ir/type_size.h"

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

/// The thread's number in its warp.
static MlirValue lane(agpu__builder *at, const MlirValue *ids) {
  return binary(at, "llvm.urem", linear_thread(at, ids),
                constant_i32(at, WARP_SIZE));
}

static MlirValue warp(agpu__builder *at, const MlirValue *ids) {
  return binary(at, "llvm.udiv", linear_thread(at, ids),
                constant_i32(at, WARP_SIZE));
}

static MlirValue warp_count(agpu__builder *at, const MlirValue *ids) {
  const MlirValue *size = ids + 3 * AGPU__SIMT_NTID;
  MlirValue threads =
      binary(at, "llvm.mul", binary(at, "llvm.mul", size[0], size[1]), size[2]);
  MlirValue rounded =
      binary(at, "llvm.add", threads, constant_i32(at, WARP_SIZE - 1));
  return binary(at, "llvm.udiv", rounded, constant_i32(at, WARP_SIZE));
}

// Lanes as bits, seen from the thread's own.
static MlirValue lane_bit(agpu__builder *at, const MlirValue *ids) {
  return binary(at, "llvm.shl", constant_i32(at, 1), lane(at, ids));
}

static MlirValue lanes_below(agpu__builder *at, const MlirValue *ids) {
  return binary(at, "llvm.sub", lane_bit(at, ids), constant_i32(at, 1));
}

static MlirValue lanes_up_to(agpu__builder *at, const MlirValue *ids) {
  return binary(at, "llvm.or", lane_bit(at, ids), lanes_below(at, ids));
}

static MlirValue lanes_from(agpu__builder *at, const MlirValue *ids) {
  return binary(at, "llvm.xor", lanes_below(at, ids), constant_i32(at, -1));
}

static MlirValue lanes_above(agpu__builder *at, const MlirValue *ids) {
  return binary(at, "llvm.xor", lanes_up_to(at, ids), constant_i32(at, -1));
}

/// Registers with components x, y and z: which ids they are.
static const struct {
  const char *name;
  int id; ///< agpu__simt_id
} triples[] = {
    {"tid", AGPU__SIMT_TID},
    {"ntid", AGPU__SIMT_NTID},
    {"ctaid", AGPU__SIMT_CTAID},
    {"nctaid", AGPU__SIMT_NCTAID},
};

/// Registers that are computed, or constant where the function is NULL.
static const struct {
  const char *name;
  MlirValue (*compute)(agpu__builder *at, const MlirValue *ids);
  int32_t constant;
} scalars[] = {
    {"laneid", lane, 0},
    {"warpid", warp, 0},
    {"nwarpid", warp_count, 0},
    {"warpsize", NULL, WARP_SIZE},
    {"lanemask.eq", lane_bit, 0},
    {"lanemask.lt", lanes_below, 0},
    {"lanemask.le", lanes_up_to, 0},
    {"lanemask.ge", lanes_from, 0},
    {"lanemask.gt", lanes_above, 0},
    {"smid", NULL, 0},
    {"nsmid", NULL, 1},
};

static const char register_prefix[] = "nvvm.read.ptx.sreg.";

/// The name of the special register that `op` reads ("tid.x"), or an empty
/// reference.
static MlirStringRef register_name(MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  size_t skip = sizeof(register_prefix) - 1;
  if (name.length <= skip || memcmp(name.data, register_prefix, skip))
    return mlirStringRefCreate(NULL, 0);
  return mlirStringRefCreate(name.data + skip, name.length - skip);
}

/// What the special register that `op` reads holds, computed from the ids. A
/// null builder: only whether it is known.
static bool register_value(agpu__builder *at, MlirStringRef name,
                           const MlirValue *ids, MlirValue *out) {
  for (size_t i = 0; i < sizeof(triples) / sizeof(triples[0]); ++i) {
    size_t length = strlen(triples[i].name);
    if (name.length != length + 2 || memcmp(name.data, triples[i].name, length))
      continue;
    if (at)
      *out = ids[3 * triples[i].id + (name.data[length + 1] - 'x')];
    return true;
  }
  for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); ++i) {
    if (!mlirStringRefEqual(name, agpu__str(scalars[i].name)))
      continue;
    if (at)
      *out = scalars[i].compute ? scalars[i].compute(at, ids)
                                : constant_i32(at, scalars[i].constant);
    return true;
  }
  return false;
}

bool agpu__simt_is_register(MlirOperation op) {
  MlirStringRef name = register_name(op);
  return name.length && register_value(NULL, name, NULL, NULL);
}

/// Gives `function` parameters of the given types behind its own, and stores
/// them.
static void add_parameters(MlirOperation function, const MlirType *types,
                           intptr_t added, MlirValue *out_values) {
  MlirStringRef type_name = agpu__str("function_type");
  MlirType type = mlirTypeAttrGetValue(
      mlirOperationGetAttributeByName(function, type_name));
  intptr_t count = mlirLLVMFunctionTypeGetNumInputs(type);
  MlirType *inputs = calloc((size_t)(count + added), sizeof(*inputs));
  if (!inputs)
    abort();
  for (intptr_t i = 0; i < count; ++i)
    inputs[i] = mlirLLVMFunctionTypeGetInput(type, i);
  MlirBlock entry =
      mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  for (intptr_t i = 0; i < added; ++i) {
    inputs[count + i] = types[i];
    out_values[i] = mlirBlockAddArgument(entry, types[i],
                                         mlirOperationGetLocation(function));
  }
  MlirType extended = mlirLLVMFunctionTypeGet(
      mlirLLVMFunctionTypeGetReturnType(type), count + added, inputs, false);
  mlirOperationSetAttributeByName(function, type_name,
                                  mlirTypeAttrGet(extended));
  // Hints for each parameter; the array's length must match the type.
  mlirOperationRemoveAttributeByName(function, agpu__str("arg_attrs"));
  free(inputs);
}

static void add_context_parameters(MlirOperation function,
                                   MlirValue *out_values) {
  MlirContext context = mlirOperationGetContext(function);
  MlirType types[AGPU__SIMT_CONTEXT_COUNT];
  for (int i = 0; i < AGPU__SIMT_CONTEXT_COUNT; ++i)
    types[i] = i < AGPU__SIMT_ID_COUNT ? agpu__i32_type(context)
                                       : agpu__ptr_type(context);
  add_parameters(function, types, AGPU__SIMT_CONTEXT_COUNT, out_values);
}

/// The thread's record, behind the context.
static MlirValue add_record_parameter(MlirOperation function) {
  MlirType pointer = agpu__ptr_type(mlirOperationGetContext(function));
  MlirValue record;
  add_parameters(function, &pointer, 1, &record);
  return record;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Passes the caller's context on to a device function.
static void extend_call(MlirOperation call, const char *callee,
                        const MlirValue *values) {
  MlirContext context = mlirOperationGetContext(call);
  intptr_t count = mlirOperationGetNumOperands(call);
  MlirValue *operands =
      calloc((size_t)count + AGPU__SIMT_CONTEXT_COUNT, sizeof(*operands));
  if (!operands)
    abort();
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = mlirOperationGetOperand(call, i);
  for (int i = 0; i < AGPU__SIMT_CONTEXT_COUNT; ++i)
    operands[count + i] = values[i];
  count += AGPU__SIMT_CONTEXT_COUNT;
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

/// Replaces `op`, the address of `global` in shared memory.
static void replace_shared(MlirOperation op, MlirOperation global,
                           const MlirValue *context) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue address = context[AGPU__SIMT_DYNAMIC_SHARED];
  MlirAttribute offset =
      mlirOperationGetAttributeByName(global, agpu__str(AGPU__SIMT_OFFSET));
  if (!mlirAttributeIsNull(offset)) {
    int32_t index = (int32_t)mlirIntegerAttrGetValueInt(offset);
    MlirNamedAttribute attributes[] = {
        agpu__named(at.context, "elem_type",
                    mlirTypeAttrGet(mlirIntegerTypeGet(at.context, 8))),
        agpu__named(at.context, "rawConstantIndices",
                    mlirDenseI32ArrayGet(at.context, 1, &index))};
    address = agpu__result(
        agpu__build_op(&at, "llvm.getelementptr", &context[AGPU__SIMT_SHARED],
                       1, agpu__ptr_type(at.context), attributes, 2),
        0);
  }
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), address);
  mlirOperationDestroy(op);
}

static bool is_shared(MlirOperation symbol) {
  return agpu__has_attr(symbol, AGPU__SIMT_OFFSET) ||
         agpu__has_attr(symbol, AGPU__SIMT_DYNAMIC);
}

/// Rewrites what the ops of `function` refer to. Its context is stored.
static void rewrite_body(MlirOperation function, const renamings *names,
                         MlirOperation host_module, bool check_accesses,
                         MlirValue *out_context) {
  MlirContext context = mlirOperationGetContext(function);
  agpu__simt_hoist_allocas(function);
  add_context_parameters(function, out_context);
  agpu__simt_replace_failures(function, out_context, host_module);
  agpu__ops ops = {0};
  agpu__collect(function, NULL, &ops);
  for (size_t i = 0; i < ops.count; ++i) {
    MlirOperation op = ops.data[i];
    if (agpu__simt_replace_service(op, out_context, host_module) ||
        (check_accesses &&
         agpu__simt_check_access(op, out_context, host_module)))
      continue;
    if (agpu__division_may_fail(op)) {
      if (check_accesses)
        agpu__simt_check_division(op, out_context, host_module);
      agpu__division_define(op);
      continue;
    }
    MlirStringRef name = register_name(op);
    if (name.length) {
      agpu__builder at = agpu__builder_before(op);
      MlirValue value = {NULL};
      register_value(&at, name, out_context, &value);
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
      extend_call(op, found->to, out_context);
    else if (is_shared(found->op))
      replace_shared(op, found->op, out_context);
    else
      mlirOperationSetAttributeByName(op, attribute,
                                      agpu__symbol_attr(context, found->to));
  }
  agpu__ops_free(&ops);
}

/// The kernel that `function` is, or NULL.
static agpu__kernel *find_kernel(agpu__kernel *kernels, size_t count,
                                 MlirOperation function) {
  for (size_t i = 0; i < count; ++i)
    if (mlirOperationEqual(kernels[i].function, function))
      return &kernels[i];
  return NULL;
}

/// The size of all blocks of the kernel `function`, an array of three i32; null
/// where that is not known.
static MlirAttribute known_size(MlirOperation function) {
  MlirAttribute size =
      mlirOperationGetAttributeByName(function, agpu__str("nvvm.reqntid"));
  return !mlirAttributeIsNull(size) && mlirAttributeIsADenseI32Array(size) &&
                 mlirDenseArrayGetNumElements(size) == 3
             ? size
             : mlirAttributeGetNull();
}

/// Rewrites the functions. Kernels become loops or coroutines. With checks,
/// each thread goes its way by itself.
static MlirLogicalResult
rewrite_bodies(const renamings *names, MlirStringRef module,
               MlirOperation host_module, agpu__kernel *kernels,
               size_t kernel_count, bool check_accesses, bool coroutines) {
  char *name = agpu__embed_symbol("", module, mlirStringRefCreate(NULL, 0));
  MlirLogicalResult result = mlirLogicalResultSuccess();
  uint32_t sites = 0;
  for (size_t i = 0; i < names->count; ++i) {
    MlirOperation function = names->data[i].op;
    if (!agpu__op_is(function, "llvm.func"))
      continue;
    agpu__kernel *kernel = find_kernel(kernels, kernel_count, function);
    if (kernel)
      kernel->block_size = known_size(function);
    bool waits = kernel && kernel->waits;
    MlirValue context[AGPU__SIMT_CONTEXT_COUNT + 1];
    rewrite_body(function, names, host_module, check_accesses, context);
    if (kernel && !check_accesses && !(waits && coroutines))
      kernel->loops = agpu__simt_make_loops(function, context,
                                            kernel->block_size, host_module);
    if (!kernel || !kernel->loops)
      agpu__simt_end_threads(function, kernel != NULL, host_module);
    if (!waits || kernel->loops)
      continue;
    context[AGPU__SIMT_CONTEXT_COUNT] = add_record_parameter(function);
    if (mlirLogicalResultIsFailure(agpu__simt_make_coroutine(
            function, context[AGPU__SIMT_CONTEXT_COUNT], host_module, name + 1,
            &sites)))
      result = mlirLogicalResultFailure();
  }
  free(name);
  return result;
}

/// Makes a function or global of the gpu.module one of the host module.
static void move_symbol(const renaming *symbol, const agpu__kernel *kernel,
                        MlirOperation host_module, MlirOperation before) {
  MlirOperation op = symbol->op;
  if (is_shared(op)) {
    mlirOperationDestroy(op); // nothing refers to it any more
    return;
  }
  MlirContext context = mlirOperationGetContext(op);
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
  // A coroutine must be split before any part of it is inlined; what has loops
  // of its own keeps what is said of its parameters.
  if (kernel && kernel->loops) {
    mlirOperationSetAttributeByName(op, agpu__str("no_inline"),
                                    mlirUnitAttrGet(context));
    // Where there are vectors of 512 bits: compilers avoid them for the sake of
    // the code around, of which there is none.
    mlirOperationSetAttributeByName(
        op, agpu__str("passthrough"),
        agpu__parse_attr(context, "[[\"prefer-vector-width\", \"512\"]]"));
  } else if (kernel && !agpu__has_attr(op, "passthrough")) {
    mlirOperationSetAttributeByName(op, agpu__str("always_inline"),
                                    mlirUnitAttrGet(context));
  }
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
  for (size_t i = 0; i < count; ++i) {
    uint64_t alignment;
    kernel->param_sizes[i] = (uint32_t)agpu__type_size(
        mlirLLVMFunctionTypeGetInput(type, (intptr_t)i), &alignment);
  }
}

/// Builds the block function of `kernel`, whose body has moved.
static void build_block(MlirOperation host_module, MlirStringRef module,
                        agpu__kernel *kernel) {
  kernel->native_symbol =
      agpu__embed_symbol("agpu_native", module, kernel->name);
  MlirStringRef body = agpu__get_string(kernel->function, "sym_name");
  char *body_name = agpu__format("%.*s", (int)body.length, body.data);
  const agpu__simt_block spec = {
      .symbol = kernel->native_symbol,
      .body = body_name,
      .body_type = mlirTypeAttrGetValue(mlirOperationGetAttributeByName(
          kernel->function, agpu__str("function_type"))),
      .shared_bytes = kernel->shared_bytes,
      .method = kernel->loops   ? AGPU__SIMT_LOOPS
                : kernel->waits ? AGPU__SIMT_COROUTINES
                                : AGPU__SIMT_CALLS,
      .size = kernel->block_size,
  };
  agpu__simt_build_block(host_module,
                         mlirOperationGetNextInBlock(kernel->function),
                         kernel->location, &spec);
  free(body_name);
}

MlirLogicalResult agpu__simt_lower(MlirOperation gpu_module,
                                   MlirOperation host_module,
                                   agpu__kernel *kernels, size_t kernel_count,
                                   bool check_accesses, bool coroutines) {
  agpu__simt_replace_unsupported(gpu_module, host_module, kernels,
                                 kernel_count);
  agpu__simt_expand_instructions(gpu_module);
  if (mlirLogicalResultIsFailure(
          agpu__libdevice_to_host(gpu_module, host_module)) ||
      mlirLogicalResultIsFailure(
          agpu__simt_inline_waits(gpu_module, kernels, kernel_count)))
    return mlirLogicalResultFailure();
  agpu__simt_drop_unused(gpu_module, kernels, kernel_count);
  if (mlirLogicalResultIsFailure(
          agpu__simt_place_shared(gpu_module, kernels, kernel_count)))
    return mlirLogicalResultFailure();
  MlirStringRef module = agpu__get_string(gpu_module, "sym_name");
  // The check for races wants to see what is atomic.
  if (check_accesses)
    agpu__simt_mark_shared(gpu_module);
  else
    agpu__simt_replace_shared_atomics(gpu_module);
  agpu__flatten_address_spaces(gpu_module);
  for (size_t i = 0; i < kernel_count; ++i)
    measure_parameters(&kernels[i]);

  renamings names = choose_names(gpu_module);
  move_declarations(gpu_module, host_module);
  MlirLogicalResult result =
      rewrite_bodies(&names, module, host_module, kernels, kernel_count,
                     check_accesses, coroutines);
  for (size_t i = 0; i < names.count; ++i)
    agpu__simt_unmark_atomic_stores(names.data[i].op);
  for (size_t i = 0; i < names.count; ++i)
    move_symbol(&names.data[i],
                find_kernel(kernels, kernel_count, names.data[i].op),
                host_module, gpu_module);
  for (size_t i = 0; i < kernel_count; ++i)
    build_block(host_module, module, &kernels[i]);
  free_names(&names);
  return result;
}
