//===- launch_stub.c - Functions that launch kernels ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch takes the addresses of its kernel's parameters, so that these have
// to be in memory. All launches with parameters of the same types share a
// function (stub.c) that puts them there:
//
//   "agpu.launch"(%s, 6 sizes, %shared, (%m, %f)) {kernel = @k::@f}
//
//   %k = llvm.mlir.addressof @agpu_kernel.k.f
//   call @agpu_launch.0(%s, %k, 6 sizes, %shared, %m.parts, %f, %location)
//
// A ranked memref makes one parameter for each part of its descriptor, or with
// bare pointers the aligned one alone; one without a rank is its rank and the
// address of a copy of its descriptor, which the device has to be able to read.
// Where the type says all but the pointers of a descriptor, these alone go to
// the stub, and the rest is a constant of the program: the blocks of functions
// that launch many kernels stay short, which LLVM's time grows with.
//
//===----------------------------------------------------------------------===//

#include "gpu/streams/streams.h"

#include "gpu/kernels/kernels.h"

#include "mlir-c/Dialect/LLVM.h"

#include <inttypes.h>
#include <stdlib.h>

/// Operands of agpu.launch are the stream, grid and block sizes, shared bytes,
/// and the kernel's arguments in one; agpu.launch_with has three more sizes and
/// a stream of the program's own. What stands ahead of the arguments goes to
/// the runtime as it is, with the kernel after the stream. The stub has the
/// arguments one by one, and the location last.
typedef struct launch_form {
  const char *op, *function;
  size_t arguments; ///< operands ahead of them
} launch_form;

static const launch_form forms[] = {
    {"agpu.launch", "agpu_launch", 8},
    {"agpu.launch_with", "agpu_launch_with", 12},
};

/// Instead of how an argument is passed (kernels.h): it is not.
enum { NOT_PASSED = -4 };

/// Fields of a memref's descriptor that are pointers.
enum { ALLOCATED, ALIGNED };

/// How one argument goes through a stub.
typedef struct passing {
  int kind;       ///< kernels.h
  MlirType fixed; ///< its memref type, where only its pointers go, else null
} passing;

/// What stubs differ in: the function, what becomes of each argument, and the
/// types of all inputs.
struct agpu__launch_stub {
  const launch_form *form;
  passing *arguments;
  size_t count; ///< of the arguments
  MlirType type;
  char *name;
};

void agpu__launch_stubs_free(agpu__launch_stubs *stubs) {
  for (size_t i = 0; i < stubs->count; ++i) {
    free(stubs->data[i].arguments);
    free(stubs->data[i].name);
  }
  free(stubs->data);
}

/// A stub that is being filled.
typedef struct stub_state {
  MlirOperation module;
  agpu__builder at;
  MlirValue stream, location;
  agpu__values addresses;   ///< of the kernel's parameters
  agpu__values descriptors; ///< to free after the launch
} stub_state;

static MlirValue to_i64(agpu__builder *at, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  MlirType i64 = agpu__i64_type(at->context);
  if (mlirTypeEqual(type, i64))
    return value;
  if (!mlirTypeIsAIndex(type) && !mlirTypeIsAInteger(type))
    return value; // a stream
  // Sizes are indices; shared bytes are an unsigned i32.
  const char *name =
      mlirTypeIsAIndex(type) ? "arith.index_cast" : "arith.extui";
  return agpu__build_unary(at, name, value, i64);
}

/// How argument `number` becomes parameters; NOT_PASSED after a diagnostic.
static int kind_of(MlirLocation location, MlirType type, size_t number,
                   bool bare_pointers) {
  if (mlirTypeIsNull(agpu__payload_type(type)) || agpu__type_is_object(type)) {
    AGPU__OWNED char *text = agpu__type_text(type);
    agpu__error(location,
                "kernel argument %zu has type %s, which cannot be passed to "
                "a kernel",
                number, text);
    return NOT_PASSED;
  }
  if (bare_pointers && mlirLogicalResultIsFailure(agpu__check_bare_pointer(
                           location, "kernel argument", number, type)))
    return NOT_PASSED;
  return agpu__passed_as(type, bare_pointers);
}

/// True if a descriptor of the type is all constants but for its pointers.
static bool is_fixed(MlirType type, int kind) {
  return mlirTypeIsAMemRef(type) && kind >= 0 &&
         mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type)) &&
         agpu__memref_is_strided(type) && !agpu__memref_dynamic_count(type);
}

//===----------------------------------------------------------------------===//
// A stub
//===----------------------------------------------------------------------===//

/// Puts the address of a copy in the place of the address of the descriptor,
/// for the device to be able to read it.
static void copy_descriptor(stub_state *self, MlirValue value, MlirType type,
                            MlirValue memory) {
  agpu__builder *at = &self->at;
  MlirType ptr = agpu__ptr_type(at->context);
  MlirValue operands[] = {
      self->stream,
      agpu__llvm_extract(at, value, agpu__i64_type(at->context), 0),
      agpu__llvm_extract(at, value, ptr, 1), self->location};
  MlirValue copy = agpu__call_runtime(at, self->module, "agpu_descriptor_copy",
                                      operands, 4, ptr);
  agpu__llvm_store(at, copy, agpu__stub_field(at, type, memory, 1, -1));
  agpu__values_push(&self->descriptors, copy);
}

/// The address of one part of an argument, which lies at `memory`.
static MlirValue part_address(stub_state *self, agpu__part part,
                              int32_t dimension, MlirType type,
                              MlirValue memory) {
  static const int32_t fields[] = {
      [AGPU__PART_ALLOCATED] = 0, [AGPU__PART_ALIGNED] = 1,
      [AGPU__PART_OFFSET] = 2,    [AGPU__PART_SIZE] = 3,
      [AGPU__PART_STRIDE] = 4,    [AGPU__PART_RANK] = 0,
      [AGPU__PART_DESCRIPTOR] = 1};
  return part == AGPU__PART_VALUE ? memory
                                  : agpu__stub_field(&self->at, type, memory,
                                                     fields[part], dimension);
}

static void build_numbers(MlirOperation module, const char *symbol,
                          const int64_t *numbers, size_t count) {
  agpu__builder at = agpu__builder_at_end(
      agpu__module_body(module),
      mlirLocationUnknownGet(mlirOperationGetContext(module)));
  MlirType i64 = agpu__i64_type(at.context);
  const int64_t shape[] = {(int64_t)count};
  const MlirNamedAttribute attributes[] = {
      agpu__named(at.context, "constant", mlirUnitAttrGet(at.context)),
      agpu__named(
          at.context, "value",
          mlirDenseElementsAttrInt64Get(
              mlirRankedTensorTypeGet(1, shape, i64, (MlirAttribute){NULL}),
              (intptr_t)count, numbers))};
  agpu__build_global(&at, symbol, mlirLLVMArrayTypeGet(i64, (unsigned)count),
                     true, attributes, 2);
}

/// The address of a constant with the offset, the sizes and the strides of a
/// memref type that says them all; one for those that say the same.
static MlirValue shape_constant(stub_state *self, MlirType type) {
  size_t rank = (size_t)mlirShapedTypeGetRank(type);
  AGPU__OWNED int64_t *numbers = agpu__allocate(1 + 2 * rank, sizeof(*numbers));
  // It is known to be strided.
  (void)mlirMemRefTypeGetStridesAndOffset(type, numbers + 1 + rank, numbers);
  AGPU__SCOPED(text) name = {0};
  agpu__text_puts(&name, "agpu_shape");
  for (size_t i = 0; i < rank; ++i)
    numbers[1 + i] = mlirShapedTypeGetDimSize(type, (intptr_t)i);
  for (size_t i = 0; i < 1 + 2 * rank; ++i)
    agpu__text_printf(&name, ".%" PRId64, numbers[i]);
  const char *symbol = agpu__text_get(&name);
  if (mlirOperationIsNull(agpu__lookup(self->module, symbol)))
    build_numbers(self->module, symbol, numbers, 1 + 2 * rank);
  return agpu__llvm_address(&self->at, symbol);
}

/// Stores an argument and appends the addresses of the kernel parameters that
/// it makes.
static void spill(stub_state *self, MlirValue argument, int kind) {
  MlirType type = mlirValueGetType(argument);
  MlirValue memory =
      agpu__llvm_alloca(&self->at, type, agpu__llvm_i64(&self->at, 1), 0);
  agpu__llvm_store(&self->at, argument, memory);
  if (kind == AGPU__PASSED_UNRANKED)
    copy_descriptor(self, argument, type, memory);
  for (size_t i = 0; i < agpu__parameter_count(kind); ++i) {
    int32_t dimension;
    agpu__part part = agpu__parameter_part(kind, i, &dimension);
    agpu__values_push(&self->addresses,
                      part_address(self, part, dimension, type, memory));
  }
}

/// The same of a memref that is fixed but for its two pointers.
static void spill_fixed(stub_state *self, MlirValue allocated,
                        MlirValue aligned, const passing *how) {
  spill(self, allocated, AGPU__PASSED_PLAIN);
  spill(self, aligned, AGPU__PASSED_PLAIN);
  MlirValue shape = shape_constant(self, how->fixed);
  for (size_t i = 2; i < agpu__parameter_count(how->kind); ++i)
    agpu__values_push(&self->addresses,
                      agpu__llvm_byte(&self->at, shape,
                                      (int64_t)((i - 2) * sizeof(int64_t))));
}

static void fill(MlirOperation module, MlirOperation function,
                 const struct agpu__launch_stub *stub) {
  MlirBlock block = agpu__entry_block(function);
  intptr_t count = mlirBlockGetNumArguments(block);
  intptr_t lead = (intptr_t)stub->form->arguments + 1; // the kernel
  stub_state self = {
      .module = module,
      .at = agpu__builder_at_end(block, mlirOperationGetLocation(function)),
      .stream = mlirBlockGetArgument(block, 0),
      .location = mlirBlockGetArgument(block, count - 1)};
  agpu__builder *at = &self.at;
  const passing *how = stub->arguments;
  for (intptr_t i = lead; i + 1 < count; ++i, ++how) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    if (mlirTypeIsNull(how->fixed))
      spill(&self, argument, how->kind);
    else
      spill_fixed(&self, argument, mlirBlockGetArgument(block, ++i), how);
  }
  AGPU__SCOPED(values) operands = {0};
  for (intptr_t i = 0; i < lead; ++i)
    agpu__values_push(&operands, mlirBlockGetArgument(block, i));
  agpu__values_push(&operands, agpu__stub_array(at, agpu__ptr_type(at->context),
                                                self.addresses.data,
                                                self.addresses.count));
  agpu__values_push(&operands, self.location);
  agpu__call_runtime(at, module, stub->form->function, operands.data,
                     operands.count, (MlirType){NULL});
  for (size_t i = 0; i < self.descriptors.count; ++i) {
    MlirValue freed[] = {self.stream, self.descriptors.data[i], self.location};
    agpu__call_runtime(at, module, "agpu_dealloc", freed, 3, (MlirType){NULL});
  }
  agpu__build_effect(at, "func.return", NULL, 0);
  agpu__values_free(&self.addresses);
  agpu__values_free(&self.descriptors);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static bool are_passed_alike(const passing *a, const passing *b, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (a[i].kind != b[i].kind ||
        mlirTypeIsNull(a[i].fixed) != mlirTypeIsNull(b[i].fixed) ||
        (!mlirTypeIsNull(a[i].fixed) && !mlirTypeEqual(a[i].fixed, b[i].fixed)))
      return false;
  return true;
}

/// The name of the stub for these inputs, which is made if there is none.
static const char *get_stub(agpu__launch_stubs *stubs, MlirOperation module,
                            const launch_form *form, const passing *arguments,
                            size_t count, const agpu__values *inputs) {
  MlirType type = agpu__stub_type(inputs);
  for (size_t i = 0; i < stubs->count; ++i)
    if (stubs->data[i].form == form &&
        mlirTypeEqual(stubs->data[i].type, type) &&
        stubs->data[i].count == count &&
        are_passed_alike(stubs->data[i].arguments, arguments, count))
      return stubs->data[i].name;
  stubs->data = realloc(stubs->data, (stubs->count + 1) * sizeof(*stubs->data));
  if (!stubs->data)
    agpu__out_of_memory();
  passing *kept = agpu__allocate(count, sizeof(*kept));
  for (size_t i = 0; i < count; ++i)
    kept[i] = arguments[i];
  struct agpu__launch_stub *made = &stubs->data[stubs->count];
  *made = (struct agpu__launch_stub){
      form, kept, count, type,
      agpu__format("%s.%zu", form->function, stubs->count)};
  ++stubs->count;
  MlirLocation unknown =
      mlirLocationUnknownGet(mlirOperationGetContext(module));
  fill(module, agpu__stub_create(module, unknown, made->name, type), made);
  return made->name;
}

/// Appends what a stub takes of an argument.
static void push_inputs(agpu__builder *at, MlirValue argument,
                        const passing *how, agpu__values *inputs) {
  MlirType type = agpu__payload_type(mlirValueGetType(argument));
  MlirValue value = agpu__build_cast(at, argument, type);
  if (mlirTypeIsNull(how->fixed)) {
    agpu__values_push(inputs, value);
    return;
  }
  MlirType ptr = agpu__ptr_type(at->context);
  agpu__values_push(inputs, agpu__llvm_extract(at, value, ptr, ALLOCATED));
  agpu__values_push(inputs, agpu__llvm_extract(at, value, ptr, ALIGNED));
}

MlirLogicalResult agpu__lower_launch(agpu__launch_stubs *stubs,
                                     MlirOperation module,
                                     MlirSymbolTable symbols,
                                     MlirOperation launch, bool bare_pointers) {
  MlirLocation location = mlirOperationGetLocation(launch);
  AGPU__OWNED char *kernel = agpu__kernel_symbol(agpu__attr(launch, "kernel"));
  if (!kernel ||
      mlirOperationIsNull(mlirSymbolTableLookup(symbols, agpu__str(kernel)))) {
    return agpu__error(location, "the kernel of this launch is not in the "
                                 "program: run --async-gpu-kernels first");
  }

  const launch_form *form = &forms[0];
  while (!agpu__op_is(launch, form->op))
    ++form;
  intptr_t count = (intptr_t)form->arguments;
  agpu__builder at = agpu__builder_before(launch);
  AGPU__SCOPED(values) inputs = {0};
  agpu__values_push(&inputs, mlirOperationGetOperand(launch, 0));
  agpu__values_push(&inputs, agpu__llvm_address(&at, kernel));
  for (intptr_t i = 1; i < count; ++i)
    agpu__values_push(&inputs, to_i64(&at, mlirOperationGetOperand(launch, i)));
  MlirOperation arguments =
      mlirOpResultGetOwner(mlirOperationGetOperand(launch, count));
  intptr_t argument_count = mlirOperationGetNumOperands(arguments);
  AGPU__OWNED passing *how =
      agpu__allocate((size_t)argument_count, sizeof(*how));
  bool ok = true;
  for (intptr_t i = 0; i < argument_count; ++i) {
    MlirValue argument = mlirOperationGetOperand(arguments, i);
    MlirType type = mlirValueGetType(argument);
    how[i].kind = kind_of(location, type, (size_t)i, bare_pointers);
    if (is_fixed(type, how[i].kind))
      how[i].fixed = type;
    ok &= how[i].kind != NOT_PASSED;
    if (ok)
      push_inputs(&at, argument, &how[i], &inputs);
  }
  if (ok) {
    agpu__values_push(&inputs, agpu__location_constant(&at, module));
    agpu__build_call(
        &at,
        get_stub(stubs, module, form, how, (size_t)argument_count, &inputs),
        inputs.data, inputs.count, (MlirType){NULL});
    mlirOperationDestroy(launch);
    mlirOperationDestroy(arguments);
  }
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
