//===- simt.c - Kernels on their way to native code -----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes for native code ask of a gpu.module and its functions, and
// the attributes that they leave for each other (simt.h).
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"

#include "gpu/nvvm/nvvm.h"
#include "lower/ir/template.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

bool agpu__simt_is_meant(MlirOperation gpu_module) {
  return !agpu__has_attr(gpu_module, AGPU__TARGET) ||
         agpu__is_for_target(gpu_module, AGPU__TARGET_NATIVE);
}

void agpu__simt_functions(MlirOperation gpu_module, bool kernels_only,
                          agpu__ops *out_functions) {
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module))
    if (agpu__op_is(op, "llvm.func") && !agpu__is_declaration(op) &&
        (!kernels_only || agpu__nvvm_is_kernel(op)))
      agpu__ops_push(out_functions, op);
}

MlirLogicalResult
agpu__simt_context(MlirOperation function,
                   MlirValue out_context[AGPU__SIMT_CONTEXT_COUNT]) {
  MlirAttribute first = agpu__attr(function, AGPU__SIMT_CONTEXT);
  MlirBlock entry = agpu__entry_block(function);
  bool valid = !mlirAttributeIsNull(first) && mlirAttributeIsAInteger(first);
  int64_t own = valid ? mlirIntegerAttrGetValueInt(first) : 0;
  valid = valid && own >= 0 &&
          own + AGPU__SIMT_CONTEXT_COUNT <= mlirBlockGetNumArguments(entry);
  for (intptr_t i = 0; valid && i < AGPU__SIMT_CONTEXT_COUNT; ++i) {
    out_context[i] = mlirBlockGetArgument(entry, own + i);
    MlirType type = mlirValueGetType(out_context[i]);
    valid = i < AGPU__SIMT_ID_COUNT ? mlirTypeIsAInteger(type) &&
                                          mlirIntegerTypeGetWidth(type) == 32
                                    : mlirTypeIsALLVMPointerType(type);
  }
  return valid ? mlirLogicalResultSuccess()
               : agpu__missing_attribute(function, AGPU__SIMT_CONTEXT,
                                         AGPU__SIMT_PASS("context"));
}

void agpu__simt_add_parameters(MlirOperation function, const MlirType *types,
                               intptr_t added, MlirValue *out_values) {
  MlirType type = agpu__function_type(function);
  intptr_t count = mlirLLVMFunctionTypeGetNumInputs(type);
  AGPU__OWNED MlirType *inputs =
      agpu__allocate((size_t)(count + added), sizeof(*inputs));
  for (intptr_t i = 0; i < count; ++i)
    inputs[i] = mlirLLVMFunctionTypeGetInput(type, i);
  MlirBlock entry = agpu__entry_block(function);
  for (intptr_t i = 0; i < added; ++i) {
    inputs[count + i] = types[i];
    out_values[i] = mlirBlockAddArgument(entry, types[i],
                                         mlirOperationGetLocation(function));
  }
  agpu__set_attr(function, "function_type",
                 mlirTypeAttrGet(mlirLLVMFunctionTypeGet(
                     mlirLLVMFunctionTypeGetReturnType(type), count + added,
                     inputs, false)));
  // Hints for each parameter; the array's length must match the type.
  agpu__remove_attr(function, "arg_attrs");
}

MlirAttribute agpu__simt_known_size(MlirOperation kernel) {
  MlirAttribute size = agpu__attr(kernel, "nvvm.reqntid");
  return !mlirAttributeIsNull(size) && mlirAttributeIsADenseI32Array(size) &&
                 mlirDenseArrayGetNumElements(size) == 3
             ? size
             : mlirAttributeGetNull();
}

bool agpu__simt_threads_are(MlirOperation kernel, const char *how) {
  return mlirStringRefEqual(agpu__get_string(kernel, AGPU__SIMT_THREADS),
                            agpu__str(how));
}

void agpu__simt_set_threads(MlirOperation kernel, const char *how) {
  agpu__set_attr(kernel, AGPU__SIMT_THREADS,
                 agpu__string_attr(mlirOperationGetContext(kernel), how));
}

//===----------------------------------------------------------------------===//
// Ends of threads
//
// What becomes of the end of one thread: a return where each thread runs by
// itself, and a check after all of them where none knows of the others.
//===----------------------------------------------------------------------===//

void agpu__simt_mark_end(MlirOperation unreachable) {
  agpu__set_attr(unreachable, AGPU__SIMT_ENDS_THREAD,
                 mlirUnitAttrGet(mlirOperationGetContext(unreachable)));
}

bool agpu__simt_ends_thread(MlirOperation op) {
  return agpu__op_is(op, "llvm.unreachable") &&
         agpu__has_attr(op, AGPU__SIMT_ENDS_THREAD);
}

void agpu__simt_check_assertions(agpu__builder *at, MlirOperation gpu_module) {
  agpu__call_runtime(at, gpu_module, "agpu_native_check_assertions", NULL, 0,
                     (MlirType){NULL});
}

void agpu__simt_end_threads(MlirOperation function, bool is_kernel,
                            MlirOperation gpu_module) {
  AGPU__OPS_IN_FOREACH (end, function, "llvm.unreachable") {
    if (!agpu__simt_ends_thread(end))
      continue;
    agpu__builder at = agpu__builder_before(end);
    if (is_kernel) {
      agpu__llvm_return(&at, (MlirValue){NULL});
      mlirOperationDestroy(end);
      continue;
    }
    agpu__simt_check_assertions(&at, gpu_module);
    agpu__remove_attr(end, AGPU__SIMT_ENDS_THREAD);
  }
}

//===----------------------------------------------------------------------===//
// Memory of a thread's own
//
// Memory that a function allocates in a loop, of a size that is known, is the
// same each time around: one llvm.alloca in the first block, as LLVM's back end
// for NVPTX has it too. Where rounds of the loop need memory of their own,
// async-gpu-kernels-to-nvvm has refused that (gpu/nvvm/allocations.c).
//===----------------------------------------------------------------------===//

/// The constant number of elements that `alloca` allocates, or a null op.
static MlirOperation constant_size(MlirOperation alloca) {
  MlirValue count = mlirOperationGetOperand(alloca, 0);
  MlirOperation source = agpu__maker_of(count);
  return agpu__op_is(source, "llvm.mlir.constant") ? source
                                                   : (MlirOperation){NULL};
}

bool agpu__simt_has_constant_size(MlirOperation alloca) {
  return !mlirOperationIsNull(constant_size(alloca));
}

void agpu__simt_hoist_allocas(MlirOperation function) {
  MlirBlock entry = agpu__entry_block(function);
  MlirOperation first = mlirBlockGetFirstOperation(entry);
  AGPU__OPS_IN_FOREACH (op, function, "llvm.alloca") {
    MlirOperation size = constant_size(op);
    if (mlirOperationIsNull(size))
      continue;
    size = mlirOperationClone(size);
    mlirBlockInsertOwnedOperationBefore(entry, first, size);
    mlirOperationSetOperand(op, 0, mlirOperationGetResult(size, 0));
    if (mlirOperationEqual(op, first))
      first = mlirOperationGetNextInBlock(op);
    else
      mlirOperationMoveBefore(op, first);
  }
}

//===----------------------------------------------------------------------===//
// The end of a loop over threads
//
// Loops over the threads of a block count up to one of its sizes, which is
// never 0: launches refuse that, as CUDA does. So they are tested at their end.
//===----------------------------------------------------------------------===//

static const agpu__template sum = {.file = "latch.mlir", .function = "sum"};

void agpu__simt_loop_latch(agpu__builder *at, MlirBlock header, MlirBlock exit,
                           MlirValue counter, MlirValue bound, MlirValue one,
                           MlirAttribute annotation) {
  MlirValue operands[] = {counter, one}, next;
  if (mlirLogicalResultIsFailure(
          agpu__template_build(at, &sum, operands, &next)))
    abort();
  MlirValue more = agpu__llvm_compare(at, AGPU__UNSIGNED_LESS, next, bound);
  MlirOperation branch = agpu__llvm_branch_if(at, more, header, &next, 1, exit);
  if (!mlirAttributeIsNull(annotation))
    agpu__set_attr(branch, "loop_annotation", annotation);
}

//===----------------------------------------------------------------------===//
// Places where threads wait
//
// What a thread tells the runtime of the place where it waits, as constant data
// of the module. How many there are is counted in an attribute of the module,
// as more than one pass makes them.
//===----------------------------------------------------------------------===//

/// The number of the next site.
static int32_t next_number(MlirOperation gpu_module) {
  int32_t number = (int32_t)agpu__get_int(gpu_module, AGPU__SIMT_SITES, 0);
  mlirOperationSetDiscardableAttributeByName(
      gpu_module, agpu__str(AGPU__SIMT_SITES),
      agpu__i32_attr(mlirOperationGetContext(gpu_module), number + 1));
  return number;
}

MlirValue agpu__simt_site(agpu__builder *at, MlirOperation gpu_module,
                          MlirOperation function, agpu_native_wait wait,
                          uint32_t mode) {
  MlirContext context = at->context;
  int32_t number = next_number(gpu_module);
  AGPU__OWNED char *location = agpu__location_text(at->location);
  size_t bytes = strlen(location) + 1;
  MlirType i32 = agpu__i32_type(context);
  MlirType members[] = {
      i32, i32, i32,
      mlirLLVMArrayTypeGet(agpu__i8_type(context), (unsigned)bytes)};
  MlirType type = mlirLLVMStructTypeLiteralGet(context, 4, members, false);
  AGPU__OWNED char *prefix =
      agpu__embed_symbol("agpu_site", agpu__source_module(gpu_module),
                         mlirStringRefCreate(NULL, 0));
  AGPU__OWNED char *symbol = agpu__format("%s.%d", prefix, number);

  agpu__builder outside = agpu__builder_before(function);
  outside.location = at->location;
  MlirNamedAttribute constant =
      agpu__named(context, "constant", mlirUnitAttrGet(context));
  MlirOperation global =
      agpu__build_global(&outside, symbol, type, false, &constant, 1);
  MlirBlock block = agpu__append_block(mlirOperationGetRegion(global, 0));
  agpu__builder inside = agpu__builder_at_end(block, at->location);
  MlirValue values[] = {
      agpu__llvm_i32(&inside, number), agpu__llvm_i32(&inside, (int32_t)wait),
      agpu__llvm_i32(&inside, (int32_t)mode),
      agpu__build_with(
          &inside, "llvm.mlir.constant", NULL, 0, members[3], "value",
          mlirStringAttrGet(context, mlirStringRefCreate(location, bytes)))};
  MlirValue site = agpu__llvm_undef(&inside, type);
  for (int64_t i = 0; i < 4; ++i)
    site = agpu__llvm_insert(&inside, site, values[i], i);
  agpu__llvm_return(&inside, site);
  return agpu__llvm_address(at, symbol);
}

bool agpu__simt_attr_has(MlirOperation op, const char *name, const char *part) {
  MlirAttribute attribute = agpu__attr(op, name);
  if (mlirAttributeIsNull(attribute))
    return false;
  AGPU__SCOPED(text) text = {0};
  mlirAttributePrint(attribute, agpu__text_callback, &text);
  return strstr(agpu__text_get(&text), part) != NULL;
}
