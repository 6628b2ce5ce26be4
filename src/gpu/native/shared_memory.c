//===- shared_memory.c - async-gpu-native-shared-memory -------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Globals in shared memory become offsets from the start of the block's. A
// function of the device has one code for all kernels that call it, so that a
// global has one offset; kernels that share none use the same bytes. A global
// of size 0 is the launch's own (dynamic) part, which comes last.
//
//===----------------------------------------------------------------------===//

#include "gpu/native/base/simt.h"
#include "gpu/native/native.h"
#include "gpu/nvvm/nvvm.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

/// Bytes of shared memory that a kernel can have.
#define MAX_SHARED (48u * 1024u)

// What the launch's own part is aligned to.
#define DYNAMIC_ALIGNMENT 16u

static bool is_shared(MlirOperation symbol) {
  if (!agpu__op_is(symbol, "llvm.mlir.global"))
    return false;
  return agpu__get_int(symbol, "addr_space", 0) == 3;
}

static uint64_t round_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

static uint64_t alignment_of(MlirOperation global, uint64_t natural) {
  uint64_t asked = (uint64_t)agpu__get_int(global, "alignment", 0);
  return asked > natural ? asked : natural;
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

// All threads of a block are run by one thread of the host, and no other block
// reaches its shared memory. So an atomic operation there is a load, the
// operation, and a store: without a locked instruction, and in code that LLVM
// may optimise. The store keeps a mark while loops are made: threads that meet
// at an address depend on each other there.

/// What llvm.atomicrmw computes by its attribute bin_op: an op of the LLVM
/// dialect, or a comparison by which one of the two operands is chosen.
static const struct {
  const char *op;   ///< NULL: the new value
  int64_t compares; ///< llvm.icmp's predicate; -1: none
} operations[] = {
    {NULL, -1},               // xchg
    {"llvm.add", -1},         //
    {"llvm.sub", -1},         //
    {"llvm.and", -1},         //
    {NULL, -2},               // nand: stays
    {"llvm.or", -1},          //
    {"llvm.xor", -1},         //
    {"llvm.icmp", 4},         // max: sgt
    {"llvm.icmp", 2},         // min: slt
    {"llvm.icmp", 8},         // umax: ugt
    {"llvm.icmp", 6},         // umin: ult
    {"llvm.fadd", -1},        //
    {"llvm.fsub", -1},        //
    {"llvm.intr.maxnum", -1}, // fmax
    {"llvm.intr.minnum", -1}, // fmin
};
#define OPERATION_COUNT ((int64_t)(AGPU__COUNT(operations)))

static bool is_shared_address(MlirValue address) {
  return mlirLLVMPointerTypeGetAddressSpace(mlirValueGetType(address)) == 3;
}

static MlirValue compare(agpu__builder *at, MlirValue a, MlirValue b,
                         int64_t predicate) {
  MlirNamedAttribute attribute = agpu__named(
      at->context, "predicate", agpu__i64_attr(at->context, predicate));
  MlirValue operands[] = {a, b};
  return agpu__result(agpu__build_op(at, "llvm.icmp", operands, 2,
                                     agpu__i1_type(at->context), &attribute, 1),
                      0);
}

static MlirValue choose(agpu__builder *at, MlirValue condition, MlirValue yes,
                        MlirValue no) {
  MlirValue operands[] = {condition, yes, no};
  return agpu__build_value(at, "llvm.select", operands, 3,
                           mlirValueGetType(yes));
}

static void store(agpu__builder *at, MlirValue value, MlirValue address) {
  MlirNamedAttribute mark =
      agpu__named(at->context, AGPU__SIMT_ATOMIC, mlirUnitAttrGet(at->context));
  MlirValue operands[] = {value, address};
  agpu__build_op(at, "llvm.store", operands, 2, (MlirType){NULL}, &mark, 1);
}

static void replace_rmw(MlirOperation op) {
  int64_t operation = mlirIntegerAttrGetValueInt(agpu__attr(op, "bin_op"));
  if (operation < 0 || operation >= OPERATION_COUNT ||
      operations[operation].compares == -2)
    return;
  agpu__builder at = agpu__builder_before(op);
  MlirValue address = mlirOperationGetOperand(op, 0);
  MlirValue value = mlirOperationGetOperand(op, 1);
  MlirValue old = agpu__llvm_load(&at, address, mlirValueGetType(value));
  const char *name = operations[operation].op;
  int64_t predicate = operations[operation].compares;
  if (predicate >= 0)
    value = choose(&at, compare(&at, old, value, predicate), old, value);
  else if (name)
    value = agpu__build_binary(&at, name, old, value);
  store(&at, value, address);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), old);
  mlirOperationDestroy(op);
}

/// Of integers and addresses, which llvm.cmpxchg is for.
static void replace_exchange(MlirOperation op) {
  agpu__builder at = agpu__builder_before(op);
  MlirValue address = mlirOperationGetOperand(op, 0);
  MlirValue expected = mlirOperationGetOperand(op, 1);
  MlirValue value = mlirOperationGetOperand(op, 2);
  MlirValue old = agpu__llvm_load(&at, address, mlirValueGetType(value));
  MlirValue equal = compare(&at, old, expected, 0);
  store(&at, choose(&at, equal, value, old), address);
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirValue both = agpu__llvm_undef(&at, mlirValueGetType(result));
  both = agpu__llvm_insert(&at, both, old, 0);
  both = agpu__llvm_insert(&at, both, equal, 1);
  mlirValueReplaceAllUsesOfWith(result, both);
  mlirOperationDestroy(op);
}

static void replace_atomics(MlirOperation gpu_module) {
  AGPU__OPS_IN_FOREACH (op, gpu_module, NULL) {
    bool rmw = agpu__op_is(op, "llvm.atomicrmw");
    if ((!rmw && !agpu__op_is(op, "llvm.cmpxchg")) ||
        !is_shared_address(mlirOperationGetOperand(op, 0)))
      continue;
    if (rmw)
      replace_rmw(op);
    else
      replace_exchange(op);
  }
}

/// The kernels of a module: what each reaches, and takes of shared memory.
typedef struct shared_memory {
  const agpu__ops *kernels;
  agpu__op_set *reached;
  uint64_t *bytes;
  uint64_t *dynamic_alignment; ///< of what launches add
} shared_memory;

/// Finds a place for `global` after all that its kernels have placed so far.
static void place(shared_memory *self, MlirOperation global) {
  MlirContext context = mlirOperationGetContext(global);
  MlirType type = mlirTypeAttrGetValue(agpu__attr(global, "global_type"));
  uint64_t natural;
  uint64_t size = agpu__type_size(type, &natural);
  if (!size) {
    agpu__set_attr(global, AGPU__SIMT_DYNAMIC, mlirUnitAttrGet(context));
    uint64_t alignment = alignment_of(global, DYNAMIC_ALIGNMENT);
    for (size_t i = 0; i < self->kernels->count; ++i)
      if (agpu__op_set_has(&self->reached[i], global) &&
          self->dynamic_alignment[i] < alignment)
        self->dynamic_alignment[i] = alignment;
    return;
  }
  uint64_t offset = 0;
  for (size_t i = 0; i < self->kernels->count; ++i)
    if (agpu__op_set_has(&self->reached[i], global) && self->bytes[i] > offset)
      offset = self->bytes[i];
  offset = round_up(offset, alignment_of(global, natural));
  for (size_t i = 0; i < self->kernels->count; ++i)
    if (agpu__op_set_has(&self->reached[i], global))
      self->bytes[i] = offset + size;
  agpu__set_attr(global, AGPU__SIMT_OFFSET,
                 agpu__i64_attr(context, (int64_t)offset));
}

/// Records what `kernel` takes. Fails with a diagnostic where that is more than
/// there is.
static MlirLogicalResult record(MlirOperation kernel, uint64_t bytes,
                                uint64_t dynamic_alignment) {
  bytes = round_up(bytes,
                   dynamic_alignment ? dynamic_alignment : DYNAMIC_ALIGNMENT);
  agpu__set_attr(
      kernel, AGPU__SIMT_SHARED_BYTES,
      agpu__i64_attr(mlirOperationGetContext(kernel), (int64_t)bytes));
  return bytes <= MAX_SHARED
             ? mlirLogicalResultSuccess()
             : agpu__error(mlirOperationGetLocation(kernel),
                           "this kernel takes %llu bytes of workgroup memory; "
                           "a block has %u",
                           (unsigned long long)bytes, MAX_SHARED);
}

static MlirLogicalResult place_all(MlirOperation gpu_module) {
  AGPU__SCOPED(ops) kernels = {0};
  agpu__simt_functions(gpu_module, true, &kernels);
  MlirSymbolTable symbols = mlirSymbolTableCreate(gpu_module);
  shared_memory self = {
      .kernels = &kernels,
      .reached = agpu__allocate(kernels.count, sizeof(*self.reached)),
      .bytes = agpu__allocate(kernels.count, sizeof(*self.bytes)),
      .dynamic_alignment =
          agpu__allocate(kernels.count, sizeof(*self.dynamic_alignment))};
  for (size_t i = 0; i < kernels.count; ++i)
    agpu__simt_reach(symbols, kernels.data[i], &self.reached[i]);
  mlirSymbolTableDestroy(symbols);
  AGPU__OPS_FOREACH (op, agpu__module_body(gpu_module))
    if (is_shared(op))
      place(&self, op);
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (size_t i = 0; i < kernels.count; ++i) {
    agpu__op_set_free(&self.reached[i]);
    if (mlirLogicalResultIsFailure(
            record(kernels.data[i], self.bytes[i], self.dynamic_alignment[i])))
      result = mlirLogicalResultFailure();
  }
  free(self.reached);
  free(self.bytes);
  free(self.dynamic_alignment);
  return result;
}

static MlirLogicalResult run(MlirOperation gpu_module,
                             const agpu_pass_values *values) {
  if (!agpu__simt_is_meant(gpu_module))
    return mlirLogicalResultSuccess();
  if (mlirLogicalResultIsFailure(place_all(gpu_module)))
    return mlirLogicalResultFailure();
  // The check for races wants to see what is atomic.
  if (agpu__pass_value_bool(values, "count"))
    agpu__set_attr(gpu_module, AGPU__SIMT_COUNTED,
                   mlirUnitAttrGet(mlirOperationGetContext(gpu_module)));
  if (agpu__pass_value_bool(values, "check-accesses") ||
      agpu__pass_value_bool(values, "count")) {
    agpu__set_attr(gpu_module, AGPU__SIMT_CHECKED,
                   mlirUnitAttrGet(mlirOperationGetContext(gpu_module)));
    agpu__simt_mark_shared(gpu_module);
  } else {
    replace_atomics(gpu_module);
  }
  agpu__flatten_address_spaces(gpu_module);
  return mlirLogicalResultSuccess();
}

static const agpu_pass_option options[] = {AGPU__CHECK_ACCESSES_OPTION,
                                           AGPU__COUNT_OPTION};

const agpu_pass agpu__pass_native_shared_memory = {
    .argument = AGPU__SIMT_PASS("shared-memory"),
    .anchor = "gpu.module",
    .summary =
        "Place workgroup memory, and put all memory into one address space",
    AGPU__OPTIONS(options),
    .run_with = run,
};
