//===- tensor_fences.c - Tensor maps in global memory ---------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A card reads tensor maps by a proxy of their own, which need not see what
// copies have written to global memory. The CUDA programming guide asks for a
// fence of that proxy before the first use of such a map, and for none where
// the map is a parameter by value (__grid_constant__) or in constant memory.
// The runtime keeps maps in global memory and hands kernels their addresses.
//
// What is fenced stands in a kernel's first block as often as the kernel has
// maps, so that loops of copies have no fences. PTX has the instruction since
// 8.3 (gpu/ptx/chips.c).
//
//===----------------------------------------------------------------------===//

#include "gpu/nvvm/nvvm.h"

#include "lower/ir/ir.h"

#include "mlir-c/Dialect/LLVM.h"

#define FENCE "nvvm.fence.proxy.acquire"
enum { MAP_BYTES = 128, CONSTANT_SPACE = 4 };

/// Whether `op` reads a tensor map, and which of its operands that is.
static bool reads_map(MlirOperation op, intptr_t *out_operand) {
  *out_operand = 0;
  if (agpu__op_is(op, "nvvm.prefetch"))
    return agpu__has_attr(op, "tensormap");
  if (agpu__op_is_any(op, "nvvm.cp.async.bulk.tensor.global.shared.cta "
                          "nvvm.cp.async.bulk.tensor.prefetch "
                          "nvvm.cp.async.bulk.tensor.reduce"))
    return true;
  *out_operand = 1;
  return agpu__op_is(op, "nvvm.cp.async.bulk.tensor.shared.cluster.global");
}

/// What the address is computed from.
static MlirValue root_of(MlirValue address) {
  while (mlirValueIsAOpResult(address)) {
    MlirOperation op = mlirOpResultGetOwner(address);
    if (!agpu__op_is_any(op,
                         "llvm.getelementptr llvm.addrspacecast llvm.bitcast"))
      break;
    address = mlirOperationGetOperand(op, 0);
  }
  return address;
}

/// The kernel whose parameter `value` is, or null.
static MlirOperation kernel_of(MlirValue value) {
  if (!mlirValueIsABlockArgument(value))
    return (MlirOperation){NULL};
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  MlirOperation function = mlirBlockGetParentOperation(block);
  return agpu__nvvm_is_kernel(function) &&
                 mlirBlockEqual(block, agpu__entry_block(function))
             ? function
             : (MlirOperation){NULL};
}

static bool is_by_value(MlirOperation kernel, MlirValue parameter) {
  MlirAttribute all = agpu__attr(kernel, "arg_attrs");
  intptr_t number = mlirBlockArgumentGetArgNumber(parameter);
  return !mlirAttributeIsNull(all) && mlirAttributeIsAArray(all) &&
         number < mlirArrayAttrGetNumElements(all) &&
         !mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(
             mlirArrayAttrGetElement(all, number), agpu__str("llvm.byval")));
}

/// For each map the last block that has a fence of it. Ops are looked at block
/// by block, in order, so that it is the only one which is asked for.
typedef struct fences {
  agpu__map blocks;
} fences;

/// Whether `block` has a fence of `map` so far; from now on it has.
static bool is_fenced(fences *self, MlirBlock block, MlirValue map) {
  bool is_known = agpu__map_get(&self->blocks, map.ptr) == (size_t)block.ptr;
  agpu__map_set(&self->blocks, map.ptr, (size_t)block.ptr);
  return is_known;
}

static void build_fence(MlirOperation before, MlirValue map) {
  agpu__builder at = agpu__builder_before(before);
  if (mlirLLVMPointerTypeGetAddressSpace(mlirValueGetType(map)))
    map = agpu__build_unary(&at, "llvm.addrspacecast", map,
                            agpu__ptr_type(at.context));
  MlirValue operands[] = {
      map, agpu__llvm_constant(&at, agpu__i32_attr(at.context, MAP_BYTES))};
  const MlirNamedAttribute attribute =
      agpu__named(at.context, "scope",
                  agpu__parse_attr(at.context, "#nvvm.mem_scope<sys>"));
  agpu__build_op(&at, FENCE, operands, 2, (MlirType){NULL}, &attribute, 1);
}

static void fence(fences *self, MlirOperation use, MlirValue map) {
  MlirValue root = root_of(map);
  MlirOperation kernel = kernel_of(root);
  bool is_parameter = !mlirOperationIsNull(kernel);
  if (mlirLLVMPointerTypeGetAddressSpace(mlirValueGetType(root)) ==
          CONSTANT_SPACE ||
      (is_parameter && is_by_value(kernel, root)))
    return;
  if (!is_parameter || !mlirValueEqual(root, map)) {
    if (!is_fenced(self, mlirOperationGetBlock(use), map))
      build_fence(use, map);
    return;
  }
  MlirBlock entry = agpu__entry_block(kernel);
  if (!is_fenced(self, entry, map))
    build_fence(mlirBlockGetFirstOperation(entry), map);
}

static MlirWalkResult note_use(MlirOperation op, void *data) {
  agpu__ops *uses = data;
  intptr_t operand;
  if (reads_map(op, &operand) || agpu__op_is(op, FENCE))
    agpu__ops_push(uses, op);
  return MlirWalkResultAdvance;
}

void agpu__fence_tensor_maps(MlirOperation gpu_module) {
  AGPU__SCOPED(ops) uses = {0};
  mlirOperationWalk(gpu_module, note_use, &uses, MlirWalkPreOrder);
  fences self = {0};
  for (size_t i = 0; i < uses.count; ++i) {
    MlirOperation op = uses.data[i];
    intptr_t operand;
    if (reads_map(op, &operand))
      fence(&self, op, mlirOperationGetOperand(op, operand));
    else
      (void)is_fenced(&self, mlirOperationGetBlock(op),
                      mlirOperationGetOperand(op, 0));
  }
  agpu__map_free(&self.blocks);
}
