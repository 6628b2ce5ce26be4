//===- tm_tensor.c - torch-mlir's own ops on tensors ----------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans, scatters, sorts and top-k go along one dimension in order; others are
// parallel. So each is a `linalg.generic` over those, on memory, whose body has
// the loop. It reads tensors as buffers, writes into memory of its own, and
// that is the tensor it gives.
//
//===----------------------------------------------------------------------===//

#include "lower/convert/convert.h"

#include <inttypes.h>
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The types of a tensor: as it is, as memory, and of an element.
typedef struct types {
  char *tensor, *memref, *element;
  intptr_t rank;
} types;

static types types_of(MlirValue tensor) {
  MlirType type = mlirValueGetType(tensor);
  char *text = agpu__type_text(type);
  return (types){.tensor = text,
                 .memref = agpu__format("memref%s", text + strlen("tensor")),
                 .element = agpu__type_text(mlirShapedTypeGetElementType(type)),
                 .rank = mlirShapedTypeGetRank(type)};
}

static void types_free(types *self) {
  free(self->tensor);
  free(self->memref);
  free(self->element);
}

/// Names the operands of the op %x0, %x1, ... and its results' types.
static void print_head(MlirOperation op, const types *all, intptr_t first_out,
                       agpu__text *out) {
  intptr_t count = mlirOperationGetNumOperands(op);
  agpu__text_puts(out, "func.func @expanded(");
  for (int i = 0; i < count; ++i)
    agpu__text_printf(out, "%s%%x%d: %s", i ? ", " : "", i, all[i].tensor);
  agpu__text_puts(out, ") -> (");
  for (intptr_t i = first_out; i < count; ++i)
    agpu__text_printf(out, "%s%s", i > first_out ? ", " : "", all[i].tensor);
  agpu__text_puts(out, ") {\n%c0 = arith.constant 0 : index\n"
                       "%c1 = arith.constant 1 : index\n");
}

/// Makes %NAMEi, memory of the shape of tensor %xi.
static void print_memory(MlirOperation op, const types *all, const char *name,
                         int i, agpu__text *out) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
  AGPU__SCOPED(text) sizes = {0};
  for (int k = 0; k < all[i].rank; ++k) {
    if (!mlirShapedTypeIsDynamicDim(type, k))
      continue;
    agpu__text_printf(out,
                      "%%%s_d%d_%d = arith.constant %d : index\n"
                      "%%%s_n%d_%d = tensor.dim %%x%d, %%%s_d%d_%d : %s\n",
                      name, i, k, k, name, i, k, i, name, i, k, all[i].tensor);
    agpu__text_printf(&sizes, "%s%%%s_n%d_%d", sizes.size ? ", " : "", name, i,
                      k);
  }
  agpu__text_printf(out, "%%%s%d = memref.alloc(%s) : %s\n", name, i,
                    agpu__text_get(&sizes), all[i].memref);
}

/// Makes %bi, what is in tensor %xi.
static void print_buffer(const types *all, int i, agpu__text *out) {
  agpu__text_printf(out,
                    "%%b%d = bufferization.to_buffer %%x%d read_only : %s to "
                    "%s\n",
                    i, i, all[i].tensor, all[i].memref);
}

/// Makes %toi, memory with what is in tensor %xi, of which %bi is the buffer.
static void print_copy(MlirOperation op, const types *all, int i,
                       agpu__text *out) {
  print_memory(op, all, "to", i, out);
  print_buffer(all, i, out);
  agpu__text_printf(out, "memref.copy %%b%d, %%to%d : %s to %s\n", i, i,
                    all[i].memref, all[i].memref);
}

/// Makes %ni, the size of tensor %xi in a dimension.
static void print_size(const types *all, const char *name, int i, int dimension,
                       agpu__text *out) {
  agpu__text_printf(out,
                    "%%%s_at = arith.constant %d : index\n"
                    "%%%s = tensor.dim %%x%d, %%%s_at : %s\n",
                    name, dimension, name, i, name, all[i].tensor);
}

/// Returns the tensors in memory %NAMEi from `first` to `last`.
static void print_return(const types *all, const char *name, int first,
                         int last, agpu__text *out) {
  for (int i = first; i <= last; ++i)
    agpu__text_printf(out,
                      "%%r%d = bufferization.to_tensor %%%s%d restrict "
                      "writable : %s to %s\n",
                      i, name, i, all[i].memref, all[i].tensor);
  agpu__text_puts(out, "return ");
  for (int i = first; i <= last; ++i)
    agpu__text_printf(out, "%s%%r%d", i > first ? ", " : "", i);
  agpu__text_puts(out, " : ");
  for (int i = first; i <= last; ++i)
    agpu__text_printf(out, "%s%s", i > first ? ", " : "", all[i].tensor);
  agpu__text_puts(out, "\n}\n");
}

/// Begins a generic over all dimensions of memory %NAME but `along`, with their
/// indices %i0, %i1, ...; `writes`: for an element of it that it replaces.
static void print_loops(const char *name, const types *type, intptr_t along,
                        intptr_t loops, bool writes, agpu__text *out) {
  agpu__text_puts(out, "linalg.generic {indexing_maps = [affine_map<(");
  for (int i = 0; i < loops; ++i)
    agpu__text_printf(out, "%sd%d", i ? ", " : "", i);
  agpu__text_puts(out, ") -> (");
  for (int i = 0, d = 0; i < type->rank; ++i) {
    agpu__text_puts(out, i ? ", " : "");
    if (i == along)
      agpu__text_puts(out, "0");
    else
      agpu__text_printf(out, "d%d", d++);
  }
  agpu__text_puts(out, ")>], iterator_types = [");
  for (int i = 0; i < loops; ++i)
    agpu__text_puts(out, i ? ", \"parallel\"" : "\"parallel\"");
  agpu__text_printf(out, "]} %s(%%%s : %s) {\n^bb0(%%old: %s):\n",
                    writes ? "outs" : "ins", name, type->memref, type->element);
  for (int i = 0; i < loops; ++i)
    agpu__text_printf(out, "%%i%d = linalg.index %d : index\n", i, i);
}

/// Appends "[%i0, %WHERE, %i1]", with %WHERE in dimension `along`.
static void print_subscript(intptr_t rank, intptr_t along, const char *where,
                            agpu__text *out) {
  agpu__text_puts(out, "[");
  for (int i = 0, d = 0; i < rank; ++i) {
    agpu__text_puts(out, i ? ", " : "");
    if (i == along)
      agpu__text_printf(out, "%%%s", where);
    else
      agpu__text_printf(out, "%%i%d", d++);
  }
  agpu__text_puts(out, "]");
}

/// Appends the rest of a load or store: where, and the type of the memory.
static void print_at(const types *type, intptr_t along, const char *where,
                     agpu__text *out) {
  print_subscript(type->rank, along, where, out);
  agpu__text_printf(out, " : %s\n", type->memref);
}

/// Puts a copy of the op's region where the template calls @region.
static void fill_region(agpu__builder *at, const char *place,
                        MlirOperation call, MlirValue *out_results,
                        void *data) {
  (void)place;
  MlirOperation copy = mlirOperationClone(*(const MlirOperation *)data);
  MlirBlock block = agpu__entry_block(copy);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(block, i),
                                  mlirOperationGetOperand(call, i));
  MlirOperation yield = mlirBlockGetFirstOperation(block);
  for (MlirOperation next;
       next = mlirOperationGetNextInBlock(yield), !mlirOperationIsNull(next);
       yield = next)
    mlirOperationMoveBefore(yield, at->before);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); ++i)
    out_results[i] = mlirOperationGetOperand(yield, i);
  mlirOperationDestroy(copy);
}

/// Declares @region: of two numbers of each of `count` types.
static void print_region(const types *all, int first, int count,
                         const char *result, agpu__text *out) {
  agpu__text_puts(out, "func.func private @region(");
  for (int i = 0; i < count; ++i)
    agpu__text_printf(out, "%s%s, %s", i ? ", " : "", all[first + i].element,
                      all[first + i].element);
  agpu__text_printf(out, ") -> %s\n", result);
}

static MlirLogicalResult replace(MlirOperation op, const agpu__text *text) {
  const agpu__template template = {.file = "tm_tensor",
                                   .function = "expanded",
                                   .text = agpu__text_get(text),
                                   .fill = fill_region,
                                   .data = &op};
  return agpu__template_replace(op, &template, NULL, 0);
}

//===----------------------------------------------------------------------===//
// Ops along a dimension
//===----------------------------------------------------------------------===//

/// ins: numbers; outs: their scan, and its last, which an exclusive one begins
/// with.
static void print_scan(MlirOperation op, const types *all, agpu__text *out) {
  intptr_t along = (intptr_t)agpu__get_int(op, "dimension", 0);
  intptr_t rank = all[0].rank;
  const char *type = all[0].element;
  bool inclusive = mlirBoolAttrGetValue(agpu__attr(op, "inclusive"));
  print_region(all, 0, 1, type, out);
  print_head(op, all, 1, out);
  print_memory(op, all, "to", 1, out);
  print_copy(op, all, 2, out);
  print_buffer(all, 0, out);
  print_size(all, "n", 0, (int)along, out);
  print_loops("to2", &all[2], -1, rank - 1, true, out);
  agpu__text_printf(out,
                    "%%last = scf.for %%k = %%c0 to %%n step %%c1 "
                    "iter_args(%%before = %%old) -> (%s) {\n%%v = memref.load "
                    "%%b0",
                    type);
  print_subscript(rank, along, "k", out);
  agpu__text_printf(out,
                    " : %s\n%%both = func.call @region(%%before, %%v) : (%s, "
                    "%s) -> %s\n",
                    all[0].memref, type, type, type);
  if (inclusive)
    agpu__text_printf(out,
                      "%%first = arith.cmpi eq, %%k, %%c0 : index\n"
                      "%%next = arith.select %%first, %%v, %%both : %s\n",
                      type);
  agpu__text_printf(out, "memref.store %%%s, %%to1",
                    inclusive ? "next" : "before");
  print_subscript(rank, along, "k", out);
  agpu__text_printf(out,
                    " : %s\nscf.yield %%%s : %s\n}\nlinalg.yield %%last : "
                    "%s\n}\n",
                    all[1].memref, inclusive ? "next" : "both", type, type);
  print_return(all, "to", 1, 2, out);
}

/// The subscript in the original of an update: indices count from where the
/// rest of the update is.
static void print_target(MlirOperation op, const types *all, agpu__text *out) {
  MlirAttribute map = agpu__attr(op, "dimension_map");
  int depth = (int)mlirDenseArrayGetNumElements(map);
  int rank = (int)all[2].rank, rest = (int)all[0].rank - 1;
  AGPU__OWNED int *last = agpu__allocate((size_t)rank, sizeof(*last));
  for (int d = 0; d < rank; ++d) {
    last[d] = -1;
    if (d >= rank - rest)
      agpu__text_printf(out, "%%t%d = arith.addi %%i%d, %%c0 : index\n", d,
                        d - (rank - rest));
  }
  for (int k = 0; k < depth; ++k) {
    int d = (int)mlirDenseI64ArrayGetElement(map, k);
    agpu__text_printf(out,
                      "%%at%d = arith.constant %d : index\n"
                      "%%p%d = memref.load %%b1[%%k, %%at%d] : %s\n"
                      "%%q%d = arith.index_cast %%p%d : %s to index\n",
                      k, k, k, k, all[1].memref, k, k, all[1].element);
    if (d >= rank - rest)
      agpu__text_printf(out, "%%s%d = arith.addi %%q%d, %%t%d : index\n", k, k,
                        d);
    last[d] = k;
  }
  agpu__text_puts(out, "%old_value = "
                       "memref.load %to2[");
  AGPU__SCOPED(text) subscript = {0};
  for (int d = 0; d < rank; ++d) {
    agpu__text_puts(&subscript, d ? ", " : "");
    if (last[d] < 0)
      agpu__text_printf(&subscript, d >= rank - rest ? "%%t%d" : "%%c0", d);
    else
      agpu__text_printf(&subscript, d >= rank - rest ? "%%s%d" : "%%q%d",
                        last[d]);
  }
  agpu__text_printf(
      out,
      "%s] : %s\n%%new = func.call @region(%%v, %%old_value) : (%s, %s) -> "
      "%s\nmemref.store %%new, %%to2[%s] : %s\n",
      agpu__text_get(&subscript), all[2].memref, all[0].element, all[2].element,
      all[2].element, agpu__text_get(&subscript), all[2].memref);
}

/// ins: updates, and where each goes; outs: what they go into.
static void print_scatter(MlirOperation op, const types *all, agpu__text *out) {
  print_region(all, 0, 1, all[2].element, out);
  print_head(op, all, 2, out);
  print_copy(op, all, 2, out);
  for (int i = 0; i < 2; ++i)
    print_buffer(all, i, out);
  print_size(all, "n", 0, 0, out);
  agpu__text_puts(out, "%any = arith.cmpi ne, %n, %c0 : index\n"
                       "scf.if %any {\n");
  print_loops("b0", &all[0], 0, all[0].rank - 1, false, out);
  agpu__text_puts(out, "scf.for %k = %c0 to %n step %c1 {\n"
                       "%v = memref.load %b0");
  print_at(&all[0], 0, "k", out);
  print_target(op, all, out);
  agpu__text_puts(out, "}\nlinalg.yield\n}\n}\n");
  print_return(all, "to", 2, 2, out);
}

/// Appends a load of the element %WHERE of each of the tensors, as %NAMEi.
static void print_loads(const types *all, int count, intptr_t along,
                        const char *name, const char *where, agpu__text *out) {
  for (int i = 0; i < count; ++i) {
    agpu__text_printf(out, "%%%s%d = memref.load %%to%d", name, i, i);
    print_at(&all[i], along, where, out);
  }
}

/// outs: tensors that are sorted together, by the region, which says that a
/// number may stand in front of another one. Runs that are in order become runs
/// of twice the length, so that what is equal keeps its order.
static void print_sort(MlirOperation op, const types *all, agpu__text *out) {
  int count = (int)mlirOperationGetNumOperands(op);
  intptr_t along = (intptr_t)agpu__get_int(op, "dimension", 0);
  print_region(all, 0, count, "i1", out);
  print_head(op, all, 0, out);
  for (int i = 0; i < count; ++i) {
    print_copy(op, all, i, out);
    print_memory(op, all, "other", i, out);
  }
  print_size(all, "n", 0, (int)along, out);
  agpu__text_puts(out, "%any = arith.cmpi ne, %n, %c0 : index\n"
                       "scf.if %any {\n");
  print_loops("b0", &all[0], along, all[0].rank - 1, false, out);
  agpu__text_puts(
      out,
      "%final = arith.subi %n, %c1 : index\n"
      "%done = scf.while (%w = %c1) : (index) -> index {\n"
      "%more = arith.cmpi ult, %w, %n : index\n"
      "scf.condition(%more) %w : index\n} do {\n^bb1(%w: index):\n"
      "%ww = arith.addi %w, %w : index\n"
      "scf.for %low = %c0 to %n step %ww {\n"
      "%low_w = arith.addi %low, %w : index\n"
      "%low_ww = arith.addi %low, %ww : index\n"
      "%mid = arith.minui %low_w, %n : index\n"
      "%high = arith.minui %low_ww, %n : index\n"
      "%ends:2 = scf.for %k = %low to %high step %c1 iter_args(%l = %low, %r = "
      "%mid) -> (index, index) {\n"
      "%l_in = arith.minui %l, %final : index\n"
      "%r_in = arith.minui %r, %final : index\n");
  print_loads(all, count, along, "a", "l_in", out);
  print_loads(all, count, along, "z", "r_in", out);
  agpu__text_puts(out, "%ordered = func.call @region(");
  for (int i = 0; i < count; ++i)
    agpu__text_printf(out, "%s%%a%d, %%z%d", i ? ", " : "", i, i);
  agpu__text_puts(out, ") : (");
  for (int i = 0; i < count; ++i)
    agpu__text_printf(out, "%s%s, %s", i ? ", " : "", all[i].element,
                      all[i].element);
  agpu__text_puts(out, ") -> i1\n%has_l = arith.cmpi ult, %l, %mid : index\n"
                       "%no_r = arith.cmpi uge, %r, %high : index\n"
                       "%or = arith.ori %no_r, %ordered : i1\n"
                       "%take = arith.andi %has_l, %or : i1\n");
  for (int i = 0; i < count; ++i) {
    agpu__text_printf(out,
                      "%%m%d = arith.select %%take, %%a%d, %%z%d : %s\n"
                      "memref.store %%m%d, %%other%d",
                      i, i, i, all[i].element, i, i);
    print_at(&all[i], along, "k", out);
  }
  agpu__text_puts(out, "%step = arith.index_castui %take : i1 to index\n"
                       "%stay = arith.subi %c1, %step : index\n"
                       "%l_next = arith.addi %l, %step : index\n"
                       "%r_next = arith.addi %r, %stay : index\n"
                       "scf.yield %l_next, %r_next : index, index\n}\n}\n"
                       "scf.for %k = %c0 to %n step %c1 {\n");
  for (int i = 0; i < count; ++i) {
    agpu__text_printf(out, "%%e%d = memref.load %%other%d", i, i);
    print_subscript(all[i].rank, along, "k", out);
    agpu__text_printf(out, " : %s\nmemref.store %%e%d, %%to%d", all[i].memref,
                      i, i);
    print_at(&all[i], along, "k", out);
  }
  agpu__text_puts(out, "}\nscf.yield %ww : index\n}\nlinalg.yield\n}\n}\n");
  print_return(all, "to", 0, count - 1, out);
}

/// ins: numbers; outs: those that stand in front by the region, and their
/// indices. Each number goes along what is kept, and changes places with what
/// stands behind it; of equals the first has the lower index.
static void print_topk(MlirOperation op, const types *all, agpu__text *out) {
  intptr_t along = (intptr_t)agpu__get_int(op, "dimension", 0);
  const char *type = all[0].element, *index = all[2].element;
  print_region(all, 0, 1, "i1", out);
  print_head(op, all, 1, out);
  print_buffer(all, 0, out);
  print_copy(op, all, 1, out);
  print_copy(op, all, 2, out);
  print_size(all, "n", 0, (int)along, out);
  print_size(all, "kept", 1, (int)along, out);
  agpu__text_puts(out, "%any = arith.cmpi ne, %n, %c0 : index\n"
                       "scf.if %any {\n");
  print_loops("b0", &all[0], along, all[0].rank - 1, false, out);
  agpu__text_puts(out, "scf.for %j = %c0 to %n step %c1 {\n"
                       "%v = memref.load %b0");
  print_at(&all[0], along, "j", out);
  agpu__text_printf(out,
                    "%%at = arith.index_cast %%j : index to %s\n"
                    "scf.for %%k = %%c0 to %%kept step %%c1 iter_args(%%a = "
                    "%%v, %%ia = %%at) -> (%s, %s) {\n%%z = memref.load %%to1",
                    index, type, index);
  print_at(&all[1], along, "k", out);
  agpu__text_puts(out, "%iz = memref.load %to2");
  print_at(&all[2], along, "k", out);
  agpu__text_printf(out,
                    "%%before = func.call @region(%%a, %%z) : (%s, %s) -> i1\n"
                    "%%after = func.call @region(%%z, %%a) : (%s, %s) -> i1\n"
                    "%%equal = arith.cmpi eq, %%before, %%after : i1\n"
                    "%%first = arith.cmpi slt, %%ia, %%iz : %s\n"
                    "%%tie = arith.andi %%equal, %%first : i1\n"
                    "%%take = arith.ori %%before, %%tie : i1\n"
                    "%%put = arith.select %%take, %%a, %%z : %s\n"
                    "%%iput = arith.select %%take, %%ia, %%iz : %s\n"
                    "%%left = arith.select %%take, %%z, %%a : %s\n"
                    "%%ileft = arith.select %%take, %%iz, %%ia : %s\n"
                    "memref.store %%put, %%to1",
                    type, type, type, type, index, type, index, type, index);
  print_at(&all[1], along, "k", out);
  agpu__text_puts(out, "memref.store %iput, %to2");
  print_at(&all[2], along, "k", out);
  agpu__text_printf(out,
                    "scf.yield %%left, %%ileft : %s, %s\n}\n}\n"
                    "linalg.yield\n}\n}\n",
                    type, index);
  print_return(all, "to", 1, 2, out);
}

typedef void (*print_fn)(MlirOperation op, const types *all, agpu__text *out);

/// Replaces `op`, which has so many operands, by what `print` writes.
static MlirLogicalResult expand(MlirOperation op, intptr_t operand_count,
                                print_fn print) {
  intptr_t count = mlirOperationGetNumOperands(op);
  bool fits = (operand_count < 0 || count == operand_count) && count;
  for (intptr_t i = 0; fits && i < count; ++i)
    fits = mlirTypeIsARankedTensor(
        mlirValueGetType(mlirOperationGetOperand(op, i)));
  if (!fits)
    return agpu__error(mlirOperationGetLocation(op),
                       "%s takes and returns tensors, as torch-mlir makes it",
                       agpu__op_name(op).data);
  AGPU__OWNED types *all = agpu__allocate((size_t)count, sizeof(*all));
  for (intptr_t i = 0; i < count; ++i)
    all[i] = types_of(mlirOperationGetOperand(op, i));
  AGPU__SCOPED(text) text = {0};
  print(op, all, &text);
  MlirLogicalResult result = replace(op, &text);
  for (intptr_t i = 0; i < count; ++i)
    types_free(&all[i]);
  return result;
}

MlirLogicalResult agpu__expand_tm_tensor(MlirOperation module) {
  MlirLogicalResult result = mlirLogicalResultSuccess();
  AGPU__SCOPED(ops) ops = agpu__ops_in(module, NULL);
  for (size_t i = 0; i < ops.count && mlirLogicalResultIsSuccess(result); ++i) {
    MlirOperation op = ops.data[i];
    if (!agpu__op_in_dialect(op, "tm_tensor") ||
        agpu__op_is(op, "tm_tensor.yield"))
      continue;
    if (agpu__op_is(op, "tm_tensor.scan"))
      result = expand(op, 3, print_scan);
    else if (agpu__op_is(op, "tm_tensor.scatter"))
      result = expand(op, 3, print_scatter);
    else if (agpu__op_is(op, "tm_tensor.sort"))
      result = expand(op, -1, print_sort);
    else if (agpu__op_is(op, "tm_tensor.topk"))
      result = expand(op, 3, print_topk);
    else
      result =
          agpu__error(mlirOperationGetLocation(op),
                      "%s is not lowered: have torch-mlir decompose what it "
                      "comes from",
                      agpu__op_name(op).data);
  }
  return result;
}
