//===- convention.c - How kernels are called -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which parameters an argument of a launch makes, for every pass that has to
// know: nothing else counts them.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernels/kernels.h"

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

bool agpu__convention_is_bare(MlirOperation module) {
  return mlirStringRefEqual(agpu__get_string(module, AGPU__CONVENTION_ATTR),
                            agpu__str(AGPU__CONVENTION_BARE));
}

MlirLogicalResult agpu__convention_set(MlirOperation module,
                                       const agpu_pass_values *values,
                                       bool *out_bare) {
  *out_bare = agpu__pass_value_bool(values, AGPU__BARE_POINTERS);
  const char *wanted =
      *out_bare ? AGPU__CONVENTION_BARE : AGPU__CONVENTION_DESCRIPTORS;
  MlirStringRef known = agpu__get_string(module, AGPU__CONVENTION_ATTR);
  if (known.length && !mlirStringRefEqual(known, agpu__str(wanted)))
    return agpu__error(mlirOperationGetLocation(module),
                       "kernels of this program were lowered to take memrefs "
                       "as %.*s, and this pass is told to pass them as %s: "
                       "give all passes the same option " AGPU__BARE_POINTERS,
                       AGPU__STR(known), wanted);
  agpu__set_attr(module, AGPU__CONVENTION_ATTR,
                 agpu__string_attr(mlirOperationGetContext(module), wanted));
  return mlirLogicalResultSuccess();
}

void agpu__convention_forget(MlirOperation module) {
  if (agpu__has_attr(module, AGPU__CONVENTION_ATTR))
    agpu__remove_attr(module, AGPU__CONVENTION_ATTR);
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

int agpu__passed_as(MlirType type, bool bare) {
  if (mlirTypeIsAMemRef(type))
    return bare ? AGPU__PASSED_BARE_POINTER : (int)mlirShapedTypeGetRank(type);
  return mlirTypeIsAUnrankedMemRef(type) ? AGPU__PASSED_UNRANKED
                                         : AGPU__PASSED_PLAIN;
}

size_t agpu__parameter_count(int passed) {
  if (passed == AGPU__PASSED_UNRANKED)
    return 2;
  return passed < 0 ? 1 : 3 + 2 * (size_t)passed;
}

agpu__part agpu__parameter_part(int passed, size_t index,
                                int32_t *out_dimension) {
  *out_dimension = -1;
  if (passed == AGPU__PASSED_UNRANKED)
    return index ? AGPU__PART_DESCRIPTOR : AGPU__PART_RANK;
  if (passed < 0)
    return passed == AGPU__PASSED_PLAIN ? AGPU__PART_VALUE : AGPU__PART_ALIGNED;
  static const agpu__part first[] = {AGPU__PART_ALLOCATED, AGPU__PART_ALIGNED,
                                     AGPU__PART_OFFSET};
  if (index < 3)
    return first[index];
  size_t rank = (size_t)passed;
  *out_dimension = (int32_t)((index - 3) % rank);
  return index - 3 < rank ? AGPU__PART_SIZE : AGPU__PART_STRIDE;
}

size_t agpu__parameter_address(int passed) {
  size_t index = 0;
  for (int32_t dimension; index < agpu__parameter_count(passed); ++index) {
    agpu__part part = agpu__parameter_part(passed, index, &dimension);
    if (part == AGPU__PART_ALIGNED || part == AGPU__PART_DESCRIPTOR)
      return index;
  }
  return 0;
}

MlirLogicalResult agpu__check_bare_pointer(MlirLocation location,
                                           const char *what, size_t number,
                                           MlirType type) {
  bool is_ranked = mlirTypeIsAMemRef(type);
  if (!is_ranked && !mlirTypeIsAUnrankedMemRef(type))
    return mlirLogicalResultSuccess();
  if (is_ranked && agpu__memref_is_strided(type) &&
      agpu__memref_dynamic_count(type) == 0)
    return mlirLogicalResultSuccess();
  AGPU__SCOPED(text) text = {0};
  mlirTypePrint(type, agpu__text_callback, &text);
  return agpu__error(
      location,
      "%s %zu has type %s, which cannot be a bare pointer: its rank, sizes, "
      "strides and offset must be static",
      what, number, agpu__text_get(&text));
}
