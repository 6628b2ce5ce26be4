//===- device_loop_memory.c - Memory that a loop on the device copies to --===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the host copies to look at, it has when the loop is over, and not
// before. So nothing in the loop may reach that memory, by whatever name.
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"

/// Calls that lead to calls, at most.
#define MOST_DEPTH 4

static bool is_made_by(MlirValue memref, agpu__op_class class) {
  return mlirValueIsAOpResult(memref) &&
         agpu__row_of(mlirOpResultGetOwner(memref))->class == class;
}

static bool allocates(MlirValue memref) {
  return is_made_by(memref, AGPU__OP_ALLOCATES);
}

static bool is_global(MlirValue memref) {
  return is_made_by(memref, AGPU__OP_GLOBAL);
}

bool agpu__device_loop_allocates_host(MlirValue memref) {
  return allocates(memref) &&
         agpu__op_in_dialect(mlirOpResultGetOwner(memref), "memref");
}

/// The function whose argument it is; null: it is none.
static MlirOperation find_function(MlirValue memref) {
  MlirOperation none = {NULL};
  if (!mlirValueIsABlockArgument(memref))
    return none;
  MlirBlock block = mlirBlockArgumentGetOwner(memref);
  MlirOperation op = mlirBlockGetParentOperation(block);
  return agpu__op_is(op, "func.func") &&
                 mlirBlockEqual(agpu__entry_block(op), block)
             ? op
             : none;
}

static bool may_alias(MlirOperation module, MlirValue a, MlirValue b,
                      unsigned depth);

/// Whether `op` names the function.
static bool refers_to(MlirOperation op, MlirStringRef name) {
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirAttribute attribute = mlirOperationGetAttribute(op, i).attribute;
    if (mlirAttributeIsAFlatSymbolRef(attribute) &&
        mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(attribute), name))
      return true;
  }
  return false;
}

/// Whether some caller may give the function the same memory as both arguments.
static bool may_be_given_one(MlirOperation module, MlirOperation function,
                             intptr_t a, intptr_t b, unsigned depth) {
  MlirStringRef name = agpu__get_string(function, "sym_name");
  if (depth == MOST_DEPTH ||
      !mlirStringRefEqual(agpu__get_string(function, "sym_visibility"),
                          agpu__str("private")))
    return true;
  AGPU__SCOPED(ops) ops = agpu__ops_in(module, NULL);
  bool found = false;
  for (size_t i = 0; i < ops.count && !found; ++i)
    if (refers_to(ops.data[i], name))
      found = !agpu__op_is(ops.data[i], "func.call") ||
              may_alias(module, mlirOperationGetOperand(ops.data[i], a),
                        mlirOperationGetOperand(ops.data[i], b), depth + 1);
  return found;
}

/// False only if the two, of one function, are never the same memory.
static bool may_alias(MlirOperation module, MlirValue a, MlirValue b,
                      unsigned depth) {
  a = agpu__view_source(a);
  b = agpu__view_source(b);
  MlirOperation of_a = find_function(a), of_b = find_function(b);
  bool is_argument_a = !mlirOperationIsNull(of_a);
  bool is_argument_b = !mlirOperationIsNull(of_b);
  if (mlirValueEqual(a, b))
    return true;
  if (is_argument_a && is_argument_b)
    return may_be_given_one(module, of_a, mlirBlockArgumentGetArgNumber(a),
                            mlirBlockArgumentGetArgNumber(b), depth);
  bool is_outside_a = is_argument_a || is_global(a);
  bool is_outside_b = is_argument_b || is_global(b);
  return !(allocates(a) && (allocates(b) || is_outside_b)) &&
         !(allocates(b) && is_outside_a);
}

/// Whether the op is given what may be that memory, by itself or among the
/// arguments of a launch.
static bool takes(MlirOperation module, MlirOperation op, MlirValue host) {
  bool found = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !found; ++i) {
    MlirValue given = mlirOperationGetOperand(op, i);
    if (agpu__is_memref(given))
      found = may_alias(module, given, host, 0);
    else if (agpu__type_has_prefix(mlirValueGetType(given), "!agpu.arguments"))
      found = takes(module, mlirOpResultGetOwner(given), host);
  }
  return found;
}

/// Whether work of the round may be given the memory that the host has a copy
/// in.
static bool is_given(MlirOperation module, const agpu__device_loop *of,
                     MlirValue host) {
  AGPU__SCOPED(ops) ops = agpu__ops_in(of->loop, NULL);
  bool found = false;
  for (size_t i = 0; i < ops.count && !found; ++i) {
    MlirOperation op = ops.data[i];
    const agpu__device_branch *branch = agpu__device_branch_of(of, op);
    found = agpu__op_is_any(op, "agpu.launch agpu.memcpy agpu.memset") &&
            !mlirOperationEqual(op, of->copy) &&
            !(branch && mlirOperationEqual(op, branch->copy)) &&
            takes(module, op, host);
  }
  return found;
}

bool agpu__device_loop_is_host_given(MlirOperation module,
                                     const agpu__device_loop *of) {
  for (size_t i = 0; i <= of->branch_count; ++i) {
    MlirOperation copy = i < of->branch_count ? of->branches[i].copy : of->copy;
    if (!mlirOperationIsNull(copy) &&
        is_given(module, of, mlirOperationGetOperand(copy, 1)))
      return true;
  }
  return false;
}

bool agpu__device_loop_may_keep(const agpu__device_loop *of) {
  MlirValue only = {NULL};
  bool are_allocated = true, is_one = true, any = false;
  for (size_t i = 0; i <= of->branch_count; ++i) {
    MlirOperation copy = i < of->branch_count ? of->branches[i].copy : of->copy;
    if (mlirOperationIsNull(copy))
      continue;
    MlirValue host = mlirOperationGetOperand(copy, 1);
    MlirType type = mlirValueGetType(host);
    if (i < of->branch_count &&
        (!mlirShapedTypeHasStaticShape(type) ||
         !mlirTypeEqual(type,
                        mlirValueGetType(mlirOperationGetOperand(copy, 2)))))
      return false;
    are_allocated &= agpu__device_loop_allocates_host(host) &&
                     !agpu__defined_inside(host, of->loop);
    is_one &= !any || mlirValueEqual(host, only);
    any = true;
    only = host;
  }
  return are_allocated || (is_one && !agpu__defined_inside(only, of->loop));
}
