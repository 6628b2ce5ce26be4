//===- mpi_stub.c - Calls that take the elements of memrefs -*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime takes what a memref consists of by an agpu_mpi_elements, which
// has to lie in memory that is neither part of a coroutine's frame nor grows in
// a loop: a function of its own has it, one for each type of memrefs, which is
// never inlined.
//
//   func.func private @mpi_start.0(%memref, %message, %tag, %peer, %comm,
//                                       %location) -> !async.token
//
//===----------------------------------------------------------------------===//

#include "host/mpi/mpi.h"

#include "async_gpu/compiled/mpi.h"
#include "lower/dialect/attributes.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdlib.h>

typedef struct agpu__mpi_stub {
  const char *function; ///< of the runtime
  MlirType memrefs[2];  ///< the second one may be null
  agpu_mpi_type type;   ///< of the values
  char *name;
} agpu__mpi_stub;

//===----------------------------------------------------------------------===//
// What elements are
//===----------------------------------------------------------------------===//

static agpu_mpi_type type_of_integer(MlirType type) {
  bool is_unsigned = mlirIntegerTypeIsUnsigned(type);
  switch (mlirIntegerTypeGetWidth(type)) {
  case 1: return AGPU_MPI_BOOL;
  case 8: return is_unsigned ? AGPU_MPI_UINT8 : AGPU_MPI_INT8;
  case 16: return is_unsigned ? AGPU_MPI_UINT16 : AGPU_MPI_INT16;
  case 32: return is_unsigned ? AGPU_MPI_UINT32 : AGPU_MPI_INT32;
  case 64: return is_unsigned ? AGPU_MPI_UINT64 : AGPU_MPI_INT64;
  default: return AGPU_MPI_BYTE;
  }
}

/// What MPI calls the values that an element of a memref consists of; bytes
/// where it has no name for them.
static agpu_mpi_type type_of_element(MlirType type) {
  if (mlirTypeIsAInteger(type))
    return type_of_integer(type);
  if (mlirTypeIsAIndex(type))
    return AGPU_MPI_INT64;
  if (mlirTypeIsAF32(type))
    return AGPU_MPI_FLOAT;
  if (mlirTypeIsAF64(type))
    return AGPU_MPI_DOUBLE;
  if (mlirTypeIsAComplex(type)) {
    agpu_mpi_type part = type_of_element(mlirComplexTypeGetElementType(type));
    return part == AGPU_MPI_FLOAT    ? AGPU_MPI_COMPLEX_FLOAT
           : part == AGPU_MPI_DOUBLE ? AGPU_MPI_COMPLEX_DOUBLE
                                     : AGPU_MPI_BYTE;
  }
  if (mlirTypeIsAVector(type) && mlirShapedTypeHasStaticShape(type)) {
    // The places after a vector whose number of elements is no power of two
    // are not elements.
    int64_t count = 1;
    for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); ++i)
      count *= mlirShapedTypeGetDimSize(type, i);
    MlirType element = mlirShapedTypeGetElementType(type);
    bool is_bits =
        mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) < 8;
    return is_bits || (count & (count - 1)) ? AGPU_MPI_BYTE
                                            : type_of_element(element);
  }
  return AGPU_MPI_BYTE;
}

/// Operand `index`, a memref of a strided layout whose elements are memory and
/// nothing else; false after an error.
static bool check_memref(agpu__mpi_op *self, intptr_t index) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(self->op, index));
  MlirStringRef name = agpu__op_name(self->op);
  if (!mlirTypeIsAMemRef(type) || !agpu__memref_is_strided(type))
    agpu__error(self->at.location,
                "%.*s of a memref whose layout is not strided is not supported",
                AGPU__STR(name));
  else if (mlirTypeIsAMemRef(mlirShapedTypeGetElementType(type)))
    agpu__error(self->at.location,
                "%.*s of memrefs in memory: other ranks have no use for "
                "addresses",
                AGPU__STR(name));
  else
    return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Stubs
//===----------------------------------------------------------------------===//

static MlirValue to_i64(agpu__builder *at, MlirValue index) {
  return agpu__build_unary(at, "arith.index_cast", index,
                           agpu__i64_type(at->context));
}

/// An array in memory of these indices.
static MlirValue build_array(agpu__builder *at, MlirOperation from,
                             intptr_t first, intptr_t count) {
  MlirType i64 = agpu__i64_type(at->context);
  MlirValue array =
      agpu__llvm_alloca(at, i64, agpu__llvm_i64(at, count ? count : 1), 0);
  for (intptr_t i = 0; i < count; ++i) {
    MlirValue element = agpu__llvm_element_at(at, array, i64, (int32_t)i);
    agpu__llvm_store(at, to_i64(at, agpu__result(from, first + i)), element);
  }
  return array;
}

/// The base, the offset, the sizes and the strides of a memref.
static MlirOperation build_metadata(agpu__builder *at, MlirValue memref) {
  MlirType type = mlirValueGetType(memref);
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  size_t count = 2 + 2 * (size_t)rank;
  AGPU__OWNED MlirType *results = agpu__allocate(count, sizeof(*results));
  results[0] =
      mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type), 0, NULL,
                                  mlirMemRefTypeGetMemorySpace(type));
  for (size_t i = 1; i < count; ++i)
    results[i] = agpu__index_type(at->context);
  agpu__op_spec spec = {.name = "memref.extract_strided_metadata",
                        .operands = &memref,
                        .operand_count = 1,
                        .results = results,
                        .result_count = count};
  return agpu__build(at, &spec);
}

/// The address of an agpu_mpi_elements. `joins`: elements that lie side by side
/// are one, which the runtime needs no look at sizes for.
static MlirValue build_elements(agpu__builder *at, MlirValue memref,
                                agpu_mpi_type type, bool joins) {
  MlirContext context = at->context;
  MlirType ptr = agpu__ptr_type(context), i64 = agpu__i64_type(context);
  MlirType memref_type = mlirValueGetType(memref);
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(memref_type);
  MlirOperation metadata = build_metadata(at, memref);
  MlirValue base = to_i64(
      at, agpu__build_unary(at, "memref.extract_aligned_pointer_as_index",
                            memref, agpu__index_type(context)));
  MlirValue bytes = agpu__memref_element_bytes(at, memref_type);
  MlirValue offset = agpu__build_binary(
      at, "llvm.mul", to_i64(at, agpu__result(metadata, 1)), bytes);
  MlirValue first =
      agpu__build_unary(at, "llvm.inttoptr",
                        agpu__build_binary(at, "llvm.add", base, offset), ptr);
  intptr_t first_stride = 2 + rank;
  if (joins && agpu__memref_is_contiguous(memref_type)) {
    for (intptr_t i = 0; i < rank; ++i)
      bytes = agpu__build_binary(at, "llvm.mul", bytes,
                                 to_i64(at, agpu__result(metadata, 2 + i)));
    rank = 0;
  }
  MlirValue fields[] = {first,
                        agpu__llvm_i64(at, rank),
                        build_array(at, metadata, 2, rank),
                        build_array(at, metadata, first_stride, rank),
                        bytes,
                        agpu__llvm_i32(at, (int32_t)type)};
  MlirType types[] = {ptr, i64, ptr, ptr, i64, agpu__i32_type(context)};
  MlirType elements = mlirLLVMStructTypeLiteralGet(context, 6, types, false);
  MlirValue made = agpu__llvm_alloca(at, elements, agpu__llvm_i64(at, 1), 0);
  for (int32_t i = 0; i < 6; ++i) {
    const int32_t path[] = {0, i};
    agpu__llvm_store(at, fields[i],
                     agpu__llvm_member(at, made, elements, path, 2));
  }
  return made;
}

/// Fills an empty function whose first arguments are `memref_count` memrefs.
static void fill(agpu__mpi_op *self, MlirOperation function, const char *callee,
                 intptr_t memref_count, agpu_mpi_type type) {
  // What ranks exchange or scatter is cut along dimensions.
  bool joins = strcmp(callee, "agpu_mpi_exchange") &&
               strcmp(callee, "agpu_mpi_reduce_scatter");
  MlirBlock block = agpu__entry_block(function);
  agpu__mpi_op inside = *self;
  inside.at = agpu__builder_at_end(block, self->at.location);
  AGPU__SCOPED(values) operands = {0};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    agpu__values_push(&operands,
                      i < memref_count
                          ? build_elements(&inside.at, argument, type, joins)
                          : argument);
  }
  MlirValue token =
      agpu__mpi_call(&inside, callee, operands.data, operands.count,
                     agpu__token_type(self->at.context));
  agpu__build_effect(&inside.at, "func.return", &token, 1);
  // It begins a message: the token waits for it.
  if (!strcmp(callee, "agpu_mpi_start"))
    agpu__set_attr(agpu__lookup(self->module, callee), AGPU__NON_BLOCKING,
                   mlirUnitAttrGet(self->at.context));
}

static const char *find(const agpu__mpi_stubs *stubs, const char *function,
                        const MlirType *memrefs, agpu_mpi_type type) {
  for (size_t i = 0; i < stubs->count; ++i)
    if (!strcmp(stubs->list[i].function, function) &&
        stubs->list[i].memrefs[0].ptr == memrefs[0].ptr &&
        stubs->list[i].memrefs[1].ptr == memrefs[1].ptr &&
        stubs->list[i].type == type)
      return stubs->list[i].name;
  return NULL;
}

static void add(agpu__mpi_stubs *stubs, agpu__mpi_stub stub) {
  stubs->list = realloc(stubs->list, (stubs->count + 1) * sizeof(*stubs->list));
  if (!stubs->list)
    agpu__out_of_memory();
  stubs->list[stubs->count++] = stub;
}

void agpu__mpi_stubs_free(agpu__mpi_stubs *stubs) {
  for (size_t i = 0; i < stubs->count; ++i)
    free(stubs->list[i].name);
  free(stubs->list);
}

/// Calls the stub of `function` with these operands, memrefs first.
static MlirValue call_stub(agpu__mpi_op *self, const char *function,
                           intptr_t memref_count, agpu_mpi_type type,
                           const agpu__values *operands) {
  MlirType token = agpu__token_type(self->at.context);
  MlirType memrefs[2] = {{NULL}};
  MlirType inputs[16];
  for (size_t i = 0; i < operands->count; ++i)
    inputs[i] = mlirValueGetType(operands->data[i]);
  for (intptr_t i = 0; i < memref_count; ++i)
    memrefs[i] = inputs[i];
  const char *name = find(self->stubs, function, memrefs, type);
  if (!name) {
    // Names that begin with agpu_ are the runtime's.
    AGPU__OWNED char *base =
        agpu__format("%s.%zu", function + strlen("agpu_"), self->stubs->count);
    char *made = agpu__unique_symbol(self->module, base);
    agpu__builder at = agpu__builder_at_end(agpu__module_body(self->module),
                                            self->at.location);
    MlirOperation stub = agpu__build_function(
        &at, &(agpu__function_spec){
                 .op = "func.func",
                 .name = made,
                 .type = mlirFunctionTypeGet(
                     at.context, (intptr_t)operands->count, inputs, 1, &token),
                 .with_body = true,
                 .is_internal = true});
    agpu__set_attr(stub, "passthrough",
                   agpu__parse_attr(at.context, "[\"noinline\"]"));
    fill(self, stub, function, memref_count, type);
    add(self->stubs,
        (agpu__mpi_stub){function, {memrefs[0], memrefs[1]}, type, made});
    name = made;
  }
  return agpu__build_call(&self->at, name, operands->data, operands->count,
                          token);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static agpu_mpi_type element_type(agpu__mpi_op *self, intptr_t index) {
  return type_of_element(mlirShapedTypeGetElementType(
      mlirValueGetType(mlirOperationGetOperand(self->op, index))));
}

MlirValue agpu__mpi_start(agpu__mpi_op *self, int32_t message) {
  if (!check_memref(self, 0))
    return (MlirValue){NULL};
  agpu_mpi_type type = element_type(self, 0);
  AGPU__SCOPED(values) operands = {0};
  agpu__values_push(&operands, mlirOperationGetOperand(self->op, 0));
  agpu__values_push(&operands, agpu__llvm_i32(&self->at, message));
  agpu__values_push_operands(&operands, self->op, 1); // tag, peer, comm
  agpu__values_push(&operands, agpu__mpi_location(self));
  return call_stub(self, "agpu_mpi_start", 1, type, &operands);
}

/// What MPI reduces: `*type` becomes that of pairs where the reduction is of
/// pairs. False after an error.
static bool check_reduction(agpu__mpi_op *self, int32_t reduction,
                            agpu_mpi_type *type) {
  MlirType memref = mlirValueGetType(mlirOperationGetOperand(self->op, 0));
  MlirType element = mlirShapedTypeGetElementType(memref);
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(memref);
  if (!mlirTypeEqual(element, mlirShapedTypeGetElementType(mlirValueGetType(
                                  mlirOperationGetOperand(self->op, 1))))) {
    agpu__error(self->at.location,
                "mpi.allreduce of memrefs with different types of elements");
    return false;
  }
  if (reduction == AGPU_MPI_MINLOC || reduction == AGPU_MPI_MAXLOC) {
    if (*type != AGPU_MPI_INT32 || !mlirTypeIsAInteger(element) || rank == 0 ||
        mlirShapedTypeIsDynamicDim(memref, rank - 1) ||
        mlirShapedTypeGetDimSize(memref, rank - 1) != 2) {
      agpu__error(self->at.location,
                  "MPI_MINLOC and MPI_MAXLOC reduce pairs of a number and its "
                  "place: a memref of i32 whose last size is 2");
      return false;
    }
    *type = AGPU_MPI_INT32_PAIR;
  }
  if (*type != AGPU_MPI_BYTE)
    return true;
  AGPU__OWNED char *text = agpu__type_text(element);
  agpu__error(self->at.location,
              "MPI reduces integers of 8 to 64 bits, i1, index, f32, f64 and "
              "complex numbers of these, and no %s",
              text);
  return false;
}

MlirValue agpu__mpi_allreduce(agpu__mpi_op *self) {
  if (!check_memref(self, 0) || !check_memref(self, 1))
    return (MlirValue){NULL};
  int32_t reduction =
      (int32_t)mlirIntegerAttrGetValueInt(agpu__attr(self->op, "op"));
  agpu_mpi_type type = element_type(self, 0);
  if (!check_reduction(self, reduction, &type))
    return (MlirValue){NULL};
  AGPU__SCOPED(values) operands = {0};
  agpu__values_push(&operands, mlirOperationGetOperand(self->op, 0));
  agpu__values_push(&operands, mlirOperationGetOperand(self->op, 1));
  agpu__values_push(&operands, agpu__llvm_i32(&self->at, reduction));
  agpu__values_push(&operands, mlirOperationGetOperand(self->op, 2)); // comm
  agpu__values_push(&operands, agpu__mpi_location(self));
  return call_stub(self, "agpu_mpi_allreduce", 2, type, &operands);
}

/// The communicator in the op's third operand. No device has to do with it.
static MlirValue load_comm(agpu__mpi_op *self) {
  MlirValue zero = agpu__index_constant(&self->at, 0);
  MlirValue operands[] = {mlirOperationGetOperand(self->op, 2), zero};
  MlirValue comm = agpu__build_value(&self->at, "memref.load", operands, 2,
                                     agpu__i64_type(self->at.context));
  agpu__mpi_set_blind(mlirOpResultGetOwner(comm));
  return comm;
}

static int64_t number(agpu__mpi_op *self, intptr_t index) {
  return mlirDenseI64ArrayGetElement(agpu__attr(self->op, "numbers"), index);
}

/// A number of the op as the runtime takes it. What the compiler does not know
/// is the size of the array that is exchanged, the fourth operand.
static MlirValue build_number(agpu__mpi_op *self, intptr_t index) {
  int64_t known = number(self, index);
  bool is_size = index == 2 || index == 3;
  return is_size && known < 0
             ? agpu__build_unary(&self->at, "arith.index_cast",
                                 mlirOperationGetOperand(self->op, 3),
                                 agpu__i64_type(self->at.context))
             : agpu__llvm_i64(&self->at, known);
}

MlirValue agpu__mpi_shard_start(agpu__mpi_op *self) {
  if (!check_memref(self, 0) || !check_memref(self, 1))
    return (MlirValue){NULL};
  // A reduction has its kind, and the dimension that is scattered.
  bool reduces = agpu__op_is(self->op, "agpu.reduce");
  bool scatters = reduces && number(self, 1) >= 0;
  agpu_mpi_type type = element_type(self, 0);
  AGPU__SCOPED(values) operands = {0};
  agpu__values_push(&operands, mlirOperationGetOperand(self->op, 0));
  agpu__values_push(&operands, mlirOperationGetOperand(self->op, 1));
  agpu__values_push(&operands,
                    agpu__llvm_i32(&self->at, (int32_t)number(self, 0)));
  for (intptr_t i = 1; i < (scatters ? 2 : reduces ? 1 : 8); ++i)
    agpu__values_push(&operands, build_number(self, i));
  agpu__values_push(&operands, load_comm(self));
  agpu__values_push(&operands, agpu__mpi_location(self));
  return call_stub(self,
                   scatters  ? "agpu_mpi_reduce_scatter"
                   : reduces ? "agpu_mpi_shard_reduce"
                             : "agpu_mpi_exchange",
                   2, type, &operands);
}

//===----------------------------------------------------------------------===//
// Calls of the runtime for MPI
//
// The calls that stand in place of ops: of functions that take and give tokens
// and values as such, while later passes have yet to see them.
//===----------------------------------------------------------------------===//

void agpu__mpi_set_blind(MlirOperation op) {
  agpu__set_attr(op, AGPU__OBSERVES_ATTR,
                 mlirBoolAttrGet(mlirOperationGetContext(op), 0));
}

MlirValue agpu__mpi_call(agpu__mpi_op *self, const char *name,
                         const MlirValue *operands, size_t count,
                         MlirType result) {
  return agpu__build_call_declared(&self->at, self->module, name, operands,
                                   count, result);
}

MlirValue agpu__mpi_location(agpu__mpi_op *self) {
  MlirValue location = agpu__location_constant(&self->at, self->module);
  agpu__mpi_set_blind(mlirOpResultGetOwner(location));
  return location;
}

MlirValue agpu__mpi_await(agpu__mpi_op *self, MlirValue object,
                          MlirType payload) {
  MlirOperation made =
      agpu__build_op(&self->at, "async.await", &object, 1, payload, NULL, 0);
  return mlirTypeIsNull(payload) ? (MlirValue){NULL} : agpu__result(made, 0);
}
