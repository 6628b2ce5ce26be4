//===- check.c - What the emulated device cannot run ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at each op of a lowered gpu.module before native code is made of it, so
// that one run reports all that stands in the way. Leaves a mark on functions
// that are no obstacle until they are launched, and then makes
// kernels that reach one fail.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/native.h"

#include "gpu/native/base/simt.h"
#include "gpu/native/instructions/instructions.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// How the ops of a kernel's source are called in messages, by the beginning
/// of the NVVM op that they were lowered to. The first match counts.
static const struct {
  const char *op;
  const char *what;
} unsupported[] = {
    {"nvvm.barrier.arrive", "a barrier's arrival alone"},
    {"nvvm.cluster", "a cluster operation"},
    {"nvvm.mbarrier", "a memory barrier object"},
    {"nvvm.cp.", "an asynchronous copy"},
    {"nvvm.mma", "a tensor core operation"},
    {"nvvm.wmma", "a tensor core operation"},
    {"nvvm.wgmma", "a tensor core operation"},
    {"nvvm.tcgen05", "a tensor core operation"},
    {"nvvm.ldmatrix", "a tensor core operation"},
    {"nvvm.stmatrix", "a tensor core operation"},
    {"nvvm.read.ptx.sreg.", "a special register"},
    {"nvvm.", "an operation of the GPU"},
    {"llvm.invoke", "an exception"},
};

/// Reports `what` at `op`.
static MlirLogicalResult refuse(MlirOperation op, const char *what) {
  MlirStringRef name = agpu__op_name(op);
  return agpu__error(mlirOperationGetLocation(op),
                     "%s ('%.*s') is not supported on the emulated device; "
                     "compile for CUDA only with targets=ptx",
                     what, AGPU__STR(name));
}

/// Has launches of the kernels around `op` report it, rather than refusing it
/// now. The first op of a function counts.
static void defer(MlirOperation op, const char *what) {
  MlirOperation function = agpu__parent_of(op, "llvm.func");
  if (agpu__has_attr(function, AGPU__SIMT_UNSUPPORTED))
    return;
  MlirContext context = mlirOperationGetContext(op);
  MlirStringRef name = agpu__op_name(op);
  AGPU__OWNED char *text =
      agpu__format("%s ('%.*s') is not supported on the emulated "
                   "device",
                   what, AGPU__STR(name));
  AGPU__OWNED char *location =
      agpu__location_text(mlirOperationGetLocation(op));
  const MlirAttribute parts[] = {agpu__string_attr(context, text),
                                 agpu__string_attr(context, location)};
  mlirOperationSetDiscardableAttributeByName(
      function, agpu__str(AGPU__SIMT_UNSUPPORTED),
      mlirArrayAttrGet(context, 2, parts));
}

static bool begins(MlirStringRef text, const char *prefix) {
  size_t length = strlen(prefix);
  return text.length >= length && !memcmp(text.data, prefix, length);
}

static MlirStringRef symbol_of(MlirOperation op, const char *attribute) {
  MlirAttribute symbol = agpu__attr(op, attribute);
  if (mlirAttributeIsNull(symbol) || !mlirAttributeIsAFlatSymbolRef(symbol))
    return mlirStringRefCreate(NULL, 0);
  return mlirFlatSymbolRefAttrGetValue(symbol);
}

static MlirLogicalResult check_call(MlirSymbolTable symbols,
                                    MlirOperation call) {
  MlirStringRef callee = symbol_of(call, "callee");
  if (!callee.length)
    return refuse(call, "an indirect call");
  MlirOperation function = mlirSymbolTableLookup(symbols, callee);
  if (mlirOperationIsNull(function) || !agpu__is_declaration(function))
    return mlirLogicalResultSuccess();
  if (begins(callee, "__nv_"))
    return mlirLogicalResultSuccess();
  if (mlirStringRefEqual(callee, agpu__str("vprintf")))
    return refuse(call, "printing of arguments that are not in one structure");
  return agpu__error(mlirOperationGetLocation(call),
                     "'%.*s' has no body in its gpu.module, which is not "
                     "supported on the emulated device",
                     AGPU__STR(callee));
}

/// The address of workgroup memory, or of a function.
static MlirLogicalResult check_address(MlirSymbolTable symbols,
                                       MlirOperation op) {
  unsigned space = mlirLLVMPointerTypeGetAddressSpace(
      mlirValueGetType(mlirOperationGetResult(op, 0)));
  // 7 is shared memory of a cluster, 6 tensor memory.
  if (space == 6 || space == 7)
    return refuse(op, "memory of this kind");
  MlirOperation symbol =
      mlirSymbolTableLookup(symbols, symbol_of(op, "global_name"));
  if (agpu__op_is(symbol, "llvm.func"))
    return refuse(op, "the address of a function");
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult check_op(MlirSymbolTable symbols, MlirOperation op,
                                  bool other_target) {
  MlirStringRef name = agpu__op_name(op);
  if (agpu__op_is(op, "nvvm.exit") || agpu__simt_is_register(op) ||
      agpu__simt_is_wait(op) || agpu__simt_is_instruction(op) ||
      agpu__simt_is_asynchronous(op) || agpu__simt_is_service(op))
    return mlirLogicalResultSuccess();
  if (mlirStringRefEqual(name, agpu__str("llvm.call")))
    return check_call(symbols, op);
  if (mlirStringRefEqual(name, agpu__str("llvm.mlir.addressof")))
    return check_address(symbols, op);
  const char *what = NULL;
  char assembly[224];
  if (agpu__op_is_any(op, "llvm.inline_asm nvvm.inline_ptx")) {
    if (agpu__simt_knows_assembly(op, assembly, sizeof assembly))
      return mlirLogicalResultSuccess();
    what = assembly;
  }
  if (mlirStringRefEqual(name, agpu__str("llvm.call_intrinsic")) &&
      begins(agpu__get_string(op, "intrin"), "llvm.nvvm."))
    what = "an operation of the GPU";
  for (size_t i = 0; i < AGPU__COUNT(unsupported); ++i)
    if (!what && begins(name, unsupported[i].op))
      what = unsupported[i].what;
  if (!what)
    return mlirLogicalResultSuccess();
  if (!other_target || mlirOperationIsNull(agpu__parent_of(op, "llvm.func")))
    return refuse(op, what);
  defer(op, what);
  return mlirLogicalResultSuccess();
}

/// Symbols of the module other than functions and globals (aliases, comdats),
/// and parameters that are passed by value in memory, come from hand-written
/// LLVM dialect only.
static MlirLogicalResult check_symbol(MlirOperation op) {
  // A func.func is what a host declares, and has been put there for that.
  if (agpu__op_is(op, "llvm.mlir.global") || agpu__op_is(op, "func.func"))
    return mlirLogicalResultSuccess();
  if (!agpu__op_is(op, "llvm.func"))
    return refuse(op, "this kind of symbol");
  MlirAttribute arguments = agpu__attr(op, "arg_attrs");
  if (mlirAttributeIsNull(arguments))
    return mlirLogicalResultSuccess();
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(arguments); ++i)
    if (!mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(
            mlirArrayAttrGetElement(arguments, i), agpu__str("llvm.byval"))))
      return refuse(op, "a parameter with llvm.byval");
  return mlirLogicalResultSuccess();
}

MlirLogicalResult agpu__simt_check(MlirOperation gpu_module,
                                   bool other_target) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module))
    if (mlirLogicalResultIsFailure(check_symbol(op)))
      result = mlirLogicalResultFailure();
  MlirSymbolTable symbols = mlirSymbolTableCreate(gpu_module);
  AGPU__OPS_IN_FOREACH (nested, gpu_module, NULL)
    if (mlirLogicalResultIsFailure(check_op(symbols, nested, other_target)))
      result = mlirLogicalResultFailure();
  mlirSymbolTableDestroy(symbols);
  return result;
}

//===----------------------------------------------------------------------===//
// Kernels that fail when they are launched
//===----------------------------------------------------------------------===//

// A program can be meant for CUDA devices and still be compiled for the
// emulated one. A kernel that it cannot run is no obstacle until it is launched
// there.

/// The mark of the first function that `kernel` reaches and that has one, or
/// null.
static MlirAttribute find_mark(MlirSymbolTable symbols, MlirOperation kernel) {
  MlirAttribute mark = mlirAttributeGetNull();
  AGPU__SCOPED(op_set) reached = {{0}, {0}};
  agpu__simt_reach(symbols, kernel, &reached);
  for (size_t i = 0; i < reached.all.count && mlirAttributeIsNull(mark); ++i)
    mark = agpu__attr(reached.all.data[i], AGPU__SIMT_UNSUPPORTED);
  return mark;
}

static MlirValue text_of(agpu__builder *at, MlirOperation gpu_module,
                         MlirAttribute mark, intptr_t part) {
  // The context keeps strings with a NUL after them.
  return agpu__string_constant(
      at, gpu_module,
      mlirStringAttrGetValue(mlirArrayAttrGetElement(mark, part)).data);
}

/// Puts a kernel with all attributes of `old`, which goes away, in its place,
/// that only fails.
static void replace(MlirOperation old, MlirOperation gpu_module,
                    MlirAttribute mark) {
  MlirLocation location = mlirOperationGetLocation(old);
  MlirBlock body = agpu__entry_block(old), entry;
  MlirRegion region = agpu__build_region(&entry);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    mlirBlockAddArgument(entry, mlirValueGetType(mlirBlockGetArgument(body, i)),
                         location);
  agpu__builder outside = agpu__builder_before(old);
  MlirOperation made = agpu__build_like(&outside, old,
                                        (agpu__op_spec){.name = "llvm.func",
                                                        .regions = &region,
                                                        .region_count = 1});
  agpu__remove_attr(made, AGPU__SIMT_UNSUPPORTED);
  agpu__builder at = agpu__builder_at_end(entry, location);
  MlirValue operands[] = {text_of(&at, gpu_module, mark, 0),
                          text_of(&at, gpu_module, mark, 1)};
  agpu__call_runtime(&at, gpu_module, "agpu_native_refuse", operands, 2,
                     (MlirType){NULL});
  agpu__llvm_return(&at, (MlirValue){NULL});
  mlirOperationDestroy(old);
}

void agpu__simt_replace_unsupported(MlirOperation gpu_module) {
  AGPU__SCOPED(ops) kernels = {0};
  agpu__simt_functions(gpu_module, true, &kernels);
  AGPU__OWNED MlirAttribute *marks =
      agpu__allocate(kernels.count, sizeof(*marks));
  MlirSymbolTable symbols = mlirSymbolTableCreate(gpu_module);
  for (size_t i = 0; i < kernels.count; ++i)
    marks[i] = find_mark(symbols, kernels.data[i]);
  mlirSymbolTableDestroy(symbols);
  for (size_t i = 0; i < kernels.count; ++i)
    if (!mlirAttributeIsNull(marks[i]))
      replace(kernels.data[i], gpu_module, marks[i]);
  agpu__simt_drop_unused(gpu_module);
}
