//===- kernel_facts.c - What launches say of kernels ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of a program is launched by that program alone, so that what holds
// at all its launches holds in the kernel.
//
//===----------------------------------------------------------------------===//

#include "gpu/kernels/kernels.h"

#include <stdlib.h>

// What the CUDA driver promises of the addresses of allocations.
#define ALIGNMENT 256

#define MAX_ARGUMENTS 256

//===----------------------------------------------------------------------===//
// A launch
//===----------------------------------------------------------------------===//

enum { FIRST_BLOCK_SIZE = 4, KERNEL_OPERANDS = 11 }; ///< operand segments

/// The first operand of segment `segment` of a gpu.launch_func, and how many it
/// has.
static intptr_t segment_begin(MlirOperation launch, intptr_t segment,
                              intptr_t *out_count) {
  MlirAttribute sizes = agpu__attr(launch, "operandSegmentSizes");
  intptr_t begin = 0;
  for (intptr_t i = 0; i < segment; ++i)
    begin += mlirDenseI32ArrayGetElement(sizes, i);
  *out_count = mlirDenseI32ArrayGetElement(sizes, segment);
  return begin;
}

/// A constant index; 0 where it is none.
static int64_t constant_of(MlirValue value) {
  int64_t number;
  return agpu__known_number(value, &number) ? number : 0;
}

/// Bytes of a memref with a static shape; 0 where that is not known.
static int64_t bytes_of(MlirType memref) {
  MlirType element = mlirShapedTypeGetElementType(memref);
  int64_t width = mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element)
                  : mlirTypeIsAFloat(element) ? mlirFloatTypeGetWidth(element)
                  : mlirTypeIsAIndex(element) ? 64
                                              : 0;
  int64_t bytes = width == 1 ? 1 : width % 8 ? 0 : width / 8;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(memref) && bytes; ++i) {
    int64_t size = mlirShapedTypeIsDynamicDim(memref, i)
                       ? 0
                       : mlirShapedTypeGetDimSize(memref, i);
    bytes = size && bytes > (int64_t)1 << 40 ? 0 : bytes * size;
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// A kernel
//===----------------------------------------------------------------------===//

/// What holds at all launches so far.
typedef struct facts {
  MlirOperation kernel; ///< a gpu.func
  bool launched;
  intptr_t count;
  bool fresh[MAX_ARGUMENTS], apart[MAX_ARGUMENTS];
  bool only_read[MAX_ARGUMENTS]; ///< by the kernel
  int64_t bytes[MAX_ARGUMENTS];  ///< the fewest so far; 0: not known
  int64_t block[3];              ///< 0: differs or is not constant
} facts;

/// True if no thread gets at what the kernel writes through one of the two
/// arguments through the other one.
static bool are_apart(const facts *self, const agpu__given_memory *given,
                      intptr_t i, intptr_t k) {
  if (!given[k].origin) // no memref
    return true;
  if (given[i].is_from_outside && given[k].is_from_outside)
    return self->only_read[i] && self->only_read[k];
  return given[i].origin != given[k].origin;
}

static void note_launch(facts *self, MlirOperation launch) {
  intptr_t count, three;
  intptr_t begin = segment_begin(launch, KERNEL_OPERANDS, &count);
  intptr_t block = segment_begin(launch, FIRST_BLOCK_SIZE, &three);
  for (intptr_t i = 0; i < 3; ++i) {
    int64_t size = constant_of(mlirOperationGetOperand(launch, block + i));
    self->block[i] = !self->launched || self->block[i] == size ? size : 0;
  }
  self->launched = true;
  agpu__given_memory given[MAX_ARGUMENTS];
  bool all_known = true;
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue value = mlirOperationGetOperand(launch, begin + i);
    MlirType type = mlirValueGetType(value);
    bool is_memref = mlirTypeIsAMemRef(type);
    given[i] = is_memref ? agpu__given_memory_of(launch, value)
                         : (agpu__given_memory){NULL, false, {NULL}};
    self->fresh[i] &= !mlirOperationIsNull(given[i].fresh);
    int64_t bytes =
        self->fresh[i]
            ? bytes_of(mlirValueGetType(agpu__result(given[i].fresh, 0)))
            : 0;
    if (bytes < self->bytes[i])
      self->bytes[i] = bytes;
    all_known &=
        is_memref ? given[i].origin &&
                        agpu__is_plain_type(mlirShapedTypeGetElementType(type))
                  : agpu__is_plain_type(type);
  }
  for (intptr_t i = 0; i < count; ++i) {
    self->apart[i] &= all_known && given[i].origin;
    for (intptr_t k = 0; k < count && self->apart[i]; ++k)
      self->apart[i] = k == i || are_apart(self, given, i, k);
  }
}

static void set_numbers(MlirOperation function, const char *name,
                        const int32_t *numbers, intptr_t count) {
  if (count)
    agpu__set_attr(function, name,
                   mlirDenseI32ArrayGet(mlirOperationGetContext(function),
                                        count, numbers));
}

static void record(const facts *self) {
  int32_t fresh[MAX_ARGUMENTS], apart[MAX_ARGUMENTS], sized[MAX_ARGUMENTS];
  int64_t bytes[MAX_ARGUMENTS];
  intptr_t fresh_count = 0, apart_count = 0, sized_count = 0;
  for (intptr_t i = 0; i < self->count; ++i) {
    if (self->fresh[i])
      fresh[fresh_count++] = (int32_t)i;
    if (self->bytes[i]) {
      sized[sized_count] = (int32_t)i;
      bytes[sized_count++] = self->bytes[i];
    }
    if (self->apart[i])
      apart[apart_count++] = (int32_t)i;
  }
  set_numbers(self->kernel, AGPU__FRESH_ATTR, fresh, fresh_count);
  set_numbers(self->kernel, AGPU__APART_ATTR, apart, apart_count);
  set_numbers(self->kernel, AGPU__SIZED_ATTR, sized, sized_count);
  if (sized_count)
    agpu__set_attr(self->kernel, AGPU__BYTES_ATTR,
                   mlirDenseI64ArrayGet(mlirOperationGetContext(self->kernel),
                                        sized_count, bytes));
  const int64_t *block = self->block;
  bool legal = block[0] > 0 && block[0] <= 1024 && block[1] > 0 &&
               block[1] <= 1024 && block[2] > 0 && block[2] <= 64 &&
               block[0] * block[1] * block[2] <= 1024;
  if (!legal || agpu__has_attr(self->kernel, "known_block_size"))
    return;
  const int32_t sizes[] = {(int32_t)block[0], (int32_t)block[1],
                           (int32_t)block[2]};
  agpu__set_attr(
      self->kernel, "known_block_size",
      mlirDenseI32ArrayGet(mlirOperationGetContext(self->kernel), 3, sizes));
}

/// What a launch of `kernel` names.
static MlirAttribute symbol_of(MlirOperation gpu_module, MlirOperation kernel) {
  MlirContext context = mlirOperationGetContext(kernel);
  MlirAttribute leaf =
      mlirFlatSymbolRefAttrGet(context, agpu__get_string(kernel, "sym_name"));
  return mlirSymbolRefAttrGet(context, agpu__get_string(gpu_module, "sym_name"),
                              1, &leaf);
}

static void look_at_kernel(MlirOperation kernel, agpu__ops launches) {
  MlirType type = agpu__function_type(kernel);
  facts self = {.kernel = kernel, .count = mlirFunctionTypeGetNumInputs(type)};
  if (self.count > MAX_ARGUMENTS)
    return;
  for (intptr_t i = 0; i < self.count; ++i) {
    self.fresh[i] = self.apart[i] = true;
    self.only_read[i] = agpu__kernel_only_reads(kernel, i);
    self.bytes[i] = INT64_MAX;
  }
  for (size_t i = 0; i < launches.count; ++i)
    note_launch(&self, launches.data[i]);
  if (self.launched)
    record(&self);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static MlirWalkResult find_pointer(MlirOperation op, void *data) {
  if (!agpu__op_has(op, AGPU__OP_POINTER))
    return MlirWalkResultAdvance;
  *(bool *)data = true;
  return MlirWalkResultInterrupt;
}

/// Addresses as integers could come back as pointers that nobody knows of.
static bool has_integer_addresses(MlirOperation module) {
  bool any = false;
  mlirOperationWalk(module, find_pointer, &any, MlirWalkPreOrder);
  return any;
}

static MlirLogicalResult run(MlirOperation module) {
  AGPU__SCOPED(ops) launches = agpu__ops_in(module, "gpu.launch_func");
  AGPU__SCOPED(op_lists) by_kernel = {0};
  for (size_t i = 0; i < launches.count; ++i)
    agpu__op_lists_add(&by_kernel, agpu__attr(launches.data[i], "kernel").ptr,
                       launches.data[i]);
  if (launches.count && !has_integer_addresses(module))
    AGPU__OPS_FOREACH (op, agpu__module_body(module)) {
      if (!agpu__op_is(op, "gpu.module"))
        continue;
      AGPU__OPS_IN_FOREACH (nested, op, "gpu.func")
        if (agpu__has_attr(nested, "gpu.kernel"))
          look_at_kernel(nested, agpu__op_lists_get(&by_kernel,
                                                    symbol_of(op, nested).ptr));
    }
  // Nobody asks after this.
  AGPU__OPS_IN_FOREACH (function, module, "func.func")
    if (agpu__has_attr(function, AGPU__UNIFIED_ATTR))
      agpu__remove_attr(function, AGPU__UNIFIED_ATTR);
  return mlirLogicalResultSuccess();
}

const agpu_pass agpu__pass_kernel_facts = {
    .argument = "async-gpu-kernel-facts",
    .summary = "Record what all launches of a kernel have in common",
    .run = run,
};

//===----------------------------------------------------------------------===//
// On the way down
//===----------------------------------------------------------------------===//

/// The parameter that is the pointer to the elements of argument `argument`.
static int32_t parameter_of(MlirType type, intptr_t argument,
                            bool bare_pointers) {
  size_t parameter = 0;
  for (intptr_t i = 0; i < argument; ++i)
    parameter += agpu__parameter_count(
        agpu__passed_as(mlirFunctionTypeGetInput(type, i), bare_pointers));
  return (int32_t)(parameter + agpu__parameter_address(agpu__passed_as(
                                   mlirFunctionTypeGetInput(type, argument),
                                   bare_pointers)));
}

static void renumber(MlirOperation function, const char *name,
                     bool bare_pointers) {
  MlirAttribute numbers = agpu__attr(function, name);
  if (mlirAttributeIsNull(numbers))
    return;
  MlirType type = agpu__function_type(function);
  int32_t parameters[MAX_ARGUMENTS];
  intptr_t count = mlirDenseArrayGetNumElements(numbers);
  if (count > MAX_ARGUMENTS)
    count = MAX_ARGUMENTS;
  for (intptr_t i = 0; i < count; ++i)
    parameters[i] = parameter_of(type, mlirDenseI32ArrayGetElement(numbers, i),
                                 bare_pointers);
  set_numbers(function, name, parameters, count);
}

void agpu__kernel_facts_renumber(MlirOperation gpu_module, bool bare_pointers) {
  AGPU__OPS_IN_FOREACH (function, gpu_module, "gpu.func") {
    renumber(function, AGPU__FRESH_ATTR, bare_pointers);
    renumber(function, AGPU__APART_ATTR, bare_pointers);
    renumber(function, AGPU__SIZED_ATTR, bare_pointers);
  }
}

/// The dictionary `*attributes` with `name = value`, unless it has that name.
static void add_attribute(MlirAttribute *attributes, const char *name,
                          MlirAttribute value) {
  MlirNamedAttribute members[16];
  intptr_t size = mlirDictionaryAttrGetNumElements(*attributes);
  if (size >= 16 || !mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(
                        *attributes, agpu__str(name))))
    return;
  for (intptr_t m = 0; m < size; ++m)
    members[m] = mlirDictionaryAttrGetElement(*attributes, m);
  MlirContext context = mlirAttributeGetContext(value);
  members[size] = agpu__named(context, name, value);
  *attributes = mlirDictionaryAttrGet(context, size + 1, members);
}

/// `attributes[n]` with `name = value` for each n that attribute `list` of the
/// kernel holds, or with the value of the same place in `values` where that is
/// not null; then removes the list.
static void add_attributes(MlirOperation kernel, const char *list,
                           const char *name, MlirAttribute value,
                           MlirAttribute values, MlirAttribute *attributes,
                           intptr_t count) {
  MlirAttribute numbers = agpu__attr(kernel, list);
  if (mlirAttributeIsNull(numbers))
    return;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(numbers); ++i) {
    int32_t n = mlirDenseI32ArrayGetElement(numbers, i);
    if (n < 0 || n >= count)
      continue;
    add_attribute(&attributes[n], name,
                  mlirAttributeIsNull(values)
                      ? value
                      : agpu__i64_attr(mlirOperationGetContext(kernel),
                                       mlirDenseI64ArrayGetElement(values, i)));
  }
}

static intptr_t length_of(MlirAttribute numbers) {
  return mlirAttributeIsNull(numbers) ? 0
                                      : mlirDenseArrayGetNumElements(numbers);
}

MlirLogicalResult agpu__kernel_facts_apply(MlirOperation kernel) {
  MlirAttribute before = agpu__attr(kernel, "arg_attrs");
  if (length_of(agpu__attr(kernel, AGPU__SIZED_ATTR)) !=
      length_of(agpu__attr(kernel, AGPU__BYTES_ATTR)))
    return agpu__missing_attribute(kernel, AGPU__BYTES_ATTR,
                                   "async-gpu-kernel-facts");
  if (!agpu__has_attr(kernel, AGPU__FRESH_ATTR) &&
      !agpu__has_attr(kernel, AGPU__APART_ATTR))
    return mlirLogicalResultSuccess();
  MlirContext context = mlirOperationGetContext(kernel);
  MlirBlock entry = agpu__entry_block(kernel);
  intptr_t count = mlirBlockGetNumArguments(entry);
  AGPU__OWNED MlirAttribute *attributes =
      agpu__allocate((size_t)count, sizeof(*attributes));
  for (intptr_t i = 0; i < count; ++i)
    attributes[i] = mlirAttributeIsNull(before)
                        ? mlirDictionaryAttrGet(context, 0, NULL)
                        : mlirArrayAttrGetElement(before, i);
  MlirAttribute unit = mlirUnitAttrGet(context), none = mlirAttributeGetNull();
  add_attributes(kernel, AGPU__FRESH_ATTR, "llvm.align",
                 agpu__i64_attr(context, ALIGNMENT), none, attributes, count);
  add_attributes(kernel, AGPU__APART_ATTR, "llvm.noalias", unit, none,
                 attributes, count);
  add_attributes(kernel, AGPU__SIZED_ATTR, "llvm.nonnull", unit, none,
                 attributes, count);
  add_attributes(kernel, AGPU__SIZED_ATTR, "llvm.dereferenceable", none,
                 agpu__attr(kernel, AGPU__BYTES_ATTR), attributes, count);
  static const char *const lists[] = {AGPU__FRESH_ATTR, AGPU__APART_ATTR,
                                      AGPU__SIZED_ATTR, AGPU__BYTES_ATTR};
  for (size_t i = 0; i < AGPU__COUNT(lists); ++i)
    agpu__remove_attr(kernel, lists[i]);
  agpu__set_attr(kernel, "arg_attrs",
                 mlirArrayAttrGet(context, count, attributes));
  return mlirLogicalResultSuccess();
}
